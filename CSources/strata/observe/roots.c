/* SPDX-License-Identifier: MIT
 * roots.c -- the roots that the changes of a change set concern. */
#include "observe/roots.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/status.h"
#include "table/link_index.h"

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

/* Whether columns of tables at a distance link to a table. */
static bool is_linked_from(const st_table *target, const int *distances, int distance, const bool *used) {
    for (uint32_t i = 0; i < target->incoming_count; i++)
        if (distances[target->incoming[i].table] == distance && (used == NULL || used[i])) return true;
    return false;
}

static bool is_linked_by(const st_table *target, st_incoming from, const bool *used) {
    for (uint32_t i = 0; i < target->incoming_count; i++)
        if (target->incoming[i].table == from.table && target->incoming[i].column == from.column)
            return used == NULL || used[i];
    return false;
}

static bool is_of_roots(const st_catalog *catalog, const st_watch *watch, uint32_t table, const bool *used) {
    if (watch->root != ST_NONE) return table == watch->root;
    return is_linked_by(&catalog->tables[table], watch->values, used);
}

int *st_roots_distances(const st_catalog *catalog, const st_watch *watch, const bool *used) {
    const int most = watch->deep;
    int *out = malloc(catalog->table_count * sizeof *out);
    if (out == NULL) return NULL;
    for (int d = 0; d <= most; d++) {
        const bool *of_table = used;
        for (uint32_t t = 0; t < catalog->table_count; t++) {
            const st_table *table = &catalog->tables[t];
            if (d == 0) out[t] = is_of_roots(catalog, watch, t, of_table) ? 0 : most + 1;
            else if (out[t] > d && is_linked_from(table, out, d - 1, of_table)) out[t] = d;
            if (used != NULL) of_table += table->incoming_count;
        }
    }
    return out;
}

/* A walk back through all columns that link. Objects stand in sets with their tables. */
typedef struct deep_walk {
    st_walker *walker;
    const st_watch *watch;
    bool *used;      /* see st_roots_distances() */
    int *distances;
    st_key_set seen, keys; /* all objects reached; those that one hop leads to */
    st_key_set *roots;
} deep_walk;

static strata_status reach(deep_walk *d, uint32_t table, uint64_t key) {
    const uint64_t object = (uint64_t)table << KEY_BITS | key;
    bool done = st_key_set_add(&d->seen, object, NULL);
    if (done && d->watch->root == ST_NONE && d->distances[table] == 0) done = st_key_set_add(d->roots, object, NULL);
    if (done && d->watch->root == table) done = st_key_set_add(d->roots, key, NULL);
    return done ? STRATA_OK : no_memory(d->walker);
}

/* Whether a mixed column links to an object of a table, whose links lie side by side in its index. */
static strata_status has_links(deep_walk *d, st_incoming from, uint32_t table, bool *out) {
    const strata_view *view = d->walker->view;
    const st_column *column = &view->catalog->tables[from.table].columns[from.column];
    uint8_t low[8], high[8];
    uint64_t key;
    st_store_big64(low, st_link_number(column, table, 0));
    st_store_big64(high, st_link_number(column, table + 1, 0));
    const st_posting_range range = { { low, sizeof low }, { high, sizeof high }, 0, 0 };
    strata_status status = st_postings_first(view->txn, st_link_set(column), &range, &key, d->walker->error);
    *out = status == STRATA_OK;
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}

/* Finds out which mixed columns link to which tables: each may to all, and few do. Other columns are not asked. */
static strata_status find_used(deep_walk *d) {
    const st_catalog *catalog = d->walker->view->catalog;
    strata_status status = STRATA_OK;
    size_t count = 0;
    for (uint32_t t = 0; t < catalog->table_count; t++) count += catalog->tables[t].incoming_count;
    d->used = malloc(count + 1);
    bool *next = d->used;
    if (next == NULL) return no_memory(d->walker);
    for (uint32_t t = 0; t < catalog->table_count; t++) {
        const st_table *table = &catalog->tables[t];
        for (uint32_t i = 0; i < table->incoming_count && status == STRATA_OK; i++) {
            st_incoming from = table->incoming[i];
            bool mixed = catalog->tables[from.table].columns[from.column].type == STRATA_MIXED;
            *next = true;
            if (mixed) status = has_links(d, from, t, next);
            next++;
        }
    }
    return status;
}

/* Those of the incoming columns of a table. */
static const bool *used_of(const deep_walk *d, uint32_t table) {
    const bool *used = d->used;
    for (uint32_t t = 0; t < table; t++) used += d->walker->view->catalog->tables[t].incoming_count;
    return used;
}

/* Reaches who links to an object, if the roots are near enough: `links` are between it and what was changed. */
static strata_status reach_origins(deep_walk *d, uint32_t table, uint64_t key, int links) {
    const st_table *target = &d->walker->view->catalog->tables[table];
    const bool *used = used_of(d, table);
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < target->incoming_count && status == STRATA_OK; i++) {
        st_incoming from = target->incoming[i];
        if (!used[i] || d->distances[from.table] + links + 1 > d->watch->deep) continue;
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
    strata_status status = find_used(&d);
    if (status == STRATA_OK) d.distances = st_roots_distances(w->view->catalog, watch, d.used);
    if (status == STRATA_OK) status = d.distances == NULL ? no_memory(w) : reach_changed(&d, changes);
    size_t done = 0;
    for (int links = 0; links < watch->deep && status == STRATA_OK; links++) {
        for (size_t end = d.seen.count; done < end && status == STRATA_OK; done++) {
            uint64_t item = d.seen.items[done];
            status = reach_origins(&d, (uint32_t)(item >> KEY_BITS), item & ((UINT64_C(1) << KEY_BITS) - 1), links);
        }
    }
    free(d.used);
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
