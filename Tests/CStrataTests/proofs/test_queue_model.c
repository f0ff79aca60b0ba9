/* SPDX-License-Identifier: MIT
 *
 * test_queue_model.c -- groups of queued writes, each of which does anything, early or late, and is committed or
 * dropped: at every moment the file holds what plain values say.
 */
#include "strata_blob.h"
#include "support/queue_support.h"

enum { ROUNDS = 300, VIEWS = 6, IDS = 60, LARGEST = 400000, ENORMOUS = 16 << 20 };

typedef struct item {
    bool there;
    int64_t group;
    uint64_t text, data; /* the sizes, which are also the seeds of the bytes; 0: null */
} item;

typedef struct model {
    item items[IDS];
} model;

typedef struct part {
    fixture *f;
    strata_view *view;
    model *now;
    uint64_t *random;
} part;

static uint64_t below(const part *p, uint64_t bound) { return ctest_random(p->random) % bound; }

static strata_row bind(const part *p, int id) {
    fixture *f = p->f;
    uint64_t key;
    strata_row row;
    strata_value wanted = strata_int(id);
    MUST(strata_object_find(p->view, ITEM, &wanted, &key, &f->error));
    MUST(strata_row_bind(p->view, ITEM, key, &row, &f->error));
    return row;
}

static uint8_t *bytes_of(uint32_t column, uint64_t size) {
    uint8_t *bytes = pattern(size + 1, size);
    for (uint64_t i = 0; column == ITEM_TEXT && i < size; i++) bytes[i] = (uint8_t)('a' + bytes[i] % 26);
    return bytes;
}

static void store(const part *p, int id, uint32_t column, uint64_t size) {
    fixture *f = p->f;
    strata_row row = bind(p, id);
    uint8_t *bytes = bytes_of(column, size);
    strata_value value = size == 0 ? strata_null() : column == ITEM_TEXT ? strata_string((char *)bytes, size)
                                                                         : strata_data(bytes, size);
    MUST(strata_row_set(&row, column, &value, &f->error));
    free(bytes);
    if (column == ITEM_TEXT) p->now->items[id].text = size;
    else p->now->items[id].data = size;
}

static uint64_t count_group(const part *p, int64_t group) {
    fixture at = { .store = p->f->store, .view = p->view };
    strata_value value = strata_int(group);
    return index_count(&at, ITEM, ITEM_GROUP, &value);
}

static void check_groups(const part *p) {
    for (int64_t group = 0; group < 4; group++) {
        uint64_t expected = 0;
        for (int id = 0; id < IDS; id++) expected += p->now->items[id].there && p->now->items[id].group == group;
        CHECK_EQ(count_group(p, group), expected);
    }
}

static void remove_item(const part *p, int id) {
    fixture *f = p->f;
    strata_row row = bind(p, id);
    MUST(strata_object_delete(p->view, ITEM, row.key, &f->error));
    p->now->items[id] = (item){ 0 };
}

static void create(const part *p, int id) {
    fixture *f = p->f;
    uint64_t key;
    strata_value values[] = { strata_int(id), strata_int((int64_t)below(p, 4)) };
    if (p->now->items[id].there) {
        CHECK_EQ(strata_object_create(p->view, ITEM, values, 2, &key, &f->error), STRATA_DUPLICATE);
        return;
    }
    MUST(strata_object_create(p->view, ITEM, values, 2, &key, &f->error));
    p->now->items[id] = (item){ true, values[1].as.integer, 0, 0 };
}

static void change(const part *p) {
    static const uint32_t table = ITEM;
    fixture *f = p->f;
    int id = (int)below(p, IDS);
    bool there = p->now->items[id].there;
    uint64_t what = below(p, 100);
    if (what < 30 || (!there && what < 90)) {
        create(p, id);
    } else if (what < 50) {
        strata_row row = bind(p, id);
        strata_value value = strata_int((int64_t)below(p, 4));
        MUST(strata_row_set(&row, ITEM_GROUP, &value, &f->error));
        p->now->items[id].group = value.as.integer;
    } else if (what < 60) {
        store(p, id, ITEM_TEXT, below(p, 3) * below(p, 3000));
    } else if (what < 75) {
        store(p, id, ITEM_DATA, below(p, 2) * below(p, LARGEST));
    } else if (what < 90) {
        remove_item(p, id);
    } else if (what < 97) {
        check_groups(p);
    } else if (what < 98) {
        MUST(strata_tables_clear(p->view, &table, 1, &f->error));
        *p->now = (model){ 0 };
    } else if (there && below(p, 4) == 0) {
        store(p, id, ITEM_DATA, ENORMOUS);
    }
}

static void check_cell(const part *p, strata_row *row, uint32_t column, uint64_t size) {
    fixture *f = p->f;
    uint64_t stored;
    size_t got;
    MUST(strata_blob_size(row, column, &stored, &f->error));
    CHECK_EQ(stored, size);
    uint8_t *expected = bytes_of(column, size), *found = malloc(size + 1);
    CHECK(found != NULL);
    MUST(strata_blob_read(row, column, 0, found, size, &got, &f->error));
    CHECK_EQ(got, size);
    CHECK(memcmp(found, expected, size) == 0);
    free(expected);
    free(found);
}

/* Everything is as the model says. */
static void compare(const part *p) {
    fixture *f = p->f;
    uint64_t count, expected = 0;
    for (int id = 0; id < IDS; id++) {
        const item *it = &p->now->items[id];
        expected += it->there;
        if (!it->there) continue;
        strata_row row = bind(p, id);
        strata_value value;
        MUST(strata_row_get(&row, ITEM_GROUP, &value, &f->error));
        CHECK_EQ(value.as.integer, it->group);
        check_cell(p, &row, ITEM_TEXT, it->text);
        check_cell(p, &row, ITEM_DATA, it->data);
    }
    MUST(strata_table_size(p->view, ITEM, &count, &f->error));
    CHECK_EQ(count, expected);
}

/* One write of a group. Just before it ends, one of those behind it may be cancelled, too. */
static bool write_part(part *p, request *r, const request *behind) {
    fixture *f = p->f;
    model before = *p->now;
    if (request_granted(r) != STRATA_OK || strata_view_begin_granted(p->view, r->handle, &f->error) != STRATA_OK)
        return false; /* a busy machine */
    if (below(p, 3) == 0) compare(p);
    for (uint64_t changes = below(p, 12); changes > 0; changes--) change(p);
    if (behind != NULL && below(p, 4) == 0) strata_queued_write_cancel(behind->handle);
    if (below(p, 3) == 0) {
        strata_view_cancel(p->view);
        *p->now = before;
        return false;
    }
    MUST(strata_view_commit(p->view, &f->error));
    return true;
}

static void write_group(part *p, strata_view **views) {
    fixture *f = p->f;
    request *requests[VIEWS];
    bool kept[VIEWS];
    uint64_t count = 1 + below(p, VIEWS);
    for (uint64_t i = 0; i < count; i++) requests[i] = request_make(f, views[i], STRATA_STORE_WAIT);
    for (uint64_t i = 0; i < count; i++) {
        p->view = views[i];
        kept[i] = write_part(p, requests[i], i + 1 < count ? requests[i + 1 + below(p, count - i - 1)] : NULL);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (kept[i]) CHECK_EQ(request_done(requests[i]), STRATA_OK);
        request_free(requests[i]);
    }
    p->view = f->view;
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    compare(p);
}

void test_queue_model(void) {
    uint64_t random = ctest_seed();
    ctest_directory_in_memory();
    fixture *f = fixture_open("file");
    model now = { 0 };
    strata_view *views[VIEWS];
    make_items(f);
    for (int i = 0; i < VIEWS; i++) MUST(strata_view_open(f->store, &views[i], &f->error));
    part p = { f, NULL, &now, &random };
    for (unsigned round = 0; round < ctest_rounds(ROUNDS); round++) {
        write_group(&p, views);
        check_groups(&p);
        if (round % 20 == 0) verify(f);
    }
    for (int i = 0; i < VIEWS; i++) strata_view_close(views[i]);
    verify(f);
    fixture_close(f);
}
