/* The Python side of scan: a Scanner type, columns that are handed over without a copy, and merging of what several scanners found. */

/* --- Column: memory that a scanner gave away, as a writable buffer of bytes --- */

typedef struct {
    PyObject_HEAD
    void *data;
    size_t size;
} Column;

static PyTypeObject *column_type, *scanner_type;

static void column_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    memory_resize(((Column *)self)->data, ((Column *)self)->size, 0);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static int column_buffer(PyObject *self, Py_buffer *view, int flags) {
    Column *c = (Column *)self;
    static char nothing[8];
    return PyBuffer_FillInfo(view, self, c->data ? c->data : nothing, (Py_ssize_t)c->size, 0, flags);
}

static PyType_Slot column_slots[] = {{Py_tp_dealloc, column_dealloc}, {Py_bf_getbuffer, column_buffer}, {Py_tp_doc, "Memory of one column."}, {0, NULL}};
static PyType_Spec column_spec = {"hlprof_core._kernels.scan.Column", sizeof(Column), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots};

/* Wraps memory of `room` bytes from memory_resize, cut to `size`; takes it over even when it fails. */
static PyObject *column_new(void *data, size_t room, size_t size) {
    Column *c = (Column *)PyType_GenericAlloc(column_type, 0);
    void *cut = c && size ? memory_resize(data, room, size) : NULL;
    if (!cut) {
        memory_resize(data, room, 0);
        if (c && size) {
            Py_DECREF(c);
            return PyErr_NoMemory();
        }
        if (!c) return NULL;
    }
    c->data = cut;
    c->size = size;
    return (PyObject *)c;
}

/* --- Scanner --- */

typedef struct {
    PyObject_HEAD
    Scanner scanner;
    int busy;
    int64_t reached; /* file offset; other threads look while it moves */
} ScannerObject;

static PyObject *scanner_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    Py_ssize_t expected = 0;
    if ((kwargs && PyDict_Size(kwargs)) || !PyArg_ParseTuple(args, "|n:Scanner", &expected)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "Scanner takes no keyword arguments");
        return NULL;
    }
    if (expected < 0 || expected > ((Py_ssize_t)1 << 40)) return PyErr_Format(PyExc_ValueError, "expected events: %zd", expected);
    ScannerObject *self = (ScannerObject *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    if (!scanner_init(&self->scanner, (size_t)expected)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void scanner_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    scanner_free(&((ScannerObject *)self)->scanner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *scanner_feed(PyObject *object, PyObject *args) {
    ScannerObject *self = (ScannerObject *)object;
    PyObject *source;
    Py_ssize_t size;
    long long base, stop, used = 0;
    int final, status;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "OnLLp:feed", &source, &size, &base, &stop, &final)) return NULL;
    Py_ssize_t length = kernel_view(source, &view, 1, 0, "buffer");
    if (length < 0) return NULL;
    if (size < 0 || size > length || base < 0 || base > INT64_MAX - size || self->busy) {
        PyBuffer_Release(&view);
        return PyErr_Format(PyExc_ValueError, self->busy ? "the scanner is in use" : "%zd bytes at %lld of a buffer of %zd", size, base, length);
    }
    int64_t place = 0;
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS
    status = run_scan(&self->scanner, view.buf, size, base, stop, final, &place);
    Py_END_ALLOW_THREADS
    self->busy = 0;
    __atomic_store_n(&self->reached, used = place, __ATOMIC_RELAXED);
    PyBuffer_Release(&view);
    return status == SCAN_NO_MEMORY ? PyErr_NoMemory() : Py_BuildValue("iL", status, used);
}

static PyObject *scanner_feed_file(PyObject *object, PyObject *args) {
    ScannerObject *self = (ScannerObject *)object;
    PyObject *room, *watch;
    int fd, status, failure = 0;
    long long kept, at, stop;
    Py_buffer view, watch_buffer;
    int64_t *cells;
    if (!PyArg_ParseTuple(args, "iOLLLO:feed_file", &fd, &room, &kept, &at, &stop, &watch)) return NULL;
    Py_ssize_t length = kernel_view(room, &view, 1, 1, "buffer");
    if (length < 0) return NULL;
    if (watch_view(watch, &watch_buffer, &cells) < 0) {
        PyBuffer_Release(&view);
        return NULL;
    }
    if (length == 0 || kept < 0 || kept > length || at < 0 || at > INT64_MAX - length || self->busy) {
        PyErr_Format(PyExc_ValueError, self->busy ? "the scanner is in use" : "%lld bytes kept at %lld in a buffer of %zd", kept, at, length);
    } else {
        int64_t left = kept, place = at;
        self->busy = 1;
        Py_BEGIN_ALLOW_THREADS
        status = scan_file(&self->scanner, fd, view.buf, length, &left, &place, stop, cells, &self->reached);
        failure = errno;
        Py_END_ALLOW_THREADS
        self->busy = 0;
        kept = left, at = place;
    }
    watch_release(&watch_buffer, cells);
    PyBuffer_Release(&view);
    if (PyErr_Occurred()) return NULL;
    if (status == SCAN_NO_MEMORY) return PyErr_NoMemory();
    errno = failure;
    return status == READ_FAILED ? PyErr_SetFromErrno(PyExc_OSError) : Py_BuildValue("iLL", status, at, kept);
}

static PyObject *take_columns(Table *t) {
    PyObject *result = PyTuple_New(t->columns);
    for (int i = 0; result && i < t->columns; i++) {
        PyObject *column = column_new(t->column[i], t->room[i] * t->widths[i], t->count * t->widths[i]);
        t->column[i] = NULL, t->room[i] = 0;
        if (!column || PyTuple_SetItem(result, i, column) < 0) Py_CLEAR(result);
    }
    table_free(t);
    return result;
}

static PyObject *scanner_take_events(PyObject *self, PyObject *none) { return (void)none, take_columns(&((ScannerObject *)self)->scanner.events); }
static PyObject *scanner_take_samples(PyObject *self, PyObject *none) { return (void)none, take_columns(&((ScannerObject *)self)->scanner.samples); }

static PyObject *token_bytes(const Tokens *tokens, uint32_t i) {
    const Token *t = tokens->tokens + i;
    return PyBytes_FromStringAndSize(t->length ? (const char *)tokens->arena.data + t->offset : "", (Py_ssize_t)t->length);
}

static PyObject *scanner_rows(PyObject *self, PyObject *none) {
    const Scanner *s = &((ScannerObject *)self)->scanner;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)s->rows.count);
    for (uint32_t i = 0; list && i < s->rows.count; i++) {
        PyObject *pair = PyTuple_New(2);
        PyObject *pid = token_bytes(&s->tokens, (uint32_t)(s->rows.keys[i] >> 32)), *tid = token_bytes(&s->tokens, (uint32_t)s->rows.keys[i]);
        if (!pair || !pid || !tid) {
            Py_XDECREF(pair), Py_XDECREF(pid), Py_XDECREF(tid);
            Py_CLEAR(list);
            break;
        }
        PyTuple_SetItem(pair, 0, pid);
        PyTuple_SetItem(pair, 1, tid);
        PyList_SetItem(list, (Py_ssize_t)i, pair);
    }
    return list;
}

static PyObject *scanner_counts(PyObject *self, PyObject *none) {
    const Scanner *s = &((ScannerObject *)self)->scanner;
    (void)none;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < COUNTS; i++) {
        const Count *c = s->counts + i;
        Py_ssize_t shown = c->count < FIRST_PLACES ? (Py_ssize_t)c->count : FIRST_PLACES;
        PyObject *places = PyTuple_New(shown);
        for (Py_ssize_t k = 0; places && k < shown; k++) {
            PyObject *place = PyLong_FromLongLong(c->first[k]);
            if (!place || PyTuple_SetItem(places, k, place) < 0) Py_CLEAR(places);
        }
        PyObject *entry = places ? Py_BuildValue("LN", (long long)c->count, places) : NULL;
        if (!entry || PyDict_SetItemString(dict, count_names[i], entry) < 0) Py_CLEAR(dict);
        Py_XDECREF(entry);
    }
    return dict;
}

static PyObject *scanner_phases(PyObject *self, PyObject *none) {
    const Scanner *s = &((ScannerObject *)self)->scanner;
    (void)none;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < 256; i++) {
        if (!s->phases[i]) continue;
        PyObject *key = PyUnicode_FromOrdinal(i), *value = PyLong_FromLongLong(s->phases[i]);
        if (!key || !value || PyDict_SetItem(dict, key, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(key), Py_XDECREF(value);
    }
    return dict;
}

static PyObject *scanner_damages(PyObject *self, PyObject *none) {
    const Scanner *s = &((ScannerObject *)self)->scanner;
    (void)none;
    Py_ssize_t n = (Py_ssize_t)(s->damages.size / sizeof(Damage));
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        Damage d;
        memcpy(&d, s->damages.data + (size_t)i * sizeof d, sizeof d);
        PyObject *entry = Py_BuildValue("LLO", (long long)d.start, (long long)d.size, d.cut ? Py_True : Py_False);
        if (!entry || PyList_SetItem(list, i, entry) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *scanner_meta(PyObject *self, PyObject *none) {
    const Scanner *s = &((ScannerObject *)self)->scanner;
    (void)none;
    Py_ssize_t n = (Py_ssize_t)(s->meta_starts.size / sizeof(size_t));
    PyObject *starts = PyList_New(n);
    for (Py_ssize_t i = 0; starts && i < n; i++) {
        size_t at;
        memcpy(&at, s->meta_starts.data + (size_t)i * sizeof at, sizeof at);
        PyObject *value = PyLong_FromSize_t(at);
        if (!value || PyList_SetItem(starts, i, value) < 0) Py_CLEAR(starts);
    }
    if (!starts) return NULL;
    return Py_BuildValue("y#N", s->meta.data ? (const char *)s->meta.data : "", (Py_ssize_t)s->meta.size, starts);
}

static PyObject *scanner_aside(PyObject *self, PyObject *none) {
    const Scanner *s = &((ScannerObject *)self)->scanner;
    (void)none;
    return PyBytes_FromStringAndSize(s->aside.data ? (const char *)s->aside.data : "", (Py_ssize_t)s->aside.size);
}

static PyObject *scanner_stacks(PyObject *self, PyObject *none) {
    const Scanner *s = &((ScannerObject *)self)->scanner;
    (void)none;
    PyObject *texts = PyList_New((Py_ssize_t)s->stacks.count);
    for (uint32_t i = 0; texts && i < s->stacks.count; i++) {
        PyObject *text = token_bytes(&s->stacks, i);
        if (!text || PyList_SetItem(texts, (Py_ssize_t)i, text) < 0) Py_CLEAR(texts);
    }
    if (!texts) return NULL;
    return Py_BuildValue("y#N", s->stacked.data ? (const char *)s->stacked.data : "", (Py_ssize_t)s->stacked.size, texts);
}

static PyObject *scanner_event_count(PyObject *self, void *none) { return (void)none, PyLong_FromSize_t(((ScannerObject *)self)->scanner.events.count); }

static PyMethodDef scanner_methods[] = {
    {"feed", scanner_feed, METH_VARARGS, "feed(buffer, size, base, stop, final) -> (status, used)"},
    {"feed_file", scanner_feed_file, METH_VARARGS, "feed_file(fd, buffer, kept, at, stop, watch) -> (status, used, kept)"},
    {"take_events", scanner_take_events, METH_NOARGS, "Columns of the events; the scanner gives them away."},
    {"take_samples", scanner_take_samples, METH_NOARGS, "Columns of the counter samples; the scanner gives them away."},
    {"rows", scanner_rows, METH_NOARGS, "Raw (pid, tid) of each row number."},
    {"counts", scanner_counts, METH_NOARGS, "name -> (count, first offsets) of what could not be used."},
    {"phases", scanner_phases, METH_NOARGS, "phase -> events met."},
    {"damages", scanner_damages, METH_NOARGS, "(offset, bytes, cut) of each unreadable stretch."},
    {"aside", scanner_aside, METH_NOARGS, "i8 offset and length of each event of objects and samples, and of its arguments."},
    {"stacks", scanner_stacks, METH_NOARGS, "i8 number, begin and end text of each event with a stack; the texts."},
    {"meta", scanner_meta, METH_NOARGS, "Metadata events joined by commas, and where each starts."},
    {NULL, NULL, 0, NULL},
};
static PyObject *scanner_reached(PyObject *self, void *none) {
    (void)none;
    return PyLong_FromLongLong(__atomic_load_n(&((ScannerObject *)self)->reached, __ATOMIC_RELAXED));
}

static PyGetSetDef scanner_members[] = {{"event_count", scanner_event_count, NULL, "Events stored so far.", NULL},
                                        {"reached", scanner_reached, NULL, "File offset reached so far.", NULL},
                                        {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot scanner_slots[] = {{Py_tp_new, scanner_new},         {Py_tp_dealloc, scanner_dealloc}, {Py_tp_methods, scanner_methods},
                                      {Py_tp_getset, scanner_members}, {Py_tp_doc, "What one thread finds in its byte range."}, {0, NULL}};
static PyType_Spec scanner_spec = {"hlprof_core._kernels.scan.Scanner", sizeof(ScannerObject), 0, Py_TPFLAGS_DEFAULT, scanner_slots};

/* --- functions --- */

static PyObject *py_merge_texts(PyObject *module, PyObject *list) {
    (void)module;
    Py_ssize_t n = PyList_Check(list) ? PyList_Size(list) : -1;
    if (n < 0) return PyErr_Format(PyExc_TypeError, "a list of scanners wanted");
    Scanner **scanners = calloc((size_t)n + 1, sizeof *scanners);
    uint32_t **maps = calloc((size_t)n + 1, sizeof *maps);
    int64_t *offsets = NULL;
    size_t offset_bytes = 0;
    Tokens texts;
    int ok = tokens_init(&texts) && scanners && maps;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (!PyObject_TypeCheck(item, scanner_type) || ((ScannerObject *)item)->busy) {
            PyErr_SetString(PyExc_TypeError, "idle scanners wanted");
            ok = 0;
        } else scanners[i] = &((ScannerObject *)item)->scanner;
    }
    PyObject *result = NULL, *list_of_maps = NULL;
    if (ok) {
        Py_BEGIN_ALLOW_THREADS
        ok = merge_texts(scanners, n, &texts, maps) && (offsets = memory_resize(NULL, 0, offset_bytes = ((size_t)texts.count + 1) * sizeof *offsets)) != NULL;
        if (ok) {
            offsets[0] = 0; /* tokens lie in the arena in order of their numbers */
            for (uint32_t k = 0; k < texts.count; k++) offsets[k + 1] = offsets[k] + texts.tokens[k].length;
        }
        Py_END_ALLOW_THREADS
        if (!ok) PyErr_NoMemory();
    }
    if (ok && (list_of_maps = PyList_New(n))) {
        for (Py_ssize_t i = 0; list_of_maps && i < n; i++) {
            const size_t bytes = (size_t)scanners[i]->tokens.count * sizeof **maps;
            PyObject *map = column_new(maps[i], bytes, bytes);
            maps[i] = NULL;
            if (!map || PyList_SetItem(list_of_maps, i, map) < 0) Py_CLEAR(list_of_maps);
        }
        if (list_of_maps) {
            PyObject *columns = column_new(offsets, offset_bytes, offset_bytes);
            offsets = NULL;
            result = Py_BuildValue("y#NN", texts.arena.data ? (const char *)texts.arena.data : "", (Py_ssize_t)texts.arena.size, columns, list_of_maps);
        }
    }
    for (Py_ssize_t i = 0; maps && scanners && i < n; i++)
        if (maps[i]) memory_resize(maps[i], (size_t)scanners[i]->tokens.count * sizeof **maps, 0);
    memory_resize(offsets, offset_bytes, 0);
    free(maps), free(scanners);
    tokens_free(&texts);
    if (!result && !PyErr_Occurred()) PyErr_NoMemory();
    return result;
}

static PyObject *py_translate(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *column, *map;
    Py_buffer c, m;
    if (!PyArg_ParseTuple(args, "OO:translate", &column, &map)) return NULL;
    Py_ssize_t n = kernel_view(column, &c, 4, 1, "column");
    if (n < 0) return NULL;
    Py_ssize_t size = kernel_view(map, &m, 4, 0, "map");
    if (size < 0) {
        PyBuffer_Release(&c);
        return NULL;
    }
    int ok = 1;
    Py_BEGIN_ALLOW_THREADS
    uint32_t *values = c.buf;
    const uint32_t *to = m.buf;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (values[i] < (size_t)size) values[i] = to[values[i]];
        else ok = 0;
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&c);
    PyBuffer_Release(&m);
    if (!ok) return PyErr_Format(PyExc_IndexError, "a number outside the map");
    Py_RETURN_NONE;
}

static PyObject *py_find_event(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *source;
    Py_ssize_t size, start;
    int final, found;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "Onnp:find_event", &source, &size, &start, &final)) return NULL;
    Py_ssize_t length = kernel_view(source, &view, 1, 0, "buffer");
    if (length < 0) return NULL;
    int64_t place = start, spent = 0;
    if (size < 0 || size > length || start < 0 || start > size) {
        PyBuffer_Release(&view);
        return PyErr_Format(PyExc_ValueError, "%zd of %zd bytes from %zd", size, length, start);
    }
    Py_BEGIN_ALLOW_THREADS
#ifdef HLPROF_X86
    found = use_avx2 ? find_event_avx2(view.buf, &place, size, final, &spent) : find_event_base(view.buf, &place, size, final, &spent);
#else
    found = find_event_base(view.buf, &place, size, final, &spent);
#endif
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return PyLong_FromLongLong(found > 0 ? place : -1);
}

static PyObject *py_value_end(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *source;
    Py_ssize_t size, start;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "Onn:value_end", &source, &size, &start)) return NULL;
    Py_ssize_t length = kernel_view(source, &view, 1, 0, "buffer");
    if (length < 0) return NULL;
    int64_t end = -1;
    if (size < 0 || size > length || start < 0 || start > size) {
        PyBuffer_Release(&view);
        return PyErr_Format(PyExc_ValueError, "%zd of %zd bytes from %zd", size, length, start);
    }
    int escaped = 0;
    Py_BEGIN_ALLOW_THREADS
    if (start < size) end = skip_value_base(view.buf, start, size, &escaped);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return PyLong_FromLongLong(end);
}

static PyObject *py_time_ns(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "y*:time_ns", &view)) return NULL;
    int64_t value = time_ns(view.buf, view.len);
    PyBuffer_Release(&view);
    if (value == NO_TIME) Py_RETURN_NONE;
    return PyLong_FromLongLong(value);
}

static PyObject *py_text(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "y*:text", &view)) return NULL;
    Bytes text = {NULL, 0, 0};
    PyObject *result = NULL;
    if (decode_token(&text, view.buf, (size_t)view.len)) result = PyUnicode_DecodeUTF8(text.data ? (const char *)text.data : "", (Py_ssize_t)text.size, "strict");
    else PyErr_NoMemory();
    free(text.data);
    PyBuffer_Release(&view);
    return result;
}

static PyObject *py_set_wide(PyObject *module, PyObject *flag) {
    (void)module;
    int wanted = PyObject_IsTrue(flag);
    if (wanted < 0) return NULL;
    PyObject *before = PyBool_FromLong(use_avx2);
#ifdef HLPROF_X86
    use_avx2 = wanted && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
#endif
    return before;
}

static PyMethodDef functions[] = {
    {"merge_texts", py_merge_texts, METH_O, "merge_texts(scanners) -> (data, offsets, maps)"},
    {"translate", py_translate, METH_VARARGS, "translate(column, map): replace each number by map[number], in place."},
    {"find_event", py_find_event, METH_VARARGS, "find_event(buffer, size, start, final) -> offset of the next event, or -1"},
    {"value_end", py_value_end, METH_VARARGS, "value_end(buffer, size, start) -> offset behind the value, -1 not here, -2 no value"},
    {"time_ns", py_time_ns, METH_VARARGS, "time_ns(text) -> nanoseconds of a number of microseconds, or None"},
    {"text", py_text, METH_VARARGS, "text(token) -> the text of a raw JSON token"},
    {"set_wide", py_set_wide, METH_O, "set_wide(flag) -> bool: use AVX2 where the processor has it; returns what was."},
    {NULL, NULL, 0, NULL},
};

static int scan_exec(PyObject *module) {
#ifdef MAPPED_FROM
    PyObject *budget = PyImport_ImportModule("hlprof_core._kernels.budget"); /* the capsule's import alone does not load the module */
    if (!budget) return -1;
    Py_DECREF(budget);
    if (!(column_memory = PyCapsule_Import(COLUMN_MEMORY, 0))) return -1;
#endif
    if (!column_type && !(column_type = (PyTypeObject *)PyType_FromSpec(&column_spec))) return -1;
    if (!scanner_type && !(scanner_type = (PyTypeObject *)PyType_FromSpec(&scanner_spec))) return -1;
    if (!c_locale && !(c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0))) {
        PyErr_NoMemory();
        return -1;
    }
#ifdef HLPROF_X86
    __builtin_cpu_init();
    use_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
#endif
    if (PyModule_AddType(module, scanner_type) < 0 || PyModule_AddType(module, column_type) < 0) return -1;
    static const struct { const char *name; int value; } constants[] = {{"MORE", SCAN_MORE}, {"STOP", SCAN_STOP}, {"CLOSED", SCAN_CLOSED}, {"END", SCAN_END}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value) < 0) return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, scan_exec}, {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "scan", "The bytes of a Chrome trace into columns.", 0, functions, slots, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_scan(void) { return PyModuleDef_Init(&definition); }
