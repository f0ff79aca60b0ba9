/* SPDX-License-Identifier: MIT
 * test_query.c -- random queries against plain C, and what queries cost and say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/tree.h"
#include "support/prepared_support.h"
#include "support/query_model.h"
#include "table/view.h"

/* ---- Random queries --------------------------------------------------- */

enum { MOST_NODES = 40, MOST_VALUES = 200, MOST_PATHS = 200 };

/* A query with the memory it points to. */
typedef struct random_query {
    strata_query query;
    strata_node nodes[MOST_NODES];
    strata_value values[MOST_VALUES];
    strata_step paths[MOST_PATHS];
    strata_sort sorts[3];
    strata_stage stages[2];
    uint32_t value_count, path_count;
} random_query;

static uint64_t below(query_model *m, uint64_t limit) { return ctest_random(&m->random) % limit; }

static strata_operator random_operator(query_model *m, strata_type type) {
    static const strata_operator all[] = {
        STRATA_EQUAL, STRATA_NOT_EQUAL, STRATA_IN, /* 3 */
        STRATA_LESS, STRATA_LESS_EQUAL, STRATA_GREATER, STRATA_GREATER_EQUAL, /* 7 */
        STRATA_BETWEEN, /* 8 */
        STRATA_BEGINS_WITH, STRATA_ENDS_WITH, STRATA_CONTAINS,
    };
    switch (type) {
    case STRATA_BOOL:
    case STRATA_LINK: return all[below(m, 3)];
    case STRATA_UUID:
    case STRATA_OBJECT_ID: return all[below(m, 7)];
    case STRATA_STRING: {
        uint64_t r = below(m, 10);
        return all[r < 7 ? r : r + 1];
    }
    case STRATA_DATA: {
        uint64_t r = below(m, 6);
        return all[r < 3 ? r : r + 5];
    }
    default: return all[below(m, 8)];
    }
}

/* Appends a path that ends in a column of a single value or, now and then, in the list. */
static const strata_step *random_path(query_model *m, random_query *r, uint32_t table, bool lists, uint32_t *length,
                                   uint32_t *last_table) {
    strata_step *path = r->paths + r->path_count;
    *length = 0;
    for (;;) {
        uint32_t columns = table == DOG ? DOG_COLUMNS : lists ? COLUMNS : FRIENDS;
        uint32_t column = (uint32_t)below(m, columns);
        bool link = model_type(table, column) == STRATA_LINK;
        path[(*length)++] = strata_step_column(column);
        *last_table = table;
        if (!link) break;
        if (lists && (*length == 4 || below(m, 2) == 0)) break;
        if (!lists && *length == 4) {
            path[*length - 1].column = 0; /* a sort cannot end in a link */
            break;
        }
        table = table == DOG ? PERSON : column == PET ? DOG : table;
    }
    r->path_count += *length;
    return path;
}

static void random_comparison(query_model *m, random_query *r, strata_node *node) {
    uint32_t table;
    memset(node, 0, sizeof *node);
    node->left.path = random_path(m, r, r->query.table, true, &node->left.path_length, &table);
    uint32_t column = node->left.path[node->left.path_length - 1].column;
    strata_type type = model_type(table, column);
    node->op = random_operator(m, type);
    node->value_count = node->op == STRATA_BETWEEN ? 2 : node->op == STRATA_IN ? (uint32_t)below(m, 5) : 1;
    node->values = r->values + r->value_count;
    for (uint32_t i = 0; i < node->value_count; i++) {
        strata_value value = model_value(m, type);
        if (type == STRATA_LINK && below(m, 4) != 0) {
            uint32_t target = table == DOG ? PERSON : column == PET ? DOG : table;
            value = strata_link(m->tables[target].rows[below(m, m->tables[target].count)].key);
        }
        r->values[r->value_count++] = value;
    }
    bool may_fold = type == STRATA_STRING && (node->op < STRATA_LESS || node->op > STRATA_GREATER_EQUAL);
    if (may_fold && below(m, 4) == 0) node->options = STRATA_CASE_INSENSITIVE;
}

static void random_condition(query_model *m, random_query *r, uint32_t depth) {
    strata_node *node = &r->nodes[r->query.node_count++];
    uint64_t kind = below(m, 10);
    memset(node, 0, sizeof *node);
    if (depth < 4 && r->query.node_count < MOST_NODES - 10 && kind < (depth == 0 ? 6 : 4)) {
        node->op = kind % 3 == 0 ? STRATA_OR : kind == 4 ? STRATA_NOT : STRATA_AND;
        node->children = node->op == STRATA_NOT ? 0 : (uint32_t)below(m, 4);
        uint32_t children = node->op == STRATA_NOT ? 1 : node->children;
        for (uint32_t i = 0; i < children; i++) random_condition(m, r, depth + 1);
    } else if (kind == 9 && below(m, 8) == 0) {
        node->op = below(m, 2) == 0 ? STRATA_TRUE : STRATA_FALSE;
    } else {
        random_comparison(m, r, node);
    }
}

static void add_sort(random_query *r, uint32_t count) {
    if (count == 0) return;
    r->query.stages = r->stages;
    r->stages[r->query.stage_count++] =
        (strata_stage){ .kind = STRATA_STAGE_SORT, .key_count = count, .keys = r->sorts };
}

static void add_limit(random_query *r, uint64_t limit) {
    r->query.stages = r->stages;
    r->stages[r->query.stage_count++] = (strata_stage){ .kind = STRATA_STAGE_LIMIT, .limit = limit };
}

static void make_query(query_model *m, random_query *r) {
    memset(r, 0, sizeof *r);
    strata_query *q = &r->query;
    q->size = sizeof *q;
    q->table = (uint32_t)below(m, 2);
    q->nodes = r->nodes;
    uint64_t source = below(m, 8);
    if (source == 0) {
        q->source = STRATA_SOURCE_LIST;
        q->origin_table = q->table;
        q->origin_column = FRIENDS;
        q->key = m->tables[q->table].rows[below(m, m->tables[q->table].count)].key;
    } else if (source == 1) {
        q->source = STRATA_SOURCE_BACKLINKS;
        q->origin_table = q->table;
        q->origin_column = below(m, 2) == 0 ? FRIENDS : PET;
        uint32_t target = q->origin_column == PET ? (uint32_t)DOG : q->table;
        q->key = m->tables[target].rows[below(m, m->tables[target].count)].key;
    }
    if (below(m, 8) != 0) random_condition(m, r, 0);
    uint32_t sort_count = (uint32_t)(below(m, 3) == 0 ? 1 + below(m, 3) : 0);
    for (uint32_t i = 0; i < sort_count; i++) {
        uint32_t table;
        r->sorts[i].path = random_path(m, r, q->table, false, &r->sorts[i].path_length, &table);
        r->sorts[i].descending = below(m, 2) != 0;
    }
    add_sort(r, sort_count);
    if (below(m, 4) == 0) add_limit(r, below(m, 40));
}

static void check_query(query_model *m, const strata_query *q) {
    strata_keys keys;
    strata_query_stats stats;
    size_t expected;
    uint64_t count;
    uint64_t *answer = model_answer(m, q, &expected);
    model_must(m, strata_query_check(m->view, q, &m->error));
    model_must(m, strata_query_run(m->view, q, &keys, &stats, &m->error));
    CHECK(stats.plan[0] != 0 && strlen(stats.plan) < sizeof stats.plan);
    if (keys.count != expected || (expected != 0 && memcmp(keys.data, answer, expected * sizeof *answer) != 0)) {
        char text[400];
        snprintf(text, sizeof text, "%zu objects expected, %zu found by: %s", expected, (size_t)keys.count, stats.plan);
        ctest_fail(__FILE__, __LINE__, text);
    }
    CHECK_EQ(stats.rows_returned, keys.count);
    check_prepared(m->view, q, &keys);
    strata_keys_free(&keys);
    model_must(m, strata_query_count(m->view, q, &count, &stats, &m->error));
    CHECK_EQ(count, expected);
    free(answer);
}

void test_query_against_a_model(void) {
    query_model m;
    random_query r;
    model_make(&m, ctest_seed(), 700);
    for (unsigned i = 0, rounds = ctest_rounds(6000); i < rounds; i++) {
        make_query(&m, &r);
        check_query(&m, &r.query);
        r.query.table ^= 1; /* the same with, or without, indexes */
        if (r.query.source == STRATA_SOURCE_TABLE) check_query(&m, &r.query);
    }
    model_free(&m);
}

/* ---- Indexes ---------------------------------------------------------- */

/* Comparisons that indexes answer, alone and together, with and without an order. */
void test_query_indexes_against_a_model(void) {
    static const uint32_t columns[] = { ID, AGE, FLAG, NAME, BORN, UID, PET, FRIENDS };
    query_model m;
    random_query r;
    model_make(&m, ctest_seed(), 1500);
    for (unsigned i = 0, rounds = ctest_rounds(4000); i < rounds; i++) {
        memset(&r, 0, sizeof r);
        strata_query *q = &r.query;
        q->size = sizeof *q;
        q->table = PERSON;
        q->nodes = r.nodes;
        q->node_count = 1 + (uint32_t)below(&m, 3);
        r.nodes[0].op = STRATA_AND;
        r.nodes[0].children = q->node_count - 1;
        uint32_t column = columns[below(&m, 8)];
        for (uint32_t n = 1; n < q->node_count; n++) {
            strata_node *node = &r.nodes[n];
            if (below(&m, 3) == 0) column = columns[below(&m, 8)];
            r.paths[n] = strata_step_column(column);
            node->left = (strata_operand){ .path = &r.paths[n], .path_length = 1 };
            strata_type type = model_type(PERSON, column);
            node->op = random_operator(&m, type);
            node->value_count = node->op == STRATA_BETWEEN ? 2 : node->op == STRATA_IN ? (uint32_t)below(&m, 4) : 1;
            node->values = r.values + r.value_count;
            for (uint32_t v = 0; v < node->value_count; v++) {
                strata_value value = model_value(&m, type);
                const model_table *target = &m.tables[column == PET ? DOG : PERSON];
                if (type == STRATA_LINK) value = strata_link(target->rows[below(&m, 30)].key);
                r.values[r.value_count++] = value;
            }
        }
        uint32_t sorted = below(&m, 2) == 0 ? column : columns[below(&m, 6)];
        if (sorted != PET && sorted != FRIENDS && below(&m, 2) == 0) {
            r.sorts[0] = (strata_sort){ &r.paths[MOST_PATHS - 1], 1, below(&m, 2) != 0 };
            r.paths[MOST_PATHS - 1] = strata_step_column(sorted);
            add_sort(&r, 1);
        }
        if (below(&m, 4) == 0) add_limit(&r, below(&m, 40));
        check_query(&m, q);
    }
    model_free(&m);
}

/* ---- Costs ------------------------------------------------------------ */

enum { ROWS = 20000 };

/* A table of numbers: id (primary), age (indexed, 0 to 99), score, name. */
static void make_numbers(strata_store **store, strata_view **view) {
    strata_error error;
    strata_config config = { .size = sizeof config, .path = ctest_path("numbers") };
    strata_column_spec columns[] = {
        { "id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
        { "age", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
        { "score", STRATA_DOUBLE, STRATA_SINGLE, 0, NULL },
        { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
    };
    strata_table_spec table = { "Person", 0, 4, columns };
    CHECK_EQ(strata_store_open(&config, store, &error), STRATA_OK);
    CHECK_EQ(strata_view_open(*store, view, &error), STRATA_OK);
    CHECK_EQ(strata_schema_apply(*view, &table, 1, 1, &error), STRATA_OK);
    CHECK_EQ(strata_view_begin(*view, &error), STRATA_OK);
    for (int i = 0; i < ROWS; i++) {
        char name[20];
        uint64_t key;
        int size = snprintf(name, sizeof name, "Person %05d", i);
        strata_value values[] = { strata_int(i * 3), strata_int(i % 100), strata_double(i),
                                  strata_string(name, (size_t)size) };
        CHECK_EQ(strata_object_create(*view, 0, values, 4, &key, &error), STRATA_OK);
    }
    CHECK_EQ(strata_view_commit(*view, &error), STRATA_OK);
}

static const strata_step id_path[] = { { .column = 0 } }, age_path[] = { { .column = 1 } };
static const strata_step score_path[] = { { .column = 2 } }, name_path[] = { { .column = 3 } };

static strata_node comparison(const strata_step *path, strata_operator op, const strata_value *values, uint32_t count) {
    strata_operand left = { .path = path, .path_length = 1 };
    return (strata_node){ .op = op, .left = left, .value_count = count, .values = values };
}

static uint64_t count_of(strata_view *view, const strata_node *nodes, uint32_t count, strata_query_stats *stats) {
    strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = count };
    uint64_t found;
    strata_error error;
    CHECK_EQ(strata_query_count(view, &query, &found, stats, &error), STRATA_OK);
    return found;
}

void test_query_costs_and_plans(void) {
    strata_store *store;
    strata_view *view;
    strata_query_stats stats;
    make_numbers(&store, &view);

    strata_value age = strata_int(42), ages[] = { strata_int(20), strata_int(29) }, score = strata_double(19000);
    strata_node node = comparison(age_path, STRATA_EQUAL, &age, 1);
    CHECK_EQ(count_of(view, &node, 1, &stats), ROWS / 100);
    CHECK_EQ(stats.rows_visited, 0);
    CHECK_EQ(stats.entries_visited, 0);
    CHECK_TEXT(stats.plan, "index age = 42");

    node = comparison(age_path, STRATA_BETWEEN, ages, 2);
    CHECK_EQ(count_of(view, &node, 1, &stats), ROWS / 10);
    CHECK_EQ(stats.rows_visited, 0);
    CHECK_TEXT(stats.plan, "index age between 20 and 29");

    strata_node both[] = { { .op = STRATA_AND, .children = 2 }, comparison(score_path, STRATA_GREATER, &score, 1),
                           comparison(age_path, STRATA_EQUAL, &age, 1) };
    CHECK_EQ(count_of(view, both, 3, &stats), 10);
    CHECK_EQ(stats.rows_visited, ROWS / 100);
    CHECK_EQ(stats.entries_visited, ROWS / 100);
    CHECK_TEXT(stats.plan, "index age = 42, then filter score > 19000");

    strata_node ranges[] = { { .op = STRATA_AND, .children = 2 },
                             comparison(age_path, STRATA_GREATER_EQUAL, &ages[0], 1),
                             comparison(age_path, STRATA_LESS, &ages[1], 1) };
    CHECK_EQ(count_of(view, ranges, 3, &stats), ROWS / 100 * 9);
    CHECK_EQ(stats.rows_visited, 0);
    CHECK_TEXT(stats.plan, "index age >= 20 and age < 29");

    node = comparison(score_path, STRATA_GREATER, &score, 1);
    CHECK_EQ(count_of(view, &node, 1, &stats), ROWS - 19001);
    CHECK_EQ(stats.rows_visited, ROWS);
    CHECK_TEXT(stats.plan, "scan Person, filter score > 19000");

    strata_value id = strata_int(300), begin = strata_string("Person 012", 10), small = strata_int(30);
    node = comparison(id_path, STRATA_EQUAL, &id, 1);
    CHECK_EQ(count_of(view, &node, 1, &stats), 1);
    CHECK_EQ(stats.rows_visited, 0);
    node = comparison(name_path, STRATA_BEGINS_WITH, &begin, 1);
    CHECK_EQ(count_of(view, &node, 1, &stats), 100);
    CHECK_EQ(stats.rows_visited, 0);
    CHECK_TEXT(stats.plan, "index name begins with \"Person 012\"");
    node = comparison(id_path, STRATA_LESS, &small, 1);
    CHECK_EQ(count_of(view, &node, 1, &stats), 10);
    CHECK_EQ(count_of(view, NULL, 0, &stats), ROWS);
    CHECK_EQ(stats.rows_visited, 0);
    CHECK_TEXT(stats.plan, "size of Person");

    strata_sort sort = { age_path, 1, true };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &sort },
                              { .kind = STRATA_STAGE_LIMIT, .limit = 10 } };
    strata_query query = { .size = sizeof query, .stages = stages, .stage_count = 2 };
    strata_keys keys;
    strata_error error;
    CHECK_EQ(strata_query_run(view, &query, &keys, &stats, &error), STRATA_OK);
    CHECK_EQ(keys.count, 10);
    for (uint64_t i = 0; i < keys.count; i++) CHECK_EQ(keys.data[i], 100 * (i + 1));
    CHECK_EQ(stats.rows_visited, 0);
    CHECK(stats.entries_visited <= ROWS / 100 + 1);
    CHECK_EQ(stats.rows_returned, 10);
    strata_keys_free(&keys);
    query.stages = stages + 1;
    query.stage_count = 1;
    CHECK_EQ(strata_query_run(view, &query, &keys, &stats, &error), STRATA_OK);
    CHECK_EQ(keys.count, 10);
    strata_keys_free(&keys);
    strata_view_close(view);
    strata_store_close(store);
}

/* ---- Refusals --------------------------------------------------------- */

static void refuse(strata_view *view, strata_node node, strata_status expected, const char *message) {
    strata_query query = { .size = sizeof query, .nodes = &node, .node_count = 1 };
    strata_error error;
    strata_keys keys = { (uint64_t *)8, 8 };
    uint64_t count = 5;
    CHECK_EQ(strata_query_check(view, &query, &error), expected);
    CHECK_TEXT(error.message, message);
    CHECK_EQ(strata_query_run(view, &query, &keys, NULL, NULL), expected);
    CHECK(keys.data == NULL && keys.count == 0);
    CHECK_EQ(strata_query_count(view, &query, &count, NULL, NULL), expected);
    CHECK_EQ(count, 0);
}

void test_query_refuses_nonsense(void) {
    strata_store *store;
    strata_view *view;
    make_numbers(&store, &view);
    strata_value text = strata_string("5", 1), number = strata_int(5);
    strata_value two[] = { strata_string("a", 1), strata_string("b", 1) };
    static const strata_step missing[] = { { .column = 9 } }, through[] = { { .column = 1 }, { .column = 0 } };

    refuse(view, comparison(age_path, STRATA_EQUAL, &text, 1), STRATA_TYPE,
           "age of Person is an int; compared with a string");
    refuse(view, comparison(name_path, STRATA_LESS, &number, 1), STRATA_TYPE,
           "name of Person is a string; compared with an int");
    refuse(view, comparison(age_path, STRATA_CONTAINS, &number, 1), STRATA_TYPE,
           "age of Person is an int, which cannot be compared with CONTAINS");
    refuse(view, comparison(name_path, STRATA_BETWEEN, two, 2), STRATA_TYPE,
           "name of Person is a string, which cannot be compared with BETWEEN");
    refuse(view, comparison(age_path, STRATA_EQUAL, &number, 2), STRATA_MISUSE,
           "age of Person is compared with =, which takes 1 value, not 2");
    refuse(view, comparison(missing, STRATA_EQUAL, &number, 1), STRATA_MISUSE, "Person has no column 9");
    strata_node node = comparison(through, STRATA_EQUAL, &number, 1);
    node.left.path_length = 2;
    refuse(view, node, STRATA_TYPE, "age of Person holds int values; a path goes on only through links");
    node = comparison(name_path, STRATA_LESS, &text, 1);
    node.options = STRATA_CASE_INSENSITIVE;
    refuse(view, node, STRATA_TYPE, "name of Person, a string: upper and lower case cannot be ignored with <");
    refuse(view, (strata_node){ .op = STRATA_NOT }, STRATA_MISUSE, "a condition of 1 nodes ends before its last child");
    refuse(view, (strata_node){ .op = (strata_operator)77 }, STRATA_MISUSE, "77 is no operator of a condition");

    static strata_node deep[1000];
    for (int i = 0; i < 1000; i++) deep[i] = (strata_node){ .op = i < 999 ? STRATA_NOT : STRATA_TRUE };
    strata_query query = { .size = sizeof query, .nodes = deep, .node_count = 1000 };
    strata_error error;
    uint64_t count;
    CHECK_EQ(strata_query_count(view, &query, &count, NULL, &error), STRATA_MISUSE);
    query.nodes = deep + 1000 - 150;
    query.node_count = 150;
    CHECK_EQ(strata_query_count(view, &query, &count, NULL, &error), STRATA_OK);
    CHECK_EQ(count, 0); /* not, 149 times */
    query.size = 8;
    CHECK_EQ(strata_query_count(view, &query, &count, NULL, &error), STRATA_MISUSE);
    strata_view_close(view);
    strata_store_close(store);
}

/* ---- Damage ----------------------------------------------------------- */

/* Changes some bytes of a random block of rows, in the open write. */
static void damage_block(query_model *m) {
    uint8_t from[8], name[8], copy[70000];
    strata_bytes key, value;
    strata_bytes start = st_row_tree_key(from, (uint32_t)below(m, TABLES), below(m, 900));
    strata_status status = st_tree_seek(m->view->txn, ST_ROWS, start, &key, &value, &m->error);
    if (status != STRATA_OK || value.size > sizeof copy || key.size != sizeof name) return;
    memcpy(name, key.data, sizeof name);
    memcpy(copy, value.data, value.size);
    for (uint64_t hits = 1 + below(m, 4); hits > 0; hits--) {
        uint64_t place = below(m, 3) == 0 ? below(m, 100) : below(m, value.size);
        copy[place] = (uint8_t)ctest_random(&m->random);
    }
    strata_bytes damaged = { copy, below(m, 10) == 0 ? 1 + below(m, value.size) : value.size };
    model_must(m, st_tree_put(m->view->txn, ST_ROWS, (strata_bytes){ name, 8 }, damaged, &m->error));
    st_view_trees_moved(m->view);
}

/* Whatever the blocks say, a query answers or refuses, and reads nothing that is not its own. */
void test_query_survives_damage(void) {
    query_model m;
    random_query r;
    uint64_t corrupt = 0;
    model_make(&m, ctest_seed(), 300);
    if (strata_view_is_writing(m.view)) model_must(&m, strata_view_commit(m.view, &m.error));
    for (int round = 0; round < 300; round++) {
        model_must(&m, strata_view_begin(m.view, &m.error));
        for (uint64_t n = 1 + below(&m, 3); n > 0; n--) damage_block(&m);
        for (int i = 0; i < 20; i++) {
            strata_keys keys;
            uint64_t count;
            make_query(&m, &r);
            strata_status status = strata_query_run(m.view, &r.query, &keys, NULL, &m.error);
            CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
            corrupt += status == STRATA_CORRUPT;
            strata_keys_free(&keys);
            status = strata_query_count(m.view, &r.query, &count, NULL, &m.error);
            CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
        }
        strata_view_cancel(m.view);
    }
    CHECK(corrupt > 0);
    model_free(&m);
}

/* Blocks of many narrow rows: their first column begins nearer to the start than bitmaps, if it had any, would reach. */
void test_query_narrow_rows(void) {
    static const strata_column_spec columns[] = { { "name", STRATA_STRING, STRATA_SINGLE, 0, NULL },
                                                  { "age", STRATA_INT, STRATA_SINGLE, 0, NULL } };
    static const strata_table_spec tables[] = { { "Narrow", 0, 2, columns } };
    static const strata_step name = { .column = 0 }, age = { .column = 1 };
    strata_error error = { .status = STRATA_OK };
    strata_config config = { .size = sizeof config, .memory_name = ctest_path("narrow") };
    strata_store *store;
    strata_view *view;
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_OK);
    CHECK_EQ(strata_view_open(store, &view, &error), STRATA_OK);
    CHECK_EQ(strata_schema_apply(view, tables, 1, 0, &error), STRATA_OK);
    for (uint64_t rows = 1; rows <= 2000; rows++) {
        char text[8];
        uint64_t key, count;
        int length = snprintf(text, sizeof text, "d%d", (int)(rows - 1));
        strata_value values[] = { strata_string(text, (size_t)length), strata_int((int64_t)(rows - 1)) };
        CHECK_EQ(strata_view_begin(view, &error), STRATA_OK);
        CHECK_EQ(strata_object_create(view, 0, values, 2, &key, &error), STRATA_OK);
        CHECK_EQ(strata_view_commit(view, &error), STRATA_OK);
        if (rows % 16 != 0) continue;
        strata_value prefix = strata_string("d", 1), half = strata_int((int64_t)(rows / 2));
        strata_node nodes[] = {
            { .op = STRATA_AND, .children = 2 },
            comparison(&name, STRATA_BEGINS_WITH, &prefix, 1),
            comparison(&age, STRATA_LESS, &half, 1),
        };
        strata_sort sort = { .path = &name, .path_length = 1, .descending = true };
        strata_stage stage = { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &sort };
        strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = 3, .stages = &stage,
                               .stage_count = 1 };
        CHECK_EQ(strata_query_count(view, &query, &count, NULL, &error), STRATA_OK);
        CHECK_EQ(count, rows / 2);
        strata_keys keys;
        CHECK_EQ(strata_query_run(view, &query, &keys, NULL, &error), STRATA_OK);
        CHECK_EQ(keys.count, rows / 2);
        strata_keys_free(&keys);
    }
    strata_view_close(view);
    strata_store_close(store);
}
