/* Feeds the scan kernel whatever bytes there are: each input as it is, and mutated. Built with sanitizers; every buffer has exactly
 * the size of its content, so that one byte read too far is found. Checks on the way that the result does not depend on the
 * instruction set or on where the blocks end.
 *
 *   fuzz_scan SEED ROUNDS FILE...       mutate each file ROUNDS times
 *   with -DLIBFUZZER: an entry point for clang -fsanitize=fuzzer
 */
#define SCAN_WITHOUT_PYTHON
#include "../../hlprof_core/_kernels/scan.c"
#include "fuzz_bytes.h"

static uint64_t state = 1;
static uint64_t next_random(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static uint64_t mix(uint64_t h, const void *data, size_t size) {
    const uint8_t *p = data;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 0x100000001B3ull;
    return h;
}

/* A number that stands for everything a scanner found. */
static uint64_t digest(Scanner *s) {
    uint64_t h = 0xCBF29CE484222325ull;
    for (int i = 0; i < EVENT_COLUMNS; i++) h = mix(h, s->events.column[i], s->events.count * event_widths[i]);
    for (int i = 0; i < SAMPLE_COLUMNS && s->samples.count; i++) h = mix(h, s->samples.column[i], s->samples.count * sample_widths[i]);
    h = mix(h, s->meta.data, s->meta.size);
    h = mix(h, s->aside.data, s->aside.size);
    h = mix(h, s->stacked.data, s->stacked.size);
    h = mix(h, s->stacks.arena.data, s->stacks.arena.size);
    h = mix(h, s->damages.data, s->damages.size);
    return mix(h, s->counts, sizeof s->counts);
}

static uint64_t scan_whole(const uint8_t *data, int64_t size, int wide, int64_t block) {
    Scanner s;
    if (!scanner_init(&s, 4)) abort();
    use_avx2 = wide && __builtin_cpu_supports("avx2");
    int64_t at = 0, held = block, used = 0;
    for (;;) {
        int64_t n = size - at < held ? size - at : held;
        uint8_t *copy = malloc((size_t)n + (n == 0));
        if (n) memcpy(copy, data + at, (size_t)n);
        int status = run_scan(&s, copy, n, at, INT64_MAX, at + n == size, &used);
        free(copy);
        if (status == SCAN_NO_MEMORY) abort();
        if (used < at || used > at + n) abort();
        if (status != SCAN_MORE) break;
        held = used == at ? held * 2 : block;
        if (used == at && n == size - at) abort(); /* asks for more where there is none */
        at = used;
    }
    uint64_t result = digest(&s);
    Scanner *list[2] = {&s, &s};
    uint32_t *maps[2] = {NULL, NULL};
    Tokens texts;
    if (!tokens_init(&texts) || !merge_texts(list, 2, &texts, maps)) abort();
    for (uint32_t i = 0; i < s.tokens.count; i++)
        if (maps[0][i] >= texts.count || maps[0][i] != maps[1][i]) abort();
    for (uint32_t i = 0; i < texts.count; i++) { /* texts are valid UTF-8 */
        if (!texts.tokens[i].length) continue;
        const uint8_t *p = texts.arena.data + texts.tokens[i].offset, *e = p + texts.tokens[i].length;
        while (p < e) {
            int n = utf8_length(p, e);
            if (n <= 0) abort();
            p += n;
        }
    }
    free(maps[0]), free(maps[1]);
    tokens_free(&texts);
    scanner_free(&s);
    return result;
}

static void try_input(const uint8_t *data, int64_t size) {
    uint8_t *exact = malloc((size_t)size + (size == 0));
    if (size) memcpy(exact, data, (size_t)size);
    uint64_t wanted = scan_whole(exact, size, 1, size + 1);
    if (scan_whole(exact, size, 0, size + 1) != wanted) fprintf(stderr, "instruction sets differ\n"), abort();
    int64_t block = 1 + (int64_t)(next_random() % 200);
    if (scan_whole(exact, size, (int)(next_random() & 1), block) != wanted) fprintf(stderr, "blocks of %lld differ\n", (long long)block), abort();
    int64_t place = size ? (int64_t)(next_random() % (uint64_t)size) : 0, spent = 0, from = place;
    find_event_base(exact, &place, size, (int)(next_random() & 1), &spent);
    if (place < from || place > size) abort();
    int escaped = 0;
    for (int64_t p = from; p < size && p < from + 8; p++) {
        if (skip_value_base(exact, p, size, &escaped) > size) abort();
        first_fault(exact + p, size - p);
        double value;
        int64_t length = size - p < 40 ? size - p : 40;
        uint8_t *token = malloc((size_t)length);
        memcpy(token, exact + p, (size_t)length);
        time_ns(token, length);
        counter_value(token, length, &value);
        free(token);
    }
    free(exact);
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!c_locale) c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    state = size + 1;
    try_input(data, (int64_t)size);
    return 0;
}
#else

static const char *const pieces[] = {"{", "}", "[", "]", "\"", "\\", ",", ":", "\\u", "\\ud83d", "\"ph\":\"X\"", "{\"ph\":\"C\",\"args\":{\"a\":1", "\xff",
                                     "\xf0\x9f", "1e999", "-", ".", "NaN", "null", "\"ts\":", "9223372036854775808", "},{", "\n", "\"id2\":{\"local\":1}", "\\\\"};

/* A few random edits: other bytes, cut out, doubled, moved, and bits of JSON put in. */
static int64_t mutate(uint8_t *data, int64_t size, int64_t room) {
    for (int edits = 1 + (int)(next_random() % 6); edits > 0 && size > 0; edits--) {
        int64_t at = (int64_t)(next_random() % (uint64_t)size), length = 1 + (int64_t)(next_random() % 64);
        if (length > size - at) length = size - at;
        switch (next_random() % 6) {
        case 0: data[at] = (uint8_t)next_random(); break;
        case 1:
            memmove(data + at, data + at + length, (size_t)(size - at - length));
            size -= length;
            break;
        case 2:
            if (size + length > room) break;
            memmove(data + at + length, data + at, (size_t)(size - at));
            size += length;
            break;
        case 3: size = at; break;
        case 4: memset(data + at, 0, (size_t)length); break;
        default: {
            const char *piece = pieces[next_random() % (sizeof pieces / sizeof *pieces)];
            int64_t n = (int64_t)strlen(piece);
            if (size + n > room) break;
            memmove(data + at + n, data + at, (size_t)(size - at));
            memcpy(data + at, piece, (size_t)n);
            size += n;
        }
        }
    }
    return size;
}

int main(int count, char **words) {
    if (count < 4) return 2;
    __sanitizer_set_death_callback(write_last);
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    uint64_t seed = strtoull(words[1], NULL, 10);
    long rounds = strtol(words[2], NULL, 10);
    for (int i = 3; i < count; i++) {
        FILE *file = fopen(words[i], "rb");
        if (!file) return 2;
        enum { LIMIT = 1 << 16, ROOM = LIMIT + 4096 };
        uint8_t *original = malloc(ROOM), *data = malloc(ROOM);
        int64_t size = (int64_t)fread(original, 1, LIMIT, file);
        fclose(file);
        for (long round = 0; round < rounds; round++) {
            state = seed * 0x9E3779B97F4A7C15ull + (uint64_t)round * 1000003 + (uint64_t)i + 1;
            memcpy(data, original, (size_t)size);
            int64_t start = round && size > 3000 ? (int64_t)(next_random() % (uint64_t)(size - 2000)) : 0;
            int64_t part = round && size > 3000 ? 2000 : size; /* large files in pieces, so that rounds are many */
            memmove(data, data + start, (size_t)part);
            int64_t now = round ? mutate(data, part, ROOM) : part;
            tried_data = data, tried_size = (size_t)now;
            try_input(data, now);
        }
        free(original), free(data);
    }
    return 0;
}
#endif
