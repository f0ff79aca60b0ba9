/* SPDX-License-Identifier: MIT
 *
 * stage.h -- the stages of a query, in the form in which they are run.
 *
 * A row that is found goes through the stages one after the other, as far as the next sort; only a sort needs all rows
 * before it can go on. So the stages are parted into segments: filters, then a sort, except in the last pipeline. Sorts
 * that follow each other are one.
 */
#ifndef ST_PLAN_PIPELINE_H
#define ST_PLAN_PIPELINE_H

#include "condition/query.h"

/** A DISTINCT or a LIMIT. */
typedef struct st_stage_filter {
    const strata_stage *stage;
    bool distinct;
} st_stage_filter;

typedef struct st_pipeline {
    st_stage_filter *filters;
    uint32_t filter_count;
    const strata_sort *sorts; /* at the end; the most significant first */
    uint32_t sort_count;      /* 0: none, in the last pipeline */
} st_pipeline;

typedef struct st_pipelines {
    st_pipeline *items;
    uint32_t count;           /* at least 1 */
} st_pipelines;

/** What a query is run for. */
typedef enum st_purpose { ST_FOR_KEYS, ST_FOR_COUNT, ST_FOR_GROUPS } st_purpose;

/** Checks the stages and the bookmark, and puts them in order. Sorts that make no difference are left out. */
strata_status st_pipelines_make(st_query *query, st_purpose purpose, st_pipelines *out);

/** How many rows of a pipeline are wanted at most, if nothing else ends it earlier. */
uint64_t st_pipeline_wants(const st_pipeline *pipeline);

#endif
