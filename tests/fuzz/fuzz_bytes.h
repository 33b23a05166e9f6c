/* Bytes that a fuzzer gives, taken one by one; zeros behind their end. */
#ifndef HLPROF_FUZZ_BYTES_H
#define HLPROF_FUZZ_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *data;
    int64_t size, at;
} Source;

static inline uint8_t take(Source *s) { return s->at < s->size ? s->data[s->at++] : 0; }

static inline uint64_t take_wide(Source *s) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value = value << 8 | take(s);
    return value;
}

/* The input that is being tried, written to the file that FUZZ_LAST names when a sanitizer or an abort ends the process. */
static const uint8_t *tried_data;
static size_t tried_size;
extern void __sanitizer_set_death_callback(void (*callback)(void));

static inline void write_last(void) {
    FILE *last = getenv("FUZZ_LAST") ? fopen(getenv("FUZZ_LAST"), "wb") : NULL;
    if (last) fwrite(tried_data, 1, tried_size, last), fclose(last);
}

static inline uint8_t random_byte(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (uint8_t)(*state >> 24);
}
#endif
