/* From a JSON token to its text in valid UTF-8: escapes, surrogate pairs, broken bytes (each becomes U+FFFD). */
#ifndef HLPROF_SCAN_DECODE_H
#define HLPROF_SCAN_DECODE_H

#include "scan_store.h"

static int hex4(const uint8_t *p, const uint8_t *e, uint32_t *out) {
    if (e - p < 4) return 0;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = p[i], low = c | 0x20;
        if (is_digit(c)) value = value << 4 | (uint32_t)(c - '0');
        else if (low >= 'a' && low <= 'f') value = value << 4 | (uint32_t)(low - 'a' + 10);
        else return 0;
    }
    *out = value;
    return 1;
}

static uint8_t *put_utf8(uint8_t *o, uint32_t c) {
    if (c >= 0xD800 && c < 0xE000) c = 0xFFFD;
    if (c < 0x80) *o++ = (uint8_t)c;
    else if (c < 0x800) *o++ = (uint8_t)(0xC0 | c >> 6), *o++ = (uint8_t)(0x80 | (c & 63));
    else if (c < 0x10000) *o++ = (uint8_t)(0xE0 | c >> 12), *o++ = (uint8_t)(0x80 | (c >> 6 & 63)), *o++ = (uint8_t)(0x80 | (c & 63));
    else
        *o++ = (uint8_t)(0xF0 | c >> 18), *o++ = (uint8_t)(0x80 | (c >> 12 & 63)), *o++ = (uint8_t)(0x80 | (c >> 6 & 63)),
        *o++ = (uint8_t)(0x80 | (c & 63));
    return o;
}

/* Length of the well-formed sequence at p, or minus the length of the broken part (Unicode's maximal subpart). */
static int utf8_length(const uint8_t *p, const uint8_t *e) {
    uint8_t c = p[0], low = 0x80, high = 0xBF;
    int n;
    if (c < 0x80) return 1;
    if (c >= 0xC2 && c <= 0xDF) n = 2;
    else if (c >= 0xE0 && c <= 0xEF) n = 3, low = c == 0xE0 ? 0xA0 : 0x80, high = c == 0xED ? 0x9F : 0xBF;
    else if (c >= 0xF0 && c <= 0xF4) n = 4, low = c == 0xF0 ? 0x90 : 0x80, high = c == 0xF4 ? 0x8F : 0xBF;
    else return -1;
    for (int i = 1; i < n; i++, low = 0x80, high = 0xBF)
        if (p + i >= e || p[i] < low || p[i] > high) return -i;
    return n;
}

/* Append the text of a raw token (quotes included); a bare word or number stands for itself, null for nothing. */
static int decode_token(Bytes *out, const uint8_t *s, size_t n) {
    const uint8_t *p = s, *e = s + n;
    int quoted = n >= 2 && s[0] == '"' && s[n - 1] == '"';
    if (quoted) p++, e--;
    else if (n == 4 && !memcmp(s, "null", 4)) return 1;
    if (!bytes_reserve(out, (size_t)(e - p) * 3 + 4)) return 0;
    uint8_t *o = out->data + out->size;
    while (p < e) {
        if (quoted && *p == '\\' && p + 1 < e) {
            uint8_t c = p[1];
            uint32_t code, second;
            p += 2;
            switch (c) {
            case 'b': *o++ = '\b'; continue;
            case 'f': *o++ = '\f'; continue;
            case 'n': *o++ = '\n'; continue;
            case 'r': *o++ = '\r'; continue;
            case 't': *o++ = '\t'; continue;
            case '"': case '\\': case '/': *o++ = c; continue;
            case 'u':
                if (!hex4(p, e, &code)) break;
                p += 4;
                if (code >= 0xD800 && code < 0xDC00 && e - p >= 6 && p[0] == '\\' && p[1] == 'u' && hex4(p + 2, e, &second) && second >= 0xDC00 &&
                    second < 0xE000)
                    code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00), p += 6;
                o = put_utf8(o, code);
                continue;
            default: break;
            }
            *o++ = '\\'; /* no escape that JSON knows: shown as written */
            p--;
            continue;
        }
        if (*p < 0x80) {
            *o++ = *p++;
            continue;
        }
        int k = utf8_length(p, e);
        if (k > 0) memcpy(o, p, (size_t)k), o += k, p += k;
        else o = put_utf8(o, 0xFFFD), p += -k;
    }
    out->size = (size_t)(o - out->data);
    return 1;
}

#endif
