/* SPDX-License-Identifier: MIT
 * test_values.c -- the values of one collection: their order, what they add up to, and which of them meet a condition.
 * Statements 105, 106 and 110 to 114. */
#include <stdio.h>

#include "support/stage_model.h"

enum { MOST = 700 };

static const strata_type value_types[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING,
                                           STRATA_DATA, STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL,
                                           STRATA_MIXED };
enum { TYPES = sizeof value_types / sizeof *value_types, KINDS = 3 };

/* Values of every type in a list, a set and a map; the last column links. An object of the second table has one value
 * of every type. */
static fixture *make_boxes(void) {
    static const char *const kinds[KINDS] = { "list", "set", "map" };
    static char names[KINDS * TYPES][16];
    strata_column_spec columns[KINDS * TYPES + 1];
    for (uint32_t i = 0; i < KINDS * TYPES; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s%u", kinds[i / TYPES], i % TYPES);
        columns[i] = column(names[i], value_types[i % TYPES],
                            value_types[i % TYPES] == STRATA_MIXED ? 0 : STRATA_COLUMN_NULLABLE);
        columns[i].collection = (strata_collection)(STRATA_LIST + i / TYPES);
    }
    columns[KINDS * TYPES] = list_of("links", "Box");
    strata_column_spec single[TYPES];
    for (uint32_t i = 0; i < TYPES; i++) {
        single[i] = columns[i];
        single[i].collection = STRATA_SINGLE;
    }
    strata_table_spec tables[] = { { .name = "Box", .column_count = KINDS * TYPES + 1, .columns = columns },
                                   { .name = "Item", .column_count = TYPES, .columns = single } };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, tables, 2));
    return f;
}

/* Column of the model that has values of the type. */
static uint32_t model_column(strata_type type) {
    uint32_t c = 0;
    while (model_column_type(THING, c) != type || c == ID) c++;
    return c;
}

static void fill(fixture *f, stage_model *random, strata_row *row, uint32_t number, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        strata_value value = model_cell(random, THING, model_column(value_types[number % TYPES]));
        char key[8];
        switch (number / TYPES) {
        case 0: MUST(strata_list_insert(row, number, model_below(random, i + 1), &value, 1, &f->error)); break;
        case 1: MUST(strata_set_insert(row, number, &value, &(bool){ false }, &(uint64_t){ 0 }, &f->error)); break;
        default: {
            int size = snprintf(key, sizeof key, "%u", i);
            MUST(strata_map_set(row, number, (strata_bytes){ key, (size_t)size }, &value, &f->error));
        }
        }
    }
}

/* All values, with the bytes of long ones. Freed with their bytes by the caller. */
static size_t read_all(fixture *f, strata_row *row, uint32_t number, strata_value *values, uint8_t **bytes) {
    uint64_t count;
    MUST(strata_collection_size(row, number, &count, &f->error));
    CHECK(count <= MOST);
    for (uint64_t i = 0; i < count; i++) {
        strata_value *v = &values[i];
        bytes[i] = NULL;
        MUST(strata_collection_get(row, number, i, 1, v, &f->error));
        if (v->type != STRATA_STRING && v->type != STRATA_DATA) continue;
        size_t got, size = v->as.bytes.size;
        bytes[i] = malloc(size + 1);
        CHECK(bytes[i] != NULL);
        MUST(strata_collection_read(row, number, i, 0, bytes[i], size, &got, &f->error));
        CHECK_EQ(got, size);
        v->as.bytes.data = bytes[i];
    }
    return (size_t)count;
}

static void check_order(fixture *f, strata_row *row, uint32_t number, const strata_value *values, size_t count,
                        uint32_t options) {
    strata_keys keys;
    uint64_t expected[MOST];
    size_t kept = 0;
    bool down = (options & STRATA_DESCENDING) != 0 && (options & STRATA_UNSORTED) == 0;
    for (uint64_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && (options & STRATA_DISTINCT) != 0 && !seen; k++) {
            seen = model_compare(&values[k], &values[i]) == 0;
        }
        if (seen) continue;
        size_t at = kept++;
        for (; at > 0 && (options & STRATA_UNSORTED) == 0; at--) {
            int order = model_compare(&values[i], &values[expected[at - 1]]);
            if (down ? order <= 0 : order >= 0) break;
            expected[at] = expected[at - 1];
        }
        expected[at] = i;
    }
    MUST(strata_collection_order(row, number, options, &keys, &f->error));
    CHECK_EQ(keys.count, kept);
    for (size_t i = 0; i < kept; i++) CHECK_EQ(keys.data[i], expected[i]);
    strata_keys_free(&keys);
}

static strata_value naive_total(const strata_value *values, size_t count, strata_type type,
                                strata_aggregate aggregate) {
    strata_value least = strata_null(), greatest = least;
    strata_decimal decimal = strata_decimal_from_int64(0);
    uint64_t integer = 0, added = 0;
    double real = 0;
    bool exact = type == STRATA_DECIMAL || type == STRATA_MIXED;
    for (size_t i = 0; i < count; i++) {
        const strata_value *v = &values[i];
        bool number = v->type == STRATA_INT || v->type == STRATA_FLOAT || v->type == STRATA_DOUBLE ||
                      v->type == STRATA_DECIMAL;
        if (!number && v->type != STRATA_DATE) continue;
        if (least.type == STRATA_NULL || model_compare(v, &least) < 0) least = *v;
        if (greatest.type == STRATA_NULL || model_compare(v, &greatest) > 0) greatest = *v;
        if (!number) continue;
        added++;
        if (v->type == STRATA_INT) integer += (uint64_t)v->as.integer;
        double one = v->type == STRATA_INT ? (double)v->as.integer : v->type == STRATA_FLOAT ? (double)v->as.single
                     : v->as.real;
        real += one;
        if (!exact && type != STRATA_INT) continue;
        decimal = strata_decimal_add(decimal, v->type == STRATA_DECIMAL ? strata_decimal_load(v->as.fixed)
                                              : v->type == STRATA_INT ? strata_decimal_from_int64(v->as.integer)
                                              : v->type == STRATA_FLOAT ? strata_decimal_from_float(v->as.single)
                                                                        : strata_decimal_from_double(one));
    }
    if (aggregate == STRATA_COUNT) return strata_int((int64_t)count);
    if (aggregate == STRATA_MIN || aggregate == STRATA_MAX) return aggregate == STRATA_MIN ? least : greatest;
    if (aggregate == STRATA_SUM) {
        return exact ? strata_decimal_value(decimal) : type == STRATA_INT ? strata_int((int64_t)integer)
                                                                          : strata_double(real);
    }
    if (added == 0) return strata_null();
    strata_decimal quotient = strata_decimal_divide(decimal, strata_decimal_from_uint64(added));
    if (type == STRATA_INT) return strata_double(strata_decimal_to_double(quotient));
    return exact ? strata_decimal_value(quotient) : strata_double(real / (double)added);
}

static bool has_total(strata_type type, strata_aggregate aggregate) {
    bool number = type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DECIMAL ||
                  type == STRATA_MIXED;
    return aggregate == STRATA_COUNT || number || (type == STRATA_DATE && aggregate <= STRATA_MAX);
}

static void check_total(fixture *f, strata_row *row, uint32_t number, const strata_value *values, size_t count) {
    strata_type type = value_types[number % TYPES];
    for (int aggregate = STRATA_COUNT; aggregate <= STRATA_AVERAGE; aggregate++) {
        strata_value total, expected = naive_total(values, count, type, (strata_aggregate)aggregate);
        strata_status status = strata_collection_total(row, number, (strata_aggregate)aggregate, &total, &f->error);
        if (!has_total(type, (strata_aggregate)aggregate)) {
            CHECK_EQ(status, STRATA_TYPE);
            CHECK_EQ(total.type, STRATA_NULL);
            continue;
        }
        MUST(status);
        CHECK_EQ(total.type, expected.type);
        CHECK(model_compare(&total, &expected) == 0); /* added in the same order */
    }
}

static void check_values(fixture *f, strata_row *row, uint32_t number) {
    strata_value values[MOST];
    uint8_t *bytes[MOST];
    size_t count = read_all(f, row, number, values, bytes);
    for (uint32_t options = 0; options < 8; options++) check_order(f, row, number, values, count, options);
    check_total(f, row, number, values, count);
    for (size_t i = 0; i < count; i++) free(bytes[i]);
}

void test_values_against_a_model(void) {
    fixture *f = make_boxes();
    stage_model random = { .random = ctest_seed() };
    static const uint32_t sizes[] = { 0, 1, 5, 40, 300, 650 };
    uint64_t key;
    for (uint32_t round = 0; round < sizeof sizes / sizeof *sizes; round++) {
        strata_row row;
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_object_create(f->view, 0, NULL, 0, &key, &f->error));
        row = row_of(f, 0, key);
        for (uint32_t c = 0; c < KINDS * TYPES; c++) fill(f, &random, &row, c, sizes[round]);
        for (uint32_t c = 0; c < KINDS * TYPES; c++) check_values(f, &row, c); /* as changed */
        MUST(strata_view_commit(f->view, &f->error));
        row = row_of(f, 0, key);
        for (uint32_t c = 0; c < KINDS * TYPES; c++) check_values(f, &row, c); /* as stored */
    }
    fixture_close(f);
}

/* 111: ints are added up without loss, and their average is rounded once. */
void test_values_averages_of_ints(void) {
    enum { INTS = 1 };
    static const struct {
        int64_t values[5];
        size_t count;
        double average;
    } cases[] = {
        { { INT64_MAX, INT64_MAX, INT64_MAX }, 3, 0x1p63 },
        { { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN }, 4, -0x1p63 },
        { { INT64_MAX, 1, INT64_MIN, 3 }, 4, 0.75 },
        { { INT64_C(1) << 60, 3, -(INT64_C(1) << 60) }, 3, 1 },
        { { (INT64_C(1) << 53) + 1, (INT64_C(1) << 53) + 2 }, 2, 0x1p53 + 2 }, /* 1.5: up, not 1 to the even 0 */
        { { (INT64_C(1) << 53) + 1, (INT64_C(1) << 53) + 1 }, 2, 0x1p53 },     /* half: to the even one */
        { { 1, 0, 0 }, 3, 1.0 / 3 },
        { { -1, 0, 0, -1, 0 }, 5, -2.0 / 5 },
        { { 5, -5 }, 2, 0 },
    };
    fixture *f = make_boxes();
    MUST(strata_view_begin(f->view, &f->error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t key;
        strata_value total, values[5];
        MUST(strata_object_create(f->view, 0, NULL, 0, &key, &f->error));
        strata_row row = row_of(f, 0, key);
        for (size_t k = 0; k < cases[i].count; k++) values[k] = strata_int(cases[i].values[k]);
        MUST(strata_list_insert(&row, INTS, 0, values, cases[i].count, &f->error));
        MUST(strata_collection_total(&row, INTS, STRATA_AVERAGE, &total, &f->error));
        CHECK_EQ(total.type, STRATA_DOUBLE);
        CHECK(total.as.real == cases[i].average);
    }
    fixture_close(f);
}

void test_values_refuse_links(void) {
    fixture *f = make_boxes();
    strata_keys keys;
    strata_value total;
    uint64_t key;
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_create(f->view, 0, NULL, 0, &key, &f->error));
    strata_row row = row_of(f, 0, key);
    REFUSED(strata_collection_order(&row, KINDS * TYPES, 0, &keys, &f->error), STRATA_TYPE, "links", "list of objects");
    CHECK(keys.data == NULL && keys.count == 0);
    REFUSED(strata_collection_total(&row, KINDS * TYPES, STRATA_SUM, &total, &f->error), STRATA_TYPE, "links");
    REFUSED(strata_collection_total(&row, 4, STRATA_MAX, &total, &f->error), STRATA_TYPE, "list4", "string");
    MUST(strata_object_delete(f->view, 0, key, &f->error));
    CHECK_EQ(strata_collection_order(&row, 0, 0, &keys, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_collection_total(&row, 0, STRATA_COUNT, &total, &f->error), STRATA_NOT_FOUND);
    fixture_close(f);
}

/* ---- Conditions ------------------------------------------------------- */

enum { BOX, ITEM, MOST_NODES = 40, MOST_CONSTANTS = 160 };

/* One condition in two forms: on the values of a collection, and on objects that have such a value in a column. */
typedef struct twin {
    stage_model *random;
    strata_type type;
    strata_step self, column;
    strata_operand operands[2];
    strata_node on_values[MOST_NODES], on_objects[MOST_NODES];
    strata_value constants[MOST_CONSTANTS];
    uint32_t node_count, constant_count;
} twin;

static void add_twin_node(twin *t, strata_node node) {
    CHECK(t->node_count < MOST_NODES);
    t->on_values[t->node_count] = t->on_objects[t->node_count] = node;
    if (node.op >= STRATA_EQUAL) {
        t->on_values[t->node_count].left = t->operands[0];
        t->on_objects[t->node_count].left = t->operands[1];
        if (node.right != NULL) {
            t->on_values[t->node_count].right = &t->operands[0];
            t->on_objects[t->node_count].right = &t->operands[1];
        }
    }
    t->node_count++;
}

static void add_twin_comparison(twin *t) {
    strata_operator op = (strata_operator)(STRATA_EQUAL + model_below(t->random, STRATA_LIKE - STRATA_EQUAL + 1));
    strata_node node = { .op = op };
    if (model_below(t->random, 4) == 0) node.options = (uint32_t)model_below(t->random, 4);
    if (op != STRATA_BETWEEN && model_below(t->random, 12) == 0) {
        node.right = &t->operands[0];
    } else {
        node.value_count = op == STRATA_BETWEEN ? 2 : op == STRATA_IN ? (uint32_t)model_below(t->random, 4) + 1 : 1;
        node.values = t->constants + t->constant_count;
        CHECK(t->constant_count + node.value_count <= MOST_CONSTANTS);
        for (uint32_t i = 0; i < node.value_count; i++) {
            t->constants[t->constant_count++] = model_cell(t->random, THING, model_column(t->type));
        }
    }
    add_twin_node(t, node);
}

static void grow_twin(twin *t, uint32_t depth) {
    uint64_t choice = depth > 2 ? 9 : model_below(t->random, 10);
    if (choice >= 4) {
        add_twin_comparison(t);
        return;
    }
    strata_node node = { .op = choice == 3 ? STRATA_NOT : choice == 2 ? STRATA_OR : STRATA_AND };
    node.children = node.op == STRATA_NOT ? 0 : (uint32_t)model_below(t->random, 3);
    add_twin_node(t, node);
    for (uint32_t i = node.op == STRATA_NOT ? 1 : node.children; i > 0; i--) grow_twin(t, depth + 1);
}

/* The values that meet the condition are those whose objects do. An operator that the type does not have is refused in
 * both. */
static bool check_twin(fixture *f, strata_row *row, uint32_t number, twin *t, const strata_keys *items) {
    strata_query query = { .size = sizeof query, .source = STRATA_SOURCE_KEYS, .table = ITEM, .keys = items->data,
                           .key_count = items->count, .nodes = t->on_objects, .node_count = t->node_count };
    strata_keys found, positions;
    strata_status expected = strata_query_run(f->view, &query, &found, NULL, &f->error);
    CHECK(expected == STRATA_OK || expected == STRATA_TYPE);
    CHECK_EQ(strata_collection_select(row, number, t->on_values, t->node_count, &positions, &f->error), expected);
    CHECK_EQ(positions.count, found.count);
    for (uint64_t i = 0; i < found.count; i++) CHECK_EQ(items->data[positions.data[i]], found.data[i]);
    strata_keys_free(&found);
    strata_keys_free(&positions);
    return expected == STRATA_OK;
}

/* Values as a nested list. Ownership: the builder, which has the bytes. */
static strata_nested *nest(fixture *f, const strata_value *values, size_t count, strata_bytes *out) {
    strata_nested *list = strata_nested_make();
    strata_value nested;
    CHECK(list != NULL);
    MUST(strata_nested_begin_list(list, NULL, &f->error));
    for (size_t i = 0; i < count; i++) MUST(strata_nested_append(list, &values[i], &f->error));
    MUST(strata_nested_end(list, &f->error));
    MUST(strata_nested_finish(list, &nested, &f->error));
    *out = nested.as.bytes;
    return list;
}

/* Values that are nested in a mixed value meet the same conditions as those of a column. */
static void check_nested(fixture *f, strata_row *row, uint32_t number, const twin *t, const strata_value *values,
                         size_t count) {
    strata_bytes bytes;
    strata_keys nested, positions;
    strata_nested *list = nest(f, values, count, &bytes);
    strata_status expected =
        strata_collection_select(row, number, t->on_values, t->node_count, &positions, &f->error);
    CHECK_EQ(strata_nested_select(f->view, BOX, number, bytes, t->on_values, t->node_count, &nested, &f->error),
             expected);
    CHECK_EQ(nested.count, positions.count);
    for (uint64_t i = 0; i < nested.count; i++) CHECK_EQ(nested.data[i], positions.data[i]);
    strata_keys_free(&nested);
    strata_keys_free(&positions);
    strata_nested_free(list);
}

static uint32_t check_conditions(fixture *f, stage_model *random, strata_row *row, uint32_t number) {
    strata_value values[MOST];
    uint8_t *bytes[MOST];
    uint64_t keys[MOST];
    uint32_t type = number % TYPES, checked = 0;
    strata_keys items = { keys, read_all(f, row, number, values, bytes) };
    for (uint64_t i = 0; i < items.count; i++) {
        MUST(strata_object_create(f->view, ITEM, NULL, 0, &keys[i], &f->error));
        set(f, ITEM, keys[i], type, values[i]);
    }
    for (uint32_t round = 0; round < 25; round++) {
        twin t = { .random = random, .type = value_types[type], .self = { .kind = STRATA_STEP_SELF },
                   .column = strata_step_column(type) };
        t.operands[0] = (strata_operand){ .path = &t.self, .path_length = 1 };
        t.operands[1] = (strata_operand){ .path = &t.column, .path_length = 1 };
        grow_twin(&t, 0);
        checked += check_twin(f, row, number, &t, &items);
        if (value_types[type] == STRATA_MIXED) check_nested(f, row, number, &t, values, (size_t)items.count);
    }
    for (uint64_t i = 0; i < items.count; i++) free(bytes[i]);
    return checked;
}

void test_values_select_as_objects_are_found(void) {
    fixture *f = make_boxes();
    stage_model random = { .random = ctest_seed() };
    static const uint32_t sizes[] = { 0, 1, 6, 40, 300 };
    uint64_t key;
    uint32_t checked = 0;
    for (uint32_t round = 0; round < sizeof sizes / sizeof *sizes; round++) {
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_object_create(f->view, BOX, NULL, 0, &key, &f->error));
        strata_row row = row_of(f, BOX, key);
        for (uint32_t c = 0; c < KINDS * TYPES; c++) fill(f, &random, &row, c, sizes[round]);
        for (uint32_t c = 0; c < KINDS * TYPES; c++) checked += check_conditions(f, &random, &row, c);
        MUST(strata_view_commit(f->view, &f->error));
    }
    CHECK(checked > 500);
    fixture_close(f);
}

/* Without nodes every value meets the condition; behind a link or a mixed value a path goes on. */
void test_values_select_behind_values(void) {
    enum { MIXED_LIST = 10, LINKS = KINDS * TYPES };
    fixture *f = make_boxes();
    strata_keys keys;
    uint64_t one, two;
    strata_value seven = strata_int(7), eight = strata_int(8), nested = { .type = STRATA_NESTED };
    strata_nested *list = nest(f, &seven, 1, &nested.as.bytes);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_create(f->view, BOX, NULL, 0, &one, &f->error));
    MUST(strata_object_create(f->view, BOX, NULL, 0, &two, &f->error));
    strata_row row = row_of(f, BOX, one), other = row_of(f, BOX, two);
    MUST(strata_list_insert(&other, 1, 0, &eight, 1, &f->error));
    MUST(strata_list_insert(&row, 1, 0, &seven, 1, &f->error));
    MUST(strata_list_insert(&row, MIXED_LIST, 0, (strata_value[]){ seven, nested, eight }, 3, &f->error));
    MUST(insert_keys(&row, LINKS, 0, (uint64_t[]){ two, one, two }, 3, &f->error));
    strata_nested_free(list);

    strata_step first[] = { { .kind = STRATA_STEP_SELF }, { .kind = STRATA_STEP_POSITION } };
    strata_node node = { .op = STRATA_EQUAL, .left = { .path = first, .path_length = 2 }, .value_count = 1,
                         .values = &seven };
    MUST(strata_collection_select(&row, MIXED_LIST, &node, 1, &keys, &f->error));
    CHECK(keys.count == 1 && keys.data[0] == 1);
    strata_keys_free(&keys);
    MUST(strata_collection_select(&row, MIXED_LIST, NULL, 0, &keys, &f->error));
    CHECK_EQ(keys.count, 3);
    strata_keys_free(&keys);
    strata_step ints[] = { { .kind = STRATA_STEP_SELF }, strata_step_column(1) };
    node = (strata_node){ .op = STRATA_EQUAL, .left = { .path = ints, .path_length = 2 }, .value_count = 1,
                          .values = &eight };
    MUST(strata_collection_select(&row, LINKS, &node, 1, &keys, &f->error));
    CHECK(keys.count == 2 && keys.data[0] == 0 && keys.data[1] == 2);
    strata_keys_free(&keys);
    fixture_close(f);
}

/* Of a map the positions are those of its keys in their order; a column of single values nests as well. */
void test_values_select_in_a_nested_map(void) {
    enum { SINGLE_MIXED = 10 };
    fixture *f = make_boxes();
    strata_nested *map = strata_nested_make();
    strata_value text = value_of("seven"), seven = strata_int(7), link = strata_mixed_link(BOX, 1), nested;
    strata_keys keys;
    CHECK(map != NULL);
    MUST(strata_nested_begin_map(map, NULL, &f->error));
    MUST(strata_nested_put(map, (strata_bytes){ "z", 1 }, &seven, &f->error));
    MUST(strata_nested_put(map, (strata_bytes){ "b", 1 }, &text, &f->error));
    MUST(strata_nested_put(map, (strata_bytes){ "c", 1 }, &link, &f->error));
    MUST(strata_nested_begin_list(map, &(strata_bytes){ "a", 1 }, &f->error));
    MUST(strata_nested_append(map, &seven, &f->error));
    MUST(strata_nested_end(map, &f->error));
    MUST(strata_nested_end(map, &f->error));
    MUST(strata_nested_finish(map, &nested, &f->error));

    strata_step steps[] = { { .kind = STRATA_STEP_SELF }, { .kind = STRATA_STEP_EACH } };
    strata_node node = { .op = STRATA_EQUAL, .left = { .path = steps, .path_length = 1 }, .value_count = 1,
                         .values = &seven };
    MUST(strata_nested_select(f->view, ITEM, SINGLE_MIXED, nested.as.bytes, &node, 1, &keys, &f->error));
    CHECK(keys.count == 1 && keys.data[0] == 3);
    strata_keys_free(&keys);
    node.left.path_length = 2; /* inside of the list */
    MUST(strata_nested_select(f->view, ITEM, SINGLE_MIXED, nested.as.bytes, &node, 1, &keys, &f->error));
    CHECK(keys.count == 1 && keys.data[0] == 0);
    strata_keys_free(&keys);
    node.left.path_length = 1;
    node.values = &link;
    MUST(strata_nested_select(f->view, ITEM, SINGLE_MIXED, nested.as.bytes, &node, 1, &keys, &f->error));
    CHECK(keys.count == 1 && keys.data[0] == 2);
    strata_keys_free(&keys);
    MUST(strata_nested_select(f->view, ITEM, SINGLE_MIXED, nested.as.bytes, NULL, 0, &keys, &f->error));
    CHECK_EQ(keys.count, 4);
    strata_keys_free(&keys);
    strata_nested_free(map);
    fixture_close(f);
}

/* What is no list or map, or could not be stored, is refused before anything is tested. */
void test_values_refuse_what_is_not_nested(void) {
    enum { MIXED_LIST = 10 };
    fixture *f = make_boxes();
    strata_keys keys;
    strata_value seven = strata_int(7), far = strata_mixed_link(77, 1);
    strata_bytes bytes, none = { NULL, 0 }, lost = { NULL, 9 };
    strata_nested *list = nest(f, &seven, 1, &bytes);
    REFUSED(strata_nested_select(f->view, BOX, 1, bytes, NULL, 0, &keys, &f->error), STRATA_TYPE, "Box.list1",
            "int values");
    REFUSED(strata_nested_select(f->view, BOX, 99, bytes, NULL, 0, &keys, &f->error), STRATA_MISUSE, "99");
    REFUSED(strata_nested_select(f->view, BOX, MIXED_LIST, none, NULL, 0, &keys, &f->error), STRATA_TYPE, "list10");
    REFUSED(strata_nested_select(f->view, BOX, MIXED_LIST, lost, NULL, 0, &keys, &f->error), STRATA_MISUSE, "address");
    for (size_t size = 0; size < bytes.size; size++) {
        strata_bytes cut = { bytes.data, size };
        CHECK_EQ(strata_nested_select(f->view, BOX, MIXED_LIST, cut, NULL, 0, &keys, &f->error), STRATA_TYPE);
        CHECK(keys.data == NULL && keys.count == 0);
    }
    strata_nested_free(list);
    list = nest(f, &far, 1, &bytes);
    REFUSED(strata_nested_select(f->view, BOX, MIXED_LIST, bytes, NULL, 0, &keys, &f->error), STRATA_TYPE, "list10");
    strata_nested_free(list);
    fixture_close(f);
}

void test_values_refuse_conditions(void) {
    fixture *f = make_boxes();
    strata_keys keys;
    uint64_t key;
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_create(f->view, BOX, NULL, 0, &key, &f->error));
    strata_row row = row_of(f, BOX, key);
    strata_value one = strata_int(1), text = value_of("one");
    strata_step step = strata_step_column(0), steps[2];
    strata_node node = { .op = STRATA_EQUAL, .left = { .path = &step, .path_length = 1 }, .value_count = 1,
                         .values = &one };
    REFUSED(strata_collection_select(&row, 1, &node, 1, &keys, &f->error), STRATA_MISUSE, "list1", "begins with SELF");
    step = (strata_step){ .kind = STRATA_STEP_EACH };
    REFUSED(strata_collection_select(&row, 1, &node, 1, &keys, &f->error), STRATA_TYPE, "list1", "EACH");
    node.left.path_length = 0;
    REFUSED(strata_collection_select(&row, 1, &node, 1, &keys, &f->error), STRATA_MISUSE, "list1", "names no column");
    steps[0] = (strata_step){ .kind = STRATA_STEP_SELF };
    steps[1] = strata_step_column(0);
    node.left = (strata_operand){ .path = steps, .path_length = 2 };
    REFUSED(strata_collection_select(&row, 1, &node, 1, &keys, &f->error), STRATA_TYPE, "list1 of Box", "int values");
    node.left.path_length = 1;
    node.values = &text;
    REFUSED(strata_collection_select(&row, 1, &node, 1, &keys, &f->error), STRATA_TYPE, "list1 of Box", "string");
    node.left.aggregate = STRATA_SUM;
    REFUSED(strata_collection_select(&row, 1, &node, 1, &keys, &f->error), STRATA_TYPE, "list1", "no collection");
    node = (strata_node){ .op = STRATA_AND, .children = 1 };
    REFUSED(strata_collection_select(&row, 1, &node, 1, &keys, &f->error), STRATA_MISUSE, "last child");
    CHECK(keys.data == NULL && keys.count == 0);
    MUST(strata_object_delete(f->view, BOX, key, &f->error));
    CHECK_EQ(strata_collection_select(&row, 1, NULL, 0, &keys, &f->error), STRATA_NOT_FOUND);
    fixture_close(f);
}
