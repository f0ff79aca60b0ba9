/* SPDX-License-Identifier: MIT
 * test_values.c -- the order of the values of one collection, and what they add up to. Statements 105, 106 and 110 to
 * 114. */
#include <stdio.h>

#include "support/stage_model.h"

enum { MOST = 700 };

static const strata_type value_types[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING,
                                           STRATA_DATA, STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL,
                                           STRATA_MIXED };
enum { TYPES = sizeof value_types / sizeof *value_types, KINDS = 3 };

/* Values of every type in a list, a set and a map; the last column links. */
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
    strata_table_spec table = { .name = "Box", .column_count = KINDS * TYPES + 1, .columns = columns };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, &table, 1));
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
