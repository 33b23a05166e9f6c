/* Calls every function of the kernels with arrays made from whatever bytes there are. Arrays have exactly the size they claim, so that the
 * address sanitizer sees one item too far; sizes and contents mostly fit together, sometimes not. A kernel must answer or raise.
 *
 *   fuzz_kernels SEED ROUNDS [FILE...]    each file as it is, then random bytes
 *   with -DLIBFUZZER: an entry point for clang -fsanitize=fuzzer
 *
 * The kernels are compiled beside it, with the sanitizers, and linked in; Python is embedded.
 */
#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_bytes.h"

extern PyObject *PyInit_layout(void), *PyInit_levels(void), *PyInit_columns(void), *PyInit_find(void), *PyInit_curves(void), *PyInit_scan(void),
    *PyInit_arguments(void);

/* What a function takes, in words. Sizes: letters a to e are drawn for each call, x is a*e, y is b*e, q is 6*b, f is 4*b, i is 12*b, v is 8*b, z is 3, 6 is 6, @ is 256, * is 64; a + makes
 * one more. Words:
 *
 *   4a:s    an array of 4-byte items, a of them, of style s     ?4a:s   or None, the same for all of the call     !4a:s   or None
 *   4x/e:s  x items in lines of e, which may lie apart
 *   =a      a size as an integer    #   any integer    .   a small one    ~   a float from 0 to 1
 *   ( )     the words between them make a tuple
 *
 * Styles: r any, w zeros (for results), t times, u rising times, U the array before plus a little, k the array before, b 0 or 1, f small floats,
 * F doubles, c doubles near 0, p phases, n letters of numbers, l few letters, j signs of JSON, s+size numbers below it, o+size offsets that rise up to it, e+size numbers below it or
 * all ones, g numbers of earlier items or -1, h depths, m heights.
 */
static const struct { const char *module, *function, *takes; } CALLS[] = {
    {"layout", "survey", "1a:p 8a:t 8a:t 4a:sb 1@:s6 1a:w 8b:w 8b:w 8@:w"},
    {"layout", "group", "4a:sb ?8a:t !1a:b =b 4a:w 8b+:w"},
    {"layout", "match", "4a:sc 8b+:oa 1c:p 8c:t 8c:t 4c:sd =d # 4a:w 8a:w 8a:w 4a:w 1a:w 8b+:w"},
    {"layout", "nest", "8b+:oa 8a:u 8a:U # 4a:w 4a:w ?4a:w 4b:w"},
    {"layout", "nest", "8b+:oa 8a:u 8a:t # 4a:w 4a:w ?4a:w 4b:w"},
    {"layout", "pack", "8b+:oa 8a:u 8a:U 4a:w"},
    {"layout", "bind", "8b+:oa 8a:u 8a:U 8b+:oc 8c:u 1c:b 4c:w"},
    {"layout", "settle",
     "( 8b+:oa 8b:k 4b:m 4a:sc 4a:ec 8a:u 8a:U 1a:r 4a:g 4a:h 4c:r 4c:r 8c:r 4c:r 8a:w 8a:w 4a:w 2a:w 4a:w 4a:w 4a:w 8a:w 4a:w 1a:w "
     "4a:w 8b:w 8@:w 4a:w 4a:w ) ."},
    {"levels", "count_runs", "8a:u 8b+:oa . =b . 8b:w"},
    {"levels", "merge_runs", "8a:u 8a:sa 8b+:oa ?4a:f ?4a:f ?4a:sa ?4a:sa 8b+:oa 8a:w 8a:w 4a:w 4a:w 4a:w 4a:w . =b ."},
    {"levels", "merge_runs", "8a:u 8a:sa 8b+:oa ?4a:f ?4a:f ?4a:sa ?4a:sa 8b+:k 8a:w 8a:w 4a:w 4a:w 4a:w 4a:w . =b ."},
    {"levels", "hash_names", "1a:r 8b+:oa 4b:w"},
    {"columns", "raster_strips",
     "( 8c:u 8c:sb 8b+:oc ?4c:f ?4c:f ?4c:sc ?4c:sc 8a+:od 8d:sb 1c:r 4@:w 4x:w !4x:w !4x:w !4x:w !4*:w ) # # . =e ~ ~ . ~"},
    {"columns", "counter_columns", "8a:u 8a:F . =a 8a:F 8a:F . # # 8e:w 8e:w"},
    {"columns", "place_labels", "( 4f:s* 4b:sc 8b:t 4b:r 4c:e@ 4c:r 4c:s* 8c:s@ 8d:u 4z:s* 4i:w ) . . . ."},
    {"columns", "place_labels", "( 4f:h 4b:sc 8b:t 4b:r 4c:s* 4c:r 4c:s* 8c:h 8d:u 4z:s* 4i:w ) . . . #"},
    {"columns", "place_lines", "4y:r 8a:sb 4x/e:w"},
    {"columns", "blit_labels", "4x/e:w 1y:l =e . 4q:sa"},
    {"columns", "blit_labels", "4x/e:w 1y:l =e . 4q:r"},
    {"curves", "cover_curves", "1x:w =e 8v:c"},
    {"curves", "cover_curves", "1x:w =e 8v:F"},
    {"curves", "blend_cover", "1x:r # # 4x/e:r"},
    {"find", "find_first", "1a:l 1b:l"},
    {"find", "mark_texts", "1a:l . 1b:l 8c:u 8c:U 1c:w"},
    {"arguments", "mark_hindrances", "1a:j 8c:sa 8c:U . 1c:w"},
    {"arguments", "find_values", "1a:j 8c:sa 8c:U 1b:l . 1c:w 8c:w 8c:w 8c:w"},
    {"arguments", "group_texts", "1a:j 8c:sa 8c:U 4c:w 4c:w"},
    {"scan", "translate", "4a:sb 4b:r"},
    {"scan", "find_event", "1a:r =a . ."},
    {"scan", "value_end", "1a:r =a ."},
    {"scan", "time_ns", "1a:n"},
    {"scan", "text", "1a:r"},
};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS, MOST_ARRAYS = 48, MOST = 40 };

typedef struct {
    Source source;
    int64_t sizes[128]; /* by letter */
    int with_optional;
    void *arrays[MOST_ARRAYS];
    int count;
    int64_t last_items;
    int last_width;
} Call;

static int64_t any_integer(Source *s) {
    switch (take(s) % 8) {
    case 4: return INT64_MAX - take(s);
    case 5: return INT64_MIN + take(s);
    case 6: return (int64_t)take_wide(s);
    case 7: return -(int64_t)take(s);
    default: return (int64_t)take(s) + take(s);
    }
}

static void put(void *array, int width, int64_t i, int64_t value) { memcpy((char *)array + i * width, &value, (size_t)width); }
static int64_t get(const void *array, int width, int64_t i) {
    int64_t value = 0;
    memcpy(&value, (const char *)array + i * width, (size_t)width);
    return value;
}

/* Times at the very end of int64 are wanted: the sum that makes them must not be what the sanitizer stops at. */
static int64_t wrapped_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static void fill(Call *c, void *array, int width, int64_t items, const char *style) {
    Source *s = &c->source;
    const int64_t below = style[1] ? c->sizes[(int)style[1]] : 0;
    const void *before = c->count ? c->arrays[c->count - 1] : NULL;
    const int wild = take(s) % 16 == 0;
    int64_t run = *style == 'u' ? any_integer(s) / 2 : 0;
    for (int64_t i = 0; i < items; i++) {
        int64_t value = 0;
        const int has_before = i < c->last_items;
        switch (wild && *style != 'w' ? 'r' : *style) {
        case 'w': break;
        case 't': value = any_integer(s); break;
        case 'u': value = run; run += take(s) % 8 ? take(s) % 8 : take(s) * 1000; break;
        case 'U': value = wrapped_sum(has_before ? get(before, c->last_width, i) : 0, take(s) % 8 ? take(s) % 16 : (int64_t)take_wide(s) % 100000); break;
        case 'k': value = has_before ? get(before, c->last_width, i) : 0; break;
        case 'b': value = take(s) % 3; break;
        case 'p': value = "BEXBE"[take(s) % 5]; break;
        case 'n': value = "0123456789.eE+-\" "[take(s) % 17]; break;
        case 'l': value = "aAbB"[take(s) % 4]; break;
        case 'j': value = "{{}\"\"::,,[]a.1-0eu\\ \xc3"[take(s) % 21]; break;
        case 's': value = below > 0 ? take(s) % below : take(s); break;
        case 'e': value = take(s) % 3 == 0 ? -1 : below > 0 ? take(s) % below : 0; break;
        case 'g': value = i && take(s) % 2 ? take(s) % i : -1; break;
        case 'h': value = take(s) % 4 - (take(s) % 16 == 0); break;
        case 'f': { float f = (float)take(s); memcpy(&value, &f, 4); break; }
        case 'c': { double d = take(s) * 0.5 - (take(s) % 4 ? 0 : 32); memcpy(&value, &d, 8); break; }
        case 'F': { double d = (double)any_integer(s); memcpy(&value, &d, 8); break; }
        case 'o': value = run; run += below > run ? take(s) % (below - run + 1) : 0; if (i + 2 == items && below > run) run = below; break;
        case 'm': value = 3 + take(s) % 3; break;
        default: for (int k = 0; k < width; k++) value = (int64_t)((uint64_t)value << 8 | take(s));
        }
        put(array, width, i, value);
    }
}

static PyObject *new_array(Call *c, const char *word) {
    const int width = *word++ - '0';
    int64_t items = c->sizes[(int)*word++];
    if (*word == '+') items++, word++;
    if (take(&c->source) % 64 == 0) items += take(&c->source) % 3 - 1;
    if (items < 0) items = 0;
    int64_t width_of_line = 0, lines = 0, stride = 0;
    if (*word == '/') {
        width_of_line = c->sizes[(int)word[1]], lines = width_of_line ? items / width_of_line : 0, word += 2;
        stride = width_of_line + take(&c->source) % 3;
        items = lines ? (lines - 1) * stride + width_of_line : 0; /* nothing behind the last line */
    }
    void *array = malloc((size_t)(items * width) + (items == 0)); /* exact */
    if (!array || c->count == MOST_ARRAYS) abort();
    fill(c, array, width, items, word + 1);
    c->arrays[c->count++] = array, c->last_items = items, c->last_width = width;
    Py_ssize_t shape[2] = {items, width_of_line}, strides[2] = {width, width};
    if (stride) shape[0] = lines, strides[0] = stride * width;
    static char *const formats[] = {[1] = "B", [2] = "H", [4] = "I", [8] = "q"};
    Py_buffer view = {.buf = array, .len = stride ? lines * width_of_line * width : items * width, .itemsize = width, .ndim = stride ? 2 : 1, .format = formats[width], .shape = shape, .strides = strides};
    return PyMemoryView_FromBuffer(&view);
}

static PyObject *make(Call *c, const char *word) {
    Source *s = &c->source;
    switch (*word) {
    case '?': if (!c->with_optional) Py_RETURN_NONE; return new_array(c, word + 1);
    case '!': if (take(s) % 2) Py_RETURN_NONE; return new_array(c, word + 1);
    case '=': return PyLong_FromLongLong(c->sizes[(int)word[1]] + (take(s) % 64 == 0 ? take(s) % 3 - 1 : 0));
    case '#': return PyLong_FromLongLong(any_integer(s));
    case '.': return PyLong_FromLongLong(take(s) % 8 ? take(s) % 4 : any_integer(s));
    case '~': return PyFloat_FromDouble(take(s) / 255.0);
    default: return new_array(c, word);
    }
}

static PyObject *words_to_objects(Call *c, char **rest) {
    PyObject *list = PyList_New(0);
    for (char *word; list && (word = strtok_r(NULL, " ", rest)) && *word != ')';) {
        PyObject *object = *word == '(' ? words_to_objects(c, rest) : make(c, word);
        if (!object || PyList_Append(list, object) < 0) abort();
        Py_DECREF(object);
    }
    PyObject *tuple = PyList_AsTuple(list);
    Py_DECREF(list);
    return tuple;
}

static PyObject *modules[CALL_COUNT];
static long tried[CALL_COUNT], answered[CALL_COUNT];

/* What comes back is an answer or one of the exceptions that kernels may raise. */
static void check(PyObject *result, const char *what) {
    if (!!result == !PyErr_Occurred()) {
        if (result || PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_IndexError) ||
            PyErr_ExceptionMatches(PyExc_OverflowError) || PyErr_ExceptionMatches(PyExc_MemoryError)) {
            PyErr_Clear();
            return;
        }
    }
    fprintf(stderr, "%s: result %p\n", what, (void *)result);
    PyErr_Print();
    abort();
}

/* Through a file and a buffer of `room` bytes, which grows as it must. */
static void feed_file(PyObject *scanner, const char *text, int64_t size, int64_t room) {
    int fd = memfd_create("events", 0);
    if (fd < 0 || write(fd, text, (size_t)size) != size) abort();
    char *buffer = malloc((size_t)room);
    long long at = 0, kept = 0;
    for (int state = 0; state == 0;) {
        PyObject *view = PyMemoryView_FromMemory(buffer, room, PyBUF_WRITE);
        PyObject *result = PyObject_CallMethod(scanner, "feed_file", "iOLLLO", fd, view, kept, at, (long long)INT64_MAX, Py_None);
        check(result, "feed_file");
        if (!result || !PyArg_ParseTuple(result, "iLL", &state, &at, &kept)) state = -1;
        Py_XDECREF(result);
        Py_DECREF(view);
        char *larger = malloc((size_t)(room *= 2));
        memcpy(larger, buffer, (size_t)kept);
        free(buffer);
        buffer = larger;
    }
    free(buffer);
    close(fd);
}

static void try_scanner(Source *s, PyObject *module) {
    static const char *const getters[] = {"rows", "counts", "phases", "damages", "meta", "aside", "stacks", "take_events", "take_samples"};
    PyObject *scanners = PyList_New(0);
    for (int number = 0; number < 2; number++) {
        PyObject *scanner = PyObject_CallMethod(module, "Scanner", "i", take(s));
        if (!scanner) abort();
        int64_t size = s->size - s->at;
        if (number == 0) size /= 2;
        char *text = malloc((size_t)size + (size == 0));
        memcpy(text, s->data + s->at, (size_t)size);
        s->at += size;
        if (number == 0) {
            PyObject *view = PyMemoryView_FromMemory(text, size, PyBUF_READ);
            PyObject *result = PyObject_CallMethod(scanner, "feed", "OLLLi", view, (long long)size, 0LL, (long long)INT64_MAX, 1);
            check(result, "feed");
            Py_XDECREF(result);
            Py_DECREF(view);
        } else {
            feed_file(scanner, text, size, 1 + size % 97);
        }
        free(text);
        PyList_Append(scanners, scanner);
        Py_DECREF(scanner);
    }
    PyObject *merged = PyObject_CallMethod(module, "merge_texts", "O", scanners);
    check(merged, "merge_texts");
    Py_XDECREF(merged);
    for (int number = 0; number < 2; number++)
        for (size_t i = 0; i < sizeof getters / sizeof *getters; i++) {
            PyObject *result = PyObject_CallMethod(PyList_GetItem(scanners, number), getters[i], NULL);
            check(result, getters[i]);
            Py_XDECREF(result);
        }
    Py_DECREF(scanners);
}

static void try_input(const uint8_t *data, size_t size) {
    Call c = {.source = {data, (int64_t)size, 0}};
    Source *s = &c.source;
    const unsigned which = take(s) % (CALL_COUNT + 1);
    if (which == CALL_COUNT) {
        try_scanner(s, modules[CALL_COUNT - 1]);
        return;
    }
    for (const char *letter = "abcde"; *letter; letter++) c.sizes[(int)*letter] = take(s) % MOST;
    c.sizes['x'] = c.sizes['a'] * c.sizes['e'], c.sizes['y'] = c.sizes['b'] * c.sizes['e'], c.sizes['q'] = 6 * c.sizes['b'], c.sizes['v'] = 8 * c.sizes['b'];
    c.sizes['f'] = 4 * c.sizes['b'], c.sizes['i'] = 12 * c.sizes['b'], c.sizes['z'] = 3, c.sizes['6'] = 6;
    c.sizes['@'] = 256, c.sizes['*'] = 64;
    c.with_optional = take(s) % 2;
    char words[512], *rest = words;
    snprintf(words, sizeof words, "%s", CALLS[which].takes);
    PyObject *arguments = words_to_objects(&c, &rest);
    PyObject *function = PyObject_GetAttrString(modules[which], CALLS[which].function);
    if (!arguments || !function) abort();
    PyObject *result = PyObject_Call(function, arguments, NULL);
    tried[which]++, answered[which] += result != NULL;
    check(result, CALLS[which].function);
    Py_XDECREF(result);
    Py_DECREF(function);
    Py_DECREF(arguments);
    while (c.count) free(c.arrays[--c.count]);
}

static void begin(void) {
    PyImport_AppendInittab("layout", PyInit_layout);
    PyImport_AppendInittab("levels", PyInit_levels);
    PyImport_AppendInittab("columns", PyInit_columns);
    PyImport_AppendInittab("curves", PyInit_curves);
    PyImport_AppendInittab("find", PyInit_find);
    PyImport_AppendInittab("arguments", PyInit_arguments);
    PyImport_AppendInittab("scan", PyInit_scan);
    Py_Initialize();
    for (int i = 0; i < CALL_COUNT; i++)
        if (!(modules[i] = PyImport_ImportModule(CALLS[i].module))) PyErr_Print(), abort();
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int begun;
    if (!begun) begin(), begun = 1;
    try_input(data, size);
    return 0;
}
#else
int main(int count, char **words) {
    if (count < 3) return 2;
    __sanitizer_set_death_callback(write_last);
    begin();
    for (int i = 3; i < count; i++) {
        static uint8_t input[1 << 16];
        FILE *file = fopen(words[i], "rb");
        if (!file) return 2;
        size_t size = fread(input, 1, sizeof input, file);
        fclose(file);
        tried_data = input, tried_size = size;
        try_input(input, size);
    }
    uint64_t seed = strtoull(words[1], NULL, 10);
    uint8_t data[2048];
    for (long round = 0; round < strtol(words[2], NULL, 10); round++) {
        uint64_t state = seed * 0x9E3779B97F4A7C15ull + (uint64_t)round * 1000003 + 1;
        for (size_t i = 0; i < sizeof data; i++) data[i] = random_byte(&state);
        tried_data = data, tried_size = sizeof data;
        try_input(data, sizeof data);
    }
    for (int i = 0; i < CALL_COUNT; i++) printf("%s.%s: %ld of %ld answered\n", CALLS[i].module, CALLS[i].function, answered[i], tried[i]);
    return 0;
}
#endif
