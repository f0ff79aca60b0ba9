/* SPDX-License-Identifier: MIT
 * test_block.c -- packing rows into blocks, and telling blocks from other bytes. */
#include "codec/block.h"

#include <stdlib.h>

#include "base/bits.h"
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
        strata_bytes name = strata_block_bytes(block, strata_block_entry(block, NAME), slot);
        CHECK_EQ(name.size, strlen(s->name));
        CHECK(name.size == 0 || memcmp(name.data, s->name, name.size) == 0);
    }
}

/* Packs samples into one block, behind `out`. */
static void pack(const sample *samples, uint32_t count, st_buffer *out) {
    st_row_ref rows[200];
    st_rows all = { .refs = rows };
    st_block_size *size = st_block_size_make(&LAYOUT);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = (st_row_ref){ pending_of(&samples[i]), 0, samples[i].key };
        st_block_size_add(size, &all, i);
    }
    size_t total = st_block_size_total(size);
    CHECK(st_block_pack(size, &all, 0, out));
    CHECK_EQ(out->size, total);
    for (uint32_t i = 0; i < count; i++) free((void *)(uintptr_t)rows[i].block);
    st_block_size_free(size);
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
        CHECK(st_block_plausible((strata_bytes){ out.data, out.size }));
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

/* Whatever byte is wrong or missing: a block is refused, or every cell of it can be read. */
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
        if (st_block_valid((strata_bytes){ copy, out.size }, &LAYOUT)) {
            uint64_t sum = 0;
            for (uint32_t slot = 0; slot < strata_block_rows(copy); slot++) {
                strata_bytes name = strata_block_bytes(copy, strata_block_entry(copy, NAME), slot);
                for (size_t b = 0; b < name.size; b++) sum += ((const uint8_t *)name.data)[b];
                sum += (uint64_t)strata_block_int(copy, strata_block_entry(copy, ID), slot);
                sum += strata_block_link(copy, strata_block_entry(copy, LINK), slot);
                sum += strata_block_null(copy, strata_block_entry(copy, FLAG), slot);
            }
            accepted += sum != 1;
        }
        free(copy);
    }
    CHECK(accepted > 0);
    st_buffer_free(&out);
}
