/* Many smooth lines with arrow heads at once: how much of each pixel they cover, then colours for it.
 *
 * A curve leaves its start to the right and reaches its end from the left (a cubic Bezier); it is cut into straight pieces, each stepped
 * along its longer direction, one run of pixels across it a step. A line has a rim one pixel wide on both sides, so that it stands out from
 * whatever is below. Cover is one number a pixel: up to 127 a part of the rim, from 128 on a part of the line with the whole rim below it;
 * the largest of all curves counts, so that crossings stay as they are.
 *
 *    across a line:   0  rim (part)  line (part)  255 ... 255  line (part)  rim (part)  0
 */
#include "kernel.h"

#include <math.h>

enum { CURVE = 8 };            /* numbers of one curve: x0 y0 x1 y1 bend lift half-width head */
#define MAX_PIECES 96
#define PIECE 10.0             /* pixels a piece is long, about */
#define FAR 1e6                /* pixels; coordinates beyond are of no picture */
#define MOST_HALF 1000.0
#define MOST_SIZE (1 << 20)    /* pixels; in 1/256 they still are an int */

typedef struct {
    uint8_t *cover;
    Py_ssize_t width, height;
} Plane;

static inline void cover_at(uint8_t *at, int value) {
    if (*at < value) *at = (uint8_t)value;
}

/* One run of pixels across a line from `from` to `to`, its rim included, in 1/256 pixel; `size` pixels are inside, `stride` apart. */
static inline void cover_run(uint8_t *base, Py_ssize_t stride, int size, int from, int to) {
    int first = from >> 8, last = to >> 8; /* the pixels of the outer ends */
    int begin = 255 - (from & 255), end = to & 255;
    if (last < 0 || first >= size || last - first < 2) return;
    if (first >= 0) cover_at(base + first * stride, begin >> 1);
    if (last < size) cover_at(base + last * stride, end >> 1);
    if (last - first == 2) {
        /* The line begins and ends in the same pixel. */
        if (first + 1 >= 0 && first + 1 < size && begin + end > 255) cover_at(base + (first + 1) * stride, 128 + ((begin + end - 255) >> 1));
        return;
    }
    if (first + 1 >= 0 && first + 1 < size) cover_at(base + (first + 1) * stride, 128 + (begin >> 1));
    if (last - 1 >= 0 && last - 1 < size) cover_at(base + (last - 1) * stride, 128 + (end >> 1));
    int inner = first + 2 < 0 ? 0 : first + 2, stop = last - 1 > size ? size : last - 1;
    for (uint8_t *at = base + inner * stride; inner < stop; inner++, at += stride) *at = 255;
}

/* A round spot: the end of a line, or where its steps change their direction, which leaves a notch. */
static void cover_spot(const Plane *p, double x, double y, double half) {
    double wide = half + 1, left = x - wide, right = x + wide;
    if (right <= 0 || left >= (double)p->width || y < -wide || y > (double)p->height + wide) return;
    Py_ssize_t first = left <= 0 ? 0 : (Py_ssize_t)left, last = right >= (double)p->width ? p->width - 1 : (Py_ssize_t)right;
    for (Py_ssize_t at = first; at <= last; at++) {
        double off = (double)at + 0.5 - x, square = wide * wide - off * off;
        int reach = square > 0 ? (int)(256 * sqrt(square)) : 0, middle = (int)(256 * y);
        cover_run(p->cover + at, p->width, (int)p->height, middle - reach, middle + reach);
    }
}

/* Returns whether it was stepped from top to bottom. */
static int cover_piece(const Plane *p, double xa, double ya, double xb, double yb, double half) {
    int flip = fabs(yb - ya) > fabs(xb - xa);
    /* a: along, c: across */
    double a0 = flip ? ya : xa, c0 = flip ? xa : ya, a1 = flip ? yb : xb, c1 = flip ? xb : yb;
    if (a0 > a1) {
        double t = a0;
        a0 = a1, a1 = t, t = c0, c0 = c1, c1 = t;
    }
    double slope = a1 - a0 > 1e-9 ? (c1 - c0) / (a1 - a0) : 0;
    Py_ssize_t size = flip ? p->height : p->width, across = flip ? p->width : p->height, stride = flip ? 1 : p->width;
    double begin = floor(a0), stop = floor(a1), margin = half * 2 + 2;
    if (stop < 0 || begin >= (double)size) return flip;
    if ((c0 < -margin && c1 < -margin) || (c0 > (double)across + margin && c1 > (double)across + margin)) return flip;
    Py_ssize_t first = begin < 0 ? 0 : (Py_ssize_t)begin, last = stop >= (double)size ? size - 1 : (Py_ssize_t)stop;
    int reach = (int)(256 * half * sqrt(1 + slope * slope)) + 256;
    uint8_t *base = p->cover + first * (flip ? p->width : 1);
    /* In 1/2^24 pixel; the first and the last step reach beyond the piece by less than half a pixel. */
    int64_t middle = (int64_t)((c0 + ((double)first + 0.5 - a0) * slope) * (1 << 24)), step = (int64_t)(slope * (1 << 24));
    for (Py_ssize_t at = first; at <= last; at++, base += flip ? p->width : 1, middle += step)
        cover_run(base, stride, (int)across, (int)(middle >> 16) - reach, (int)(middle >> 16) + reach);
    return flip;
}

/* A head whose point is at (x, y), pointing right. */
static void cover_head(const Plane *p, double x, double y, double length, double half) {
    double left = x - length - 1, right = x + 1;
    if (right <= 0 || left >= (double)p->width || y < -MOST_HALF || y > (double)p->height + MOST_HALF) return;
    Py_ssize_t first = left <= 0 ? 0 : (Py_ssize_t)left, last = right >= (double)p->width ? p->width - 1 : (Py_ssize_t)right;
    for (Py_ssize_t at = first; at <= last; at++) {
        double back = x - ((double)at + 0.5);
        int reach = back < 0 ? 128 : back > length ? 128 : (int)(256 * half * back / length) + 256, middle = (int)(256 * y);
        cover_run(p->cover + at, p->width, (int)p->height, middle - reach, middle + reach);
    }
}

static void cover_curve(const Plane *p, const double *curve) {
    double x0 = curve[0], y0 = curve[1], x1 = curve[2], y1 = curve[3], bend = curve[4], lift = curve[5];
    double half = curve[6], head = curve[7];
    for (int i = 0; i < CURVE; i++)
        if (!(fabs(curve[i]) < FAR)) return;
    if (half < 0 || half > MOST_HALF || head < 0 || head > MOST_HALF) return;
    double tail = x1 - head * 0.6; /* the line ends inside the head, so that the point is sharp */
    double cx0 = x0 + bend, cx1 = tail - bend, cy0 = y0 - lift, cy1 = y1 - lift;
    double size = fabs(tail - x0) + fabs(y1 - y0) + fabs(bend) + fabs(lift);
    int pieces = size > PIECE * MAX_PIECES ? MAX_PIECES : size < PIECE * 4 ? 4 : (int)(size / PIECE);
    double xa = x0, ya = y0;
    int was = -1;
    cover_spot(p, x0, y0, half);
    for (int k = 1; k <= pieces; k++) {
        double t = (double)k / pieces, u = 1 - t, w0 = u * u * u, w1 = 3 * u * u * t, w2 = 3 * u * t * t, w3 = t * t * t;
        double xb = w0 * x0 + w1 * cx0 + w2 * cx1 + w3 * tail, yb = w0 * y0 + w1 * cy0 + w2 * cy1 + w3 * y1;
        int flip = cover_piece(p, xa, ya, xb, yb, half);
        if (was >= 0 && flip != was) cover_spot(p, xa, ya, half);
        xa = xb, ya = yb, was = flip;
    }
    if (head > 0) cover_head(p, x1, y1, head, head * 0.55);
    else cover_spot(p, x1, y1, half);
}

static PyObject *cover_curves(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o_cover, *o_curves, *result = NULL;
    Py_ssize_t width;
    Py_buffer cover, curves;
    if (!PyArg_ParseTuple(args, "OnO", &o_cover, &width, &o_curves)) return NULL;
    Py_ssize_t room = kernel_view(o_cover, &cover, 1, 1, "cover");
    if (room < 0) return NULL;
    Py_ssize_t numbers = kernel_view(o_curves, &curves, 8, 0, "curves");
    if (numbers < 0) goto no_curves;
    if (width < 1 || width > MOST_SIZE || room % width || room / width > MOST_SIZE || numbers % CURVE) {
        PyErr_SetString(PyExc_ValueError, "cover_curves: sizes do not fit");
    } else {
        Plane plane = {cover.buf, width, room / width};
        const double *curve = curves.buf;
        Py_BEGIN_ALLOW_THREADS
        memset(cover.buf, 0, (size_t)room);
        for (Py_ssize_t i = 0; i < numbers / CURVE; i++) cover_curve(&plane, curve + i * CURVE);
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&curves);
no_curves:
    PyBuffer_Release(&cover);
    return result;
}

static inline uint32_t scaled(uint32_t colour, uint32_t part) {
    /* All four bytes of a premultiplied colour, times part / 255. */
    uint32_t even = (colour & 0xFF00FF) * part + 0x800080, odd = (colour >> 8 & 0xFF00FF) * part + 0x800080;
    even = (even + (even >> 8 & 0xFF00FF)) >> 8 & 0xFF00FF;
    odd = (odd + (odd >> 8 & 0xFF00FF)) & 0xFF00FF00;
    return even | odd;
}

/* The two colours, premultiplied, for each number of cover. */
static void mix_colours(uint32_t rim, uint32_t line, uint32_t mixed[256]) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t top = i < 128 ? 0 : scaled(line, (i - 128) * 255 / 127);
        mixed[i] = top + scaled(scaled(rim, i < 128 ? i * 255 / 127 : 255), 255 - (top >> 24));
    }
}

/* The pixels from `at` on that are not covered, in steps of eight; at most to `end`. */
static inline Py_ssize_t skip_free(const uint8_t *cover, Py_ssize_t at, Py_ssize_t end) {
    uint64_t some[4];
    for (; end - at >= 32; at += 32) {
        memcpy(some, cover + at, 32);
        if (some[0] | some[1] | some[2] | some[3]) break;
    }
    for (; end - at >= 8; at += 8) {
        memcpy(some, cover + at, 8);
        if (some[0]) break;
    }
    return at;
}

static void blend_line(const uint8_t *in, const uint32_t mixed[256], uint32_t *out, Py_ssize_t n) {
    for (Py_ssize_t i = skip_free(in, 0, n); i < n; i = skip_free(in, i, n))
        for (Py_ssize_t end = n - i < 8 ? n : i + 8; i < end; i++)
            if (in[i]) out[i] = mixed[in[i]] + scaled(out[i], 255 - (mixed[in[i]] >> 24));
}

static PyObject *blend_cover(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *o_cover, *o_picture, *result = NULL;
    unsigned int rim, line;
    Py_buffer cover, view;
    Picture picture;
    if (!PyArg_ParseTuple(args, "OIIO", &o_cover, &rim, &line, &o_picture)) return NULL;
    Py_ssize_t n = kernel_view(o_cover, &cover, 1, 0, "cover");
    if (n < 0) return NULL;
    if (kernel_picture(o_picture, &view, &picture) < 0) goto no_picture;
    if (n != picture.lines * picture.width) {
        PyErr_SetString(PyExc_ValueError, "cover and picture: sizes do not fit");
    } else {
        const uint8_t *in = cover.buf;
        uint32_t mixed[256];
        mix_colours(rim, line, mixed);
        Py_BEGIN_ALLOW_THREADS
        for (int64_t y = 0; y < picture.lines; y++) blend_line(in + y * picture.width, mixed, picture.pixels + y * picture.stride, picture.width);
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&view);
no_picture:
    PyBuffer_Release(&cover);
    return result;
}

static PyMethodDef methods[] = {
    {"cover_curves", cover_curves, METH_VARARGS, "How curves and their rims cover each pixel: 0 none, to 127 the rim, from 128 the line."},
    {"blend_cover", blend_cover, METH_VARARGS,
     "The colour of the rim for cover, and over it that of the line, onto premultiplied pixels that are there or transparent."},
    {NULL, NULL, 0, NULL},
};

KERNEL_MODULE(curves, "Many smooth lines at once", methods)
