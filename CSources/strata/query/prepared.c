/* SPDX-License-Identifier: MIT
 * prepared.c -- a query that was compiled once and is run again with other constants. */
#include "query/prepared.h"

#include <stdlib.h>

#include "base/status.h"
#include "condition/compile.h"
#include "condition/operand.h"
#include "query/execution.h"
#include "query/query_copy.h"
#include "query/query_cursor.h"

/* ---- Parameters ------------------------------------------------------- */

static bool is_parameter(const strata_node *node) { return (node->options & STRATA_PARAMETERS) != 0; }

/* Parameters stand for the constants of a comparison. */
static strata_status check_parameters(const strata_query *spec, uint32_t *out_nodes, uint64_t *out_values,
                                      strata_error *error) {
    *out_nodes = 0;
    *out_values = 0;
    for (uint32_t i = 0; i < spec->node_count; i++) {
        const strata_node *node = spec->nodes + i;
        if (!is_parameter(node)) continue;
        bool compares = node->op >= STRATA_EQUAL && node->op < STRATA_WITHIN && node->right == NULL;
        if (!compares || node->value_count == 0) {
            return st_fail(error, STRATA_MISUSE, 0,
                           "node %u of a condition has STRATA_PARAMETERS, but %s", i,
                           compares ? "its value_count is 0" : "is no comparison with constants");
        }
        ++*out_nodes;
        *out_values += node->value_count;
    }
    if (*out_values <= STRATA_MAX_CONSTANTS) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "a query has %llu parameters; there may be %d",
                   (unsigned long long)*out_values, STRATA_MAX_CONSTANTS);
}

/* Makes the constants of each comparison with parameters lie in `arguments`. */
static void point_to_arguments(strata_prepared *p) {
    strata_node *nodes = (strata_node *)(uintptr_t)p->spec.nodes; /* they are in its own memory */
    strata_value *next = p->arguments;
    for (uint32_t i = 0; i < p->bindings.count; i++) {
        strata_node *node = &nodes[p->bindings.items[i].node];
        node->values = next;
        next += node->value_count;
    }
}

/* Replaces the nodes by a copy in which the parameters are found and their options are gone. */
static strata_status take_parameters(strata_prepared *p, strata_error *error) {
    uint32_t nodes = 0, count = p->spec.node_count;
    uint64_t values = 0;
    if (count == 0 || p->spec.nodes == NULL || count > STRATA_MAX_NODES) return STRATA_OK; /* compiling refuses it */
    strata_status status = check_parameters(&p->spec, &nodes, &values, error);
    if (status != STRATA_OK) return status;
    strata_node *copy = st_arena_alloc(&p->memory, count * sizeof *copy);
    p->bindings.items = st_arena_alloc(&p->memory, nodes * sizeof *p->bindings.items);
    p->arguments = st_arena_alloc(&p->memory, (size_t)values * sizeof *p->arguments);
    if (copy == NULL || p->bindings.items == NULL || p->arguments == NULL) {
        return st_no_memory(error, "preparing a query");
    }
    memcpy(copy, p->spec.nodes, count * sizeof *copy);
    memset(p->arguments, 0, (size_t)values * sizeof *p->arguments);
    p->argument_count = (uint32_t)values;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_parameter(&copy[i])) continue;
        copy[i].options &= ~(uint32_t)STRATA_PARAMETERS;
        p->bindings.items[p->bindings.count++] = (st_binding){ .node = i };
    }
    p->spec.nodes = copy;
    point_to_arguments(p);
    return STRATA_OK;
}

/* ---- Compiling -------------------------------------------------------- */

static void forget_compiled(strata_prepared *p) {
    p->compiled.view = NULL; /* its steps were those of the runs */
    st_query_free(&p->compiled);
    p->compiled = (st_query){ 0 };
    p->catalog = 0;
    p->bindings.made = 0;
}

/* Compiles it for the catalog of a view. */
static strata_status compile(strata_prepared *p, strata_view *view, strata_error *error) {
    forget_compiled(p);
    st_query *query = &p->compiled;
    *query = (st_query){ .view = view, .spec = &p->spec, .error = error, .bindings = &p->bindings };
    strata_status status = st_query_compile(query);
    if (status == STRATA_OK) status = st_pipelines_make(query, ST_FOR_KEYS, &p->pipelines[ST_FOR_KEYS]);
    if (status == STRATA_OK) status = st_pipelines_make(query, ST_FOR_COUNT, &p->pipelines[ST_FOR_COUNT]);
    query->view = NULL;
    query->error = NULL;
    if (status == STRATA_OK) p->catalog = view->catalog->serial;
    else forget_compiled(p);
    return status;
}

static strata_status make(strata_prepared *p, strata_view *view, const strata_query *given, strata_error *error) {
    strata_status status = st_query_read(given, &p->spec, error);
    if (status == STRATA_OK) status = take_parameters(p, error);
    if (status == STRATA_OK) status = compile(p, view, error); /* whatever is copied was checked */
    if (status != STRATA_OK) return status;
    forget_compiled(p);
    if (!st_query_keep(&p->memory, &p->spec)) return st_no_memory(error, "preparing a query");
    point_to_arguments(p);
    return compile(p, view, error);
}

strata_status strata_query_prepare(strata_view *view, const strata_query *query, strata_prepared **out,
                                   strata_error *error) {
    *out = NULL;
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    strata_prepared *p = calloc(1, sizeof *p);
    if (p == NULL) return st_no_memory(error, "preparing a query");
    atomic_flag_clear(&p->busy);
    status = make(p, view, query, error);
    if (status == STRATA_OK) *out = p;
    else strata_prepared_free(p);
    return status;
}

void strata_prepared_free(strata_prepared *prepared) {
    if (prepared == NULL) return;
    forget_compiled(prepared);
    st_arena_free(&prepared->memory);
    free(prepared);
}

uint32_t strata_prepared_parameters(const strata_prepared *prepared) {
    return prepared == NULL ? 0 : prepared->argument_count;
}

/* ---- Running ---------------------------------------------------------- */

/* Begins a call: nobody else may use it until done(). */
static strata_status take(strata_prepared *p, const strata_value *arguments, uint32_t count, strata_error *error) {
    if (p == NULL) return st_fail(error, STRATA_MISUSE, 0, "the prepared query is NULL: preparing it failed");
    if (count != p->argument_count) {
        return st_fail(error, STRATA_MISUSE, 0, "a prepared query has %u parameters and is run with %u arguments",
                       p->argument_count, count);
    }
    if (count != 0 && arguments == NULL) {
        return st_fail(error, STRATA_MISUSE, 0, "a prepared query is run with %u arguments without an address", count);
    }
    if (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {
        return st_fail(error, STRATA_MISUSE, 0,
                       "a prepared query is used by two calls at once; prepare one for each thread");
    }
    if (count != 0) memcpy(p->arguments, arguments, count * sizeof *arguments);
    return STRATA_OK;
}

static void done(strata_prepared *p) { atomic_flag_clear_explicit(&p->busy, memory_order_release); }

/* Compiles it again if the schema is another one, and gives the run what was compiled and the arguments. */
static strata_status begin(strata_prepared *p, st_execution *run) {
    st_query *query = run->query;
    strata_status status = STRATA_OK;
    if (p->catalog != query->view->catalog->serial) status = compile(p, query->view, query->error);
    if (status != STRATA_OK) return status;
    query->spec = &p->spec;
    query->table = p->compiled.table;
    query->condition = p->compiled.condition;
    query->operands = p->compiled.operands;
    query->keep_count = p->compiled.keep_count;
    run->pipelines = p->pipelines[run->purpose];
    return st_bind_all(query, &p->bindings);
}

/* Runs it. Whatever it returns, the caller ends the execution, and then calls done() if `*out_taken`. */
static strata_status run_prepared(strata_prepared *p, const strata_value *arguments, uint32_t count, st_execution *run,
                                  bool *out_taken) {
    st_query *query = run->query;
    *out_taken = false;
    strata_status status = st_query_ready(query->view, query->error);
    if (status == STRATA_OK) status = take(p, arguments, count, query->error);
    if (status != STRATA_OK) return status;
    *out_taken = true;
    status = begin(p, run);
    return status == STRATA_OK ? st_execution_run(run) : status;
}

strata_status strata_prepared_run_sized(strata_prepared *prepared, strata_view *view, const strata_value *arguments,
                                        uint32_t argument_count, strata_keys *out, strata_query_stats *stats,
                                        size_t stats_size, strata_error *error) {
    st_room room;
    st_query query = st_query_begin(view, &room, stats, error);
    st_execution run = { .query = &query, .purpose = ST_FOR_KEYS };
    bool taken;
    *out = (strata_keys){ NULL, 0 };
    strata_status status = run_prepared(prepared, arguments, argument_count, &run, &taken);
    if (status == STRATA_OK) st_execution_take_keys(&run, out);
    status = st_execution_end(&run, status, stats, stats_size);
    if (taken) done(prepared);
    return status;
}

strata_status strata_prepared_count_sized(strata_prepared *prepared, strata_view *view, const strata_value *arguments,
                                          uint32_t argument_count, uint64_t *out, strata_query_stats *stats,
                                          size_t stats_size, strata_error *error) {
    st_room room;
    st_query query = st_query_begin(view, &room, stats, error);
    st_execution run = { .query = &query, .purpose = ST_FOR_COUNT };
    bool taken;
    strata_status status = run_prepared(prepared, arguments, argument_count, &run, &taken);
    *out = status == STRATA_OK ? run.result.count : 0;
    status = st_execution_end(&run, status, stats, stats_size);
    if (taken) done(prepared);
    return status;
}

/* ---- Results piece by piece ------------------------------------------- */

strata_status strata_prepared_open(strata_prepared *prepared, strata_view *view, const strata_value *arguments,
                                   uint32_t argument_count, strata_query_cursor **out, strata_error *error) {
    st_arena memory = { 0 };
    *out = NULL;
    strata_status status = take(prepared, arguments, argument_count, error);
    if (status != STRATA_OK) return status;
    status = strata_query_check(view, &prepared->spec, error); /* then its bytes can be copied */
    const strata_query *copy = status == STRATA_OK ? st_query_copy(&memory, &prepared->spec) : NULL;
    done(prepared);
    if (status == STRATA_OK && copy == NULL) status = st_no_memory(error, "opening a query");
    if (status == STRATA_OK) status = strata_query_open(view, copy, out, error);
    if (status == STRATA_OK) (*out)->memory = memory;
    else st_arena_free(&memory);
    return status;
}
