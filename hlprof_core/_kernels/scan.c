/* scan: the bytes of a Chrome trace into columns. Scanner holds what one thread found in its byte range; merging is at the end.
 *
 *   scan_number.h  decimal text -> int64 ns, counter values       scan_decode.h  JSON token -> UTF-8 text
 *   scan_store.h   tokens, rows, columns, counts                  scan_core.h    the pass itself, once per instruction set
 *   scan_file.h    block by block through a file                  scan_module.h  what Python sees
 */
#define _GNU_SOURCE
#ifdef SCAN_WITHOUT_PYTHON /* the fuzzer */
#include <stddef.h>
#include <sys/types.h>
typedef ssize_t Py_ssize_t;
#if defined(__x86_64__) && defined(__GNUC__)
#define HLPROF_X86 1
#include <immintrin.h>
#endif
#else
#include "kernel.h"
#endif

#include "scan_number.h"
#include "scan_decode.h"
#include "scan_store.h"

#define MAX_EVENT (1ll << 28)     /* a longer event is damage */
#define MAX_CANDIDATE (1ll << 20) /* where an event is guessed, look no further */
#define STRICT_FROM (1ll << 20)   /* an event longer than this is checked for faults before more is read */
#define SUSPECT_FROM 512          /* a whole event longer than this, with the key of a phase twice, may have swallowed others */
#define MAX_SUSPECTED (1ll << 26) /* bytes of events found so; beyond, they are taken as they are, so that the whole stays linear */

enum { PARSE_OK, PARSE_MORE, PARSE_BAD };
enum { SCAN_MORE, SCAN_STOP, SCAN_CLOSED, SCAN_END, SCAN_NO_MEMORY };
enum { FLAG_ENCLOSING = 1, FLAG_SCOPE_PROCESS = 2, FLAG_SCOPE_GLOBAL = 4 };
enum { PHASE_UNKNOWN, PHASE_SLICE, PHASE_INSTANT, PHASE_ASYNC, PHASE_FLOW, PHASE_COUNTER, PHASE_META, PHASE_ASIDE, PHASE_CONTEXT, PHASE_MARK };
static const uint8_t phase_kinds[256] = {
    ['B'] = PHASE_SLICE, ['E'] = PHASE_SLICE, ['X'] = PHASE_SLICE, ['i'] = PHASE_INSTANT, ['I'] = PHASE_INSTANT, ['R'] = PHASE_INSTANT,
    ['b'] = PHASE_ASYNC, ['n'] = PHASE_ASYNC, ['e'] = PHASE_ASYNC, ['S'] = PHASE_ASYNC, ['F'] = PHASE_ASYNC, ['T'] = PHASE_ASYNC, ['p'] = PHASE_ASYNC,
    ['s'] = PHASE_FLOW, ['t'] = PHASE_FLOW, ['f'] = PHASE_FLOW, ['C'] = PHASE_COUNTER, ['M'] = PHASE_META, ['N'] = PHASE_ASIDE, ['O'] = PHASE_ASIDE,
    ['D'] = PHASE_ASIDE, ['P'] = PHASE_ASIDE, ['('] = PHASE_CONTEXT, [')'] = PHASE_CONTEXT, ['v'] = PHASE_MARK, ['V'] = PHASE_MARK,
    ['c'] = PHASE_MARK,
};

typedef struct {
    uint32_t at, length;
} Span;

/* One event taken apart: places of its members relative to its brace, last one of equal keys. */
typedef struct {
    int64_t ts, dur;
    Span ph, name, cat, pid, tid, id, id2, scope, args, bp, s, bind_id, flow_in, flow_out, stack, end_stack;
    int bad_dur, empty, other_members;
} Event;

/* A key written with escapes, as text in out[16]; returns its length, or 16 (no key we know) when it is longer. */
static int64_t unescape_key(const uint8_t *key, int64_t length, uint8_t *out) {
    uint8_t quoted[66], room[256];
    Bytes text = {room, 0, sizeof room};
    quoted[0] = quoted[length + 1] = '"';
    memcpy(quoted + 1, key, (size_t)length);
    if (!decode_token(&text, quoted, (size_t)length + 2) || text.size > 15) return 16;
    memcpy(out, text.data, text.size);
    return (int64_t)text.size;
}

/* First place where a value that has begun stops being JSON (kinds of brackets and order of members are checked), -1 when it may still become one. */
static int64_t first_fault(const uint8_t *b, int64_t n) {
    enum { VALUE, KEY, COLON, BEHIND } want = VALUE;
    Bytes open = {NULL, 0, 0};
    int64_t p = 0, fault = -1;
    for (; p < n && fault < 0; p++) {
        uint8_t c = b[p];
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        int in_object = open.size && open.data[open.size - 1] == '{';
        if (c == '"') {
            if (want == COLON || want == BEHIND) fault = p;
            for (p++; p < n && b[p] != '"'; p++)
                if (b[p] == '\\') p++;
                else if (b[p] == 0) fault = p;
            want = want == KEY ? COLON : BEHIND;
        } else if (c == '{' || c == '[') {
            if (want != VALUE || !bytes_append(&open, &c, 1)) fault = p;
            want = c == '{' ? KEY : VALUE;
        } else if (c == '}' || c == ']') {
            if (!open.size || open.data[open.size - 1] != (c == '}' ? '{' : '[') || want == COLON || (want == VALUE && in_object)) fault = p;
            if (open.size) open.size--;
            want = BEHIND;
        } else if (c == ',') {
            if (want == COLON || (want == VALUE && in_object)) fault = p;
            want = in_object ? KEY : VALUE;
        } else if (c == ':') {
            if (want != COLON) fault = p;
            want = VALUE;
        } else if (is_digit(c) || c == '-' || c == '+' || c == '.' || (uint8_t)((c | 0x20) - 'a') < 26) {
            if (want != VALUE) fault = p;
            while (p + 1 < n && (is_digit(b[p + 1]) || b[p + 1] == '-' || b[p + 1] == '+' || b[p + 1] == '.' || (uint8_t)((b[p + 1] | 0x20) - 'a') < 26)) p++;
            want = BEHIND;
        } else fault = p;
    }
    free(open.data);
    return fault;
}

/* Whether the key of a phase stands in it more than once. */
static int has_two_phases(const uint8_t *b, int64_t n) {
    int found = 0;
    for (const uint8_t *h = b + 2, *end = b + n - 1; h < end && (h = memchr(h, 'h', (size_t)(end - h))); h++)
        if (h[-1] == 'p' && h[-2] == '"' && h[1] == '"' && ++found == 2) return 1;
    return 0;
}

static int append_inner(Bytes *out, const uint8_t *s, uint32_t n) {
    return n >= 2 && s[0] == '"' ? bytes_append(out, s + 1, n - 2) : bytes_append(out, s, n);
}

static inline int is_true(const uint8_t *b, Span v) { return v.length == 4 && !memcmp(b + v.at, "true", 4); }

/* Note the call stacks of the event that was stored last; 0 when memory ran out. */
static int keep_stacks(Scanner *s, const uint8_t *b, const Event *ev) {
    if (!s->stacks.capacity && !tokens_init(&s->stacks)) return 0;
    uint32_t begin = intern(&s->stacks, b + ev->stack.at, ev->stack.length), end = intern(&s->stacks, b + ev->end_stack.at, ev->end_stack.length);
    int64_t entry[3] = {(int64_t)s->events.count - 1, begin, end};
    return begin != UINT32_MAX && end != UINT32_MAX && bytes_append(&s->stacked, entry, sizeof entry);
}

/* What lay between the damage and `end` is lost. */
static int record_damage(Scanner *s, int64_t end) {
    Damage d = {s->damage_start, end - s->damage_start, s->cut};
    s->resync = s->cut = 0;
    return bytes_append(&s->damages, &d, sizeof d);
}

/* --- the pass, for each instruction set --- */

#ifdef HLPROF_X86
#define TARGET __attribute__((target("avx2,bmi,popcnt")))
#define NAME(x) x##_avx2
#define LANE 32
static inline TARGET uint32_t string_mask_avx2(const uint8_t *p) {
    __m256i v = _mm256_loadu_si256((const __m256i *)p);
    __m256i hit = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\')));
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(hit, _mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
}
static inline TARGET uint64_t equal_avx2(__m256i low, __m256i high, char c) {
    __m256i x = _mm256_set1_epi8(c);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, x)) | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, x)) << 32;
}
static inline TARGET void block_masks_avx2(const uint8_t *p, uint64_t *quote, uint64_t *slash, uint64_t *open, uint64_t *close, uint64_t *nul) {
    __m256i a = _mm256_loadu_si256((const __m256i *)p), b = _mm256_loadu_si256((const __m256i *)(p + 32)), bit = _mm256_set1_epi8(0x20);
    *quote = equal_avx2(a, b, '"'), *slash = equal_avx2(a, b, '\\'), *nul = equal_avx2(a, b, 0);
    a = _mm256_or_si256(a, bit), b = _mm256_or_si256(b, bit); /* square brackets become curly ones */
    *open = equal_avx2(a, b, '{'), *close = equal_avx2(a, b, '}');
}
#include "scan_core.h"
#undef TARGET
#undef NAME
#undef LANE

#define TARGET
#define NAME(x) x##_base
#define LANE 16
static inline uint32_t string_mask_base(const uint8_t *p) {
    __m128i v = _mm_loadu_si128((const __m128i *)p);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_setzero_si128())));
}
static inline void block_masks_base(const uint8_t *p, uint64_t *quote, uint64_t *slash, uint64_t *open, uint64_t *close, uint64_t *nul) {
    *quote = *slash = *open = *close = *nul = 0;
    for (int i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + i)), u = _mm_or_si128(v, _mm_set1_epi8(0x20));
        *quote |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"'))) << i;
        *slash |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))) << i;
        *nul |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) << i;
        *open |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(u, _mm_set1_epi8('{'))) << i;
        *close |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(u, _mm_set1_epi8('}'))) << i;
    }
}
#include "scan_core.h"
#else
#define TARGET
#define NAME(x) x##_base
#include "scan_core.h"
#endif

static int use_avx2;

static int run_scan(Scanner *s, const uint8_t *b, int64_t n, int64_t base, int64_t stop, int final, int64_t *used) {
#ifdef HLPROF_X86
    if (use_avx2) return scan_avx2(s, b, n, base, stop, final, used);
#endif
    return scan_base(s, b, n, base, stop, final, used);
}
/* All tokens of all scanners as one table of distinct texts; maps[i][token] is the text's number. 0 when memory ran out. */
static int merge_texts(Scanner **scanners, Py_ssize_t n, Tokens *texts, uint32_t **maps) {
    Bytes text = {NULL, 0, 0};
    int ok = 1;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        const Tokens *t = &scanners[i]->tokens;
        ok = (maps[i] = memory_resize(NULL, 0, (size_t)t->count * sizeof **maps)) != NULL;
        for (uint32_t k = 0; ok && k < t->count; k++) {
            text.size = 0;
            ok = k == 0 || decode_token(&text, t->arena.data + t->tokens[k].offset, t->tokens[k].length);
            if (ok) ok = (maps[i][k] = intern(texts, text.data, (uint32_t)text.size)) != UINT32_MAX;
        }
    }
    free(text.data);
    return ok;
}

#ifndef SCAN_WITHOUT_PYTHON
#include "scan_file.h"
#include "scan_module.h"
#endif
