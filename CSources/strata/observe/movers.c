/* SPDX-License-Identifier: MIT
 * movers.c -- moving the objects that were tested to where they are in a result. */
#include "observe/movers.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/status.h"
#include "observe/sorter.h"

/* An object that is tested: where it was, and where it is. */
typedef struct mover {
    uint64_t key;
    uint64_t before, gap; /* its position, and that among those that were not tested; UINT64_MAX: it was not there */
    uint64_t after;
    bool stays;           /* it has not moved among the others */
} mover;

static int compare_before(const void *a, const void *b) {
    const mover *x = a, *y = b;
    return x->before < y->before ? -1 : x->before > y->before;
}

static int compare_key(const void *a, const void *b) {
    const mover *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static mover *find_mover(mover *movers, size_t count, uint64_t key) {
    const mover wanted = { .key = key };
    return bsearch(&wanted, movers, count, sizeof *movers, compare_key);
}

/* Takes those of the tested objects out of the ranks that were there. The movers stand by keys afterwards. */
static void take_out(st_ranks *ranks, mover *movers, size_t count) {
    uint64_t taken = 0;
    st_sort_array(movers, count, sizeof *movers, compare_before); /* those that were not there are last */
    for (size_t i = 0; i < count && movers[i].before != UINT64_MAX; i++) movers[i].gap = movers[i].before - taken++;
    for (size_t i = (size_t)taken; i-- > 0;) st_ranks_remove(ranks, movers[i].before);
    st_sort_array(movers, count, sizeof *movers, compare_key);
}

/* For each object of `now` the gap among the others where it belongs, and in a sorted result its word. */
static strata_status find_gaps(st_walker *w, const strata_query *query, st_ranks *ranks, const strata_keys *now,
                               uint64_t *gaps, uint64_t *words) {
    if (words != NULL)
        return st_sorter_find(w->view, query, ranks, now->data, now->count, gaps, words, w->rows_visited, w->error);
    for (uint64_t i = 0; i < now->count; i++) gaps[i] = st_ranks_bound(ranks, now->data[i]);
    return STRATA_OK;
}

/* Puts the objects of `now` into their gaps, and notes which of them stayed: those that are in the same gap, in the
 * same order. */
static bool put_in(st_ranks *ranks, mover *movers, size_t count, const strata_keys *now, const uint64_t *gaps,
                   const uint64_t *words, st_result_step *step) {
    uint64_t gap = UINT64_MAX, last = 0;
    for (uint64_t i = 0; i < now->count; i++) {
        mover *m = find_mover(movers, count, now->data[i]);
        if (gaps[i] != gap) last = 0;
        gap = gaps[i];
        m->after = gap + i;
        m->stays = m->before != UINT64_MAX && m->gap == gap && m->before + 1 > last;
        if (m->stays) last = m->before + 1;
        if (!st_ranks_insert(ranks, m->after, m->key, words == NULL ? NULL : &words[i])) return false;
        if (!m->stays && !st_positions_add(&step->insertions, m->after)) return false;
        if (!st_positions_add(&step->tested, m->key)) return false;
    }
    return true;
}

static bool note_gone(mover *movers, size_t count, st_result_step *step) {
    st_sort_array(movers, count, sizeof *movers, compare_before);
    for (size_t i = 0; i < count && movers[i].before != UINT64_MAX; i++) {
        if (movers[i].stays) continue;
        if (!st_positions_add(&step->deletions, movers[i].before)) return false;
        if (!st_positions_add(&step->gone, movers[i].key)) return false;
    }
    return true;
}

strata_status st_movers_move(st_walker *w, const strata_query *query, bool sorted, st_ranks *ranks,
                             const st_key_set *tested, const strata_keys *now, st_result_step *step, bool *broken) {
    size_t count = tested->count;
    mover *movers = malloc((count + 1) * sizeof *movers);
    uint64_t *gaps = malloc(2 * (size_t)(now->count + 1) * sizeof *gaps);
    uint64_t *words = sorted && gaps != NULL ? gaps + now->count + 1 : NULL;
    strata_status status = STRATA_NO_MEMORY;
    *broken = false;
    if (movers != NULL && gaps != NULL) {
        for (size_t i = 0; i < count; i++) {
            movers[i] = (mover){ tested->items[i], UINT64_MAX, 0, UINT64_MAX, false };
            (void)st_ranks_find(ranks, movers[i].key, &movers[i].before);
        }
        *broken = true;
        take_out(ranks, movers, count);
        status = find_gaps(w, query, ranks, now, gaps, words);
        if (status == STRATA_OK &&
            !(put_in(ranks, movers, count, now, gaps, words, step) && note_gone(movers, count, step)))
            status = STRATA_NO_MEMORY;
    }
    free(movers);
    free(gaps);
    return status == STRATA_NO_MEMORY ? st_no_memory(w->error, "observing a query") : status;
}
