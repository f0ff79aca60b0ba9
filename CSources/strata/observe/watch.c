/* SPDX-License-Identifier: MIT
 * watch.c -- which changes concern an object. */
#include "observe/watch.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"

st_watch st_watch_begin(st_arena *arena, uint32_t root) {
    return (st_watch){ .arena = arena, .root = root, .deep = ST_NOT_DEEP };
}

void st_watch_free(st_watch *w) {
    free(w->items);
    *w = (st_watch){ .deep = ST_NOT_DEEP };
}

bool st_watch_name(const st_watch *w, st_buffer *out) {
    const uint32_t begin[] = { w->root, (uint32_t)w->deep, w->always, (uint32_t)w->count };
    bool done = st_buffer_append(out, begin, sizeof begin);
    for (size_t i = 0; i < w->count && done; i++)
        done = st_buffer_append(out, &w->items[i].count, sizeof w->items[i].count) &&
               st_buffer_append(out, w->items[i].hops, w->items[i].count * sizeof *w->items[i].hops);
    return done;
}

/* ---- Paths ------------------------------------------------------------ */

/* A path while it is followed. The hops before `count` are shared by everything that is watched along the way. */
typedef struct trail {
    const st_hop *hops;
    uint32_t count;
    uint32_t table; /* of the objects reached; ST_NONE: these are no objects */
} trail;

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "observing a query"); }

/* Watches what a hop goes through, at the end of a trail, and goes on behind it. */
static strata_status follow(st_watch *w, trail *t, st_hop hop, uint32_t path, strata_error *error) {
    st_hop *hops = st_arena_alloc(w->arena, (t->count + 1) * sizeof *hops);
    if (hops == NULL || !st_array_grow((void **)&w->items, &w->capacity, w->count, sizeof *w->items))
        return no_memory(error);
    if (t->count != 0) memcpy(hops, t->hops, t->count * sizeof *hops);
    hops[t->count] = hop;
    w->items[w->count++] = (st_watched){ hops, t->count + 1, path };
    *t = (trail){ hops, t->count + 1, hop.target };
    return STRATA_OK;
}

/* Follows steps that have been checked. */
static strata_status follow_steps(st_watch *w, trail *t, const strata_view *view, const strata_step *steps,
                                  uint32_t count, uint32_t path, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
        const strata_step *step = &steps[i];
        if (step->kind != STRATA_STEP_COLUMN && step->kind != STRATA_STEP_BACKLINKS) continue;
        if (t->table == ST_NONE) { /* behind a link in a value of any type */
            w->always = true;
            break;
        }
        const st_catalog *catalog = view->catalog;
        st_hop hop = { t->table, step->column, ST_NONE, ST_NONE };
        if (step->kind == STRATA_STEP_BACKLINKS) {
            hop.origin = hop.target = step->table;
            if (catalog->tables[step->table].columns[step->column].type == STRATA_MIXED) w->always = true;
        } else {
            const st_column *column = &catalog->tables[t->table].columns[step->column];
            if (column->type == STRATA_LINK) hop.target = column->target;
        }
        status = follow(w, t, hop, path, error);
    }
    return status;
}

/* ---- Queries ---------------------------------------------------------- */

/* Where the walk through the nodes of a condition is. */
typedef struct nodes {
    const strata_view *view;
    const strata_node *next;
    strata_error *error;
} nodes;

static bool compares(const strata_node *node) { return node->op >= STRATA_EQUAL; }

static strata_status watch_node(st_watch *w, nodes *n, trail from);

static strata_status watch_children(st_watch *w, nodes *n, uint32_t count, trail from) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) status = watch_node(w, n, from);
    return status;
}

static strata_status watch_operand(st_watch *w, nodes *n, const strata_operand *operand, uint32_t length, trail *t) {
    return follow_steps(w, t, n->view, operand->path, length, 0, n->error);
}

static strata_status watch_comparison(st_watch *w, nodes *n, const strata_node *node, trail from) {
    trail left = from, right = from, counted = from;
    strata_status status = watch_operand(w, n, &node->left, node->left.path_length, &left);
    if (status == STRATA_OK && node->right != NULL)
        status = watch_operand(w, n, node->right, node->right->path_length, &right);
    if (status == STRATA_OK && node->op == STRATA_WITHIN && left.table != ST_NONE)
        status = follow(w, &left, (st_hop){ left.table, ST_NONE, ST_NONE, ST_NONE }, 0, n->error);
    if (status != STRATA_OK || node->children == 0) return status;
    status = watch_operand(w, n, &node->left, node->left.aggregate_length, &counted);
    if (counted.table == ST_NONE) w->always = true;
    return status == STRATA_OK ? watch_children(w, n, node->children, counted) : status;
}

static strata_status watch_node(st_watch *w, nodes *n, trail from) {
    const strata_node *node = n->next++;
    if (compares(node)) return watch_comparison(w, n, node, from);
    bool joins = node->op == STRATA_AND || node->op == STRATA_OR;
    return watch_children(w, n, node->op == STRATA_NOT ? 1 : joins ? node->children : 0, from);
}

strata_status st_watch_query(st_watch *w, const strata_view *view, const strata_query *query, strata_error *error) {
    nodes n = { view, query->nodes, error };
    const trail root = { NULL, 0, w->root };
    strata_status status = STRATA_OK;
    if (query->nodes != NULL && query->node_count != 0) status = watch_node(w, &n, root);
    for (uint32_t s = 0; s < query->stage_count; s++) {
        for (uint32_t k = 0; k < query->stages[s].key_count && status == STRATA_OK; k++) {
            const strata_sort *key = &query->stages[s].keys[k];
            trail t = root;
            status = follow_steps(w, &t, view, key->path, key->path_length, 0, error);
        }
    }
    return status;
}

/* ---- Key paths -------------------------------------------------------- */

static strata_status refuse(strata_error *error, uint32_t path, const char *why, const char *name) {
    return st_fail(error, STRATA_MISUSE, 0, "observing: key path %u %s '%s'", (unsigned)path, why, name);
}

/* Whether a step may stand behind objects of a table; `*table` becomes that of the objects it leads to. */
static strata_status check_step(const strata_view *view, const strata_step *step, uint32_t path, uint32_t *table,
                                strata_error *error) {
    const st_catalog *catalog = view->catalog;
    if (*table == ST_NONE)
        return st_fail(error, STRATA_MISUSE, 0, "observing: key path %u goes on behind a property that is no link",
                       (unsigned)path);
    bool backward = step->kind == STRATA_STEP_BACKLINKS;
    if (!backward && step->kind != STRATA_STEP_COLUMN)
        return st_fail(error, STRATA_MISUSE, 0,
                       "observing: key path %u has a step of kind %u; use columns and backlinks", (unsigned)path, (unsigned)step->kind);
    const st_column *column = st_view_column(view, backward ? step->table : *table, step->column, error);
    if (column == NULL) return STRATA_MISUSE;
    if (backward && (column->type != STRATA_LINK || column->target != *table))
        return refuse(error, path, "goes back through a property that does not link to", catalog->tables[*table].name);
    *table = backward ? step->table : column->type == STRATA_LINK ? column->target : ST_NONE;
    return STRATA_OK;
}

static strata_status check_path(const st_watch *w, const strata_view *view, const strata_key_path *path,
                                uint32_t number, strata_error *error) {
    uint32_t table = w->root;
    if (path->length == 0 || path->length > STRATA_MAX_STEPS || path->steps == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "observing: key path %u has %u steps; 1 to %d are possible",
                       (unsigned)number, (unsigned)path->length, STRATA_MAX_STEPS);
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < path->length && status == STRATA_OK; i++)
        status = check_step(view, &path->steps[i], number, &table, error);
    return status;
}

strata_status st_watch_paths(st_watch *w, const strata_view *view, const strata_key_paths *paths, int deep,
                             strata_error *error) {
    if (paths == NULL || (paths->count != 0 && paths->paths == NULL) || paths->count > STRATA_MAX_KEY_PATHS)
        return st_fail(error, STRATA_MISUSE, 0,
                       "observing: no key paths, or more than %d; `all` stands for all properties", STRATA_MAX_KEY_PATHS);
    if (paths->all) w->deep = deep;
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < paths->count && status == STRATA_OK; i++) {
        trail t = { NULL, 0, w->root };
        status = check_path(w, view, &paths->paths[i], i, error);
        if (status == STRATA_OK)
            status = follow_steps(w, &t, view, paths->paths[i].steps, paths->paths[i].length, i, error);
    }
    return status;
}
