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

typedef struct st_group {
    st_query *query;
    uint32_t key_count, measure_count;
    st_reach *keys;
    st_reach *measured;     /* what each measure is taken of; no column: of the rows themselves */
    st_classes classes;
    strata_value *values;   /* of the keys, for each group */
    st_total *totals;       /* of the measures, for each group */
    size_t count, value_capacity, total_capacity;
    size_t byte_count;      /* of all values */
    st_arena memory;        /* for those bytes */
} st_group;

/** Checks keys and measures. Whatever it returns, the group is freed with st_group_free(). */
strata_status st_group_begin(st_group *group, st_query *query, const strata_sort *keys, uint32_t key_count,
                             const strata_measure *measures, uint32_t measure_count);
void st_group_free(st_group *group);

/** Are rows looked at, or only counted? */
bool st_group_visits(const st_group *group);
/** Adds a row, the rows of a block, or some that need not be looked at. Failures are noted in the query. */
void st_group_add(st_group *group, const st_place *place);
void st_group_add_block(st_group *group, const uint8_t *block, size_t size, const uint8_t *mask);
void st_group_add_count(st_group *group, uint64_t count);

/** Takes the measures of all objects that meet the condition of the query from indexes, if that is possible; there are
 * no stages then. `*done` says so. In group_index.c. */
strata_status st_group_by_index(st_group *group, bool *done);
/** All groups in the order of their keys. */
strata_status st_group_finish(st_group *group, strata_groups *out);

#endif
