/* SPDX-License-Identifier: MIT
 *
 * posting_edit.c -- a few changes to a posting block, without taking it apart.
 *
 * What lies between the changes is copied a stretch at a time: object keys as they are, values as they are, and the
 * ends of runs moved by how many entries came and went before them.
 */
#include "posting/posting_edit.h"

/* Where a change belongs. */
typedef struct spot {
    uint32_t entry; /* that is removed, or that the added one comes before */
    uint32_t run;   /* of its value, or that the fresh one comes before */
    bool fresh;     /* the block has no such value */
} spot;

typedef struct edit {
    const st_posting_view *view;
    const st_posting_step *steps;
    uint32_t count;
    spot spots[ST_POSTING_STEPS];
    uint32_t entries, runs; /* of the block to be */
} edit;

/* ---- Finding ---------------------------------------------------------- */

static uint32_t lower_key(const st_posting_view *view, uint32_t from, uint32_t to, uint64_t key) {
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (st_posting_key(view, middle) < key) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* False if the change cannot be made. */
static bool find_spot(const st_posting_view *view, const st_posting_step *step, spot *out) {
    uint32_t from, to;
    if (step->value.size != view->shared_size + view->width ||
        (view->shared_size != 0 && memcmp(step->value.data, view->shared, view->shared_size) != 0))
        return false;
    st_posting_find(view, step->value, 0, UINT64_MAX, &from, &to);
    out->fresh = from == to;
    out->run = from == view->entries ? view->runs : st_posting_run_of(view, from);
    out->entry = lower_key(view, from, to, step->key);
    bool there = out->entry < to && st_posting_key(view, out->entry) == step->key;
    if (!step->added) return there && step->key != view->first;
    uint64_t distance = step->key - view->first, most = UINT64_MAX >> (64 - 8 * view->key_width);
    return !there && step->key >= view->first && distance <= most;
}

static bool same_entry(const st_posting_step *a, const st_posting_step *b) {
    return a->key == b->key && st_compare(a->value, b->value) == 0;
}

static bool find_spots(edit *e, bool keep_last) {
    for (uint32_t i = 0; i < e->count; i++) {
        if (i > 0 && same_entry(&e->steps[i - 1], &e->steps[i])) return false;
        if (!find_spot(e->view, &e->steps[i], &e->spots[i])) return false;
        if (keep_last && !e->steps[i].added && e->spots[i].entry == e->view->entries - 1) return false;
    }
    return true;
}

/* ---- Runs ------------------------------------------------------------- */

/* The changes from `from` on that concern one value end here; `*change` is by how much its run grows. */
static uint32_t group_end(const edit *e, uint32_t from, int64_t *change) {
    const spot *first = &e->spots[from];
    uint32_t to = from;
    *change = 0;
    for (; to < e->count && e->spots[to].run == first->run && e->spots[to].fresh == first->fresh; to++) {
        if (first->fresh && st_compare(e->steps[to].value, e->steps[from].value) != 0) break;
        *change += e->steps[to].added ? 1 : -1;
    }
    return to;
}

static int64_t run_length(const st_posting_view *view, uint32_t run) {
    return (int64_t)st_posting_end(view, run + 1) - st_posting_end(view, run);
}

/* How many entries and runs there will be. */
static void count_all(edit *e) {
    int64_t entries = e->view->entries, change;
    e->runs = e->view->runs;
    for (uint32_t i = 0, to; i < e->count; i = to) {
        to = group_end(e, i, &change);
        entries += change;
        if (e->spots[i].fresh) e->runs++;
        else if (run_length(e->view, e->spots[i].run) + change == 0) e->runs--;
    }
    e->entries = (uint32_t)entries;
}

/* ---- Writing ---------------------------------------------------------- */

typedef struct writer {
    const st_posting_view *view;
    uint8_t *value, *end; /* where the next ones go; `end` is NULL if there are none */
    uint32_t run;         /* the next one of the old block */
    int64_t shift;        /* entries more than there were, so far */
} writer;

static void write_run(writer *w, const uint8_t *value) {
    memcpy(w->value, value, w->view->width);
    w->value += w->view->width;
    if (w->end == NULL) return;
    st_store16(w->end, (uint16_t)(st_posting_end(w->view, w->run) + w->shift));
    w->end += 2;
}

static void copy_runs(writer *w, uint32_t to) {
    size_t size = (size_t)(to - w->run) * w->view->width;
    memcpy(w->value, w->view->values + (size_t)w->run * w->view->width, size);
    w->value += size;
    while (w->run < to) {
        w->run++;
        if (w->end == NULL) continue;
        st_store16(w->end, (uint16_t)(st_posting_end(w->view, w->run) + w->shift));
        w->end += 2;
    }
}

static void write_runs(const edit *e, writer *w) {
    int64_t change;
    for (uint32_t i = 0, to; i < e->count; i = to) {
        const spot *at = &e->spots[i];
        to = group_end(e, i, &change);
        copy_runs(w, at->run);
        w->shift += change;
        if (at->fresh) write_run(w, (const uint8_t *)e->steps[i].value.data + w->view->shared_size);
        else if (run_length(w->view, at->run) + change == 0) w->run++;
        else copy_runs(w, at->run + 1);
    }
    copy_runs(w, w->view->runs);
}

static void write_keys(const edit *e, uint8_t *out) {
    const st_posting_view *view = e->view;
    uint32_t width = view->key_width, done = 0;
    for (uint32_t i = 0; i <= e->count; i++) {
        uint32_t to = i < e->count ? e->spots[i].entry : view->entries;
        size_t size = (size_t)(to - done) * width;
        memcpy(out, view->keys + (size_t)done * width, size);
        out += size;
        done = to;
        if (i == e->count) break;
        if (!e->steps[i].added) {
            done++;
            continue;
        }
        st_store_width(out, width, e->steps[i].key - view->first);
        out += width;
    }
}

bool st_posting_edit(const st_posting_view *view, const st_posting_step *steps, uint32_t count, bool keep_last,
                     size_t limit, uint8_t *out, size_t *out_size) {
    edit e = { .view = view, .steps = steps, .count = count };
    if (view->key_width == 0 || view->width == ST_POSTING_MIXED_WIDTH) return false;
    if (count == 0 || count > ST_POSTING_STEPS) return false;
    if (!find_spots(&e, keep_last)) return false;
    count_all(&e);
    bool with_ends = view->ends != NULL;
    if (e.entries == 0 || e.entries > UINT16_MAX || with_ends != (e.runs < e.entries)) return false;
    size_t head = ST_POSTING_HEADER + (size_t)view->shared_size, values = (size_t)e.runs * view->width;
    size_t ends = with_ends ? 2 * (size_t)e.runs : 0, keys = (size_t)e.entries * view->key_width;
    *out_size = head + values + ends + keys;
    if (*out_size > limit) return false;

    memcpy(out, view->shared - ST_POSTING_HEADER, head);
    st_store16(out + 2, (uint16_t)e.entries);
    st_store16(out + 4, (uint16_t)e.runs);
    writer w = { .view = view, .value = out + head, .end = with_ends ? out + head + values : NULL };
    write_runs(&e, &w);
    uint8_t *first = out + head + values + ends, *last = first + keys - view->key_width;
    write_keys(&e, first);
    /* Of nothing but copies of one entry there is another form. */
    return e.runs > 1 || e.entries == 1 || memcmp(first, last, view->key_width) != 0;
}
