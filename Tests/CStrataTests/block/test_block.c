/* SPDX-License-Identifier: MIT
 * test_block.c -- packing rows into blocks, and telling blocks from other bytes. */
#include "block/block.h"

#include <stdlib.h>

#include "base/bits.h"
#include "block/block_check.h"
#include "block/block_numbers.h"
#include "block/block_pack.h"
#include "block/block_pending.h"
#include "tests.h"

/* id: int; link; flag: optional int; ratio: double; name: optional string; gone: dropped */
static const st_field FIELDS[] = {
    { ST_PACK_SIGNED, false, false },  { ST_PACK_UNSIGNED, false, true }, { ST_PACK_SIGNED, true, false },
    { ST_PACK_DOUBLE, false, false },  { ST_PACK_BYTES, true, false },    { ST_PACK_NONE, false, true },
};
static const st_layout LAYOUT = { 6, FIELDS };
enum { ID, LINK, FLAG, RATIO, NAME };

typedef struct sample {
    uint64_t key, link;
    int64_t id, flag;
    bool has_flag, has_name;
    double ratio;
    char name[24];
} sample;

/* A pending block with the values of a sample; freed by the caller. */
static uint8_t *pending_of(const sample *s) {
    size_t fixed = st_pending_size(&LAYOUT, 0), name = strlen(s->name);
    uint8_t *block = malloc(fixed + sizeof s->name);
    st_pending_clear(&LAYOUT, s->key, block);
    memcpy(block + strata_entry_offset(strata_block_entry(block, ID)), &s->id, 8);
    memcpy(block + strata_entry_offset(strata_block_entry(block, LINK)), &s->link, 8);
    memcpy(block + strata_entry_offset(strata_block_entry(block, RATIO)), &s->ratio, 8);
    if (s->has_flag) {
        uint8_t *cell = block + strata_entry_offset(strata_block_entry(block, FLAG));
        cell[-1] = 0;
        memcpy(cell, &s->flag, 8);
    }
    if (s->has_name) {
        uint8_t *cell = block + strata_entry_offset(strata_block_entry(block, NAME));
        cell[-1] = 0;
        st_store32(cell, (uint32_t)fixed);
        st_store32(cell + 4, (uint32_t)(fixed + name));
        memcpy(block + fixed, s->name, name);
    }
    return block;
}

static void check_row(const uint8_t *block, uint32_t slot, const sample *s) {
    CHECK_EQ(strata_block_key(block, slot), s->key);
    CHECK_EQ(strata_block_int(block, strata_block_entry(block, ID), slot), s->id);
    CHECK_EQ(strata_block_link(block, strata_block_entry(block, LINK), slot), s->link);
    CHECK(strata_block_double(block, strata_block_entry(block, RATIO), slot) == s->ratio);
    CHECK_EQ(strata_block_null(block, strata_block_entry(block, FLAG), slot), !s->has_flag);
    if (s->has_flag) CHECK_EQ(strata_block_int(block, strata_block_entry(block, FLAG), slot), s->flag);
    CHECK_EQ(strata_block_null(block, strata_block_entry(block, NAME), slot), !s->has_name);
    if (s->has_name) {
        strata_bytes name = st_block_bytes(block, strata_block_entry(block, NAME), slot);
        CHECK_EQ(name.size, strlen(s->name));
        CHECK(name.size == 0 || memcmp(name.data, s->name, name.size) == 0);
    }
}

static void pack_rows(const st_row_ref *refs, uint32_t count, st_buffer *out) {
    st_rows rows = { .refs = refs };
    st_block_size *size = st_block_size_make(&LAYOUT);
    st_block_size_add_rows(size, &rows, 0, count);
    size_t total = st_block_size_total(size);
    CHECK(st_block_pack(size, &rows, 0, out));
    CHECK_EQ(out->size, total);
    st_block_size_free(size);
}

/* Packs samples into one block, behind `out`. */
static void pack(const sample *samples, uint32_t count, st_buffer *out) {
    st_row_ref rows[200];
    for (uint32_t i = 0; i < count; i++) rows[i] = (st_row_ref){ pending_of(&samples[i]), 0, samples[i].key };
    pack_rows(rows, count, out);
    for (uint32_t i = 0; i < count; i++) free((void *)(uintptr_t)rows[i].block);
}

static sample random_sample(uint64_t *random, uint64_t key) {
    sample s = { .key = key };
    uint64_t magnitude = ctest_random(random) % 64;
    s.id = (int64_t)(ctest_random(random) >> magnitude);
    if (ctest_random(random) % 2 == 0) s.id = -s.id;
    s.link = ctest_random(random) % 3 == 0 ? 0 : ctest_random(random) >> (16 + magnitude % 48);
    s.has_flag = ctest_random(random) % 3 != 0;
    s.flag = (int64_t)(ctest_random(random) % 3) - 1;
    s.ratio = ctest_random(random) % 2 == 0 ? 0 : (double)(int64_t)ctest_random(random) / 3;
    s.has_name = ctest_random(random) % 4 != 0;
    size_t length = s.has_name ? ctest_random(random) % 20 : 0;
    memset(s.name, 'n', length);
    return s;
}

void test_block_round_trip(void) {
    uint64_t random = ctest_seed();
    for (int round = 0; round < 300; round++) {
        sample samples[200];
        st_buffer out = { 0 };
        uint32_t count = 1 + (uint32_t)(ctest_random(&random) % 120);
        uint64_t key = 1 + ctest_random(&random) % 1000000, step = 1 + ctest_random(&random) % 4 / 3 * 300;
        for (uint32_t i = 0; i < count; i++, key += 1 + ctest_random(&random) % step)
            samples[i] = random_sample(&random, key);
        pack(samples, count, &out);
        CHECK(st_block_valid((strata_bytes){ out.data, out.size }, &LAYOUT));
        CHECK(st_block_plausible((strata_bytes){ out.data, out.size }, &LAYOUT));
        for (uint32_t i = 0; i < count; i++) {
            uint32_t slot;
            check_row(out.data, i, &samples[i]);
            CHECK(st_block_find(out.data, samples[i].key, &slot));
            CHECK_EQ(slot, i);
        }
        st_buffer_free(&out);
    }
}

void test_block_of_zeros_takes_no_space(void) {
    sample samples[100] = { { 0 } };
    st_buffer out = { 0 };
    for (uint32_t i = 0; i < 100; i++) samples[i].key = i + 1;
    pack(samples, 100, &out);
    CHECK_EQ(out.size, STRATA_BLOCK_HEADER + 4 * 6 + 7); /* room for a word */
    check_row(out.data, 99, &samples[99]);
    st_buffer_free(&out);
}

void test_block_copies_survive_a_pending_row(void) {
    uint64_t random = ctest_seed();
    sample samples[50];
    st_buffer out = { 0 };
    for (uint32_t i = 0; i < 50; i++) samples[i] = random_sample(&random, 10 + 3 * i);
    pack(samples, 50, &out);
    for (uint32_t i = 0; i < 50; i++) {
        st_row_ref row = { out.data, i, samples[i].key };
        uint8_t *block = malloc(st_pending_size(&LAYOUT, st_pending_bytes(&LAYOUT, &row)));
        st_pending_clear(&LAYOUT, row.key, block);
        st_pending_copy(&LAYOUT, &row, block);
        check_row(block, 0, &samples[i]);
        free(block);
    }
    st_buffer_free(&out);
}

void test_block_of_older_layout_reads_new_columns_as_empty(void) {
    static const st_layout older = { 2, FIELDS };
    uint8_t block[200];
    int64_t id = -5;
    st_pending_clear(&older, 9, block);
    memcpy(block + strata_entry_offset(strata_block_entry(block, ID)), &id, 8);
    sample expected = { .key = 9, .id = -5 };
    check_row(block, 0, &expected);
}

/* Pending rows and runs of stored ones, in any mix, make the same block. */
void test_block_of_runs_is_that_of_single_rows(void) {
    uint64_t random = ctest_seed();
    for (int round = 0; round < 200; round++) {
        sample samples[120];
        st_row_ref mixed[120], single[120];
        uint32_t count = 0;
        uint64_t key = 1;
        st_buffer stored = { 0 }, expected = { 0 }, out = { 0 };
        for (uint32_t i = 0; i < 120; i++, key += 1 + ctest_random(&random) % 8 / 7)
            samples[i] = random_sample(&random, key);
        pack(samples, 120, &stored);
        for (uint32_t i = 0; i < 120; i++) {
            uint64_t kind = ctest_random(&random) % 16;
            if (kind == 0) continue; /* deleted */
            single[count] = (st_row_ref){ pending_of(&samples[i]), 0, samples[i].key };
            mixed[count] = kind == 1 ? single[count] : (st_row_ref){ stored.data, i, samples[i].key };
            count++;
        }
        pack_rows(single, count, &expected);
        pack_rows(mixed, count, &out);
        CHECK_EQ(out.size, expected.size);
        CHECK(memcmp(out.data, expected.data, out.size) == 0);
        for (uint32_t i = 0; i < count; i++) free((void *)(uintptr_t)single[i].block);
        st_buffer_free(&stored);
        st_buffer_free(&expected);
        st_buffer_free(&out);
    }
}

void test_block_is_filled_with_as_many_rows_as_fit(void) {
    uint64_t random = ctest_seed();
    for (int round = 0; round < 200; round++) {
        st_row_ref refs[150];
        st_rows rows = { .refs = refs };
        st_block_size *size = st_block_size_make(&LAYOUT);
        size_t limit = 60 + (size_t)(ctest_random(&random) % 4000), fitting = 0;
        uint32_t from = (uint32_t)(ctest_random(&random) % 20), count = 1 + (uint32_t)(ctest_random(&random) % 130);
        for (uint32_t i = 0; i < 150; i++) {
            sample s = random_sample(&random, i + 1);
            refs[i] = (st_row_ref){ pending_of(&s), 0, s.key };
        }
        st_block_size_reset(size);
        for (; fitting < count; fitting++) {
            st_block_size_add(size, &rows, from + fitting);
            if (st_block_size_total(size) > limit) break;
        }
        CHECK_EQ(st_block_size_fill(size, &rows, from, count, limit), fitting == 0 ? 1 : fitting);
        CHECK(fitting == 0 || st_block_size_total(size) <= limit);
        size_t total = st_block_size_total(size);
        st_buffer out = { 0 };
        CHECK(st_block_pack(size, &rows, from, &out));
        CHECK_EQ(out.size, total);
        CHECK_EQ(strata_block_first(out.data), from + 1);
        for (uint32_t i = 0; i < 150; i++) free((void *)(uintptr_t)refs[i].block);
        st_block_size_free(size);
        st_buffer_free(&out);
    }
}

/* A row changed in place reads as it would in a block packed anew, and so do its neighbours. */
void test_block_is_changed_in_place(void) {
    enum { ROWS = 40, CHANGES = 60 };
    uint64_t random = ctest_seed(), changed = 0, refused = 0;
    for (int round = 0; round < 100; round++) {
        sample samples[ROWS];
        st_buffer out = { 0 };
        for (uint32_t i = 0; i < ROWS; i++) samples[i] = random_sample(&random, 5 + 2 * i);
        pack(samples, ROWS, &out);
        for (int i = 0; i < CHANGES; i++) {
            uint32_t slot = (uint32_t)(ctest_random(&random) % ROWS);
            sample wanted = random_sample(&random, samples[slot].key);
            if (i % 2 == 0) memcpy(wanted.name, samples[slot].name, sizeof wanted.name);
            wanted.has_name = i % 2 == 0 ? samples[slot].has_name : wanted.has_name;
            uint8_t *copy = malloc(out.size), *pending = pending_of(&wanted);
            memcpy(copy, out.data, out.size);
            st_row_ref before = { out.data, slot, wanted.key }, after = { pending, 0, wanted.key };
            bool done = st_block_patch(copy, &LAYOUT, &before, &after);
            *(done ? &changed : &refused) += 1;
            if (done) {
                samples[slot] = wanted;
                memcpy(out.data, copy, out.size);
            }
            free(copy);
            free(pending);
            CHECK(st_block_valid((strata_bytes){ out.data, out.size }, &LAYOUT));
            for (uint32_t k = 0; k < ROWS; k++) check_row(out.data, k, &samples[k]);
        }
        st_buffer_free(&out);
    }
    CHECK(changed > 100 && refused > 100);
}

/* What was not yet in the block cannot be changed there: columns that were added, and nulls among values. */
void test_block_is_not_changed_where_there_is_no_room(void) {
    static const st_layout older = { 4, FIELDS };
    sample samples[3] = { { .key = 1, .id = 1, .has_flag = true }, { .key = 2, .id = 100, .has_flag = true },
                          { .key = 3, .id = -1, .has_flag = true, .ratio = 1 } };
    st_buffer out = { 0 };
    pack(samples, 3, &out);
    struct { sample wanted; bool fits; } cases[] = {
        { { .key = 2, .id = 127, .has_flag = true }, true },
        { { .key = 2, .id = 128, .has_flag = true }, false },
        { { .key = 2, .id = -128, .has_flag = true, .ratio = 2.5 }, true },
        { { .key = 2, .id = 1, .has_flag = true, .link = 1 }, false },
        { { .key = 2, .id = 1 }, false },
        { { .key = 2, .id = 1, .has_flag = true, .has_name = true }, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t *copy = malloc(out.size), *pending = pending_of(&cases[i].wanted);
        memcpy(copy, out.data, out.size);
        st_row_ref before = { out.data, 1, 2 }, after = { pending, 0, 2 };
        CHECK_EQ(st_block_patch(copy, &LAYOUT, &before, &after), cases[i].fits);
        if (cases[i].fits) check_row(copy, 1, &cases[i].wanted);
        CHECK(!st_block_patch(copy, &older, &before, &after));
        free(copy);
        free(pending);
    }
    st_buffer_free(&out);
}

/* Columns of numbers have a way of their own to the same block. */
void test_block_of_numbers(void) {
    enum { MOST = 3000 };
    static uint64_t numbers[MOST], loaded[MOST];
    static strata_value values[MOST];
    static const strata_type types[] = { STRATA_INT, STRATA_LINK, STRATA_FLOAT, STRATA_DOUBLE };
    uint64_t random = ctest_seed();
    for (int round = 0; round < 400; round++) {
        strata_type type = types[round % 4];
        st_field field = st_field_of(type, STRATA_SINGLE, 0);
        st_layout layout = { 1, &field };
        uint32_t bits = (uint32_t)(ctest_random(&random) % 65);
        size_t count = 1 + (size_t)(ctest_random(&random) % MOST), limit = 40 + (size_t)(ctest_random(&random) % 5000);
        for (size_t i = 0; i < count; i++) {
            uint64_t number = bits == 0 ? 0 : ctest_random(&random) >> (64 - bits);
            if (type == STRATA_INT && i % 2 == 0) number = ~number;
            if (type == STRATA_FLOAT) number &= UINT32_MAX;
            if (i > count / 2 && ctest_random(&random) % 2 == 0) number = 0;
            numbers[i] = number;
            values[i] = strata_null();
            values[i].type = type;
            values[i].as.link = number;
        }
        const strata_value *columns[1] = { values };
        st_rows rows = { .columns = columns, .first = 1 };
        st_block_size *size = st_block_size_make(&layout);
        size_t fitting = 0;
        for (size_t i = 0; i < count; i++) {
            st_block_size_add(size, &rows, i);
            if (st_block_size_total(size) <= limit) fitting = i + 1;
        }
        st_buffer block = { 0 }, other = { 0 };
        CHECK(st_block_pack(size, &rows, 0, &block));
        st_packing packing = (st_packing)field.packing;
        CHECK(st_numbers_pack(packing, numbers, count, &other));
        CHECK_EQ(block.size, other.size);
        CHECK(memcmp(block.data, other.data, block.size) == 0);
        CHECK_EQ(st_numbers_size(packing, numbers, count), block.size);
        CHECK_EQ(st_numbers_fitting(packing, numbers, count, limit), fitting == 0 ? 1 : fitting);
        uint32_t from = (uint32_t)(ctest_random(&random) % count);
        st_numbers_load(packing, block.data, 0, from, count - from, loaded);
        CHECK(memcmp(loaded, numbers + from, (count - from) * sizeof *loaded) == 0);
        st_block_size_free(size);
        st_buffer_free(&block);
        st_buffer_free(&other);
    }
}

/* Reads every cell of a row. */
static uint64_t read_row(const uint8_t *block, uint32_t slot) {
    strata_bytes name = st_block_bytes(block, strata_block_entry(block, NAME), slot);
    uint64_t sum = 0;
    for (size_t b = 0; b < name.size; b++) sum += ((const uint8_t *)name.data)[b];
    sum += (uint64_t)strata_block_int(block, strata_block_entry(block, ID), slot);
    sum += strata_block_link(block, strata_block_entry(block, LINK), slot);
    return sum + strata_block_null(block, strata_block_entry(block, FLAG), slot);
}

/* Whatever byte is wrong or missing: a block is refused, or every cell of it can be read; and so is a row. */
void test_block_survives_damage(void) {
    uint64_t random = ctest_seed();
    sample samples[30];
    st_buffer out = { 0 };
    for (uint32_t i = 0; i < 30; i++) samples[i] = random_sample(&random, 5 + 2 * i);
    pack(samples, 30, &out);
    uint64_t accepted = 0;
    for (size_t size = 0; size < out.size; size++) {
        uint8_t *cut = malloc(size + 1);
        memcpy(cut, out.data, size);
        if (st_block_valid((strata_bytes){ cut, size }, &LAYOUT)) accepted++;
        free(cut);
    }
    CHECK_EQ(accepted, 0);
    for (int i = 0; i < 20000; i++) {
        uint8_t *copy = malloc(out.size);
        memcpy(copy, out.data, out.size);
        for (uint64_t k = ctest_random(&random) % 3; k < 3; k++)
            copy[ctest_random(&random) % (i % 2 == 0 ? out.size : 60)] = (uint8_t)ctest_random(&random);
        strata_bytes damaged = { copy, out.size };
        bool valid = st_block_valid(damaged, &LAYOUT);
        uint32_t rows = out.size < STRATA_BLOCK_HEADER ? 0 : strata_block_rows(copy);
        for (uint32_t slot = 0; slot < rows; slot++) {
            bool readable = st_block_row_valid(damaged, &LAYOUT, slot);
            CHECK(readable || !valid);
            accepted += readable && read_row(copy, slot) != 1;
        }
        free(copy);
    }
    CHECK(accepted > 0);
    st_buffer_free(&out);
}
