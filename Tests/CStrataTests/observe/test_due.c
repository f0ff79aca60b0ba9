/* SPDX-License-Identifier: MIT
 * test_due.c -- observers that are due are told in the order in which they were made, and which commits they need is
 * known without a look at all of them. */
#include "observe/due.h"

#include <stdlib.h>

#include "tests.h"

enum { OBSERVERS = 2000 };

static strata_observer *make_observers(void) {
    strata_observer *all = calloc(OBSERVERS, sizeof *all);
    CHECK(all != NULL);
    for (uint64_t i = 0; i < OBSERVERS; i++) all[i].number = i + 1;
    return all;
}

/* Compares both orders with what the observers say themselves. */
static void check(const st_due *due, const strata_observer *all) {
    uint64_t known = UINT64_MAX;
    const strata_observer *next = due->first, *last = NULL;
    for (int i = 0; i < OBSERVERS; i++) {
        if (!all[i].due) continue;
        CHECK(next == &all[i]);
        CHECK(next->previous_due == last);
        last = next;
        next = next->next_due;
        if (all[i].seen < known) known = all[i].seen;
    }
    CHECK(next == NULL && due->last == last);
    CHECK_EQ(st_due_known(due, UINT64_MAX), known);
}

void test_due_is_kept_in_both_orders(void) {
    uint64_t random = ctest_seed(), now = 0;
    strata_observer *all = make_observers();
    st_due due = { 0 };
    for (int round = 0; round < 300; round++) {
        for (uint64_t n = ctest_random(&random) % 50; n > 0; n--) {
            strata_observer *o = &all[ctest_random(&random) % OBSERVERS];
            if (!o->due) st_due_mark(&due, o, now - (now > 0 && ctest_random(&random) % 8 == 0));
        }
        st_due_order(&due);
        check(&due, all);
        now += ctest_random(&random) % 2;
        for (uint64_t n = ctest_random(&random) % 100; n > 0; n--) {
            strata_observer *o = &all[ctest_random(&random) % OBSERVERS];
            if (!o->due) continue;
            if (ctest_random(&random) % 4 == 0) st_due_know(&due, o, now);
            else st_due_remove(&due, o);
        }
        check(&due, all);
    }
    free(all);
}

/* Whoever goes, the next one that needs most is at hand: no removal looks at those who stay. */
void test_due_removals_take_no_steps(void) {
    enum { COMMITS = 10 };
    strata_observer *all = make_observers();
    st_due due = { 0 };
    for (uint64_t i = 0; i < OBSERVERS; i++) st_due_mark(&due, &all[i], i * COMMITS / OBSERVERS);
    st_due_order(&due);
    for (uint64_t i = 0; i < OBSERVERS / 4; i++) st_due_know(&due, &all[4 * i], COMMITS);
    for (uint64_t i = 0; i < OBSERVERS; i++) { /* from both ends and the middle */
        uint64_t at = i % 2 == 0 ? i / 2 : OBSERVERS - 1 - i / 2;
        st_due_remove(&due, &all[at]);
        if (i % 100 == 0) check(&due, all);
    }
    CHECK(due.first == NULL && due.oldest == NULL && due.newest == NULL);
    CHECK_EQ(due.steps, 0);
    free(all);
}
