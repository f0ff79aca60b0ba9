/* SPDX-License-Identifier: MIT
 * test_found.c -- the changes that an observer tells of, also where there is no memory to tell them. */
#include <errno.h>
#include <string.h>

#include "observe/found.h"
#include "support/faults.h"
#include "tests.h"

enum { CHANGES = 40 };

/* All in descending order, columns and paths each twice, so that they have to be sorted. */
static void find(st_found *found, uint64_t count) {
    for (uint64_t i = count; i > 0; i--) {
        CHECK(st_positions_add(&found->deletions, i) && st_positions_add(&found->insertions, i));
        CHECK(st_found_modified(found, i, 2 * i));
        for (int twice = 0; twice < 2; twice++)
            CHECK(st_positions_add(&found->columns, i) && st_positions_add(&found->paths, i + 7));
    }
}

static void check_told(const strata_changes *told, uint64_t count) {
    CHECK_EQ(told->deletion_count, count);
    CHECK_EQ(told->insertion_count, count);
    CHECK_EQ(told->modification_count, count);
    CHECK_EQ(told->column_count, count);
    CHECK_EQ(told->path_count, count);
    for (uint64_t i = 0; i < count; i++) {
        CHECK(told->deletions[i] == i + 1 && told->insertions[i] == i + 1);
        CHECK(told->modifications[i] == i + 1 && told->modifications_after[i] == 2 * i + 2);
        CHECK(told->columns[i] == i + 1 && told->paths[i] == i + 8);
    }
}

/* Whichever allocation fails, the next try tells the same, with the memory of the one before or with more. */
void test_found_is_told_after_memory_ran_out(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    bool met = true;
    for (unsigned n = 1; met; n++) {
        long blocks = fault_blocks();
        st_found found = { 0 };
        strata_changes told = strata_changes_blank();
        find(&found, 3);
        CHECK(st_found_tell(&found, &told));
        check_told(&told, 3);
        st_found_reset(&found);
        find(&found, CHANGES);
        fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
        bool done = st_found_tell(&found, &told);
        met = fault_clear();
        CHECK_EQ(done, !met);
        CHECK(st_found_tell(&found, &told));
        check_told(&told, CHANGES);
        st_found_free(&found);
        CHECK_EQ(fault_blocks(), blocks);
        CHECK(met || n > 5);
    }
}
