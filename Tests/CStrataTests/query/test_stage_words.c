/* SPDX-License-Identifier: MIT
 * test_stage_words.c -- what statements 102 to 109 and 139 say, one by one. */
#include <math.h>

#include "strata_decimal.h"
#include "strata_mixed.h"
#include "strata_query.h"
#include "support/strata_support.h"

enum { PERSON, DOG };
enum { NAME, AGE, ANY, PET, COLUMNS };
enum { DOG_NAME };

static const strata_step name_path[] = { { .column = NAME } }, age_path[] = { { .column = AGE } };
static const strata_step any_path[] = { { .column = ANY } }, dog_path[] = { { .column = PET }, { .column = DOG_NAME } };
static const strata_step pet_path[] = { { .column = PET } };

static fixture *make_tables(bool indexed) {
    uint32_t flags = STRATA_COLUMN_NULLABLE | (indexed ? STRATA_COLUMN_INDEXED : 0);
    strata_column_spec person[] = { column("name", STRATA_STRING, flags), column("age", STRATA_INT, flags),
                                    column("any", STRATA_MIXED, indexed ? STRATA_COLUMN_INDEXED : 0),
                                    link_to("pet", "Dog") };
    strata_column_spec dog[] = { column("name", STRATA_STRING, flags) };
    strata_table_spec tables[] = { { .name = "Person", .column_count = COLUMNS, .columns = person },
                                   { .name = "Dog", .column_count = 1, .columns = dog } };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    return f;
}

static void add_person(fixture *f, strata_value name, strata_value age, strata_value any, uint64_t pet) {
    ADD(PERSON, name, age, any, pet == 0 ? strata_null() : strata_link(pet));
}

/* The query finds these persons: their keys are digits of a text. */
static void check_keys(fixture *f, const strata_query *q, const char *expected) {
    strata_keys keys;
    char found[32] = "";
    MUST(strata_query_run(f->view, q, &keys, NULL, &f->error));
    CHECK(keys.count < sizeof found);
    for (uint64_t i = 0; i < keys.count; i++) found[i] = (char)('0' + keys.data[i]);
    strata_keys_free(&keys);
    CHECK_TEXT(found, expected);
}

static void check_stages(fixture *f, const strata_stage *stages, uint32_t count, const char *expected) {
    strata_query q = { .size = sizeof q, .table = PERSON, .stages = stages, .stage_count = count };
    check_keys(f, &q, expected);
}

static strata_stage sort_by(const strata_sort *keys, uint32_t count) {
    return (strata_stage){ .kind = STRATA_STAGE_SORT, .keys = keys, .key_count = count };
}

static strata_stage distinct_by(const strata_sort *keys, uint32_t count) {
    return (strata_stage){ .kind = STRATA_STAGE_DISTINCT, .keys = keys, .key_count = count };
}

/* Three dogs: "B", null and "A"; persons 1 to 6 with B, null, no dog, A, no dog, B. */
static void add_owners(fixture *f) {
    uint64_t b = ADD(DOG, value_of("B")), none = ADD(DOG, strata_null()), a = ADD(DOG, value_of("A"));
    uint64_t pets[] = { b, none, 0, a, 0, b };
    for (int i = 0; i < 6; i++) add_person(f, value_of(i % 2 == 0 ? "x" : "y"), strata_int(i / 2), strata_null(),
                                           pets[i]);
}

static void check_orders(bool indexed) {
    fixture *f = make_tables(indexed);
    add_owners(f);
    strata_sort dogs = { dog_path, 2, false }, dogs_down = { dog_path, 2, true };
    strata_sort names[] = { { name_path, 1, false } }, ages[] = { { age_path, 1, true } };
    strata_sort both[] = { { name_path, 1, true }, { age_path, 1, true } }, pets = { pet_path, 1, false };

    /* 104: null values come first and null links last; the other way round if descending. 103: ties stay. */
    strata_stage stage = sort_by(&dogs, 1);
    check_stages(f, &stage, 1, "241635");
    stage = sort_by(&dogs_down, 1);
    check_stages(f, &stage, 1, "351642");
    stage = sort_by(NULL, 0);
    check_stages(f, &stage, 1, "123456");
    stage = sort_by(both, 2);
    check_stages(f, &stage, 1, "642531");
    /* 102: the last sort is the primary one, those before break its ties. */
    strata_stage stages[] = { sort_by(ages, 1), sort_by(names, 1), { .kind = STRATA_STAGE_LIMIT, .limit = 4 } };
    check_stages(f, stages, 2, "531642");
    check_stages(f, stages, 3, "5316");
    /* A limit in between decides what is sorted. */
    strata_stage cut[] = { sort_by(ages, 1), { .kind = STRATA_STAGE_LIMIT, .skip = 1, .limit = 3 }, sort_by(names, 1) };
    check_stages(f, cut, 3, "364");
    /* 108: the first one in the order survives; 109: null links are left out, nulls are one value. */
    strata_stage distinct[] = { distinct_by(&dogs, 1), sort_by(ages, 1), distinct_by(&dogs, 1) };
    check_stages(f, distinct, 1, "124");
    check_stages(f, distinct + 1, 2, "642");
    stage = distinct_by(&pets, 1);
    check_stages(f, &stage, 1, "1234"); /* a link itself may be null */
    stage = distinct_by(NULL, 0);
    check_stages(f, &stage, 1, "1"); /* all agree in nothing */
    /* 139: a condition leaves the order of keys that are given. */
    static const uint64_t listed[] = { 6, 1, 4, 2 };
    strata_value x = value_of("x"), y = value_of("y");
    strata_operand left = { .path = name_path, .path_length = 1 };
    strata_node nodes[] = { { .op = STRATA_AND, .children = 2 },
                            { .op = STRATA_NOT_EQUAL, .left = left, .value_count = 1, .values = &x },
                            { .op = STRATA_EQUAL, .left = left, .value_count = 1, .values = &y } };
    strata_query q = { .size = sizeof q, .table = PERSON, .source = STRATA_SOURCE_KEYS, .keys = listed, .key_count = 4,
                       .nodes = nodes, .node_count = 3 };
    check_keys(f, &q, "642");
    fixture_close(f);
}

void test_stage_orders_in_words(void) {
    check_orders(false);
    check_orders(true);
}

/* 105: strings by their bytes. 106: null, then bools, numbers by value, strings, ...; NaN is below all numbers. */
void test_stage_order_of_values(void) {
    for (int indexed = 0; indexed < 2; indexed++) {
        fixture *f = make_tables(indexed != 0);
        static const char *const texts[] = { "b", "a", "A", "\xC3\xA4", "", "aa" };
        strata_value any[] = { value_of("s"), strata_double(1.5), strata_bool(true), strata_int(1), strata_double(NAN),
                               strata_decimal_value(strata_decimal_from_int64(2)) };
        for (int i = 0; i < 6; i++) add_person(f, value_of(texts[i]), strata_null(), any[i], 0);
        add_person(f, strata_null(), strata_null(), strata_null(), 0);
        strata_sort name = { name_path, 1, false }, mixed = { any_path, 1, false };
        strata_stage stage = sort_by(&name, 1);
        check_stages(f, &stage, 1, "7532614");
        stage = sort_by(&mixed, 1);
        check_stages(f, &stage, 1, "7354261");
        name.descending = mixed.descending = true;
        check_stages(f, &stage, 1, "1624537");
        stage = sort_by(&name, 1);
        check_stages(f, &stage, 1, "4162357");
        fixture_close(f);
    }
}
