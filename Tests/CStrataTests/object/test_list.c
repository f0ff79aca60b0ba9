/* SPDX-License-Identifier: MIT
 * test_list.c -- lists of every size, and what is refused. */
#include <stdio.h>

#include "support/strata_support.h"

/* Owner: name (string), items (list of Item), more (list of Item), owners (list of Owner);  Item: number (int) */
enum { OWNER, ITEM };
enum { NAME, ITEMS, MORE, OWNERS };
enum { SMALL_KEYS = 100, MOST = 20000 };

static uint64_t apply_owners(fixture *f) {
    strata_column_spec owner[] = { column("name", STRATA_STRING, 0), list_of("items", "Item"),
                                   list_of("more", "Item"), list_of("owners", "Owner") };
    strata_column_spec item[] = { column("number", STRATA_INT, 0) };
    strata_table_spec tables[] = { { "Owner", 0, 4, owner }, { "Item", 0, 1, item } };
    MUST(apply(f, 0, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 70000; i++) ADD(ITEM, strata_int(i)); /* keys of one, two and three bytes */
    uint64_t key = ADD(OWNER, value_of("o"));
    MUST(strata_view_commit(f->view, &f->error));
    return key;
}

static void check_list(fixture *f, strata_row *row, uint32_t number, const uint64_t *expected, uint64_t count) {
    static uint64_t keys[MOST + 1];
    uint64_t size;
    MUST(strata_collection_size(row, number, &size, &f->error));
    CHECK_EQ(size, count);
    MUST(get_keys(row, number, 0, count, keys, &f->error));
    CHECK(count == 0 || memcmp(keys, expected, count * sizeof *keys) == 0);
    if (count < 3) return;
    MUST(get_keys(row, number, count / 2, count / 3, keys, &f->error));
    CHECK(memcmp(keys, expected + count / 2, count / 3 * sizeof *keys) == 0);
}

void test_list_refuses(void) {
    fixture *f = fixture_open_memory();
    uint64_t owner = apply_owners(f), keys[] = { 1, 2, 3, 99999 }, out[4], position;
    strata_row row = row_of(f, OWNER, owner), item = row_of(f, ITEM, 1);
    REFUSED(insert_keys(&row, ITEMS, 0, keys, 1, &f->error), STRATA_NOT_WRITING, "begin");
    REFUSED(strata_collection_size(&item, 0, out, &f->error), STRATA_MISUSE, "Item.number", "not a collection");
    REFUSED(strata_collection_size(&row, 9, out, &f->error), STRATA_MISUSE, "Owner", "9");
    CHECK_EQ(out[0], 0);
    for (int stored = 0; stored < 2; stored++) {
        MUST(strata_view_begin(f->view, &f->error));
        uint64_t size;
        MUST(strata_collection_size(&row, ITEMS, &size, &f->error));
        CHECK_EQ(size, 3 * (uint64_t)stored);
        if (!stored) MUST(insert_keys(&row, ITEMS, 0, keys, 3, &f->error));
        REFUSED(insert_keys(&row, ITEMS, 4, keys, 1, &f->error), STRATA_RANGE, "position 4", "Owner.items",
                "3 elements");
        REFUSED(insert_keys(&row, ITEMS, 0, keys, 4, &f->error), STRATA_MISUSE, "Owner.items", "99999", "Item");
        REFUSED(set_key(&row, ITEMS, 3, 1, &f->error), STRATA_RANGE, "position 3");
        REFUSED(set_key(&row, ITEMS, 0, 0, &f->error), STRATA_MISUSE, "Owner.items", "object 0");
        REFUSED(strata_collection_remove(&row, ITEMS, 1, 3, &f->error), STRATA_RANGE, "position 3");
        REFUSED(strata_collection_remove(&row, ITEMS, UINT64_MAX, 1, &f->error), STRATA_RANGE, "Owner.items");
        REFUSED(strata_collection_remove(&row, ITEMS, 1, UINT64_MAX, &f->error), STRATA_RANGE, "Owner.items");
        REFUSED(get_keys(&row, ITEMS, 2, 2, out, &f->error), STRATA_RANGE, "position 3");
        REFUSED(get_keys(&row, ITEMS, UINT64_MAX, UINT64_MAX, out, &f->error), STRATA_RANGE, "Owner.items");
        REFUSED(insert_keys(&row, NAME, 0, keys, 1, &f->error), STRATA_MISUSE, "Owner.name", "not a list");
        CHECK_EQ(find_key(&row, ITEMS, 4, 0, &position, &f->error), STRATA_NOT_FOUND);
        CHECK_EQ(find_key(&row, ITEMS, 1, 1, &position, &f->error), STRATA_NOT_FOUND);
        CHECK_EQ(find_key(&row, ITEMS, 1, UINT64_MAX, &position, &f->error), STRATA_NOT_FOUND);
        MUST(strata_collection_remove(&row, ITEMS, 3, 0, &f->error));
        MUST(insert_keys(&row, ITEMS, 3, keys, 0, &f->error));
        check_list(f, &row, ITEMS, keys, 3);
        MUST(strata_view_commit(f->view, &f->error));
        check_list(f, &row, ITEMS, keys, 3);
        verify(f);
    }
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_delete(f->view, OWNER, owner, &f->error));
    CHECK_EQ(insert_keys(&row, ITEMS, 0, keys, 1, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_collection_size(&row, ITEMS, out, &f->error), STRATA_NOT_FOUND);
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(get_keys(&row, ITEMS, 0, 0, out, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    verify(f);
    fixture_close(f);
}

/* Random edits that take a list through all its forms: empty, in its row, in blocks, and back. */
void test_list_against_an_array(void) {
    static uint64_t model[MOST], kept[MOST], keys[4000];
    uint64_t random = ctest_seed(), count = 0, kept_count = 0;
    fixture *f = fixture_open("list");
    uint64_t owner = apply_owners(f);
    for (int round = 0; round < 60; round++) {
        MUST(strata_view_begin(f->view, &f->error));
        strata_row row = row_of(f, OWNER, owner);
        bool growing = round / 12 % 2 == 0;
        for (uint64_t edits = ctest_random(&random) % 30; edits > 0; edits--) {
            uint64_t position = ctest_random(&random) % (count + 1), some = ctest_random(&random) % 40;
            if (ctest_random(&random) % 9 == 0) some *= 60;
            uint64_t limit = ctest_random(&random) % 3 == 0 ? 70000 : SMALL_KEYS;
            for (uint64_t i = 0; i < some; i++) keys[i] = 1 + ctest_random(&random) % limit;
            uint64_t kind = ctest_random(&random) % 4;
            if (kind == 0 && count > 0) {
                position %= count;
                MUST(set_key(&row, ITEMS, position, keys[0] = 1 + ctest_random(&random) % limit, &f->error));
                model[position] = keys[0];
            } else if (kind <= (growing ? 2u : 1u) && count + some <= MOST) {
                if (ctest_random(&random) % 2 == 0) position = count;
                MUST(insert_keys(&row, ITEMS, position, keys, some, &f->error));
                memmove(model + position + some, model + position, (count - position) * sizeof *model);
                memcpy(model + position, keys, some * sizeof *model);
                count += some;
            } else {
                if (!growing) some *= 20;
                if (some > count - position) some = count - position;
                MUST(strata_collection_remove(&row, ITEMS, position, some, &f->error));
                memmove(model + position, model + position + some, (count - position - some) * sizeof *model);
                count -= some;
            }
            uint64_t found, wanted = 1 + ctest_random(&random) % SMALL_KEYS, at = 0;
            while (at < count && model[at] != wanted) at++;
            CHECK_EQ(find_key(&row, ITEMS, wanted, 0, &found, &f->error), at < count ? 0 : STRATA_NOT_FOUND);
            CHECK_EQ(found, at < count ? at : 0);
        }
        check_list(f, &row, ITEMS, model, count);
        if (round % 5 == 4) {
            strata_view_cancel(f->view);
            memcpy(model, kept, kept_count * sizeof *model);
            count = kept_count;
        } else {
            MUST(strata_view_commit(f->view, &f->error));
            memcpy(kept, model, count * sizeof *model);
            kept_count = count;
        }
        check_list(f, &row, ITEMS, model, count);
        verify(f);
    }
    MUST(strata_view_begin(f->view, &f->error));
    strata_row row = row_of(f, OWNER, owner);
    MUST(strata_collection_remove(&row, ITEMS, 0, count, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    verify(f);
    fixture_close(f);
}

/* Two lists of a row, one of them with the row itself, with a flush between any two changes. */
void test_list_edits_survive_a_flush(void) {
    fixture *f = fixture_open_memory();
    uint64_t owner = apply_owners(f), keys[600], self[600], size;
    MUST(strata_view_begin(f->view, &f->error));
    strata_row row = row_of(f, OWNER, owner);
    for (uint64_t i = 0; i < 600; i++) {
        strata_cursor *cursor;
        keys[i] = 70000 - i;
        self[i] = owner;
        MUST(insert_keys(&row, ITEMS, i, &keys[i], 1, &f->error));
        MUST(insert_keys(&row, OWNERS, 0, &owner, 1, &f->error));
        if (i % 50 != 0) continue;
        MUST(strata_scan(f->view, OWNER, false, &cursor, &f->error)); /* needs the trees */
        strata_cursor_close(cursor);
        check_list(f, &row, ITEMS, keys, i + 1);
        check_list(f, &row, OWNERS, self, i + 1);
        MUST(strata_collection_size(&row, MORE, &size, &f->error));
        CHECK_EQ(size, 0);
    }
    check_list(f, &row, ITEMS, keys, 600);
    check_list(f, &row, OWNERS, self, 600);
    CHECK_EQ(backlinks(f, OWNER, owner, OWNER, OWNERS), 600);
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_unlink(f->view, OWNER, owner, &f->error));
    MUST(strata_collection_size(&row, OWNERS, &size, &f->error));
    CHECK_EQ(size, 0);
    check_list(f, &row, ITEMS, keys, 600);
    MUST(strata_object_delete(f->view, OWNER, owner, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    verify(f);
    fixture_close(f);
}
