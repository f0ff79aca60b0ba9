/* SPDX-License-Identifier: MIT
 * shared_result.c -- the result of an observed query, and the step that led to it. */
#include "observe/shared_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "observe/diff.h"
#include "observe/movers.h"
#include "observe/roots.h"
#include "observe/sorter.h"
#include "observe/source.h"
#include "query/run.h"

enum { FEW = 64, PART = 8 };

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "observing a query"); }

uint64_t st_shared_result_size(const st_shared_result *r) {
    return r->lost ? r->lost_count : r->query->ranked ? r->ranks.count : r->keys.count;
}

uint64_t *st_shared_result_keys(const st_shared_result *r) {
    size_t count = r->lost ? 0 : (size_t)st_shared_result_size(r);
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    if (keys != NULL && count != 0) st_shared_result_copy(r, 0, count, keys);
    return keys;
}

void st_shared_result_copy(const st_shared_result *r, uint64_t position, uint64_t count, uint64_t *out) {
    if (r->query->ranked) st_ranks_copy(&r->ranks, position, count, out);
    else if (count != 0) memcpy(out, r->keys.data + position, (size_t)count * sizeof *out);
}

bool st_shared_result_find(const st_shared_result *r, uint64_t key, uint64_t *out) {
    if (r->query->ranked) return st_ranks_find(&r->ranks, key, out);
    return strata_keys_find(&r->keys, key, 0, out) == STRATA_OK;
}

size_t st_shared_result_memory(const st_shared_result *r) {
    const st_result_step *s = &r->step;
    size_t step = s->deletions.capacity + s->insertions.capacity + s->gone.capacity + s->tested.capacity;
    return sizeof *r + st_ranks_memory(&r->ranks) + (size_t)r->keys.count * sizeof *r->keys.data +
           step * sizeof *s->deletions.items;
}

/* ---- What is in it ---------------------------------------------------- */

static strata_status run(st_walker *w, const strata_query *query, strata_keys *out) {
    strata_query_stats stats;
    strata_status status = strata_query_run(w->view, query, out, &stats, w->error);
    if (status == STRATA_OK) *w->rows_visited += stats.rows_visited;
    return status;
}

/* Runs the query itself. `*words`, which are to be freed, are those of the keys in a sorted result, or NULL. */
static strata_status run_whole(const st_shared_result *r, st_walker *w, strata_keys *out, uint64_t **words) {
    strata_query_stats stats;
    *words = NULL;
    if (!r->query->sorted || !r->query->ranked) return run(w, r->query->query, out);
    strata_status status = st_query_run_with_words(w->view, r->query->query, out, words, &stats, w->error);
    if (status == STRATA_OK) *w->rows_visited += stats.rows_visited;
    return status;
}

/* The result becomes keys, which are taken. `words` are those of the keys, or NULL. False, and it is as it was, if there
 * is no memory. */
static bool keep(st_shared_result *r, strata_keys *keys, const uint64_t *words) {
    if (r->query->ranked) {
        st_ranks ranks = { .count = 0 };
        if (!st_ranks_fill(&ranks, keys->data, words, keys->count, r->query->sorted)) {
            st_ranks_free(&ranks);
            return false;
        }
        st_ranks_free(&r->ranks);
        r->ranks = ranks;
    } else {
        strata_keys_free(&r->keys);
        r->keys = *keys;
        *keys = (strata_keys){ NULL, 0 };
    }
    r->lost = false;
    return true;
}

/* Of the chunks, if those of the keys are not known, so that the first change finds them. If that fails, it reads those
 * that it needs. */
static void read_words(st_shared_result *r, st_walker *w) {
    strata_error ignored;
    if (r->query->sorted && r->query->ranked)
        (void)st_sorter_read_words(w->view, r->query->query, &r->ranks, w->rows_visited, &ignored);
}

static void lose(st_shared_result *r, uint64_t count) {
    st_ranks_free(&r->ranks);
    r->lost = true;
    r->lost_count = count;
}

strata_status st_shared_result_make(st_shared_query *query, st_walker *w, uint64_t at, st_shared_result **out) {
    strata_keys keys = { NULL, 0 };
    uint64_t *words;
    st_shared_result *r = calloc(1, sizeof *r);
    if (r == NULL) return no_memory(w->error);
    r->query = query;
    r->from = r->at = r->known = at;
    strata_status status = run_whole(r, w, &keys, &words);
    if (status == STRATA_OK && !keep(r, &keys, words)) status = no_memory(w->error);
    strata_keys_free(&keys);
    free(words);
    query->all->results++;
    if (status != STRATA_OK) {
        st_shared_result_free(r);
        return status;
    }
    read_words(r, w);
    *out = r;
    return STRATA_OK;
}

/* Fills a result with the keys that another one had before its step. */
static bool fill_before(st_shared_result *r, const st_shared_result *later) {
    uint64_t *after = st_shared_result_keys(later), count = 0;
    uint64_t size = st_shared_result_size(later);
    uint64_t *before = after == NULL ? NULL : st_result_step_undo(&later->step, after, size, &count);
    strata_keys keys = { before, count };
    free(after);
    bool done = before != NULL && keep(r, &keys, NULL);
    strata_keys_free(&keys);
    return done;
}

strata_status st_shared_result_undo(const st_shared_result *later, st_shared_result **out, strata_error *error) {
    st_shared_result *r = calloc(1, sizeof *r);
    if (r == NULL) return no_memory(error);
    r->query = later->query;
    r->from = r->at = later->from;
    r->query->all->results++;
    if (later->step.blind) {
        lose(r, later->step.deletions.count);
    } else if (!fill_before(r, later)) {
        st_shared_result_free(r);
        return no_memory(error);
    }
    *out = r;
    return STRATA_OK;
}

void st_shared_result_free(st_shared_result *r) {
    r->query->all->results--;
    if (r->query->newest == r) r->query->newest = NULL;
    st_ranks_free(&r->ranks);
    strata_keys_free(&r->keys);
    st_result_step_free(&r->step);
    free(r);
}

/* ---- A step ----------------------------------------------------------- */

/* The objects that may have come, gone or moved; `*unknown`: it may be any. */
static strata_status find_tested(const st_shared_result *r, st_walker *w, const st_change_set *changes, st_key_set *out,
                                 bool *unknown) {
    const strata_query *query = r->query->query;
    *unknown = r->lost || changes->whole;
    if (changes->whole) return STRATA_OK;
    if (st_change_set_cleared(changes, query->table) || st_source_changed(query, w->view->catalog, changes))
        *unknown = true;
    if (query->source == STRATA_SOURCE_TABLE || query->source == STRATA_SOURCE_KEYS)
        if (!st_source_lives(query->table, changes, out)) return no_memory(w->error);
    return st_roots_find(w, &r->query->decides, changes, out, unknown);
}

/* Leaves out objects that were not in the result and lack the value that all in it have. */
static strata_status leave_out(const st_shared_result *r, st_walker *w, st_key_set *tested) {
    const st_constant *constant = &r->query->constant;
    st_key_set left = { 0 };
    uint64_t position;
    bool done = true;
    if (!r->query->ranked || r->lost || constant->value == NULL || tested->count > FEW) return STRATA_OK;
    for (size_t i = 0; i < tested->count && done; i++) {
        uint64_t key = tested->items[i];
        bool was = st_ranks_find(&r->ranks, key, &position);
        if (!was) ++*w->rows_visited;
        if (was || !st_constant_is_missed(constant, w->view, r->query->query->table, key))
            done = st_key_set_add(&left, key, NULL);
    }
    st_key_set_free(done ? tested : &left);
    if (!done) return no_memory(w->error);
    *tested = left;
    return STRATA_OK;
}

/* Notes the difference of two results. */
static bool compare(const uint64_t *before, uint64_t before_count, const strata_keys *after, st_result_step *step) {
    uint64_t *places = malloc((size_t)(before_count + 1) * sizeof *places), next = 0;
    bool done = places != NULL && st_diff(before, before_count, after->data, after->count, places);
    for (uint64_t i = 0; i < before_count && done; i++) {
        if (places[i] == ST_DIFF_GONE) {
            done = st_positions_add(&step->deletions, i) && st_positions_add(&step->gone, before[i]);
            continue;
        }
        done = st_positions_add_range(&step->insertions, next, places[i]);
        next = places[i] + 1;
    }
    if (done) done = st_positions_add_range(&step->insertions, next, after->count);
    free(places);
    return done;
}

static bool note_difference(const st_shared_result *r, const strata_keys *after, st_result_step *step) {
    step->anew = true;
    step->blind = r->lost;
    if (r->lost)
        return st_positions_add_range(&step->deletions, 0, r->lost_count) &&
               st_positions_add_range(&step->insertions, 0, after->count);
    uint64_t *before = st_shared_result_keys(r);
    bool done = before != NULL && compare(before, st_shared_result_size(r), after, step);
    free(before);
    return done;
}

static strata_status find_anew(st_shared_result *r, st_walker *w, st_result_step *step) {
    strata_keys after;
    uint64_t *words;
    strata_status status = run_whole(r, w, &after, &words);
    if (status != STRATA_OK) return status;
    if (!note_difference(r, &after, step) || !keep(r, &after, words)) status = no_memory(w->error);
    else read_words(r, w);
    strata_keys_free(&after);
    free(words);
    return status;
}

/* Which of the tested objects are in the result, in its order. */
static strata_status test(const st_shared_result *r, st_walker *w, st_key_set *tested, strata_keys *out) {
    strata_query query = *r->query->query;
    *out = (strata_keys){ NULL, 0 };
    if (tested->count == 0) return STRATA_OK;
    if (!st_key_set_sort(tested)) return no_memory(w->error);
    query.source = STRATA_SOURCE_KEYS;
    query.keys = tested->items;
    query.key_count = tested->count;
    return run(w, &query, out);
}

static strata_status move(st_shared_result *r, st_walker *w, st_key_set *tested, st_result_step *step) {
    uint64_t size = r->ranks.count;
    strata_keys now;
    bool broken = false;
    strata_status status = test(r, w, tested, &now);
    if (status == STRATA_OK && tested->count != 0)
        status = st_movers_move(w, r->query->query, r->query->sorted, &r->ranks, tested, &now, step, &broken);
    if (status != STRATA_OK && broken) lose(r, size);
    strata_keys_free(&now);
    return status;
}

static strata_status find_step(st_shared_result *r, st_walker *w, const st_change_set *changes, st_result_step *step) {
    st_key_set tested = { 0 };
    bool unknown;
    strata_status status = find_tested(r, w, changes, &tested, &unknown);
    if (status == STRATA_OK && !unknown) status = leave_out(r, w, &tested);
    if (status == STRATA_OK) {
        bool few = tested.count <= FEW || tested.count <= st_shared_result_size(r) / PART;
        if (unknown || (r->query->ranked ? !few : tested.count != 0)) status = find_anew(r, w, step);
        else if (r->query->ranked) status = move(r, w, &tested, step);
    }
    st_key_set_free(&tested);
    return status;
}

strata_status st_shared_result_step(st_shared_result *r, st_walker *w, const st_change_set *changes, uint64_t to) {
    st_result_step step = { .anew = false };
    strata_status status = find_step(r, w, changes, &step);
    if (status != STRATA_OK) {
        st_result_step_free(&step);
        if (r->lost) st_result_step_free(&r->step); /* it cannot be undone any more */
        return status;
    }
    st_result_step_free(&r->step);
    r->step = step;
    r->step_number = ++r->query->all->steps;
    r->from = r->at;
    r->at = to;
    return STRATA_OK;
}

/* ---- Telling it ------------------------------------------------------- */

static bool add_all(st_positions *to, const st_positions *from) {
    for (size_t i = 0; i < from->count; i++)
        if (!st_positions_add(to, from->items[i])) return false;
    return true;
}

static bool tell_modified(const st_shared_result *r, uint64_t after, st_found *out) {
    uint64_t before;
    return !st_result_step_origin(&r->step, after, &before) || st_found_modified(out, before, after);
}

bool st_shared_result_tell(const st_shared_result *r, const st_key_set *modified, bool all, st_found *out) {
    bool done = add_all(&out->deletions, &r->step.deletions) && add_all(&out->insertions, &r->step.insertions);
    uint64_t size = st_shared_result_size(r), after;
    if (all) out->flags |= STRATA_CHANGES_ANEW;
    if (all || (!r->query->ranked && modified->count != 0)) {
        for (uint64_t i = 0; i < size && done; i++)
            if (all || st_key_set_has(modified, r->keys.data[i])) done = tell_modified(r, i, out);
    } else if (r->query->ranked) {
        for (size_t i = 0; i < modified->count && done; i++)
            if (st_ranks_find(&r->ranks, modified->items[i], &after)) done = tell_modified(r, after, out);
    }
    return done && st_found_sort(out);
}
