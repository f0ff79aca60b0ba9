/* SPDX-License-Identifier: MIT
 * test_sort.c -- sorting by a number. */
#include "base/sort.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 20000 };

static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Numbers as they occur, and those that a sort by some of their bytes would take for others. */
static uint64_t make_order(unsigned kind, uint64_t random, size_t index, size_t count) {
    switch (kind) {
    case 0: return random;
    case 1: return random & 0xFF;
    case 2: return bits_of((double)(random >> 11) * 0x1p-53);
    case 3: return index;
    case 4: return count - index;
    case 5: return random & UINT64_C(0xFF000000000000FF);
    case 6: return (uint64_t)7 << 61 | (random & 0xFFFFF);
    case 7: return index % (count / 1024 + 1) == 0 ? random : random & 0xFFFF; /* a sample sees the first kind only */
    case 8: return index < count / 2 ? random : 5;
    default: return (random & 7) << (8 * (random >> 8 & 7));
    }
}

void test_sort_by_numbers_keeps_the_order_of_equal_ones(void) {
    enum { KINDS = 10, ROUNDS = 300 };
    uint64_t random = ctest_seed();
    st_sort_item *items = malloc(MOST * sizeof *items), *scratch = malloc(MOST * sizeof *items);
    CHECK(items != NULL && scratch != NULL);
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t count = ctest_random(&random) % (round % 4 == 0 ? MOST : 200);
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            items[i] = (st_sort_item){ make_order(round % KINDS, ctest_random(&random), i, count), i };
            sum += items[i].order * (2 * i + 1);
        }
        st_sort_items(items, scratch, count);
        for (size_t i = 0; i < count; i++) {
            sum -= items[i].order * (2 * items[i].index + 1);
            if (i == 0) continue;
            CHECK(items[i - 1].order <= items[i].order);
            CHECK(items[i - 1].order < items[i].order || items[i - 1].index < items[i].index);
        }
        CHECK_EQ(sum, 0); /* each item is there, with its number */
    }
    free(items);
    free(scratch);
}

static int by_byte(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }

/* An array that never grew has no memory: a sanitizer would stop at a NULL that is given to the library's sort. */
void test_sort_of_nothing(void) {
    char letters[] = "strata";
    st_sort_array(NULL, 0, 8, by_byte);
    st_sort_array(letters, sizeof letters - 1, 1, by_byte);
    CHECK_TEXT(letters, "aarstt");
}
