/* Memory of columns within a budget: what is beyond it lives in nameless files, mapped, so that the system can write it out instead of
 * running out of memory. One budget for the process. Two users:
 *
 *   numpy    while `enter` is in force for a thread, numpy takes the memory of arrays from here (its data memory handler, NEP 49)
 *   kernels  take large columns from here by the functions in the capsule `column_memory` (see column_memory.h)
 *
 * An array may outlive the budget it was made under: regions are known by their address, whatever the budget is by then.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "column_memory.h"

#define LEAST (256u << 10)          /* smaller blocks always stay in memory */
#define DISK_RESERVE (256ull << 20) /* a disk with less room than this is left alone */

typedef struct {
    uint8_t *at;
    size_t size; /* whole pages */
    int file;
} Region;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *folder;             /* NULL: no budget */
static size_t budget, in_memory; /* in_memory: bytes of large blocks, counted always, so that a budget set later knows them */
static size_t in_files;
static Region *regions; /* sorted by address */
static size_t region_count, region_room;

/* --- files as memory; call with the lock held --- */

static size_t whole_pages(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE) - 1;
    return size > SIZE_MAX - page ? 0 : (size + page) & ~page;
}

/* First region at or behind this address. */
static size_t region_at(const void *at) {
    size_t low = 0, high = region_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (regions[middle].at < (const uint8_t *)at) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int is_region(size_t i, const void *at) { return i < region_count && regions[i].at == at; }

static int region_insert(Region r) {
    if (region_count == region_room) {
        size_t room = region_room ? 2 * region_room : 64;
        Region *grown = realloc(regions, room * sizeof *grown);
        if (!grown) return 0;
        regions = grown, region_room = room;
    }
    size_t i = region_at(r.at);
    memmove(regions + i + 1, regions + i, (region_count - i) * sizeof *regions);
    regions[i] = r;
    region_count++;
    in_files += r.size;
    return 1;
}

static Region region_remove(size_t i) {
    Region r = regions[i];
    memmove(regions + i, regions + i + 1, (region_count - i - 1) * sizeof *regions);
    region_count--;
    in_files -= r.size;
    return r;
}

/* Room on the disk is taken at once: a mapping over a full disk would kill the process when it is written to. */
static int reserve(int file, size_t from, size_t to) {
    struct statvfs disk;
    if (fstatvfs(file, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < (to - from) + DISK_RESERVE) return 0;
    int done;
    do done = fallocate(file, 0, (off_t)from, (off_t)(to - from));
    while (done < 0 && errno == EINTR);
    return done == 0;
}

static int nameless_file(void) {
    int file = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) return file;
    size_t length = strlen(folder) + 32;
    char *name = malloc(length);
    if (!name) return -1;
    snprintf(name, length, "%s/.columns.XXXXXX.tmp", folder);
    file = mkostemps(name, 4, O_CLOEXEC);
    if (file >= 0) unlink(name);
    free(name);
    return file;
}

static void *map_file(size_t size) {
    Region r = {NULL, whole_pages(size), -1};
    if (!folder || !r.size || (r.file = nameless_file()) < 0) return NULL;
    void *at = MAP_FAILED;
    if (reserve(r.file, 0, r.size)) at = mmap(NULL, r.size, PROT_READ | PROT_WRITE, MAP_SHARED, r.file, 0);
    r.at = at;
    if (at != MAP_FAILED && region_insert(r)) return at;
    if (at != MAP_FAILED) munmap(at, r.size);
    close(r.file);
    return NULL;
}

static void *grow_file(size_t i, size_t size) {
    Region r = regions[i];
    size_t whole = whole_pages(size);
    if (!whole || (whole > r.size && !reserve(r.file, r.size, whole))) return NULL;
    void *moved = mremap(r.at, r.size, whole, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) return NULL;
    region_remove(i);
    if (whole < r.size && ftruncate(r.file, (off_t)whole) < 0) errno = 0; /* the disk keeps the rest until the file closes */
    region_insert((Region){moved, whole, r.file}); /* there is room: one was removed */
    return moved;
}

static void drop_file(size_t i) {
    Region r = region_remove(i);
    munmap(r.at, r.size);
    close(r.file);
}

static int is_over(size_t size) { return folder && size >= LEAST && (in_memory > budget || size > budget - in_memory); }

/* --- for the kernels --- */

static void *column_map(size_t size) {
    pthread_mutex_lock(&lock);
    void *at = is_over(size) ? map_file(size) : NULL;
    pthread_mutex_unlock(&lock);
    return at;
}

static int column_resize(void **at, size_t size) {
    pthread_mutex_lock(&lock);
    size_t i = region_at(*at);
    int mine = is_region(i, *at);
    if (mine && size) *at = grow_file(i, size);
    else if (mine) drop_file(i), *at = NULL;
    pthread_mutex_unlock(&lock);
    return mine;
}

static void column_count(size_t less, size_t more) {
    pthread_mutex_lock(&lock);
    in_memory = in_memory + more > less ? in_memory + more - less : 0;
    pthread_mutex_unlock(&lock);
}

static const ColumnMemory column_memory = {column_map, column_resize, column_count};

/* --- for numpy: the form of its handlers is part of its stable interface since 1.22 --- */

typedef struct {
    char name[127];
    uint8_t version;
    struct {
        void *context;
        void *(*malloc)(void *, size_t);
        void *(*calloc)(void *, size_t, size_t);
        void *(*realloc)(void *, void *, size_t);
        void (*free)(void *, void *, size_t);
    } allocator;
} NumpyHandler;

enum { NUMPY_SET_HANDLER = 304 };

static void count_block(void *at, int sign) {
    size_t size = at ? malloc_usable_size(at) : 0;
    if (size >= LEAST) column_count(sign < 0 ? size : 0, sign > 0 ? size : 0);
}

static void *array_malloc(void *context, size_t size) {
    (void)context;
    void *at = size >= LEAST ? column_map(size) : NULL;
    if (!at) count_block(at = malloc(size ? size : 1), 1);
    return at;
}

static void *array_calloc(void *context, size_t count, size_t each) {
    (void)context;
    size_t size;
    if (__builtin_mul_overflow(count, each, &size)) return NULL;
    void *at = size >= LEAST ? column_map(size) : NULL; /* zero, as fresh files are */
    if (!at) count_block(at = calloc(size ? size : 1, 1), 1);
    return at;
}

static void array_free(void *context, void *at, size_t size) {
    (void)context;
    if (!at) return;
    (void)size;
    if (!((uintptr_t)at & 4095) && column_resize(&at, 0)) return; /* what malloc gives never begins a page: its own words stand there */
    count_block(at, -1);
    free(at);
}

static size_t file_size_of(const void *at) { /* 0: not in a file */
    pthread_mutex_lock(&lock);
    size_t i = region_at(at), size = is_region(i, at) ? regions[i].size : 0;
    pthread_mutex_unlock(&lock);
    return size;
}

static void *array_realloc(void *context, void *at, size_t size) {
    if (!at) return array_malloc(context, size);
    size_t old = file_size_of(at);
    if (old && size >= LEAST) {
        void *moved = at;
        column_resize(&moved, size);
        return moved;
    }
    if (old || (size >= LEAST && malloc_usable_size(at) < size)) { /* it changes sides, or may */
        if (!old) old = malloc_usable_size(at);
        void *other = array_malloc(context, size);
        if (!other) return NULL;
        memcpy(other, at, old < size ? old : size);
        array_free(context, at, old);
        return other;
    }
    count_block(at, -1);
    void *moved = realloc(at, size ? size : 1);
    count_block(moved ? moved : at, 1);
    return moved;
}

static NumpyHandler handler = {"hlprof_columns", 1, {NULL, array_malloc, array_calloc, array_realloc, array_free}};

static PyObject *numpy_set_handler(PyObject *wanted) {
    PyObject *module = PyImport_ImportModule("numpy._core._multiarray_umath");
    PyObject *table = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    void **functions = table ? PyCapsule_GetPointer(table, NULL) : NULL;
    PyObject *before = functions ? ((PyObject *(*)(PyObject *))functions[NUMPY_SET_HANDLER])(wanted) : NULL;
    Py_XDECREF(table);
    Py_XDECREF(module);
    return before;
}

/* --- the module --- */

static PyObject *set_budget(PyObject *self, PyObject *args) {
    (void)self;
    Py_ssize_t size;
    const char *path;
    if (!PyArg_ParseTuple(args, "zn:set_budget", &path, &size)) return NULL;
    if (size < 0) return PyErr_Format(PyExc_ValueError, "set_budget: a size of %zd bytes", size);
    char *copy = path ? strdup(path) : NULL;
    if (path && !copy) return PyErr_NoMemory();
    pthread_mutex_lock(&lock);
    free(folder);
    folder = copy, budget = (size_t)size;
    pthread_mutex_unlock(&lock);
    Py_RETURN_NONE;
}

static PyObject *enter(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    PyObject *capsule = PyCapsule_New(&handler, "mem_handler", NULL);
    PyObject *before = capsule ? numpy_set_handler(capsule) : NULL;
    Py_XDECREF(capsule);
    return before;
}

static PyObject *leave(PyObject *self, PyObject *before) {
    (void)self;
    PyObject *ours = numpy_set_handler(before);
    if (!ours) return NULL;
    Py_DECREF(ours);
    Py_RETURN_NONE;
}

static PyObject *usage(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    pthread_mutex_lock(&lock);
    size_t memory = in_memory, files = in_files;
    pthread_mutex_unlock(&lock);
    return Py_BuildValue("nn", (Py_ssize_t)memory, (Py_ssize_t)files);
}

static PyObject *in_force(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    return PyBool_FromLong(folder != NULL);
}

static PyMethodDef methods[] = {
    {"set_budget", set_budget, METH_VARARGS, "set_budget(folder or None, bytes): from now on, of large columns."},
    {"enter", enter, METH_NOARGS, "Arrays made in this thread from now on keep within the budget; returns what `leave` takes."},
    {"leave", leave, METH_O, "Undo `enter`."},
    {"in_force", in_force, METH_NOARGS, "Whether there is a budget."},
    {"usage", usage, METH_NOARGS, "Bytes of large columns in memory and in files."},
    {NULL, NULL, 0, NULL},
};

static int add_capsule(PyObject *module) {
    PyObject *capsule = PyCapsule_New((void *)&column_memory, COLUMN_MEMORY, NULL);
    if (!capsule) return -1;
    int done = PyModule_AddObjectRef(module, "column_memory", capsule);
    Py_DECREF(capsule);
    return done;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_capsule}, {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "budget", "Memory of columns within a budget", 0, methods, slots, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_budget(void) { return PyModuleDef_Init(&definition); }
