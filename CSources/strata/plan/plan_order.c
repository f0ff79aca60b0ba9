/* SPDX-License-Identifier: MIT
 * plan_order.c -- plans that walk an index whose order is that of the result. */
#include "plan/plan_order.h"

#include "plan/access_compound.h"
#include "plan/access_find.h"
#include "posting/postings_read.h"
#include "write/index.h"

/* An index that may be walked. */
typedef struct candidate {
    st_access *access;
    st_test_set exact;         /* the tests that need not be tested on the rows then */
    uint32_t fixed, ordered;   /* see st_plan */
    uint32_t keys;             /* how many keys of the sort the index gives the order of */
    bool backward;
    strata_value equal[STRATA_MAX_INDEX_COLUMNS]; /* the values of the fixed columns */
} candidate;

/* The column of the query's table that is a key of the sort; NULL if that is behind a link. */
static const st_column *key_column(const st_query *query, const st_pipeline *sorted, uint32_t key) {
    const strata_sort *sort = &sorted->sorts[key];
    return sort->path_length == 1 ? &query->table->columns[sort->path->column] : NULL;
}

static bool is_fixed(const st_index *index, uint32_t fixed, const st_column *column, const st_table *table) {
    for (uint32_t i = 0; i < fixed; i++) {
        if (&table->columns[index->columns[i]] == column) return true;
    }
    return false;
}

/* Counts the keys of the sort that are columns of the index behind the fixed ones, all in one direction. A fixed column
 * has only one value, so that a key of it does not matter and is skipped; but not with a bookmark, which has a value
 * for each key. */
static void find_ordered(const st_query *query, const st_pipeline *sorted, const st_index *index, candidate *c) {
    bool skips = query->spec->after == NULL;
    for (c->keys = c->ordered = 0; c->keys < sorted->sort_count; c->keys++) {
        const st_column *column = key_column(query, sorted, c->keys);
        uint32_t next = c->fixed + c->ordered;
        if (skips && is_fixed(index, c->fixed, column, query->table)) continue;
        if (next == index->column_count || column != &query->table->columns[index->columns[next]]) return;
        bool descending = sorted->sorts[c->keys].descending;
        if (c->ordered == 0) c->backward = descending;
        else if (c->backward != descending) return;
        c->ordered++;
    }
}

/* ---- Behind a bookmark ------------------------------------------------ */

/* A bookmark may be older than the schema and have a null where the column takes none any more: then it has no position
 * in the index. */
static bool is_nowhere(const st_query *query, const candidate *c) {
    const st_access *access = c->access;
    for (uint32_t i = 0; i < c->ordered; i++) {
        ptrdiff_t column = access->index == NULL ? access->column - query->table->columns
                                                 : (ptrdiff_t)access->index->columns[c->fixed + i];
        if (query->spec->after->values[i].type == STRATA_NULL && !query->table->fields[column].nullable) return true;
    }
    return false;
}

/* The entries of the index that have the values of the bookmark, or, where the index cannot tell, entries among which
 * those are. `*whole` if their values are all that an entry has. False if there are none, or after a failure. */
static bool find_bookmark(st_query *query, const candidate *c, st_posting_range *out, bool *whole) {
    const strata_bookmark *after = query->spec->after;
    const st_access *access = c->access;
    *whole = false;
    if (is_nowhere(query, c)) return false;
    *whole = c->ordered == after->value_count;
    if (access->index == NULL) {
        st_key key;
        bool nullable = query->table->fields[access->column - query->table->columns].nullable;
        st_key_encode(&query->view->hash_key, access->column->type, nullable, after->values, &key);
        uint8_t *bytes = st_access_alloc(query, key.size);
        if (bytes == NULL) return false;
        memcpy(bytes, key.bytes, key.size);
        *out = st_posting_range_of((strata_bytes){ bytes, key.size });
        if (!key.truncated) return true;
        *whole = false;
        *out = (st_posting_range){ .high_key = UINT64_MAX };
        return true;
    }
    strata_value equal[STRATA_MAX_INDEX_COLUMNS];
    uint32_t inexact, count = *whole ? c->ordered : 1;
    memcpy(equal, c->equal, c->fixed * sizeof *equal);
    memcpy(equal + c->fixed, after->values, count * sizeof *equal);
    *whole = *whole && c->fixed + c->ordered == access->index->column_count;
    st_compound_probe bounds = { .equal = equal, .equal_count = c->fixed + (*whole ? c->ordered : 1) };
    if (!st_index_range(&query->memory, &query->view->hash_key, query->table, access->index, &bounds, out, &inexact)) {
        return st_query_no_memory(query, "planning a query");
    }
    if (inexact == 0) return true;
    *whole = false;
    *out = (st_posting_range){ .high_key = UINT64_MAX };
    return true;
}

/* Leaves only entries that may come behind the bookmark. `*exactly` if all of them do. */
static bool cut_off(st_query *query, const candidate *c, bool backward, bool *exactly) {
    st_posting_range at_bookmark, open = { .high_key = UINT64_MAX };
    if (!find_bookmark(query, c, &at_bookmark, exactly)) return query->status == STRATA_OK;
    uint64_t key = query->spec->after->key;
    st_posting_range kept[2];
    size_t count = 1;
    kept[0] = open;
    if (*exactly && backward) { /* walked backward: the same values with greater keys, then lesser values */
        kept[0] = (st_posting_range){ .high = at_bookmark.low, .high_key = 0 };
        kept[1] = at_bookmark;
        kept[1].low_key = key + 1;
        count = 2;
    } else if (backward) {
        kept[0].high = at_bookmark.high;
        kept[0].high_key = at_bookmark.high_key;
    } else {
        kept[0].low = at_bookmark.low;
        kept[0].low_key = *exactly ? key + 1 : at_bookmark.low_key;
    }
    return st_access_narrow(query, c->access, kept, count);
}

/* ---- Choosing --------------------------------------------------------- */

/* The entries of a compound index that agree with one of them in the fixed and ordered columns. `bytes` holds their
 * bounds. */
static st_posting_range run_of(const candidate *c, strata_bytes entry, uint8_t bytes[2][ST_MAX_KEY]) {
    enum { HASH = 8 };
    const st_access *access = c->access;
    bool truncated = false;
    size_t size = st_index_entry_size(access->table, access->index, c->fixed + c->ordered, entry, &truncated), end;
    if (truncated && size >= HASH) size -= HASH;
    memcpy(bytes[0], entry.data, size);
    memcpy(bytes[1], entry.data, size);
    for (end = size; end > 0 && bytes[1][end - 1] == 255;) end--;
    if (end > 0) bytes[1][end - 1]++;
    return (st_posting_range){ { size == 0 ? NULL : bytes[0], size }, { end == 0 ? NULL : bytes[1], end }, 0, 0 };
}

/* How many entries the first run has. A run is what agrees in the ordered columns; its rows are looked at together. */
static strata_status count_first_run(st_query *query, const candidate *c, uint64_t *out) {
    const st_access *access = c->access;
    st_txn *txn = query->view->txn;
    st_posting_cursor *cursor;
    strata_bytes entry;
    uint64_t key;
    uint8_t bytes[2][ST_MAX_KEY];
    *out = 0;
    if (access->range_count == 0) return STRATA_OK;
    const st_posting_range *range = &access->ranges[c->backward ? access->range_count - 1 : 0];
    strata_status status = st_posting_cursor_open(txn, access->set, range, c->backward, &cursor, query->error);
    if (status == STRATA_OK) status = st_posting_cursor_next(cursor, &key, &entry, query->error);
    if (status == STRATA_OK && entry.size <= ST_MAX_KEY) {
        st_posting_range run = access->index == NULL ? st_posting_range_of(entry) : run_of(c, entry, bytes);
        status = st_postings_count(txn, access->set, &run, out, query->error);
    }
    st_posting_cursor_close(cursor);
    return status == STRATA_END ? STRATA_OK : status;
}

enum { FEW_WANTED = 1000 };

/* The plan of a candidate, and how many tests it leaves to the rows. */
static strata_status plan_of(st_query *query, const st_goal *goal, st_test **tests, uint32_t count, candidate *c,
                             st_plan *plan, uint32_t *rest_count) {
    *plan = (st_plan){ .method = ST_METHOD_IN_ORDER, .access = c->access, .fixed = c->fixed, .ordered = c->ordered,
                       .backward = c->backward, .partial = c->keys < goal->sorted->sort_count,
                       .budget = UINT64_MAX };
    if (query->spec->after != NULL) {
        bool exactly = false;
        if (!cut_off(query, c, plan->backward, &exactly)) return query->status;
        plan->partial = plan->partial || !exactly;
    }
    return st_plan_rest(query, tests, count, c->exact, &plan->rest, rest_count);
}

/* May several entries of a compound index agree in the keys of the sort, without being in the order of object keys? */
static bool has_runs(const candidate *c) {
    return c->access->index != NULL && c->fixed + c->ordered < c->access->index->column_count;
}

/* Makes a plan of the candidate if walking it costs less than `*cost`. */
static strata_status consider(st_query *query, const st_goal *goal, st_test **tests, uint32_t count, candidate *c,
                              st_plan *out, uint64_t *cost, bool *found) {
    st_plan plan;
    uint32_t rest_count;
    strata_status status = plan_of(query, goal, tests, count, c, &plan, &rest_count);
    if (status != STRATA_OK) return status;
    bool few = plan.rest == NULL && goal->wanted <= FEW_WANTED; /* then it does not matter how many entries there are */
    if (!few && !st_access_count(query, c->access)) return query->status;
    uint64_t entries = few ? UINT32_MAX : c->access->entries, walked = entries;
    uint64_t hits = st_plan_hits(entries, rest_count);
    if (goal->wanted < hits) walked = st_cost_times(entries / hits + 1, goal->wanted);
    if (walked < entries && (plan.partial || has_runs(c))) {
        uint64_t run;
        if ((status = count_first_run(query, c, &run)) != STRATA_OK) return status;
        if (walked < run) walked = run;
    }
    bool looks = plan.partial || plan.rest != NULL || goal->visits_behind;
    uint64_t each = looks ? ST_COST_FAR : ST_COST_WALKED, whole = ST_COST_RANGE + st_cost_times(walked, each);
    if (whole >= *cost) return STRATA_OK;
    if (plan.rest != NULL || plan.partial) plan.budget = *cost / ST_COST_FAR + 1;
    *cost = whole;
    *out = plan;
    *found = true;
    return STRATA_OK;
}

/* A compound index as a way to the results. Its access is NULL after a failure. */
static candidate candidate_of(st_query *query, const st_goal *goal, const st_index *index, st_test **tests,
                              uint32_t count) {
    candidate c = { 0 };
    st_test_set covered;
    c.access = st_access_by_compound(query, index, tests, count < ST_MOST_TESTS ? count : ST_MOST_TESTS, &covered,
                                     &c.exact, &c.fixed, c.equal);
    if (c.access != NULL) find_ordered(query, goal->sorted, index, &c);
    return c;
}

strata_status st_plan_results_in_order(st_query *query, const st_goal *goal, st_test **tests, uint32_t count,
                                       st_plan *out) {
    const st_table *table = query->table;
    if (count == 0 || goal->wanted > FEW_WANTED || key_column(query, goal->sorted, 0) == NULL) return STRATA_NOT_FOUND;
    for (uint32_t i = 0; i < table->compound_count; i++) {
        uint32_t rest_count;
        st_plan plan;
        candidate c = candidate_of(query, goal, &table->indexes[i], tests, count);
        if (c.access == NULL) return query->status;
        if (c.keys == 0 || has_runs(&c)) continue;
        strata_status status = plan_of(query, goal, tests, count, &c, &plan, &rest_count);
        if (status != STRATA_OK) return status;
        if (plan.rest != NULL || plan.partial) continue;
        *out = plan;
        return STRATA_OK;
    }
    return STRATA_NOT_FOUND;
}

strata_status st_plan_in_order(st_query *query, const st_goal *goal, st_test **tests, uint32_t count, st_plan *out,
                               uint64_t *cost) {
    const st_table *table = query->table;
    const st_column *first = key_column(query, goal->sorted, 0);
    strata_status status = STRATA_OK;
    bool found = false;
    if (first == NULL) return STRATA_NOT_FOUND;
    for (uint32_t i = 0; i < table->compound_count && status == STRATA_OK; i++) {
        candidate c = candidate_of(query, goal, &table->indexes[i], tests, count);
        if (c.access == NULL) return query->status;
        if (c.keys != 0) status = consider(query, goal, tests, count, &c, out, cost, &found);
    }
    /* Nothing beats a walk over the results alone. */
    bool surpassed = found && count != 0 && out->rest == NULL && !out->partial;
    if (status == STRATA_OK && !surpassed && first->index_id != 0 && first->collection == STRATA_SINGLE) {
        candidate c = { .ordered = 1, .keys = 1, .backward = goal->sorted->sorts->descending };
        c.access = st_access_by_column(query, first, tests, count, &c.exact);
        if (c.access == NULL) return query->status;
        status = consider(query, goal, tests, count, &c, out, cost, &found);
    }
    return status != STRATA_OK ? status : found ? STRATA_OK : STRATA_NOT_FOUND;
}
