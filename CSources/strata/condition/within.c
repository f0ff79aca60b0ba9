/* SPDX-License-Identifier: MIT
 * within.c -- WITHIN: links to points on the earth, compared with a shape. */
#include "condition/within.h"

#include "base/status.h"
#include "condition/operand.h"
#include "condition/path.h"
#include "condition/value.h"
#include "geo/shape.h"

struct st_within {
    uint32_t table;       /* of the points, */
    uint32_t type;        /* and its columns */
    uint32_t coordinates;
    const st_area *area;
    uint32_t steps;       /* that a point takes */
};

/* ---- Making ----------------------------------------------------------- */

static strata_status find_column(st_query *query, const st_table *table, const char *name, strata_type type,
                                 strata_collection collection, uint32_t *out) {
    const char *wanted = collection == STRATA_LIST ? "a list of doubles" : "a string";
    *out = st_table_find(table, name);
    if (*out == ST_NONE) {
        return st_fail(query->error, STRATA_TYPE, 0, "objects of %s are no points: a point has a column \"%s\", %s",
                       table->name, name, wanted);
    }
    const st_column *column = &table->columns[*out];
    if (column->type == type && column->collection == collection) return STRATA_OK;
    return st_fail(query->error, STRATA_TYPE, 0, "objects of %s are no points: \"%s\" is not %s", table->name, name,
                   wanted);
}

strata_status st_within_make(st_query *query, const strata_node *node, const st_operand *left, const st_within **out) {
    char text[ST_OPERAND_NAME];
    const char *name = st_operand_name(query, left, text), *type = st_type_name(left->type);
    bool link = left->type == STRATA_LINK && left->aggregate == STRATA_EACH_VALUE;
    *out = NULL;
    if (!link) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s is %s %s; only a link to a point lies within a shape", name,
                       st_article(type), type);
    }
    if (node->shape == NULL || node->right != NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with WITHIN, which takes a shape", name);
    }
    const st_table *table = &query->view->catalog->tables[left->target];
    st_within *within = st_arena_alloc(&query->memory, sizeof *within);
    if (within == NULL) return st_no_memory(query->error, "compiling a query");
    *within = (st_within){ .table = left->target };
    strata_status status = find_column(query, table, "type", STRATA_STRING, STRATA_SINGLE, &within->type);
    if (status == STRATA_OK) {
        status = find_column(query, table, "coordinates", STRATA_DOUBLE, STRATA_LIST, &within->coordinates);
    }
    if (status == STRATA_OK) status = st_area_make(node->shape, &query->memory, &within->area, query->error);
    enum { EDGES_PER_STEP = 8 };
    if (status == STRATA_OK) within->steps = st_area_edges(within->area) / EDGES_PER_STEP + 1;
    *out = within;
    return status;
}

/* ---- Matching --------------------------------------------------------- */

static bool open_column(st_query *query, const st_table *table, const st_stored_row *row, uint32_t column,
                        st_vector *out) {
    return st_query_vector(query, row->block, row->size, &table->columns[column], out);
}

static bool is_point(st_query *query, const st_table *table, const st_within *within, const st_stored_row *row) {
    static const strata_bytes point = { "Point", 5 };
    st_vector vector;
    strata_bytes type;
    if (!open_column(query, table, row, within->type, &vector) || st_vector_null(&vector, row->slot)) return false;
    return st_query_bytes(query, &vector, row->slot, &type) && st_compare(type, point) == 0;
}

static bool read_point(st_query *query, const st_table *table, const st_within *within, const st_stored_row *row,
                       strata_geo_point *out) {
    st_vector vector;
    st_source source;
    strata_value values[2];
    if (!open_column(query, table, row, within->coordinates, &vector) ||
        !st_query_collection(query, table, row, &vector, within->coordinates, &source) || source.count < 2) {
        return false;
    }
    strata_status status = st_source_values(&source, 0, 0, 2, values, query->error);
    if (!st_query_note(query, status)) return false;
    if (values[0].type == STRATA_NULL || values[1].type == STRATA_NULL) return false;
    *out = (strata_geo_point){ .longitude = values[0].as.real, .latitude = values[1].as.real };
    return true;
}

typedef struct visit {
    st_query *query;
    const st_within *within;
} visit;

static bool lies_within(void *context, const strata_value *value) {
    const visit *v = context;
    const st_table *table = &v->query->view->catalog->tables[v->within->table];
    st_stored_row at;
    strata_geo_point point;
    if (value->type != STRATA_LINK || !st_query_step(v->query, v->within->steps)) return false;
    strata_status status = st_query_find(v->query, v->within->table, value->as.link, &at);
    if (!st_query_note(v->query, status)) return false;
    v->query->stats.rows_visited++;
    return is_point(v->query, table, v->within, &at) && read_point(v->query, table, v->within, &at, &point) &&
           st_area_contains(v->within->area, point);
}

bool st_within_match(st_query *query, const st_within *within, st_operand *left, const st_stored_row *row) {
    visit v = { query, within };
    return st_path_walk(query, left, left->step_count, row, ST_VISIT_SAME, lies_within, &v) &&
           query->status == STRATA_OK;
}
