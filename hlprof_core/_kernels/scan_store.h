/* What a scanner collects: interned tokens, rows, growing columns, and counts of what it could not use. */
#ifndef HLPROF_SCAN_STORE_H
#define HLPROF_SCAN_STORE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__) && !defined(SCAN_WITHOUT_PYTHON) /* the sanitizers watch the heap, not mappings */
#include <sys/mman.h>
#include <unistd.h>

#include "column_memory.h"
#define MAPPED_FROM (256u << 10)
static const ColumnMemory *column_memory; /* set when the module begins */
#endif

#define FIRST_PLACES 5

/* --- memory of columns: large ones straight from the system, so that they grow without a copy and go back when they are dropped --- */

/* From `old` bytes at `data` (NULL: none) to `size` bytes (0: give back); NULL when there is no memory, and then `data` is as it was. */
static void *memory_resize(void *data, size_t old, size_t size) {
#ifdef MAPPED_FROM
    const size_t page = (size_t)sysconf(_SC_PAGESIZE) - 1;
    const int was_mapped = data && old >= MAPPED_FROM;
    if (size > SIZE_MAX - page - 1) return NULL;
    const size_t from = (old + page) & ~page, to = (size + page) & ~page;
    void *other = data;
    if (size >= MAPPED_FROM && was_mapped && column_memory->resize(&other, size)) return other;
    other = size >= MAPPED_FROM ? column_memory->map(size) : NULL; /* over the budget of memory: in a file */
    if (size >= MAPPED_FROM && was_mapped && !other) {
        void *moved = mremap(data, from, to, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) return NULL;
        column_memory->count(from, to);
        return moved;
    }
    if (size >= MAPPED_FROM || was_mapped) {
        if (size >= MAPPED_FROM && !other) {
            other = mmap(NULL, to, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (other == MAP_FAILED) return NULL;
            column_memory->count(0, to);
        } else if (size && !other && !(other = malloc(size))) return NULL;
        if (data && other) memcpy(other, data, old < size ? old : size);
        if (!was_mapped) free(data);
        else if (!column_memory->resize(&data, 0)) {
            munmap(data, from);
            column_memory->count(from, 0);
        }
        return other;
    }
#endif
    (void)old;
    if (size) return realloc(data, size);
    free(data);
    return NULL;
}

/* --- bytes that grow --- */

typedef struct {
    uint8_t *data;
    size_t size, capacity;
} Bytes;

static int bytes_reserve(Bytes *b, size_t more) {
    if (b->capacity - b->size >= more) return 1;
    size_t capacity = b->capacity + b->capacity / 2 + more + 4096;
    uint8_t *data = realloc(b->data, capacity);
    if (!data) return 0;
    b->data = data, b->capacity = capacity;
    return 1;
}

static int bytes_append(Bytes *b, const void *data, size_t size) {
    if (!bytes_reserve(b, size)) return 0;
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
    return 1;
}

/* --- tokens: each different byte string once; number 0 is "nothing" --- */

typedef struct {
    uint64_t offset;
    uint32_t length, hash;
} Token;

typedef struct {
    Bytes arena;
    Token *tokens;
    uint32_t count, capacity;
    uint32_t *slots, mask; /* open addressing; 0 is free */
} Tokens;

static inline uint32_t hash_bytes(const uint8_t *s, size_t n) {
    uint64_t h = n * 0x9E3779B97F4A7C15ull, w;
    for (; n >= 8; n -= 8, s += 8) {
        memcpy(&w, s, 8);
        h = (h ^ w) * 0x9FB21C651E98DF25ull;
        h ^= h >> 32;
    }
    w = 0;
    memcpy(&w, s, n);
    h = (h ^ w) * 0x9FB21C651E98DF25ull;
    return (uint32_t)(h ^ (h >> 32) ^ (h >> 15));
}

static int tokens_init(Tokens *t) {
    memset(t, 0, sizeof *t);
    t->capacity = 1024, t->mask = 4095;
    t->tokens = malloc(t->capacity * sizeof *t->tokens);
    t->slots = calloc(t->mask + 1u, sizeof *t->slots);
    if (!t->tokens || !t->slots) return 0;
    t->tokens[0] = (Token){0, 0, 0};
    t->count = 1;
    return 1;
}

static void tokens_free(Tokens *t) {
    free(t->arena.data), free(t->tokens), free(t->slots);
    memset(t, 0, sizeof *t);
}

static int tokens_grow(Tokens *t) {
    if (t->count == t->capacity) {
        if (t->capacity > UINT32_MAX / 4) return 0;
        Token *tokens = realloc(t->tokens, 2ull * t->capacity * sizeof *tokens);
        if (!tokens) return 0;
        t->tokens = tokens, t->capacity *= 2;
    }
    if (2ull * t->count > t->mask) {
        uint32_t mask = t->mask * 2 + 1;
        uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
        if (!slots) return 0;
        for (uint32_t i = 1; i < t->count; i++) {
            uint32_t at = t->tokens[i].hash & mask;
            while (slots[at]) at = (at + 1) & mask;
            slots[at] = i;
        }
        free(t->slots);
        t->slots = slots, t->mask = mask;
    }
    return 1;
}

/* Number of these bytes; UINT32_MAX when memory ran out. Empty is 0. */
static uint32_t intern(Tokens *t, const uint8_t *s, uint32_t n) {
    if (!n) return 0;
    uint32_t hash = hash_bytes(s, n), at = hash & t->mask;
    for (uint32_t i; (i = t->slots[at]); at = (at + 1) & t->mask) {
        const Token *k = t->tokens + i;
        if (k->hash == hash && k->length == n && !memcmp(t->arena.data + k->offset, s, n)) return i;
    }
    if (t->count == t->capacity || 2ull * t->count > t->mask) {
        if (!tokens_grow(t)) return UINT32_MAX;
        for (at = hash & t->mask; t->slots[at];) at = (at + 1) & t->mask;
    }
    uint64_t offset = t->arena.size;
    if (!bytes_append(&t->arena, s, n)) return UINT32_MAX;
    t->tokens[t->count] = (Token){offset, n, hash};
    t->slots[at] = t->count;
    return t->count++;
}

/* The same with a guess: neighbouring events mostly have the same process, thread and category. */
static inline uint32_t intern_near(Tokens *t, const uint8_t *s, uint32_t n, uint32_t *guess) {
    const Token *k = t->tokens + *guess;
    if (k->length == n && n && !memcmp(t->arena.data + k->offset, s, n)) return *guess;
    uint32_t i = intern(t, s, n);
    if (i != UINT32_MAX) *guess = i;
    return i;
}

/* --- rows: each different (pid token, tid token) once --- */

typedef struct {
    uint64_t *keys;
    uint32_t count, capacity;
    uint32_t *slots, mask; /* number + 1; 0 is free */
    uint32_t last;
} Rows;

static int rows_init(Rows *r) {
    memset(r, 0, sizeof *r);
    r->capacity = 256, r->mask = 1023;
    r->keys = malloc(r->capacity * sizeof *r->keys);
    r->slots = calloc(r->mask + 1u, sizeof *r->slots);
    return r->keys && r->slots;
}

static void rows_free(Rows *r) {
    free(r->keys), free(r->slots);
    memset(r, 0, sizeof *r);
}

static inline uint32_t hash_key(uint64_t key) {
    key *= 0x9E3779B97F4A7C15ull;
    return (uint32_t)(key ^ (key >> 32));
}

static uint32_t row_of(Rows *r, uint32_t pid, uint32_t tid) {
    uint64_t key = (uint64_t)pid << 32 | tid;
    if (r->last < r->count && r->keys[r->last] == key) return r->last;
    uint32_t at = hash_key(key) & r->mask;
    for (uint32_t i; (i = r->slots[at]); at = (at + 1) & r->mask)
        if (r->keys[i - 1] == key) return r->last = i - 1;
    if (r->count == r->capacity) {
        if (r->capacity > UINT32_MAX / 8) return UINT32_MAX;
        uint64_t *keys = realloc(r->keys, 2ull * r->capacity * sizeof *keys);
        if (!keys) return UINT32_MAX;
        r->keys = keys, r->capacity *= 2;
        uint32_t mask = r->mask * 2 + 1;
        uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
        if (!slots) return UINT32_MAX;
        for (uint32_t i = 0; i < r->count; i++) {
            uint32_t to = hash_key(r->keys[i]) & mask;
            while (slots[to]) to = (to + 1) & mask;
            slots[to] = i + 1;
        }
        free(r->slots);
        r->slots = slots, r->mask = mask;
        for (at = hash_key(key) & mask; slots[at];) at = (at + 1) & mask;
    }
    r->keys[r->count] = key;
    r->slots[at] = r->count + 1;
    return r->last = r->count++;
}

/* --- columns --- */

#define MAX_COLUMNS 10
enum { EVENT_PHASE, EVENT_TS, EVENT_DUR, EVENT_ROW, EVENT_NAME, EVENT_CAT, EVENT_ID, EVENT_ARGS, EVENT_ARGS_LENGTH, EVENT_FLAGS, EVENT_COLUMNS };
enum { SAMPLE_TIME, SAMPLE_ROW, SAMPLE_NAME, SAMPLE_SERIES, SAMPLE_ID, SAMPLE_VALUE, SAMPLE_COLUMNS };
static const uint8_t event_widths[EVENT_COLUMNS] = {1, 8, 8, 4, 4, 4, 4, 8, 4, 1};
static const uint8_t sample_widths[SAMPLE_COLUMNS] = {8, 4, 4, 4, 4, 8};

typedef struct {
    void *column[MAX_COLUMNS];
    size_t room[MAX_COLUMNS]; /* items each column has room for; at least the capacity */
    const uint8_t *widths;
    int columns;
    size_t count, capacity;
} Table;

/* When memory runs out half way, some columns have more room than the capacity says; nothing is lost. */
static int table_resize(Table *t, size_t capacity) {
    for (int i = 0; i < t->columns; i++) {
        if (capacity <= t->room[i]) continue;
        void *data = memory_resize(t->column[i], t->room[i] * t->widths[i], capacity * t->widths[i]);
        if (!data) return 0;
        t->column[i] = data, t->room[i] = capacity;
    }
    t->capacity = capacity;
    return 1;
}

static inline int table_room(Table *t) { return t->count < t->capacity || table_resize(t, t->capacity + t->capacity / 2 + 256); }

static void table_free(Table *t) {
    for (int i = 0; i < t->columns; i++) memory_resize(t->column[i], t->room[i] * t->widths[i], 0);
    memset(t->column, 0, sizeof t->column);
    memset(t->room, 0, sizeof t->room);
    t->count = t->capacity = 0;
}

/* --- what could not be used --- */

enum {
    COUNT_BAD_TS, COUNT_BAD_DUR, COUNT_NO_PHASE, COUNT_EMPTY, COUNT_UNKNOWN_PHASE, COUNT_NOT_AN_EVENT, COUNT_OTHER_MEMBERS,
    COUNT_TEXT_COUNTER, COUNT_GAP, COUNTS
};
static const char *const count_names[COUNTS] = {"bad_ts", "bad_dur", "no_phase", "empty", "unknown_phase", "not_an_event", "other_members",
                                                "text_counter", "gap"};

typedef struct {
    int64_t count, first[FIRST_PLACES];
} Count;

static inline void count_at(Count *c, int64_t place) {
    if (c->count < FIRST_PLACES) c->first[c->count] = place;
    c->count++;
}

typedef struct {
    int64_t start, size;
    int64_t cut; /* the file ended in the middle of it */
} Damage;

/* --- the scanner --- */

typedef struct {
    Tokens tokens;
    Rows rows;
    Table events, samples;
    Bytes meta;        /* metadata events as a JSON array without its brackets */
    Bytes meta_starts; /* size_t for each */
    Bytes aside;       /* int64 place and length of each event that is no part of the columns (objects, samples), and of its arguments */
    Tokens stacks;     /* texts of call stacks; made when there is one */
    Bytes stacked;     /* int64 number of each event with a stack, and its two texts: where it begins and where it ends */
    Bytes scratch;
    Bytes damages; /* Damage for each */
    Count counts[COUNTS];
    int64_t phases[256]; /* events met, by phase */
    uint32_t near_pid, near_tid, near_cat;
    int resync, cut;
    int64_t damage_start, resync_spent, suspected;
} Scanner;

static void scanner_free(Scanner *s) {
    tokens_free(&s->tokens);
    rows_free(&s->rows);
    table_free(&s->events);
    table_free(&s->samples);
    tokens_free(&s->stacks);
    free(s->meta.data), free(s->meta_starts.data), free(s->aside.data), free(s->stacked.data), free(s->scratch.data), free(s->damages.data);
    memset(&s->meta, 0, sizeof s->meta);
    s->meta_starts = s->aside = s->stacked = s->scratch = s->damages = s->meta;
}

static int scanner_init(Scanner *s, size_t expected) {
    memset(s, 0, sizeof *s);
    s->events.widths = event_widths, s->events.columns = EVENT_COLUMNS;
    s->samples.widths = sample_widths, s->samples.columns = SAMPLE_COLUMNS;
    return tokens_init(&s->tokens) && rows_init(&s->rows) && table_resize(&s->events, expected + 16);
}

#endif
