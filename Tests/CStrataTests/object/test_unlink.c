/* SPDX-License-Identifier: MIT
 * test_unlink.c -- deleting an object that a hundred thousand links lead to: all in one write, whose cost follows the
 * number of links and whose memory does not. */
#include <stdio.h>

#include "strata_mixed.h"
#include "store/lmdb_status.h"
#include "support/strata_support.h"
#include "write/write_set.h"

enum { ORIGIN, TARGET };
enum { ONE, LIST, SET, MAP, MIXED, MIXED_LIST, COLUMNS };
enum { FEW = 5000, MANY = 100000, LARGEST_SET = 32 * 1024 * 1024 };

static fixture *open_links(void) {
    const strata_column_spec origin[COLUMNS] = {
        link_to("one", "Target"),
        list_of("list", "Target"),
        { "set", STRATA_LINK, STRATA_SET, 0, "Target" },
        { "map", STRATA_LINK, STRATA_MAP, 0, "Target" },
        { "mixed", STRATA_MIXED, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
        { "mixedList", STRATA_MIXED, STRATA_LIST, STRATA_COLUMN_NULLABLE, NULL },
    };
    const strata_column_spec target = column("number", STRATA_INT, 0);
    const strata_table_spec tables[] = { { "Origin", 0, COLUMNS, origin }, { "Target", 0, 1, &target } };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, tables, 2));
    return f;
}

static void add_link(fixture *f, strata_row *row, uint32_t number, uint32_t i, uint64_t target) {
    strata_value link = strata_link(target), mixed = strata_mixed_link(TARGET, target);
    char name[20];
    bool inserted;
    uint64_t position;
    switch (number) {
    case ONE: MUST(strata_row_set(row, ONE, &link, &f->error)); break;
    case LIST: MUST(strata_list_insert(row, LIST, i, &link, 1, &f->error)); break;
    case SET: MUST(strata_set_insert(row, SET, &link, &inserted, &position, &f->error)); break;
    case MAP: {
        size_t size = (size_t)snprintf(name, sizeof name, "key %06u", i);
        MUST(strata_map_set(row, MAP, (strata_bytes){ name, size }, &link, &f->error));
        break;
    }
    case MIXED: MUST(strata_row_set(row, MIXED, &mixed, &f->error)); break;
    default: MUST(strata_list_insert(row, MIXED_LIST, i, &mixed, 1, &f->error)); break;
    }
}

/* Links to one object from `count` places, `each` of them in one object; sets and lists of any values link to another
 * one, too. */
static void add_links(fixture *f, uint32_t number, uint32_t count, uint32_t each, const uint64_t targets[2]) {
    for (uint32_t i = 0; i < count;) {
        strata_row row = row_of(f, ORIGIN, ADD(ORIGIN, strata_null()));
        for (uint32_t k = 0; k < each; k++, i++) add_link(f, &row, number, k, targets[0]);
        if (number == SET || number == MIXED_LIST) add_link(f, &row, number, each, targets[1]);
    }
}

/* How many elements are left, and how many of them are null. */
static void count_left(fixture *f, uint32_t number, uint64_t *out_left, uint64_t *out_nulls) {
    static strata_value values[MANY];
    strata_cursor *cursor;
    strata_row row;
    *out_left = *out_nulls = 0;
    MUST(strata_scan(f->view, ORIGIN, false, &cursor, &f->error));
    while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) {
        uint64_t size = 1;
        if (number == ONE || number == MIXED) {
            MUST(strata_row_get(&row, number, values, &f->error));
        } else {
            MUST(strata_collection_size(&row, number, &size, &f->error));
            MUST(strata_collection_get(&row, number, 0, size, values, &f->error));
        }
        *out_left += size;
        for (uint64_t i = 0; i < size; i++) *out_nulls += values[i].type == STRATA_NULL;
    }
    strata_cursor_close(cursor);
}

/* Returns how often the store was called to unlink and delete. */
static uint64_t unlink_all(uint32_t number, uint32_t count, uint32_t each) {
    uint64_t targets[2], left, nulls, origins = count / each;
    fixture *f = open_links();
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 2; i++) targets[i] = ADD(TARGET, strata_int(i));
    add_links(f, number, count, each, targets);
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(backlinks(f, TARGET, targets[0], ORIGIN, number), count);

    MUST(strata_view_begin(f->view, &f->error));
    uint64_t before = st_store_calls();
    REFUSED(strata_object_delete(f->view, TARGET, targets[0], &f->error), STRATA_REFERENCED, "Target", "Origin.");
    MUST(strata_object_unlink(f->view, TARGET, targets[0], &f->error));
    CHECK(f->view->writes->memory.arena.total + f->view->writes->memory.chunks <= LARGEST_SET);
    MUST(strata_object_delete(f->view, TARGET, targets[0], &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    uint64_t calls = st_store_calls() - before;

    CHECK_EQ(backlinks(f, TARGET, targets[0], ORIGIN, number), 0);
    count_left(f, number, &left, &nulls);
    bool nulled = number == ONE || number == MIXED || number == MAP; /* the others lose their entries */
    bool other = number == SET || number == MIXED_LIST;
    CHECK_EQ(left, nulled ? count : other ? origins : 0);
    CHECK_EQ(nulls, nulled ? count : 0);
    verify(f);
    fixture_close(f);
    return calls;
}

static void check_unlinking(uint32_t number, uint32_t each) {
    uint64_t few = unlink_all(number, FEW, each == 0 ? FEW : each);
    uint32_t all = ctest_tries_all() ? MANY : 2 * FEW;
    uint64_t many = unlink_all(number, all, each == 0 ? all : each);
    CHECK(many <= few * (all / FEW) * 2); /* in proportion to the links, also when they no longer fit in memory */
    CHECK(many <= all);
}

void test_unlink_to_one_links(void) {
    check_unlinking(ONE, 1);
    check_unlinking(MIXED, 1);
}

void test_unlink_short_collections(void) {
    check_unlinking(LIST, 1);
    check_unlinking(SET, 1);
    check_unlinking(MAP, 4);
    check_unlinking(MIXED_LIST, 2);
}

void test_unlink_one_long_collection(void) {
    check_unlinking(LIST, 0);
    check_unlinking(MAP, 0);
    check_unlinking(MIXED_LIST, 0);
}

/* Deletes an object with all that belongs to it, by a view that may take so many steps. */
static strata_status remove_within(fixture *f, strata_interrupt *interrupt, uint64_t key, uint64_t steps) {
    strata_interrupt_reset(interrupt);
    strata_interrupt_after_steps(interrupt, steps);
    return strata_object_remove(f->view, TARGET, key, &f->error);
}

/* A removal that is interrupted cannot be committed by halves. */
static void check_interrupted(uint32_t number, uint32_t each) {
    uint64_t targets[2];
    fixture *f = open_links();
    strata_interrupt *interrupt = fixture_interrupt(f);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 2; i++) targets[i] = ADD(TARGET, strata_int(i));
    add_links(f, number, FEW, each, targets);
    MUST(strata_view_commit(f->view, &f->error));
    for (uint64_t steps = 0; steps < FEW; steps += FEW / 3) {
        MUST(strata_view_begin(f->view, &f->error));
        REFUSED(remove_within(f, interrupt, targets[0], steps), STRATA_INTERRUPTED, "an object takes more than");
        CHECK(strata_interrupt_steps(interrupt) <= steps + 1025);
        strata_interrupt_reset(interrupt);
        if (steps > 0) REFUSED(strata_view_commit(f->view, &f->error), STRATA_INTERRUPTED, "object");
        else strata_view_cancel(f->view);
        CHECK_EQ(backlinks(f, TARGET, targets[0], ORIGIN, number), FEW);
        verify(f);
    }
    MUST(strata_view_begin(f->view, &f->error));
    MUST(remove_within(f, interrupt, targets[0], 3 * FEW));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(backlinks(f, TARGET, targets[0], ORIGIN, number), 0);
    verify(f);
    fixture_close_with(f, interrupt);
}

void test_unlink_is_interrupted(void) {
    check_interrupted(ONE, 1);
    check_interrupted(LIST, 1);
    check_interrupted(LIST, FEW);
    check_interrupted(MIXED_LIST, FEW);
}
