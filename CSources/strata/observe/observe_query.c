/* SPDX-License-Identifier: MIT
 *
 * observe_query.c -- observers of the result of a query.
 *
 * Observers of equal queries share one result. Whoever is asked first makes its step; those who are asked before more
 * is read make the same one. Whoever is asked later, when the result goes on, gets a result as it was before the step,
 * together with all who have not made it either; they come back when both results are at the same commit.
 */
#include "observe/observe_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "observe/family.h"
#include "observe/shared_result.h"
#include "observe/roots.h"
#include "observe/source.h"

/* ---- Who shares a result ---------------------------------------------- */

static void join(strata_observer *o, st_shared_result *r) {
    o->result = r;
    o->previous_sharer = NULL;
    o->next_sharer = r->sharers;
    if (r->sharers != NULL) r->sharers->previous_sharer = o;
    r->sharers = o;
    if (++r->sharer_count > 1) r->query->all->sharers += r->sharer_count == 2 ? 2 : 1;
}

static void leave(strata_observer *o) {
    st_shared_result *r = o->result;
    if (o->previous_sharer == NULL) r->sharers = o->next_sharer;
    else o->previous_sharer->next_sharer = o->next_sharer;
    if (o->next_sharer != NULL) o->next_sharer->previous_sharer = o->previous_sharer;
    o->result = NULL;
    if (--r->sharer_count > 0) r->query->all->sharers -= r->sharer_count == 1 ? 2 : 1;
    else st_shared_result_free(r);
}

/* Whether an observer has yet to make the step of its result. Whoever is not due need not make it. */
static bool is_behind(const strata_observer *o) {
    return o->due && o->seen < o->result->at && !st_result_step_is_empty(&o->result->step);
}

/* Gives those who have not made the step of a result one as it was before. */
static strata_status split(st_shared_result *r, strata_error *error) {
    st_shared_result *earlier = NULL;
    for (strata_observer *o = r->sharers, *next; o != NULL; o = next) {
        next = o->next_sharer;
        if (!is_behind(o)) continue;
        strata_status status = earlier == NULL ? st_shared_result_undo(r, &earlier, error) : STRATA_OK;
        if (status != STRATA_OK) return status;
        leave(o);
        join(o, earlier);
    }
    return STRATA_OK;
}

/* Whether nothing has come that a result may not know: then it is what the view shows. */
static bool is_current(st_shared_result *r, uint64_t read) {
    if (r->at == read || r->known == read) return true;
    for (const strata_observer *o = r->sharers; o != NULL; o = o->next_sharer)
        if (o->due) return false;
    r->known = read;
    return true;
}

const st_shared_result *st_observe_query_result(const strata_observer *o, uint64_t read) {
    st_shared_result *r = o->result;
    if (r == NULL || r->lost) return NULL;
    return !o->due || is_current(r, read) ? r : NULL;
}

/* Brings an observer back to those from whom it was separated, if their result is the same. */
static void meet(strata_observer *o, uint64_t to) {
    st_shared_result *r = o->result, *other = r->query->newest;
    if (other == NULL) r->query->newest = other = r;
    if (other == r || other->lost || r->lost || is_behind(o)) return;
    bool same = other->at == r->at && o->seen >= r->at;
    bool same_before = other->from == r->at && other->at == to && other->step_number != 0;
    if (!same && !same_before) return;
    leave(o);
    join(o, other);
}

/* ---- Going on --------------------------------------------------------- */

/* Makes the result that an observer has one at the commit `to`. */
static strata_status step(strata_observer *o, st_walker *w, const st_change_set *changes, uint64_t to) {
    if (o->result->at == to) return STRATA_OK;
    strata_status status = split(o->result, w->error); /* which may give it another one */
    if (status != STRATA_OK) return status;
    status = st_shared_result_step(o->result, w, changes, to);
    if (status == STRATA_OK && o->result->step.anew) o->stats.reruns++;
    return status;
}

/* Notes in the family whose are the objects that may have come. */
static strata_status claim(strata_observer *o, strata_error *error) {
    const st_shared_result *r = o->result;
    if (!st_family_has_homes(o)) return STRATA_OK;
    if (!r->step.anew) {
        st_family_claim(o, r->step.tested.items, r->step.tested.count);
        return STRATA_OK;
    }
    uint64_t *keys = st_shared_result_keys(r);
    if (keys == NULL) return st_no_memory(error, "observing a query");
    st_family_claim(o, keys, (size_t)st_shared_result_size(r));
    free(keys);
    return STRATA_OK;
}

/* Tells the step of the result to all who have the same key paths and have seen the same. */
static strata_status tell(strata_observer *o, st_walker *w, const st_change_set *changes) {
    const st_shared_result *r = o->result;
    st_shared_paths *p = o->paths;
    if (p->told == r->step_number && p->seen == o->seen) return STRATA_OK;
    st_key_set modified = { 0 };
    bool all = changes->whole || r->step.blind;
    strata_status status = claim(o, w->error);
    if (status == STRATA_OK && !all) status = st_roots_find(w, &p->counts, changes, &modified, &all);
    p->told = 0;
    st_found_reset(&p->found);
    if (status == STRATA_OK && !st_shared_result_tell(r, &modified, all, &p->found))
        status = st_no_memory(w->error, "observing a query");
    st_key_set_free(&modified);
    if (status != STRATA_OK) return status;
    p->told = r->step_number;
    p->seen = o->seen;
    return STRATA_OK;
}

static strata_status advance(strata_observer *o, const st_change_set *changes, uint64_t to, strata_error *error) {
    st_walker walker = st_observer_walker(o, error);
    meet(o, to);
    strata_status status = step(o, &walker, changes, to);
    if (status == STRATA_OK) status = tell(o, &walker, changes);
    if (status == STRATA_OK) o->found = &o->paths->found;
    return status;
}

/* ---- The observer ----------------------------------------------------- */

static bool add_concerns(const strata_observer *o, st_concerns *out, st_concerns *beyond) {
    const st_catalog *catalog = o->view->catalog;
    (void)beyond;
    return st_source_concerns(o->result->query->query, catalog, out) &&
           st_concerns_add_watch(out, o->decides, catalog) && st_concerns_add_watch(out, o->counts, catalog);
}

static strata_status find(const strata_observer *o, st_walker *walker, const st_change_set *changes, st_key_set *out,
                          bool *unknown) {
    *unknown = st_change_set_cleared(changes, o->table);
    if (!st_source_lives(o->table, changes, out)) return st_no_memory(walker->error, "observing a query");
    strata_status status = st_roots_find(walker, o->decides, changes, out, unknown);
    return status == STRATA_OK ? st_roots_find(walker, o->counts, changes, out, unknown) : status;
}

/* Where the one before it in its bucket has the same result, the keys are known from there. */
static bool copy_keys(const strata_observer *o, uint64_t **out, size_t *count) {
    const strata_observer *other = o->previous_alike;
    bool known = other != NULL && other->result == o->result && !other->due;
    *count = known || o->result->lost ? 0 : (size_t)st_shared_result_size(o->result);
    *out = known ? malloc(sizeof **out) : st_shared_result_keys(o->result);
    return *out != NULL;
}

static void free_state(strata_observer *o) {
    if (o->result != NULL) leave(o);
    if (o->paths != NULL) {
        st_shared_query *query = o->paths->query;
        st_shared_paths_leave(o->paths);
        st_shared_query_leave(query);
    }
}

static void explain(const strata_observer *o, strata_observer_stats *out) {
    const st_shared_result *r = o->result;
    const st_shared_query *q = r->query;
    const char *how = !q->ranked ? "the query is run again when something that decides it was changed"
                      : q->tests ? "each changed object is tested" : "each new object is added";
    const char *ranks = q->sorted ? "in the order of a sort" : "in the order of keys";
    const char *order = q->ranked ? ranks : "as the query orders it";
    (void)snprintf(out->plan, sizeof out->plan, "%llu objects of %s, %s; %s",
                   (unsigned long long)st_shared_result_size(r), o->view->catalog->tables[o->table].name, order, how);
    out->sharers = r->sharer_count;
    out->memory += st_shared_result_memory(r) / r->sharer_count + (sizeof *q + q->memory.total) / q->users +
                   (sizeof *o->paths + o->paths->memory.total + st_found_memory(&o->paths->found)) / o->paths->users;
}

/* Whether an object that meets the condition and is not in the result can go without a change of the result: not if a
 * limit counted it. */
static bool is_all_that_matters(const strata_query *query) {
    for (uint32_t i = 0; i < query->stage_count; i++) {
        const strata_stage *stage = &query->stages[i];
        if (stage->kind == STRATA_STAGE_LIMIT && (stage->skip != 0 || i + 1 < query->stage_count)) return false;
    }
    return true;
}

/* Joins the result that others have of the query, or makes one, which others can join. */
static strata_status begin(strata_observer *o, st_shared_query *q, uint64_t read, strata_error *error) {
    st_walker walker = st_observer_walker(o, error);
    st_shared_result *r = q->newest;
    if (r == NULL || r->lost || !is_current(r, read)) {
        strata_status status = st_shared_result_make(q, &walker, read, &r);
        if (status != STRATA_OK) return status;
        q->newest = r;
    }
    join(o, r);
    o->table = q->query->table;
    o->decides = &q->decides;
    o->counts = &o->paths->counts;
    o->constant = q->constant;
    if (o->constant.value != NULL && is_all_that_matters(q->query)) o->by = ST_BY_VALUE;
    return STRATA_OK;
}

strata_status st_observe_query(strata_observer *o, st_shared_queries *all, const strata_query *query,
                               const strata_key_paths *paths, uint64_t read, strata_error *error) {
    static const st_kind_of_observer kind = { advance, free_state, explain, add_concerns, find, copy_keys };
    st_shared_query *shared = NULL;
    o->kind = &kind;
    strata_status status = strata_query_check(o->view, query, error);
    if (status != STRATA_OK) return status;
    if (query->after != NULL)
        return st_fail(error, STRATA_MISUSE, 0, "observing a query that begins behind a bookmark; only whole results "
                       "and those with a limit can be observed");
    status = st_shared_query_use(all, o->view, query, &shared, error);
    if (status != STRATA_OK) return status;
    status = st_shared_paths_use(shared, o->view, paths, &o->paths, error);
    if (status == STRATA_OK) return begin(o, shared, read, error);
    st_shared_query_leave(shared);
    return status;
}
