/* SPDX-License-Identifier: MIT
 * test_key.c -- the order of encoded values is the order of the values. */
#include "base/bits.h"
#include "value/key.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>

static strata_bytes bytes_of(const st_key *key) { return (strata_bytes){ key->bytes, key->size }; }

static int sign(int64_t v) { return v < 0 ? -1 : v > 0; }

/* The order an index promises: nulls first, NaN before every number, strings by bytes. */
static int order_of(const strata_value *a, const strata_value *b) {
    if (a->type == STRATA_NULL || b->type == STRATA_NULL) return (a->type != STRATA_NULL) - (b->type != STRATA_NULL);
    switch (a->type) {
    case STRATA_BOOL: return (int)a->as.boolean - (int)b->as.boolean;
    case STRATA_INT: return a->as.integer < b->as.integer ? -1 : a->as.integer > b->as.integer;
    case STRATA_LINK: return a->as.link < b->as.link ? -1 : a->as.link > b->as.link;
    case STRATA_DATE:
        if (isnan(a->as.real) || isnan(b->as.real)) return (isnan(b->as.real) != 0) - (isnan(a->as.real) != 0);
        return a->as.real < b->as.real ? -1 : a->as.real > b->as.real;
    case STRATA_STRING: return sign(st_compare(a->as.bytes, b->as.bytes));
    case STRATA_UUID: return sign(memcmp(a->as.fixed, b->as.fixed, 16));
    default: return sign(memcmp(a->as.fixed, b->as.fixed, 12));
    }
}

static void check_decoded(const strata_value *value, const st_key *key, strata_type type, bool nullable) {
    uint8_t scratch[ST_KEY_PREFIX];
    strata_value back;
    CHECK(st_key_decode(type, nullable, bytes_of(key), scratch, &back));
    CHECK_EQ(back.type, value->type);
    if (value->type == STRATA_STRING && key->truncated) {
        CHECK_EQ(back.as.bytes.size, ST_KEY_PREFIX);
        CHECK(memcmp(back.as.bytes.data, value->as.bytes.data, ST_KEY_PREFIX) == 0);
    } else {
        CHECK_EQ(order_of(&back, value), 0);
    }
}

/* Every pair of values, with and without nulls allowed. */
static void check_pairs(strata_type type, const strata_value *values, size_t count) {
    st_key a, b;
    for (int nullable = 0; nullable <= 1; nullable++) {
        for (size_t i = 0; i < count; i++) {
            if (values[i].type == STRATA_NULL && nullable == 0) continue;
            st_key_encode(&st_hash_key_of_process, type, nullable != 0, values + i, &a);
            CHECK(a.size <= ST_MAX_KEY);
            if (st_key_width(type, nullable != 0) != 0) CHECK_EQ(a.size, st_key_width(type, nullable != 0));
            check_decoded(values + i, &a, type, nullable != 0);
            for (size_t j = 0; j < count; j++) {
                if (values[j].type == STRATA_NULL && nullable == 0) continue;
                st_key_encode(&st_hash_key_of_process, type, nullable != 0, values + j, &b);
                int order = order_of(values + i, values + j);
                if (a.truncated && b.truncated && memcmp(values[i].as.bytes.data, values[j].as.bytes.data,
                                                         ST_KEY_PREFIX) == 0) {
                    CHECK_EQ(st_compare(bytes_of(&a), bytes_of(&b)) == 0, order == 0);
                } else {
                    CHECK_EQ(sign(st_compare(bytes_of(&a), bytes_of(&b))), order);
                }
                size_t shorter = a.size < b.size ? a.size : b.size;
                if (order != 0) CHECK(memcmp(a.bytes, b.bytes, shorter) != 0); /* none is a prefix */
            }
        }
    }
}

void test_key_order_of_numbers(void) {
    static const int64_t ints[] = { INT64_MIN, INT64_MIN + 1, -4294967297, -65536, -257, -256, -255, -2, -1, 0, 1,
                                    2, 127, 128, 255, 256, 65535, 4294967296, INT64_MAX - 1, INT64_MAX };
    static const double reals[] = { -INFINITY, -1.7976931348623157e308, -2.5, -1, -1e-300, -4.9e-324, -0.0, 0.0,
                                    4.9e-324, 1e-300, 0.5, 1, 1.0000000000000002, 694224000.125, INFINITY };
    enum { INTS = sizeof ints / sizeof *ints, REALS = sizeof reals / sizeof *reals };
    strata_value values[40];
    for (size_t i = 0; i < INTS; i++) values[i] = strata_int(ints[i]);
    values[INTS] = strata_null();
    check_pairs(STRATA_INT, values, INTS + 1);
    for (size_t i = 0; i < REALS; i++) values[i] = strata_date(reals[i]);
    values[REALS] = strata_null();
    values[REALS + 1] = strata_date(NAN);
    values[REALS + 2] = strata_date(-NAN);
    check_pairs(STRATA_DATE, values, REALS + 3);
    values[0] = strata_bool(false), values[1] = strata_bool(true), values[2] = strata_null();
    check_pairs(STRATA_BOOL, values, 3);
    values[0] = strata_link(1), values[1] = strata_link(255), values[2] = strata_link(256);
    values[3] = strata_link(ST_KEY_MAX), values[4] = strata_null();
    check_pairs(STRATA_LINK, values, 5);
}

void test_key_order_of_fixed(void) {
    strata_value values[64];
    uint64_t state = ctest_seed();
    for (int type = 0; type <= 1; type++) {
        for (size_t i = 0; i < 63; i++) {
            values[i] = strata_null();
            values[i].type = type == 0 ? STRATA_UUID : STRATA_OBJECT_ID;
            for (size_t k = 0; k < 16; k++) values[i].as.fixed[k] = (uint8_t)(ctest_random(&state) % 3 * 127);
        }
        values[63] = strata_null();
        check_pairs(values[0].type, values, 64);
    }
}

/* All strings of up to four bytes out of { 0, 1, 'a', 255 }, and the same behind 62, 63 and 64 other bytes. */
void test_key_order_of_strings(void) {
    static const char letters[] = { 0, 1, 'a', (char)255 };
    enum { SHORT = 1 + 4 + 16 + 64, ALL = 3 * SHORT + SHORT };
    static char text[ALL][80];
    static strata_value values[ALL + 1];
    size_t count = 0;
    for (size_t front = 0; front < 4; front++) {
        size_t before = front == 0 ? 0 : 61 + front;
        for (size_t length = 0; length <= 3; length++) {
            for (size_t n = 0; n < (size_t)1 << 2 * length; n++) {
                memset(text[count], 'x', before);
                for (size_t k = 0; k < length; k++) text[count][before + k] = letters[n >> 2 * k & 3];
                values[count] = strata_string(text[count], before + length);
                count++;
            }
        }
    }
    CHECK_EQ(count, ALL);
    values[count++] = strata_null();
    check_pairs(STRATA_STRING, values, count);
}

void test_key_decode_refuses_nonsense(void) {
    uint8_t scratch[ST_KEY_PREFIX], bytes[ST_MAX_KEY + 8];
    strata_value value;
    uint64_t state = ctest_seed();
    static const strata_type types[] = { STRATA_BOOL, STRATA_INT, STRATA_STRING, STRATA_DATE, STRATA_UUID,
                                         STRATA_OBJECT_ID, STRATA_LINK };
    for (int round = 0; round < 200000; round++) {
        size_t size = ctest_random(&state) % sizeof bytes;
        for (size_t i = 0; i < size; i++) {
            uint64_t r = ctest_random(&state);
            bytes[i] = r % 4 == 0 ? 0 : r % 4 == 1 ? 1 : r % 4 == 2 ? 255 : (uint8_t)(r >> 8);
        }
        uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees a read behind the end */
        CHECK(exact != NULL);
        memcpy(exact, bytes, size);
        strata_type type = types[ctest_random(&state) % 7];
        bool nullable = ctest_random(&state) % 2 != 0;
        bool good = st_key_decode(type, nullable, (strata_bytes){ exact, size }, scratch, &value);
        if (good && value.type != STRATA_NULL && type != STRATA_DATE) {
            st_key again;
            st_key_encode(&st_hash_key_of_process, type, nullable, &value, &again);
            bool truncated = type == STRATA_STRING && size >= 10 && exact[size - 9] == 1 && exact[size - 10] == 0;
            if (!truncated) CHECK(st_compare((strata_bytes){ exact, size }, bytes_of(&again)) == 0);
        }
        free(exact);
    }
}
