/* SPDX-License-Identifier: MIT
 * test_mixed.c -- mixed values as bytes: their order, their keys, lists and maps of them. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "support/mixed_support.h"
#include "value/key.h"
#include "value/mixed_links.h"
#include "value/mixed_order.h"

static int sign(int order) { return order < 0 ? -1 : order > 0; }

static strata_value text(const char *bytes) { return strata_string(bytes, strlen(bytes)); }

static strata_value fixed(strata_type type, uint8_t first, uint8_t last) {
    strata_value v = { .type = type };
    v.as.fixed[0] = first;
    v.as.fixed[type == STRATA_UUID ? 15 : 11] = last;
    return v;
}

/* ---- The order -------------------------------------------------------- */

enum { MOST_RANKED = 200 };

/* Values in ascending order; equal ones have the same rank. */
typedef struct ranking {
    strata_value values[MOST_RANKED];
    int ranks[MOST_RANKED], count, rank;
    strata_nested *builders[40];
    int builder_count;
} ranking;

static void equal(ranking *r, strata_value value) {
    CHECK(r->count < MOST_RANKED);
    r->values[r->count] = value;
    r->ranks[r->count++] = r->rank;
}

static void above(ranking *r, strata_value value) {
    r->rank++;
    equal(r, value);
}

/* A list, or with a key a map of one entry, of up to two values. */
static strata_value nest(ranking *r, const char *key, int count, strata_value a, strata_value b) {
    strata_nested *n = r->builders[r->builder_count++] = strata_nested_make();
    strata_value out;
    CHECK(n != NULL);
    CHECK_EQ(key == NULL ? strata_nested_begin_list(n, NULL, NULL) : strata_nested_begin_map(n, NULL, NULL), STRATA_OK);
    for (int i = 0; i < count; i++) {
        const strata_value *value = i == 0 ? &a : &b;
        char name[20];
        snprintf(name, sizeof name, "%s%d", key == NULL ? "" : key, i);
        CHECK_EQ(key == NULL ? strata_nested_append(n, value, NULL)
                             : strata_nested_put(n, (strata_bytes){ name, strlen(name) }, value, NULL), STRATA_OK);
    }
    CHECK_EQ(strata_nested_end(n, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(n, &out, NULL), STRATA_OK);
    return out;
}

static void rank_numbers(ranking *r) {
    above(r, strata_double(NAN));
    equal(r, strata_float(NAN));
    equal(r, decimal_value("NaN"));
    above(r, strata_double(-INFINITY));
    equal(r, strata_float(-INFINITY));
    equal(r, decimal_value("-Infinity"));
    above(r, decimal_value("-1E+400"));
    above(r, strata_double(-DBL_MAX));
    above(r, strata_float(-FLT_MAX));
    equal(r, strata_double((double)-FLT_MAX));
    above(r, decimal_value("-9223372036854775809"));
    above(r, strata_int(INT64_MIN));
    equal(r, strata_double(-0x1p63));
    equal(r, strata_float(-0x1p63F));
    equal(r, decimal_value("-9223372036854775808"));
    above(r, decimal_value("-9223372036854775807.5"));
    above(r, strata_int(INT64_MIN + 1));
    above(r, strata_int(-9007199254740993));
    equal(r, decimal_value("-9007199254740993"));
    above(r, strata_double(-9007199254740992.0));
    equal(r, strata_int(-9007199254740992));
    above(r, strata_double(-1.5));
    equal(r, decimal_value("-1.50"));
    above(r, strata_int(-1));
    equal(r, strata_float(-1));
    equal(r, decimal_value("-1.0"));
    above(r, strata_double(-5e-324));
    equal(r, decimal_value("-5E-324"));
    above(r, decimal_value("-1E-6176"));
    above(r, strata_int(0));
    equal(r, strata_double(0));
    equal(r, strata_double(-0.0));
    equal(r, strata_float(-0.0F));
    equal(r, decimal_value("-0"));
    equal(r, decimal_value("0E+50"));
    above(r, decimal_value("1E-6176"));
    above(r, strata_double(5e-324));
    above(r, decimal_value("0.09999999999999999999999999999999999"));
    above(r, strata_double(0.1));
    equal(r, decimal_value("0.1"));
    above(r, decimal_value("0.1000000000000000000000000000000001"));
    above(r, strata_double(nextafter(0.1, 1)));
    above(r, strata_float(0.1F));
    equal(r, strata_double((double)0.1F));
    above(r, strata_double(0.5));
    equal(r, decimal_value("0.50"));
    above(r, decimal_value("0.9999999999999999999999999999999999"));
    above(r, strata_int(1));
    equal(r, strata_float(1));
    equal(r, strata_double(1));
    equal(r, decimal_value("1"));
    equal(r, decimal_value("1.00"));
    above(r, strata_double(nextafter(1, 2)));
    above(r, strata_double(4503599627370495.5));
    equal(r, decimal_value("4503599627370495.5"));
    above(r, strata_int(4503599627370496));
    above(r, strata_int(9007199254740992));
    equal(r, strata_double(9007199254740992.0));
    above(r, strata_int(9007199254740993));
    equal(r, decimal_value("9007199254740993"));
    above(r, strata_double(9007199254740994.0));
    equal(r, strata_int(9007199254740994));
    above(r, strata_double(nextafter(0x1p63, 0)));
    equal(r, strata_int(INT64_MAX - 1023));
    above(r, strata_int(INT64_MAX));
    equal(r, decimal_value("9223372036854775807"));
    above(r, decimal_value("9223372036854775807.5"));
    above(r, strata_double(0x1p63));
    equal(r, strata_float(0x1p63F));
    equal(r, decimal_value("9223372036854775808"));
    above(r, strata_double(0x1p100));
    equal(r, decimal_value("1267650600228229401496703205376"));
    above(r, strata_double(nextafter(0x1p100, INFINITY)));
    above(r, strata_double(nextafter(0x1p112, 0)));
    above(r, strata_double(0x1p112));
    above(r, strata_double(nextafter(0x1p112, INFINITY)));
    above(r, strata_double(1e300));
    equal(r, decimal_value("1E+300"));
    above(r, strata_double(DBL_MAX));
    above(r, decimal_value("1E+400"));
    above(r, strata_double(INFINITY));
    equal(r, strata_float(INFINITY));
    equal(r, decimal_value("Infinity"));
}

static void rank_bytes(ranking *r, strata_type type, const char *long_text) {
    int first = r->count;
    above(r, text(""));
    above(r, strata_string("\0", 1));
    above(r, strata_string("\0\0", 2));
    above(r, strata_string("\0a", 2));
    above(r, text("1"));
    above(r, text("A"));
    above(r, text("a"));
    above(r, strata_string("a\0", 2));
    above(r, strata_string("a\0b", 3));
    above(r, text("aa"));
    above(r, text("b"));
    above(r, strata_string(long_text, 63));
    above(r, strata_string(long_text, 64));
    above(r, strata_string(long_text, 65));
    above(r, strata_string(long_text, 300));
    above(r, text("\xC3\xA4"));
    for (int i = first; i < r->count; i++) r->values[i].type = type;
}

static void rank_others(ranking *r) {
    above(r, strata_date(NAN));
    above(r, strata_date(-INFINITY));
    above(r, strata_date(-1));
    above(r, strata_date(0));
    equal(r, strata_date(-0.0));
    above(r, strata_date(1e9));
    above(r, fixed(STRATA_OBJECT_ID, 0, 0));
    above(r, fixed(STRATA_OBJECT_ID, 0, 1));
    above(r, fixed(STRATA_OBJECT_ID, 200, 0));
    above(r, fixed(STRATA_UUID, 0, 0));
    above(r, fixed(STRATA_UUID, 0, 255));
    above(r, fixed(STRATA_UUID, 1, 0));
    above(r, strata_mixed_link(0, 1));
    above(r, strata_mixed_link(0, ST_KEY_MAX - 1));
    above(r, strata_mixed_link(1, 1));
    above(r, strata_mixed_link(64999, 5));
}

static void rank_nested(ranking *r) {
    strata_value none = strata_null(), one = strata_int(1), real = strata_double(1), two = strata_int(2);
    strata_value empty = nest(r, NULL, 0, none, none);
    above(r, empty);
    above(r, nest(r, NULL, 1, none, none));
    above(r, nest(r, NULL, 2, none, none));
    above(r, nest(r, NULL, 1, one, none));
    equal(r, nest(r, NULL, 1, real, none));
    equal(r, nest(r, NULL, 1, decimal_value("1.00"), none));
    above(r, nest(r, NULL, 2, one, none));
    above(r, nest(r, NULL, 2, real, two));
    above(r, nest(r, NULL, 1, two, none));
    above(r, nest(r, NULL, 1, strata_string("a\0", 2), none));
    above(r, nest(r, NULL, 2, strata_string("a\0", 2), one));
    above(r, nest(r, NULL, 1, text("ab"), none));
    above(r, nest(r, NULL, 1, empty, none));
    above(r, nest(r, NULL, 2, empty, empty));
    above(r, nest(r, NULL, 1, nest(r, NULL, 1, one, none), none));
    above(r, nest(r, NULL, 1, nest(r, "m", 0, none, none), none));
    above(r, nest(r, "m", 0, none, none));
    above(r, nest(r, "k", 1, none, none));
    above(r, nest(r, "k", 1, one, none));
    equal(r, nest(r, "k", 1, real, none));
    above(r, nest(r, "k", 2, one, none));
    above(r, nest(r, "k", 2, one, empty));
    above(r, nest(r, "kk", 1, none, none));
    above(r, nest(r, "l", 1, none, none));
}

static strata_bytes bytes_of(const st_key *key) { return (strata_bytes){ key->bytes, key->size }; }

static void check_pair(const strata_value *a, const strata_value *b, int expected) {
    st_key x, y;
    st_buffer p = { 0 }, q = { 0 };
    CHECK_EQ(strata_mixed_compare(a, b), expected);
    CHECK(st_mixed_order(a, &p) && st_mixed_order(b, &q));
    CHECK_EQ(sign(st_compare((strata_bytes){ p.data, p.size }, (strata_bytes){ q.data, q.size })), expected);
    st_key_encode(&st_hash_key_of_process, STRATA_MIXED, true, a, &x);
    st_key_encode(&st_hash_key_of_process, STRATA_MIXED, false, b, &y);
    CHECK(x.size <= ST_MAX_KEY);
    CHECK_EQ(st_key_is_truncated(STRATA_MIXED, true, bytes_of(&x)), x.truncated);
    int keys = sign(st_compare(bytes_of(&x), bytes_of(&y)));
    if (expected == 0) CHECK_EQ(keys, 0);
    else if (keys != expected) CHECK(x.truncated && y.truncated); /* in no particular order */
    if (keys == 0) CHECK_EQ(x.truncated, y.truncated);
    st_buffer_free(&p);
    st_buffer_free(&q);
}

void test_mixed_order(void) {
    static char long_text[400];
    ranking *r = calloc(1, sizeof *r);
    CHECK(r != NULL);
    memset(long_text, 'm', sizeof long_text);
    equal(r, strata_null());
    above(r, strata_bool(false));
    above(r, strata_bool(true));
    rank_numbers(r);
    rank_bytes(r, STRATA_STRING, long_text);
    rank_bytes(r, STRATA_DATA, long_text);
    rank_others(r);
    rank_nested(r);
    for (int i = 0; i < r->count; i++) {
        for (int j = 0; j < r->count; j++) {
            check_pair(&r->values[i], &r->values[j], sign(r->ranks[i] - r->ranks[j]));
        }
    }
    for (int i = 0; i < r->builder_count; i++) strata_nested_free(r->builders[i]);
    free(r);
}

/* A number near to others of other types: what one of them becomes when it is converted, and its neighbours. */
static strata_value near_number(uint64_t *random, double about) {
    uint64_t r = ctest_random(random);
    double real = r % 4 == 0 ? nextafter(about, INFINITY) : r % 4 == 1 ? nextafter(about, -INFINITY) : about;
    switch (r / 4 % 5) {
    case 0: return strata_float((float)real);
    case 1: return strata_double(real);
    case 2: return strata_decimal_value(strata_decimal_from_double(real));
    case 3: {
        strata_decimal small;
        char exponent[20];
        snprintf(exponent, sizeof exponent, "%dE-%d", (int)(r / 20 % 3) - 1, (int)(r / 60 % 25));
        CHECK_EQ(strata_decimal_parse(exponent, strlen(exponent), &small, NULL), STRATA_OK);
        return strata_decimal_value(strata_decimal_add(strata_decimal_from_double(real), small));
    }
    default:
        if (!(real < 0x1p63 && real >= -0x1p63)) return strata_double(real);
        int64_t whole = (int64_t)real;
        return strata_int(r / 20 % 3 == 0 && whole < INT64_MAX ? whole + 1 : whole);
    }
}

/* The order of all pairs is that of bytes, so it is a total one. */
void test_mixed_order_of_random_numbers(void) {
    enum { GROUP = 12, ROUNDS_OF_NUMBERS = 1500 };
    uint64_t random = ctest_seed();
    for (int round = 0; round < ROUNDS_OF_NUMBERS; round++) {
        uint64_t bits = ctest_random(&random);
        double about;
        if (bits % 3 == 0) about = (double)(int64_t)ctest_random(&random);
        else if (bits % 3 == 1) about = ldexp((double)(bits >> 40), (int)(bits / 3 % 120) - 60);
        else memcpy(&about, &bits, 8);
        strata_value values[GROUP];
        st_key keys[GROUP];
        for (int i = 0; i < GROUP; i++) {
            values[i] = near_number(&random, about);
            st_key_encode(&st_hash_key_of_process, STRATA_MIXED, true, &values[i], &keys[i]);
            CHECK(!keys[i].truncated);
        }
        for (int i = 0; i < GROUP; i++) {
            for (int j = 0; j < GROUP; j++) {
                int order = sign(st_compare(bytes_of(&keys[i]), bytes_of(&keys[j])));
                CHECK_EQ(strata_mixed_compare(&values[i], &values[j]), order);
            }
        }
    }
}

/* ---- Bytes ------------------------------------------------------------ */

static bool same_bytes(strata_bytes a, strata_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The same value of the same type, NaN and all. */
static bool identical(const strata_value *a, const strata_value *b) {
    if (a->type != b->type) return false;
    if (a->type == STRATA_STRING || a->type == STRATA_DATA || a->type == STRATA_NESTED)
        return same_bytes(a->as.bytes, b->as.bytes);
    return strata_mixed_compare(a, b) == 0;
}

static void check_walk(const tree *t, const strata_value *value) {
    if (t->kind == STRATA_SINGLE) {
        CHECK(identical(&t->leaf, value));
        return;
    }
    strata_nested_iterator it;
    strata_bytes key;
    strata_value entry;
    CHECK_EQ(value->type, STRATA_NESTED);
    CHECK_EQ(strata_nested_open(value->as.bytes, &it, NULL), STRATA_OK);
    CHECK_EQ(it.kind, t->kind);
    CHECK_EQ(it.count, t->count);
    for (int i = 0; i < t->count; i++) {
        CHECK_EQ(strata_nested_next(&it, &key, &entry), STRATA_OK);
        if (t->kind == STRATA_MAP) CHECK(same_bytes(key, (strata_bytes){ t->keys[i], strlen(t->keys[i]) }));
        else CHECK_EQ(key.size, 0);
        check_walk(t->children[i], &entry);
    }
    CHECK_EQ(strata_nested_next(&it, &key, &entry), STRATA_END);
    CHECK_EQ(strata_nested_next(&it, NULL, &entry), STRATA_END);
}

static uint64_t some_key(void *context, uint32_t table) {
    return 1 + ctest_random(context) % 3 + table;
}

void test_mixed_round_trip(void) {
    enum { ROUNDS_OF_TREES = 3000 };
    uint64_t random = ctest_seed();
    tree_links links = { 3, some_key, &random };
    strata_nested *builder = strata_nested_make(), *other = strata_nested_make();
    CHECK(builder != NULL && other != NULL);
    for (int round = 0; round < ROUNDS_OF_TREES; round++) {
        tree *t = tree_random(&random, &links, 4);
        strata_value value = tree_value(t, builder), back;
        check_walk(t, &value);
        CHECK(st_mixed_flaw(&value, 3) == NULL);
        if (value.type == STRATA_NULL) {
            tree_free(t);
            continue;
        }
        size_t size = st_mixed_size(&value);
        uint8_t *cell = malloc(size);
        CHECK(cell != NULL);
        st_mixed_pack(&value, cell);
        CHECK(st_mixed_unpack((strata_bytes){ cell, size }, &back));
        CHECK(identical(&back, &value));
        CHECK_EQ(strata_mixed_compare(&back, &value), 0);
        for (uint32_t table = 0; table < 3; table++) {
            uint64_t key = some_key(&random, table), count = tree_count_links(t, table, key);
            CHECK_EQ(st_mixed_count_links(&back, table, key), count);
            strata_value without, expected;
            CHECK_EQ(st_mixed_unlink(&back, table, key, other, &without, NULL), STRATA_OK);
            t = tree_unlink(t, table, key);
            expected = tree_value(t, builder);
            CHECK(identical(&without, &expected));
            CHECK_EQ(st_mixed_count_links(&without, table, key), 0);
            st_mixed_pack(&back, cell); /* the tree has lost links; the cell keeps them for the other tables */
            if (expected.type == STRATA_NULL) break;
            CHECK(st_mixed_size(&expected) <= size);
            size = st_mixed_size(&expected);
            free(cell);
            cell = malloc(size);
            CHECK(cell != NULL);
            st_mixed_pack(&expected, cell);
            CHECK(st_mixed_unpack((strata_bytes){ cell, size }, &back));
        }
        free(cell);
        tree_free(t);
    }
    strata_nested_free(builder);
    strata_nested_free(other);
}

/* ---- Building --------------------------------------------------------- */

void test_mixed_builder_refuses_misuse(void) {
    strata_nested *n = strata_nested_make();
    strata_value out, one = strata_int(1), bad = strata_string("\xFF", 1), none = { .type = STRATA_MIXED };
    strata_bytes key = { "k", 1 }, bad_key = { "\xC3", 1 };
    static char long_key[STRATA_MAX_MAP_KEY + 1];
    CHECK(n != NULL);
    memset(long_key, 'k', sizeof long_key);
    CHECK_EQ(strata_nested_finish(n, &out, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_end(n, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_append(n, &one, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_begin_list(n, &key, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_begin_list(n, NULL, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_put(n, key, &one, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_begin_map(n, &key, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_append(n, &bad, NULL), STRATA_TYPE);
    CHECK_EQ(strata_nested_append(n, &none, NULL), STRATA_TYPE);
    CHECK_EQ(strata_nested_finish(n, &out, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_begin_map(n, NULL, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_append(n, &one, NULL), STRATA_MISUSE);
    CHECK_EQ(strata_nested_put(n, bad_key, &one, NULL), STRATA_TYPE);
    CHECK_EQ(strata_nested_put(n, (strata_bytes){ long_key, sizeof long_key }, &one, NULL), STRATA_TOO_LARGE);
    CHECK_EQ(strata_nested_put(n, (strata_bytes){ long_key, STRATA_MAX_MAP_KEY }, &one, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_put(n, (strata_bytes){ NULL, 0 }, &one, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_end(n, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_end(n, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(n, &out, NULL), STRATA_OK);
    CHECK(st_mixed_flaw(&out, 0) == NULL);
    CHECK_EQ(out.as.bytes.size, 9 + 9 + 2 + 2 + 2 + STRATA_MAX_MAP_KEY + 2);
    strata_nested_free(n);
    strata_nested_free(NULL);
}

void test_mixed_nesting_has_a_limit(void) {
    strata_nested *n = strata_nested_make(), *outer = strata_nested_make();
    strata_value deep, out;
    CHECK(n != NULL && outer != NULL);
    for (int i = 0; i < STRATA_MAX_NESTING; i++) CHECK_EQ(strata_nested_begin_list(n, NULL, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_begin_list(n, NULL, NULL), STRATA_TOO_LARGE);
    for (int i = 0; i < STRATA_MAX_NESTING; i++) CHECK_EQ(strata_nested_end(n, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(n, &deep, NULL), STRATA_OK);
    CHECK(st_mixed_flaw(&deep, 0) == NULL);
    CHECK_EQ(strata_mixed_compare(&deep, &deep), 0);
    CHECK_EQ(strata_nested_begin_list(outer, NULL, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_append(outer, &deep, NULL), STRATA_TOO_LARGE);
    CHECK_EQ(strata_nested_end(outer, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(outer, &out, NULL), STRATA_OK);
    CHECK_EQ(out.as.bytes.size, ST_MIXED_NESTED_HEAD);
    /* The same by hand: one more list around it. */
    size_t size = deep.as.bytes.size + ST_MIXED_NESTED_HEAD;
    uint8_t *bytes = malloc(size);
    CHECK(bytes != NULL);
    bytes[0] = STRATA_NESTED | STRATA_LIST << 4;
    st_store32(bytes + 1, (uint32_t)deep.as.bytes.size);
    st_store32(bytes + 5, 1);
    memcpy(bytes + ST_MIXED_NESTED_HEAD, deep.as.bytes.data, deep.as.bytes.size);
    strata_value deeper = strata_data(bytes, size);
    deeper.type = STRATA_NESTED;
    CHECK(st_mixed_flaw(&deeper, 0) != NULL);
    CHECK_EQ(strata_mixed_compare(&deeper, &deeper), 0);
    free(bytes);
    strata_nested_free(n);
    strata_nested_free(outer);
}

void test_mixed_nested_has_a_size_limit(void) {
    enum { PART = 4 * 1024 * 1024 };
    strata_nested *n = strata_nested_make();
    char *part = malloc(PART);
    strata_value out, value = strata_data(part, PART);
    CHECK(n != NULL && part != NULL);
    memset(part, 1, PART);
    CHECK_EQ(strata_nested_begin_list(n, NULL, NULL), STRATA_OK);
    for (int i = 0; i < 3; i++) CHECK_EQ(strata_nested_append(n, &value, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_append(n, &value, NULL), STRATA_TOO_LARGE);
    CHECK_EQ(strata_nested_end(n, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(n, &out, NULL), STRATA_OK);
    CHECK(out.as.bytes.size < STRATA_MAX_VALUE);
    strata_nested_free(n);
    free(part);
}

/* ---- Damage ----------------------------------------------------------- */

static strata_status touch_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    (void)error;
    *(uint64_t *)context += table + key;
    return STRATA_OK;
}

/* Whatever the bytes are, nothing reads outside of them; what has no flaw can be taken apart and rebuilt. */
static void survive(const uint8_t *bytes, size_t size, strata_nested *builder) {
    strata_value value, again;
    uint64_t sum = 0;
    uint8_t *apart = malloc(size == 0 ? 1 : size);
    CHECK(apart != NULL);
    if (size != 0) memcpy(apart, bytes, size);
    if (st_mixed_unpack((strata_bytes){ apart, size }, &value)) {
        st_key key;
        st_buffer order = { 0 };
        bool good = st_mixed_flaw(&value, 3) == NULL;
        strata_status links = st_mixed_links(&value, touch_link, &sum, NULL);
        if (good) CHECK_EQ(links, STRATA_OK);
        CHECK_EQ(strata_mixed_compare(&value, &value), 0);
        CHECK(st_mixed_order(&value, &order));
        st_mixed_key(&st_hash_key_of_process, &value, &key);
        st_buffer_free(&order);
        strata_status unlinked = st_mixed_unlink(&value, 1, 2, builder, &again, NULL);
        if (good) CHECK_EQ(unlinked, STRATA_OK);
        if (good && st_mixed_count_links(&value, 1, 2) == 0) CHECK_EQ(strata_mixed_compare(&value, &again), 0);
    }
    strata_nested_iterator it;
    if (strata_nested_open((strata_bytes){ apart, size }, &it, NULL) == STRATA_OK) {
        while (strata_nested_next(&it, NULL, &value) == STRATA_OK) sum++;
    }
    free(apart);
}

void test_mixed_survives_damage(void) {
    enum { ROUNDS_OF_DAMAGE = 20000 };
    uint64_t random = ctest_seed();
    tree_links links = { 3, some_key, &random };
    strata_nested *builder = strata_nested_make(), *other = strata_nested_make();
    uint8_t bytes[6000];
    size_t size = 0;
    CHECK(builder != NULL && other != NULL);
    for (unsigned round = 0, rounds = ctest_rounds(ROUNDS_OF_DAMAGE); round < rounds; round++) {
        if (round % 20 == 0) {
            tree *t = tree_random(&random, &links, 4);
            strata_value value = tree_value(t, builder);
            size = value.type == STRATA_NULL ? 0 : st_mixed_size(&value);
            if (size > sizeof bytes) size = 0;
            if (size != 0) st_mixed_pack(&value, bytes);
            tree_free(t);
        }
        uint8_t copy[sizeof bytes];
        size_t length = size;
        memcpy(copy, bytes, size);
        uint64_t changes = 1 + ctest_random(&random) % 4;
        for (uint64_t i = 0; i < changes && length != 0; i++) {
            uint64_t r = ctest_random(&random), at = r / 8 % length;
            if (r % 8 == 0) length = at;
            else if (r % 8 == 1) copy[at] = (uint8_t)(r >> 40);
            else if (r % 8 == 2) copy[at] = 0xFF;
            else if (r % 8 == 3) copy[at]++;
            else if (r % 8 == 4) copy[at] = (uint8_t)(STRATA_NESTED | (r >> 40 & 3) << 4);
            else copy[at] ^= (uint8_t)(1u << (r >> 40 & 7));
        }
        survive(copy, length, other);
        for (size_t i = 0; i < sizeof copy && i < 40; i++) copy[i] = (uint8_t)ctest_random(&random);
        copy[0] = (uint8_t)(copy[0] & 0x3F);
        survive(copy, ctest_random(&random) % 40, other);
    }
    strata_nested_free(builder);
    strata_nested_free(other);
}
