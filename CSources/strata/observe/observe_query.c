/* SPDX-License-Identifier: MIT
 *
 * observe_query.c -- observers of the result of a query.
 *
 * A result in the order of keys, or of a sort, is kept as ranks: only the objects that a change set concerns are tested
 * and moved. Any other result is found anew when something that decides it was changed, and compared.
 */
#include "observe/observe_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "observe/diff.h"
#include "observe/family.h"
#include "observe/ranks.h"
#include "observe/roots.h"
#include "observe/sorter.h"
#include "query/query_copy.h"

typedef struct st_query_state {
    const strata_query *query;
    st_watch decides;  /* what decides which objects are in the result, and where */
    bool ranked;       /* `ranks`, otherwise `keys` */
    bool sorted;       /* not in the order of keys */
    bool tests;        /* a condition or an order decides; otherwise all objects of the table are in the result */
    st_ranks ranks;
    strata_keys keys;
    bool lost;         /* after a failure there is neither */
    uint64_t lost_count; /* how many objects there were */
} st_query_state;

/* What a change set concerns. */
typedef struct concerned {
    st_key_set tested;   /* objects that may have come, gone or moved */
    st_key_set modified; /* objects of which something was assigned that counts */
    bool unknown;        /* any object may have come, gone or moved */
    bool all_modified;   /* any object may be modified */
} concerned;

enum { FEW = 64, PART = 8 };

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "observing a query"); }

static uint64_t size_of(const st_query_state *s) {
    return s->lost ? s->lost_count : s->ranked ? s->ranks.count : s->keys.count;
}

/* ---- What a change set concerns -------------------------------------------- */

static strata_status add_created_and_deleted(uint32_t table, const st_change_set *changes, st_key_set *out,
                                             strata_error *error) {
    size_t count;
    const strata_delta *deltas = st_change_set_table(changes, table, &count);
    for (size_t i = 0; i < count; i++) {
        if (deltas[i].kind != STRATA_DELTA_CREATE && deltas[i].kind != STRATA_DELTA_DELETE) continue;
        if (!st_key_set_add(out, deltas[i].key, NULL)) return no_memory(error);
    }
    return STRATA_OK;
}

/* From the object to which a source of backlinks links to those that link to it. */
static st_hop hop_to_source(const strata_observer *o) {
    const strata_query *q = o->state.query->query;
    const st_column *column = &o->view->catalog->tables[q->origin_table].columns[q->origin_column];
    uint32_t target = column->type == STRATA_MIXED ? (uint32_t)(q->key >> 48) : column->target;
    return (st_hop){ target, q->origin_column, q->origin_table, q->origin_table };
}

/* Whether the collection that is the source was changed, or the object to which the source links. */
static bool source_changed(const strata_observer *o, const st_change_set *changes) {
    const strata_query *q = o->state.query->query;
    size_t count;
    if (q->source == STRATA_SOURCE_LIST) {
        if (st_change_set_cleared(changes, q->origin_table)) return true;
        const strata_delta *deltas = st_change_set_object(changes, q->origin_table, q->key, &count);
        for (size_t i = 0; i < count; i++)
            if (deltas[i].kind == STRATA_DELTA_DELETE || deltas[i].column == q->origin_column) return true;
    }
    if (q->source == STRATA_SOURCE_BACKLINKS) {
        const st_hop hop = hop_to_source(o);
        uint64_t key = q->key & ((UINT64_C(1) << 48) - 1);
        if (st_change_set_cleared(changes, hop.table) || st_change_set_cleared(changes, hop.origin)) return true;
        const strata_delta *deltas = st_change_set_object(changes, hop.table, key, &count);
        for (size_t i = 0; i < count; i++)
            if (deltas[i].kind == STRATA_DELTA_DELETE || st_hop_concerns(&hop, &deltas[i])) return true;
    }
    return false;
}

/* Adds what concerns the source of a query. */
static bool add_source(const strata_observer *o, st_concerns *out) {
    const strata_query *q = o->state.query->query;
    bool done = st_concerns_add(out, (st_concern){ .table = o->table, .lives = 1 });
    if (!done || q->source == STRATA_SOURCE_TABLE || q->source == STRATA_SOURCE_KEYS) return done;
    st_concern origin = { .table = q->origin_table, .lives = 1 };
    if (q->source == STRATA_SOURCE_LIST) {
        origin.assigned = st_column_bit(q->origin_column);
        return st_concerns_add(out, origin);
    }
    const st_hop hop = hop_to_source(o);
    return st_concerns_add(out, origin) &&
           st_concerns_add(out, (st_concern){ .table = hop.table, .linked = st_column_bit(hop.column), .lives = 1 });
}

static bool add_concerns(const strata_observer *o, st_concerns *out, st_concerns *beyond) {
    const st_catalog *catalog = o->view->catalog;
    (void)beyond;
    return add_source(o, out) && st_concerns_add_watch(out, o->decides, catalog) &&
           st_concerns_add_watch(out, &o->counts, catalog);
}

static strata_status find(const strata_observer *o, st_walker *walker, const st_change_set *changes, st_key_set *out,
                          bool *unknown) {
    *unknown = st_change_set_cleared(changes, o->table);
    strata_status status = add_created_and_deleted(o->table, changes, out, walker->error);
    if (status == STRATA_OK) status = st_roots_find(walker, o->decides, changes, out, unknown);
    return status == STRATA_OK ? st_roots_find(walker, &o->counts, changes, out, unknown) : status;
}

static strata_status find_concerned(strata_observer *o, const st_change_set *changes, concerned *out,
                                    strata_error *error) {
    st_query_state *s = o->state.query;
    st_walker walker = st_observer_walker(o, error);
    strata_status status = STRATA_OK;
    *out = (concerned){ .unknown = s->lost, .all_modified = s->lost };
    if (changes->whole) {
        out->unknown = out->all_modified = true;
        return STRATA_OK;
    }
    bool from_table = s->query->source == STRATA_SOURCE_TABLE;
    if (st_change_set_cleared(changes, o->table) || (!from_table && source_changed(o, changes))) out->unknown = true;
    if (from_table || s->query->source == STRATA_SOURCE_KEYS)
        status = add_created_and_deleted(o->table, changes, &out->tested, error);
    if (status == STRATA_OK) status = st_roots_find(&walker, &s->decides, changes, &out->tested, &out->unknown);
    if (status == STRATA_OK) status = st_roots_find(&walker, &o->counts, changes, &out->modified, &out->all_modified);
    return status;
}

static void free_concerned(concerned *c) {
    st_key_set_free(&c->tested);
    st_key_set_free(&c->modified);
}

static bool is_modified(const concerned *c, uint64_t key) {
    return c->all_modified || st_key_set_has(&c->modified, key);
}

/* ---- Finding everything anew ------------------------------------------ */

static strata_status run(strata_observer *o, const strata_query *query, strata_keys *out, strata_error *error) {
    strata_query_stats stats;
    strata_status status = strata_query_run(o->view, query, out, &stats, error);
    if (status == STRATA_OK) o->stats.rows_visited += stats.rows_visited;
    return status;
}

static uint64_t *all_keys(const st_ranks *ranks) {
    uint64_t *keys = malloc((size_t)(ranks->count + 1) * sizeof *keys);
    if (keys != NULL) st_ranks_copy(ranks, keys);
    return keys;
}

/* Tells the difference of two results. */
static bool tell_difference(const concerned *c, const uint64_t *before, uint64_t before_count, const strata_keys *after,
                            st_found *out) {
    uint64_t *places = malloc((size_t)(before_count + 1) * sizeof *places), next = 0;
    bool done = places != NULL && st_diff(before, before_count, after->data, after->count, places);
    for (uint64_t i = 0; i < before_count && done; i++) {
        if (places[i] == ST_DIFF_GONE) {
            done = st_positions_add(&out->deletions, i);
            continue;
        }
        done = st_positions_add_range(&out->insertions, next, places[i]);
        next = places[i] + 1;
        if (done && is_modified(c, before[i])) done = st_found_modified(out, i, places[i]);
    }
    if (done) done = st_positions_add_range(&out->insertions, next, after->count);
    free(places);
    return done;
}

/* The state becomes a result, which is taken. */
static bool keep_result(st_query_state *s, strata_keys *keys) {
    if (s->ranked) {
        st_ranks ranks = { .count = 0 };
        if (!st_ranks_fill(&ranks, keys->data, keys->count, s->sorted)) {
            st_ranks_free(&ranks);
            return false;
        }
        st_ranks_free(&s->ranks);
        s->ranks = ranks;
    } else {
        strata_keys_free(&s->keys);
        s->keys = *keys;
        *keys = (strata_keys){ NULL, 0 };
    }
    s->lost = false;
    return true;
}

static bool copy_keys(const strata_observer *o, uint64_t **out, size_t *count) {
    const st_query_state *s = o->state.query;
    *count = s->lost ? 0 : (size_t)size_of(s);
    *out = s->ranked ? all_keys(&s->ranks) : malloc((*count + 1) * sizeof **out);
    if (*out == NULL) return false;
    if (!s->ranked && *count != 0) memcpy(*out, s->keys.data, *count * sizeof **out);
    return true;
}

static bool compare(st_query_state *s, const concerned *c, const strata_keys *after, st_found *out) {
    if (s->lost) /* what was there is not known any more: everything goes, and comes */
        return st_positions_add_range(&out->deletions, 0, s->lost_count) &&
               st_positions_add_range(&out->insertions, 0, after->count);
    if (!s->ranked) return tell_difference(c, s->keys.data, s->keys.count, after, out);
    uint64_t *before = all_keys(&s->ranks);
    bool done = before != NULL && tell_difference(c, before, s->ranks.count, after, out);
    free(before);
    return done;
}

/* So that the first change finds them. If that fails, it reads those that it needs. */
static void read_words(strata_observer *o) {
    st_query_state *s = o->state.query;
    strata_error ignored;
    if (s->sorted && s->ranked)
        (void)st_sorter_read_words(o->view, s->query, &s->ranks, &o->stats.rows_visited, &ignored);
}

static strata_status find_anew(strata_observer *o, const concerned *c, st_found *out, strata_error *error) {
    st_query_state *s = o->state.query;
    strata_keys after;
    strata_status status = run(o, s->query, &after, error);
    if (status != STRATA_OK) return status;
    o->stats.reruns++;
    if (c->all_modified) out->flags |= STRATA_CHANGES_ANEW;
    st_family_claim(o, after.data, (size_t)after.count);
    if (!compare(s, c, &after, out) || !keep_result(s, &after)) status = no_memory(error);
    else read_words(o);
    strata_keys_free(&after);
    return status;
}

/* ---- Moving the ranks on ---------------------------------------------- */

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

/* Which of the tested objects are in the result now, in its order. */
static strata_status test(strata_observer *o, st_key_set *tested, strata_keys *out, strata_error *error) {
    strata_query query = *o->state.query->query;
    *out = (strata_keys){ NULL, 0 };
    if (tested->count == 0) return STRATA_OK;
    if (!st_key_set_sort(tested)) return no_memory(error);
    query.source = STRATA_SOURCE_KEYS;
    query.keys = tested->items;
    query.key_count = tested->count;
    return run(o, &query, out, error);
}

/* Takes those of the tested objects out of the ranks that were there. The movers stand by keys afterwards. */
static void take_out(st_query_state *s, mover *movers, size_t count) {
    uint64_t taken = 0;
    qsort(movers, count, sizeof *movers, compare_before); /* those that were not there are last */
    for (size_t i = 0; i < count && movers[i].before != UINT64_MAX; i++) movers[i].gap = movers[i].before - taken++;
    for (size_t i = (size_t)taken; i-- > 0;) st_ranks_remove(&s->ranks, movers[i].before);
    qsort(movers, count, sizeof *movers, compare_key);
}

/* For each object of `now` the gap among the others where it belongs. */
static strata_status find_gaps(strata_observer *o, const strata_keys *now, uint64_t *gaps, strata_error *error) {
    st_query_state *s = o->state.query;
    if (s->sorted)
        return st_sorter_find(o->view, s->query, &s->ranks, now->data, now->count, gaps, &o->stats.rows_visited, error);
    for (uint64_t i = 0; i < now->count; i++) gaps[i] = st_ranks_bound(&s->ranks, now->data[i]);
    return STRATA_OK;
}

/* Puts the objects of `now` into their gaps, and notes which of them stayed: those that are in the same gap, in the same
 * order. */
static bool put_in(st_query_state *s, mover *movers, size_t count, const strata_keys *now, const uint64_t *gaps) {
    uint64_t gap = UINT64_MAX, last = 0;
    for (uint64_t i = 0; i < now->count; i++) {
        mover *m = find_mover(movers, count, now->data[i]);
        if (gaps[i] != gap) last = 0;
        gap = gaps[i];
        m->after = gap + i;
        m->stays = m->before != UINT64_MAX && m->gap == gap && m->before + 1 > last;
        if (m->stays) last = m->before + 1;
        if (!st_ranks_insert(&s->ranks, m->after, m->key)) return false;
    }
    return true;
}

static bool tell_movers(const concerned *c, const mover *movers, size_t count, st_found *out) {
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        const mover *m = &movers[i];
        bool was = m->before != UINT64_MAX, is = m->after != UINT64_MAX;
        if (m->stays) {
            if (is_modified(c, m->key)) done = st_found_modified(out, m->before, m->after);
            continue;
        }
        if (was) done = st_positions_add(&out->deletions, m->before);
        if (is && done) done = st_positions_add(&out->insertions, m->after);
    }
    return done;
}

/* The objects that were modified and not tested, with the positions at which they were. */
static bool add_others(const st_query_state *s, const concerned *c, st_positions *keys, st_positions *before) {
    for (size_t i = 0; i < c->modified.count; i++) {
        uint64_t key = c->modified.items[i], position;
        if (st_key_set_has(&c->tested, key) || !st_ranks_find(&s->ranks, key, &position)) continue;
        if (!st_positions_add(keys, key) || !st_positions_add(before, position)) return false;
    }
    return true;
}

static bool tell_others(const st_query_state *s, const st_positions *keys, const st_positions *before, st_found *out) {
    for (size_t i = 0; i < keys->count; i++) {
        uint64_t after = before->items[i];
        (void)st_ranks_find(&s->ranks, keys->items[i], &after);
        if (!st_found_modified(out, before->items[i], after)) return false;
    }
    return true;
}

static void lose(st_query_state *s, uint64_t count) {
    st_ranks_free(&s->ranks);
    s->lost = true;
    s->lost_count = count;
}

/* Moves the tested objects to where they are now. */
static strata_status move(strata_observer *o, const concerned *c, mover *movers, size_t count, const strata_keys *now,
                          uint64_t *gaps, st_found *out, strata_error *error) {
    st_query_state *s = o->state.query;
    uint64_t size = s->ranks.count;
    st_positions keys = { NULL, 0, 0 }, before = { NULL, 0, 0 };
    strata_status status = add_others(s, c, &keys, &before) ? STRATA_OK : no_memory(error);
    if (status == STRATA_OK) {
        take_out(s, movers, count);
        status = find_gaps(o, now, gaps, error);
        bool done = status != STRATA_OK || (put_in(s, movers, count, now, gaps) &&
                                            tell_movers(c, movers, count, out) &&
                                            tell_others(s, &keys, &before, out));
        if (!done) status = no_memory(error);
        if (status != STRATA_OK) lose(s, size);
    }
    st_positions_free(&keys);
    st_positions_free(&before);
    return status;
}

static strata_status move_on(strata_observer *o, concerned *c, st_found *out, strata_error *error) {
    st_query_state *s = o->state.query;
    strata_keys now;
    strata_status status = test(o, &c->tested, &now, error);
    if (status != STRATA_OK) return status;
    st_family_claim(o, now.data, (size_t)now.count);
    size_t count = c->tested.count;
    mover *movers = malloc((count + 1) * sizeof *movers);
    uint64_t *gaps = malloc((size_t)(now.count + 1) * sizeof *gaps);
    if (movers == NULL || gaps == NULL) {
        status = no_memory(error);
    } else {
        for (size_t i = 0; i < count; i++) {
            movers[i] = (mover){ c->tested.items[i], UINT64_MAX, 0, UINT64_MAX, false };
            (void)st_ranks_find(&s->ranks, movers[i].key, &movers[i].before);
        }
        status = move(o, c, movers, count, &now, gaps, out, error);
    }
    free(movers);
    free(gaps);
    strata_keys_free(&now);
    return status;
}

/* ---- The observer ----------------------------------------------------- */

/* Only which objects are modified: the result is as it was. */
static bool tell_modified(const st_query_state *s, const concerned *c, st_found *out) {
    if (c->modified.count == 0 && !c->all_modified) return true;
    for (uint64_t i = 0; i < s->keys.count; i++)
        if (is_modified(c, s->keys.data[i]) && !st_found_modified(out, i, i)) return false;
    return true;
}

/* Leaves out objects that were not in the result and lack the value that all in it have. */
static strata_status leave_out(strata_observer *o, st_key_set *tested, strata_error *error) {
    const st_query_state *s = o->state.query;
    st_key_set left = { 0 };
    uint64_t position;
    bool done = true;
    if (!s->ranked || s->lost || o->constant.value == NULL || tested->count > FEW) return STRATA_OK;
    for (size_t i = 0; i < tested->count && done; i++) {
        uint64_t key = tested->items[i];
        bool was = st_ranks_find(&s->ranks, key, &position);
        if (!was) o->stats.rows_visited++;
        if (was || !st_constant_is_missed(&o->constant, o->view, o->table, key)) done = st_key_set_add(&left, key, NULL);
    }
    st_key_set_free(done ? tested : &left);
    if (!done) return no_memory(error);
    *tested = left;
    return STRATA_OK;
}

static strata_status advance(strata_observer *o, const st_change_set *changes, st_found *out, strata_error *error) {
    st_query_state *s = o->state.query;
    concerned c;
    strata_status status = find_concerned(o, changes, &c, error);
    if (status == STRATA_OK) status = leave_out(o, &c.tested, error);
    bool few = c.tested.count <= FEW || c.tested.count <= size_of(s) / PART;
    if (status == STRATA_OK) {
        if (c.unknown || c.all_modified || (s->ranked && !few)) status = find_anew(o, &c, out, error);
        else if (s->ranked) status = move_on(o, &c, out, error);
        else if (c.tested.count != 0) status = find_anew(o, &c, out, error);
        else if (!tell_modified(s, &c, out)) status = no_memory(error);
    }
    free_concerned(&c);
    return status;
}

static void free_state(strata_observer *o) {
    st_query_state *s = o->state.query;
    if (s == NULL) return;
    st_watch_free(&s->decides);
    st_ranks_free(&s->ranks);
    strata_keys_free(&s->keys);
    free(s);
}

static void explain(const strata_observer *o, strata_observer_stats *out) {
    const st_query_state *s = o->state.query;
    const char *how = !s->ranked ? "the query is run again when something that decides it was changed"
                      : s->tests ? "each changed object is tested" : "each new object is added";
    const char *ranks = s->sorted ? "in the order of a sort" : "in the order of keys";
    const char *order = s->ranked ? ranks : "as the query orders it";
    (void)snprintf(out->plan, sizeof out->plan, "%llu objects of %s, %s; %s", (unsigned long long)size_of(s),
                   o->view->catalog->tables[o->table].name, order, how);
    out->memory += sizeof *s + st_ranks_memory(&s->ranks) + s->keys.count * sizeof *s->keys.data;
}

/* Whether objects can be tested and placed one by one. */
static bool can_rank(const strata_query *query, bool *sorted) {
    *sorted = false;
    for (uint32_t i = 0; i < query->stage_count; i++) {
        if (query->stages[i].kind != STRATA_STAGE_SORT) return false;
        *sorted = *sorted || query->stages[i].key_count != 0;
    }
    return query->source == STRATA_SOURCE_TABLE;
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

static strata_status begin(strata_observer *o, const strata_query *query, strata_error *error) {
    st_query_state *s = o->state.query;
    strata_keys keys;
    s->query = st_query_copy(&o->memory, query);
    if (s->query == NULL) return no_memory(error);
    o->table = s->query->table;
    s->decides = st_watch_begin(&o->memory, o->table);
    s->ranked = can_rank(s->query, &s->sorted);
    s->tests = s->query->node_count != 0 || s->sorted;
    o->decides = &s->decides;
    if (s->query->source == STRATA_SOURCE_TABLE) o->constant = st_constant_of(o->view, s->query);
    if (o->constant.value != NULL && is_all_that_matters(s->query)) o->by = ST_BY_VALUE;
    strata_status status = st_watch_query(&s->decides, o->view, s->query, error);
    if (status == STRATA_OK) status = run(o, s->query, &keys, error);
    if (status != STRATA_OK) return status;
    if (!keep_result(s, &keys)) status = no_memory(error);
    else read_words(o);
    strata_keys_free(&keys);
    return status;
}

strata_status st_observe_query(strata_observer *o, const strata_query *query, const strata_key_paths *paths,
                               strata_error *error) {
    static const st_kind_of_observer kind = { advance, free_state, explain, add_concerns, find, copy_keys };
    o->kind = &kind;
    strata_status status = strata_query_check(o->view, query, error);
    if (status != STRATA_OK) return status;
    if (query->after != NULL)
        return st_fail(error, STRATA_MISUSE, 0, "observing a query that begins behind a bookmark; only whole results "
                       "and those with a limit can be observed");
    o->state.query = calloc(1, sizeof *o->state.query);
    if (o->state.query == NULL) return no_memory(error);
    status = begin(o, query, error);
    if (status != STRATA_OK) return status;
    o->counts = st_watch_begin(&o->memory, o->table);
    return st_watch_paths(&o->counts, o->view, paths, 3, error);
}
