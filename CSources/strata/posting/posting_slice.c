/* SPDX-License-Identifier: MIT
 *
 * posting_slice.c -- some of the entries of a posting block as a block of their own.
 *
 * The values are copied without what they have in common now, the ends of runs are counted from the beginning of the
 * slice, and object keys from its own least one.
 */
#include "posting/posting_slice.h"

#include "posting/posting_build.h"

enum { SOME = 64 }; /* keys that are decoded together */

/* Its `runs` begin with `run`. */
typedef struct slice {
    const st_posting_view *view;
    uint32_t from, to, run, runs, shared, key_width;
    uint64_t first; /* key */
} slice;

size_t st_posting_slice_size(const st_posting_view *view, uint32_t from, uint32_t to) {
    uint32_t run = st_posting_run_of(view, from), runs = st_posting_run_of(view, to - 1) - run + 1;
    return ST_POSTING_HEADER + view->shared_size + (size_t)runs * (view->width + (view->ends != NULL ? 2 : 0)) +
           (size_t)(to - from) * view->key_width;
}

/* ---- Where to cut ----------------------------------------------------- */

/* The most entries from the first one on, at least one, that need at most so many bytes. */
static uint32_t most_within(const st_posting_view *view, size_t limit) {
    uint32_t low = 1, high = view->entries;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (st_posting_slice_size(view, 0, middle) <= limit) low = middle;
        else high = middle - 1;
    }
    return low;
}

uint32_t st_posting_middle(const st_posting_view *view) {
    if (view->key_width == 0 || view->width == ST_POSTING_MIXED_WIDTH || view->entries < 2) return 0;
    size_t head = ST_POSTING_HEADER + view->shared_size, whole = st_posting_slice_size(view, 0, view->entries);
    uint32_t entry = most_within(view, head + (whole - head) / 2);
    if (entry == view->entries) return 0;
    /* No two blocks may end with the same entry. */
    uint32_t run_from = st_posting_end(view, st_posting_run_of(view, entry));
    while (entry > run_from && st_posting_key(view, entry - 1) == st_posting_key(view, entry)) entry--;
    return entry;
}

/* ---- Writing ---------------------------------------------------------- */

static void measure_values(slice *s) {
    const st_posting_view *view = s->view;
    const uint8_t *a = view->values + (size_t)s->run * view->width, *b = a + (size_t)(s->runs - 1) * view->width;
    uint32_t most = view->width, same = 0;
    if (most > UINT8_MAX - view->shared_size) most = UINT8_MAX - view->shared_size;
    while (same < most && a[same] == b[same]) same++;
    s->shared = view->shared_size + same;
}

static void measure_keys(slice *s) {
    uint64_t keys[SOME], least = UINT64_MAX, most = 0;
    for (uint32_t from = s->from, to; from < s->to; from = to) {
        to = s->to - from > SOME ? from + SOME : s->to;
        st_posting_keys(s->view, from, to, keys);
        for (uint32_t i = 0; i < to - from; i++) {
            least = least < keys[i] ? least : keys[i];
            most = most > keys[i] ? most : keys[i];
        }
    }
    s->first = least;
    s->key_width = st_width_unsigned(most - least);
}

static uint8_t *write_values(const slice *s, uint8_t *out) {
    uint32_t width = s->view->width, passed = s->shared - s->view->shared_size;
    const uint8_t *value = s->view->values + (size_t)s->run * width;
    if (passed == 0) {
        memcpy(out, value, (size_t)s->runs * width);
        return out + (size_t)s->runs * width;
    }
    for (uint32_t i = 0; i < s->runs && width > passed; i++, value += width, out += width - passed)
        memcpy(out, value + passed, width - passed);
    return out;
}

static uint8_t *write_ends(const slice *s, uint8_t *out) {
    if (s->runs == s->to - s->from) return out;
    for (uint32_t run = s->run + 1; run <= s->run + s->runs; run++, out += 2) {
        uint32_t end = st_posting_end(s->view, run);
        st_store16(out, (uint16_t)((end < s->to ? end : s->to) - s->from));
    }
    return out;
}

static uint8_t *write_keys(const slice *s, uint8_t *out) {
    uint64_t keys[SOME];
    for (uint32_t from = s->from, to; from < s->to; from = to) {
        to = s->to - from > SOME ? from + SOME : s->to;
        st_posting_keys(s->view, from, to, keys);
        st_posting_put_keys(out, keys, to - from, s->first, s->key_width);
        out += (size_t)(to - from) * s->key_width;
    }
    return out;
}

size_t st_posting_slice(const st_posting_view *view, uint32_t from, uint32_t to, uint8_t *out) {
    slice s = { .view = view, .from = from, .to = to, .run = st_posting_run_of(view, from) };
    s.runs = st_posting_run_of(view, to - 1) - s.run + 1;
    measure_values(&s);
    measure_keys(&s);
    bool copies = s.runs == 1 && to - from > 1 && st_posting_key(view, from) == st_posting_key(view, to - 1);
    if (copies) return 0;
    uint32_t passed = s.shared - view->shared_size;
    out[0] = ST_POSTING_FORMAT;
    out[1] = (uint8_t)s.shared;
    st_store16(out + 2, (uint16_t)(to - from));
    st_store16(out + 4, (uint16_t)s.runs);
    out[6] = (uint8_t)(view->width - passed);
    out[7] = (uint8_t)s.key_width;
    st_store64(out + 8, s.first);
    uint8_t *end = out + ST_POSTING_HEADER;
    memcpy(end, view->shared, view->shared_size);
    memcpy(end + view->shared_size, view->values + (size_t)s.run * view->width, passed);
    end = write_values(&s, end + s.shared);
    end = write_ends(&s, end);
    return (size_t)(write_keys(&s, end) - out);
}
