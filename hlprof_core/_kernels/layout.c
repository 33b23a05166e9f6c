/* layout: to be written. */
#include "kernel.h"

static PyMethodDef methods[] = {{NULL, NULL, 0, NULL}};

KERNEL_MODULE(layout, "layout kernel", methods)
