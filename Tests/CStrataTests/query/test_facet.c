/* SPDX-License-Identifier: MIT
 * test_facet.c -- values of properties that have very many different ones; the answers to random queries are compared
 * in test_stage.c. */
#include "strata_facet.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "support/strata_support.h"

enum { OBJECTS = 20000, NUMBER = 0, TEXT, REAL, INDEXED, NAME };

/* Every value of each column is another one. Names are too long for an index to have all of them. */
static fixture *make(strata_interrupt **interrupt) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("number", STRATA_INT, 0), column("text", STRATA_STRING, 0),
                                     column("real", STRATA_DOUBLE, 0),
                                     column("indexed", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("name", STRATA_STRING, STRATA_COLUMN_INDEXED) };
    strata_table_spec table = { .name = "T", .column_count = 5, .columns = columns };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t i = 0; i < OBJECTS; i++) {
        char text[16], name[100];
        int64_t other = i * 7919 % OBJECTS;
        snprintf(text, sizeof text, "%05d", (int)other);
        snprintf(name, sizeof name, "%090d", (int)other);
        ADD(0, strata_int(other), strata_string(text, 5), strata_double((double)other / 4), strata_int(other),
            strata_string(name, 90));
    }
    MUST(strata_view_commit(f->view, &f->error));
    *interrupt = fixture_interrupt(f);
    return f;
}

static strata_facet facet_of(fixture *f, uint32_t column, uint32_t most_different) {
    strata_query query = strata_query_blank();
    strata_step step = strata_step_column(column);
    strata_facet_options options = strata_facet_options_blank();
    strata_facet facet;
    options.most_values = 3;
    options.most_bins = 10;
    options.most_different = most_different;
    MUST(strata_query_facet(f->view, &query, &step, 1, &options, &facet, &f->error));
    return facet;
}

/* What the last facet looked at. */
static uint64_t steps(strata_interrupt *interrupt) {
    uint64_t taken = strata_interrupt_steps(interrupt);
    strata_interrupt_reset(interrupt);
    return taken;
}

static void check_even_bins(const strata_facet *facet) {
    CHECK_EQ(facet->bin_count, 10);
    for (uint32_t i = 0; i < facet->bin_count; i++) CHECK_EQ(facet->bins[i], OBJECTS / 10);
}

/* Strings are given up as soon as there are too many; numbers are looked at twice for their histogram. */
void test_facet_of_many_values(void) {
    strata_interrupt *interrupt;
    fixture *f = make(&interrupt);
    strata_facet facet = facet_of(f, TEXT, 1000);
    CHECK(facet.too_many && facet.different == 1000 && facet.value_count == 0 && facet.bin_count == 0);
    CHECK(steps(interrupt) < OBJECTS / 4);
    strata_facet_free(&facet);
    facet = facet_of(f, NUMBER, 1000);
    CHECK(facet.too_many && facet.different == 1000 && facet.value_count == 0);
    CHECK_EQ(facet.least.as.integer, 0);
    CHECK_EQ(facet.greatest.as.integer, OBJECTS - 1);
    check_even_bins(&facet);
    uint64_t taken = steps(interrupt);
    CHECK(taken >= 2 * OBJECTS && taken < 3 * OBJECTS);
    strata_facet_free(&facet);
    facet = facet_of(f, REAL, 1000);
    CHECK(facet.too_many && facet.greatest.type == STRATA_DOUBLE && facet.greatest.as.real == (OBJECTS - 1) / 4.0);
    check_even_bins(&facet);
    strata_facet_free(&facet);
    facet = facet_of(f, REAL, OBJECTS); /* as many as there may be */
    CHECK(!facet.too_many && facet.different == OBJECTS && facet.value_count == 3);
    CHECK(facet.values[0].count == 1 && facet.values[0].value.as.real == 0 && facet.values[2].value.as.real == 0.5);
    check_even_bins(&facet);
    strata_facet_free(&facet);
    fixture_close_with(f, interrupt);
}

/* An index counts however many there are. */
void test_facet_of_many_indexed_values(void) {
    strata_interrupt *interrupt;
    fixture *f = make(&interrupt);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 3; i++) ADD(0, strata_int(0), strata_string("", 0), strata_double(0), strata_int(77));
    MUST(strata_view_commit(f->view, &f->error));
    (void)steps(interrupt);
    strata_facet facet = facet_of(f, INDEXED, 1000);
    CHECK(!facet.too_many && facet.different == OBJECTS && facet.value_count == 3);
    CHECK(facet.values[0].count == 4 && facet.values[0].value.as.integer == 77);
    CHECK(facet.values[1].count == 1 && facet.values[1].value.as.integer == 0);
    CHECK(facet.bin_count == 10 && facet.bins[0] == OBJECTS / 10 + 3 && facet.bins[9] == OBJECTS / 10);
    CHECK(steps(interrupt) < 3 * OBJECTS);
    strata_facet_free(&facet);
    fixture_close_with(f, interrupt);
}

/* An index that has only the beginning of a string cannot tell it from others. */
void test_facet_of_long_strings(void) {
    strata_interrupt *interrupt;
    fixture *f = make(&interrupt);
    strata_facet facet = facet_of(f, NAME, 1000);
    CHECK(facet.too_many && facet.different == 1000 && facet.value_count == 0);
    strata_facet_free(&facet);
    facet = facet_of(f, NAME, OBJECTS);
    CHECK(!facet.too_many && facet.different == OBJECTS && facet.value_count == 3);
    CHECK(facet.values[0].value.as.bytes.size == 90);
    strata_facet_free(&facet);
    fixture_close_with(f, interrupt);
}

/* The difference of the ends is more than their type has room for; what is not finite is in no bin. */
void test_facet_of_extreme_numbers(void) {
    strata_interrupt *interrupt;
    fixture *f = make(&interrupt);
    const double reals[] = { -DBL_MAX, DBL_MAX, 0, (double)NAN, (double)INFINITY, (double)-INFINITY };
    for (uint32_t most = 2; most < 2000; most += 1000) {
        MUST(strata_view_begin(f->view, &f->error));
        for (int i = 0; i < 6; i++) {
            ADD(0, strata_int(i == 0 ? INT64_MIN : INT64_MAX), strata_string("", 0), strata_double(reals[i]));
        }
        MUST(strata_view_commit(f->view, &f->error));
        strata_facet facet = facet_of(f, NUMBER, most);
        CHECK(facet.least.as.integer == INT64_MIN && facet.greatest.as.integer == INT64_MAX);
        CHECK(facet.bins[0] >= 1 && facet.bins[9] >= 5 && facet.bins[5] == OBJECTS);
        strata_facet_free(&facet);
        facet = facet_of(f, REAL, most);
        CHECK(facet.least.as.real == -DBL_MAX && facet.greatest.as.real == DBL_MAX);
        CHECK(facet.bins[0] >= 1 && facet.bins[9] >= 1 && facet.bins[5] > OBJECTS);
        CHECK(facet.bins[0] + facet.bins[5] + facet.bins[9] <= OBJECTS + 6);
        strata_facet_free(&facet);
    }
    fixture_close_with(f, interrupt);
}

/* Wherever a facet is: the steps that it may take are not overrun by much. */
void test_facet_ends_when_told(void) {
    enum { A_LOOK = 5000 };
    strata_interrupt *interrupt;
    fixture *f = make(&interrupt);
    strata_query query = strata_query_blank();
    strata_facet_options options = strata_facet_options_blank();
    options.most_values = options.most_bins = 5;
    options.most_different = 2000;
    for (uint32_t column = NUMBER; column <= NAME; column++) {
        strata_step step = strata_step_column(column);
        strata_facet facet;
        MUST(strata_query_facet(f->view, &query, &step, 1, &options, &facet, &f->error));
        strata_facet_free(&facet);
        uint64_t all = steps(interrupt);
        for (uint64_t most = 1; most + A_LOOK < all; most += all / 9) {
            strata_interrupt_after_steps(interrupt, most);
            CHECK_EQ(strata_query_facet(f->view, &query, &step, 1, &options, &facet, &f->error), STRATA_INTERRUPTED);
            CHECK(facet.memory == NULL);
            CHECK(steps(interrupt) < most + A_LOOK);
        }
    }
    fixture_close_with(f, interrupt);
}
