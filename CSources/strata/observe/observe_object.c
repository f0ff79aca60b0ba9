/* SPDX-License-Identifier: MIT
 * observe_object.c -- observers of one object. */
#include "observe/observe_object.h"

#include <stdio.h>

#include "base/status.h"
#include "observe/roots.h"

/* What the walk over the paths found. */
typedef struct findings {
    st_found *found;
    bool failed;
} findings;

static void note_path(void *context, const st_watched *watched) {
    findings *f = context;
    const st_hop *first = &watched->hops[0];
    bool done = st_positions_add(&f->found->paths, watched->path);
    if (done && first->origin == ST_NONE) done = st_positions_add(&f->found->columns, first->column);
    if (!done) f->failed = true;
}

/* All columns that were assigned, or whose elements were changed. */
static bool note_columns(const strata_observer *o, const st_change_set *changes, st_found *out) {
    size_t count;
    const strata_delta *deltas = st_change_set_object(changes, o->table, o->key, &count);
    for (size_t i = 0; i < count; i++) {
        bool assigns = deltas[i].kind >= STRATA_DELTA_ASSIGN && deltas[i].kind != STRATA_DELTA_LINKED;
        if (assigns && !st_positions_add(&out->columns, deltas[i].column)) return false;
    }
    return true;
}

/* There is no record: every property may have been assigned. */
static bool note_all(const strata_observer *o, st_found *out) {
    const st_table *table = &o->view->catalog->tables[o->table];
    bool done = true;
    out->flags |= STRATA_CHANGES_ANEW;
    for (uint32_t c = 0; c < table->column_count && done; c++)
        if (table->columns[c].type != STRATA_NULL && o->counts->deep != ST_NOT_DEEP)
            done = st_positions_add(&out->columns, c);
    for (size_t i = 0; i < o->counts->count && done; i++) {
        findings f = { out, false };
        note_path(&f, &o->counts->items[i]);
        done = !f.failed;
    }
    return done;
}

static strata_status advance(strata_observer *o, const st_change_set *changes, uint64_t to, strata_error *error) {
    st_found *out = st_observer_begin(o);
    bool deleted = st_change_set_deleted(changes, o->table, o->key) || st_change_set_cleared(changes, o->table);
    strata_row row;
    strata_status status = STRATA_OK;
    (void)to;
    if (changes->whole) {
        status = strata_row_bind(o->view, o->table, o->key, &row, error);
        if (status < 0 && status != STRATA_NOT_FOUND) return status;
        deleted = status == STRATA_NOT_FOUND;
    }
    if (deleted) {
        out->flags |= STRATA_CHANGES_GONE;
        return STRATA_OK;
    }
    findings f = { out, false };
    st_walker walker = st_observer_walker(o, error);
    if (changes->whole) f.failed = !note_all(o, out);
    else if (o->counts->deep != ST_NOT_DEEP) f.failed = !note_columns(o, changes, out);
    if (!changes->whole) status = st_root_find(&walker, o->counts, changes, o->key, note_path, &f);
    return f.failed ? st_no_memory(error, "observing an object") : status;
}

static bool add_concerns(const strata_observer *o, st_concerns *out, st_concerns *beyond) {
    (void)beyond;
    return st_concerns_add(out, (st_concern){ .table = o->table, .lives = 1 }) &&
           st_concerns_add_watch(out, o->counts, o->view->catalog);
}

static strata_status find(const strata_observer *o, st_walker *walker, const st_change_set *changes, st_key_set *out,
                          bool *unknown) {
    size_t count;
    const strata_delta *deltas = st_change_set_table(changes, o->table, &count);
    *unknown = st_change_set_cleared(changes, o->table);
    for (size_t i = 0; i < count && !*unknown; i++)
        if (deltas[i].kind == STRATA_DELTA_DELETE && !st_key_set_add(out, deltas[i].key, NULL))
            return st_no_memory(walker->error, "observing an object");
    return st_roots_find(walker, o->counts, changes, out, unknown);
}

static void free_state(strata_observer *o) { (void)o; }

static void explain(const strata_observer *o, strata_observer_stats *out) {
    (void)snprintf(out->plan, sizeof out->plan, "object %llu of %s; looked up among the changes%s",
                   (unsigned long long)o->key, o->view->catalog->tables[o->table].name,
                   o->counts->count == 0 ? "" : ", and what its paths lead to");
}

strata_status st_observe_object(strata_observer *o, const strata_key_paths *paths, strata_error *error) {
    static const st_kind_of_observer kind = { advance, free_state, explain, add_concerns, find, NULL };
    strata_row row;
    o->kind = &kind;
    o->by = ST_BY_KEY;
    strata_status status = strata_row_bind(o->view, o->table, o->key, &row, error);
    if (status == STRATA_NOT_FOUND)
        return st_fail(error, STRATA_NOT_FOUND, 0, "observing object %llu of %s, which is gone",
                       (unsigned long long)o->key, o->view->catalog->tables[o->table].name);
    if (status == STRATA_OK) status = st_watch_paths(&o->own->counts, o->view, paths, 0, error);
    return status;
}
