/* SPDX-License-Identifier: MIT
 *
 * pipeline.h -- the stages of a query, in the form in which they are run.
 *
 * A row that is found goes through one filter stage after the other; only a sort needs all rows before it can go on. So
 * the stages are divided into pipelines: any number of filters, and then a sort, but for the last pipeline, which has
 * none. Sorts that follow each other are made into one.
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
    const strata_sort *sorts; /* the keys of the sort at the end, the most significant first */
    uint32_t sort_count;      /* 0: no sort, in the last pipeline */
} st_pipeline;

typedef struct st_pipelines {
    st_pipeline *items;
    uint32_t count;           /* at least 1 */
} st_pipelines;

/** What a query is run for. */
typedef enum st_purpose { ST_FOR_KEYS, ST_FOR_COUNT, ST_FOR_GROUPS } st_purpose;

/** Checks the stages and the bookmark of a query, and makes pipelines of them. Sorts that make no difference to what is
 * returned are left out. Lifetime: that of the query. Fails: STRATA_MISUSE, STRATA_TYPE, STRATA_NO_MEMORY. */
strata_status st_pipelines_make(st_query *query, st_purpose purpose, st_pipelines *out);

/** How many rows its filters need at most; UINT64_MAX if that is not known. */
uint64_t st_pipeline_wants(const st_pipeline *pipeline);

#endif
