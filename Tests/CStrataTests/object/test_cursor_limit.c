/* SPDX-License-Identifier: MIT
 * test_cursor_limit.c -- a table scan ends where the table ended when it began. */
#include "support/strata_support.h"
#include "write/flush.h"

/* Objects that were created after the cursor are in the block it stands on, and right behind the last one it may
 * return. */
void test_cursor_ends_where_the_table_ended(void) {
    enum { BEFORE = 10, BEHIND = 5 };
    for (int removes_last = 0; removes_last < 2; removes_last++) {
        strata_column_spec columns[] = { column("number", STRATA_INT, 0) };
        const strata_table_spec table = { "Thing", 0, 1, columns };
        strata_cursor *cursor;
        strata_row row;
        uint64_t seen = 0;
        fixture *f = fixture_open_memory();
        MUST(apply(f, 0, &table, 1));
        MUST(strata_view_begin(f->view, &f->error));
        for (int i = 0; i < BEFORE; i++) ADD(0, strata_int(i));
        MUST(strata_scan(f->view, 0, false, &cursor, &f->error));
        for (; seen < BEFORE / 2; seen++) MUST(strata_cursor_next(cursor, &row, &f->error));
        if (removes_last) MUST(strata_object_delete(f->view, 0, BEFORE, &f->error));
        for (int i = 0; i < BEHIND; i++) ADD(0, strata_int(i));
        MUST(st_writes_flush(f->view, &f->error));
        strata_status status;
        while ((status = strata_cursor_next(cursor, &row, &f->error)) == STRATA_OK) CHECK_EQ(row.key, ++seen);
        CHECK_EQ(status, STRATA_END);
        CHECK_EQ(seen, removes_last ? BEFORE - 1 : BEFORE);
        strata_cursor_close(cursor);
        strata_view_cancel(f->view);
        fixture_close(f);
    }
}
