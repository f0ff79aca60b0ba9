/* SPDX-License-Identifier: MIT
 *
 * group.h -- measures of groups of rows that agree in their keys.
 *
 * Without keys all rows are one group, whose measures are taken of whole blocks where they are columns of numbers.
 */
#ifndef ST_QUERY_GROUP_H
#define ST_QUERY_GROUP_H

#include "query/distinct_set.h"
#include "value/total.h"

typedef struct st_groups {
    st_query *query;
    uint32_t key_count, measure_count;
    st_key_reader *keys;
    st_key_reader *measured;     /* what each measure is taken of; no column: of the rows themselves */
    st_distinct_set distinct;
    strata_value *values;   /* of the keys, for each group */
    st_total *totals;       /* of the measures, for each group */
    size_t count, value_capacity, total_capacity;
    size_t byte_count;      /* of all values */
    st_arena memory;        /* for those bytes */
} st_groups;

/** Checks keys and measures. Whatever it returns, the group is freed with st_groups_free(). */
strata_status st_groups_begin(st_groups *group, st_query *query, const strata_sort *keys, uint32_t key_count,
                             const strata_measure *measures, uint32_t measure_count);
void st_groups_free(st_groups *group);

/** Are rows looked at, or only counted? */
bool st_groups_visits(const st_groups *group);
/** Adds a row, the rows of a block, or some that need not be looked at. Failures are noted in the query. */
void st_groups_add(st_groups *group, const st_stored_row *row);
void st_groups_add_block(st_groups *group, const uint8_t *block, size_t size, const uint8_t *keep);
void st_groups_add_count(st_groups *group, uint64_t count);

/** Takes the measures of all objects that meet the condition of the query from indexes, if that is possible; there are
 * no stages then. `*done` says so. In group_index.c. */
strata_status st_groups_by_index(st_groups *group, bool *done);
/** All groups in the order of their keys. */
strata_status st_groups_finish(st_groups *group, strata_groups *out);

#endif
