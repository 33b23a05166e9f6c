/* Levels of detail. A level is a list of runs for each lane: neighbouring slices whose starts fall into the same bucket of
 * 2^shift ns become one run. Lanes do not overlap in time, so a run's end is the end of its last slice.
 *
 *   slices  [a][b][c]      [ d          ][e]
 *   bucket  |--------|--------|--------|--------|
 *   runs    [a.....c]      [ d          ][e]
 */
#include "kernel.h"

static int lanes_valid(const int64_t *offsets, Py_ssize_t lanes, Py_ssize_t rows, const char *name) {
    int ok = lanes >= 0 && offsets[0] >= 0 && offsets[lanes] <= rows;
    for (Py_ssize_t l = 0; ok && l < lanes; l++) ok = offsets[l] <= offsets[l + 1];
    if (!ok) PyErr_Format(PyExc_ValueError, "%s: lane offsets must rise and stay inside the rows", name);
    return ok;
}

static PyObject *count_runs(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o_start, *o_offsets, *o_counts;
    Py_ssize_t from, to;
    int shift;
    if (!PyArg_ParseTuple(args, "OOnniO", &o_start, &o_offsets, &from, &to, &shift, &o_counts)) return NULL;
    Py_buffer start, offsets, counts;
    Py_ssize_t n = kernel_view(o_start, &start, 8, 0, "start");
    if (n < 0) return NULL;
    Py_ssize_t lanes = kernel_view(o_offsets, &offsets, 8, 0, "offsets") - 1;
    if (lanes < -1) goto no_offsets;
    Py_ssize_t room = kernel_view(o_counts, &counts, 8, 1, "counts");
    if (room < 0) goto no_counts;
    PyObject *result = NULL;
    if (lanes < 0 || room < lanes || from < 0 || to > lanes || from > to || shift < 0 || shift > 62) {
        PyErr_SetString(PyExc_ValueError, "count_runs: sizes do not fit");
    } else if (lanes_valid(offsets.buf, lanes, n, "count_runs")) {
        const int64_t *s = start.buf, *off = offsets.buf;
        int64_t *out = counts.buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t l = from; l < to; l++) {
            int64_t runs = 0, last = 0;
            for (int64_t i = off[l]; i < off[l + 1]; i++) {
                int64_t bucket = s[i] >> shift;
                runs += (i == off[l]) | (bucket != last);
                last = bucket;
            }
            out[l] = runs;
        }
        Py_END_ALLOW_THREADS
        result = Py_None;
        Py_INCREF(result);
    }
    PyBuffer_Release(&counts);
    PyBuffer_Release(&offsets);
    PyBuffer_Release(&start);
    return result;
no_counts:
    PyBuffer_Release(&offsets);
no_offsets:
    PyBuffer_Release(&start);
    return NULL;
}

typedef struct {
    const int64_t *start, *length, *offsets, *out_offsets;
    const float *busy, *longest_ns;
    const uint32_t *longest;
    const uint32_t *first;
    int64_t *o_start, *o_length;
    float *o_busy, *o_longest_ns;
    uint32_t *o_longest, *o_first;
} Merge;

/* Runs of lanes [from, to); returns 0 when a lane has another number of runs than its place in the output. */
static int merge_lanes(const Merge *m, Py_ssize_t from, Py_ssize_t to, int shift) {
    for (Py_ssize_t l = from; l < to; l++) {
        int64_t i = m->offsets[l], stop = m->offsets[l + 1], k = m->out_offsets[l], room = m->out_offsets[l + 1];
        while (i < stop) {
            if (k >= room) return 0;
            int64_t begin = m->start[i], bucket = begin >> shift, end = kernel_end(begin, m->length[i]);
            double busy = 0;
            float best = -1;
            uint32_t id = 0;
            m->o_first[k] = m->first ? m->first[i] : (uint32_t)i;
            for (; i < stop && m->start[i] >> shift == bucket; i++) {
                int64_t e = kernel_end(m->start[i], m->length[i]);
                if (e > end) end = e;
                float x = m->longest_ns ? m->longest_ns[i] : (float)m->length[i];
                busy += m->busy ? (double)m->busy[i] : (double)m->length[i];
                if (x > best) {
                    best = x;
                    id = m->longest ? m->longest[i] : (uint32_t)i;
                }
            }
            m->o_start[k] = begin;
            m->o_length[k] = kernel_length(begin, end);
            m->o_busy[k] = (float)busy;
            m->o_longest_ns[k] = best;
            m->o_longest[k] = id;
            k++;
        }
        if (k != room) return 0;
    }
    return 1;
}

enum { START, LENGTH, OFFSETS, BUSY, LONGEST_NS, LONGEST, FIRST, OUT_OFFSETS, O_START, O_LENGTH, O_BUSY, O_LONGEST_NS, O_LONGEST, O_FIRST, PARTS };
static const struct { const char *name; int size, writable, merged; } PART[PARTS] = {
    {"start", 8, 0, 0},      {"length", 8, 0, 0},     {"offsets", 8, 0, 0},     {"busy", 4, 0, 1},
    {"longest_ns", 4, 0, 1}, {"longest", 4, 0, 1},    {"first", 4, 0, 1},       {"out_offsets", 8, 0, 0},
    {"out_start", 8, 1, 0},  {"out_length", 8, 1, 0}, {"out_busy", 4, 1, 0},    {"out_longest_ns", 4, 1, 0},
    {"out_longest", 4, 1, 0}, {"out_first", 4, 1, 0},
};

static PyObject *merge_runs(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o[PARTS];
    Py_ssize_t from, to;
    int shift;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOOOOOnni", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6], &o[7], &o[8], &o[9], &o[10],
                          &o[11], &o[12], &o[13], &from, &to, &shift))
        return NULL;
    Py_buffer view[PARTS];
    Py_ssize_t size[PARTS];
    int held[PARTS] = {0};
    PyObject *result = NULL;
    for (int p = 0; p < PARTS; p++) {
        size[p] = -1;
        if (PART[p].merged && o[p] == Py_None) continue;
        size[p] = kernel_view(o[p], &view[p], PART[p].size, PART[p].writable, PART[p].name);
        if (size[p] < 0) goto done;
        held[p] = 1;
    }
    Py_ssize_t lanes = size[OFFSETS] - 1, n = size[START], rows = size[O_START];
    int merged = held[BUSY], fits = lanes >= 0 && size[OUT_OFFSETS] == lanes + 1 && size[LENGTH] == n && from >= 0 && from <= to &&
                                    to <= lanes && shift >= 0 && shift <= 62 && n <= UINT32_MAX;
    for (int p = BUSY; p <= FIRST; p++) fits = fits && held[p] == merged && (!merged || size[p] >= n);
    for (int p = O_START; p <= O_FIRST; p++) fits = fits && size[p] >= rows;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "merge_runs: sizes do not fit");
        goto done;
    }
    if (!lanes_valid(view[OFFSETS].buf, lanes, n, "offsets") || !lanes_valid(view[OUT_OFFSETS].buf, lanes, rows, "out_offsets")) goto done;
#define AT(p) (held[p] ? view[p].buf : NULL)
    Merge m = {AT(START), AT(LENGTH), AT(OFFSETS), AT(OUT_OFFSETS), AT(BUSY), AT(LONGEST_NS), AT(LONGEST), AT(FIRST),
               AT(O_START), AT(O_LENGTH), AT(O_BUSY), AT(O_LONGEST_NS), AT(O_LONGEST), AT(O_FIRST)};
#undef AT
    int ok;
    Py_BEGIN_ALLOW_THREADS
    ok = merge_lanes(&m, from, to, shift);
    Py_END_ALLOW_THREADS
    if (ok) {
        result = Py_None;
        Py_INCREF(result);
    } else {
        PyErr_SetString(PyExc_ValueError, "merge_runs: out_offsets are not those of count_runs");
    }
done:
    for (int p = 0; p < PARTS; p++)
        if (held[p]) PyBuffer_Release(&view[p]);
    return result;
}

/* FNV-1a of each text, its digits left out: names that differ only in a number share a colour. */
static PyObject *hash_names(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o_data, *o_offsets, *o_out;
    if (!PyArg_ParseTuple(args, "OOO", &o_data, &o_offsets, &o_out)) return NULL;
    Py_buffer data, offsets, out;
    Py_ssize_t bytes = kernel_view(o_data, &data, 1, 0, "data");
    if (bytes < 0) return NULL;
    Py_ssize_t names = kernel_view(o_offsets, &offsets, 8, 0, "offsets") - 1;
    if (names < -1) goto no_offsets;
    Py_ssize_t room = kernel_view(o_out, &out, 4, 1, "out");
    if (room < 0) goto no_out;
    PyObject *result = NULL;
    if (names < 0 || room < names) {
        PyErr_SetString(PyExc_ValueError, "hash_names: sizes do not fit");
    } else if (lanes_valid(offsets.buf, names, bytes, "hash_names")) {
        const unsigned char *text = data.buf;
        const int64_t *off = offsets.buf;
        uint32_t *to = out.buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t k = 0; k < names; k++) {
            uint32_t h = 2166136261u;
            for (int64_t i = off[k]; i < off[k + 1]; i++)
                if (text[i] < '0' || text[i] > '9') h = (h ^ text[i]) * 16777619u;
            to[k] = h;
        }
        Py_END_ALLOW_THREADS
        result = Py_None;
        Py_INCREF(result);
    }
    PyBuffer_Release(&out);
    PyBuffer_Release(&offsets);
    PyBuffer_Release(&data);
    return result;
no_out:
    PyBuffer_Release(&offsets);
no_offsets:
    PyBuffer_Release(&data);
    return NULL;
}

static PyMethodDef methods[] = {
    {"count_runs", count_runs, METH_VARARGS, "Runs of each lane at a bucket size of 2^shift ns."},
    {"merge_runs", merge_runs, METH_VARARGS, "Fill the runs of a level from slices or from a finer level."},
    {"hash_names", hash_names, METH_VARARGS, "A 32-bit hash of each text without its digits."},
    {NULL, NULL, 0, NULL},
};

KERNEL_MODULE(levels, "Levels of detail over lanes of slices", methods)
