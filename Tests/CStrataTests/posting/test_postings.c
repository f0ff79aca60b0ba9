/* SPDX-License-Identifier: MIT
 * test_postings.c -- sets of postings against a plain sorted array. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "posting/postings_apply.h"
#include "posting/postings_check.h"
#include "posting/postings_count.h"
#include "posting/postings_name.h"
#include "posting/postings_read.h"
#include "posting/postings_total.h"
#include "store/lmdb_status.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"
#include "value/key.h"

/* ---- The model -------------------------------------------------------- */

typedef struct entry {
    uint8_t value[32];
    uint8_t size;
    uint64_t key;
} entry;

/* The entries of a set, in order. */
typedef struct model {
    entry *entries;
    size_t count, capacity;
} model;

static strata_bytes value_of(const entry *e) { return bytes(e->value, e->size); }

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int order = st_compare(value_of(x), value_of(y));
    return order != 0 ? order : x->key < y->key ? -1 : x->key > y->key;
}

static size_t model_lower(const model *m, strata_bytes value, uint64_t key) {
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const entry *e = m->entries + middle;
        int order = st_compare(value_of(e), value);
        if (order < 0 || (order == 0 && e->key < key)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void model_push(model *m, const entry *e) {
    void *items = m->entries;
    CHECK(st_array_grow(&items, &m->capacity, m->count, sizeof *m->entries));
    m->entries = items;
    m->entries[m->count++] = *e;
}

/* ---- Random entries --------------------------------------------------- */

/* Shapes of values: as of numbers with many and with few different ones, of strings, and of links. */
typedef enum shape { MANY, FEW, STRINGS, LINKS, SHAPES } shape;

static entry random_entry(uint64_t *state, shape kind, uint64_t keys) {
    entry e;
    memset(&e, 0, sizeof e);
    uint64_t r = ctest_random(state);
    st_key key;
    strata_value value = strata_int((int64_t)r);
    if (kind == FEW) value = r % 17 == 0 ? strata_null() : strata_int((int64_t)(r % 7));
    bool often = r >> 40 & 1; /* a few values get many entries */
    if (kind == LINKS) value = strata_link(1 + r % (often ? 3 : 40));
    char text[16];
    int length = snprintf(text, sizeof text, "%s%u", r % 3 == 0 ? "ab" : "", (unsigned)(r >> 20) % (often ? 4 : 5000));
    if (kind == STRINGS) value = strata_string(text, (size_t)length);
    strata_type type = kind == STRINGS ? STRATA_STRING : kind == LINKS ? STRATA_LINK : STRATA_INT;
    st_key_encode(&st_hash_key_of_process, type, kind == FEW, &value, &key);
    memcpy(e.value, key.bytes, key.size);
    e.size = (uint8_t)key.size;
    e.key = 1 + ctest_random(state) % keys;
    return e;
}

/* ---- Checks ----------------------------------------------------------- */

static void must(strata_status status, const strata_error *error) {
    if (status < 0) ctest_fail(__FILE__, __LINE__, error->message);
}

static st_posting_range random_range(uint64_t *state, entry ends[2]) {
    st_posting_range range = { value_of(&ends[0]), value_of(&ends[1]), 0, 0 };
    uint64_t r = ctest_random(state);
    if (r % 8 == 0) range.low.data = NULL;
    if (r / 8 % 8 == 0) range.high.data = NULL;
    if (r / 64 % 4 == 0) range.high = range.low;
    if (r / 256 % 2 == 0) range.low_key = ends[0].key;
    range.high_key = r / 512 % 3 == 0 ? 0 : r / 512 % 3 == 1 ? UINT64_MAX : ends[1].key;
    if (r / 2048 % 16 == 0 && range.low.data != NULL && range.low.size > 2) {
        range.low.size -= 2; /* the first bytes of a value */
        range.low_key = 0;
    }
    return range;
}

static void check_range(st_txn *txn, st_posting_set set, const model *m, const st_posting_range *range) {
    strata_error error;
    size_t from = range->low.data == NULL ? 0 : model_lower(m, range->low, range->low_key);
    size_t to = range->high.data == NULL ? m->count : model_lower(m, range->high, range->high_key);
    size_t expected = to > from ? to - from : 0;
    uint64_t count, key;
    must(st_postings_count(txn, set, range, &count, &error), &error);
    CHECK_EQ(count, expected);
    strata_status status = st_postings_first(txn, set, range, &key, &error);
    must(status, &error);
    CHECK_EQ(status, expected == 0 ? STRATA_NOT_FOUND : STRATA_OK);
    if (expected != 0) CHECK_EQ(key, m->entries[from].key);

    for (int backward = 0; backward <= 1; backward++) {
        st_posting_cursor *cursor;
        strata_bytes value;
        uint64_t keys[100];
        size_t done = 0, got;
        must(st_posting_cursor_open(txn, set, range, backward != 0, &cursor, &error), &error);
        for (; done < expected && done < 300; done++) {
            const entry *e = m->entries + (backward != 0 ? to - 1 - done : from + done);
            must(status = st_posting_cursor_next(cursor, &key, done % 3 == 2 ? NULL : &value, &error), &error);
            CHECK_EQ(status, STRATA_OK);
            CHECK_EQ(key, e->key);
            if (done % 3 != 2) CHECK(st_compare(value, value_of(e)) == 0);
        }
        for (;; done += got) {
            must(st_posting_cursor_keys(cursor, keys, 100, &got, &error), &error);
            CHECK(got <= expected - done);
            for (size_t i = 0; i < got; i++) {
                CHECK_EQ(keys[i], m->entries[backward != 0 ? to - 1 - done - i : from + done + i].key);
            }
            if (got == 0) break;
        }
        CHECK_EQ(done, expected);
        CHECK_EQ(st_posting_cursor_next(cursor, &key, &value, &error), STRATA_END);
        st_posting_cursor_close(cursor);
    }
}

static uint64_t check_whole(st_txn *txn, st_posting_set set, const model *m) {
    strata_error error;
    uint64_t entries, blocks;
    must(st_postings_check(txn, set, &entries, &blocks, &error), &error);
    CHECK_EQ(entries, m->count);
    return blocks;
}

/* ---- Random operations ------------------------------------------------ */

enum { SETS = 5 };
static const st_posting_set sets[SETS] = {
    { ST_INDEX, 0 }, { ST_INDEX, 1 }, { ST_INDEX, 2 }, { ST_LINKS, 1 }, { ST_INDEX, 0xfffffffe },
};
static const shape shapes[SETS] = { MANY, FEW, STRINGS, LINKS, FEW };

/* Adds and removes `changes` random entries in the model and the batch. */
static void change(model *m, st_posting_batch *batch, uint64_t *state, shape kind, size_t changes, unsigned adding,
                   uint64_t keys) {
    model fresh = { 0 };
    bool *gone = calloc(m->count + 1, sizeof *gone);
    CHECK(gone != NULL);
    for (size_t i = 0; i < changes; i++) {
        uint64_t r = ctest_random(state);
        if (r % 100 < adding || m->count == 0) {
            entry e = random_entry(state, kind, keys);
            CHECK(st_posting_batch_add(batch, value_of(&e), e.key, true));
            if (r / 100 % 10 == 0) { /* added and taken back at once */
                CHECK(st_posting_batch_add(batch, value_of(&e), e.key, false));
            } else {
                model_push(&fresh, &e);
            }
        } else {
            size_t at = ctest_random(state) % m->count;
            if (gone[at]) continue;
            CHECK(st_posting_batch_add(batch, value_of(m->entries + at), m->entries[at].key, false));
            if (r / 100 % 10 == 0) { /* removed and put back */
                CHECK(st_posting_batch_add(batch, value_of(m->entries + at), m->entries[at].key, true));
            } else {
                gone[at] = true;
            }
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!gone[i]) m->entries[kept++] = m->entries[i];
    }
    m->count = kept;
    for (size_t i = 0; i < fresh.count; i++) model_push(m, fresh.entries + i);
    if (m->count != 0) qsort(m->entries, m->count, sizeof *m->entries, compare_entries);
    free(fresh.entries);
    free(gone);
}

void test_postings_against_a_model(void) {
    uint64_t state = ctest_seed();
    strata_error error;
    model models[SETS] = { 0 };
    st_posting_batch batch = { 0 };
    strata_store *store = must_open(ctest_path("postings"));
    for (int round = 0; round < 60; round++) {
        st_txn *txn;
        uint64_t keys = round % 4 == 0 ? 5 : 100000;
        unsigned adding = round % 20 < 12 ? 75 : round % 20 < 16 ? 45 : 3;
        must(st_writer_begin(store, &txn, &error), &error);
        for (int i = 0; i < SETS; i++) {
            size_t changes = ctest_random(&state) % 3 == 0 ? 1 + ctest_random(&state) % 8 : ctest_random(&state) % 4000;
            change(&models[i], &batch, &state, shapes[i], changes, adding, keys);
            must(st_postings_apply(txn, sets[i], &batch, &error), &error);
            CHECK_EQ(batch.count, 0);
        }
        int cleared = (int)(ctest_random(&state) % 40);
        if (cleared < SETS) {
            must(st_postings_clear(txn, sets[cleared], &error), &error);
            models[cleared].count = 0;
        }
        for (int i = 0; i < SETS; i++) check_whole(txn, sets[i], &models[i]);
        must(st_writer_commit(txn, &error), &error);
        if (round % 10 == 9) {
            strata_store_close(store);
            store = must_open(ctest_path("postings"));
        }
        must(st_snapshot_begin(store, &txn, &error), &error);
        for (int i = 0; i < SETS; i++) {
            check_whole(txn, sets[i], &models[i]);
            for (int n = 0; n < 8; n++) {
                entry ends[2] = { random_entry(&state, shapes[i], keys), random_entry(&state, shapes[i], keys) };
                st_posting_range range = random_range(&state, ends);
                check_range(txn, sets[i], &models[i], &range);
            }
        }
        st_snapshot_end(txn);
    }
    st_posting_batch_free(&batch);
    for (int i = 0; i < SETS; i++) free(models[i].entries);
    strata_store_close(store);
}

/* ---- Shapes of sets --------------------------------------------------- */

static void add_int(st_posting_batch *batch, uint64_t value, uint64_t key, bool added) {
    uint8_t big[8];
    st_store_big64(big, value);
    CHECK(st_posting_batch_add(batch, bytes(big, 8), key, added));
}

static uint64_t blocks_of(st_txn *txn, st_posting_set set, uint64_t expected) {
    strata_error error;
    uint64_t entries, blocks;
    must(st_postings_check(txn, set, &entries, &blocks, &error), &error);
    CHECK_EQ(entries, expected);
    return blocks;
}

/* Appending fills blocks, one by one or all at once; deleting most entries leaves few blocks. */
void test_postings_pack_and_shrink(void) {
    enum { COUNT = 30000 };
    strata_error error;
    st_txn *txn;
    st_posting_batch batch = { 0 };
    st_posting_set one = { ST_INDEX, 1 }, many = { ST_INDEX, 2 }, random = { ST_INDEX, 3 };
    strata_store *store = must_open(ctest_path("postings"));
    uint32_t size = st_store_block_size(store);
    must(st_writer_begin(store, &txn, &error), &error);
    for (uint64_t i = 0; i < COUNT; i++) add_int(&batch, i, i + 1, true);
    must(st_postings_apply(txn, one, &batch, &error), &error);
    uint64_t blocks = blocks_of(txn, one, COUNT);
    CHECK(blocks <= COUNT * 10 / size + 2); /* six bytes of the value differ at most, two of the key */
    for (uint64_t i = 0; i < COUNT; i++) {
        add_int(&batch, i, i + 1, true);
        if (i % 100 == 99) must(st_postings_apply(txn, many, &batch, &error), &error);
    }
    CHECK(blocks_of(txn, many, COUNT) <= blocks + 1);

    uint64_t state = ctest_seed();
    for (uint64_t i = 0; i < COUNT; i++) {
        add_int(&batch, ctest_random(&state) % 1000000, i + 1, true);
        if (i % 1000 == 999) must(st_postings_apply(txn, random, &batch, &error), &error);
    }
    CHECK(blocks_of(txn, random, COUNT) <= 2 * (COUNT * 14 / size + 1));

    for (uint64_t i = 0; i < COUNT; i++) {
        if (i % 50 != 0) add_int(&batch, i, i + 1, false);
        if (i % 700 == 0) must(st_postings_apply(txn, one, &batch, &error), &error);
    }
    must(st_postings_apply(txn, one, &batch, &error), &error);
    CHECK(blocks_of(txn, one, COUNT / 50) <= 8);
    for (uint64_t i = COUNT; i-- > 0;) { /* from the end, so that the open block empties again and again */
        add_int(&batch, i, i + 1, false);
        if (i % 300 == 0) must(st_postings_apply(txn, many, &batch, &error), &error);
    }
    CHECK_EQ(blocks_of(txn, many, 0), 0);
    must(st_writer_commit(txn, &error), &error);
    st_posting_batch_free(&batch);
    strata_store_close(store);
}

/* A list may link to one object any number of times. */
/* Adds an entry to the one block of a set, which is full, and checks about how many the first of both has then. */
static void check_cut(st_txn *txn, uint32_t id, uint64_t value, uint64_t key, uint64_t least, uint64_t most) {
    strata_error error;
    st_posting_set set = { ST_INDEX, id };
    st_posting_batch batch = { 0 };
    uint64_t entries, blocks;
    must(st_postings_check(txn, set, &entries, &blocks, &error), &error);
    CHECK_EQ(blocks, 1);
    add_int(&batch, value, key, true);
    must(st_postings_apply(txn, set, &batch, &error), &error);
    CHECK_EQ(blocks_of(txn, set, entries + 1), 2);
    st_postings_name from;
    strata_bytes name, block;
    st_postings_name_least(&from, id);
    must(st_tree_seek(txn, ST_INDEX, st_postings_name_bytes(&from), &name, &block, &error), &error);
    CHECK(st_posting_entries(block) >= least && st_posting_entries(block) <= most);
    st_posting_batch_free(&batch);
}

/* A full block becomes two. They are equally full, unless the entry came behind all others. */
void test_postings_cut_full_blocks(void) {
    strata_error error;
    st_txn *txn;
    st_posting_batch batch = { 0 };
    strata_store *store = must_open(ctest_path("postings"));
    uint32_t size = st_store_block_size(store);
    must(st_writer_begin(store, &txn, &error), &error);
    uint64_t fit = (size - ST_POSTING_HEADER - 6) / 4; /* two bytes of the value, and two of the key */
    for (uint32_t id = 1; id <= 3; id++) {
        for (uint64_t i = 0; i < fit; i++) add_int(&batch, 1000 + 10 * i, 10000 + i, true);
        must(st_postings_apply(txn, (st_posting_set){ ST_INDEX, id }, &batch, &error), &error);
    }
    check_cut(txn, 1, 1005, 20000, fit / 2, fit / 2 + 1);
    check_cut(txn, 2, 1000 + 10 * fit, 20000, fit - 10, fit);
    check_cut(txn, 3, 1005, 1, fit / 2 - 40, fit / 2 + 40); /* the least key: the block is built anew */

    /* One value with many keys; and copies of an entry in the middle of others, between which no block ends. */
    uint64_t keys = (size - ST_POSTING_HEADER - 10) / 2;
    for (uint64_t i = 0; i < keys; i++) add_int(&batch, 5, 100 + 3 * i, true);
    must(st_postings_apply(txn, (st_posting_set){ ST_INDEX, 4 }, &batch, &error), &error);
    check_cut(txn, 4, 5, 104, keys / 2, keys / 2 + 1);
    for (uint64_t i = 0; i < keys; i++)
        add_int(&batch, 5, i < 300 ? 100 + 2 * i : i < keys - 300 ? 1000 : 20000 + i, true);
    must(st_postings_apply(txn, (st_posting_set){ ST_INDEX, 5 }, &batch, &error), &error);
    check_cut(txn, 5, 5, 101, 301, 301);
    must(st_writer_commit(txn, &error), &error);
    st_posting_batch_free(&batch);
    strata_store_close(store);
}

void test_postings_copies(void) {
    enum { COPIES = 50000 };
    strata_error error;
    st_txn *txn;
    uint64_t count;
    st_posting_batch batch = { 0 };
    st_posting_set set = { ST_LINKS, 9 };
    strata_store *store = must_open(ctest_path("postings"));
    must(st_writer_begin(store, &txn, &error), &error);
    for (int i = 0; i < COPIES; i++) {
        add_int(&batch, 5, 70, true);
        if (i % 9999 == 0) must(st_postings_apply(txn, set, &batch, &error), &error);
    }
    for (uint64_t i = 0; i < 3000; i++) add_int(&batch, i % 10, i, true);
    must(st_postings_apply(txn, set, &batch, &error), &error);
    CHECK(blocks_of(txn, set, COPIES + 3000) < 12);
    uint8_t big[8];
    st_store_big64(big, 5);
    st_posting_range range = { bytes(big, 8), bytes(big, 8), 70, 71 };
    must(st_postings_count(txn, set, &range, &count, &error), &error);
    CHECK_EQ(count, COPIES);
    for (int i = 0; i < COPIES - 1; i++) add_int(&batch, 5, 70, false);
    must(st_postings_apply(txn, set, &batch, &error), &error);
    must(st_postings_count(txn, set, &range, &count, &error), &error);
    CHECK_EQ(count, 1);
    add_int(&batch, 5, 70, false);
    add_int(&batch, 5, 70, false);
    CHECK_EQ(st_postings_apply(txn, set, &batch, &error), STRATA_CORRUPT);
    st_writer_abort(txn);
    st_posting_batch_free(&batch);
    strata_store_close(store);
}

/* ---- Totals ----------------------------------------------------------- */

static const st_posting_set totals_set = { ST_INDEX, 6 };

static st_posting_range values_from(uint8_t low[8], uint64_t from, uint8_t high[8], uint64_t to) {
    st_store_big64(low, from);
    st_store_big64(high, to);
    return (st_posting_range){ bytes(low, 8), bytes(high, 8), 0, 0 };
}

static uint64_t count_range(st_txn *txn, const st_posting_range *range) {
    strata_error error;
    uint64_t count;
    must(st_postings_count(txn, totals_set, range, &count, &error), &error);
    return count;
}

static uint64_t count_value(st_txn *txn, uint64_t value) {
    uint8_t big[8];
    st_store_big64(big, value);
    st_posting_range range = st_posting_range_of(bytes(big, 8));
    return count_range(txn, &range);
}

/* The total of a value as it stands in the tree; 0 if there is none. */
static uint64_t total_of(st_txn *txn, uint64_t value) {
    strata_error error;
    strata_bytes found;
    st_postings_name name;
    uint8_t big[8];
    st_store_big64(big, value);
    st_postings_total_name(&name, totals_set.id, bytes(big, 8));
    strata_status status = st_tree_get(txn, ST_INDEX, st_postings_name_bytes(&name), &found, &error);
    must(status, &error);
    return status == STRATA_OK ? st_postings_total(found) : 0;
}

static void put_total(st_txn *txn, uint64_t value, uint64_t entries) {
    strata_error error;
    st_postings_name name;
    uint8_t big[8], total[ST_POSTINGS_TOTAL_SIZE];
    st_store_big64(big, value);
    st_store64(total, entries << 8 | ST_POSTINGS_TOTAL);
    st_postings_total_name(&name, totals_set.id, bytes(big, 8));
    must(st_tree_put(txn, ST_INDEX, st_postings_name_bytes(&name), bytes(total, sizeof total), &error), &error);
}

/* Adds or removes entries of a value, with `count` keys of which each is greater by `step`. */
static void apply_keys(st_txn *txn, uint64_t value, uint64_t from, uint64_t count, uint64_t step, bool added) {
    strata_error error;
    st_posting_batch batch = { 0 };
    for (uint64_t i = 0; i < count; i++) add_int(&batch, value, from + i * step, added);
    must(st_postings_apply(txn, totals_set, &batch, &error), &error);
}

static st_txn *begin_write(strata_store *store) {
    strata_error error;
    st_txn *txn;
    must(st_writer_begin(store, &txn, &error), &error);
    return txn;
}

/* A value that fills blocks gets a total, which follows it, and loses it when no block ends with the value any more. */
void test_postings_totals_come_and_go(void) {
    strata_error error;
    strata_store *store = must_open(ctest_path("postings"));
    st_txn *txn = begin_write(store);
    apply_keys(txn, 1, 1, 100, 1, true);
    apply_keys(txn, 3, 1, 100, 1, true);
    CHECK_EQ(total_of(txn, 1) + total_of(txn, 3), 0);
    apply_keys(txn, 2, 1, 20000, 2, true);
    CHECK_EQ(total_of(txn, 2), 20000);
    CHECK_EQ(total_of(txn, 1) + total_of(txn, 3), 0);
    apply_keys(txn, 2, 1, 1, 1, false);
    for (uint64_t key = 2; key < 20000; key += 1000) apply_keys(txn, 2, key, 1, 1, true);
    CHECK_EQ(total_of(txn, 2), 20019);
    CHECK(blocks_of(txn, totals_set, 20219) > 4);
    must(st_writer_commit(txn, &error), &error);

    strata_store_close(store);
    store = must_open(ctest_path("postings"));
    txn = begin_write(store);
    CHECK_EQ(count_value(txn, 2), 20019);
    apply_keys(txn, 2, 3, 19999, 2, false);
    CHECK_EQ(total_of(txn, 2), 0);
    CHECK_EQ(count_value(txn, 2), 20);
    CHECK_EQ(blocks_of(txn, totals_set, 220), 1);

    apply_keys(txn, 4, 1, 20000, 2, true); /* the last value, of which the open-ended block has some, too */
    CHECK_EQ(total_of(txn, 4), 20000);
    apply_keys(txn, 5, 1, 1, 1, true);
    apply_keys(txn, 5, 1, 1, 1, false);
    CHECK_EQ(total_of(txn, 4), 20000);
    apply_keys(txn, 4, 1, 20000, 2, false);
    CHECK_EQ(total_of(txn, 4), 0);
    CHECK_EQ(blocks_of(txn, totals_set, 220), 1);
    st_writer_abort(txn);
    strata_store_close(store);
}

enum { TOTAL_VALUES = 6, TOTAL_KEYS = 60000 };

/* Of each value the keys that are there. */
typedef struct key_sets {
    bool has[TOTAL_VALUES][TOTAL_KEYS];
    uint64_t counts[TOTAL_VALUES];
} key_sets;

/* Adds what is not there of some keys of a value, or removes what is. */
static void flip_keys(key_sets *sets_of, st_posting_batch *batch, uint64_t *state) {
    uint64_t r = ctest_random(state), value = r % TOTAL_VALUES;
    bool added = r / 8 % 5 < 3;
    uint64_t step = r / 64 % 3 == 0 ? 1 + r / 256 % 100 : 1, from = ctest_random(state) % TOTAL_KEYS;
    uint64_t most = r / 4096 % 4 == 0 ? 3 : r / 4096 % 4 == 1 ? TOTAL_KEYS : 3000;
    for (uint64_t key = from, count = 0; key < TOTAL_KEYS && count < most; key += step, count++) {
        if (sets_of->has[value][key] == added) continue;
        sets_of->has[value][key] = added;
        sets_of->counts[value] += added ? 1 : UINT64_MAX;
        add_int(batch, 2 * value + 1, key + 1, added);
    }
}

static void check_totals(st_txn *txn, const key_sets *expected) {
    uint8_t low[8], high[8];
    uint64_t all = 0;
    for (uint64_t value = 0; value < TOTAL_VALUES; value++) {
        uint64_t count = expected->counts[value], total = total_of(txn, 2 * value + 1);
        CHECK_EQ(count_value(txn, 2 * value + 1), count);
        CHECK(total == 0 || total == count);
        all += count;
        uint64_t sum = 0;
        for (uint64_t end = value; end <= TOTAL_VALUES; sum += end == TOTAL_VALUES ? 0 : expected->counts[end], end++) {
            st_posting_range range = values_from(low, 2 * value + 1, high, 2 * end + 1);
            CHECK_EQ(count_range(txn, &range), sum);
            range = values_from(low, 2 * value, high, 2 * end);
            CHECK_EQ(count_range(txn, &range), sum);
            range.low_key = range.high_key = UINT64_MAX;
            CHECK_EQ(count_range(txn, &range), sum);
            if (end == TOTAL_VALUES) range.high.data = NULL;
            CHECK_EQ(count_range(txn, &range), sum);
        }
    }
    st_posting_range range = { .high_key = UINT64_MAX };
    CHECK_EQ(count_range(txn, &range), all);
    range = values_from(low, 1, high, 2 * TOTAL_VALUES); /* from the middle of one value to that of another */
    range.low_key = 1 + TOTAL_KEYS / 3;
    uint64_t less = 0;
    for (uint64_t key = 0; key + 1 < range.low_key; key++) less += expected->has[0][key];
    CHECK_EQ(count_range(txn, &range), all - less);
    blocks_of(txn, totals_set, all);
}

/* A few values with up to 60,000 entries each, whole blocks of which come and go. */
void test_postings_totals_are_right(void) {
    uint64_t state = ctest_seed();
    strata_error error;
    key_sets *expected = calloc(1, sizeof *expected);
    CHECK(expected != NULL);
    st_posting_batch batch = { 0 };
    strata_store *store = must_open(ctest_path("postings"));
    for (int round = 0; round < 120; round++) {
        st_txn *txn = begin_write(store);
        for (uint64_t parts = 1 + ctest_random(&state) % 4; parts > 0; parts--) {
            flip_keys(expected, &batch, &state);
            must(st_postings_apply(txn, totals_set, &batch, &error), &error);
        }
        if (ctest_random(&state) % 2 == 0) check_totals(txn, expected);
        must(st_writer_commit(txn, &error), &error);
        must(st_snapshot_begin(store, &txn, &error), &error);
        check_totals(txn, expected);
        st_snapshot_end(txn);
    }
    st_posting_batch_free(&batch);
    strata_store_close(store);
    free(expected);
}

/* As in a file of an earlier version: there is no total, until the value changes. */
void test_postings_totals_are_made_later(void) {
    strata_error error;
    st_postings_name name;
    uint8_t big[8];
    strata_store *store = must_open(ctest_path("postings"));
    st_txn *txn = begin_write(store);
    apply_keys(txn, 7, 1, 20000, 2, true);
    st_store_big64(big, 7);
    st_postings_total_name(&name, totals_set.id, bytes(big, 8));
    must(st_tree_delete(txn, ST_INDEX, st_postings_name_bytes(&name), &error), &error);
    CHECK_EQ(count_value(txn, 7), 20000);
    CHECK(blocks_of(txn, totals_set, 20000) > 4);
    apply_keys(txn, 7, 2, 1, 1, true);
    CHECK_EQ(total_of(txn, 7), 20001);
    st_writer_abort(txn);
    strata_store_close(store);
}

/* Many blocks of values without totals before, between and behind those that are jumped over. */
void test_postings_totals_behind_many_blocks(void) {
    strata_error error;
    strata_store *store = must_open(ctest_path("postings"));
    st_txn *txn = begin_write(store);
    st_posting_batch batch = { 0 };
    for (uint64_t value = 0; value < 600000; value++) add_int(&batch, 5 * value, 1 + value, true);
    must(st_postings_apply(txn, totals_set, &batch, &error), &error);
    for (uint64_t value = 1; value < 3; value++) apply_keys(txn, 1000000 * value + 1, 1, 300000, 3, true);
    CHECK(blocks_of(txn, totals_set, 1200000) > 600);
    must(st_writer_commit(txn, &error), &error);
    must(st_snapshot_begin(store, &txn, &error), &error);
    uint8_t low[8], high[8];
    uint64_t calls[3];
    for (uint64_t i = 0; i < 3; i++) { /* each range has a third of the others, and one large value more */
        st_posting_range range = values_from(low, 0, high, 1000000 * (i + 1));
        uint64_t before = st_store_calls();
        CHECK_EQ(count_range(txn, &range), 200000 * (i + 1) + 300000 * i);
        calls[i] = st_store_calls() - before;
    }
    CHECK(calls[1] <= 2 * calls[0] + 12 && calls[2] <= 3 * calls[0] + 24);
    st_snapshot_end(txn);
    strata_store_close(store);
}

/* What counting costs does not depend on how many entries a value has. */
void test_postings_totals_count_in_few_calls(void) {
    strata_error error;
    strata_store *store = must_open(ctest_path("postings"));
    st_txn *txn = begin_write(store);
    for (uint64_t value = 0; value < 4; value++) apply_keys(txn, value, 1, 100000, 3, true);
    must(st_writer_commit(txn, &error), &error);
    must(st_snapshot_begin(store, &txn, &error), &error);
    uint8_t low[8], high[8];
    uint64_t before = st_store_calls();
    CHECK_EQ(count_value(txn, 2), 100000);
    CHECK_EQ(st_store_calls() - before, 1);
    st_posting_range range = values_from(low, 0, high, 3);
    before = st_store_calls();
    CHECK_EQ(count_range(txn, &range), 300000);
    CHECK(st_store_calls() - before <= 3 * 4);
    st_snapshot_end(txn);
    strata_store_close(store);
}

static void check_damaged(st_txn *txn, const char *message) {
    strata_error error;
    uint64_t entries, blocks;
    CHECK_EQ(st_postings_check(txn, totals_set, &entries, &blocks, &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, message) != NULL);
}

void test_postings_wrong_totals_are_found(void) {
    strata_error error;
    strata_store *store = must_open(ctest_path("postings"));
    st_txn *txn = begin_write(store);
    for (uint64_t value = 1; value < 4; value++) apply_keys(txn, 2 * value, 1, 10000, 3, true);
    put_total(txn, 4, 10001);
    check_damaged(txn, "index 6: a total that is too large");
    put_total(txn, 4, 9999);
    check_damaged(txn, "index 6: a total that is too small");
    put_total(txn, 4, 0);
    check_damaged(txn, "index 6: a total that is too small");
    put_total(txn, 4, 10000);
    CHECK(blocks_of(txn, totals_set, 30000) > 3);
    put_total(txn, 6, 10001); /* the last one, which the open-ended block has some of */
    check_damaged(txn, "index 6: a total that is too large");
    put_total(txn, 6, 10000);
    put_total(txn, 3, 1);
    check_damaged(txn, "index 6: a total that belongs to no value");
    st_writer_abort(txn);

    /* A change of a value finds that its total is less than what is taken from it. */
    txn = begin_write(store);
    apply_keys(txn, 2, 1, 10000, 3, true);
    put_total(txn, 2, 10);
    st_posting_batch batch = { 0 };
    for (uint64_t i = 0; i < 20; i++) add_int(&batch, 2, 1 + 3 * i, false);
    CHECK_EQ(st_postings_apply(txn, totals_set, &batch, &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, "index 6: a total is damaged") != NULL);
    st_writer_abort(txn);
    strata_store_close(store);
}

/* A lookup of one entry: one call of LMDB. */
void test_postings_first_is_one_seek(void) {
    strata_error error;
    st_txn *txn;
    st_posting_batch batch = { 0 };
    st_posting_set set = { ST_INDEX, 4 };
    strata_store *store = must_open(ctest_path("postings"));
    must(st_writer_begin(store, &txn, &error), &error);
    for (uint64_t i = 0; i < 20000; i++) add_int(&batch, i * 3, i + 1, true);
    must(st_postings_apply(txn, set, &batch, &error), &error);
    must(st_writer_commit(txn, &error), &error);
    must(st_snapshot_begin(store, &txn, &error), &error);
    uint64_t before = 0;
    for (uint64_t i = 0; i < 60000; i++) {
        if (i == 1) before = st_store_calls();
        uint8_t big[8];
        uint64_t key;
        st_store_big64(big, i);
        st_posting_range range = st_posting_range_of(bytes(big, 8));
        CHECK_EQ(st_postings_first(txn, set, &range, &key, &error), i % 3 == 0 ? STRATA_OK : STRATA_NOT_FOUND);
        CHECK_EQ(key, i % 3 == 0 ? i / 3 + 1 : 0);
    }
    CHECK_EQ(st_store_calls() - before, 59999);
    st_snapshot_end(txn);
    st_posting_batch_free(&batch);
    strata_store_close(store);
}

/* Every byte of every block damaged in turn must be survived by each reader, whatever it answers. */
void test_postings_survive_damage(void) {
    uint64_t state = ctest_seed(), sum = 0;
    strata_error error;
    strata_store *store = must_open(ctest_path("postings"));
    st_posting_batch batch = { 0 };
    for (int round = 0; round < 300; round++) {
        st_txn *txn;
        st_posting_set set = { ST_INDEX, 7 };
        shape kind = (shape)(round % SHAPES);
        must(st_writer_begin(store, &txn, &error), &error);
        int count = round % 8 == FEW ? 9000 : 900; /* some of its values have totals then */
        for (int i = 0; i < count; i++) {
            entry e = random_entry(&state, kind, count > 900 ? 1000000 : 1000);
            CHECK(st_posting_batch_add(&batch, value_of(&e), e.key, true));
        }
        must(st_postings_apply(txn, set, &batch, &error), &error);
        strata_bytes name, value;
        uint8_t copy[70000], found[ST_MAX_TREE_KEY];
        entry near = random_entry(&state, kind, 1000);
        st_postings_name from;
        st_postings_name_of(&from, set.id, value_of(&near), round % 16 < 8 ? 0 : near.key);
        must(st_tree_seek(txn, ST_INDEX, st_postings_name_bytes(&from), &name, &value, &error), &error);
        memcpy(copy, value.data, value.size);
        memcpy(found, name.data, name.size);
        strata_bytes damaged = { copy, value.size };
        for (int hits = 1 + round % 3; hits > 0; hits--) {
            copy[ctest_random(&state) % (hits % 2 != 0 ? 16 : value.size)] = (uint8_t)ctest_random(&state);
        }
        if (round % 7 == 0) damaged.size -= ctest_random(&state) % damaged.size;
        must(st_tree_put(txn, ST_INDEX, bytes(found, name.size), damaged, &error), &error);

        entry ends[2] = { random_entry(&state, kind, 1000), random_entry(&state, kind, 1000) };
        st_posting_range range = random_range(&state, ends);
        uint64_t a, b;
        size_t got = 1;
        (void)st_postings_check(txn, set, &a, &b, &error);
        (void)st_postings_count(txn, set, &range, &a, &error);
        (void)st_postings_first(txn, set, &range, &a, &error);
        for (int backward = 0; backward <= 1; backward++) {
            st_posting_cursor *cursor;
            strata_bytes seen;
            uint64_t keys[500];
            must(st_posting_cursor_open(txn, set, &range, backward != 0, &cursor, &error), &error);
            for (int i = 0; i < 1000 && st_posting_cursor_next(cursor, &a, &seen, &error) == STRATA_OK; i++) {
                sum += seen.size + (seen.size != 0 ? ((const uint8_t *)seen.data)[seen.size - 1] : 0);
            }
            for (int i = 0; i < 100 && got != 0; i++) {
                if (st_posting_cursor_keys(cursor, keys, 500, &got, &error) != STRATA_OK) break;
            }
            st_posting_cursor_close(cursor);
        }
        CHECK(st_posting_batch_add(&batch, value_of(ends), ends[0].key, true));
        strata_status status = st_postings_apply(txn, set, &batch, &error);
        CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
        st_writer_abort(txn);
    }
    CHECK(sum != 0);
    st_posting_batch_free(&batch);
    strata_store_close(store);
}

/* Totals that say anything, also where none belongs, and many in a row: every reader comes to an end. */
void test_postings_survive_wrong_totals(void) {
    uint64_t state = ctest_seed();
    strata_error error;
    strata_store *store = must_open(ctest_path("postings"));
    for (int round = 0; round < 200; round++) {
        st_txn *txn = begin_write(store);
        for (uint64_t value = 1; value < 6; value++)
            apply_keys(txn, value, 1, 2000, 1 + ctest_random(&state) % 900, true);
        for (uint64_t n = 1 + ctest_random(&state) % 5; n > 0; n--) {
            uint64_t r = ctest_random(&state), value = r % 7;
            put_total(txn, value,
                      r / 7 % 3 == 0 ? ctest_random(&state) >> 17 : r / 7 % 3 == 1 ? 0 : 1 + r / 64 % 100000);
        }
        for (uint64_t low = 0; low < 8; low++) {
            uint8_t bytes_of[2][8];
            uint64_t count, key;
            size_t got = 1;
            st_posting_range range = values_from(bytes_of[0], low, bytes_of[1], low + 1 + ctest_random(&state) % 8);
            strata_status status = st_postings_count(txn, totals_set, &range, &count, &error);
            CHECK(status == STRATA_OK ? count <= ST_POSTINGS_MOST : status == STRATA_CORRUPT);
            range = st_posting_range_of(range.low);
            status = st_postings_count(txn, totals_set, &range, &count, &error);
            CHECK(status == STRATA_OK ? count <= ST_POSTINGS_MOST : status == STRATA_CORRUPT);
            status = st_postings_first(txn, totals_set, &range, &key, &error);
            CHECK_EQ(status, low > 0 && low < 6 ? STRATA_OK : STRATA_NOT_FOUND);
            st_posting_cursor *cursor;
            uint64_t keys[500];
            must(st_posting_cursor_open(txn, totals_set, &range, low % 2 != 0, &cursor, &error), &error);
            for (count = 0; got != 0; count += got)
                must(st_posting_cursor_keys(cursor, keys, 500, &got, &error), &error);
            CHECK_EQ(count, low > 0 && low < 6 ? 2000 : 0);
            st_posting_cursor_close(cursor);
        }
        uint64_t entries, blocks;
        CHECK(st_postings_check(txn, totals_set, &entries, &blocks, &error) != STRATA_NO_MEMORY);
        st_posting_batch batch = { 0 };
        for (uint64_t value = 0; value < 7; value++) add_int(&batch, value, 1 + ctest_random(&state) % 1000, true);
        strata_status status = st_postings_apply(txn, totals_set, &batch, &error);
        CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
        st_writer_abort(txn);
    }
    strata_store_close(store);
}

/* A block under the name of an entry behind its last one: a change between the two belongs to it by its name only. */
void test_postings_under_a_wrong_name(void) {
    strata_error error;
    st_txn *txn;
    st_posting_batch batch = { 0 };
    st_posting_set set = { ST_INDEX, 7 };
    strata_store *store = must_open(ctest_path("postings"));
    must(st_writer_begin(store, &txn, &error), &error);
    for (uint64_t i = 0; i < 5000; i++) add_int(&batch, 10 * i, i + 1, true);
    must(st_postings_apply(txn, set, &batch, &error), &error);
    CHECK(blocks_of(txn, set, 5000) > 2);

    strata_bytes name, value;
    uint8_t block[70000], old[ST_MAX_TREE_KEY], later[ST_MAX_TREE_KEY];
    must(st_tree_seek(txn, ST_INDEX, bytes("\0\0\0\7", 4), &name, &value, &error), &error);
    size_t size = value.size, name_size = name.size;
    memcpy(block, value.data, size);
    memcpy(old, name.data, name_size);
    memcpy(later, old, name_size);
    uint64_t last = st_load_big64(old + 4);
    st_store_big64(later + 4, last + 5);
    must(st_tree_delete(txn, ST_INDEX, bytes(old, name_size), &error), &error);
    must(st_tree_put(txn, ST_INDEX, bytes(later, name_size), bytes(block, size), &error), &error);

    add_int(&batch, last + 3, 9000, true);
    must(st_postings_apply(txn, set, &batch, &error), &error); /* comes to an end */
    CHECK(blocks_of(txn, set, 5001) > 2);
    st_writer_abort(txn);
    st_posting_batch_free(&batch);
    strata_store_close(store);
}
