/* Shared by the kernels: buffers in and out of Python without third-party headers, stable ABI (CPython 3.11+).
 *
 * A kernel takes numpy arrays (any object with a contiguous buffer) and sizes; it checks each bound itself, releases the
 * GIL while it works, and never calls back into Python.
 */
#ifndef HLPROF_KERNEL_H
#define HLPROF_KERNEL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HLPROF_X86 1
#include <immintrin.h>
#endif

/* Take a C-contiguous view of `object` whose items are `itemsize` bytes; returns the number of items, or -1 with an exception. */
static inline Py_ssize_t kernel_view(PyObject *object, Py_buffer *view, Py_ssize_t itemsize, int writable, const char *name) {
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) < 0) return -1;
    if (view->itemsize != itemsize) {
        PyErr_Format(PyExc_TypeError, "%s: items of %zd bytes wanted, got %zd", name, itemsize, view->itemsize);
        PyBuffer_Release(view);
        return -1;
    }
    return view->len / itemsize;
}

/* A picture: lines of 4-byte pixels, `stride` pixels apart, as in a part of a larger one. */
typedef struct {
    uint32_t *pixels;
    int64_t lines, width, stride;
} Picture;

/* Take a picture to write to from an array of two dimensions; -1 with an exception. */
static inline int kernel_picture(PyObject *object, Py_buffer *view, Picture *picture) {
    if (PyObject_GetBuffer(object, view, PyBUF_STRIDES | PyBUF_WRITABLE) < 0) return -1;
    if (view->ndim != 2 || view->itemsize != 4 || (view->shape[1] > 1 && view->strides[1] != 4) || view->strides[0] < 0 || view->strides[0] % 4) {
        PyErr_SetString(PyExc_TypeError, "picture: lines of 4-byte pixels wanted");
        PyBuffer_Release(view);
        return -1;
    }
    *picture = (Picture){view->buf, view->shape[0], view->shape[1], view->strides[0] / 4};
    return 0;
}

/* Long work shares two cells with whoever waits for it: watch[0] is set when it should stop, watch[1] counts what is done. NULL: nobody. */
#define WATCH_STEP 16384 /* items between two looks at the cells: well under a millisecond */

static inline int watch_stopped(const int64_t *watch) { return watch && __atomic_load_n(watch, __ATOMIC_RELAXED) != 0; }

static inline void watch_done(int64_t *watch, int64_t items) {
    if (watch) __atomic_fetch_add(watch + 1, items, __ATOMIC_RELAXED);
}

/* The cells of a Python object, or none for None. -1 with an exception. */
static inline int watch_view(PyObject *object, Py_buffer *view, int64_t **cells) {
    *cells = NULL;
    if (object == NULL || object == Py_None) return 0;
    Py_ssize_t got = kernel_view(object, view, 8, 1, "watch");
    if (got >= 2) {
        *cells = view->buf;
        return 0;
    }
    if (got >= 0) {
        PyErr_SetString(PyExc_ValueError, "watch: two cells wanted");
        PyBuffer_Release(view);
    }
    return -1;
}

static inline void watch_release(Py_buffer *view, int64_t *cells) {
    if (cells) PyBuffer_Release(view);
}

static inline PyObject *watch_interrupted(void) {
    PyErr_SetString(PyExc_InterruptedError, "stopped by the one who waited");
    return NULL;
}

/* Times reach from year 1678 to 2262; what would be beyond is held at the largest number. */
static inline int64_t kernel_end(int64_t start, int64_t length) {
    int64_t end;
    return __builtin_add_overflow(start, length, &end) ? (length < 0 ? INT64_MIN : INT64_MAX) : end;
}

static inline int64_t kernel_length(int64_t start, int64_t end) {
    int64_t length;
    return __builtin_sub_overflow(end, start, &length) ? (end < start ? INT64_MIN : INT64_MAX) : length;
}

/* Whether [from, to) is a stretch of time whose length can be said. */
static inline int kernel_is_span(int64_t from, int64_t to) {
    int64_t length;
    return from < to && !__builtin_sub_overflow(to, from, &length);
}

#define KERNEL_MODULE(NAME, DOC, METHODS)                                                                        \
    static PyModuleDef_Slot kernel_slots_##NAME[] = {{0, NULL}};                                                 \
    static struct PyModuleDef kernel_module_##NAME = {PyModuleDef_HEAD_INIT, #NAME, DOC, 0, METHODS,             \
                                                      kernel_slots_##NAME, NULL, NULL, NULL};                    \
    PyMODINIT_FUNC PyInit_##NAME(void) { return PyModuleDef_Init(&kernel_module_##NAME); }

#endif
