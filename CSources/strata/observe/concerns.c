/* SPDX-License-Identifier: MIT
 * concerns.c -- which tables and columns were changed, or matter to an observer. */
#include "observe/concerns.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "observe/roots.h"

void st_concerns_free(st_concerns *c) {
    free(c->items);
    *c = (st_concerns){ 0 };
}

bool st_concerns_add(st_concerns *c, st_concern concern) {
    size_t at = c->count;
    while (at > 0 && c->items[at - 1].table > concern.table) at--;
    if (at > 0 && c->items[at - 1].table == concern.table) {
        c->items[at - 1].assigned |= concern.assigned;
        c->items[at - 1].linked |= concern.linked;
        c->items[at - 1].lives |= concern.lives;
        return true;
    }
    if (!st_array_grow((void **)&c->items, &c->capacity, c->count, sizeof *c->items)) return false;
    memmove(c->items + at + 1, c->items + at, (c->count++ - at) * sizeof *c->items);
    c->items[at] = concern;
    return true;
}

bool st_concerns_add_changes(st_concerns *c, const st_change_set *changes) {
    bool done = true;
    for (size_t i = 0; i < changes->count && done;) {
        st_concern all = { .table = changes->deltas[i].table };
        for (; i < changes->count && changes->deltas[i].table == all.table; i++) {
            const strata_delta *delta = &changes->deltas[i];
            if (delta->kind < STRATA_DELTA_ASSIGN) all.lives = 1;
            else if (delta->kind == STRATA_DELTA_LINKED) all.linked |= st_column_bit(delta->column);
            else all.assigned |= st_column_bit(delta->column);
        }
        done = st_concerns_add(c, all);
    }
    return done;
}

/* A path is watched at each of its hops; what matters of it is the last one, and whether links went with a table. */
static bool add_watched(st_concerns *c, const st_watched *watched) {
    const st_hop *last = &watched->hops[watched->count - 1];
    st_concern concern = { .table = last->table };
    if (last->origin == ST_NONE) concern.assigned = st_column_bit(last->column);
    else concern.linked = st_column_bit(last->column);
    bool done = st_concerns_add(c, concern);
    for (uint32_t i = 0; i < watched->count && done; i++)
        if (watched->hops[i].origin != ST_NONE)
            done = st_concerns_add(c, (st_concern){ .table = watched->hops[i].origin, .lives = 1 });
    return done;
}

bool st_concerns_add_watch(st_concerns *c, const st_watch *watch, const st_catalog *catalog) {
    bool done = !watch->always || st_concerns_add(c, (st_concern){ .table = ST_NONE });
    for (size_t i = 0; i < watch->count && done; i++) done = add_watched(c, &watch->items[i]);
    if (watch->deep == ST_NOT_DEEP || !done) return done;
    int *distances = st_roots_distances(catalog, watch, NULL);
    if (distances == NULL) return false;
    for (uint32_t t = 0; t < catalog->table_count && done; t++)
        if (distances[t] <= watch->deep)
            done = st_concerns_add(c, (st_concern){ .table = t, .assigned = ST_ALL_COLUMNS });
    free(distances);
    return done;
}

bool st_concerns_meet(const st_concerns *changed, const st_concerns *matters) {
    size_t i = 0, j = 0;
    if (matters->count != 0 && matters->items[matters->count - 1].table == ST_NONE && changed->count != 0) return true;
    while (i < changed->count && j < matters->count) {
        const st_concern *a = &changed->items[i], *b = &matters->items[j];
        if (a->table == b->table &&
            ((a->assigned & b->assigned) | (a->linked & b->linked) | (a->lives & b->lives)) != 0)
            return true;
        if (a->table <= b->table) i++;
        if (a->table >= b->table) j++;
    }
    return false;
}
