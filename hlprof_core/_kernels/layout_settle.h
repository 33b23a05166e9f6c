/* settle: slices row by row, as match and nest left them, into the finished columns, lane by lane.
 *
 *   row     a(0) b(1) c(1) d(0)      ->   lanes   a d | b c        (depth in brackets)
 *
 * The slice columns may lie in the place where the finished ones come to lie (start in start_ns, end in dur_ns, source in name,
 * ended in args_length, flags and parent in their own), if a row's place is the same in both: each column is rearranged by way of a copy.
 */

enum {
    S_OFFSETS, S_BASE, S_HEIGHT, S_SOURCE, S_ENDED, S_START, S_END, S_FLAGS, S_PARENT, S_DEPTH, /* of the slices */
    E_NAME, E_CAT, E_OFFSET, E_LENGTH,                                                          /* of the events */
    O_START, O_DUR, O_TRACK, O_DEPTH, O_PARENT, O_NAME, O_CAT, O_OFFSET, O_LENGTH, O_FLAGS,     /* finished */
    O_PLACE, O_KEPT, O_LANES, O_END_SLICE, O_END_EVENT, SETTLE_PARTS
};
static const struct { const char *name; int size, writable; } SETTLE_PART[SETTLE_PARTS] = {
    {"offsets", 8, 0},  {"base", 8, 0},     {"height", 4, 0},     {"source", 4, 0},       {"ended", 4, 0},     {"start", 8, 0},
    {"end", 8, 0},      {"flags", 1, 0},    {"parent", 4, 0},     {"depth", 4, 0},        {"event name", 4, 0}, {"event cat", 4, 0},
    {"event args_offset", 8, 0}, {"event args_length", 4, 0},     {"start_ns", 8, 1},     {"dur_ns", 8, 1},    {"track", 4, 1},
    {"depth out", 2, 1}, {"parent out", 4, 1}, {"name", 4, 1},    {"cat", 4, 1},          {"args_offset", 8, 1}, {"args_length", 4, 1},
    {"flags out", 1, 1}, {"place", 4, 1},   {"kept", 8, 1},       {"lanes", 8, 1},        {"end slice", 4, 1}, {"end event", 4, 1},
};

typedef struct {
    const int64_t *start, *end;
    const uint32_t *source, *ended;
    const uint8_t *flags;
    const int32_t *parent, *depth;
    const uint32_t *e_name, *e_cat, *e_length;
    const uint64_t *e_offset;
    int64_t *start_ns, *dur_ns;
    uint32_t *track, *name, *cat, *args_length, *place, *end_slice, *end_event;
    uint16_t *depth_out;
    int32_t *parent_out;
    uint64_t *args_offset;
    uint8_t *flags_out;
    int64_t *lanes, *next; /* slices of each lane of the row; place of the next one */
    void *copy;            /* 8 bytes for each slice of the widest row */
    int64_t ends, end_room, events, total;
} Settle;

/* Numbers of the slices a:a+n in the finished columns from `base` on. What is left out gets the number of the slice around it.
 * Returns how many are kept, -1 when a slice points outside of its row. */
static int64_t settle_places(Settle *s, int64_t a, int64_t n, int64_t base, int32_t height) {
    memset(s->lanes, 0, (size_t)height * sizeof *s->lanes);
    for (int64_t i = a; i < a + n; i++) {
        const int32_t depth = s->depth[i], parent = s->parent[i];
        if (depth >= height || parent >= i || (parent >= 0 && parent < a) || s->source[i] >= (uint64_t)s->events ||
            (s->ended[i] != NONE && s->ended[i] >= (uint64_t)s->events))
            return -1;
        if (depth >= 0) s->lanes[depth]++;
    }
    int64_t at = base;
    for (int32_t d = 0; d < height; d++) { s->next[d] = at; at += s->lanes[d]; }
    for (int64_t i = a; i < a + n; i++) {
        const int32_t depth = s->depth[i], parent = s->parent[i];
        s->place[i] = depth >= 0 ? (uint32_t)s->next[depth]++ : parent >= 0 ? s->place[parent] : NONE;
    }
    return at - base;
}

#define SETTLE_COLUMN(TYPE, OUT, VALUE)                                                     \
    do {                                                                                    \
        TYPE *copy = s->copy;                                                               \
        for (int64_t i = a; i < a + n; i++)                                                 \
            if (s->depth[i] >= 0) copy[s->place[i] - (uint64_t)base] = (VALUE);             \
        memcpy(s->OUT + base, copy, (size_t)kept * sizeof *copy);                           \
    } while (0)

static int64_t settle_dur(int64_t start, int64_t end) {
    int64_t dur;
    return __builtin_sub_overflow(end, start, &dur) ? INT64_MAX : dur; /* from before year 1678 to after 2262 */
}

/* One row; 0 when it was stopped, -1 when the end events find no room. */
static int settle_row(Settle *s, int64_t a, int64_t n, int64_t base, int64_t kept, int32_t height, uint32_t track, int64_t *watch) {
    SETTLE_COLUMN(int64_t, dur_ns, settle_dur(s->start[i], s->end[i]));
    SETTLE_COLUMN(int64_t, start_ns, s->start[i]);
    if (watch_stopped(watch)) return 0;
    SETTLE_COLUMN(uint8_t, flags_out, s->flags[i]);
    SETTLE_COLUMN(int32_t, parent_out, s->parent[i] < 0 ? -1 : (int32_t)s->place[s->parent[i]]);
    if (watch_stopped(watch)) return 0;
    uint32_t *source = s->copy, *ended = source + n;
    for (int64_t i = a; i < a + n; i++)
        if (s->depth[i] >= 0) {
            const uint64_t to = s->place[i] - (uint64_t)base;
            source[to] = s->source[i];
            ended[to] = s->ended[i];
        }
    for (int64_t j = 0; j < kept; j++) {
        if (j % WATCH_STEP == 0) {
            if (watch_stopped(watch)) return 0;
            watch_done(watch, kept - j < WATCH_STEP ? kept - j : WATCH_STEP);
        }
        const uint32_t event = source[j], end = ended[j];
        s->name[base + j] = s->e_name[event];
        s->cat[base + j] = s->e_cat[event];
        s->args_offset[base + j] = s->e_offset[event];
        s->args_length[base + j] = s->e_length[event];
        s->track[base + j] = track;
        if (end != NONE && s->e_length[end]) {
            if (s->ends >= s->end_room) return -1;
            s->end_slice[s->ends] = (uint32_t)(base + j);
            s->end_event[s->ends++] = end;
        }
    }
    int64_t at = base;
    for (int32_t d = 0; d < height; d++)
        for (int64_t left = s->lanes[d]; left; left--) s->depth_out[at++] = (uint16_t)d;
    return 1;
}

static PyObject *layout_settle(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *parts, *owatch = NULL;
    long long first_track;
    if (!PyArg_ParseTuple(args, "OL|O:settle", &parts, &first_track, &owatch)) return NULL;
    if (!PyTuple_Check(parts) || PyTuple_Size(parts) != SETTLE_PARTS)
        return PyErr_Format(PyExc_TypeError, "settle: a tuple of %d columns wanted", (int)SETTLE_PARTS);
    Py_buffer view[SETTLE_PARTS], vwatch;
    Wanted wanted[SETTLE_PARTS];
    for (int p = 0; p < SETTLE_PARTS; p++)
        wanted[p] = (Wanted){PyTuple_GetItem(parts, p), view + p, SETTLE_PART[p].size, SETTLE_PART[p].writable, -1, SETTLE_PART[p].name};
    int64_t *watch;
    if (take_views(wanted, SETTLE_PARTS) < 0) return NULL;
    if (watch_view(owatch, &vwatch, &watch) < 0) { release_views(wanted, SETTLE_PARTS); return NULL; }
    PyObject *result = NULL;
    const Py_ssize_t rows = wanted[S_OFFSETS].items - 1, count = wanted[S_SOURCE].items, total = wanted[O_START].items;
    const int64_t *offsets = view[S_OFFSETS].buf, *base = view[S_BASE].buf;
    const int32_t *height = view[S_HEIGHT].buf;
    Settle s = {.start = view[S_START].buf, .end = view[S_END].buf, .source = view[S_SOURCE].buf, .ended = view[S_ENDED].buf,
                .flags = view[S_FLAGS].buf, .parent = view[S_PARENT].buf, .depth = view[S_DEPTH].buf, .e_name = view[E_NAME].buf,
                .e_cat = view[E_CAT].buf, .e_length = view[E_LENGTH].buf, .e_offset = view[E_OFFSET].buf, .start_ns = view[O_START].buf,
                .dur_ns = view[O_DUR].buf, .track = view[O_TRACK].buf, .name = view[O_NAME].buf, .cat = view[O_CAT].buf,
                .args_length = view[O_LENGTH].buf, .place = view[O_PLACE].buf, .end_slice = view[O_END_SLICE].buf,
                .end_event = view[O_END_EVENT].buf, .depth_out = view[O_DEPTH].buf, .parent_out = view[O_PARENT].buf,
                .args_offset = view[O_OFFSET].buf, .flags_out = view[O_FLAGS].buf, .lanes = view[O_LANES].buf,
                .events = wanted[E_NAME].items, .total = total, .end_room = wanted[O_END_SLICE].items};
    int64_t *kept = view[O_KEPT].buf;
    int64_t widest = 0, lanes = 0;
    int32_t tallest = 0;
    const char *problem = rows < 0 ? "no offsets" : NULL;
    for (int p = S_SOURCE; p <= S_DEPTH; p++) if (wanted[p].items < count) problem = "slice columns differ in length";
    for (int p = E_NAME; p <= E_LENGTH; p++) if (wanted[p].items < s.events) problem = "event columns differ in length";
    for (int p = O_START; p <= O_FLAGS; p++) if (wanted[p].items < total) problem = "finished columns differ in length";
    if (wanted[O_PLACE].items < count || wanted[S_BASE].items < rows || wanted[S_HEIGHT].items < rows || wanted[O_KEPT].items < rows ||
        wanted[O_END_EVENT].items < s.end_room)
        problem = "a column is too short";
    if (total >= INT32_MAX || count >= INT32_MAX || s.events >= (int64_t)NONE) problem = "too many slices";
    if (first_track < 0 || first_track >= (long long)NONE - rows) problem = "track numbers out of range";
    if (problem) { PyErr_Format(PyExc_ValueError, "settle: %s", problem); goto done; }
    if (check_offsets(offsets, rows, count, "settle") < 0) goto done;
    for (Py_ssize_t r = 0; r < rows; r++) {
        const int64_t n = offsets[r + 1] - offsets[r];
        if (base[r] < 0 || base[r] > total - n || height[r] < 0 || height[r] > MAX_DEPTH + 1) { problem = "a row out of range"; break; }
        if (n > widest) widest = n;
        if (height[r] > tallest) tallest = height[r];
        lanes += height[r];
    }
    if (!problem && lanes > wanted[O_LANES].items) problem = "lanes are too short";
    if (problem) { PyErr_Format(PyExc_ValueError, "settle: %s", problem); goto done; }
    s.copy = malloc((size_t)widest * 8 + 1);
    s.next = malloc((size_t)tallest * sizeof *s.next + 1);
    if (!s.copy || !s.next) { PyErr_NoMemory(); goto done; }
    int state = 1;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; r < rows && state == 1; r++) {
        const int64_t a = offsets[r], n = offsets[r + 1] - a;
        kept[r] = settle_places(&s, a, n, base[r], height[r]);
        state = kept[r] < 0 ? -1 : settle_row(&s, a, n, base[r], kept[r], height[r], (uint32_t)(first_track + r), watch);
        s.lanes += height[r];
    }
    Py_END_ALLOW_THREADS
    if (state == 1) result = PyLong_FromLongLong(s.ends);
    else if (state == 0) watch_interrupted();
    else PyErr_SetString(PyExc_ValueError, "settle: a slice points outside of its row, its events or the room for ends");
done:
    free(s.copy); free(s.next);
    watch_release(&vwatch, watch);
    release_views(wanted, SETTLE_PARTS);
    return result;
}
