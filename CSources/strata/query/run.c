/* SPDX-License-Identifier: MIT
 * run.c -- queries that are compiled, planned and run in one call. */
#include "query/run.h"

#include "condition/compile.h"
#include "query/execution.h"
#include "query/groups_index.h"

static strata_status run_for_keys(strata_view *view, const strata_query *spec, strata_keys *out, uint64_t **words,
                                  strata_query_stats *stats, size_t stats_size, strata_error *error) {
    st_room room;
    strata_query read;
    st_query query = st_query_begin(view, &room, stats, error);
    st_execution run = { .query = &query, .purpose = ST_FOR_KEYS, .wants_words = words != NULL };
    *out = (strata_keys){ NULL, 0 };
    strata_status status = st_query_ready(view, error);
    if (status == STRATA_OK) status = st_execution_compile(&run, spec, &read);
    if (status == STRATA_OK) status = st_execution_run(&run);
    if (status == STRATA_OK) st_execution_take_keys(&run, out);
    if (status == STRATA_OK && words != NULL) {
        *words = run.words;
        run.words = NULL;
    }
    return st_execution_end(&run, status, stats, stats_size);
}

strata_status strata_query_run_sized(strata_view *view, const strata_query *spec, strata_keys *out,
                                     strata_query_stats *stats, size_t stats_size, strata_error *error) {
    return run_for_keys(view, spec, out, NULL, stats, stats_size, error);
}

strata_status st_query_run_with_words(strata_view *view, const strata_query *spec, strata_keys *out, uint64_t **words,
                                      strata_query_stats *stats, strata_error *error) {
    *words = NULL;
    return run_for_keys(view, spec, out, words, stats, sizeof *stats, error);
}

strata_status strata_query_count_sized(strata_view *view, const strata_query *spec, uint64_t *out,
                                       strata_query_stats *stats, size_t stats_size, strata_error *error) {
    st_room room;
    strata_query read;
    st_query query = st_query_begin(view, &room, stats, error);
    st_execution run = { .query = &query, .purpose = ST_FOR_COUNT };
    strata_status status = st_query_ready(view, error);
    if (status == STRATA_OK) status = st_execution_compile(&run, spec, &read);
    if (status == STRATA_OK) status = st_execution_run(&run);
    *out = status == STRATA_OK ? run.result.count : 0;
    return st_execution_end(&run, status, stats, stats_size);
}

strata_status strata_query_group_sized(strata_view *view, const strata_query *spec, const strata_sort *keys,
                                       uint32_t key_count, const strata_measure *measures, uint32_t measure_count,
                                       strata_groups *out, strata_query_stats *stats, size_t stats_size,
                                       strata_error *error) {
    st_room room;
    strata_query read;
    st_query query = st_query_begin(view, &room, stats, error);
    st_groups groups = { 0 };
    st_execution run = { .query = &query, .purpose = ST_FOR_GROUPS, .groups = &groups };
    *out = (strata_groups){ 0 };
    strata_status status = st_query_ready(view, error);
    if (status == STRATA_OK) status = st_execution_compile(&run, spec, &read);
    if (status == STRATA_OK) status = st_groups_begin(&groups, &query, keys, key_count, measures, measure_count);
    bool whole = read.source == STRATA_SOURCE_TABLE && read.after == NULL, done = false;
    if (status == STRATA_OK && whole && run.pipelines.count == 1 && run.pipelines.items[0].filter_count == 0) {
        status = st_groups_by_index(&groups, &done);
    }
    if (status == STRATA_OK && !done) status = st_execution_run(&run);
    if (status == STRATA_OK) status = st_groups_finish(&groups, out);
    st_groups_free(&groups);
    return st_execution_end(&run, status, stats, stats_size);
}

strata_status strata_query_check(strata_view *view, const strata_query *spec, strata_error *error) {
    st_room room;
    strata_query read;
    st_query query = st_query_begin(view, &room, NULL, error);
    st_execution run = { .query = &query, .purpose = ST_FOR_KEYS };
    strata_status status = st_view_check(view, error);
    if (status == STRATA_OK) status = st_execution_compile(&run, spec, &read);
    st_query_free(&query);
    return status;
}
