/* SPDX-License-Identifier: MIT
 * test_queue_memory.c -- allocation number N fails while queued writes are made, for every N: each of them succeeds or
 * fails as a whole and says so, and the queue goes on. */
#include <errno.h>
#include <limits.h>

#include "support/faults.h"
#include "support/queue_support.h"

enum { WRITES = 3 };

/* One queued write: an item with data that is stored at once. The last one but one is dropped after that. */
static strata_status write_one(strata_view *view, request *r, int64_t id, const uint8_t *bytes, strata_error *error) {
    uint64_t key;
    strata_value values[] = { strata_int(id), strata_int(id), strata_null(), strata_data(bytes, 200000) };
    strata_status status = request_granted(r);
    if (status == STRATA_OK) status = strata_view_begin_granted(view, r->handle, error);
    if (status != STRATA_OK) return status;
    status = strata_object_create(view, ITEM, values, 4, &key, error);
    if (status == STRATA_OK && id != WRITES - 2) return strata_view_commit(view, error);
    strata_view_cancel(view);
    return status == STRATA_OK ? STRATA_BUSY : status;
}

/* False if there were fewer than `n` allocations. */
static bool run_short_of_memory(const uint8_t *bytes, unsigned n, bool rest) {
    fixture *f = fixture_open_memory();
    strata_view *views[WRITES];
    request requests[WRITES];
    strata_status asked[WRITES], written[WRITES];
    uint64_t expected = 0, count;
    make_items(f);
    for (int i = 0; i < WRITES; i++) MUST(strata_view_open(f->store, &views[i], &f->error));
    fault_set(FAULT_ALLOCATION, n, rest ? UINT_MAX : 1, ENOMEM);
    for (int i = 0; i < WRITES; i++) asked[i] = request_ask(&requests[i], views[i], STRATA_STORE_WAIT, &f->error);
    for (int i = 0; i < WRITES; i++) {
        written[i] = asked[i];
        if (asked[i] == STRATA_OK) written[i] = write_one(views[i], &requests[i], i, bytes, &f->error);
    }
    for (int i = 0; i < WRITES; i++) {
        if (written[i] == STRATA_OK) written[i] = request_done(&requests[i]);
        strata_queued_write_free(requests[i].handle);
        expected += written[i] == STRATA_OK;
    }
    bool met = fault_clear();
    for (int i = 0; i < WRITES; i++) {
        CHECK(written[i] == STRATA_OK || written[i] == STRATA_NO_MEMORY || written[i] == STRATA_BUSY);
        strata_view_close(views[i]);
    }
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_table_size(f->view, ITEM, &count, &f->error));
    CHECK_EQ(count, expected);
    request *r = request_begun(f, f->view);
    request_commit(f, f->view, r);
    verify(f);
    fixture_close(f);
    return met;
}

void test_queue_memory_runs_out_at_every_allocation(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    uint8_t *bytes = pattern(200000, 4);
    for (int rest = 0; rest < 2; rest++) {
        unsigned n = 1;
        while (run_short_of_memory(bytes, n, rest)) n++;
        CHECK(n > 20);
    }
    free(bytes);
}
