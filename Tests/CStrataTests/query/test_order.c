/* SPDX-License-Identifier: MIT
 * test_order.c -- the first objects of an order of many, of which most are dropped on the way. Statements 102 to
 * 105. */
#include <errno.h>
#include <stdio.h>

#include "support/faults.h"
#include "strata_query.h"
#include "support/strata_support.h"

enum { NUMBER, MAYBE, TEXT, LETTER, FRIEND, REAL, COLUMNS };
enum { ROWS = 12000, LONG = 9000, MOST_KEYS = 3 };

/* Numbers with ties, nulls, and texts that differ late or are long; friends have friends, or none. */
static fixture *make_things(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[COLUMNS] = {
        column("number", STRATA_INT, 0),     column("maybe", STRATA_INT, STRATA_COLUMN_NULLABLE),
        column("text", STRATA_STRING, 0),    column("letter", STRATA_STRING, STRATA_COLUMN_NULLABLE),
        link_to("friend", "Thing"),          column("real", STRATA_DOUBLE, 0),
    };
    strata_table_spec table = { .name = "Thing", .column_count = COLUMNS, .columns = columns };
    MUST(apply(f, 1, &table, 1));
    char *text = malloc(LONG + 16);
    CHECK(text != NULL);
    memset(text, 'x', LONG);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) {
        int number = (int)(i * INT64_C(7919) % ROWS);
        char letter[24];
        (void)snprintf(letter, sizeof letter, "the same, and %c", 'a' + number % 26);
        (void)snprintf(text + LONG, 16, "%05d", number);
        bool is_long = i % 97 == 0; /* so long that it lies elsewhere */
        ADD(0, strata_int(number / 5), number % 3 == 0 ? strata_null() : strata_int(number % 50),
            value_of(is_long ? text : text + LONG - number % 20), number % 7 == 0 ? strata_null() : value_of(letter),
            i == 0 || number % 11 == 0 ? strata_null() : strata_link((uint64_t)(number % i) + 1),
            strata_double(-number % 400));
    }
    MUST(strata_view_commit(f->view, &f->error));
    free(text);
    return f;
}

static strata_keys run(fixture *f, const strata_sort *keys, uint32_t count, uint64_t limit,
                       const strata_bookmark *after) {
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = count, .keys = keys },
                              { .kind = STRATA_STAGE_LIMIT, .limit = limit } };
    strata_query q = { .size = sizeof q, .stages = stages, .stage_count = 2, .after = after };
    strata_query_stats stats;
    strata_keys out;
    MUST(strata_query_run(f->view, &q, &out, &stats, &f->error));
    CHECK(stats.rows_visited >= ROWS); /* and where links lead */
    return out;
}

static void check_part(const strata_keys *part, const strata_keys *all, uint64_t from, uint64_t limit) {
    uint64_t left = all->count - from;
    CHECK_EQ(part->count, left < limit ? left : limit);
    for (uint64_t i = 0; i < part->count; i++) CHECK_EQ(part->data[i], all->data[from + i]);
}

/* Where an object stands in the order; the bytes of its texts are freed by the caller. */
static void place_of(fixture *f, uint64_t key, const strata_sort *keys, uint32_t count, strata_value *values,
                     uint8_t **bytes) {
    for (uint32_t i = 0; i < count; i++) {
        strata_row row = row_of(f, 0, key);
        strata_value link;
        bytes[i] = NULL;
        if (keys[i].path_length == 2) {
            MUST(strata_row_get(&row, FRIEND, &link, &f->error));
            values[i] = (strata_value){ .type = STRATA_LINK }; /* which no object has */
            if (link.type == STRATA_NULL) continue;
            row = row_of(f, 0, link.as.link);
        }
        uint32_t number = keys[i].path[keys[i].path_length - 1].column;
        MUST(strata_row_get(&row, number, &values[i], &f->error));
        if (values[i].type != STRATA_STRING) continue;
        size_t size = values[i].as.bytes.size;
        bytes[i] = malloc(size + 1);
        CHECK(bytes[i] != NULL);
        MUST(strata_row_read(&row, number, 0, bytes[i], size, &size, &f->error));
        values[i].as.bytes.data = bytes[i];
    }
}

static void check_order(fixture *f, const strata_sort *keys, uint32_t count) {
    static const uint64_t limits[] = { 1, 10, 2000, 2048, 2049, 5000, ROWS };
    static const uint64_t places[] = { 0, 17, 3999, 7000, ROWS - 1 };
    strata_keys all = run(f, keys, count, UINT64_MAX, NULL);
    CHECK_EQ(all.count, ROWS);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        strata_keys part = run(f, keys, count, limits[i], NULL);
        check_part(&part, &all, 0, limits[i]);
        strata_keys_free(&part);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        strata_value values[MOST_KEYS];
        uint8_t *bytes[MOST_KEYS];
        strata_bookmark after = { values, count, all.data[places[i]] };
        place_of(f, after.key, keys, count, values, bytes);
        strata_keys part = run(f, keys, count, 100, &after);
        check_part(&part, &all, places[i] + 1, 100);
        strata_keys_free(&part);
        for (uint32_t k = 0; k < count; k++) free(bytes[k]);
    }
    strata_keys_free(&all);
}

/* 102, 103: the first ones of each order are those of all of it, wherever it begins. */
void test_order_of_the_first(void) {
    fixture *f = make_things();
    static const strata_step paths[COLUMNS][1] = { { { .column = NUMBER } }, { { .column = MAYBE } },
                                                   { { .column = TEXT } },   { { .column = LETTER } },
                                                   { { .column = FRIEND } }, { { .column = REAL } } };
    static const strata_step far[2] = { { .column = FRIEND }, { .column = LETTER } };
    static const strata_step near[2] = { { .column = FRIEND }, { .column = MAYBE } };
    const strata_sort orders[][MOST_KEYS] = {
        { { paths[NUMBER], 1, false } },
        { { paths[NUMBER], 1, true } },
        { { paths[REAL], 1, true } },
        { { paths[MAYBE], 1, false }, { paths[TEXT], 1, true } },
        { { paths[MAYBE], 1, true }, { paths[LETTER], 1, false }, { paths[NUMBER], 1, true } },
        { { paths[LETTER], 1, false }, { paths[MAYBE], 1, true } },
        { { paths[TEXT], 1, false } },
        { { paths[TEXT], 1, true }, { paths[NUMBER], 1, false } },
        { { far, 2, false }, { paths[NUMBER], 1, true } },
        { { near, 2, true }, { far, 2, true } },
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t count = 0;
        while (count < MOST_KEYS && orders[i][count].path != NULL) count++;
        check_order(f, orders[i], count);
    }
    fixture_close(f);
}

void test_order_without_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    fixture *f = make_things();
    static const strata_step text[] = { { .column = TEXT } }, maybe[] = { { .column = MAYBE } };
    strata_sort keys[] = { { maybe, 1, true }, { text, 1, false } };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 2, .keys = keys },
                              { .kind = STRATA_STAGE_LIMIT, .limit = 10 } };
    strata_query q = { .size = sizeof q, .stages = stages, .stage_count = 2 };
    strata_keys expected, found;
    MUST(strata_query_run(f->view, &q, &expected, NULL, &f->error));
    bool met = true;
    for (unsigned n = 1; met; n++) {
        long before = fault_blocks();
        fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
        strata_status status = strata_query_run(f->view, &q, &found, NULL, &f->error);
        met = fault_clear();
        CHECK_EQ(status, met && status < 0 ? STRATA_NO_MEMORY : STRATA_OK);
        if (status == STRATA_OK) check_part(&found, &expected, 0, 10);
        strata_keys_free(&found);
        CHECK_EQ(fault_blocks(), before);
    }
    strata_keys_free(&expected);
    fixture_close(f);
}
