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

#define KERNEL_MODULE(NAME, DOC, METHODS)                                                                        \
    static PyModuleDef_Slot kernel_slots_##NAME[] = {{0, NULL}};                                                 \
    static struct PyModuleDef kernel_module_##NAME = {PyModuleDef_HEAD_INIT, #NAME, DOC, 0, METHODS,             \
                                                      kernel_slots_##NAME, NULL, NULL, NULL};                    \
    PyMODINIT_FUNC PyInit_##NAME(void) { return PyModuleDef_Init(&kernel_module_##NAME); }

#endif
