/* Search for a literal through the text of arguments, at the speed of memory. */
#include "kernel.h"

#include "find_core.h"

static int needle_in(Py_buffer *view, Needle *needle) {
    if (view->len < 1) {
        PyErr_SetString(PyExc_ValueError, "find: an empty text is everywhere");
        return 0;
    }
    *needle = needle_of(view->buf, view->len);
    return 1;
}

static PyObject *find_first(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer text, lower;
    if (!PyArg_ParseTuple(args, "y*y*", &text, &lower)) return NULL;
    PyObject *result = NULL;
    Needle needle;
    if (needle_in(&lower, &needle)) {
        int64_t place;
        Py_BEGIN_ALLOW_THREADS
        place = find_next(text.buf, 0, text.len, &needle);
        Py_END_ALLOW_THREADS
        result = PyLong_FromLongLong(place);
    }
    PyBuffer_Release(&text);
    PyBuffer_Release(&lower);
    return result;
}

static PyObject *mark_texts(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer text, lower, start, stop, found;
    PyObject *o_start, *o_stop, *o_found;
    long long base;
    if (!PyArg_ParseTuple(args, "y*Ly*OOO", &text, &base, &lower, &o_start, &o_stop, &o_found)) return NULL;
    PyObject *result = NULL;
    Needle needle;
    Py_ssize_t count = kernel_view(o_start, &start, 8, 0, "start");
    if (count < 0) goto no_start;
    Py_ssize_t stops = kernel_view(o_stop, &stop, 8, 0, "stop");
    if (stops < 0) goto no_stop;
    Py_ssize_t room = kernel_view(o_found, &found, 1, 1, "found");
    if (room < 0) goto no_found;
    if (stops != count || room != count || base < 0 || base > INT64_MAX / 2 || text.len > INT64_MAX / 4) {
        PyErr_SetString(PyExc_ValueError, "mark_texts: sizes do not fit");
    } else if (needle_in(&lower, &needle)) {
        const int64_t *from = start.buf, *to = stop.buf;
        int fine = 1;
        int64_t marked = 0;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < count; i++) fine &= from[i] >= 0 && to[i] >= from[i] && (!i || from[i] >= from[i - 1]);
        if (fine) marked = mark_holders(text.buf, text.len, base, &needle, from, to, count, found.buf);
        Py_END_ALLOW_THREADS
        if (fine) result = PyLong_FromLongLong(marked);
        else PyErr_SetString(PyExc_ValueError, "mark_texts: texts must be sorted by start");
    }
    PyBuffer_Release(&found);
no_found:
    PyBuffer_Release(&stop);
no_stop:
    PyBuffer_Release(&start);
no_start:
    PyBuffer_Release(&lower);
    PyBuffer_Release(&text);
    return result;
}

static PyMethodDef methods[] = {
    {"find_first", find_first, METH_VARARGS, "First place of a literal given in lower case, ASCII case folded, or -1."},
    {"mark_texts", mark_texts, METH_VARARGS, "Mark the texts that hold a literal given in lower case; returns how many were marked."},
    {NULL, NULL, 0, NULL},
};

KERNEL_MODULE(find, "Literals in the text of arguments", methods)
