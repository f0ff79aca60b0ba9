/* SPDX-License-Identifier: MIT
 * test_export_interrupt.c -- exports that end early: among many objects, and inside of one that is large. */
#include <stdio.h>

#include "strata_collection.h"
#include "strata_export.h"
#include "strata_mixed.h"
#include "support/strata_support.h"

enum { NUMBERS, LARGE };
enum { OBJECTS = 1000, ELEMENTS = 10000, SLACK = 64 /* steps between two looks */ };

static bool count_text(void *context, const void *text, size_t size) {
    (void)text;
    *(size_t *)context += size;
    return true;
}

static void set_nested(fixture *f, uint64_t key) {
    strata_nested *nested = strata_nested_make();
    strata_value value;
    CHECK(nested != NULL);
    MUST(strata_nested_begin_list(nested, NULL, &f->error));
    for (int i = 0; i < ELEMENTS; i++) {
        strata_value element = strata_int(i);
        MUST(strata_nested_append(nested, &element, &f->error));
    }
    MUST(strata_nested_end(nested, &f->error));
    MUST(strata_nested_finish(nested, &value, &f->error));
    set(f, LARGE, key, 2, value);
    strata_nested_free(nested);
}

/* A class with many objects, and one whose object has a long list, a long map and a value with a long list in it. */
static fixture *open_large(void) {
    const strata_column_spec number = column("number", STRATA_INT, 0);
    const strata_column_spec large[] = {
        { "list", STRATA_INT, STRATA_LIST, 0, NULL },
        { "map", STRATA_INT, STRATA_MAP, 0, NULL },
        { "any", STRATA_MIXED, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
    };
    const strata_table_spec tables[] = { { "Number", 0, 1, &number }, { "Large", 0, 3, large } };
    static strata_value values[ELEMENTS];
    static strata_bytes names[ELEMENTS];
    static char text[ELEMENTS][8];
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OBJECTS; i++) (void)ADD(NUMBERS, strata_int(i));
    for (int i = 0; i < ELEMENTS; i++) {
        values[i] = strata_int(i);
        names[i] = (strata_bytes){ text[i], (size_t)snprintf(text[i], sizeof text[i], "%05d", i) };
    }
    uint64_t key = ADD(LARGE, strata_null());
    strata_row row = row_of(f, LARGE, key);
    MUST(strata_list_insert(&row, 0, 0, values, ELEMENTS, &f->error));
    MUST(strata_map_set_all(&row, 1, names, values, ELEMENTS, &f->error));
    set_nested(f, key);
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

/* Exports a column of a class; 0: all objects of it by their keys. The bytes that came out. */
static strata_status export_column(fixture *f, uint32_t table, uint32_t number, strata_text_format format, bool keys,
                                   strata_interrupt *interrupt, size_t *out_size) {
    strata_export_options options = strata_export_options_blank();
    strata_export *to = NULL;
    uint64_t all[OBJECTS];
    *out_size = 0;
    options.format = format;
    options.columns = &number;
    options.column_count = 1;
    options.interrupt = interrupt;
    for (uint64_t i = 0; i < OBJECTS; i++) all[i] = i + 1;
    MUST(strata_export_open(f->view, &options, count_text, out_size, &to, &f->error));
    strata_status status = keys ? strata_export_keys(to, table, all, table == NUMBERS ? OBJECTS : 1, &f->error)
                                : strata_export_table(to, table, &f->error);
    if (status == STRATA_OK) status = strata_export_end(to, &f->error);
    strata_export_close(to);
    return status;
}

/* However far it may go, an export ends there; what may take all steps is what an export without an interrupt is. */
static void check_column(fixture *f, strata_interrupt *interrupt, uint32_t table, uint32_t number, uint64_t steps) {
    for (int format = STRATA_TEXT_LINES; format <= STRATA_TEXT_ARRAY; format++) {
        for (int keys = 0; keys < 2; keys++) {
            size_t whole, size;
            strata_text_format as = (strata_text_format)format;
            MUST(export_column(f, table, number, as, keys != 0, NULL, &whole));
            strata_interrupt_reset(interrupt);
            MUST(export_column(f, table, number, as, keys != 0, interrupt, &size));
            CHECK_EQ(size, whole);
            CHECK_EQ(strata_interrupt_steps(interrupt), steps);
            const uint64_t limits[] = { 0, 1, steps / 3, steps - 1 };
            for (int i = 0; i < 4; i++) {
                strata_interrupt_reset(interrupt);
                strata_interrupt_after_steps(interrupt, limits[i]);
                REFUSED(export_column(f, table, number, as, keys != 0, interrupt, &size), STRATA_INTERRUPTED,
                        "an export", "steps");
                CHECK(strata_interrupt_steps(interrupt) <= limits[i] + SLACK + 1);
            }
            strata_interrupt_stop(interrupt);
            REFUSED(export_column(f, table, number, as, keys != 0, interrupt, &size), STRATA_INTERRUPTED,
                    "the program interrupted an export");
            strata_interrupt_reset(interrupt);
            strata_interrupt_after(interrupt, 0);
            REFUSED(export_column(f, table, number, as, keys != 0, interrupt, &size), STRATA_INTERRUPTED,
                    "an export did not end before its deadline; give it more time");
        }
    }
}

void test_export_is_interrupted(void) {
    strata_interrupt *interrupt;
    fixture *f = open_large();
    MUST(strata_interrupt_make(&interrupt, &f->error));
    check_column(f, interrupt, NUMBERS, 0, OBJECTS);
    check_column(f, interrupt, LARGE, 0, 1 + ELEMENTS);
    check_column(f, interrupt, LARGE, 1, 1 + ELEMENTS);
    check_column(f, interrupt, LARGE, 2, 1 + ELEMENTS / 64 * 64);
    fixture_close_with(f, interrupt);
}
