/* SPDX-License-Identifier: MIT
 * test_tuple.c -- the order of encoded tuples is the order of their values. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "tests.h"
#include "support/tuple_support.h"

enum { MOST = STRATA_MAX_INDEX_COLUMNS };

static strata_bytes bytes_of(const st_key *key) { return (strata_bytes){ key->bytes, key->size }; }

static st_tuple random_tuple(uint64_t *random) {
    st_tuple tuple = { .hash_key = &st_hash_key_of_process,
                       .count = 2 + (uint32_t)(ctest_random(random) % (MOST - 1)) };
    uint64_t strings = ctest_random(random) % 3; /* few of them, many, or nothing else */
    for (uint32_t i = 0; i < tuple.count; i++) {
        bool string = strings == 2 || (strings == 1 && ctest_random(random) % 2 == 0);
        tuple.parts[i].type = string ? STRATA_STRING : tuple_types[ctest_random(random) % 7];
        tuple.parts[i].nullable = tuple.parts[i].type != STRATA_LINK && ctest_random(random) % 2 == 0;
    }
    return tuple;
}

/* Bytes that every string of a tuple may have for itself, whatever the others are. */
static size_t least_room(const st_tuple *tuple) {
    size_t fixed = 0, strings = 0;
    for (uint32_t i = 0; i < tuple->count; i++) {
        bool string = tuple->parts[i].type == STRATA_STRING;
        fixed += string ? 10u + tuple->parts[i].nullable
                        : st_key_width(tuple->parts[i].type, tuple->parts[i].nullable);
        strings += string;
    }
    CHECK(fixed < ST_MAX_KEY);
    size_t room = strings == 0 ? 0 : (ST_MAX_KEY - fixed) / strings;
    return room < ST_KEY_PREFIX ? room : ST_KEY_PREFIX;
}

static size_t encoded_size(strata_bytes string) {
    size_t size = string.size;
    for (size_t i = 0; i < string.size; i++) size += ((const char *)string.data)[i] == 0;
    return size;
}

typedef struct sample {
    strata_value values[MOST];
    bool cut[MOST];
    size_t sizes[MOST + 1]; /* of the first so many values */
    st_key key;
} sample;

static void make_sample(const st_tuple *tuple, uint64_t *random, sample *out) {
    size_t room = least_room(tuple);
    bool any = false;
    st_tuple_begin(&out->key);
    out->sizes[0] = 0;
    for (uint32_t i = 0; i < tuple->count; i++) {
        out->values[i] = tuple_random_value(random, tuple->parts[i].type, tuple->parts[i].nullable);
        const strata_value *value = &out->values[i];
        out->cut[i] = st_tuple_add(tuple, i, value, &out->key);
        out->sizes[i + 1] = out->key.size;
        any = any || out->cut[i];
        CHECK(out->key.size <= ST_MAX_KEY);
        if (value->type != STRATA_STRING) CHECK(!out->cut[i]);
        else if (encoded_size(value->as.bytes) <= room) CHECK(!out->cut[i]);
        else if (value->as.bytes.size > ST_KEY_PREFIX) CHECK(out->cut[i]);
    }
    CHECK_EQ(out->key.truncated, any);
    for (uint32_t i = 0; i <= tuple->count; i++) {
        bool cut = false;
        CHECK_EQ(st_tuple_size(tuple, i, bytes_of(&out->key), &cut), out->sizes[i]);
        if (i > 0) CHECK_EQ(cut, out->cut[i - 1]);
    }
}

/* Do two cut strings differ early enough for their order to be known? */
static bool differ_within(strata_bytes a, strata_bytes b, size_t room) {
    const uint8_t *p = a.data, *q = b.data;
    size_t size = 0;
    for (size_t i = 0; i < a.size && i < b.size; i++) {
        size += p[i] == 0 || q[i] == 0 ? 2 : 1;
        if (p[i] != q[i]) return size <= room;
    }
    return false;
}

static void compare_samples(const st_tuple *tuple, const sample *a, const sample *b) {
    int order = 0;
    uint32_t i = 0;
    while (i < tuple->count && (order = tuple_value_order(&a->values[i], &b->values[i])) == 0) i++;
    CHECK_EQ(memcmp(a->key.bytes, b->key.bytes, a->sizes[i]), 0);
    int found = st_compare(bytes_of(&a->key), bytes_of(&b->key));
    if (order == 0) {
        CHECK_EQ(found, 0);
        return;
    }
    size_t shorter = a->key.size < b->key.size ? a->key.size : b->key.size;
    CHECK(memcmp(a->key.bytes, b->key.bytes, shorter) != 0); /* none is a prefix */
    bool unordered = a->cut[i] && b->cut[i] &&
                     !differ_within(a->values[i].as.bytes, b->values[i].as.bytes, least_room(tuple));
    if (!unordered) CHECK_EQ(found > 0, order > 0);
}

void test_tuple_order(void) {
    enum { SAMPLES = 60 };
    static sample samples[SAMPLES];
    uint64_t random = ctest_seed();
    for (int round = 0; round < 150; round++) {
        st_tuple tuple = random_tuple(&random);
        for (int i = 0; i < SAMPLES; i++) make_sample(&tuple, &random, &samples[i]);
        for (int i = 0; i < SAMPLES; i++)
            for (int k = 0; k < SAMPLES; k++) compare_samples(&tuple, &samples[i], &samples[k]);
    }
}

/* All strings that begin with some bytes have those in their keys, and others only if the prefix was cut. */
void test_tuple_prefix(void) {
    uint64_t random = ctest_seed(), with = 0, cut_prefixes = 0;
    for (int round = 0; round < 40000; round++) {
        st_tuple tuple = random_tuple(&random);
        uint32_t part = 0;
        while (part < tuple.count && tuple.parts[part].type != STRATA_STRING) part++;
        if (part == tuple.count) continue;
        sample s;
        make_sample(&tuple, &random, &s);
        if (s.values[part].type == STRATA_NULL) continue;
        strata_bytes string = s.values[part].as.bytes;
        strata_bytes prefix = tuple_random_value(&random, STRATA_STRING, false).as.bytes;
        if (ctest_random(&random) % 2 == 0) /* one that fits */
            prefix = (strata_bytes){ string.data, (size_t)(ctest_random(&random) % (string.size + 1)) };
        st_key key = s.key;
        key.size = (uint16_t)s.sizes[part];
        bool cut = st_tuple_add_prefix(&tuple, part, prefix, &key);
        bool begins = prefix.size <= string.size && memcmp(prefix.data, string.data, prefix.size) == 0;
        bool found = key.size <= s.key.size && memcmp(key.bytes, s.key.bytes, key.size) == 0;
        if (!cut) CHECK_EQ(found, begins);
        if (begins) CHECK(found);
        with += begins;
        cut_prefixes += cut;
    }
    CHECK(with > 1000 && cut_prefixes > 1000);
}

void test_tuple_size_refuses_nonsense(void) {
    uint64_t random = ctest_seed();
    for (int round = 0; round < 100000; round++) {
        st_tuple tuple = random_tuple(&random);
        size_t size = (size_t)(ctest_random(&random) % (ST_MAX_KEY + 8));
        uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees a read behind the end */
        CHECK(exact != NULL);
        for (size_t i = 0; i < size; i++) {
            uint64_t r = ctest_random(&random);
            exact[i] = r % 4 == 0 ? 0 : r % 4 == 1 ? 1 : r % 4 == 2 ? 255 : (uint8_t)(r >> 8);
        }
        bool cut;
        CHECK(st_tuple_size(&tuple, tuple.count, (strata_bytes){ exact, size }, &cut) <= size);
        free(exact);
    }
}

/* ON-DISK: this never changes. */
void test_tuple_bytes_are_fixed(void) {
    st_tuple tuple = { &st_hash_key_of_process, 4,
                       { { STRATA_STRING, true }, { STRATA_INT, false }, { STRATA_LINK, false },
                            { STRATA_STRING, true } } };
    static const uint8_t expected[] = { 1, 'a', 0, 255, 0, 0, 128, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    strata_value values[] = { strata_string("a\0", 2), strata_int(5), strata_null(), strata_null() };
    st_key key;
    st_tuple_begin(&key);
    for (uint32_t i = 0; i < tuple.count; i++) CHECK(!st_tuple_add(&tuple, i, &values[i], &key));
    CHECK_EQ(key.size, sizeof expected);
    CHECK(memcmp(key.bytes, expected, sizeof expected) == 0);

    /* 139 bytes, less 16 of numbers, and 1 + 2 + 8 around each string, leave 101 for both: 50 for the first one, and
     * for the second what that did not use, but not more than 64. */
    static char text[200];
    memset(text, 'x', sizeof text);
    values[0] = strata_string(text, 51);
    st_tuple_begin(&key);
    CHECK(st_tuple_add(&tuple, 0, &values[0], &key));
    CHECK_EQ(key.size, 1 + 50 + 2 + 8);
    values[0] = strata_string(text, 48);
    st_tuple_begin(&key);
    CHECK(!st_tuple_add(&tuple, 0, &values[0], &key));
    CHECK_EQ(key.size, 1 + 48 + 2);
    for (uint32_t i = 1; i < 3; i++) CHECK(!st_tuple_add(&tuple, i, &values[i], &key));
    values[3] = strata_string(text, 65);
    st_key other = key;
    CHECK(st_tuple_add(&tuple, 3, &values[3], &other));
    CHECK_EQ(other.size, key.size + 1 + 61 + 2 + 8);
    CHECK_EQ(other.size, ST_MAX_KEY);
    values[3] = strata_string(text, 61);
    CHECK(!st_tuple_add(&tuple, 3, &values[3], &key));
}
