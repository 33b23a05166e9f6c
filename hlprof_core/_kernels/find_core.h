/* A literal in bytes, ASCII case folded: candidates by its first and last byte, many places at once, then the bytes between.
 * No Python in here. */
#ifndef HLPROF_FIND_CORE_H
#define HLPROF_FIND_CORE_H

typedef struct {
    const uint8_t *bytes; /* in lower case */
    int64_t length;
    uint8_t first, last, first_fold, last_fold; /* fold: the bit that makes a letter small, 0 for other bytes */
} Needle;

static inline uint8_t fold_bit(uint8_t lower) { return lower >= 'a' && lower <= 'z' ? 0x20 : 0; }

static Needle needle_of(const uint8_t *bytes, int64_t length) {
    Needle n = {bytes, length, bytes[0], bytes[length - 1], fold_bit(bytes[0]), fold_bit(bytes[length - 1])};
    return n;
}

static inline int same_folded(const uint8_t *text, const uint8_t *lower, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        if ((text[i] | fold_bit(lower[i])) != lower[i]) return 0;
    return 1;
}

static inline int stands_at(const uint8_t *text, const Needle *n) {
    return (text[0] | n->first_fold) == n->first && (text[n->length - 1] | n->last_fold) == n->last &&
           same_folded(text + 1, n->bytes + 1, n->length - 2);
}

static int64_t find_slow(const uint8_t *text, int64_t at, int64_t size, const Needle *n) {
    for (; at + n->length <= size; at++)
        if (stands_at(text + at, n)) return at;
    return -1;
}

#ifdef HLPROF_X86
/* The same loop for each width: `size` bytes at a time as long as loads at both ends of the needle stay inside. */
#define FIND_LOOP(WIDTH, VECTOR, SET1, LOAD, OR, AND, EQUAL, MASK)                                                       \
    const VECTOR first = SET1((char)n->first), last = SET1((char)n->last);                                               \
    const VECTOR first_fold = SET1((char)n->first_fold), last_fold = SET1((char)n->last_fold);                           \
    const int64_t tail = n->length - 1;                                                                                  \
    for (; at + tail + (WIDTH) <= size; at += (WIDTH)) {                                                                 \
        VECTOR a = LOAD((const void *)(text + at)), b = LOAD((const void *)(text + at + tail));                          \
        uint32_t mask = (uint32_t)MASK(AND(EQUAL(OR(a, first_fold), first), EQUAL(OR(b, last_fold), last)));             \
        for (; mask; mask &= mask - 1) {                                                                                 \
            int64_t place = at + __builtin_ctz(mask);                                                                    \
            if (same_folded(text + place + 1, n->bytes + 1, tail - 1)) return place;                                     \
        }                                                                                                                \
    }                                                                                                                    \
    return find_slow(text, at, size, n);

static int64_t find_sse2(const uint8_t *text, int64_t at, int64_t size, const Needle *n) {
    FIND_LOOP(16, __m128i, _mm_set1_epi8, _mm_loadu_si128, _mm_or_si128, _mm_and_si128, _mm_cmpeq_epi8, _mm_movemask_epi8)
}

__attribute__((target("avx2"))) static int64_t find_avx2(const uint8_t *text, int64_t at, int64_t size, const Needle *n) {
    FIND_LOOP(32, __m256i, _mm256_set1_epi8, _mm256_loadu_si256, _mm256_or_si256, _mm256_and_si256, _mm256_cmpeq_epi8,
              _mm256_movemask_epi8)
}
#undef FIND_LOOP
#endif

/* First place of the needle from `at` on, or -1. */
static int64_t find_next(const uint8_t *text, int64_t at, int64_t size, const Needle *n) {
    if (n->length > size || at > size - n->length) return -1;
#ifdef HLPROF_X86
    return __builtin_cpu_supports("avx2") ? find_avx2(text, at, size, n) : find_sse2(text, at, size, n);
#else
    return find_slow(text, at, size, n);
#endif
}

/* Mark the texts (`start` sorted, none inside another, equal ones allowed) that hold the needle whole; returns how many hold it.
 * `base` is the offset of text[0]; parts of texts outside of the buffer do not count. A text is left as soon as it is known to hold it,
 * so the work is one pass. */
static int64_t mark_holders(const uint8_t *text, int64_t size, int64_t base, const Needle *n, const int64_t *start, const int64_t *stop,
                            int64_t count, uint8_t *found) {
    int64_t at = 0, row = 0, marked = 0;
    while (row < count && (at = find_next(text, at, size, n)) >= 0) {
        int64_t place = base + at;
        while (row < count && stop[row] < place + n->length) row++;
        if (row == count) break;
        if (start[row] > place) { /* between texts, or over the border of two: go on, at the next text at the earliest */
            int64_t next = start[row] - base;
            at = next > at ? next : at + 1;
            continue;
        }
        at = stop[row] - base;
        for (int64_t same = start[row]; row < count && start[row] == same; row++) marked += !found[row], found[row] = 1;
        if (at > size) break;
    }
    return marked;
}
#endif
