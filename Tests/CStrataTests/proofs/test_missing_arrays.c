/* SPDX-License-Identifier: MIT
 *
 * test_missing_arrays.c -- every array of the interface that stands beside its count: NULL with a count that is not 0
 * is refused, with words that say so. */
#include <stdio.h>

#include "strata_blob.h"
#include "strata_mixed.h"
#include "strata_predicate.h"
#include "strata_query.h"
#include "support/strata_support.h"

enum { PERSON };
enum { ID, NAME, FRIENDS, TAGS, NOTES, ANY, POINT };

static void fill(fixture *f) {
    const strata_column_spec person[] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("name", STRATA_STRING, STRATA_COLUMN_NULLABLE),
        list_of("friends", "Person"), { "tags", STRATA_STRING, STRATA_SET, 0, NULL },
        { "notes", STRATA_STRING, STRATA_MAP, 0, NULL }, column("any", STRATA_MIXED, 0), link_to("point", "Point"),
    };
    const strata_column_spec point[] = { column("type", STRATA_STRING, 0),
                                         { "coordinates", STRATA_DOUBLE, STRATA_LIST, 0, NULL } };
    const strata_table_spec tables[] = { { "Person", 0, 7, person },
                                         { "Point", STRATA_TABLE_EMBEDDED, 2, point } };
    MUST(apply(f, 0, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(PERSON, strata_int(1), value_of("Ann"));
    MUST(strata_view_commit(f->view, &f->error));
}

/* ---- Queries ---------------------------------------------------------- */

static strata_status run(fixture *f, strata_query query) {
    strata_keys keys;
    uint64_t count;
    strata_query_cursor *cursor;
    query.size = sizeof query;
    strata_status status = strata_query_run(f->view, &query, &keys, NULL, &f->error);
    CHECK_EQ(strata_query_count(f->view, &query, &count, NULL, NULL), status);
    CHECK_EQ(strata_query_check(f->view, &query, NULL), status);
    CHECK_EQ(strata_query_open(f->view, &query, &cursor, NULL), status);
    if (status == STRATA_OK) {
        strata_keys_free(&keys);
        strata_query_close(cursor);
    }
    return status;
}

static strata_status run_stage(fixture *f, strata_stage stage, const strata_bookmark *after) {
    return run(f, (strata_query){ .stages = &stage, .stage_count = 1, .after = after });
}

static strata_status run_node(fixture *f, strata_node node) {
    return run(f, (strata_query){ .nodes = &node, .node_count = 1 });
}

static strata_status no_nodes(fixture *f) { return run(f, (strata_query){ .node_count = 1 }); }
static strata_status no_stages(fixture *f) { return run(f, (strata_query){ .stage_count = 1 }); }
static strata_status no_source_keys(fixture *f) {
    return run(f, (strata_query){ .source = STRATA_SOURCE_KEYS, .key_count = 1 });
}
static strata_status no_sort_keys(fixture *f) {
    return run_stage(f, (strata_stage){ .kind = STRATA_STAGE_SORT, .key_count = 1 }, NULL);
}
static strata_status no_distinct_keys(fixture *f) {
    return run_stage(f, (strata_stage){ .kind = STRATA_STAGE_DISTINCT, .key_count = 1 }, NULL);
}
static strata_status no_path_of_a_sort(fixture *f) {
    const strata_sort sort = { .path_length = 1 };
    return run_stage(f, (strata_stage){ .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &sort }, NULL);
}
static strata_status no_values_of_a_bookmark(fixture *f) {
    const strata_step step = strata_step_column(NAME);
    const strata_sort sort = { .path = &step, .path_length = 1 };
    return run_stage(f, (strata_stage){ .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &sort },
                     &(strata_bookmark){ .value_count = 1, .key = 1 });
}
static strata_status no_constant(fixture *f) {
    return run_node(f, (strata_node){ .op = STRATA_EQUAL, .left = path_of(ID), .value_count = 1 });
}
static strata_status no_constants(fixture *f) {
    return run_node(f, (strata_node){ .op = STRATA_IN, .left = path_of(ID), .value_count = 3 });
}
static strata_status no_path(fixture *f) {
    const strata_value one = strata_int(1);
    return run_node(f, (strata_node){ .op = STRATA_EQUAL, .left = { .path_length = 1 }, .value_count = 1,
                                      .values = &one });
}
static strata_status no_path_on_the_right(fixture *f) {
    const strata_operand right = { .path_length = 1 };
    return run_node(f, (strata_node){ .op = STRATA_EQUAL, .left = path_of(ID), .right = &right });
}
static strata_status no_bytes_of_a_constant(fixture *f) {
    const strata_value text = strata_string(NULL, 3);
    return run_node(f, (strata_node){ .op = STRATA_EQUAL, .left = path_of(NAME), .value_count = 1, .values = &text });
}
static strata_status no_key_of_a_step(fixture *f) {
    const strata_step path[] = { strata_step_column(NOTES), { .kind = STRATA_STEP_KEY, .key = { NULL, 3 } } };
    const strata_value text = value_of("x");
    return run_node(f, (strata_node){ .op = STRATA_EQUAL, .left = { .path = path, .path_length = 2 },
                                      .value_count = 1, .values = &text });
}
static strata_status group(fixture *f, const strata_sort *keys, uint32_t key_count, const strata_measure *measures,
                           uint32_t measure_count) {
    strata_query query = strata_query_blank();
    strata_groups groups;
    return strata_query_group(f->view, &query, keys, key_count, measures, measure_count, &groups, NULL, &f->error);
}
static strata_status no_group_keys(fixture *f) { return group(f, NULL, 1, NULL, 0); }
static strata_status no_measures(fixture *f) { return group(f, NULL, 0, NULL, 1); }
static strata_status no_path_of_a_measure(fixture *f) {
    return group(f, NULL, 0, &(strata_measure){ .aggregate = STRATA_SUM, .path_length = 1 }, 1);
}
static strata_status no_nodes_of_a_selection(fixture *f) {
    strata_keys keys;
    strata_row row = row_of(f, PERSON, 1);
    return strata_collection_select(&row, TAGS, NULL, 2, &keys, &f->error);
}
static strata_status no_nodes_of_a_nested_selection(fixture *f) {
    strata_keys keys;
    strata_value list;
    strata_nested *nested = strata_nested_make();
    CHECK(nested != NULL);
    MUST(strata_nested_begin_list(nested, NULL, &f->error));
    MUST(strata_nested_end(nested, &f->error));
    MUST(strata_nested_finish(nested, &list, &f->error));
    strata_status status = strata_nested_select(f->view, PERSON, ANY, list.as.bytes, NULL, 2, &keys, &f->error);
    strata_nested_free(nested);
    return status;
}

/* ---- Predicates ------------------------------------------------------- */

static strata_status parse(fixture *f, const char *text, const strata_argument *arguments, uint32_t count) {
    strata_predicate *predicate;
    strata_status status = strata_predicate_parse(text, strlen(text), arguments, count, &predicate, &f->error);
    if (status == STRATA_OK) strata_predicate_free(predicate);
    return status;
}

static strata_status parse_shape(fixture *f, strata_shape shape) {
    return parse(f, "point IN %@", &(strata_argument){ .kind = STRATA_ARGUMENT_SHAPE, .shape = &shape }, 1);
}

static strata_status no_text(fixture *f) {
    strata_predicate *predicate;
    return strata_predicate_parse(NULL, 5, NULL, 0, &predicate, &f->error);
}
static strata_status no_arguments(fixture *f) { return parse(f, "id == 1", NULL, 2); }
static strata_status no_values_of_an_argument(fixture *f) {
    return parse(f, "id IN %@", &(strata_argument){ .kind = STRATA_ARGUMENT_LIST, .value_count = 2 }, 1);
}
static strata_status no_bytes_of_an_argument(fixture *f) {
    return parse(f, "name == %@", &(strata_argument){ .value = strata_string(NULL, 2) }, 1);
}
static strata_status no_points_of_a_box(fixture *f) {
    return parse_shape(f, (strata_shape){ .kind = STRATA_BOX, .point_count = 2 });
}
static strata_status no_points_of_a_circle(fixture *f) {
    return parse_shape(f, (strata_shape){ .kind = STRATA_CIRCLE, .point_count = 1, .radius = 1 });
}
static strata_status no_points_of_a_polygon(fixture *f) {
    const uint32_t four = 4;
    return parse_shape(f, (strata_shape){ .kind = STRATA_POLYGON, .point_count = 4, .ring_sizes = &four,
                                          .ring_count = 1 });
}
static strata_status no_rings_of_a_polygon(fixture *f) {
    const strata_geo_point points[] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 } };
    return parse_shape(f, (strata_shape){ .kind = STRATA_POLYGON, .points = points, .point_count = 4,
                                          .ring_count = 1 });
}
static strata_status resolve(fixture *f, bool values) {
    strata_predicate *predicate;
    strata_condition *condition;
    const char *text = values ? "SELF == 'x'" : "id == 1";
    MUST(strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &f->error));
    strata_status status = values ? strata_predicate_resolve_values(predicate, f->view, PERSON, TAGS, NULL, 1,
                                                                    &condition, &f->error)
                                  : strata_predicate_resolve(predicate, f->view, PERSON, NULL, 1, &condition,
                                                             &f->error);
    CHECK(condition == NULL);
    strata_predicate_free(predicate);
    return status;
}
static strata_status no_aliases(fixture *f) { return resolve(f, false); }
static strata_status no_aliases_of_values(fixture *f) { return resolve(f, true); }

/* ---- Schemas ---------------------------------------------------------- */

static strata_status apply_spec(fixture *f, strata_table_spec table) {
    table.name = "New";
    return apply(f, 1, &table, 1);
}

static strata_status no_tables(fixture *f) { return strata_schema_apply(f->view, NULL, 1, 1, &f->error); }
static strata_status no_changes(fixture *f) {
    return strata_schema_migrate(f->view, NULL, 1, NULL, 0, 1, &f->error);
}
static strata_status no_columns(fixture *f) { return apply_spec(f, (strata_table_spec){ .column_count = 2 }); }
static strata_status no_indexes(fixture *f) {
    const strata_column_spec id = column("id", STRATA_INT, 0);
    return apply_spec(f, (strata_table_spec){ .column_count = 1, .columns = &id, .index_count = 1 });
}
static strata_status no_columns_of_an_index(fixture *f) {
    const strata_column_spec id = column("id", STRATA_INT, 0);
    const strata_index_spec index = { .column_count = 2 };
    return apply_spec(f, (strata_table_spec){ .column_count = 1, .columns = &id, .indexes = &index,
                                              .index_count = 1 });
}

/* ---- Objects and collections ------------------------------------------ */

static strata_status no_values_of_an_object(fixture *f) {
    uint64_t key;
    return strata_object_create(f->view, PERSON, NULL, 2, &key, &f->error);
}
static strata_status no_bytes_of_a_value(fixture *f) {
    strata_row row = row_of(f, PERSON, 1);
    return strata_row_set(&row, NAME, &(strata_value){ .type = STRATA_STRING, .as.bytes = { NULL, 3 } }, &f->error);
}
static strata_status no_bytes_of_a_blob(fixture *f) {
    strata_row row = row_of(f, PERSON, 1);
    CHECK_EQ(strata_blob_append(&row, NAME, NULL, 3, NULL), STRATA_MISUSE);
    return strata_blob_write(&row, NAME, 0, NULL, 3, &f->error);
}
static strata_status no_tables_to_clear(fixture *f) { return strata_tables_clear(f->view, NULL, 1, &f->error); }
static strata_status no_keys_to_bind(fixture *f) {
    strata_row row;
    return strata_rows_bind(f->view, PERSON, NULL, 1, &row, &f->error);
}
static strata_status no_rows_to_bind(fixture *f) {
    const uint64_t key = 1;
    return strata_rows_bind(f->view, PERSON, &key, 1, NULL, &f->error);
}
static strata_status no_elements(fixture *f) {
    strata_row row = row_of(f, PERSON, 1);
    return strata_list_insert(&row, FRIENDS, 0, NULL, 1, &f->error);
}
static strata_status no_members(fixture *f) {
    uint64_t inserted;
    strata_row row = row_of(f, PERSON, 1);
    return strata_set_insert_all(&row, TAGS, NULL, 1, &inserted, &f->error);
}
static strata_status no_keys_of_entries(fixture *f) {
    const strata_value value = value_of("v");
    strata_row row = row_of(f, PERSON, 1);
    return strata_map_set_all(&row, NOTES, NULL, &value, 1, &f->error);
}
static strata_status no_values_of_entries(fixture *f) {
    const strata_bytes key = { "k", 1 };
    strata_row row = row_of(f, PERSON, 1);
    return strata_map_set_all(&row, NOTES, &key, NULL, 1, &f->error);
}
static strata_status no_bytes_of_a_key(fixture *f) {
    const strata_bytes key = { NULL, 1 };
    const strata_value value = value_of("v");
    strata_row row = row_of(f, PERSON, 1);
    return strata_map_set_all(&row, NOTES, &key, &value, 1, &f->error);
}
static strata_status no_room_for_snapshots(fixture *f) {
    uint32_t count;
    return strata_store_get_snapshots(f->store, NULL, 1, &count, &f->error);
}

/* ---- The table -------------------------------------------------------- */

static const struct {
    const char *name;
    strata_status (*call)(fixture *f);
    strata_status expected;
} cases[] = {
#define CASE(name) { #name, name, STRATA_MISUSE }
    CASE(no_nodes), CASE(no_stages), CASE(no_source_keys), CASE(no_sort_keys), CASE(no_distinct_keys),
    CASE(no_path_of_a_sort), CASE(no_values_of_a_bookmark), CASE(no_constant), CASE(no_constants), CASE(no_path),
    CASE(no_path_on_the_right), CASE(no_bytes_of_a_constant), CASE(no_key_of_a_step), CASE(no_group_keys),
    CASE(no_measures), CASE(no_path_of_a_measure), CASE(no_nodes_of_a_selection),
    CASE(no_nodes_of_a_nested_selection), CASE(no_text), CASE(no_arguments), CASE(no_values_of_an_argument),
    CASE(no_bytes_of_an_argument), CASE(no_points_of_a_box), CASE(no_points_of_a_circle),
    CASE(no_points_of_a_polygon), CASE(no_rings_of_a_polygon), CASE(no_aliases), CASE(no_aliases_of_values),
    CASE(no_values_of_an_object), CASE(no_bytes_of_a_value), CASE(no_bytes_of_a_blob), CASE(no_tables_to_clear),
    CASE(no_keys_to_bind), CASE(no_rows_to_bind), CASE(no_elements), CASE(no_members), CASE(no_keys_of_entries),
    CASE(no_values_of_entries), CASE(no_bytes_of_a_key), CASE(no_room_for_snapshots), CASE(no_tables),
    CASE(no_changes),
    { "no_columns", no_columns, STRATA_INVALID_SCHEMA },
    { "no_indexes", no_indexes, STRATA_INVALID_SCHEMA },
    { "no_columns_of_an_index", no_columns_of_an_index, STRATA_INVALID_SCHEMA },
};

/* Schemas are applied outside of a write, everything else is refused inside of one, too. */
void test_missing_arrays_are_refused(void) {
    fixture *f = fixture_open_memory();
    fill(f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool schema = cases[i].expected == STRATA_INVALID_SCHEMA || cases[i].call == no_tables ||
                      cases[i].call == no_changes;
        if (!schema) MUST(strata_view_begin(f->view, &f->error));
        f->error = (strata_error){ .status = STRATA_OK };
        strata_status status = cases[i].call(f);
        if (status != cases[i].expected || f->error.status != status ||
            strstr(f->error.message, "without an address") == NULL) {
            char text[700];
            snprintf(text, sizeof text, "%s: %s: %s", cases[i].name, strata_status_name(status), f->error.message);
            ctest_fail(__FILE__, __LINE__, text);
        }
        strata_view_cancel(f->view);
    }
    CHECK_EQ(table_size(f, PERSON), 1);
    verify(f);
    fixture_close(f);
}
