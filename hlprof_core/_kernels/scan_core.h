/* One pass over the bytes of a trace: find the end of strings and nested values, take an event apart, store it, go on after damage.
 *
 * Included once for each instruction set: NAME(x) gives the functions their suffix, TARGET their attribute, and with WIDE (a block
 * of 64 bytes as a bit mask per character) the long runs inside strings and arguments go by in blocks. No function reads at or
 * behind `e`, none recurses on the depth of the input.
 */

static inline TARGET int64_t NAME(blanks)(const uint8_t *b, int64_t p, int64_t e) {
    while (p < e && (b[p] == ' ' || b[p] == '\n' || b[p] == '\r' || b[p] == '\t')) p++;
    return p;
}

/* p at the opening quote; place behind the closing one, -1 when it is not here, -2 at a NUL byte (no text has one). */
static inline TARGET int64_t NAME(skip_string)(const uint8_t *b, int64_t p, int64_t e, int *escaped) {
    p++;
#ifdef LANE
    while (p + LANE <= e) {
        uint32_t stop = NAME(string_mask)(b + p);
        if (!stop) {
            p += LANE;
            continue;
        }
        p += __builtin_ctz(stop);
        if (b[p] == '"') return p + 1;
        if (b[p] == 0 || (p + 1 < e && b[p + 1] == 0 && b[p] == '\\')) return -2;
        *escaped = 1;
        p += 2;
    }
#endif
    while (p < e) {
        uint8_t c = b[p];
        if (c == '"') return p + 1;
        if (c == 0) return -2;
        if (c == '\\') {
            *escaped = 1;
            if (++p < e && b[p] == 0) return -2;
        }
        p++;
    }
    return -1;
}

/* p at { or [; place behind the matching close, -1 when it is not here, -2 at a NUL byte. Kinds of brackets are not told apart. */
static TARGET int64_t NAME(skip_nest)(const uint8_t *b, int64_t p, int64_t e) {
    int64_t depth = 0;
    int escaped = 0;
    int hide = 0; /* a backslash outside of a string is nonsense; what it hides is the same for blocks and for single bytes */
#ifdef LANE
    uint64_t in_string = 0, escape_next = 0; /* all ones or zero; one or zero */
    while (p + 64 <= e) {
        uint64_t quote, slash, open, close, nul;
        NAME(block_masks)(b + p, &quote, &slash, &open, &close, &nul);
        if (nul) { /* only what stands before the NUL may still close it */
            uint64_t before = (nul & -nul) - 1;
            quote &= before, slash &= before, open &= before, close &= before;
        }
        if (slash | escape_next) {
            uint64_t hidden = escape_next;
            slash &= ~escape_next;
            escape_next = 0;
            while (slash) {
                int i = __builtin_ctzll(slash);
                if (i == 63) {
                    escape_next = 1;
                    break;
                }
                hidden |= 2ull << i;
                slash &= ~(3ull << i);
            }
            quote &= ~hidden, open &= ~hidden, close &= ~hidden;
        }
        uint64_t inside = quote;
        inside ^= inside << 1, inside ^= inside << 2, inside ^= inside << 4;
        inside ^= inside << 8, inside ^= inside << 16, inside ^= inside << 32;
        inside ^= in_string;
        in_string = (uint64_t)((int64_t)inside >> 63);
        open &= ~inside, close &= ~inside;
        int closes = __builtin_popcountll(close);
        if (closes < depth) depth += __builtin_popcountll(open) - closes;
        else
            for (uint64_t m = open | close; m; m &= m - 1) {
                int i = __builtin_ctzll(m);
                if (open >> i & 1) depth++;
                else if (--depth <= 0) return p + i + 1;
            }
        if (nul) return -2;
        p += 64;
    }
    if (in_string) { /* the rest of a string that began in the last block */
        if (escape_next && p < e && b[p++] == 0) return -2;
        p = NAME(skip_string)(b, p - 1, e, &escaped);
        if (p < 0) return p;
    } else hide = escape_next != 0;
#endif
    for (; p < e; hide = 0) {
        uint8_t c = b[p];
        if (c == 0) return -2;
        if (hide) {
            p++;
            continue;
        }
        if (c == '"') {
            p = NAME(skip_string)(b, p, e, &escaped);
            if (p < 0) return p;
            continue;
        }
        p++;
        if (c == '{' || c == '[') depth++;
        else if (c == '}' || c == ']') {
            if (--depth <= 0) return p;
        } else if (c == '\\') {
            if (p < e && b[p] == 0) return -2;
            p++;
        }
    }
    return -1;
}

/* Place behind the value at p; -1 when its end is not here, -2 when it is no value. */
static inline TARGET int64_t NAME(skip_value)(const uint8_t *b, int64_t p, int64_t e, int *escaped) {
    uint8_t c = b[p];
    if (c == '"') return NAME(skip_string)(b, p, e, escaped);
    if (c == '{' || c == '[') return NAME(skip_nest)(b, p, e);
    int64_t start = p;
    while (p < e && (is_digit(b[p]) || b[p] == '.' || b[p] == '-' || b[p] == '+' || b[p] == '_' || (uint8_t)((b[p] | 0x20) - 'a') < 26)) p++;
    if (p == e) return -1;
    return p > start ? p : -2;
}

/* Next `"key": value` of the object text b[*p:e]; 0 at its end or at nonsense. Places are of key (without quotes) and value. */
static TARGET int NAME(next_member)(const uint8_t *b, int64_t *p, int64_t e, Span *key, Span *value) {
    int escaped = 0;
    int64_t q = NAME(blanks)(b, *p, e);
    while (q < e && b[q] == ',') q = NAME(blanks)(b, q + 1, e);
    if (q >= e || b[q] != '"') return 0;
    int64_t end = NAME(skip_string)(b, q, e, &escaped);
    if (end < 0) return 0;
    *key = (Span){(uint32_t)(q + 1), (uint32_t)(end - q - 2)};
    q = NAME(blanks)(b, end, e);
    if (q >= e || b[q] != ':') return 0;
    q = NAME(blanks)(b, q + 1, e);
    if (q >= e) return 0;
    end = NAME(skip_value)(b, q, e, &escaped);
    if (end < 0) return 0;
    *value = (Span){(uint32_t)q, (uint32_t)(end - q)};
    *p = end;
    return 1;
}

/* Take the event at b[p] (a brace) apart. Ok: *end is behind it; more: its end is not here; bad: *end is where it stops making sense. */
static TARGET int NAME(parse_event)(const uint8_t *b, int64_t p, int64_t e, Event *ev, int64_t *end) {
    const int64_t origin = p;
    if (e - p > MAX_EVENT) e = p + MAX_EVENT;
    memset(ev, 0, sizeof *ev);
    ev->ts = ev->dur = NO_TIME;
    p++;
    for (int members = 0;; members++) {
        p = NAME(blanks)(b, p, e);
        while (p < e && b[p] == ',') p = NAME(blanks)(b, p + 1, e);
        if (p >= e) return PARSE_MORE;
        if (b[p] == '}') {
            ev->empty = members == 0;
            *end = p + 1;
            return PARSE_OK;
        }
        *end = p;
        if (b[p] != '"') return PARSE_BAD;
        int escaped = 0;
        int64_t key = p + 1;
        p = NAME(skip_string)(b, p, e, &escaped);
        if (p < 0) return p == -1 ? PARSE_MORE : PARSE_BAD;
        int64_t length = p - 1 - key;
        p = NAME(blanks)(b, p, e);
        if (p >= e) return PARSE_MORE;
        *end = p;
        if (b[p] != ':') return PARSE_BAD;
        p = NAME(blanks)(b, p + 1, e);
        if (p >= e) return PARSE_MORE;
        const uint8_t *k = b + key;
        Span *where = NULL;
        int64_t *time = NULL;
        uint8_t plain[16];
        if (escaped && length <= 64) length = unescape_key(k, length, plain), k = plain;
        switch (length) {
        case 1:
            if (k[0] == 's') where = &ev->s;
            break;
        case 2:
            if (k[0] == 't' && k[1] == 's') time = &ev->ts;
            else if (k[0] == 'p' && k[1] == 'h') where = &ev->ph;
            else if (k[0] == 'i' && k[1] == 'd') where = &ev->id;
            else if (k[0] == 'b' && k[1] == 'p') where = &ev->bp;
            else if (k[0] == 's' && k[1] == 'f') where = &ev->stack;
            break;
        case 3:
            if (!memcmp(k, "dur", 3)) time = &ev->dur;
            else if (!memcmp(k, "pid", 3)) where = &ev->pid;
            else if (!memcmp(k, "tid", 3)) where = &ev->tid;
            else if (!memcmp(k, "cat", 3)) where = &ev->cat;
            else if (!memcmp(k, "id2", 3)) where = &ev->id2;
            else if (!memcmp(k, "esf", 3)) where = &ev->end_stack;
            break;
        case 4:
            if (!memcmp(k, "name", 4)) where = &ev->name;
            else if (!memcmp(k, "args", 4)) where = &ev->args;
            break;
        case 5:
            if (!memcmp(k, "scope", 5)) where = &ev->scope;
            else if (!memcmp(k, "stack", 5)) where = &ev->stack;
            break;
        case 6:
            if (!memcmp(k, "estack", 6)) where = &ev->end_stack;
            break;
        case 7:
            if (!memcmp(k, "bind_id", 7)) where = &ev->bind_id;
            else if (!memcmp(k, "flow_in", 7)) where = &ev->flow_in;
            break;
        case 8:
            if (!memcmp(k, "flow_out", 8)) where = &ev->flow_out;
            break;
        default: break;
        }
        int64_t value = p;
        if (time) {
            ev->bad_dur &= time != &ev->dur;
            const uint8_t *behind = time_ns_plain(b + p, b + e, time);
            if (behind) {
                p = behind - b;
                goto separator;
            }
        }
        p = NAME(skip_value)(b, p, e, &escaped);
        if (p < 0) {
            *end = value;
            return p == -1 ? PARSE_MORE : PARSE_BAD;
        }
        if (where) *where = (Span){(uint32_t)(value - origin), (uint32_t)(p - value)};
        else if (time) {
            *time = time_ns(b + value, p - value);
            if (time == &ev->dur) ev->bad_dur = *time == NO_TIME;
        } else ev->other_members = 1;
    separator:
        p = NAME(blanks)(b, p, e);
        if (p >= e) return PARSE_MORE;
        *end = p;
        if (b[p] != ',' && b[p] != '}') return PARSE_BAD;
    }
}

/* Text of the member `wanted` of an object text at `object`, or an empty span. The last one wins. */
static TARGET Span NAME(member)(const uint8_t *b, Span object, const char *wanted) {
    Span key, value, found = {0, 0};
    int64_t p = object.at + 1, e = (int64_t)object.at + object.length;
    size_t length = strlen(wanted);
    if (object.length < 2 || b[object.at] != '{') return found;
    while (NAME(next_member)(b, &p, e, &key, &value))
        if (key.length == length && !memcmp(b + key.at, wanted, length)) found = value;
    return found;
}

/* One token for all that must match: the id, and where the file says so its scope, global, or local with the process. */
static TARGET uint32_t NAME(intern_id)(Scanner *s, const uint8_t *b, const Event *ev) {
    Span local = {0, 0}, global = {0, 0};
    if (ev->id2.length) local = NAME(member)(b, ev->id2, "local"), global = NAME(member)(b, ev->id2, "global");
    if (!ev->id2.length && !ev->scope.length) return intern(&s->tokens, b + ev->id.at, ev->id.length);
    Span id = local.length ? local : global.length ? global : ev->id;
    if (!id.length) return 0;
    Bytes *t = &s->scratch;
    t->size = 0;
    int ok = bytes_append(t, "\"", 1) && append_inner(t, b + id.at, id.length);
    if (ok && ev->scope.length) ok = bytes_append(t, "@", 1) && append_inner(t, b + ev->scope.at, ev->scope.length);
    if (ok && local.length) ok = bytes_append(t, "@local:", 7) && (ev->pid.length ? append_inner(t, b + ev->pid.at, ev->pid.length) : bytes_append(t, "0", 1));
    else if (ok && global.length) ok = bytes_append(t, "@global", 7);
    ok = ok && bytes_append(t, "\"", 1);
    return ok ? intern(&s->tokens, t->data, (uint32_t)t->size) : UINT32_MAX;
}

/* Samples of a counter event: one for each numeric member of its arguments; a member written twice counts once, with its last value. */
static TARGET int NAME(emit_counter)(Scanner *s, const uint8_t *b, const Event *ev, int64_t place, uint32_t row, uint32_t name) {
    Span key, value;
    if (ev->args.length < 2 || b[ev->args.at] != '{') return 1;
    uint32_t id = NAME(intern_id)(s, b, ev);
    if (id == UINT32_MAX) return 0;
    int64_t p = ev->args.at + 1, e = (int64_t)ev->args.at + ev->args.length;
    size_t first = s->samples.count;
    while (NAME(next_member)(b, &p, e, &key, &value)) {
        double number = 0;
        int kind = counter_value(b + value.at, value.length, &number);
        /* the token of a series is its key with the quotes, so that it decodes like any string */
        uint32_t series = intern(&s->tokens, b + key.at - 1, key.length + 2);
        if (series == UINT32_MAX) return 0;
        size_t at = s->samples.count, back = at - first > 64 ? at - 64 : first;
        for (size_t i = at; i-- > back;)
            if (((uint32_t *)s->samples.column[SAMPLE_SERIES])[i] == series) at = i;
        if (kind != VALUE_NUMBER) {
            count_at(&s->counts[kind == VALUE_GAP ? COUNT_GAP : COUNT_TEXT_COUNTER], place);
            continue;
        }
        if (!table_room(&s->samples)) return 0;
        ((int64_t *)s->samples.column[SAMPLE_TIME])[at] = ev->ts;
        ((uint32_t *)s->samples.column[SAMPLE_ROW])[at] = row;
        ((uint32_t *)s->samples.column[SAMPLE_NAME])[at] = name;
        ((uint32_t *)s->samples.column[SAMPLE_SERIES])[at] = series;
        ((uint32_t *)s->samples.column[SAMPLE_ID])[at] = id;
        ((double *)s->samples.column[SAMPLE_VALUE])[at] = number;
        s->samples.count += at == s->samples.count;
    }
    return 1;
}

static inline TARGET int NAME(push_event)(Scanner *s, uint8_t phase, int64_t ts, int64_t dur, uint32_t row, uint32_t name, uint32_t cat, uint32_t id,
                                          uint64_t args, uint32_t args_length, uint8_t flags) {
    Table *t = &s->events;
    if (name == UINT32_MAX || cat == UINT32_MAX || id == UINT32_MAX || row == UINT32_MAX || !table_room(t)) return 0;
    size_t i = t->count++;
    ((uint8_t *)t->column[EVENT_PHASE])[i] = phase;
    ((int64_t *)t->column[EVENT_TS])[i] = ts;
    ((int64_t *)t->column[EVENT_DUR])[i] = dur;
    ((uint32_t *)t->column[EVENT_ROW])[i] = row;
    ((uint32_t *)t->column[EVENT_NAME])[i] = name;
    ((uint32_t *)t->column[EVENT_CAT])[i] = cat;
    ((uint32_t *)t->column[EVENT_ID])[i] = id;
    ((uint64_t *)t->column[EVENT_ARGS])[i] = args;
    ((uint32_t *)t->column[EVENT_ARGS_LENGTH])[i] = args_length;
    ((uint8_t *)t->column[EVENT_FLAGS])[i] = flags;
    return 1;
}

/* Store a parsed event whose text is b[0:length], `place` its offset in the file; 0 when memory ran out. */
static TARGET int NAME(emit)(Scanner *s, const uint8_t *b, int64_t length, const Event *ev, int64_t place) {
    if (!ev->ph.length) {
        count_at(&s->counts[ev->empty ? COUNT_EMPTY : COUNT_NO_PHASE], place);
        return 1;
    }
    uint8_t phase = ev->ph.length >= 3 && b[ev->ph.at] == '"' ? b[ev->ph.at + 1] : 0;
    s->phases[phase]++;
    if (ev->other_members) count_at(&s->counts[COUNT_OTHER_MEMBERS], place);
    int kind = phase_kinds[phase];
    if (kind == PHASE_META) {
        size_t start = s->meta.size + (s->meta.size > 0);
        return (!s->meta.size || bytes_append(&s->meta, ",", 1)) && bytes_append(&s->meta, b, (size_t)length) &&
               bytes_append(&s->meta_starts, &start, sizeof start);
    }
    if (kind == PHASE_ASIDE) {
        int64_t where[4] = {place, length, place + ev->args.at, ev->args.length};
        return bytes_append(&s->aside, where, sizeof where);
    }
    if (kind == PHASE_UNKNOWN) {
        count_at(&s->counts[COUNT_UNKNOWN_PHASE], place);
        return 1;
    }
    if (ev->ts == NO_TIME) {
        count_at(&s->counts[COUNT_BAD_TS], place);
        return 1;
    }
    if (ev->bad_dur) count_at(&s->counts[COUNT_BAD_DUR], place);
    uint32_t pid = intern_near(&s->tokens, b + ev->pid.at, ev->pid.length, &s->near_pid);
    uint32_t tid = intern_near(&s->tokens, b + ev->tid.at, ev->tid.length, &s->near_tid);
    if (pid == UINT32_MAX || tid == UINT32_MAX) return 0;
    uint32_t row = row_of(&s->rows, pid, tid);
    uint32_t name = intern(&s->tokens, b + ev->name.at, ev->name.length);
    if (row == UINT32_MAX || name == UINT32_MAX) return 0;
    if (kind == PHASE_COUNTER) return NAME(emit_counter)(s, b, ev, place, row, name);
    uint8_t flags = 0;
    if (kind == PHASE_FLOW) flags = ev->bp.length == 3 && b[ev->bp.at + 1] == 'e' ? FLAG_ENCLOSING : 0;
    else if (kind == PHASE_INSTANT && ev->s.length == 3)
        flags = b[ev->s.at + 1] == 'g' ? FLAG_SCOPE_GLOBAL : b[ev->s.at + 1] == 'p' ? FLAG_SCOPE_PROCESS : 0;
    else if (kind == PHASE_MARK) { /* memory dumps and clock marks: moments of a process, or of all of them */
        const char *usual = phase == 'c' ? "\"clock sync\"" : "\"memory dump\"";
        flags = phase == 'v' ? FLAG_SCOPE_PROCESS : FLAG_SCOPE_GLOBAL;
        if (ev->name.length <= 2) name = intern(&s->tokens, (const uint8_t *)usual, (uint32_t)strlen(usual));
        phase = 'i';
    } else if (kind == PHASE_CONTEXT) phase = phase == '(' ? 'b' : 'e';
    uint32_t cat = intern_near(&s->tokens, b + ev->cat.at, ev->cat.length, &s->near_cat);
    uint32_t id = ev->id.length | ev->id2.length ? NAME(intern_id)(s, b, ev) : 0;
    if (!NAME(push_event)(s, phase, ev->ts, ev->dur, row, name, cat, id, ev->args.length ? (uint64_t)(place + ev->args.at) : 0, ev->args.length, flags))
        return 0;
    if (ev->stack.length | ev->end_stack.length && !keep_stacks(s, b, ev)) return 0;
    if (ev->bind_id.length && kind == PHASE_SLICE) { /* newer flows are said by the slices themselves */
        int in = is_true(b, ev->flow_in), out = is_true(b, ev->flow_out);
        uint32_t bind = intern(&s->tokens, b + ev->bind_id.at, ev->bind_id.length);
        if ((in || out) && !NAME(push_event)(s, in && out ? 't' : in ? 'f' : 's', ev->ts, NO_TIME, row, name, 0, bind, 0, 0, FLAG_ENCLOSING)) return 0;
    }
    return 1;
}

/* The next place at or after *p that reads as an event with a phase; 1 found, 0 more bytes wanted from *p on, -1 none up to the end. */
static TARGET int NAME(find_event)(const uint8_t *b, int64_t *p, int64_t e, int final, int64_t *spent) {
    const int64_t start = *p;
    int64_t q = start;
    Event ev;
    while (q < e) {
        const uint8_t *brace = memchr(b + q, '{', (size_t)(e - q));
        if (!brace) break;
        q = brace - b;
        int64_t k = NAME(blanks)(b, q + 1, e), end = k;
        if (k >= e) {
            if (final) break;
            *p = q;
            return 0;
        }
        if (b[k] != '"') {
            q = k;
            continue;
        }
        int64_t limit = e - q > MAX_CANDIDATE ? q + MAX_CANDIDATE : e;
        int result = NAME(parse_event)(b, q, limit, &ev, &end);
        if (result == PARSE_OK && ev.ph.length && (ev.ts != NO_TIME || ev.name.length)) {
            *p = q;
            return 1;
        }
        if (result == PARSE_MORE) {
            if (limit == e && !final) {
                *p = q;
                return 0;
            }
            end = limit;
        }
        /* each failed try costs what it read: over the budget go on behind it instead of inside, so that the whole stays linear */
        *spent += end - q;
        q = *spent > 16 * (q - start) + (1 << 20) ? end : q + 1;
    }
    *p = e;
    return final ? -1 : 0;
}

/* Read events of b[0:n], which stands at `base` in the file, until one begins at or after `stop`. *used: offset of what is left. */
static TARGET int NAME(scan)(Scanner *s, const uint8_t *b, int64_t n, int64_t base, int64_t stop, int final, int64_t *used) {
    int64_t p = 0;
    Event ev;
    for (;;) {
        if (s->resync) {
            int found = NAME(find_event)(b, &p, n, final, &s->resync_spent);
            *used = base + p;
            if (found == 0) return SCAN_MORE;
            s->cut &= found < 0; /* events follow, so it was not the end that was missing */
            if (!record_damage(s, base + p)) return SCAN_NO_MEMORY;
            if (found < 0) return SCAN_END;
        }
        p = NAME(blanks)(b, p, n);
        while (p < n && b[p] == ',') p = NAME(blanks)(b, p + 1, n);
        *used = base + p;
        if (p >= n) return final ? SCAN_END : SCAN_MORE;
        if (b[p] == ']') {
            *used = base + p + 1;
            return SCAN_CLOSED;
        }
        if (base + p >= stop) return SCAN_STOP;
        int64_t end = p;
        int result;
        if (b[p] == '{') result = NAME(parse_event)(b, p, n, &ev, &end);
        else {
            int escaped = 0;
            int64_t behind = NAME(skip_value)(b, p, n, &escaped);
            if (b[p] == '"' && behind >= 0) {
                const int64_t next = NAME(blanks)(b, behind, n);
                if (next >= n && !final && n - p < STRICT_FROM) return SCAN_MORE;
                if (next < n && b[next] != ',' && b[next] != ']') behind = -2; /* no string, but what stands between two of them */
            }
            if (behind >= 0) {
                count_at(&s->counts[COUNT_NOT_AN_EVENT], base + p);
                p = behind;
                continue;
            }
            result = behind == -1 ? PARSE_MORE : PARSE_BAD;
        }
        if (result == PARSE_OK && end - p > SUSPECT_FROM && s->suspected < MAX_SUSPECTED && has_two_phases(b + p, end - p) &&
            first_fault(b + p, end - p) >= 0) { /* quotes lost in two places: what lies between them is more than this event */
            s->suspected += end - p;
            result = PARSE_BAD;
        }
        if (result == PARSE_OK) {
            if (!NAME(emit)(s, b + p, end - p, &ev, base + p)) return SCAN_NO_MEMORY;
            p = end;
            continue;
        }
        if (result == PARSE_MORE && !final && n - p < MAX_EVENT && (n - p < STRICT_FROM || first_fault(b + p, n - p) < 0)) return SCAN_MORE;
        s->resync = 1, s->resync_spent = 0;
        s->cut = result == PARSE_MORE && final;
        s->damage_start = base + p;
        p++;
    }
}
