/* SPDX-License-Identifier: MIT
 * shared_query.c -- a query that observers of a group observe. */
#include "observe/shared_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "observe/query_name.h"
#include "query/query_copy.h"

enum { DEEP = 3 /* links away */ };

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "observing a query"); }

/* Names something by bytes, of which it gets a copy. */
static bool name(st_named *named, st_arena *memory, const st_buffer *bytes) {
    uint8_t *copy = st_arena_alloc(memory, bytes->size);
    if (copy == NULL) return false;
    memcpy(copy, bytes->data, bytes->size);
    named->bytes = copy;
    named->size = bytes->size;
    return true;
}

/* ---- Queries ---------------------------------------------------------- */

/* Whether objects can be tested and placed one by one. */
static bool can_rank(const strata_query *query, bool *sorted) {
    *sorted = false;
    for (uint32_t i = 0; i < query->stage_count; i++) {
        if (query->stages[i].kind != STRATA_STAGE_SORT) return false;
        *sorted = *sorted || query->stages[i].key_count != 0;
    }
    return query->source == STRATA_SOURCE_TABLE;
}

static void free_query(st_shared_query *q) {
    st_watch_free(&q->decides);
    st_arena_free(&q->memory);
    free(q);
}

static strata_status make_query(st_shared_queries *all, strata_view *view, const strata_query *query,
                                const st_buffer *bytes, st_shared_query **out, strata_error *error) {
    st_shared_query *q = calloc(1, sizeof *q);
    if (q == NULL) return no_memory(error);
    q->all = all;
    q->query = st_query_copy(&q->memory, query);
    strata_status status = q->query != NULL && name(&q->named, &q->memory, bytes) ? STRATA_OK : no_memory(error);
    if (status == STRATA_OK) {
        q->ranked = can_rank(q->query, &q->sorted);
        q->tests = q->query->node_count != 0 || q->sorted;
        if (q->query->source == STRATA_SOURCE_TABLE) q->constant = st_constant_of(view, q->query);
        q->decides = st_watch_begin(&q->memory, q->query->table);
        status = st_watch_query(&q->decides, view, q->query, error);
    }
    if (status == STRATA_OK && !st_names_add(&all->names, &q->named)) status = no_memory(error);
    if (status == STRATA_OK) *out = q;
    else free_query(q);
    return status;
}

strata_status st_shared_query_use(st_shared_queries *all, strata_view *view, const strata_query *query,
                                  st_shared_query **out, strata_error *error) {
    st_buffer bytes = { NULL, 0, 0 };
    strata_query read;
    strata_status status = st_query_read(query, &read, error);
    if (status == STRATA_OK && !st_query_name(&read, &bytes)) status = no_memory(error);
    if (status == STRATA_OK) {
        *out = (st_shared_query *)st_names_find(&all->names, bytes.data, bytes.size); /* `named` is its first field */
        if (*out == NULL) status = make_query(all, view, &read, &bytes, out, error);
    }
    if (status == STRATA_OK) (*out)->users++;
    st_buffer_free(&bytes);
    return status;
}

void st_shared_query_leave(st_shared_query *q) {
    if (--q->users != 0) return;
    st_names_remove(&q->all->names, &q->named);
    if (q->all->names.count == 0) st_names_free(&q->all->names);
    st_names_free(&q->paths);
    free_query(q);
}

/* ---- Key paths -------------------------------------------------------- */

static void free_paths(st_shared_paths *p) {
    st_watch_free(&p->counts);
    st_found_free(&p->found);
    st_arena_free(&p->memory);
    free(p);
}

/* Adds paths to those of their query, unless it has equal ones. */
static bool add_paths(st_shared_paths *p, st_shared_paths **out) {
    st_buffer bytes = { NULL, 0, 0 };
    bool done = st_watch_name(&p->counts, &bytes);
    if (done) {
        *out = (st_shared_paths *)st_names_find(&p->query->paths, bytes.data, bytes.size); /* its first field */
        if (*out == NULL) {
            done = name(&p->named, &p->memory, &bytes) && st_names_add(&p->query->paths, &p->named);
            if (done) *out = p;
        }
    }
    st_buffer_free(&bytes);
    return done;
}

strata_status st_shared_paths_use(st_shared_query *query, strata_view *view, const strata_key_paths *paths,
                                  st_shared_paths **out, strata_error *error) {
    *out = NULL;
    st_shared_paths *p = calloc(1, sizeof *p);
    if (p == NULL) return no_memory(error);
    p->query = query;
    p->counts = st_watch_begin(&p->memory, query->query->table);
    strata_status status = st_watch_paths(&p->counts, view, paths, DEEP, error);
    if (status == STRATA_OK && !add_paths(p, out)) status = no_memory(error);
    if (status == STRATA_OK) (*out)->users++;
    if (*out != p) free_paths(p);
    return status;
}

void st_shared_paths_leave(st_shared_paths *p) {
    if (--p->users != 0) return;
    st_names_remove(&p->query->paths, &p->named);
    free_paths(p);
}
