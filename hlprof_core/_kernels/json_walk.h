/* Values of one key in JSON objects, without building anything: a strict walk that says where a value stands and whether its bytes are
 * what Python would show. Whatever is not plain (escapes, signs beyond ASCII, odd numbers, keys written twice, damage) is left to the one
 * who decodes. No Python in here. */
#ifndef HLPROF_JSON_WALK_H
#define HLPROF_JSON_WALK_H

enum { VALUE_ABSENT, VALUE_UNSURE, VALUE_OTHER, VALUE_NUMBER, VALUE_TEXT };
enum { WALK_DEPTH = 100, PLAIN_DIGITS = 15 };

typedef struct {
    int64_t from, to; /* of a text without its quotes */
    double number;
    uint8_t kind;
} Value;

typedef struct {
    const uint8_t *begin, *at, *end;
    Value value;
    int found, is_unsure, has_odd_value, is_exact;
} Walk; /* is_exact: the case of keys matters */

static inline void skip_blanks(Walk *w) {
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\n' || *w->at == '\t' || *w->at == '\r')) w->at++;
}

static inline int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static inline int is_hex(uint8_t c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

static int walk_escape(Walk *w) { /* at the backslash */
    if (w->end - w->at < 2 || !w->at[1] || !strchr("\"\\/bfnrtu", w->at[1])) return 0;
    if (w->at[1] != 'u') {
        w->at += 2;
        return 1;
    }
    if (w->end - w->at < 6) return 0;
    for (int i = 2; i < 6; i++)
        if (!is_hex(w->at[i])) return 0;
    w->at += 6;
    return 1;
}

/* Behind the opening quote; leaves behind the closing one. `is_plain`: the bytes between are the text. */
static int walk_text(Walk *w, int *is_plain) {
    *is_plain = 1;
    while (w->at < w->end) {
#ifdef HLPROF_X86
        if (w->end - w->at >= 16) {
            __m128i v = _mm_loadu_si128((const void *)w->at);
            uint32_t stop = (uint32_t)_mm_movemask_epi8(_mm_or_si128(
                _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))),
                _mm_cmpgt_epi8(_mm_set1_epi8(0x20), v))); /* as signed numbers: controls, and all beyond ASCII */
            if (!stop) {
                w->at += 16;
                continue;
            }
            w->at += __builtin_ctz(stop);
        }
#endif
        uint8_t c = *w->at;
        if (c == '"') {
            w->at++;
            return 1;
        }
        if (c == '\\') {
            *is_plain = 0;
            if (!walk_escape(w)) return 0;
        } else {
            if (c < 0x20) return 0; /* decoders differ */
            if (c >= 0x80) *is_plain = 0;
            w->at++;
        }
    }
    return 0;
}

/* A number; `value` gets kind and value where Python shows it as it is written. */
static int walk_number(Walk *w, Value *value) {
    static const double TENS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const uint8_t *first = w->at, *at = w->at, *end = w->end;
    int negative = at < end && *at == '-';
    at += negative;
    if (at == end || !is_digit(*at)) return 0;
    const uint8_t *digits = at;
    int64_t whole = 0;
    while (at < end && is_digit(*at)) whole = at - digits < 18 ? whole * 10 + (*at - '0') : whole, at++;
    int64_t count = at - digits, places = 0, is_odd;
    if (count > 1 && *digits == '0') return 0;
    if (at < end && *at == '.') {
        const uint8_t *fraction = ++at;
        while (at < end && is_digit(*at)) whole = at - fraction + count < 18 ? whole * 10 + (*at - '0') : whole, at++;
        places = at - fraction;
        if (!places) return 0;
        /* Python: no zero at the end but in x.0, and an exponent for what is below a ten-thousandth. */
        is_odd = count + places > PLAIN_DIGITS || (at[-1] == '0' && places > 1);
        if (*digits == '0' && whole) {
            int64_t zeros = 0;
            while (fraction[zeros] == '0') zeros++;
            is_odd |= zeros > 3;
        }
    } else {
        if (count > 18) return 0; /* decoders differ */
        is_odd = count > PLAIN_DIGITS || (negative && !whole);
    }
    if (at < end && (*at | 0x20) == 'e') {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (at == end || !is_digit(*at)) return 0;
        while (at < end && is_digit(*at)) at++;
        is_odd = 1;
    }
    w->at = at;
    value->kind = is_odd ? VALUE_OTHER : VALUE_NUMBER;
    if (!is_odd) value->number = (negative ? -(double)whole : (double)whole) / TENS[places];
    value->from = first - w->begin, value->to = at - w->begin;
    w->has_odd_value |= (int)is_odd;
    return 1;
}

static int walk_word(Walk *w) {
    static const char *const WORDS[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        int64_t length = (int64_t)strlen(WORDS[i]);
        if (w->end - w->at >= length && !memcmp(w->at, WORDS[i], (size_t)length)) {
            w->at += length;
            w->has_odd_value |= i == 2;
            return 1;
        }
    }
    return 0;
}

static int walk_value(Walk *w, int depth, Value *value);

/* Behind the opening bracket of a list or, where `is_object`, of an object whose keys do not matter. */
static int walk_members(Walk *w, int depth, int is_object) {
    uint8_t close = is_object ? '}' : ']';
    Value ignored;
    int is_plain;
    skip_blanks(w);
    if (w->at < w->end && *w->at == close) {
        w->at++;
        return 1;
    }
    for (;;) {
        skip_blanks(w);
        if (is_object) {
            if (w->at == w->end || *w->at++ != '"' || !walk_text(w, &is_plain)) return 0;
            skip_blanks(w);
            if (w->at == w->end || *w->at++ != ':') return 0;
        }
        if (!walk_value(w, depth, &ignored)) return 0;
        skip_blanks(w);
        if (w->at == w->end) return 0;
        uint8_t c = *w->at++;
        if (c == close) return 1;
        if (c != ',') return 0;
    }
}

/* Any value; `value` tells where it stands and what it is. */
static int walk_value(Walk *w, int depth, Value *value) {
    skip_blanks(w);
    if (w->at == w->end || depth > WALK_DEPTH) return 0;
    int is_plain, fine;
    value->kind = VALUE_OTHER;
    value->from = w->at - w->begin;
    uint8_t c = *w->at;
    if (c == '"') {
        w->at++;
        if (!walk_text(w, &is_plain)) return 0;
        if (is_plain) {
            value->kind = VALUE_TEXT;
            value->from++, value->to = w->at - w->begin - 1;
            return 1;
        }
        fine = 1;
    } else if (c == '{' || c == '[') {
        w->at++;
        fine = walk_members(w, depth + 1, c == '{');
    } else if (c == '-' || is_digit(c)) {
        return walk_number(w, value);
    } else {
        fine = walk_word(w);
    }
    value->to = w->at - w->begin;
    return fine;
}

static int same_key(const Walk *w, const uint8_t *name, int64_t length, const uint8_t *key) {
    if (w->is_exact) return !memcmp(name, key, (size_t)length);
    for (int64_t i = 0; i < length; i++)
        if ((name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i]) != key[i]) return 0;
    return 1;
}

/* Behind the opening bracket of an object: values under `key`, in lower case unless case matters; its dots lead into objects and may be part of a name. */
static int look_into(Walk *w, int depth, const uint8_t *key, int64_t length) {
    int is_plain, near = 0;
    skip_blanks(w);
    if (w->at < w->end && *w->at == '}') {
        w->at++;
        return 1;
    }
    for (;;) {
        skip_blanks(w);
        if (w->at == w->end || *w->at++ != '"') return 0;
        const uint8_t *name = w->at;
        if (!walk_text(w, &is_plain)) return 0;
        int64_t size = w->at - 1 - name;
        skip_blanks(w);
        if (w->at == w->end || *w->at++ != ':') return 0;
        skip_blanks(w);
        w->is_unsure |= !is_plain;
        int is_key = size == length && same_key(w, name, size, key);
        int is_way = size < length && key[size] == '.' && same_key(w, name, size, key);
        /* Of a name that stands twice the last one counts, of two spellings each does: rare enough to be decoded. */
        near += is_key || is_way;
        w->is_unsure |= near > 1;
        if (is_way && w->at < w->end && *w->at == '{' && depth < WALK_DEPTH) {
            w->at++;
            if (!look_into(w, depth + 1, key + size + 1, length - size - 1)) return 0;
        } else {
            Value value;
            value.number = 0;
            if (!walk_value(w, depth + 1, &value)) return 0;
            if (is_key) {
                w->is_unsure |= w->found++ > 0;
                w->value = value;
            }
        }
        skip_blanks(w);
        if (w->at == w->end) return 0;
        uint8_t c = *w->at++;
        if (c == '}') return 1;
        if (c != ',') return 0;
    }
}

/* The value under `key` in the object that `text` is; `from` and `to` count from `text`. */
static Value value_of_key(const uint8_t *text, int64_t size, const uint8_t *key, int64_t length, int is_exact) {
    Walk w = {text, text, text + size, {0, 0, 0, VALUE_ABSENT}, 0, 0, 0, is_exact};
    skip_blanks(&w);
    int fine = w.at < w.end && *w.at++ == '{' && look_into(&w, 0, key, length);
    skip_blanks(&w);
    if (!fine || w.is_unsure || w.at != w.end) w.value.kind = VALUE_UNSURE, w.value.from = w.value.to = 0;
    return w.value;
}

enum { HAS_ESCAPE = 1, MAY_HIDE = 2, HAS_ODD_VALUE = 4 };

/* What keeps the bytes of an object from being compared with what Python shows: any escape; one that may stand for any sign or for a slash,
 * or signs beyond ASCII; and, where `values` matter, a number that is written otherwise, a null, which shows nothing, or damage. */
static uint8_t hindrances(const uint8_t *text, int64_t size, int values) {
    uint8_t beyond = 0, escape = 0, flags = 0;
    for (int64_t i = 0; i < size; i++) beyond |= text[i] & 0x80, escape |= text[i] == '\\';
    if (beyond) flags |= MAY_HIDE;
    if (escape) {
        flags |= HAS_ESCAPE;
        const uint8_t *at = text, *end = text + size;
        while ((at = memchr(at, '\\', (size_t)(end - at)))) {
            if (end - at < 2 || at[1] == 'u' || at[1] == '/') {
                flags |= MAY_HIDE;
                break;
            }
            at += 2;
        }
    }
    if (values) {
        Walk w = {text, text, text + size, {0, 0, 0, VALUE_ABSENT}, 0, 0, 0, 0};
        skip_blanks(&w);
        int fine = w.at < w.end && *w.at++ == '{' && walk_members(&w, 0, 1);
        skip_blanks(&w);
        if (!fine || w.at != w.end || w.has_odd_value) flags |= HAS_ODD_VALUE;
    }
    return flags;
}
#endif
