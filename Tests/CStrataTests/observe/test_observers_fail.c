/* SPDX-License-Identifier: MIT
 * test_observers_fail.c -- observers whose query cannot be run any more, beside others. */
#include "strata_observer.h"
#include "support/strata_support.h"

enum { NAME, NUMBER };

static const strata_step to_name = { .column = NAME };

/* Four observers of one class, in the order in which they are made. */
enum { BY_VALUE, IN_ORDER, ALL, OF_OBJECT, OBSERVERS };

typedef struct broken {
    fixture *f;
    strata_observers *group;
    strata_observer *all[OBSERVERS];
    uint64_t key;
} broken;

static void observe(broken *b) {
    fixture *f = b->f;
    const strata_key_paths paths = { .all = true };
    const strata_value text = value_of("a");
    const strata_node equal = { .op = STRATA_EQUAL, .left = { .path = &to_name, .path_length = 1 }, .value_count = 1,
                                .values = &text };
    const strata_sort sort = { &to_name, 1, false };
    const strata_stage in_order = { STRATA_STAGE_SORT, 1, &sort, 0, 0 };
    strata_query all = strata_query_blank(), by_value = all, sorted = all;
    by_value.nodes = &equal;
    by_value.node_count = 1;
    sorted.stages = &in_order;
    sorted.stage_count = 1;
    MUST(strata_observers_open(f->view, &b->group, &f->error));
    MUST(strata_observe_query(b->group, &by_value, &paths, NULL, &b->all[BY_VALUE], &f->error));
    MUST(strata_observe_query(b->group, &sorted, &paths, NULL, &b->all[IN_ORDER], &f->error));
    MUST(strata_observe_query(b->group, &all, &paths, NULL, &b->all[ALL], &f->error));
    MUST(strata_observe_object(b->group, 0, b->key, &paths, NULL, &b->all[OF_OBJECT], &f->error));
}

/* Two observers need the column that is dropped, and two do not. */
static broken begin(void) {
    broken b = { .f = fixture_open("file") };
    fixture *f = b.f;
    const strata_column_spec columns[] = { column("name", STRATA_STRING, 0), column("number", STRATA_INT, 0) };
    const strata_table_spec before = { "Thing", 0, 2, columns, NULL, 0 }, after = { "Thing", 0, 1, columns + 1, NULL, 0 };
    MUST(apply(f, 1, &before, 1));
    MUST(strata_view_begin(f->view, &f->error));
    b.key = ADD(0, value_of("a"), strata_int(1));
    MUST(strata_view_commit(f->view, &f->error));
    observe(&b);
    MUST(apply(f, 2, &after, 1));
    return b;
}

static void end(broken *b) {
    strata_observers_close(b->group);
    fixture_close(b->f);
}

static void change(broken *b, int64_t number) {
    fixture *f = b->f;
    MUST(strata_view_begin(f->view, &f->error));
    set(f, 0, b->key, NUMBER, strata_int(number));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_observers_advance(b->group, &f->error));
}

static void is_told(broken *b, int which) {
    fixture *f = b->f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    MUST(strata_observers_next(b->group, &observer, &changes, &f->error));
    CHECK(observer == b->all[which]);
}

static void is_at_end(broken *b) {
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    CHECK_EQ(strata_observers_next(b->group, &observer, &changes, &b->f->error), STRATA_END);
    CHECK(observer == NULL);
}

static void fails(broken *b, int which) {
    fixture *f = b->f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    REFUSED(strata_observers_next(b->group, &observer, &changes, &f->error), STRATA_MISUSE, "Thing has no column 0");
    CHECK(observer == b->all[which]);
}

/* The others are told first, each failure names its observer once, and a program can go on without it. */
void test_observers_that_fail_keep_nobody_from_being_told(void) {
    broken b = begin();
    for (int64_t round = 2; round < 5; round++) {
        change(&b, round);
        is_told(&b, ALL);
        is_told(&b, OF_OBJECT);
        fails(&b, BY_VALUE);
        fails(&b, IN_ORDER);
        is_at_end(&b);
        is_at_end(&b);
    }
    /* A loop that ends with the first failure begins anew with the next advance. */
    change(&b, 5);
    is_told(&b, ALL);
    is_told(&b, OF_OBJECT);
    fails(&b, BY_VALUE);
    strata_observer_remove(b.all[BY_VALUE]);
    change(&b, 6);
    is_told(&b, ALL);
    is_told(&b, OF_OBJECT);
    strata_observer_remove(b.all[IN_ORDER]); /* which would fail next */
    is_at_end(&b);
    change(&b, 7);
    is_told(&b, ALL);
    is_told(&b, OF_OBJECT);
    is_at_end(&b);
    end(&b);
}

/* An observer that fails is named also if it is the only one that has something to tell, and one that is held is woken
 * although it will fail. */
void test_observers_that_fail_beside_silent_ones(void) {
    broken b = begin();
    fixture *f = b.f;
    strata_changes changes = strata_changes_blank();
    MUST(strata_observers_advance(b.group, &f->error));
    is_told(&b, ALL);
    is_told(&b, OF_OBJECT);
    fails(&b, BY_VALUE);
    strata_observer_hold(b.all[IN_ORDER]); /* between its first try and the second */
    is_told(&b, IN_ORDER);
    REFUSED(strata_observer_ask(b.all[IN_ORDER], &changes, &f->error), STRATA_MISUSE, "Thing has no column 0");
    is_at_end(&b);
    end(&b);
}
