/* SPDX-License-Identifier: MIT
 * test_observers_behind.c -- observers that begin in a view that is behind, or between the writes of a transaction. */
#include <string.h>

#include "strata_observer.h"
#include "support/queue_support.h"

enum { GROUPS = 3, MOST_ITEMS = 60 };

/* An observer, and the keys that whoever follows it shows. */
typedef struct follower {
    strata_observers *group; /* NULL: it has not begun */
    uint64_t shown[MOST_ITEMS];
    uint64_t count;
} follower;

typedef struct behind {
    fixture *f;
    strata_view *other; /* writes; that of the fixture is the one that is behind */
    follower all[GROUPS];
    uint64_t random;
    int64_t last_id;
} behind;

static uint64_t pick(behind *b, uint64_t limit) { return ctest_random(&b->random) % limit; }

static strata_query by_group(void) {
    static const strata_step step = { .column = ITEM_GROUP };
    static const strata_sort sort = { &step, 1, false };
    static const strata_stage stage = { STRATA_STAGE_SORT, 1, &sort, 0, 0 };
    strata_query query = strata_query_blank();
    query.table = ITEM;
    query.stages = &stage;
    query.stage_count = 1;
    return query;
}

static uint64_t read_all(behind *b, strata_view *view, uint64_t *out) {
    fixture *f = b->f;
    const strata_query query = by_group();
    strata_keys keys;
    MUST(strata_query_run(view, &query, &keys, NULL, &f->error));
    uint64_t count = keys.count;
    CHECK(count <= MOST_ITEMS);
    if (count != 0) memcpy(out, keys.data, count * sizeof *out);
    strata_keys_free(&keys);
    return count;
}

/* ---- Writes ------------------------------------------------------------- */

static void change_one(behind *b, strata_view *view) {
    fixture *f = b->f;
    uint64_t keys[MOST_ITEMS], key, what = pick(b, 4), size = read_all(b, view, keys);
    if (size < 5 || (what == 0 && size < MOST_ITEMS - 10)) {
        const strata_value values[] = { strata_int(++b->last_id), strata_int((int64_t)pick(b, 20)) };
        MUST(strata_object_create(view, ITEM, values, 2, &key, &f->error));
        return;
    }
    key = keys[pick(b, size)];
    if (what == 1) {
        MUST(strata_object_delete(view, ITEM, key, &f->error));
        return;
    }
    strata_row row;
    const strata_value group = strata_int((int64_t)pick(b, 20));
    MUST(strata_row_bind(view, ITEM, key, &row, &f->error));
    MUST(strata_row_set(&row, ITEM_GROUP, &group, &f->error));
}

static void write_with(behind *b, strata_view *view) {
    fixture *f = b->f;
    MUST(strata_view_begin(view, &f->error));
    for (uint64_t i = pick(b, 3); i > 0; i--) change_one(b, view);
    MUST(strata_view_commit(view, &f->error));
}

static void come_or_go(behind *b);

/* Writes that share a transaction; observers come and go between them. */
static void write_together(behind *b) {
    fixture *f = b->f;
    queued_group group;
    queued_group_ask(f, &group, 3);
    for (uint32_t i = 0; i < group.count; i++) {
        change_one(b, queued_group_begin(f, &group, i));
        queued_group_finish(f, &group, i, true);
        if (pick(b, 3) == 0) come_or_go(b);
    }
    queued_group_end(&group);
}

/* ---- Observers ---------------------------------------------------------- */

static void come_or_go(behind *b) {
    fixture *f = b->f;
    follower *one = &b->all[pick(b, GROUPS)];
    if (one->group != NULL) {
        strata_observers_close(one->group);
        one->group = NULL;
        return;
    }
    const strata_query query = by_group();
    const strata_key_paths all = { NULL, 0, true };
    strata_observer *observer;
    MUST(strata_observers_open(f->view, &one->group, &f->error));
    MUST(strata_observe_query(one->group, &query, &all, NULL, &observer, &f->error));
    one->count = read_all(b, f->view, one->shown);
}

static void apply_changes(behind *b, follower *one, const strata_changes *changes) {
    uint64_t now[MOST_ITEMS], count = read_all(b, b->f->view, now);
    for (uint64_t i = changes->deletion_count; i > 0; i--) {
        uint64_t at = changes->deletions[i - 1];
        CHECK(at < one->count);
        memmove(&one->shown[at], &one->shown[at + 1], (--one->count - at) * sizeof *one->shown);
    }
    for (uint64_t i = 0; i < changes->insertion_count; i++) {
        uint64_t at = changes->insertions[i];
        CHECK(at <= one->count && at < count && one->count < MOST_ITEMS);
        memmove(&one->shown[at + 1], &one->shown[at], (one->count++ - at) * sizeof *one->shown);
        one->shown[at] = now[at];
    }
}

static void follow(behind *b, follower *one) {
    fixture *f = b->f;
    strata_observer *observer;
    strata_changes changes = strata_changes_blank();
    strata_status status;
    MUST(strata_observers_advance(one->group, &f->error));
    while ((status = strata_observers_next(one->group, &observer, &changes, &f->error)) == STRATA_OK)
        apply_changes(b, one, &changes);
    CHECK_EQ(status, STRATA_END);
    uint64_t now[MOST_ITEMS];
    CHECK_EQ(read_all(b, b->f->view, now), one->count);
    CHECK(memcmp(now, one->shown, one->count * sizeof *now) == 0);
}

static void step(behind *b) {
    fixture *f = b->f;
    switch (pick(b, 6)) {
    case 0: come_or_go(b); break;
    case 1: write_together(b); break;
    case 2: write_with(b, f->view); break;
    case 3: MUST(strata_view_refresh(f->view, NULL, &f->error)); break;
    default: write_with(b, b->other); break;
    }
    if (pick(b, 2) == 0) return;
    for (int i = 0; i < GROUPS; i++)
        if (b->all[i].group != NULL) follow(b, &b->all[i]);
}

/* What was committed between what the view shows and the beginning of the feed has no record. */
void test_observers_that_begin_behind_tell_the_difference(void) {
    fixture *f = fixture_open("file");
    behind b = { .f = f, .random = ctest_seed() };
    make_items(f);
    MUST(strata_view_open(f->store, &b.other, &f->error));
    for (unsigned round = 0; round < ctest_rounds(3000); round++) step(&b);
    for (int i = 0; i < GROUPS; i++) strata_observers_close(b.all[i].group);
    strata_view_close(b.other);
    fixture_close(f);
}
