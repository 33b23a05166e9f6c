/* survey: a first look at events in file order: what each of them is, how many of a slice are on which row, from when to when.
 *
 * An event without a time is of class 0, whatever its phase.
 */

enum { CLASSES = 6, SLICE_CLASS = 1 };

static PyObject *layout_survey(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *ophase, *ots, *odur, *orow, *oclasses, *okind, *oevents, *oends, *ophases;
    if (!PyArg_ParseTuple(args, "OOOOOOOOO:survey", &ophase, &ots, &odur, &orow, &oclasses, &okind, &oevents, &oends, &ophases)) return NULL;
    Py_buffer vphase, vts, vdur, vrow, vclasses, vkind, vevents, vends, vphases;
    Wanted wanted[] = {{ophase, &vphase, 1, 0, -1, "phase"}, {oclasses, &vclasses, 1, 0, 256, "classes"}, {ophases, &vphases, 8, 1, 256, "phases"},
                       {oevents, &vevents, 8, 1, -1, "events"}, {ots, &vts, 8, 0, -1, "ts"}, {odur, &vdur, 8, 0, -1, "dur"},
                       {orow, &vrow, 4, 0, -1, "row"}, {okind, &vkind, 1, 1, -1, "kind"}, {oends, &vends, 8, 1, -1, "ends"}};
    enum { VIEWS = sizeof wanted / sizeof *wanted };
    if (take_views(wanted, VIEWS) < 0) return NULL;
    const Py_ssize_t count = wanted[0].items, rows = wanted[3].items;
    const uint8_t *phase = vphase.buf, *classes = vclasses.buf;
    const int64_t *ts = vts.buf, *dur = vdur.buf;
    const uint32_t *row = vrow.buf;
    uint8_t *kind = vkind.buf;
    int64_t *events = vevents.buf, *ends = vends.buf, *phases = vphases.buf, counts[CLASSES] = {0}, first = INT64_MAX, last = INT64_MIN;
    Py_ssize_t missing = 0, places[FIRST_PLACES];
    int fits = wanted[8].items == rows;
    for (int k = 4; k < 8; k++) fits = fits && wanted[k].items == count;
    for (int p = 0; fits && p < 256; p++) fits = classes[p] < CLASSES;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < count; i++) {
            if (ts[i] == NO_TIME) {
                if (missing < FIRST_PLACES) places[missing] = i;
                missing++;
                kind[i] = 0;
                continue;
            }
            const uint8_t class = kind[i] = classes[phase[i]];
            counts[class]++;
            phases[phase[i]]++;
            if (class == SLICE_CLASS) {
                if (row[i] >= (uint64_t)rows) {
                    fits = 0;
                    break;
                }
                events[row[i]]++;
                ends[row[i]] += phase[i] == 'E';
            }
            if (class) {
                const int64_t end = dur[i] > 0 ? saturated_add(ts[i], dur[i]) : ts[i];
                first = ts[i] < first ? ts[i] : first;
                last = end > last ? end : last;
            }
        }
        Py_END_ALLOW_THREADS
    }
    release_views(wanted, VIEWS);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "survey: sizes do not fit");
        return NULL;
    }
    PyObject *list = PyList_New(0);
    for (Py_ssize_t k = 0; list && k < missing && k < FIRST_PLACES; k++) {
        PyObject *place = PyLong_FromSsize_t(places[k]);
        if (!place || PyList_Append(list, place) < 0) Py_CLEAR(list);
        Py_XDECREF(place);
    }
    if (!list) return NULL;
    PyObject *result = Py_BuildValue("((LLLLLL)LL(nO))", (long long)counts[0], (long long)counts[1], (long long)counts[2], (long long)counts[3],
                                     (long long)counts[4], (long long)counts[5], (long long)first, (long long)last, missing, list);
    Py_DECREF(list);
    return result;
}
