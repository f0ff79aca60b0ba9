/* SPDX-License-Identifier: MIT
 * test_stage_misuse.c -- stages, bookmarks and measures that are refused (107, 113), and what happens where memory runs
 * out. */
#include <errno.h>

#include "strata_facet.h"
#include "support/faults.h"
#include "support/stage_model.h"

static const strata_step name_path[] = { { .column = NAME } }, parts_path[] = { { .column = PARTS } };
static const strata_step next_path[] = { { .column = NEXT } }, through_parts[] = { { .column = PARTS },
                                                                                   { .column = ID } };
static const strata_step unknown_path[] = { { .column = 99 } }, links_path[] = { { STRATA_STEP_BACKLINKS, 0, NEXT, 0,
                                                                                   { 0 } } };
static const strata_step through_name[] = { { .column = NAME }, { .column = ID } };
static const strata_step maker_path[] = { { .column = MADE_BY }, { .column = MAKER_NAME } };

static void refuse_stage(fixture *f, strata_stage_kind kind, const strata_step *path, uint32_t length,
                         strata_status status, const char *words) {
    strata_sort key = { path, length, false };
    strata_stage stage = { .kind = kind, .key_count = 1, .keys = &key };
    strata_query q = { .size = sizeof q, .table = THING, .stages = &stage, .stage_count = 1 };
    strata_keys keys;
    uint64_t count;
    REFUSED(strata_query_check(f->view, &q, &f->error), status, words);
    REFUSED(strata_query_run(f->view, &q, &keys, NULL, &f->error), status, words);
    REFUSED(strata_query_count(f->view, &q, &count, NULL, &f->error), status, words);
}

/* 107: paths of sorts go through to-one links to one value. */
void test_stage_refuses_paths(void) {
    stage_model m;
    stage_model_make(&m, 1, 10, false);
    fixture *f = m.f;
    for (int kind = STRATA_STAGE_SORT; kind <= STRATA_STAGE_DISTINCT; kind++) {
        strata_stage_kind k = (strata_stage_kind)kind;
        refuse_stage(f, k, parts_path, 1, STRATA_TYPE, "parts of Thing is a list");
        refuse_stage(f, k, through_parts, 2, STRATA_TYPE, "parts of Thing is a list");
        refuse_stage(f, k, through_name, 2, STRATA_TYPE, "goes on only through links");
        refuse_stage(f, k, links_path, 1, STRATA_TYPE, "more than to-one links");
        refuse_stage(f, k, unknown_path, 1, STRATA_MISUSE, "Thing has no column 99");
        refuse_stage(f, k, name_path, 0, STRATA_MISUSE, "names no column");
    }
    refuse_stage(f, STRATA_STAGE_SORT, next_path, 1, STRATA_TYPE, "next of Thing is a link");
    refuse_stage(f, (strata_stage_kind)7, name_path, 1, STRATA_MISUSE, "7 is no stage");
    strata_query q = { .size = sizeof q, .table = THING, .stage_count = 2 };
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "2 stages without an address");
    strata_stage stage = { .kind = STRATA_STAGE_DISTINCT, .key_count = 3 };
    q.stages = &stage;
    q.stage_count = 1;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "distinct has 3 keys without an address");
    q = (strata_query){ .size = sizeof q, .table = THING, .source = STRATA_SOURCE_KEYS, .key_count = 4 };
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "4 keys of Thing");
    stage_model_free(&m);
}

/* A bookmark belongs to one sort of a whole table. */
void test_stage_refuses_bookmarks(void) {
    stage_model m;
    stage_model_make(&m, 1, 10, false);
    fixture *f = m.f;
    strata_value text = strata_string("a", 1), number = strata_int(1);
    strata_bookmark place = { &number, 1, 1 };
    strata_sort key = { name_path, 1, false };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &key },
                              { .kind = STRATA_STAGE_LIMIT, .limit = 5 },
                              { .kind = STRATA_STAGE_DISTINCT, .key_count = 1, .keys = &key } };
    strata_query q = { .size = sizeof q, .table = THING, .stages = stages, .stage_count = 2, .after = &place };
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_TYPE, "name", "is a string", "has an int");
    place.values = &text;
    MUST(strata_query_check(f->view, &q, &f->error));
    number = (strata_value){ .type = STRATA_LINK }; /* nothing: only a path through links leads there */
    place.values = &number;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_TYPE, "name", "is a string", "has a link");
    place.values = &text;
    place.value_count = 2;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "2 values for an order of 1 keys");
    place.value_count = 1;
    place.key = 0;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "object key 0");
    place.key = UINT64_MAX;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "which no object has");
    place.key = 1;
    q.stage_count = 3;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "one sort and one limit");
    q.stage_count = 2;
    stages[1] = stages[0];
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "one sort and one limit");
    q.stage_count = 1;
    q.source = STRATA_SOURCE_KEYS;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_MISUSE, "all of a table");
    stage_model_free(&m);
}

/* 113: a measure that a column does not have. */
void test_stage_refuses_measures(void) {
    stage_model m;
    stage_model_make(&m, 1, 10, false);
    fixture *f = m.f;
    strata_query q = { .size = sizeof q, .table = THING };
    strata_groups groups;
    static const strata_step flag = { .column = FLAG }, born = { .column = BORN }, uid = { .column = UID };
    const strata_measure wrong[] = { { STRATA_SUM, name_path, 1 }, { STRATA_MIN, name_path, 1 }, { STRATA_SUM, &born,
                                                                                                   1 },
                                       { STRATA_AVERAGE, &born, 1 }, { STRATA_MAX, &flag, 1 }, { STRATA_MIN, &uid, 1 },
                                       { STRATA_SUM, next_path, 1 }, { STRATA_SUM, maker_path, 2 },
                                       { STRATA_EACH_VALUE, &born, 1 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(strata_query_group(f->view, &q, NULL, 0, &wrong[i], 1, &groups, NULL, &f->error), STRATA_TYPE,
                "have no");
        CHECK(groups.count == 0 && groups.memory == NULL);
    }
    strata_measure parts = { STRATA_COUNT, parts_path, 1 }, nothing = { STRATA_SUM, NULL, 0 };
    REFUSED(strata_query_group(f->view, &q, NULL, 0, &parts, 1, &groups, NULL, &f->error), STRATA_TYPE,
            "parts of Thing");
    REFUSED(strata_query_group(f->view, &q, NULL, 0, &nothing, 1, &groups, NULL, &f->error), STRATA_MISUSE,
            "no column");
    REFUSED(strata_query_group(f->view, &q, NULL, 2, NULL, 0, &groups, NULL, &f->error), STRATA_MISUSE,
            "without an address");
    stage_model_free(&m);
}

/* What a facet cannot be asked for. */
void test_stage_refuses_facets(void) {
    stage_model m;
    stage_model_make(&m, 1, 10, false);
    fixture *f = m.f;
    strata_query q = { .size = sizeof q, .table = THING };
    strata_facet_options options = strata_facet_options_blank();
    strata_facet facet;
    REFUSED(strata_query_facet(f->view, &q, parts_path, 1, &options, &facet, &f->error), STRATA_TYPE,
            "parts of Thing");
    REFUSED(strata_query_facet(f->view, &q, NULL, 0, &options, &facet, &f->error), STRATA_MISUSE, "Thing");
    REFUSED(strata_query_facet(f->view, &q, name_path, 1, NULL, &facet, &f->error), STRATA_MISUSE, "options_blank");
    options.most_values = 1001;
    REFUSED(strata_query_facet(f->view, &q, name_path, 1, &options, &facet, &f->error), STRATA_MISUSE,
            "1001 values and 0 bins; there may be 1000 of each");
    options.size = 1 << 30;
    REFUSED(strata_query_facet(f->view, &q, name_path, 1, &options, &facet, &f->error), STRATA_MISUSE,
            "options_blank");
    CHECK(facet.value_count == 0 && facet.memory == NULL);
    strata_facet_free(&facet);
    strata_facet_free(NULL);
    stage_model_free(&m);
}

/* ---- Memory ----------------------------------------------------------- */

/* Does one thing with queries; each `what` another one. */
static strata_status ask(stage_model *m, int what, uint64_t *checksum) {
    static const strata_step count_path[] = { { .column = COUNT } }, price_path[] = { { .column = PRICE } };
    static const strata_step any_path[] = { { .column = ANY } };
    fixture *f = m->f;
    strata_value low = strata_int(0), text = strata_string("ab", 2);
    strata_sort keys[] = { { count_path, 1, true }, { maker_path, 2, false }, { any_path, 1, false }, { name_path, 1,
                                                                                                        true } };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 3, .keys = keys },
                              { .kind = STRATA_STAGE_DISTINCT, .key_count = 2, .keys = keys + 1 },
                              { .kind = STRATA_STAGE_LIMIT, .skip = 1, .limit = 40 },
                              { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = keys + 3 } };
    strata_measure measures[] = { { STRATA_SUM, price_path, 1 }, { STRATA_MAX, count_path, 1 }, { STRATA_COUNT, NULL,
                                                                                                  0 } };
    strata_operand count = { .path = count_path, .path_length = 1 }, maker = { .path = maker_path, .path_length = 2 };
    strata_node nodes[] = { { .op = STRATA_OR, .children = 2 },
                            { .op = STRATA_GREATER, .left = count, .value_count = 1, .values = &low },
                            { .op = STRATA_EQUAL, .left = maker, .value_count = 1, .values = &text } };
    strata_query q = { .size = sizeof q, .table = THING, .stages = stages, .stage_count = (uint32_t)what % 5 };
    strata_keys found = { NULL, 0 };
    strata_groups groups = { 0 };
    strata_status status;
    if (what % 2 == 0) q.nodes = nodes, q.node_count = 3;
    *checksum = 0;
    if (what < 10) {
        status = strata_query_run(f->view, &q, &found, NULL, &f->error);
        for (uint64_t i = 0; i < found.count; i++) *checksum = *checksum * 31 + found.data[i];
        strata_keys_free(&found);
    } else if (what < 20) {
        status = strata_query_count(f->view, &q, checksum, NULL, &f->error);
    } else if (what >= 30) {
        strata_facet_options options = strata_facet_options_blank();
        strata_facet facet;
        options.most_values = options.most_bins = 10;
        options.most_different = what < 35 ? 0 : 5;
        const strata_sort *key = &keys[what % 2 == 0 ? 0 : 3];
        status = strata_query_facet(f->view, &q, key->path, key->path_length, &options, &facet, &f->error);
        *checksum = facet.different;
        strata_facet_free(&facet);
    } else {
        status = strata_query_group(f->view, &q, keys + 2, (uint32_t)what % 3, measures, 3, &groups, NULL, &f->error);
        *checksum = groups.count;
        strata_groups_free(&groups);
    }
    return status;
}

void test_stage_where_memory_runs_out(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    for (int indexed = 0; indexed < 2; indexed++) {
        stage_model m;
        stage_model_make(&m, 5, 200, indexed != 0);
        for (int what = 0; what < 40; what++) {
            uint64_t expected, checksum;
            CHECK_EQ(ask(&m, what, &expected), STRATA_OK);
            bool met = true;
            for (unsigned n = 1; met; n++) {
                long before = fault_blocks();
                fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
                strata_status status = ask(&m, what, &checksum);
                met = fault_clear();
                CHECK_EQ(status, met && status < 0 ? STRATA_NO_MEMORY : STRATA_OK);
                if (status == STRATA_OK) CHECK_EQ(checksum, expected);
                CHECK_EQ(fault_blocks(), before);
            }
        }
        stage_model_free(&m);
    }
}

/* The same of the values of one collection. */
void test_values_where_memory_runs_out(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    stage_model random = { .random = 3 };
    strata_column_spec columns[] = { column("any", STRATA_MIXED, 0), column("text", STRATA_STRING, 0) };
    strata_table_spec table = { .name = "Box", .column_count = 2, .columns = columns };
    fixture *f = fixture_open_memory();
    uint64_t key;
    columns[0].collection = columns[1].collection = STRATA_LIST;
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_create(f->view, 0, NULL, 0, &key, &f->error));
    strata_row row = row_of(f, 0, key);
    for (uint32_t i = 0; i < 400; i++) {
        strata_value any = model_cell(&random, THING, ANY), text;
        do text = model_cell(&random, THING, NAME);
        while (text.type == STRATA_NULL);
        MUST(strata_list_insert(&row, 0, 0, &any, 1, &f->error));
        MUST(strata_list_insert(&row, 1, 0, &text, 1, &f->error));
    }
    strata_value nested;
    strata_nested *list = strata_nested_make();
    CHECK(list != NULL);
    MUST(strata_nested_begin_list(list, NULL, &f->error));
    for (int i = 0; i < 3; i++) MUST(strata_nested_append(list, &(strata_value){ .type = STRATA_NULL }, &f->error));
    MUST(strata_nested_append(list, &(strata_value){ .type = STRATA_STRING, .as.bytes = { "Long", 4 } }, &f->error));
    MUST(strata_nested_end(list, &f->error));
    MUST(strata_nested_finish(list, &nested, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    row = row_of(f, 0, key);
    strata_step self = { .kind = STRATA_STEP_SELF };
    strata_value letter = value_of("L");
    strata_node node = { .op = STRATA_CONTAINS, .options = STRATA_CASE_INSENSITIVE,
                         .left = { .path = &self, .path_length = 1 }, .value_count = 1, .values = &letter };
    for (uint32_t what = 0; what < 6; what++) {
        bool met = true;
        for (unsigned n = 1; met; n++) {
            strata_keys keys = { NULL, 0 };
            strata_value total;
            fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
            strata_status status =
                what < 2 ? strata_collection_order(&row, what, STRATA_DISTINCT, &keys, &f->error)
                : what < 4 ? strata_collection_select(&row, what - 2, &node, 1, &keys, &f->error)
                : what < 5 ? strata_nested_select(f->view, 0, 0, nested.as.bytes, &node, 1, &keys, &f->error)
                           : strata_collection_total(&row, 0, STRATA_SUM, &total, &f->error);
            met = fault_clear();
            CHECK_EQ(status, met && status < 0 ? STRATA_NO_MEMORY : STRATA_OK);
            if (status != STRATA_OK) CHECK(keys.data == NULL);
            strata_keys_free(&keys);
        }
    }
    strata_nested_free(list);
    fixture_close(f);
}
