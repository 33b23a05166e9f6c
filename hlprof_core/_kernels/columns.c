/* From lanes to pixel columns: what one line of pixels shows of a stretch of time.
 *
 * raster_strips  for each strip (one or more lanes) and each pixel: which slice covers most of it, how busy it is, how many slices
 *                touch it; blends that over the line that is already there. A slice never vanishes: it keeps at least one pixel.
 * counter_columns  lowest and highest value of a step function in each pixel.
 * place_labels   decides where names go in boxes, and where they are cut.
 * place_lines    copies a line to each scanline of the picture.
 * blit_labels    copies coverage from the label atlas into the picture.
 */
#include "kernel.h"
#include <math.h>

#define NONE UINT32_MAX

typedef struct {
    const int64_t *start, *length, *offsets;
    const float *busy, *longest_ns;
    const uint32_t *longest, *first;
    int64_t rows, slices;
} Level;

/* What is known of a pixel: time covered, the slice that covers most of it and how much that is, how many slices touch it. */
typedef struct {
    float cover, best_cover;
    uint32_t best, count;
} Cell;
static const Cell FREE = {0, -1, NONE, 0};

typedef struct {
    Cell *cells;
    uint8_t *border;
    int64_t first, last; /* of the pixels that are touched; the others are free */
} Line;

typedef struct {
    int32_t *box;
    int64_t room, used;
    double min_width;
} Labels;

/* First row of [lo, hi) that starts at or after `time`. */
static int64_t lower_bound(const int64_t *start, int64_t lo, int64_t hi, int64_t time) {
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (start[mid] < time) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

static inline void touch(Cell *cell, float cover, float single, uint32_t row, uint32_t count) {
    int is_larger = single > cell->best_cover;
    cell->cover += cover;
    cell->count += count;
    cell->best = is_larger ? row : cell->best;
    cell->best_cover = is_larger ? single : cell->best_cover;
}

static void cover_lane(const Level *level, int64_t lane, int64_t from, int64_t to, int64_t width, Line *line, int bordered,
                       Labels *labels, int32_t strip) {
    int64_t lo = level->offsets[lane], hi = level->offsets[lane + 1], i = lower_bound(level->start, lo, hi, from);
    if (i > lo) i--;
    const double per_ns = (double)width / (double)(to - from), ns_per = (double)(to - from) / (double)width;
    const float full = (float)ns_per;
    for (; i < hi && level->start[i] < to; i++) {
        int64_t length = level->length[i];
        double s = (double)kernel_length(from, level->start[i]), e = s + (double)length;
        if (e <= 0 && s < 0) continue;
        uint32_t row = (uint32_t)i, count = 1;
        float longest = level->longest_ns ? level->longest_ns[i] : (float)length;
        float busy = (float)length;
        if (level->busy) {
            busy = level->busy[i];
            int64_t next = i + 1 < level->rows ? level->first[i + 1] : level->slices, many = kernel_length(level->first[i], next);
            count = many > 0 ? (uint32_t)many : 1;
        }
        double f0 = s * per_ns, f1 = e * per_ns;
        int64_t p0 = f0 > 0 ? (int64_t)f0 : 0, p1 = f1 < (double)width ? (f1 > 0 ? (int64_t)f1 : 0) : width;
        if (p0 >= width) p0 = width - 1;
        if (p1 >= width || (double)p1 >= f1) p1--; /* an end on the border of a pixel does not touch it */
        if (p0 < line->first) line->first = p0;
        if (p0 > line->last) line->last = p0;
        if (p1 > line->last) line->last = p1;
        if (p1 <= p0) {
            float cover = busy;
            if (s < 0 || f1 > (double)(p0 + 1)) { /* only a part of it lies in this pixel */
                double last = (double)(p0 + 1) * ns_per, part = (e < last ? e : last) - (s > 0 ? s : 0);
                cover = part > 0 && length > 0 ? (float)(part * (double)busy / (double)length) : 0.0f;
            }
            touch(line->cells + p0, cover, longest < cover ? longest : cover, row, count);
        } else {
            double density = (double)busy / (double)length;
            float head = (float)(((double)(p0 + 1) * ns_per - (s > 0 ? s : 0)) * density), body = full * (float)density;
            double rest = (e - (double)p1 * ns_per) * density;
            float tail = rest < (double)body ? (float)rest : body;
            touch(line->cells + p0, head, longest < head ? longest : head, row, count);
            for (int64_t p = p0 + 1; p < p1; p++) touch(line->cells + p, body, longest < body ? longest : body, row, 1);
            touch(line->cells + p1, tail, longest < tail ? longest : tail, row, 1);
        }
        if (bordered && s >= 0 && f1 - f0 >= 4.0) line->border[p0] = 1;
        if (labels && labels->used < labels->room) {
            double left = f0 > 0 ? f0 : 0, right = f1 < (double)width ? f1 : (double)width;
            if (right - left >= labels->min_width) {
                int32_t *box = labels->box + 4 * labels->used++;
                box[0] = strip;
                box[1] = (int32_t)left;
                box[2] = (int32_t)right;
                uint32_t id = level->longest ? level->longest[i] : row;
                memcpy(&box[3], &id, 4);
            }
        }
    }
}

static inline uint32_t blend(uint32_t under, uint32_t over, uint32_t part) {
    uint32_t keep = 256 - part;
    uint32_t rb = ((under & 0xff00ff) * keep + (over & 0xff00ff) * part) >> 8, g = ((under & 0x00ff00) * keep + (over & 0x00ff00) * part) >> 8;
    return 0xff000000u | (rb & 0xff00ff) | (g & 0x00ff00);
}

enum { START, LENGTH, OFFSETS, BUSY, LONGEST_NS, LONGEST, FIRST, STRIP_OFFSETS, STRIP_LANES, COLOUR, PALETTE, PIXELS, BEST, COUNT, SHARE, BOXES, PARTS };
static const struct { const char *name; int size, writable, optional; } PART[PARTS] = {
    {"start", 8, 0, 0},         {"length", 8, 0, 0},      {"offsets", 8, 0, 0}, {"busy", 4, 0, 1},    {"longest_ns", 4, 0, 1}, {"longest", 4, 0, 1},
    {"first", 4, 0, 1},         {"strip_offsets", 8, 0, 0}, {"strip_lanes", 8, 0, 0}, {"colour", 1, 0, 0},  {"palette", 4, 0, 0},
    {"pixels", 4, 1, 0},        {"best", 4, 1, 1},        {"count", 4, 1, 1},   {"share", 4, 1, 1},   {"boxes", 4, 1, 1},
};

static int rising(const int64_t *offsets, Py_ssize_t n, int64_t limit) {
    if (n < 1 || offsets[0] < 0 || offsets[n - 1] > limit) return 0;
    for (Py_ssize_t k = 1; k < n; k++)
        if (offsets[k - 1] > offsets[k]) return 0;
    return 1;
}

static int take_parts(PyObject *parts, Py_buffer *view, Py_ssize_t *size, int *held) {
    if (!PyTuple_Check(parts) || PyTuple_Size(parts) != PARTS) {
        PyErr_Format(PyExc_TypeError, "raster_strips: a tuple of %d buffers wanted", (int)PARTS);
        return 0;
    }
    for (int p = 0; p < PARTS; p++) {
        PyObject *part = PyTuple_GetItem(parts, p);
        size[p] = 0;
        if (PART[p].optional && part == Py_None) continue;
        size[p] = kernel_view(part, &view[p], PART[p].size, PART[p].writable, PART[p].name);
        if (size[p] < 0) return 0;
        held[p] = 1;
    }
    return 1;
}

static PyObject *raster_strips(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *parts;
    long long from, to, slices;
    Py_ssize_t width;
    double faintest, strength, min_label;
    int bordered;
    if (!PyArg_ParseTuple(args, "OLLLnddpd", &parts, &from, &to, &slices, &width, &faintest, &strength, &bordered, &min_label)) return NULL;
    Py_buffer view[PARTS];
    Py_ssize_t size[PARTS];
    int held[PARTS] = {0};
    PyObject *result = NULL;
    uint8_t *memory = NULL;
    if (!take_parts(parts, view, size, held)) goto done;
#define AT(p) (held[p] ? view[p].buf : NULL)
    Py_ssize_t strips = size[STRIP_OFFSETS] - 1, lanes = size[OFFSETS] - 1, rows = size[START];
    int merged = held[BUSY], fits = strips >= 0 && lanes >= 0 && size[LENGTH] == rows && width > 0 && width <= 1 << 20 &&
                                    kernel_is_span(from, to) && rows < UINT32_MAX && size[COLOUR] == rows && size[PALETTE] == 256;
    for (int p = BUSY; p <= FIRST; p++) fits = fits && held[p] == merged && (!merged || size[p] == rows);
    for (int p = PIXELS; p <= SHARE; p++) fits = fits && (!held[p] || size[p] == strips * width);
    fits = fits && rising(view[OFFSETS].buf, lanes + 1, rows) && rising(view[STRIP_OFFSETS].buf, strips + 1, size[STRIP_LANES]);
    const int64_t *strip_offsets = AT(STRIP_OFFSETS), *strip_lanes = AT(STRIP_LANES);
    for (Py_ssize_t k = 0; fits && k < size[STRIP_LANES]; k++) fits = strip_lanes[k] >= 0 && strip_lanes[k] < lanes;
    if (!fits || !(faintest >= 0 && faintest <= 1 && strength >= 0 && strength <= 1)) {
        PyErr_SetString(PyExc_ValueError, "raster_strips: sizes do not fit");
        goto done;
    }
    memory = malloc((size_t)width * (sizeof(Cell) + 1));
    if (!memory) {
        PyErr_NoMemory();
        goto done;
    }
    Level level = {AT(START), AT(LENGTH), AT(OFFSETS), AT(BUSY), AT(LONGEST_NS), AT(LONGEST), AT(FIRST), rows, slices};
    Labels labels = {AT(BOXES), size[BOXES] / 4, 0, min_label};
    Line line = {(Cell *)memory, memory + (size_t)width * sizeof(Cell), 0, 0};
    const uint8_t *colour = AT(COLOUR);
    const uint32_t *palette = AT(PALETTE);
    uint32_t *o_pixels = AT(PIXELS), *o_best = AT(BEST), *o_count = AT(COUNT);
    float *o_share = AT(SHARE), low = (float)faintest, span = 1.0f - low, ink = (float)strength * 256.0f;
    const int wants_all = o_best || o_count || o_share;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t x = 0; x < width; x++) line.cells[x] = FREE;
    memset(line.border, 0, (size_t)width);
    for (Py_ssize_t k = 0; k < strips; k++) {
        int64_t many = strip_offsets[k + 1] - strip_offsets[k];
        line.first = width, line.last = -1;
        for (int64_t j = strip_offsets[k]; j < strip_offsets[k + 1]; j++)
            cover_lane(&level, strip_lanes[j], from, to, width, &line, bordered && many == 1, held[BOXES] && many == 1 ? &labels : NULL, (int32_t)k);
        float scale = (float)((double)width / ((double)(to - from) * (double)(many > 0 ? many : 1)));
        for (Py_ssize_t x = wants_all ? 0 : line.first, end = wants_all ? width - 1 : line.last; x <= end; x++) {
            const Cell cell = line.cells[x];
            const int is_border = line.border[x];
            const Py_ssize_t at = k * width + x;
            line.cells[x] = FREE;
            line.border[x] = 0;
            float share = cell.cover * scale;
            share = share > 1.0f ? 1.0f : share > 0.0f ? share : 0.0f; /* no number is nothing */
            if (o_best) o_best[at] = cell.best == NONE || !level.longest ? cell.best : level.longest[cell.best];
            if (o_count) o_count[at] = cell.count;
            if (o_share) o_share[at] = share;
            if (cell.best == NONE) continue;
            uint32_t fill = palette[colour[cell.best]];
            if (is_border) fill = blend(fill, 0, 90);
            o_pixels[at] = blend(o_pixels[at], fill, (uint32_t)((low + span * share) * ink + 0.5f));
        }
    }
    Py_END_ALLOW_THREADS
    result = PyLong_FromLongLong(labels.used);
done:
#undef AT
    free(memory);
    for (int p = 0; p < PARTS; p++)
        if (held[p]) PyBuffer_Release(&view[p]);
    return result;
}

static PyObject *counter_columns(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o_time, *o_value, *o_low, *o_high, *o_out_low, *o_out_high;
    Py_ssize_t lo, hi, block;
    long long from, to;
    if (!PyArg_ParseTuple(args, "OOnnOOnLLOO", &o_time, &o_value, &lo, &hi, &o_low, &o_high, &block, &from, &to, &o_out_low, &o_out_high)) return NULL;
    Py_buffer view[6];
    PyObject *objects[6] = {o_time, o_value, o_low, o_high, o_out_low, o_out_high};
    static const char *names[6] = {"time", "value", "block_low", "block_high", "out_low", "out_high"};
    Py_ssize_t size[6];
    int held = 0;
    PyObject *result = NULL;
    for (; held < 6; held++) {
        size[held] = kernel_view(objects[held], &view[held], 8, held >= 4, names[held]);
        if (size[held] < 0) goto done;
    }
    Py_ssize_t n = size[0], width = size[4];
    if (size[1] != n || lo < 0 || lo > hi || hi > n || block < 1 || size[2] < n / block + (n % block != 0) || size[3] < size[2] || size[5] != width ||
        width < 1 || !kernel_is_span(from, to)) {
        PyErr_SetString(PyExc_ValueError, "counter_columns: sizes do not fit");
        goto done;
    }
    const int64_t *time = view[0].buf;
    const double *value = view[1].buf, *low = view[2].buf, *high = view[3].buf;
    double *out_low = view[4].buf, *out_high = view[5].buf;
    Py_BEGIN_ALLOW_THREADS
    const double ns_per = (double)(to - from) / (double)width;
    int64_t i = lower_bound(time, lo, hi, from);
    for (Py_ssize_t x = 0; x < width; x++) {
        int64_t edge = x + 1 == width ? to : kernel_end(from, (int64_t)ceil((double)(x + 1) * ns_per)), stop = lower_bound(time, i, hi, edge);
        double least = INFINITY, most = -INFINITY;
        /* The value that holds when the pixel begins counts too, unless a sample replaces it at that very moment. */
        int64_t begin = x ? kernel_end(from, (int64_t)ceil((double)x * ns_per)) : from;
        if (i > lo && !(i < stop && time[i] == begin)) least = most = value[i - 1];
        while (i < stop) {
            double a, b;
            if (i % block == 0 && block <= stop - i) {
                a = low[i / block];
                b = high[i / block];
                i += block;
            } else {
                a = b = value[i];
                i++;
            }
            if (a < least) least = a;
            if (b > most) most = b;
        }
        out_low[x] = least <= most ? least : NAN;
        out_high[x] = least <= most ? most : NAN;
    }
    Py_END_ALLOW_THREADS
    result = Py_None;
    Py_INCREF(result);
done:
    for (int p = 0; p < held; p++) PyBuffer_Release(&view[p]);
    return result;
}

enum { L_BOXES, L_NAMES, L_TOPS, L_INK, L_X, L_Y, L_WIDTH, L_SERIAL, L_CUTS, L_DOTS, L_QUADS, L_PARTS };
static const struct { const char *name; int size; } LABEL_PART[L_PARTS] = {
    {"boxes", 4}, {"names", 4}, {"tops", 8}, {"ink", 4}, {"x", 4}, {"y", 4}, {"width", 4}, {"serial", 8}, {"cuts", 8}, {"dots", 4}, {"quads", 4},
};

/* boxes: (strip, left, right, slice); by name: place in the atlas (x < 0: not there) and the key of its cuts, which are key * serial + width,
 * rising; dots: the ellipsis as (x, y, width). Writes quads as blit_labels takes them; answers how many, and how many names are not there. */
static PyObject *place_labels(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *parts, *result = NULL;
    int pad, widest, narrowest;
    long long key;
    if (!PyArg_ParseTuple(args, "OiiiL", &parts, &pad, &widest, &narrowest, &key)) return NULL;
    if (!PyTuple_Check(parts) || PyTuple_Size(parts) != L_PARTS) {
        PyErr_Format(PyExc_TypeError, "place_labels: a tuple of %d buffers wanted", (int)L_PARTS);
        return NULL;
    }
    Py_buffer view[L_PARTS];
    Py_ssize_t size[L_PARTS];
    int held = 0;
    for (; held < L_PARTS; held++) {
        size[held] = kernel_view(PyTuple_GetItem(parts, held), &view[held], LABEL_PART[held].size, held == L_QUADS, LABEL_PART[held].name);
        if (size[held] < 0) goto done;
    }
    const int32_t *box = view[L_BOXES].buf, *x = view[L_X].buf, *y = view[L_Y].buf, *width = view[L_WIDTH].buf, *dots = view[L_DOTS].buf;
    const uint32_t *names = view[L_NAMES].buf, *ink = view[L_INK].buf;
    const int64_t *tops = view[L_TOPS].buf, *serial = view[L_SERIAL].buf, *cuts = view[L_CUTS].buf;
    const Py_ssize_t many = size[L_NAMES], known = size[L_X];
    int fits = size[L_BOXES] == 4 * many && size[L_INK] == many && size[L_Y] == known && size[L_WIDTH] == known && size[L_SERIAL] == known &&
               size[L_DOTS] == 3 && size[L_QUADS] >= 12 * many && key > 0 && key <= 1 << 20 && pad >= 0 && pad <= 1 << 20 && narrowest >= 0;
    for (Py_ssize_t i = 0; fits && i < many; i++) {
        const int32_t *b = box + 4 * i;
        fits = names[i] < (uint64_t)known && b[0] >= 0 && b[0] < size[L_TOPS] && b[1] >= -(1 << 24) && b[2] <= 1 << 24 && b[2] >= b[1] &&
               serial[names[i]] >= 0 && serial[names[i]] < (int64_t)1 << 40;
    }
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "place_labels: sizes do not fit");
        goto done;
    }
    int32_t *quad = view[L_QUADS].buf;
    Py_ssize_t used = 0, absent = 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < many; i++) {
        const uint32_t name = names[i];
        if (x[name] < 0) {
            absent++;
            continue;
        }
        int32_t room = box[4 * i + 2] - box[4 * i + 1] - 2 * pad, shown = width[name], left = box[4 * i + 1] + pad, ends = 0;
        if (room > widest) room = widest;
        if (shown <= 0) continue;
        if (shown > room) { /* up to the last letter before the ellipsis */
            int64_t first = serial[name] * key, most = room > dots[2] ? room - dots[2] : 0;
            int64_t place = lower_bound(cuts, 0, size[L_CUTS], first + most + 1) - 1;
            shown = place >= 0 && cuts[place] >= first ? (int32_t)(cuts[place] - first) : 0;
            if (shown < narrowest) continue;
            ends = 1;
        }
        const int32_t top = (int32_t)tops[box[4 * i]], whole[5] = {left, top, x[name], y[name], shown}, rest[5] = {left + shown, top, dots[0], dots[1], dots[2]};
        for (int part = 0; part <= ends; part++, used++) {
            memcpy(quad + 6 * used, part ? rest : whole, sizeof whole);
            memcpy(quad + 6 * used + 5, ink + i, 4);
        }
    }
    Py_END_ALLOW_THREADS
    result = Py_BuildValue("nn", used, absent);
done:
    while (held > 0) PyBuffer_Release(&view[--held]);
    return result;
}

/* map: for each scanline of the picture the number of its line. */
static PyObject *place_lines(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o_lines, *o_map, *o_picture, *result = NULL;
    if (!PyArg_ParseTuple(args, "OOO", &o_lines, &o_map, &o_picture)) return NULL;
    Py_buffer lines, map, view;
    Picture picture;
    Py_ssize_t room = kernel_view(o_lines, &lines, 4, 0, "lines");
    if (room < 0) return NULL;
    Py_ssize_t height = kernel_view(o_map, &map, 8, 0, "map");
    if (height < 0) goto no_map;
    if (kernel_picture(o_picture, &view, &picture) < 0) goto no_picture;
    const int64_t *at = map.buf;
    int fits = height == picture.lines && picture.width > 0 && room % picture.width == 0;
    for (Py_ssize_t y = 0; fits && y < height; y++) fits = at[y] >= 0 && at[y] < room / picture.width;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "place_lines: sizes do not fit");
    } else {
        const uint32_t *line = lines.buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t y = 0; y < height; y++)
            memcpy(picture.pixels + y * picture.stride, line + at[y] * picture.width, (size_t)picture.width * 4);
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&view);
no_picture:
    PyBuffer_Release(&map);
no_map:
    PyBuffer_Release(&lines);
    return result;
}

/* quads: rows of (x, y, source x, source y, width, colour); clipped to the picture, refused when outside the atlas. */
static PyObject *blit_labels(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o_picture, *o_atlas, *o_quads, *result = NULL;
    Py_ssize_t atlas_width, height;
    if (!PyArg_ParseTuple(args, "OOnnO", &o_picture, &o_atlas, &atlas_width, &height, &o_quads)) return NULL;
    Py_buffer view, atlas, quads;
    Picture picture;
    if (kernel_picture(o_picture, &view, &picture) < 0) return NULL;
    Py_ssize_t source = kernel_view(o_atlas, &atlas, 1, 0, "atlas");
    if (source < 0) goto no_atlas;
    Py_ssize_t many = kernel_view(o_quads, &quads, 4, 0, "quads");
    if (many < 0) goto no_quads;
    int ok = atlas_width > 0 && source % atlas_width == 0 && height > 0 && many % 6 == 0;
    const int32_t *q = quads.buf;
    Py_ssize_t atlas_lines = ok ? source / atlas_width : 0;
    for (Py_ssize_t k = 0; ok && k < many; k += 6)
        ok = q[k + 2] >= 0 && q[k + 3] >= 0 && q[k + 4] >= 0 && (int64_t)q[k + 2] + q[k + 4] <= atlas_width && q[k + 3] <= atlas_lines - height;
    if (!ok) {
        PyErr_SetString(PyExc_ValueError, "blit_labels: sizes do not fit");
    } else {
        const uint8_t *from = atlas.buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t k = 0; k < many; k += 6) {
            int64_t x = q[k], y = q[k + 1], skip = x < 0 ? -x : 0, stop = q[k + 4];
            uint32_t ink;
            memcpy(&ink, &q[k + 5], 4);
            if (x + stop > picture.width) stop = picture.width - x;
            for (Py_ssize_t r = 0; r < height; r++) {
                if (y + r < 0 || y + r >= picture.lines) continue;
                uint32_t *line = picture.pixels + (y + r) * picture.stride + x;
                const uint8_t *cover = from + (q[k + 3] + r) * atlas_width + q[k + 2];
                for (int64_t c = skip; c < stop; c++)
                    if (cover[c]) line[c] = blend(line[c], ink, (uint32_t)cover[c] + (cover[c] >> 7));
            }
        }
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&quads);
no_quads:
    PyBuffer_Release(&atlas);
no_atlas:
    PyBuffer_Release(&view);
    return result;
}

static PyMethodDef methods[] = {
    {"raster_strips", raster_strips, METH_VARARGS, "Draw lanes into lines of pixels."},
    {"counter_columns", counter_columns, METH_VARARGS, "Lowest and highest value of a step function in each pixel."},
    {"place_labels", place_labels, METH_VARARGS, "Where names go, and where they are cut."},
    {"place_lines", place_lines, METH_VARARGS, "Copy a line to each scanline of a picture."},
    {"blit_labels", blit_labels, METH_VARARGS, "Copy rendered names from an atlas into a picture."},
    {NULL, NULL, 0, NULL},
};

KERNEL_MODULE(columns, "Pixel columns of lanes, counters and labels", methods)
