/* SPDX-License-Identifier: MIT
 * groups_index.c -- measures taken from indexes instead of rows. */
#include "query/groups_index.h"

#include "condition/value.h"
#include "plan/explain.h"
#include "plan/explain_plan.h"
#include "posting/postings_read.h"
#include "query/value_runs.h"
#include "table/table_state.h"

/* Does the index know the measure: as one of its ends, where entries have their whole values, or as a number of
 * objects? */
static bool has_ends(const st_groups *groups, uint32_t measure) {
    const st_key_reader *measured = &groups->measured[measure];
    strata_aggregate aggregate = groups->totals[measure].aggregate;
    if (measured->column == NULL) return aggregate == STRATA_COUNT;
    if (aggregate != STRATA_MIN && aggregate != STRATA_MAX) return false;
    bool number = measured->column->type == STRATA_INT || measured->column->type == STRATA_DATE;
    return number && measured->path_length == 1 && measured->column->index_id != 0;
}

static bool all_have_ends(const st_groups *groups) {
    bool any = false;
    for (uint32_t i = 0; i < groups->measure_count; i++) {
        if (!has_ends(groups, i)) return false;
        any = any || groups->measured[i].column != NULL;
    }
    return any && groups->key_count == 0;
}

/* Leaves the nulls out of an access. False after a failure. */
static bool drop_nulls(st_query *query, const st_key_reader *measured, st_access *access) {
    st_posting_range values = { .high_key = UINT64_MAX };
    if (!measured->field.nullable) return true;
    values.low = (strata_bytes){ "\1", 1 };
    return st_access_narrow(query, access, &values, 1);
}

/* Adds the least or the greatest value, which is the first or the last entry. */
static strata_status add_end(st_query *query, const st_key_reader *measured, const st_access *access, st_total *total) {
    bool last = total->aggregate == STRATA_MAX;
    strata_status status = STRATA_END;
    for (size_t i = 0; i < access->range_count && status == STRATA_END; i++) {
        const st_posting_range *range = &access->ranges[last ? access->range_count - 1 - i : i];
        st_posting_cursor *cursor;
        strata_bytes encoded;
        strata_value value;
        uint64_t key;
        uint8_t scratch[ST_KEY_PREFIX];
        status = st_posting_cursor_open(query->view->txn, access->set, range, last, &cursor, query->error);
        if (status == STRATA_OK) status = st_posting_cursor_next(cursor, &key, &encoded, query->error);
        if (status == STRATA_OK) {
            query->stats.entries_visited++;
            if (st_key_decode(measured->column->type, measured->field.nullable, encoded, scratch, &value)) {
                st_total_add(total, &value);
            }
        }
        st_posting_cursor_close(cursor);
    }
    return status == STRATA_END ? STRATA_OK : status;
}

/* Counts objects: those of the table, or the entries of an index, with the nulls. */
static strata_status add_count(st_query *query, const st_column *column, st_total *total) {
    if (query->condition != NULL) {
        st_access *access = st_value_runs_access(query, column);
        if (access == NULL || !st_access_count(query, access)) return query->status;
        total->count = access->entries;
        return STRATA_OK;
    }
    st_table_state state;
    strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
    total->count = state.rows;
    return status;
}

/* Takes all measures from indexes. `*done` stays false if one index cannot give its own; then none of them is used. */
static strata_status add_measures(st_groups *groups, st_access **last, bool *done) {
    st_query *query = groups->query;
    const st_column *column = NULL;
    for (uint32_t i = 0; i < groups->measure_count; i++) {
        const st_key_reader *measured = &groups->measured[i];
        if (measured->column == NULL) continue;
        column = measured->column;
        *last = st_value_runs_access(query, column);
        if (*last == NULL || !drop_nulls(query, measured, *last)) return query->status;
        strata_status status = add_end(query, measured, *last, &groups->totals[i]);
        if (status != STRATA_OK) return status;
    }
    for (uint32_t i = 0; i < groups->measure_count; i++) {
        if (groups->measured[i].column != NULL) continue;
        strata_status status = add_count(query, column, &groups->totals[i]);
        if (status != STRATA_OK) return status;
    }
    *done = true;
    return STRATA_OK;
}

static strata_status add_ends(st_groups *groups, bool *done) {
    st_query *query = groups->query;
    st_access *last = NULL;
    strata_status status = add_measures(groups, &last, done);
    if (status != STRATA_OK) return status;
    if (!*done) {
        for (uint32_t i = 0; i < groups->measure_count; i++) {
            groups->totals[i] = st_total_begin(groups->totals[i].type, groups->totals[i].aggregate);
        }
        return STRATA_OK;
    }
    st_plan plan = { .method = ST_METHOD_INDEX, .access = last };
    st_explain_plan(query, &plan);
    st_explain(query, ", its ends");
    return STRATA_OK;
}

/* ---- Groups ----------------------------------------------------------- */

/* Is the only key a column of the objects themselves, and are they only counted? */
static bool counts_runs(const st_groups *groups) {
    for (uint32_t i = 0; i < groups->measure_count; i++) {
        if (groups->measured[i].column != NULL) return false;
    }
    return groups->key_count == 1 && groups->keys->path_length == 1;
}

/* A group for each value of the index, whose first object stands for all its objects. */
static strata_status add_runs(st_groups *groups, bool *done) {
    st_query *query = groups->query;
    st_value_runs runs;
    strata_status status = st_value_runs_find(query, groups->keys->column, true, groups->most, &runs, done);
    for (size_t i = 0; i < runs.count && *done && status == STRATA_OK; i++) {
        st_stored_row row;
        status = st_query_find_indexed(query, runs.items[i].key, &row);
        if (status != STRATA_OK) break;
        query->stats.rows_visited++;
        st_groups_add(groups, &row);
        status = query->status;
        *done = !groups->too_many;
        if (status != STRATA_OK || !*done) break;
        st_total *totals = groups->totals + (groups->count - 1) * groups->measure_count;
        for (uint32_t k = 0; k < groups->measure_count; k++) totals[k].count += runs.items[i].count - 1;
    }
    if (status == STRATA_OK && *done) st_value_runs_explain(query, &runs);
    st_value_runs_free(&runs);
    return status;
}

strata_status st_groups_by_index(st_groups *groups, bool *done) {
    *done = false;
    if (all_have_ends(groups)) return add_ends(groups, done);
    return counts_runs(groups) ? add_runs(groups, done) : STRATA_OK;
}
