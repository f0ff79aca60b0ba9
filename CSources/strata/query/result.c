/* SPDX-License-Identifier: MIT
 * result.c -- what becomes of the rows that a query finds. */
#include "query/result.h"

#include <stdlib.h>

#include "base/status.h"
#include "condition/match.h"
#include "condition/value.h"
#include "query/groups.h"

/* ---- Beginning and end ------------------------------------------------ */

static strata_status begin_filter(st_result *r, const st_stage_filter *stage_filter, st_running_filter *out) {
    const strata_stage *stage = stage_filter->stage;
    *out = (st_running_filter){ .skip = stage->skip, .left = stage->limit };
    if (!stage_filter->distinct) {
        if (stage->limit == 0) r->full = true;
        return STRATA_OK;
    }
    r->visits = true;
    st_key_reader *keys = st_arena_alloc(&r->query->memory, (stage->key_count + 1) * sizeof *keys);
    if (keys == NULL) return st_no_memory(r->query->error, "running a query");
    for (uint32_t i = 0; i < stage->key_count; i++) {
        strata_status status = st_key_reader_make(r->query, "distinct", stage->keys[i].path, stage->keys[i].path_length,
                                             ST_KEY_READER_LINKS, &keys[i]);
        if (status != STRATA_OK) return status;
    }
    out->keys = keys;
    st_distinct_set_begin(&out->seen, r->query, keys, stage->key_count);
    return STRATA_OK;
}

strata_status st_result_begin(st_result *r, st_query *query, const st_pipeline *pipeline, bool last,
                              st_purpose purpose, struct st_groups *groups, uint64_t wanted) {
    *r = (st_result){ .query = query };
    r->filters = st_arena_alloc(&query->memory, (pipeline->filter_count + 1) * sizeof *r->filters);
    if (r->filters == NULL) return st_no_memory(query->error, "running a query");
    for (uint32_t i = 0; i < pipeline->filter_count; i++) {
        strata_status status = begin_filter(r, &pipeline->filters[i], &r->filters[i]);
        if (status != STRATA_OK) return status;
        r->filter_count++;
    }
    r->counting = last && purpose == ST_FOR_COUNT;
    r->groups = last ? groups : NULL;
    if (r->groups != NULL) r->visits = r->visits || st_groups_visits(r->groups);
    r->sorting = pipeline->sort_count != 0;
    if (!r->sorting) return STRATA_OK;
    r->visits = true;
    if (wanted == 0) r->full = true;
    (void)st_order_begin(&r->order, query, pipeline->sorts, pipeline->sort_count, wanted == 0 ? 1 : wanted);
    return query->status;
}

void st_result_free(st_result *r) {
    for (uint32_t i = 0; i < r->filter_count; i++) {
        if (r->filters[i].keys != NULL) st_distinct_set_free(&r->filters[i].seen);
    }
    st_order_free(&r->order);
    free(r->keys);
    r->filter_count = 0;
    r->keys = NULL;
}

bool st_result_room(st_result *r, size_t more) {
    if (more <= r->capacity - r->count) return true;
    size_t wanted = r->count + more, capacity = r->capacity < 32 ? 32 : 2 * r->capacity;
    if (capacity < wanted) capacity = wanted;
    uint64_t *keys = capacity > SIZE_MAX / 16 ? NULL : realloc(r->keys, capacity * sizeof *keys);
    if (keys == NULL) {
        return st_query_no_memory(r->query, "collecting a result");
    }
    r->keys = keys;
    r->capacity = capacity;
    return true;
}

/* ---- One row ---------------------------------------------------------- */

static bool pass_limit(st_result *r, st_running_filter *filter) {
    if (filter->skip != 0) {
        filter->skip--;
        return false;
    }
    if (filter->left == 0) return false;
    if (--filter->left == 0) r->full = true;
    return true;
}

static bool pass_filters(st_result *r, const st_stored_row *row) {
    for (uint32_t i = 0; i < r->filter_count; i++) {
        st_running_filter *filter = &r->filters[i];
        uint32_t number;
        bool passed;
        if (filter->keys == NULL) passed = pass_limit(r, filter);
        else if (!st_distinct_set_find(&filter->seen, row, false, &number, &passed)) passed = false;
        if (!passed) return false;
    }
    return true;
}

static void add_to_groups(st_result *r, const st_stored_row *row) {
    st_groups_add(r->groups, row);
    r->full = r->full || st_groups_are_full(r->groups);
}

void st_result_add_row(st_result *r, const st_stored_row *row, uint64_t key) {
    if (!pass_filters(r, row)) return;
    if (r->sorting) st_order_add(&r->order, row, key);
    else if (r->groups != NULL) add_to_groups(r, row);
    else if (r->counting) r->count++;
    else if (st_result_room(r, 1)) r->keys[r->count++] = key;
}

/* ---- Many ------------------------------------------------------------- */

/* Passes `*count` rows through filters that are all limits. Returns the number of the first row that passes; `*count`
 * is then how many do. */
static size_t pass_many(st_result *r, size_t *count) {
    size_t from = 0;
    for (uint32_t i = 0; i < r->filter_count; i++) {
        st_running_filter *filter = &r->filters[i];
        size_t skipped = filter->skip < *count ? (size_t)filter->skip : *count;
        filter->skip -= skipped;
        *count -= skipped;
        from += skipped;
        if (*count > filter->left) *count = (size_t)filter->left;
        filter->left -= *count;
        if (filter->left == 0) r->full = true;
    }
    return from;
}

void st_result_add_count(st_result *r, uint64_t count) {
    size_t passed = (size_t)count;
    (void)pass_many(r, &passed);
    if (r->groups != NULL) st_groups_add_count(r->groups, passed);
    r->count += passed;
}

static void add_keys(st_result *r, const uint64_t *keys, size_t count) {
    if (r->counting || r->groups != NULL) {
        st_result_add_count(r, count);
        return;
    }
    size_t from = pass_many(r, &count);
    if (count == 0 || !st_result_room(r, count)) return;
    memcpy(r->keys + r->count, keys + from, count * sizeof *keys);
    r->count += count;
}

static size_t count_kept(const uint8_t *keep, uint32_t rows) {
    size_t count = 0;
    for (uint32_t i = 0; i < rows; i++) count += keep[i];
    return count;
}

static void collect_block(st_result *r, const uint8_t *block, const uint8_t *keep) {
    uint32_t rows = strata_block_rows(block);
    if (!st_result_room(r, rows)) return;
    uint64_t *out = r->keys + r->count;
    size_t kept = 0;
    for (uint32_t i = 0; i < rows; i++) { /* each key is stored, and overwritten by the next one if it is not kept */
        out[kept] = strata_block_key(block, i);
        kept += keep[i];
    }
    size_t from = pass_many(r, &kept);
    if (from != 0) memmove(out, out + from, kept * sizeof *out);
    r->count += kept;
}

void st_result_add_block(st_result *r, const uint8_t *block, size_t size, const uint8_t *keep) {
    uint32_t rows = strata_block_rows(block);
    if (r->filter_count == 0 && r->sorting) {
        st_order_add_block(&r->order, block, size, keep);
    } else if (r->filter_count == 0 && r->groups != NULL) {
        st_groups_add_block(r->groups, block, size, keep);
        r->full = r->full || st_groups_are_full(r->groups);
    } else if (r->visits) {
        st_stored_row row = { block, size, 0 };
        for (; row.slot < rows && !st_result_is_full(r); row.slot++) {
            if (keep[row.slot] != 0) st_result_add_row(r, &row, strata_block_key(block, row.slot));
        }
    } else if (r->counting || r->groups != NULL) {
        st_result_add_count(r, count_kept(keep, rows));
    } else {
        collect_block(r, block, keep);
    }
}

void st_result_add_keys(st_result *r, const st_test *rest, const uint64_t *keys, size_t count, bool may_lack) {
    st_query *query = r->query;
    if (rest == NULL && !r->visits && !may_lack) {
        add_keys(r, keys, count);
        return;
    }
    for (size_t i = 0; i < count && !st_result_is_full(r); i++) {
        st_stored_row row;
        if (!st_query_step(query, 1)) return;
        strata_status status = may_lack ? st_query_find(query, query->spec->table, keys[i], &row)
                                        : st_query_find_indexed(query, keys[i], &row);
        if (status == STRATA_NOT_FOUND) continue;
        if (status != STRATA_OK) {
            st_query_fail(query, status);
            return;
        }
        query->stats.rows_visited += rest != NULL || r->visits;
        if (rest == NULL || st_query_match(query, rest, &row)) st_result_add_row(r, &row, keys[i]);
    }
}
