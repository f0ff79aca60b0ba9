/* SPDX-License-Identifier: MIT
 *
 * test_page_delta.c -- the bytes of a page as what another one has of them, and what is new. */
#include <stdlib.h>
#include <string.h>

#include "ctest.h"
#include "page/page_delta.h"
#include "support/store_support.h"

enum { MOST = 32768, PIECE = 6 };

typedef struct pair {
    uint8_t other[MOST], page[MOST], delta[MOST], made[MOST];
    size_t other_size, size;
} pair;

static void fill(uint8_t *bytes, size_t size, uint64_t *random) {
    uint64_t kind = ctest_random(random) % 3;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(kind == 0 ? ctest_random(random) : kind == 1 ? i % 14 == 0 ? ctest_random(random) : 7 : i / 40);
}

/* Some bytes of the page change, come, go, or move. */
static void edit(pair *it, uint64_t *random) {
    size_t at = ctest_random(random) % it->size, count = 1 + ctest_random(random) % 30;
    if (count > it->size - at) count = it->size - at;
    switch (ctest_random(random) % 4) {
    case 0: fill(it->page + at, count, random); break;
    case 1:
        memmove(it->page + at, it->page + at + count, it->size - at - count);
        if (it->size > count) it->size -= count;
        break;
    case 2:
        if (count > MOST - it->size) break;
        memmove(it->page + at + count, it->page + at, it->size - at);
        fill(it->page + at, count, random);
        it->size += count;
        break;
    default: memmove(it->page + ctest_random(random) % (it->size - count + 1), it->page + at, count); break;
    }
}

static void make_pair(pair *it, uint64_t *random) {
    static const size_t sizes[] = { 1, 7, 16, 17, 24, 100, 4096, 4096, 4096, 8192, MOST };
    it->other_size = it->size = sizes[ctest_random(random) % (sizeof sizes / sizeof *sizes)];
    fill(it->other, it->other_size, random);
    if (ctest_random(random) % 8 == 0) {
        it->size = sizes[ctest_random(random) % (sizeof sizes / sizeof *sizes)];
        fill(it->page, it->size, random);
        return;
    }
    memcpy(it->page, it->other, it->size);
    for (uint64_t edits = ctest_random(random) % 12; edits > 0; edits--) edit(it, random);
}

/* Whatever two pages are, the one is made of the other; and a delta is as large as it may be, or there is none. */
void test_page_deltas_make_the_page(void) {
    uint64_t random = ctest_seed(), deltas = 0, small = 0, told = 0;
    pair *it = calloc(1, sizeof *it);
    for (int round = 0; round < 3000; round++) {
        make_pair(it, &random);
        size_t most = ctest_random(&random) % 4 == 0 ? ctest_random(&random) % (it->size + PIECE) : it->size;
        if (most > sizeof it->delta) most = sizeof it->delta;
        memset(it->delta, 0xA5, sizeof it->delta);
        size_t bytes = st_page_delta_make(it->other, it->other_size, it->page, it->size, it->delta, most);
        CHECK(bytes <= most);
        for (size_t i = most; i < sizeof it->delta; i += 97) CHECK_EQ(it->delta[i], 0xA5);
        if (bytes == 0) continue;
        deltas++;
        small += it->size >= 4096 && bytes < it->size / 8;
        CHECK(st_page_delta_fits(it->delta, bytes, it->size));
        memset(it->made, 0, sizeof it->made);
        CHECK(st_page_delta_apply(it->other, it->other_size, it->delta, it->made, it->size));
        CHECK(memcmp(it->made, it->page, it->size) == 0);
        CHECK(st_page_delta_agrees(it->delta, it->page, it->size));
        size_t at = 0, read = 0; /* the first byte that is new */
        while (read < bytes && strata_load16(it->delta + read + 4) == 0) {
            at += strata_load16(it->delta + read + 2);
            read += PIECE;
        }
        if (read == bytes) continue;
        it->made[at + strata_load16(it->delta + read + 2)] ^= 1;
        CHECK(!st_page_delta_agrees(it->delta, it->made, it->size));
        told++;
    }
    CHECK(told > 300);
    CHECK(deltas > 1000 && small > 500);
    free(it);
}

/* Bytes that are no delta of the page, or not one to the other page, are told apart before anything is read or written
 * beyond the two; the sanitizers see to the rest. */
void test_page_deltas_that_lie(void) {
    uint64_t random = ctest_seed(), refused = 0, unlike = 0;
    pair *it = calloc(1, sizeof *it);
    for (int round = 0; round < 3000; round++) {
        make_pair(it, &random);
        size_t bytes = st_page_delta_make(it->other, it->other_size, it->page, it->size, it->delta, it->size);
        if (bytes == 0) continue;
        for (int lies = 0; lies < 2; lies++) it->delta[ctest_random(&random) % bytes] = (uint8_t)ctest_random(&random);
        if (ctest_random(&random) % 4 == 0) bytes = ctest_random(&random) % (bytes + 1);
        uint8_t *delta = malloc(bytes + 1), *other = malloc(it->other_size), *page = malloc(it->size);
        memcpy(delta, it->delta, bytes);
        memcpy(other, it->other, it->other_size);
        if (!st_page_delta_fits(delta, bytes, it->size)) refused++;
        else unlike += !st_page_delta_apply(other, it->other_size, delta, page, it->size);
        free(delta);
        free(other);
        free(page);
    }
    CHECK(refused > 300 && unlike > 30);
    free(it);
}

/* A page in which one entry changed in its place, and one that grew, take a few bytes. */
void test_page_deltas_are_small(void) {
    static uint8_t other[4096], page[4096], delta[4096];
    uint64_t random = ctest_seed();
    for (size_t i = 0; i < sizeof other; i++) other[i] = (uint8_t)ctest_random(&random);
    memcpy(page, other, sizeof page);
    page[0] ^= 1;
    page[2000] ^= 1;
    CHECK(st_page_delta_make(other, sizeof other, page, sizeof page, delta, sizeof delta) < 50);
    memmove(page + 1008, page + 1000, sizeof page - 1008);
    memset(page + 1000, 3, 8);
    CHECK(st_page_delta_make(other, sizeof other, page, sizeof page, delta, sizeof delta) < 100);
}
