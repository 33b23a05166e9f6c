/* layout: from events in file order to slices with parents and depths. More than 500 lines because the passes share their small tools, and
 * nothing else needs them.
 *
 *   survey  (layout_survey.h) what each event is, and how many are on which row
 *   group   stable counting sort by row, each row then in time order
 *   match   begin meets end; the slices of a row come out by (start, longer first, file order)
 *   nest    parent and depth of each slice; what overlaps without nesting goes to rows of its own
 *   pack    first free slot for whole trees (asynchronous work)
 *   bind    which slice a flow mark belongs to
 *   settle  (layout_settle.h) slices of rows into the lanes of the finished columns
 */
#include "kernel.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define NO_TIME INT64_MIN
#define NONE UINT32_MAX
#define UNFINISHED 1
#define BEGIN_END 2
#define MAX_DEPTH 65535
#define FIRST_PLACES 5

/* How many crowded groups are tried for a slice, and how far a stack is walked for its parent, before the cheap answer is taken. */
#define MAX_TRIES 32
#define MAX_WALK 256

/* ---- buffers ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
    PyObject *object;
    Py_buffer *view;
    Py_ssize_t itemsize;
    int writable;
    Py_ssize_t items; /* wanted at least, or -1 for any; filled with the real number */
    const char *name;
} Wanted;

/* Take all views or none. */
static int take_views(Wanted *wanted, int count) {
    for (int i = 0; i < count; i++) {
        Py_ssize_t got = kernel_view(wanted[i].object, wanted[i].view, wanted[i].itemsize, wanted[i].writable, wanted[i].name);
        if (got >= 0 && wanted[i].items >= 0 && got < wanted[i].items) {
            PyErr_Format(PyExc_ValueError, "%s: %zd items wanted, got %zd", wanted[i].name, wanted[i].items, got);
            PyBuffer_Release(wanted[i].view);
            got = -1;
        }
        if (got < 0) {
            while (i-- > 0) PyBuffer_Release(wanted[i].view);
            return -1;
        }
        wanted[i].items = got;
    }
    return 0;
}

static void release_views(Wanted *wanted, int count) {
    for (int i = 0; i < count; i++) PyBuffer_Release(wanted[i].view);
}

/* Offsets must start at 0, never fall, and end within `limit`. */
static int check_offsets(const int64_t *offsets, Py_ssize_t rows, int64_t limit, const char *name) {
    int64_t last = 0;
    for (Py_ssize_t r = 0; r <= rows; r++) {
        if (offsets[r] < last || offsets[r] > limit || (r == 0 && offsets[0] != 0)) {
            PyErr_Format(PyExc_ValueError, "%s: no row offsets at row %zd", name, r);
            return -1;
        }
        last = offsets[r];
    }
    return 0;
}

static inline int64_t saturated_add(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Stable sort of `index` by key[index], using `scratch` of the same length. Gives up half way when it is stopped. */
static void sort_by_key(uint32_t *index, int64_t count, const int64_t *key, uint32_t *scratch, const int64_t *watch) {
    enum { RUN = 24 };
    for (int64_t lo = 0, step = 0; lo < count; lo += RUN) {
        if (++step % (WATCH_STEP / RUN) == 0 && watch_stopped(watch)) return;
        int64_t hi = lo + RUN < count ? lo + RUN : count;
        for (int64_t i = lo + 1; i < hi; i++) {
            uint32_t moved = index[i];
            int64_t k = key[moved], j = i;
            for (; j > lo && key[index[j - 1]] > k; j--) index[j] = index[j - 1];
            index[j] = moved;
        }
    }
    for (int64_t width = RUN; width < count; width *= 2) {
        for (int64_t lo = 0; lo + width < count; lo += 2 * width) {
            int64_t mid = lo + width, hi = mid + width < count ? mid + width : count;
            if (key[index[mid - 1]] <= key[index[mid]]) continue;
            memcpy(scratch, index + lo, (size_t)(mid - lo) * sizeof *index);
            int64_t a = 0, na = mid - lo, b = mid, to = lo;
            while (a < na && b < hi) {
                index[to++] = key[scratch[a]] <= key[index[b]] ? scratch[a++] : index[b++];
                if (to % WATCH_STEP == 0 && watch_stopped(watch)) return;
            }
            while (a < na) index[to++] = scratch[a++];
        }
    }
}

/* ---- group -------------------------------------------------------------------------------------------------------------------- */

static PyObject *layout_group(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *orow, *ots, *omask, *oorder, *ooffsets, *owatch = NULL;
    long long rows;
    if (!PyArg_ParseTuple(args, "OOOLOO|O:group", &orow, &ots, &omask, &rows, &oorder, &ooffsets, &owatch)) return NULL;
    if (rows < 0 || rows >= (long long)NONE) return PyErr_Format(PyExc_ValueError, "group: %lld rows", rows);
    Py_buffer vrow, vts, vmask, vorder, voffsets;
    Wanted wanted[] = {{orow, &vrow, 4, 0, -1, "row"}, {oorder, &vorder, 4, 1, -1, "order"}, {ooffsets, &voffsets, 8, 1, rows + 1, "offsets"},
                       {NULL, &vts, 8, 0, -1, "ts"}, {NULL, &vmask, 1, 0, -1, "mask"}};
    int views = 3;
    const int timed = ots != Py_None, masked = omask != Py_None;
    if (take_views(wanted, 3) < 0) return NULL;
    const Py_ssize_t count = wanted[0].items, room = wanted[1].items;
    if (timed) {
        wanted[views] = (Wanted){ots, &vts, 8, 0, count, "ts"};
        if (take_views(wanted + views, 1) < 0) { release_views(wanted, views); return NULL; }
        views++;
    }
    if (masked) {
        wanted[views] = (Wanted){omask, &vmask, 1, 0, count, "mask"};
        if (take_views(wanted + views, 1) < 0) { release_views(wanted, views); return NULL; }
        views++;
    }
    Py_buffer vwatch;
    int64_t *watch;
    if (watch_view(owatch, &vwatch, &watch) < 0) { release_views(wanted, views); return NULL; }
    const uint32_t *row = vrow.buf;
    const int64_t *ts = timed ? vts.buf : NULL;
    const uint8_t *mask = masked ? vmask.buf : NULL;
    uint32_t *order = vorder.buf;
    int64_t *offsets = voffsets.buf;
    int64_t *next = malloc((size_t)(rows + 1) * sizeof *next);
    int64_t *last = timed ? malloc((size_t)(rows + 1) * sizeof *last) : NULL;
    uint8_t *mixed = calloc((size_t)rows + 1, 1);
    uint32_t *scratch = NULL;
    const char *problem = NULL;
    int64_t sorted_rows = 0;
    int stopped = 0;
    int out_of_memory = !next || !mixed || (timed && !last);
    if (!out_of_memory && count >= (Py_ssize_t)NONE) problem = "too many events";
    if (!out_of_memory && !problem) {
        Py_BEGIN_ALLOW_THREADS
        memset(offsets, 0, (size_t)(rows + 1) * sizeof *offsets);
        for (Py_ssize_t i = 0; i < count; i++) {
            if (i % WATCH_STEP == 0 && (stopped = watch_stopped(watch))) break;
            if (mask && !mask[i]) continue;
            if (row[i] >= (uint64_t)rows) { problem = "a row beyond the number of rows"; break; }
            offsets[row[i] + 1]++;
        }
        if (!problem && !stopped) {
            for (long long r = 0; r < rows; r++) offsets[r + 1] += offsets[r];
            if (offsets[rows] > room) problem = "order is too short";
        }
        if (!problem && !stopped) {
            memcpy(next, offsets, (size_t)(rows + 1) * sizeof *next);
            if (last) for (long long r = 0; r < rows; r++) last[r] = INT64_MIN;
            for (Py_ssize_t i = 0; i < count; i++) {
                if (i % WATCH_STEP == 0) {
                    if ((stopped = watch_stopped(watch))) break;
                    watch_done(watch, count - i < WATCH_STEP ? count - i : WATCH_STEP);
                }
                if (mask && !mask[i]) continue;
                uint32_t r = row[i];
                if (ts) {
                    if (ts[i] < last[r]) mixed[r] = 1;
                    last[r] = ts[i];
                }
                order[next[r]++] = (uint32_t)i;
            }
            int64_t widest = 0;
            for (long long r = 0; r < rows && !stopped; r++)
                if (mixed[r] && offsets[r + 1] - offsets[r] > widest) widest = offsets[r + 1] - offsets[r];
            if (widest) {
                scratch = malloc((size_t)widest * sizeof *scratch);
                if (!scratch) out_of_memory = 1;
                else
                    for (long long r = 0; r < rows && !(stopped = watch_stopped(watch)); r++)
                        if (mixed[r]) {
                            sort_by_key(order + offsets[r], offsets[r + 1] - offsets[r], ts, scratch, watch);
                            sorted_rows++;
                        }
            }
        }
        Py_END_ALLOW_THREADS
    }
    free(next); free(last); free(mixed); free(scratch);
    watch_release(&vwatch, watch);
    release_views(wanted, views);
    if (out_of_memory) return PyErr_NoMemory();
    if (problem) return PyErr_Format(PyExc_ValueError, "group: %s", problem);
    if (stopped) return watch_interrupted();
    return PyLong_FromLongLong(sorted_rows);
}

/* ---- match -------------------------------------------------------------------------------------------------------------------- */

typedef struct {
    /* columns of slices, in row order */
    uint32_t *source, *ended;
    int64_t *start, *end;
    uint8_t *flags;
    int64_t count, room;
    /* events */
    const int64_t *ts, *dur;
    const uint8_t *phase;
    const uint32_t *name;
    /* open begins of the row: slice numbers; how many of them have a name */
    uint32_t *open;
    int64_t height;
    uint32_t *open_names;
    /* the same for begins of one instant, see match_instant */
    uint32_t *fresh, *fresh_names;
    uint8_t *done;
    /* what there is to tell */
    int64_t strays, closed_by_outer, unfinished, negative;
    int64_t first[4][FIRST_PLACES];
} Match;

enum { STRAY, BY_OUTER, OPEN_END, NEGATIVE };

static inline void note(Match *m, int kind, int64_t *counter, int64_t event) {
    if (*counter < FIRST_PLACES) m->first[kind][*counter] = event;
    (*counter)++;
}

static void close_slice(Match *m, uint32_t event) {
    const uint32_t wanted = m->name[event];
    if (!m->height || (wanted && !m->open_names[wanted])) { note(m, STRAY, &m->strays, event); return; }
    for (;;) {
        const uint32_t slice = m->open[--m->height], named = m->name[m->source[slice]];
        m->open_names[named]--;
        m->end[slice] = m->ts[event];
        if (!wanted || named == wanted) { m->ended[slice] = event; return; }
        note(m, BY_OUTER, &m->closed_by_outer, m->source[slice]);
    }
}

static void open_slice(Match *m, uint32_t event) {
    const int64_t slice = m->count++;
    const int64_t start = m->ts[event];
    m->source[slice] = event;
    m->start[slice] = start;
    m->ended[slice] = NONE;
    if (m->phase[event] == 'B') {
        m->flags[slice] = BEGIN_END;
        m->end[slice] = NO_TIME;
        m->open[m->height++] = (uint32_t)slice;
        m->open_names[m->name[event]]++;
        return;
    }
    const int64_t dur = m->dur[event];
    m->flags[slice] = 0;
    if (dur == NO_TIME) {
        m->flags[slice] = UNFINISHED;
        m->end[slice] = NO_TIME; /* nest gives it the end of its parent */
        note(m, OPEN_END, &m->unfinished, event);
    } else if (dur < 0) {
        m->end[slice] = start;
        note(m, NEGATIVE, &m->negative, event);
    } else {
        m->end[slice] = saturated_add(start, dur);
    }
}

/* Events of one row at one instant where an E follows a B. An E that can only mean a slice begun earlier goes first, whatever the
 * order in the file: the end of one slice and the start of its neighbour are often written the wrong way round. An E that fits a B
 * of this very instant keeps its place (a slice without duration). */
static void match_instant(Match *m, const uint32_t *events, int64_t count) {
    int64_t fresh = 0;
    memset(m->done, 0, (size_t)count);
    for (int64_t k = 0; k < count; k++) {
        const uint32_t event = events[k], name = m->name[event];
        if (m->phase[event] == 'B') {
            m->fresh[fresh++] = name;
            m->fresh_names[name]++;
        } else if (m->phase[event] == 'E') {
            if (name ? m->fresh_names[name] > 0 : fresh > 0) {
                uint32_t top;
                do {
                    top = m->fresh[--fresh];
                    m->fresh_names[top]--;
                } while (name && top != name);
            } else if (name ? m->open_names[name] > 0 : m->height > 0) {
                close_slice(m, event);
                m->done[k] = 1;
            }
        }
    }
    while (fresh) m->fresh_names[m->fresh[--fresh]]--;
    for (int64_t k = 0; k < count; k++) {
        if (m->phase[events[k]] != 'E') open_slice(m, events[k]);
        else if (!m->done[k]) close_slice(m, events[k]);
    }
}

/* Put slices that start together into the order longest first; those without an end go last, inside the others. */
static void arrange_starts(Match *m, int64_t from, uint32_t *index, uint32_t *scratch, int64_t *key, int64_t *copy, const int64_t *watch) {
    for (int64_t lo = from; lo < m->count;) {
        int64_t hi = lo + 1;
        int in_order = 1;
        while (hi < m->count && m->start[hi] == m->start[lo]) {
            if (m->end[hi] > m->end[hi - 1]) in_order = 0;
            hi++;
        }
        if (!in_order) {
            const int64_t n = hi - lo;
            for (int64_t i = 0; i < n; i++) { index[i] = (uint32_t)i; key[i] = ~m->end[lo + i]; }
            sort_by_key(index, n, key, scratch, watch);
            for (int64_t i = 0; i < n; i++) copy[i] = m->end[lo + index[i]];
            memcpy(m->end + lo, copy, (size_t)n * sizeof *copy);
            uint32_t *small = (uint32_t *)copy;
            for (int64_t i = 0; i < n; i++) small[i] = m->source[lo + index[i]];
            memcpy(m->source + lo, small, (size_t)n * sizeof *small);
            for (int64_t i = 0; i < n; i++) small[i] = m->ended[lo + index[i]];
            memcpy(m->ended + lo, small, (size_t)n * sizeof *small);
            for (int64_t i = 0; i < n; i++) small[i] = m->flags[lo + index[i]];
            for (int64_t i = 0; i < n; i++) m->flags[lo + i] = (uint8_t)small[i];
        }
        lo = hi;
    }
}

static PyObject *places_of(const int64_t *first, int64_t count) {
    const int64_t shown = count < FIRST_PLACES ? count : FIRST_PLACES;
    PyObject *places = PyList_New((Py_ssize_t)shown);
    for (int64_t i = 0; places && i < shown; i++) PyList_SetItem(places, (Py_ssize_t)i, PyLong_FromLongLong(first[i]));
    return places ? Py_BuildValue("(LN)", (long long)count, places) : NULL;
}

static PyObject *layout_match(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *oorder, *ooffsets, *ophase, *ots, *odur, *oname, *osource, *ostart, *oend, *oended, *oflags, *oslices, *owatch = NULL;
    long long names, trace_end;
    if (!PyArg_ParseTuple(args, "OOOOOOLLOOOOOO|O:match", &oorder, &ooffsets, &ophase, &ots, &odur, &oname, &names, &trace_end, &osource, &ostart,
                          &oend, &oended, &oflags, &oslices, &owatch))
        return NULL;
    if (names < 1 || names > (long long)NONE) return PyErr_Format(PyExc_ValueError, "match: %lld names", names);
    Py_buffer vorder, voffsets, vphase, vts, vdur, vname, vsource, vstart, vend, vended, vflags, vslices;
    Wanted wanted[] = {{oorder, &vorder, 4, 0, -1, "order"},    {ooffsets, &voffsets, 8, 0, 1, "offsets"}, {ophase, &vphase, 1, 0, -1, "phase"},
                       {ots, &vts, 8, 0, -1, "ts"},             {odur, &vdur, 8, 0, -1, "dur"},            {oname, &vname, 4, 0, -1, "name"},
                       {osource, &vsource, 4, 1, -1, "source"}, {ostart, &vstart, 8, 1, -1, "start"},      {oend, &vend, 8, 1, -1, "end"},
                       {oended, &vended, 4, 1, -1, "ended"},    {oflags, &vflags, 1, 1, -1, "flags"},      {oslices, &vslices, 8, 1, -1, "slices"}};
    const int views = (int)(sizeof wanted / sizeof *wanted);
    if (take_views(wanted, views) < 0) return NULL;
    Py_buffer vwatch;
    int64_t *watch;
    if (watch_view(owatch, &vwatch, &watch) < 0) { release_views(wanted, views); return NULL; }
    int stopped = 0;
    const Py_ssize_t rows = wanted[1].items - 1, events = wanted[2].items;
    const int64_t room = wanted[6].items;
    const uint32_t *order = vorder.buf;
    const int64_t *offsets = voffsets.buf;
    int64_t *slice_offsets = vslices.buf;
    PyObject *result = NULL;
    Match m = {.source = vsource.buf, .ended = vended.buf, .start = vstart.buf, .end = vend.buf, .flags = vflags.buf, .room = room,
               .ts = vts.buf, .dur = vdur.buf, .phase = vphase.buf, .name = vname.buf};
    uint32_t *index = NULL, *scratch = NULL;
    int64_t *key = NULL, *copy = NULL;
    const char *problem = NULL;
    for (int i = 3; i < 6; i++) if (wanted[i].items < events) problem = "event columns differ in length";
    for (int i = 7; i < 11; i++) if (wanted[i].items < room) problem = "slice columns differ in length";
    if (wanted[11].items < rows + 1) problem = "slice offsets are too short";
    if (problem) { PyErr_Format(PyExc_ValueError, "match: %s", problem); goto done; }
    if (check_offsets(offsets, rows, wanted[0].items, "match") < 0) goto done;

    int64_t widest = 0, needed = 0;
    for (Py_ssize_t r = 0; r < rows; r++) if (offsets[r + 1] - offsets[r] > widest) widest = offsets[r + 1] - offsets[r];
    for (int64_t k = 0; k < offsets[rows]; k++) {
        if (order[k] >= (uint64_t)events || m.name[order[k]] >= (uint64_t)names) { problem = "an event or a name out of range"; break; }
        needed += m.phase[order[k]] != 'E';
    }
    if (!problem && needed > room) problem = "slice columns are too short";
    if (problem) { PyErr_Format(PyExc_ValueError, "match: %s", problem); goto done; }

    m.open = malloc((size_t)widest * sizeof *m.open + 1);
    m.fresh = malloc((size_t)widest * sizeof *m.fresh + 1);
    m.done = malloc((size_t)widest + 1);
    m.open_names = calloc((size_t)names, sizeof *m.open_names);
    m.fresh_names = calloc((size_t)names, sizeof *m.fresh_names);
    index = malloc((size_t)widest * sizeof *index + 1);
    scratch = malloc((size_t)widest * sizeof *scratch + 1);
    key = malloc((size_t)widest * sizeof *key + 1);
    copy = malloc((size_t)widest * sizeof *copy + 1);
    if (!m.open || !m.fresh || !m.done || !m.open_names || !m.fresh_names || !index || !scratch || !key || !copy) { PyErr_NoMemory(); goto done; }

    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; r < rows && !stopped; r++) {
        const int64_t first_slice = m.count;
        int64_t look = offsets[r] + WATCH_STEP;
        slice_offsets[r] = first_slice;
        m.height = 0;
        for (int64_t k = offsets[r]; k < offsets[r + 1];) {
            if (k >= look) {
                if ((stopped = watch_stopped(watch))) break;
                watch_done(watch, WATCH_STEP);
                look += WATCH_STEP;
            }
            const int64_t now = m.ts[order[k]];
            int64_t to = k;
            int begun = 0, crossed = 0;
            do {
                const uint8_t phase = m.phase[order[to]];
                if (phase == 'B') begun = 1;
                else if (phase == 'E' && begun) crossed = 1;
                to++;
            } while (to < offsets[r + 1] && m.ts[order[to]] == now);
            if (crossed) match_instant(&m, order + k, to - k);
            else
                for (int64_t j = k; j < to; j++) {
                    if (m.phase[order[j]] == 'E') close_slice(&m, order[j]);
                    else open_slice(&m, order[j]);
                }
            k = to;
        }
        while (m.height) {
            const uint32_t slice = m.open[--m.height];
            m.open_names[m.name[m.source[slice]]] = 0;
            m.end[slice] = trace_end > m.start[slice] ? trace_end : m.start[slice];
            m.flags[slice] |= UNFINISHED;
            note(&m, OPEN_END, &m.unfinished, m.source[slice]);
        }
        if (stopped) break;
        arrange_starts(&m, first_slice, index, scratch, key, copy, watch);
        watch_done(watch, offsets[r + 1] - (look - WATCH_STEP));
        stopped = watch_stopped(watch);
    }
    slice_offsets[rows] = m.count;
    Py_END_ALLOW_THREADS
    if (stopped) { watch_interrupted(); goto done; }

    const int64_t counts[4] = {m.strays, m.closed_by_outer, m.unfinished, m.negative};
    result = PyTuple_New(5);
    if (!result) goto done;
    PyTuple_SetItem(result, 0, PyLong_FromLongLong(m.count));
    for (int kind = 0; kind < 4; kind++) {
        PyObject *places = places_of(m.first[kind], counts[kind]);
        if (!places) { Py_CLEAR(result); goto done; }
        PyTuple_SetItem(result, kind + 1, places);
    }
done:
    free(m.open); free(m.fresh); free(m.done); free(m.open_names); free(m.fresh_names);
    free(index); free(scratch); free(key); free(copy);
    watch_release(&vwatch, watch);
    release_views(wanted, views);
    return result;
}

/* ---- a row of slots: first slot whose end is early or late enough, in O(log n) ------------------------------------------------- */

typedef struct {
    int64_t *latest, *earliest; /* binary trees over the ends of the slots, root at 1 */
    int64_t width;
} Slots;

static int slots_grow(Slots *s) {
    const int64_t old = s->width, width = old ? 2 * old : 8;
    int64_t *latest = malloc((size_t)(2 * width) * sizeof *latest), *earliest = malloc((size_t)(2 * width) * sizeof *earliest);
    if (!latest || !earliest) { free(latest); free(earliest); return -1; }
    for (int64_t i = 0; i < width; i++) latest[width + i] = i < old ? s->latest[old + i] : INT64_MIN;
    for (int64_t i = 0; i < width; i++) earliest[width + i] = latest[width + i];
    for (int64_t i = width - 1; i; i--) {
        latest[i] = latest[2 * i] > latest[2 * i + 1] ? latest[2 * i] : latest[2 * i + 1];
        earliest[i] = earliest[2 * i] < earliest[2 * i + 1] ? earliest[2 * i] : earliest[2 * i + 1];
    }
    latest[0] = earliest[0] = INT64_MIN;
    free(s->latest); free(s->earliest);
    *s = (Slots){latest, earliest, width};
    return 0;
}

static void slots_set(Slots *s, int64_t slot, int64_t end) {
    int64_t i = slot + s->width;
    s->latest[i] = s->earliest[i] = end;
    for (i >>= 1; i; i >>= 1) {
        s->latest[i] = s->latest[2 * i] > s->latest[2 * i + 1] ? s->latest[2 * i] : s->latest[2 * i + 1];
        s->earliest[i] = s->earliest[2 * i] < s->earliest[2 * i + 1] ? s->earliest[2 * i] : s->earliest[2 * i + 1];
    }
}

/* First slot from `from` that ends at `time` or later; -1: none. */
static int64_t slots_reaching(const Slots *s, int64_t from, int64_t time) {
    if (from >= s->width) return -1;
    for (int64_t i = from + s->width;;) {
        if (s->latest[i] >= time) {
            while (i < s->width) { i *= 2; if (s->latest[i] < time) i++; }
            return i - s->width;
        }
        while (i & 1) i >>= 1;
        if (!i) return -1;
        i++;
    }
}

/* First slot from `from` that is free at `time`; grows the row of slots when none is. -1: out of memory. */
static int64_t slots_free(Slots *s, int64_t from, int64_t time) {
    while (from >= s->width) if (slots_grow(s) < 0) return -1;
    for (int64_t i = from + s->width;;) {
        if (s->earliest[i] <= time) {
            while (i < s->width) { i *= 2; if (s->earliest[i] > time) i++; }
            return i - s->width;
        }
        while (i & 1) i >>= 1;
        if (!i) {
            const int64_t old = s->width;
            return slots_grow(s) < 0 ? -1 : old;
        }
        i++;
    }
}

/* ---- nest --------------------------------------------------------------------------------------------------------------------- */

/* The slices of a row form one or more groups; within a group everything nests:
 *
 *     group 0   [outer            ]   [tail ]      A slice goes to the first group with a slice around it, else to
 *                   [inner]                        the first group that is empty at that time.
 *     group 1            [late           ]         Groups are drawn below each other. As soon as all are empty, counting
 *                                                  starts again: one overlap costs rows for as long as it lasts (a cluster).
 */
typedef struct {
    int64_t *start, *end;
    int32_t *parent, *depth;
    uint32_t *cluster;
    int32_t *below;     /* the slice under this one on its group's stack, -1: none */
    uint32_t *group;    /* group of a slice */
    int32_t *top;       /* top of each group's stack, -1: empty */
    int32_t *root;      /* bottom of each group's stack, while it is not empty */
    int64_t *height;    /* tallest stack of each group within the cluster */
    int64_t room;       /* length of top and height */
    int64_t groups;     /* in use within the cluster */
    Slots bottom;       /* ends of the bottom slices; kept only while there is more than one group */
    int64_t bottom0;    /* end of the bottom slice of group 0, for as long as it is the only group */
    int64_t overlaps, dropped;
    int64_t first_overlap[FIRST_PLACES], first_dropped[FIRST_PLACES];
} Nest;

static int nest_room(Nest *n, int64_t group) {
    if (group >= n->room) {
        const int64_t room = n->room ? 2 * n->room : 8;
        int32_t *top = realloc(n->top, (size_t)room * sizeof *top);
        if (!top) return -1;
        n->top = top;
        int32_t *root = realloc(n->root, (size_t)room * sizeof *root);
        if (!root) return -1;
        n->root = root;
        int64_t *height = realloc(n->height, (size_t)room * sizeof *height);
        if (!height) return -1;
        n->height = height;
        n->room = room;
    }
    while (n->groups <= group) { n->top[n->groups] = -1; n->height[n->groups++] = 0; }
    return 0;
}

static inline void nest_pop(Nest *n, int64_t group, int64_t time) {
    int32_t top = n->top[group];
    while (top >= 0 && n->end[top] <= time) top = n->below[top];
    n->top[group] = top;
}

static inline void nest_push(Nest *n, int64_t group, int64_t slice, int32_t parent) {
    const int32_t below = n->top[group];
    n->below[slice] = below;
    n->group[slice] = (uint32_t)group;
    n->parent[slice] = parent;
    n->depth[slice] = below < 0 ? 0 : n->depth[below] + 1;
    n->top[group] = (int32_t)slice;
    if (below < 0) n->root[group] = (int32_t)slice;
    if (n->depth[slice] >= n->height[group]) n->height[group] = n->depth[slice] + 1;
}

/* The innermost slice of a group around [.., end]; -1: none. Ends fall from the bottom of a stack to its top. */
static int32_t nest_around(const Nest *n, int64_t group, int64_t end) {
    int32_t at = n->top[group];
    for (int walked = 0; at >= 0 && n->end[at] < end; walked++) {
        if (walked == MAX_WALK) { /* too deep to look for the innermost one: take the outermost, which is a parent too */
            at = n->root[group];
            return n->end[at] >= end ? at : -1;
        }
        at = n->below[at];
    }
    return at;
}

/* The cluster is complete: depths within groups become depths within the row. Returns how many the cluster takes. */
static int64_t nest_finish_cluster(Nest *n, int64_t from, int64_t to) {
    int64_t rows = 0;
    for (int64_t g = 0; g < n->groups; g++) { const int64_t height = n->height[g]; n->height[g] = rows; rows += height; }
    if (n->groups > 1 || rows > MAX_DEPTH + 1)
        for (int64_t i = from; i < to; i++) {
            const int64_t depth = n->depth[i] + n->height[n->group[i]];
            if (depth > MAX_DEPTH) {
                if (n->dropped < FIRST_PLACES) n->first_dropped[n->dropped] = i;
                n->dropped++;
            }
            n->depth[i] = depth > MAX_DEPTH ? -1 : (int32_t)depth;
        }
    if (n->groups > 1) for (int64_t g = 0; g < n->groups; g++) slots_set(&n->bottom, g, INT64_MIN);
    for (int64_t g = 0; g < n->groups; g++) n->top[g] = -1, n->height[g] = 0;
    n->groups = 1;
    return rows > MAX_DEPTH + 1 ? MAX_DEPTH + 1 : rows;
}

/* Find a group for a slice. -1: out of memory. */
static int nest_place(Nest *n, int64_t slice, int64_t trace_end) {
    const int64_t start = n->start[slice];
    int32_t top = n->top[0];
    if (n->end[slice] == NO_TIME) {
        const int64_t last = trace_end > start ? trace_end : start;
        n->end[slice] = top >= 0 ? n->end[top] : last;
    }
    const int64_t end = n->end[slice];
    if (top >= 0 && n->end[top] >= end) { nest_push(n, 0, slice, top); return 0; }
    if (top < 0 && n->groups == 1) { nest_push(n, 0, slice, -1); n->bottom0 = end; return 0; }
    if (n->groups == 1) {
        while (n->bottom.width < 2) if (slots_grow(&n->bottom) < 0) return -1;
        slots_set(&n->bottom, 0, n->bottom0);
    }
    int32_t parent = -1;
    int64_t after = 0, group = slots_reaching(&n->bottom, 0, end);
    for (int tries = 0; group >= 0 && group < n->groups && tries < MAX_TRIES; tries++) {
        nest_pop(n, group, start);
        top = n->top[group];
        if (top >= 0 && n->end[top] >= end) { nest_push(n, group, slice, top); return 0; }
        if (parent < 0 && (parent = nest_around(n, group, end)) >= 0) after = group + 1;
        group = slots_reaching(&n->bottom, group + 1, end);
    }
    group = slots_free(&n->bottom, after, start);
    if (group < 0 || nest_room(n, group) < 0) return -1;
    nest_pop(n, group, start);
    nest_push(n, group, slice, parent);
    slots_set(&n->bottom, group, end);
    if (group) {
        if (n->overlaps < FIRST_PLACES) n->first_overlap[n->overlaps] = slice;
        n->overlaps++;
    }
    return 0;
}

static PyObject *layout_nest(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *ooffsets, *ostart, *oend, *oparent, *odepth, *ocluster, *oheight, *owatch = NULL;
    long long trace_end;
    if (!PyArg_ParseTuple(args, "OOOLOOOO|O:nest", &ooffsets, &ostart, &oend, &trace_end, &oparent, &odepth, &ocluster, &oheight, &owatch))
        return NULL;
    Py_buffer voffsets, vstart, vend, vparent, vdepth, vcluster, vheight, vwatch;
    Wanted wanted[] = {{ooffsets, &voffsets, 8, 0, 1, "offsets"}, {ostart, &vstart, 8, 0, -1, "start"},  {oend, &vend, 8, 1, -1, "end"},
                       {oparent, &vparent, 4, 1, -1, "parent"},   {odepth, &vdepth, 4, 1, -1, "depth"},  {oheight, &vheight, 4, 1, -1, "height"},
                       {ocluster, &vcluster, 4, 1, -1, "cluster"}};
    const int clustered = ocluster != Py_None, views = clustered ? 7 : 6;
    int64_t *watch;
    if (take_views(wanted, views) < 0) return NULL;
    if (watch_view(owatch, &vwatch, &watch) < 0) { release_views(wanted, views); return NULL; }
    const Py_ssize_t rows = wanted[0].items - 1, count = wanted[1].items;
    const int64_t *offsets = voffsets.buf;
    int32_t *height = vheight.buf;
    PyObject *result = NULL;
    Nest n = {.start = vstart.buf, .end = vend.buf, .parent = vparent.buf, .depth = vdepth.buf,
              .cluster = clustered ? vcluster.buf : NULL};
    int failed = 0, stopped = 0;
    const char *problem = NULL;
    for (int i = 2; i < views; i++) if (i != 5 && wanted[i].items < count) problem = "columns differ in length";
    if (wanted[5].items < rows) problem = "height is too short";
    if (count >= INT32_MAX) problem = "too many slices";
    if (problem) { PyErr_Format(PyExc_ValueError, "nest: %s", problem); goto done; }
    if (check_offsets(offsets, rows, count, "nest") < 0) goto done;
    n.below = malloc((size_t)count * sizeof *n.below + 1);
    n.group = malloc((size_t)count * sizeof *n.group + 1);
    if (!n.below || !n.group || nest_room(&n, 0) < 0) { PyErr_NoMemory(); goto done; }
    Py_BEGIN_ALLOW_THREADS
    uint32_t cluster = 0;
    for (Py_ssize_t r = 0; r < rows && !failed && !stopped; r++) {
        const int64_t to = offsets[r + 1];
        int64_t begun = offsets[r], tallest = 0;
        for (int64_t i = offsets[r]; i < to; i++) {
            if ((i - offsets[r]) % WATCH_STEP == 0) {
                if ((stopped = watch_stopped(watch))) break;
                watch_done(watch, to - i < WATCH_STEP ? to - i : WATCH_STEP);
            }
            nest_pop(&n, 0, n.start[i]);
            if (i > begun && n.top[0] < 0 && (n.groups == 1 || n.bottom.latest[1] <= n.start[i])) {
                const int64_t rows_used = nest_finish_cluster(&n, begun, i);
                if (rows_used > tallest) tallest = rows_used;
                begun = i;
                cluster++;
            }
            if (nest_place(&n, i, trace_end) < 0) { failed = 1; break; }
            if (n.cluster) n.cluster[i] = cluster;
        }
        if (to > begun && !failed && !stopped) {
            const int64_t rows_used = nest_finish_cluster(&n, begun, to);
            if (rows_used > tallest) tallest = rows_used;
            cluster++;
        }
        height[r] = (int32_t)tallest;
    }
    Py_END_ALLOW_THREADS
    if (failed) { PyErr_NoMemory(); goto done; }
    if (stopped) { watch_interrupted(); goto done; }
    PyObject *overlaps = places_of(n.first_overlap, n.overlaps), *dropped = places_of(n.first_dropped, n.dropped);
    if (overlaps && dropped) result = Py_BuildValue("(NN)", overlaps, dropped);
    else { Py_XDECREF(overlaps); Py_XDECREF(dropped); }
done:
    free(n.below); free(n.group); free(n.top); free(n.root); free(n.height); free(n.bottom.latest); free(n.bottom.earliest);
    watch_release(&vwatch, watch);
    release_views(wanted, views);
    return result;
}

/* ---- pack --------------------------------------------------------------------------------------------------------------------- */

static PyObject *layout_pack(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *ooffsets, *ostart, *oend, *oslot;
    if (!PyArg_ParseTuple(args, "OOOO:pack", &ooffsets, &ostart, &oend, &oslot)) return NULL;
    Py_buffer voffsets, vstart, vend, vslot;
    Wanted wanted[] = {{ooffsets, &voffsets, 8, 0, 1, "offsets"}, {ostart, &vstart, 8, 0, -1, "start"}, {oend, &vend, 8, 0, -1, "end"},
                       {oslot, &vslot, 4, 1, -1, "slot"}};
    if (take_views(wanted, 4) < 0) return NULL;
    const Py_ssize_t rows = wanted[0].items - 1, count = wanted[1].items;
    const int64_t *offsets = voffsets.buf, *start = vstart.buf, *end = vend.buf;
    uint32_t *slot = vslot.buf;
    int failed = 0;
    Slots slots = {0};
    if (wanted[2].items < count || wanted[3].items < count) { PyErr_SetString(PyExc_ValueError, "pack: columns differ in length"); failed = 1; }
    else if (check_offsets(offsets, rows, count, "pack") < 0) failed = 1;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t r = 0; r < rows && !failed; r++) {
            int64_t used = 0;
            for (int64_t i = offsets[r]; i < offsets[r + 1]; i++) {
                const int64_t found = slots_free(&slots, 0, start[i]);
                if (found < 0) { failed = 2; break; }
                slots_set(&slots, found, end[i]);
                slot[i] = (uint32_t)found;
                if (found >= used) used = found + 1;
            }
            for (int64_t s = 0; s < used; s++) slots_set(&slots, s, INT64_MIN);
        }
        Py_END_ALLOW_THREADS
        if (failed) PyErr_NoMemory();
    }
    free(slots.latest); free(slots.earliest);
    release_views(wanted, 4);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* ---- bind --------------------------------------------------------------------------------------------------------------------- */

static PyObject *layout_bind(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *ooffsets, *ostart, *oend, *omarks, *otime, *owish, *obound;
    if (!PyArg_ParseTuple(args, "OOOOOOO:bind", &ooffsets, &ostart, &oend, &omarks, &otime, &owish, &obound)) return NULL;
    Py_buffer voffsets, vstart, vend, vmarks, vtime, vwish, vbound;
    Wanted wanted[] = {{ooffsets, &voffsets, 8, 0, 1, "offsets"}, {ostart, &vstart, 8, 0, -1, "start"}, {oend, &vend, 8, 0, -1, "end"},
                       {omarks, &vmarks, 8, 0, 1, "marks"},       {otime, &vtime, 8, 0, -1, "time"},    {owish, &vwish, 1, 0, -1, "wish"},
                       {obound, &vbound, 4, 1, -1, "bound"}};
    if (take_views(wanted, 7) < 0) return NULL;
    const Py_ssize_t rows = wanted[0].items - 1, count = wanted[1].items, marks = wanted[4].items;
    const int64_t *offsets = voffsets.buf, *start = vstart.buf, *end = vend.buf, *mark_offsets = vmarks.buf, *time = vtime.buf;
    const uint8_t *wish = vwish.buf;
    int32_t *bound = vbound.buf;
    int32_t *stack = NULL;
    int failed = 1;
    if (wanted[2].items < count || wanted[3].items != rows + 1 || wanted[5].items < marks || wanted[6].items < marks || count >= INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "bind: columns differ in length");
    } else if (check_offsets(offsets, rows, count, "bind") == 0 && check_offsets(mark_offsets, rows, marks, "bind marks") == 0) {
        stack = malloc((size_t)count * sizeof *stack + 1);
        failed = !stack;
        if (failed) PyErr_NoMemory();
    }
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t r = 0; r < rows; r++) {
            int64_t begun = offsets[r], next = offsets[r], height = 0;
            const int64_t to = offsets[r + 1];
            for (int64_t k = mark_offsets[r]; k < mark_offsets[r + 1]; k++) {
                while (begun < to && start[begun] <= time[k]) stack[height++] = (int32_t)begun++;
                while (height && end[stack[height - 1]] < time[k]) height--;
                while (next < to && start[next] < time[k]) next++;
                const int32_t around = height ? stack[height - 1] : -1, following = next < to ? (int32_t)next : -1;
                /* wish 0: the enclosing slice; 1: the next one; 2: the enclosing one, else the next */
                bound[k] = wish[k] == 0 ? around : wish[k] == 1 || around < 0 ? following : around;
            }
        }
        Py_END_ALLOW_THREADS
    }
    free(stack);
    release_views(wanted, 7);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

#include "layout_settle.h"
#include "layout_survey.h"

static PyObject *layout_give_back(PyObject *self, PyObject *none) {
    (void)self, (void)none;
#ifdef __GLIBC__
    Py_BEGIN_ALLOW_THREADS
    malloc_trim(0);
    Py_END_ALLOW_THREADS
#endif
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"survey", layout_survey, METH_VARARGS,
     "survey(phase, ts, dur, row, classes, kind, events, ends, phases) -> (events of each class, first, last moment, those without a time)"},
    {"group", layout_group, METH_VARARGS, "group(row, ts|None, mask|None, rows, order, offsets[, watch]) -> rows that were out of time order"},
    {"match", layout_match, METH_VARARGS,
     "match(order, offsets, phase, ts, dur, name, names, trace_end, source, start, end, ended, flags, slice_offsets[, watch])\n"
     "-> (slices, strays, closed_by_outer, unfinished, negative), each of the last four (count, first events)"},
    {"nest", layout_nest, METH_VARARGS,
     "nest(offsets, start, end, trace_end, parent, depth, cluster|None, height[, watch]) -> (overlaps, dropped), each (count, first slices)"},
    {"pack", layout_pack, METH_VARARGS, "pack(offsets, start, end, slot)"},
    {"settle", layout_settle, METH_VARARGS, "settle(columns, first_track, watch) -> end events with arguments"},
    {"give_back", layout_give_back, METH_NOARGS, "Free memory of the heap back to the system."},
    {"bind", layout_bind, METH_VARARGS, "bind(slice_offsets, start, end, mark_offsets, time, wish, bound)"},
    {NULL, NULL, 0, NULL}};

KERNEL_MODULE(layout, "From events in file order to slices with parents and depths.", methods)
