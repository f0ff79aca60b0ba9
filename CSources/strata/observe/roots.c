/* SPDX-License-Identifier: MIT
 * roots.c -- the roots that the changes of a change set concern. */
#include "observe/roots.h"

#include <stdlib.h>

#include "base/status.h"

enum { KEY_BITS = 48 };

static strata_status no_memory(const st_walker *w) { return st_no_memory(w->error, "looking for what changed"); }

/* ---- Paths ------------------------------------------------------------ */

/* The objects of which something was changed that a hop goes through. */
static strata_status add_changed(const st_walker *w, const st_hop *hop, const st_change_set *changes, st_key_set *out) {
    size_t count;
    const strata_delta *deltas = st_change_set_table(changes, hop->table, &count);
    for (size_t i = 0; i < count; i++)
        if (st_hop_concerns(hop, &deltas[i]) && !st_key_set_add(out, deltas[i].key, NULL)) return no_memory(w);
    return STRATA_OK;
}

/* Goes back from objects over all hops but the last. `from` and `to` take turns; the roots are in `from` at the end. */
static strata_status go_back(st_walker *w, const st_watched *watched, st_key_set *from, st_key_set *to) {
    strata_status status = STRATA_OK;
    for (uint32_t i = watched->count - 1; i > 0 && from->count != 0; i--) {
        st_key_set_clear(to);
        for (size_t k = 0; k < from->count && status == STRATA_OK; k++)
            status = st_hop_backward(w, &watched->hops[i - 1], from->items[k], to);
        if (status != STRATA_OK) return status;
        st_key_set swap = *from;
        *from = *to;
        *to = swap;
    }
    return status;
}

static strata_status add_roots(st_walker *w, const st_watched *watched, const st_change_set *changes, st_key_set *out,
                               st_key_set *from, st_key_set *to) {
    if (watched->count == 1) return add_changed(w, &watched->hops[0], changes, out);
    st_key_set_clear(from);
    strata_status status = add_changed(w, &watched->hops[watched->count - 1], changes, from);
    if (status == STRATA_OK) status = go_back(w, watched, from, to);
    for (size_t i = 0; i < from->count && status == STRATA_OK; i++)
        if (!st_key_set_add(out, from->items[i], NULL)) status = no_memory(w);
    return status;
}

/* A table that was cleared does not tell to whom its objects linked. */
static bool is_cut(const st_watched *watched, const st_change_set *changes) {
    for (uint32_t i = 0; i < watched->count; i++)
        if (watched->hops[i].origin != ST_NONE && st_change_set_cleared(changes, watched->hops[i].origin)) return true;
    return false;
}

/* ---- All properties --------------------------------------------------- */

/* Whether columns of tables at a distance may link to a table. */
static bool is_linked_from(const st_table *target, const int *distances, int distance) {
    for (uint32_t i = 0; i < target->incoming_count; i++)
        if (distances[target->incoming[i].table] == distance) return true;
    return false;
}

int *st_roots_distances(const st_catalog *catalog, uint32_t root, int most) {
    int *out = malloc(catalog->table_count * sizeof *out);
    if (out == NULL) return NULL;
    for (uint32_t t = 0; t < catalog->table_count; t++) out[t] = root == ST_NONE ? 0 : most + 1;
    if (root != ST_NONE) out[root] = 0;
    for (int d = 0; d < most; d++) {
        for (uint32_t target = 0; target < catalog->table_count; target++) {
            if (out[target] > d + 1 && is_linked_from(&catalog->tables[target], out, d)) out[target] = d + 1;
        }
    }
    return out;
}

/* A walk back through all columns that link. Objects stand in sets with their tables. */
typedef struct deep_walk {
    st_walker *walker;
    const st_watch *watch;
    int *distances;
    st_key_set seen, keys; /* all objects reached; those that one hop leads to */
    st_key_set *roots;
} deep_walk;

static strata_status reach(deep_walk *d, uint32_t table, uint64_t key) {
    const uint64_t object = (uint64_t)table << KEY_BITS | key;
    bool done = st_key_set_add(&d->seen, object, NULL);
    if (done && d->watch->root == ST_NONE) done = st_key_set_add(d->roots, object, NULL);
    if (done && d->watch->root == table) done = st_key_set_add(d->roots, key, NULL);
    return done ? STRATA_OK : no_memory(d->walker);
}

/* Reaches who links to an object, if the roots are near enough: `links` are between it and what was changed. */
static strata_status reach_origins(deep_walk *d, uint32_t table, uint64_t key, int links) {
    const st_table *target = &d->walker->view->catalog->tables[table];
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < target->incoming_count && status == STRATA_OK; i++) {
        st_incoming from = target->incoming[i];
        if (d->distances[from.table] + links + 1 > d->watch->deep) continue;
        const st_hop hop = { from.table, from.column, ST_NONE, table };
        st_key_set_clear(&d->keys);
        status = st_hop_backward(d->walker, &hop, key, &d->keys);
        for (size_t k = 0; k < d->keys.count && status == STRATA_OK; k++)
            status = reach(d, from.table, d->keys.items[k]);
    }
    return status;
}

static strata_status reach_changed(deep_walk *d, const st_change_set *changes) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < changes->count && status == STRATA_OK; i++) {
        const strata_delta *delta = &changes->deltas[i];
        bool assigns = delta->kind >= STRATA_DELTA_ASSIGN && delta->kind != STRATA_DELTA_LINKED;
        if (assigns && d->distances[delta->table] <= d->watch->deep) status = reach(d, delta->table, delta->key);
    }
    return status;
}

static strata_status find_deep(st_walker *w, const st_watch *watch, const st_change_set *changes, st_key_set *out) {
    deep_walk d = { .walker = w, .watch = watch, .roots = out };
    d.distances = st_roots_distances(w->view->catalog, watch->root, watch->deep);
    strata_status status = d.distances == NULL ? no_memory(w) : reach_changed(&d, changes);
    size_t done = 0;
    for (int links = 0; links < watch->deep && status == STRATA_OK; links++) {
        for (size_t end = d.seen.count; done < end && status == STRATA_OK; done++) {
            uint64_t item = d.seen.items[done];
            status = reach_origins(&d, (uint32_t)(item >> KEY_BITS), item & ((UINT64_C(1) << KEY_BITS) - 1), links);
        }
    }
    free(d.distances);
    st_key_set_free(&d.seen);
    st_key_set_free(&d.keys);
    return status;
}

/* ---- Everything ------------------------------------------------------- */

strata_status st_roots_find(st_walker *w, const st_watch *watch, const st_change_set *changes, st_key_set *out,
                            bool *unknown) {
    strata_status status = STRATA_OK;
    st_key_set from = { 0 }, to = { 0 };
    if (watch->always && changes->count != 0) *unknown = true;
    for (size_t i = 0; i < watch->count && status == STRATA_OK && !*unknown; i++) {
        if (is_cut(&watch->items[i], changes)) *unknown = true;
        else status = add_roots(w, &watch->items[i], changes, out, &from, &to);
    }
    if (status == STRATA_OK && watch->deep != ST_NOT_DEEP && !*unknown) status = find_deep(w, watch, changes, out);
    st_key_set_free(&from);
    st_key_set_free(&to);
    return status;
}

/* ---- One root --------------------------------------------------------- */

static bool is_changed(const st_hop *hop, const st_change_set *changes, uint64_t key) {
    size_t count;
    const strata_delta *deltas = st_change_set_object(changes, hop->table, key, &count);
    for (size_t i = 0; i < count; i++)
        if (st_hop_concerns(hop, &deltas[i])) return true;
    return false;
}

/* Whether a path leads from a root to a change. */
static strata_status leads(st_walker *w, const st_watched *watched, const st_change_set *changes, uint64_t root,
                           bool *out) {
    st_key_set at = { 0 }, next = { 0 };
    strata_status status = st_key_set_add(&at, root, NULL) ? STRATA_OK : no_memory(w);
    for (uint32_t i = 0; i + 1 < watched->count && status == STRATA_OK; i++) {
        st_key_set_clear(&next);
        for (size_t k = 0; k < at.count && status == STRATA_OK; k++)
            status = st_hop_forward(w, &watched->hops[i], at.items[k], &next);
        st_key_set swap = at;
        at = next;
        next = swap;
    }
    *out = false;
    for (size_t k = 0; k < at.count && status == STRATA_OK && !*out; k++)
        *out = is_changed(&watched->hops[watched->count - 1], changes, at.items[k]);
    st_key_set_free(&at);
    st_key_set_free(&next);
    return status;
}

strata_status st_root_find(st_walker *w, const st_watch *watch, const st_change_set *changes, uint64_t root,
                           st_root_found *found, void *context) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < watch->count && status == STRATA_OK; i++) {
        const st_watched *watched = &watch->items[i];
        size_t count;
        bool does = false;
        (void)st_change_set_table(changes, watched->hops[watched->count - 1].table, &count);
        if (count != 0) status = leads(w, watched, changes, root, &does);
        if (does) found(context, watched);
    }
    return status;
}
