/* SPDX-License-Identifier: MIT
 *
 * stage.h -- the stages of a query, in the form in which they are run.
 *
 * A row that is found goes through the stages one after the other, as far as the next sort; only a sort needs all rows
 * before it can go on. So the stages are parted into segments: cuts, then a sort, except in the last segment. Sorts
 * that follow each other are one.
 */
#ifndef ST_PLAN_STAGE_H
#define ST_PLAN_STAGE_H

#include "condition/query.h"

/** A DISTINCT or a LIMIT. */
typedef struct st_cut {
    const strata_stage *stage;
    bool distinct;
} st_cut;

typedef struct st_segment {
    st_cut *cuts;
    uint32_t cut_count;
    const strata_sort *sorts; /* at the end; the most significant first */
    uint32_t sort_count;      /* 0: none, in the last segment */
} st_segment;

typedef struct st_stages {
    st_segment *segments;
    uint32_t count;           /* at least 1 */
} st_stages;

/** What a query is run for. */
typedef enum st_purpose { ST_FOR_KEYS, ST_FOR_COUNT, ST_FOR_GROUPS } st_purpose;

/** Checks the stages and the bookmark, and puts them in order. Sorts that make no difference are left out. */
strata_status st_stages_make(st_query *query, st_purpose purpose, st_stages *out);

/** How many rows of a segment are wanted at most, if nothing else ends it earlier. */
uint64_t st_segment_wants(const st_segment *segment);

#endif
