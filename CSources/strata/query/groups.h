/* SPDX-License-Identifier: MIT
 *
 * groups.h -- groups of rows that agree in their keys, and measures of each group.
 *
 * Rows are added one by one or as blocks; the totals of each group are up to date after each. Without keys all rows are
 * one group, whose measures are taken of whole blocks where they are columns of numbers. Failures while rows are added
 * are noted in the query.
 *
 * Groups with keys can be bounded: if there would be more than `most`, or more bytes of keys than `most_bytes`, there
 * are `too_many`, and all of them are forgotten. The numbers of the first key can go into a histogram at the same time,
 * also when there are too many groups.
 */
#ifndef ST_QUERY_GROUPS_H
#define ST_QUERY_GROUPS_H

#include "base/arena.h"
#include "query/distinct_set.h"
#include "query/histogram.h"
#include "value/total.h"

typedef struct st_groups {
    st_query *query;
    uint32_t key_count, measure_count;
    st_key_reader *keys;
    st_key_reader *measured; /* what each measure is taken of; without a column: the rows themselves are counted */
    st_distinct_set distinct; /* the number of a key is that of its group */
    strata_value *values;   /* of the keys, for each group */
    st_total *totals;       /* of the measures, for each group */
    size_t count, value_capacity, total_capacity;
    size_t byte_count;      /* of the bytes that `values` point to */
    st_arena bytes;         /* where they lie */
    size_t most, most_bytes; /* SIZE_MAX: as many as there are */
    bool too_many;          /* rows are no longer grouped */
    st_histogram *histogram; /* lent; NULL: none is wanted */
    st_arena memory;        /* where the key readers lie */
} st_groups;

/** Checks keys and measures. Whatever it returns, the groups are freed with st_groups_free(). */
strata_status st_groups_begin(st_groups *groups, st_query *query, const strata_sort *keys, uint32_t key_count,
                              const strata_measure *measures, uint32_t measure_count);
void st_groups_free(st_groups *groups);

/** Are rows looked at, or only counted? */
bool st_groups_visits(const st_groups *groups);
void st_groups_add(st_groups *groups, const st_stored_row *row);
/** Are no further rows wanted? */
static inline bool st_groups_are_full(const st_groups *g) { return g->too_many && g->histogram == NULL; }
/** Adds the rows of a block that a selection mask keeps. */
void st_groups_add_block(st_groups *groups, const uint8_t *block, size_t size, const uint8_t *keep);
/** Adds rows that need not be looked at. */
void st_groups_add_count(st_groups *groups, uint64_t count);
/** All groups in the order of their keys. */
strata_status st_groups_finish(st_groups *groups, strata_groups *out);

#endif
