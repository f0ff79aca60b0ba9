/* SPDX-License-Identifier: MIT
 * tuple_support.c -- random values of the types that compound indexes take, and their order. */
#include "support/tuple_support.h"

#include "base/bits.h"
#include "tests.h"

const strata_type tuple_types[7] = { STRATA_BOOL, STRATA_INT,       STRATA_STRING, STRATA_DATE,
                                     STRATA_UUID, STRATA_OBJECT_ID, STRATA_LINK };

enum { LONGEST = 90 };

/* Strings are a stretch of one letter, of one of these sizes, then up to two letters that tell them apart. */
static strata_value random_string(uint64_t *random) {
    enum { SIZES = 14, ENDS = 7 };
    static const uint8_t sizes[SIZES] = { 0, 0, 0, 1, 2, 5, 8, 9, 15, 33, 52, 63, 64, LONGEST };
    static const char *const ends[ENDS] = { "", "a", "b", "\0", "ab", "x\0", "\0b" };
    static const size_t end_sizes[ENDS] = { 0, 1, 1, 1, 2, 2, 2 };
    static char texts[SIZES][ENDS][LONGEST + 2];
    uint64_t size = ctest_random(random) % SIZES, end = ctest_random(random) % ENDS;
    char *text = texts[size][end];
    memset(text, 'x', sizes[size]);
    memcpy(text + sizes[size], ends[end], end_sizes[end]);
    return strata_string(text, sizes[size] + end_sizes[end]);
}

strata_value tuple_random_value(uint64_t *random, strata_type type, bool nullable) {
    static const int64_t ints[] = { INT64_MIN, -1, 0, 1, 255, 256, INT64_MAX };
    static const double dates[] = { -1e300, -2.5, 0, 0.5, 694224000.125, 1e300 };
    strata_value value = strata_null();
    uint64_t pick = ctest_random(random);
    if (type == STRATA_LINK) return strata_link(pick % 6);
    if (nullable && pick % 5 == 0) return value;
    pick >>= 8;
    value.type = type;
    switch (type) {
    case STRATA_BOOL: value.as.boolean = pick % 2 != 0; break;
    case STRATA_INT: value.as.integer = ints[pick % 7]; break;
    case STRATA_DATE: value.as.real = dates[pick % 6]; break;
    case STRATA_STRING: return random_string(random);
    default: memset(value.as.fixed, pick % 3 == 0 ? 255 : (int)(pick % 3), type == STRATA_UUID ? 16 : 12); break;
    }
    return value;
}

static int sign(int64_t number) { return number < 0 ? -1 : number > 0; }

int tuple_value_order(const strata_value *a, const strata_value *b) {
    if (a->type == STRATA_NULL || b->type == STRATA_NULL) return (a->type != STRATA_NULL) - (b->type != STRATA_NULL);
    switch (a->type) {
    case STRATA_BOOL: return (int)a->as.boolean - (int)b->as.boolean;
    case STRATA_INT: return a->as.integer < b->as.integer ? -1 : a->as.integer > b->as.integer;
    case STRATA_LINK: return a->as.link < b->as.link ? -1 : a->as.link > b->as.link;
    case STRATA_DATE: return a->as.real < b->as.real ? -1 : a->as.real > b->as.real;
    case STRATA_STRING: return sign(st_compare(a->as.bytes, b->as.bytes));
    default: return sign(memcmp(a->as.fixed, b->as.fixed, a->type == STRATA_UUID ? 16 : 12));
    }
}
