/* SPDX-License-Identifier: MIT
 * region.c -- links to places, compared with a shape. */
#include "condition/region.h"

#include "base/status.h"
#include "geo/shape.h"

struct st_region {
    uint32_t table;       /* of the places */
    uint32_t type;        /* its columns */
    uint32_t coordinates;
    const st_area *area;
};

/* ---- Making ----------------------------------------------------------- */

static strata_status find_column(st_query *query, const st_table *table, const char *name, strata_type type,
                                 strata_collection collection, uint32_t *out) {
    const char *wanted = collection == STRATA_LIST ? "a list of doubles" : "a string";
    *out = st_table_find(table, name);
    if (*out == ST_NONE) {
        return st_fail(query->error, STRATA_TYPE, 0, "objects of %s are no places: a place has a column \"%s\", %s",
                       table->name, name, wanted);
    }
    const st_column *column = &table->columns[*out];
    if (column->type == type && column->collection == collection) return STRATA_OK;
    return st_fail(query->error, STRATA_TYPE, 0, "objects of %s are no places: \"%s\" is not %s", table->name, name,
                   wanted);
}

strata_status st_region_make(st_query *query, const strata_node *node, const st_operand *left, const st_region **out) {
    char text[ST_OPERAND_NAME];
    const char *name = st_operand_name(query, left, text), *type = st_type_name(left->type);
    bool link = left->type == STRATA_LINK && left->aggregate == STRATA_EACH_VALUE;
    *out = NULL;
    if (!link) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s is %s %s; only a link to a place lies within a shape", name,
                       st_article(type), type);
    }
    if (node->shape == NULL || node->right != NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with WITHIN, which takes a shape", name);
    }
    const st_table *table = &query->view->catalog->tables[left->target];
    st_region *region = st_arena_alloc(&query->memory, sizeof *region);
    if (region == NULL) return st_no_memory(query->error, "compiling a query");
    *region = (st_region){ .table = left->target };
    strata_status status = find_column(query, table, "type", STRATA_STRING, STRATA_SINGLE, &region->type);
    if (status == STRATA_OK) {
        status = find_column(query, table, "coordinates", STRATA_DOUBLE, STRATA_LIST, &region->coordinates);
    }
    if (status == STRATA_OK) status = st_area_make(node->shape, &query->memory, &region->area, query->error);
    *out = region;
    return status;
}

/* ---- Matching --------------------------------------------------------- */

static bool open_column(st_query *query, const st_table *table, const st_place *place, uint32_t column,
                        st_vector *out) {
    return st_query_vector(query, place->block, place->size, table->fields[column], column, out);
}

static bool is_point(st_query *query, const st_table *table, const st_region *region, const st_place *place) {
    static const strata_bytes point = { "Point", 5 };
    st_vector vector;
    strata_bytes type;
    if (!open_column(query, table, place, region->type, &vector) || st_vector_null(&vector, place->slot)) return false;
    return st_query_bytes(query, &vector, place->slot, &type) && st_compare(type, point) == 0;
}

static bool read_place(st_query *query, const st_table *table, const st_region *region, const st_place *place,
                       strata_place *out) {
    st_vector vector;
    st_source source;
    strata_value values[2];
    if (!open_column(query, table, place, region->coordinates, &vector) ||
        !st_query_collection(query, table, place, &vector, region->coordinates, &source) || source.count < 2) {
        return false;
    }
    strata_status status = st_source_values(&source, 0, 0, 2, values, query->error);
    if (status != STRATA_OK) st_query_fail(query, status);
    if (status != STRATA_OK || values[0].type == STRATA_NULL || values[1].type == STRATA_NULL) return false;
    *out = (strata_place){ .longitude = values[0].as.real, .latitude = values[1].as.real };
    return true;
}

typedef struct search {
    st_query *query;
    const st_region *region;
} search;

static bool lies_within(void *context, const strata_value *value) {
    const search *s = context;
    const st_table *table = &s->query->view->catalog->tables[s->region->table];
    st_place at;
    strata_place place;
    if (value->type != STRATA_LINK) return false;
    strata_status status = st_query_find(s->query, s->region->table, value->as.link, &at);
    if (status < 0) st_query_fail(s->query, status);
    if (status != STRATA_OK) return false;
    s->query->stats.rows_visited++;
    return is_point(s->query, table, s->region, &at) && read_place(s->query, table, s->region, &at, &place) &&
           st_area_contains(s->region->area, place);
}

bool st_region_match(st_query *query, const st_test *test, const st_place *place) {
    search s = { query, test->region };
    return st_path_walk(query, test->left, test->left->step_count, place, lies_within, &s) &&
           query->status == STRATA_OK;
}
