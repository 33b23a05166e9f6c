/* Values of one argument in the text of many slices, at some hundred MB a second; what is not plain is named for others to decode. */
#include "kernel.h"

#include "json_walk.h"

/* Texts of a buffer: `start` and `stop` count from its first byte. */
typedef struct {
    Py_buffer text, start, stop;
    const uint8_t *bytes;
    const int64_t *from, *to;
    Py_ssize_t count;
} Texts;

static int texts_view(Texts *t, PyObject *text, PyObject *start, PyObject *stop) {
    if (PyObject_GetBuffer(text, &t->text, PyBUF_SIMPLE) < 0) return 0;
    Py_ssize_t stops = -1;
    t->count = kernel_view(start, &t->start, 8, 0, "start");
    if (t->count < 0) goto no_start;
    stops = kernel_view(stop, &t->stop, 8, 0, "stop");
    if (stops < 0) goto no_stop;
    t->bytes = t->text.buf, t->from = t->start.buf, t->to = t->stop.buf;
    int fine = stops == t->count;
    for (Py_ssize_t i = 0; fine && i < t->count; i++) fine = t->from[i] >= 0 && t->from[i] <= t->to[i] && t->to[i] <= t->text.len;
    if (fine) return 1;
    PyErr_SetString(PyExc_ValueError, "arguments: texts must lie in the buffer");
    PyBuffer_Release(&t->stop);
no_stop:
    PyBuffer_Release(&t->start);
no_start:
    PyBuffer_Release(&t->text);
    return 0;
}

static void texts_release(Texts *t) {
    PyBuffer_Release(&t->stop);
    PyBuffer_Release(&t->start);
    PyBuffer_Release(&t->text);
}

/* Results of `count` items each; releases those it took when one does not fit. */
static int results_view(PyObject **objects, Py_buffer *views, const int *sizes, int number, Py_ssize_t count) {
    for (int i = 0; i < number; i++) {
        Py_ssize_t room = kernel_view(objects[i], &views[i], sizes[i], 1, "result");
        if (room == count) continue;
        if (room >= 0) {
            PyErr_SetString(PyExc_ValueError, "arguments: one result for each text wanted");
            PyBuffer_Release(&views[i]);
        }
        while (i--) PyBuffer_Release(&views[i]);
        return 0;
    }
    return 1;
}

static PyObject *mark_hindrances(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *text, *start, *stop, *flags;
    int values;
    Texts t;
    Py_buffer out;
    if (!PyArg_ParseTuple(args, "OOOpO", &text, &start, &stop, &values, &flags) || !texts_view(&t, text, start, stop)) return NULL;
    const int size = 1;
    if (!results_view(&flags, &out, &size, 1, t.count)) {
        texts_release(&t);
        return NULL;
    }
    uint8_t *mark = out.buf;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < t.count; i++) mark[i] = hindrances(t.bytes + t.from[i], t.to[i] - t.from[i], values);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&out);
    texts_release(&t);
    Py_RETURN_NONE;
}

static PyObject *find_values(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *text, *start, *stop, *results[4];
    Py_buffer key, out[4];
    Texts t;
    int is_exact;
    if (!PyArg_ParseTuple(args, "OOOy*pOOOO", &text, &start, &stop, &key, &is_exact, &results[0], &results[1], &results[2], &results[3])) return NULL;
    if (!texts_view(&t, text, start, stop)) goto no_texts;
    const int sizes[] = {1, 8, 8, 8};
    if (!results_view(results, out, sizes, 4, t.count)) goto no_results;
    uint8_t *kind = out[0].buf;
    int64_t *from = out[1].buf, *to = out[2].buf;
    double *number = out[3].buf;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < t.count; i++) {
        Value v = value_of_key(t.bytes + t.from[i], t.to[i] - t.from[i], key.buf, key.len, is_exact);
        kind[i] = v.kind, number[i] = v.kind == VALUE_NUMBER ? v.number : 0;
        from[i] = t.from[i] + v.from, to[i] = t.from[i] + v.to;
    }
    Py_END_ALLOW_THREADS
    for (int i = 0; i < 4; i++) PyBuffer_Release(&out[i]);
    texts_release(&t);
    PyBuffer_Release(&key);
    Py_RETURN_NONE;
no_results:
    texts_release(&t);
no_texts:
    PyBuffer_Release(&key);
    return NULL;
}

static inline uint64_t hash_bytes(const uint8_t *bytes, int64_t size) {
    uint64_t h = (uint64_t)size * 0x9e3779b97f4a7c15u, part;
    for (; size >= 8; bytes += 8, size -= 8) {
        memcpy(&part, bytes, 8);
        h = (h ^ part) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (part = 0; size > 0; size--) part = part << 8 | *bytes++;
    h = (h ^ part) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

/* Numbers of equal texts, in order of their first; returns how many there are, or -1 without memory. */
static int64_t group_equal(const Texts *t, uint32_t *group, uint32_t *first) {
    uint64_t room = 16;
    while (room < 2 * (uint64_t)t->count) room *= 2;
    uint32_t *slots = calloc(room, sizeof *slots); /* group + 1 */
    if (!slots) return -1;
    int64_t groups = 0;
    for (Py_ssize_t i = 0; i < t->count; i++) {
        const uint8_t *bytes = t->bytes + t->from[i];
        int64_t size = t->to[i] - t->from[i];
        uint64_t place = hash_bytes(bytes, size) & (room - 1);
        for (;; place = (place + 1) & (room - 1)) {
            if (!slots[place]) {
                first[groups] = (uint32_t)i;
                slots[place] = (uint32_t)++groups;
                break;
            }
            uint32_t one = first[slots[place] - 1];
            if (t->to[one] - t->from[one] == size && !memcmp(t->bytes + t->from[one], bytes, (size_t)size)) break;
        }
        group[i] = slots[place] - 1;
    }
    free(slots);
    return groups;
}

static PyObject *group_texts(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *text, *start, *stop, *results[2], *answer = NULL;
    Py_buffer out[2];
    Texts t;
    if (!PyArg_ParseTuple(args, "OOOOO", &text, &start, &stop, &results[0], &results[1]) || !texts_view(&t, text, start, stop)) return NULL;
    const int sizes[] = {4, 4};
    if (results_view(results, out, sizes, 2, t.count)) {
        int64_t groups = -1;
        if (t.count < INT32_MAX) {
            Py_BEGIN_ALLOW_THREADS
            groups = group_equal(&t, out[0].buf, out[1].buf);
            Py_END_ALLOW_THREADS
        }
        answer = groups < 0 ? PyErr_NoMemory() : PyLong_FromLongLong(groups);
        for (int i = 0; i < 2; i++) PyBuffer_Release(&out[i]);
    }
    texts_release(&t);
    return answer;
}

static PyMethodDef methods[] = {
    {"mark_hindrances", mark_hindrances, METH_VARARGS, "What keeps each text from being compared as bytes: 1 escapes, 2 hidden signs, 4 odd values."},
    {"find_values", find_values, METH_VARARGS, "Where the value of a key stands in each text, what it is, and its number."},
    {"group_texts", group_texts, METH_VARARGS, "Number equal texts alike, in order of the first of each; returns how many differ."},
    {NULL, NULL, 0, NULL},
};

KERNEL_MODULE(arguments, "Values of arguments in the text of many slices", methods)
