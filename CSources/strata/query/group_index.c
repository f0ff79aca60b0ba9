/* SPDX-License-Identifier: MIT
 * group_index.c -- the least and the greatest value of a column, from the ends of its index. */
#include "query/group.h"
#include "query/plan.h"

/* The index of the column has its values in their order, each of them whole. */
static bool has_ends(const st_group *group, uint32_t measure) {
    const st_reach *measured = &group->measured[measure];
    strata_aggregate aggregate = group->totals[measure].aggregate;
    if (measured->column == NULL) return aggregate == STRATA_COUNT;
    if (aggregate != STRATA_MIN && aggregate != STRATA_MAX) return false;
    bool number = measured->column->type == STRATA_INT || measured->column->type == STRATA_DATE;
    return number && measured->path_length == 1 && measured->column->index_id != 0;
}

static bool all_have_ends(const st_group *group) {
    bool any = false;
    for (uint32_t i = 0; i < group->measure_count; i++) {
        if (!has_ends(group, i)) return false;
        any = any || group->measured[i].column != NULL;
    }
    return any && group->key_count == 0;
}

/* What the index of the column says exactly of the condition. NULL if it does not. */
static st_access *access_of(st_query *query, const st_column *column) {
    uint64_t exactly;
    uint32_t count = query->condition == NULL ? 0 : st_tests_count(query->condition, STRATA_AND);
    if (count > 63) return NULL;
    st_test **tests = st_access_take(query, count * sizeof *tests);
    if (tests == NULL) return NULL;
    if (count != 0) (void)st_tests_gather(query->condition, STRATA_AND, tests);
    st_access *access = st_access_by_column(query, column, tests, count, &exactly);
    return access != NULL && exactly == (UINT64_C(1) << count) - 1 ? access : NULL;
}

/* Leaves the nulls out. False after a failure. */
static bool drop_nulls(st_query *query, const st_reach *measured, st_access *access) {
    st_posting_range values = { .high_key = UINT64_MAX };
    if (!measured->field.nullable) return true;
    values.low = (strata_bytes){ "\1", 1 };
    st_posting_range *ranges = st_access_take(query, (access->range_count + 1) * sizeof *ranges);
    if (ranges == NULL) return false;
    access->range_count = st_ranges_meet(access->ranges, access->range_count, &values, 1, ranges);
    access->ranges = ranges;
    return true;
}

static strata_status take_end(st_query *query, const st_reach *measured, const st_access *access, st_total *total) {
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

/* Of the entries of an index, before those of nulls are dropped. */
static strata_status take_count(st_query *query, const st_column *column, st_total *total) {
    if (query->condition != NULL) {
        st_access *access = access_of(query, column);
        if (access == NULL || !st_access_count(query, access)) return query->status;
        total->count = access->entries;
        return STRATA_OK;
    }
    st_table_state state;
    strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
    total->count = state.rows;
    return status;
}

/* Takes all measures; `*done` is false if some index cannot give its own, and then none of them counts. */
static strata_status take_measures(st_group *group, st_access **last, bool *done) {
    st_query *query = group->query;
    const st_column *column = NULL;
    for (uint32_t i = 0; i < group->measure_count; i++) {
        const st_reach *measured = &group->measured[i];
        if (measured->column == NULL) continue;
        column = measured->column;
        *last = access_of(query, column);
        if (*last == NULL || !drop_nulls(query, measured, *last)) return query->status;
        strata_status status = take_end(query, measured, *last, &group->totals[i]);
        if (status != STRATA_OK) return status;
    }
    for (uint32_t i = 0; i < group->measure_count; i++) {
        if (group->measured[i].column != NULL) continue;
        strata_status status = take_count(query, column, &group->totals[i]);
        if (status != STRATA_OK) return status;
    }
    *done = true;
    return STRATA_OK;
}

strata_status st_group_by_index(st_group *group, bool *done) {
    st_query *query = group->query;
    st_access *last = NULL;
    *done = false;
    if (!all_have_ends(group)) return STRATA_OK;
    strata_status status = take_measures(group, &last, done);
    if (status != STRATA_OK) return status;
    if (!*done) {
        for (uint32_t i = 0; i < group->measure_count; i++) {
            group->totals[i] = st_total_begin(group->totals[i].type, group->totals[i].aggregate);
        }
        return STRATA_OK;
    }
    st_plan plan = { .way = ST_WAY_INDEX, .access = last };
    st_explain_plan(query, &plan);
    st_explain(query, ", its ends");
    return STRATA_OK;
}
