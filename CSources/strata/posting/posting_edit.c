/* SPDX-License-Identifier: MIT
 *
 * posting_edit.c -- makes a few changes in a copy of a posting block.
 *
 * The stretches between the changes are copied: object keys and values unchanged, and the ends of runs moved by the
 * number of entries that were added or removed before them.
 */
#include "posting/posting_edit.h"

/* Where a change belongs. */
typedef struct spot {
    uint32_t entry; /* the entry that is removed, or the one that the added entry comes before */
    uint32_t run;   /* the run of its value, or the one that the new run comes before */
    bool fresh;     /* a new run: the block does not have the value */
} spot;

typedef struct block_edit {
    const st_posting_view *view;
    const st_posting_step *steps;
    uint32_t count;
    spot spots[ST_POSTING_STEPS];
    uint32_t entries, runs; /* of the new block */
} block_edit;

/* ---- Finding ---------------------------------------------------------- */

static uint32_t lower_key(const st_posting_view *view, uint32_t from, uint32_t to, uint64_t key) {
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (st_posting_key(view, middle) < key) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* Finds where a change belongs. False if it cannot be made. */
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

static bool find_spots(block_edit *e, bool keep_last) {
    for (uint32_t i = 0; i < e->count; i++) {
        if (i > 0 && same_entry(&e->steps[i - 1], &e->steps[i])) return false;
        if (!find_spot(e->view, &e->steps[i], &e->spots[i])) return false;
        if (keep_last && !e->steps[i].added && e->spots[i].entry == e->view->entries - 1) return false;
    }
    return true;
}

/* ---- Runs ------------------------------------------------------------- */

/* Where the changes from `from` on that are about one value end. `*change` is by how many entries its run grows. */
static uint32_t group_end(const block_edit *e, uint32_t from, int64_t *change) {
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

/* Counts the entries and runs of the new block. */
static void count_all(block_edit *e) {
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

typedef struct run_writer {
    const st_posting_view *view;
    uint8_t *value, *end; /* where the next value and the next end of a run go; `end` is NULL if there are no ends */
    uint32_t run;         /* the next run of the old block */
    int64_t shift;        /* by how many entries the new block is ahead so far */
} run_writer;

static void write_run(run_writer *w, const uint8_t *value) {
    memcpy(w->value, value, w->view->width);
    w->value += w->view->width;
    if (w->end == NULL) return;
    st_store16(w->end, (uint16_t)(st_posting_end(w->view, w->run) + w->shift));
    w->end += 2;
}

static void copy_runs(run_writer *w, uint32_t to) {
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

static void write_runs(const block_edit *e, run_writer *w) {
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

static void write_keys(const block_edit *e, uint8_t *out) {
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
    block_edit e; /* `spots` stays as it is until they are found */
    e.view = view, e.steps = steps, e.count = count;
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
    run_writer w = { .view = view, .value = out + head, .end = with_ends ? out + head + values : NULL };
    write_runs(&e, &w);
    uint8_t *first = out + head + values + ends, *last = first + keys - view->key_width;
    write_keys(&e, first);
    /* A block of nothing but copies of one entry would have another form. */
    return e.runs > 1 || e.entries == 1 || memcmp(first, last, view->key_width) != 0;
}
