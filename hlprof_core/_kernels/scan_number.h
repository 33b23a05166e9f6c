/* Numbers as texts write them: decimal microseconds to exact int64 nanoseconds, and values of counters. No floating point for time. */
#ifndef HLPROF_SCAN_NUMBER_H
#define HLPROF_SCAN_NUMBER_H

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_TIME INT64_MIN
#define EXPONENT_LIMIT 100000

typedef struct {
    const uint8_t *digits, *end; /* mantissa text: digits and at most one point */
    int64_t exponent;            /* written after e */
    int negative;
} Decimal;

static inline int is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/* Take a decimal number apart; 0 when the text is something else. Surrounding blanks and a leading + are accepted. */
static int decimal_split(const uint8_t *text, int64_t length, Decimal *out) {
    const uint8_t *p = text, *e = text + length;
    while (p < e && (*p == ' ' || *p == '\t')) p++;
    while (e > p && (e[-1] == ' ' || e[-1] == '\t')) e--;
    out->negative = 0;
    if (p < e && (*p == '-' || *p == '+')) out->negative = *p++ == '-';
    out->digits = p;
    int count = 0, points = 0;
    for (; p < e; p++) {
        if (is_digit(*p)) count = 1;
        else if (*p == '.' && !points) points = 1;
        else break;
    }
    if (!count) return 0;
    out->end = p;
    out->exponent = 0;
    if (p == e) return 1;
    if (*p != 'e' && *p != 'E') return 0;
    p++;
    int minus = 0;
    if (p < e && (*p == '-' || *p == '+')) minus = *p++ == '-';
    if (p == e) return 0;
    int64_t value = 0;
    for (; p < e; p++) {
        if (!is_digit(*p)) return 0;
        if (value < EXPONENT_LIMIT) value = value * 10 + (*p - '0');
    }
    out->exponent = minus ? -value : value;
    return 1;
}

/* The number times 10^scale, rounded half away from zero; NO_TIME when it does not fit. */
static int64_t decimal_integer(const Decimal *d, int64_t scale) {
    int64_t point = 0; /* digits before the point */
    while (d->digits + point < d->end && d->digits[point] != '.') point++;
    int64_t wanted = point + d->exponent + scale; /* how many digits make the whole part */
    uint64_t value = 0;
    int64_t seen = 0;
    int round_up = 0;
    for (const uint8_t *p = d->digits; p < d->end; p++) {
        if (*p == '.') continue;
        unsigned digit = (unsigned)(*p - '0');
        if (seen < wanted) {
            if (value > (UINT64_MAX - digit) / 10) return NO_TIME;
            value = value * 10 + digit;
        } else {
            round_up = seen == wanted && digit >= 5;
            break;
        }
        seen++;
    }
    if (value) /* zeros behind the written digits; a zero stays zero whatever the exponent says */
        for (; seen < wanted; seen++) {
            if (value > UINT64_MAX / 10) return NO_TIME;
            value *= 10;
        }
    value += (uint64_t)round_up;
    if (value > (uint64_t)INT64_MAX) return NO_TIME;
    return d->negative ? -(int64_t)value : (int64_t)value;
}

/* Any notation of microseconds, with or without quotes, as nanoseconds; NO_TIME when it is no number. */
static int64_t time_ns(const uint8_t *text, int64_t length) {
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"') text++, length -= 2;
    Decimal d;
    return decimal_split(text, length, &d) ? decimal_integer(&d, 3) : NO_TIME;
}

/* The usual notation, digits[.digits] up to 15 + any, read in one go: returns the place behind it, or NULL for the general way. */
static inline const uint8_t *time_ns_plain(const uint8_t *p, const uint8_t *e, int64_t *out) {
    const uint8_t *start = p;
    int negative = p < e && *p == '-';
    p += negative;
    const uint8_t *digits = p;
    uint64_t value = 0;
    while (p < e && is_digit(*p)) value = value * 10 + (*p++ - '0');
    int64_t whole = p - digits;
    if (whole == 0 || whole > 15 || p == e) return NULL;
    int fraction = 0, round_up = 0;
    if (*p == '.') {
        p++;
        for (; p < e && is_digit(*p); p++, fraction++) {
            if (fraction < 3) value = value * 10 + (*p - '0');
            else if (fraction == 3) round_up = *p >= '5';
        }
        if (fraction == 0 || p == e) return NULL;
    }
    for (; fraction < 3; fraction++) value *= 10;
    if (*p != ',' && *p != '}' && *p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') return NULL;
    (void)start;
    value += (uint64_t)round_up;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return p;
}

static locale_t c_locale; /* strtod must not follow the locale that a window toolkit sets */

enum { VALUE_NUMBER, VALUE_GAP, VALUE_TEXT };

static int is_word(const uint8_t *text, int64_t length, const char *word) {
    if ((int64_t)strlen(word) != length) return 0;
    for (int64_t i = 0; i < length; i++)
        if ((text[i] | 0x20) != word[i]) return 0;
    return 1;
}

/* A counter value: number, also in quotes; nan and inf in any spelling are gaps; true is 1. */
static int counter_value(const uint8_t *text, int64_t length, double *out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int quoted = length >= 2 && text[0] == '"';
    if (quoted) text++, length -= 2;
    Decimal d;
    if (!decimal_split(text, length, &d)) {
        if (!quoted && is_word(text, length, "true")) return *out = 1, VALUE_NUMBER;
        if (!quoted && is_word(text, length, "false")) return *out = 0, VALUE_NUMBER;
        if (!quoted && is_word(text, length, "null")) return VALUE_GAP;
        if (length && (*text == '-' || *text == '+')) text++, length--;
        return is_word(text, length, "nan") || is_word(text, length, "inf") || is_word(text, length, "infinity") ? VALUE_GAP : VALUE_TEXT;
    }
    uint64_t mantissa = 0;
    int64_t exponent = d.exponent, digits = 0;
    int after = 0;
    for (const uint8_t *p = d.digits; p < d.end; p++) {
        if (*p == '.') {
            after = 1;
            continue;
        }
        if (digits || *p != '0') digits++;
        if (digits > 19) break;
        mantissa = mantissa * 10 + (*p - '0');
        exponent -= after;
    }
    double value;
    if (digits <= 19 && exponent == 0) value = (double)mantissa;
    else if (digits <= 19 && mantissa <= (1ull << 53) && exponent >= -22 && exponent <= 22)
        value = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    else {
        char small[256], *copy = length < (int64_t)sizeof small ? small : malloc((size_t)length + 1);
        if (!copy) return VALUE_TEXT;
        memcpy(copy, text, (size_t)length);
        copy[length] = 0;
        value = strtod_l(copy, NULL, c_locale);
        if (copy != small) free(copy);
        if (value - value != 0) return VALUE_GAP; /* beyond the range of a double */
        *out = value;
        return VALUE_NUMBER;
    }
    *out = d.negative ? -value : value;
    return VALUE_NUMBER;
}

#endif
