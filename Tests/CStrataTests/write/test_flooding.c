/* SPDX-License-Identifier: MIT
 * test_flooding.c -- values made so that hashes without a key are equal do no harm (hash flooding).
 *
 * Costs are counted: equal encodings, and the slots of hash tables that follow each other. */
#include "base/bits.h"
#include "condition/compile.h"
#include "condition/key_reader.h"
#include "query/distinct_set.h"
#include "support/strata_support.h"
#include "value/key.h"
#include "write/write_set.h"

enum { STRINGS = 4096, STEPS = 12, STEP = 16, FRONT = ST_KEY_PREFIX, SIZE = FRONT + STEPS * STEP, FEW = 250 };

/* ---- Strings with equal FNV-1a hashes --------------------------------- */

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t fnv(uint64_t hash, const uint8_t *p, size_t size) {
    for (size_t i = 0; i < size; i++) hash = (hash ^ p[i]) * FNV_PRIME;
    return hash;
}

/* Two strings of ASCII that lead from `hash` to the same hash. The differences that they make to it add up to 0: the
 * sum of these numbers times powers of the prime is 0 modulo 2^64. The lower 7 bits of the hash are set by each byte
 * as one likes. */
static uint64_t make_pair(uint64_t hash, uint64_t *random, uint8_t one[STEP], uint8_t other[STEP]) {
    static const int sums[STEP] = { 1, -6, 6, 0, 5, 4, -6, -3, -1, -6, 5, 4, 6, -9, -4, -4 };
    for (;;) {
        uint64_t a = hash, b = hash;
        int i = 0;
        for (; i < STEP; i++) {
            int low = (int)(a & 127), other_low = (int)(b & 127), difference = sums[i] + other_low - low;
            if (difference < -127 || difference > 127) break;
            int room = 128 - (difference < 0 ? -difference : difference);
            int wanted = (int)(ctest_random(random) % (uint64_t)room) + (difference < 0 ? -difference : 0);
            one[i] = (uint8_t)(low ^ wanted);
            other[i] = (uint8_t)(other_low ^ (wanted + difference));
            a = (a ^ one[i]) * FNV_PRIME;
            b = (b ^ other[i]) * FNV_PRIME;
        }
        if (i == STEP && a == b) return a;
    }
}

/* Strings that begin with the same 64 bytes and have the same FNV-1a hash; each bit of its number chooses one of two
 * stretches. */
typedef struct flood {
    uint8_t front[FRONT], stretches[STEPS][2][STEP];
} flood;

static void make_flood(flood *out) {
    uint64_t random = ctest_seed();
    memset(out->front, 'a', FRONT);
    uint64_t hash = fnv(FNV_START, out->front, FRONT);
    for (int i = 0; i < STEPS; i++) hash = make_pair(hash, &random, out->stretches[i][0], out->stretches[i][1]);
}

static strata_value flood_string(const flood *flood, uint32_t number, uint8_t room[SIZE]) {
    memcpy(room, flood->front, FRONT);
    for (uint32_t i = 0; i < STEPS; i++)
        memcpy(room + FRONT + i * STEP, flood->stretches[i][number >> i & 1], STEP);
    return strata_string((const char *)room, SIZE);
}

static void check_flood(const flood *flood) {
    uint8_t room[SIZE];
    (void)flood_string(flood, 0, room);
    uint64_t hash = fnv(FNV_START, room, SIZE);
    for (uint32_t i = 1; i < STRINGS; i++) {
        (void)flood_string(flood, i, room);
        CHECK(fnv(FNV_START, room, SIZE) == hash);
    }
}

/* ---- Counting --------------------------------------------------------- */

static int compare_keys(const void *a, const void *b) {
    const st_key *x = a, *y = b;
    return st_compare((strata_bytes){ x->bytes, x->size }, (strata_bytes){ y->bytes, y->size });
}

/* Each entry of the index leads to one string only, so that no rows are compared. */
static void check_encodings(fixture *f, const flood *flood) {
    uint8_t room[SIZE];
    st_key *keys = malloc(STRINGS * sizeof *keys);
    CHECK(keys != NULL);
    for (uint32_t i = 0; i < STRINGS; i++) {
        strata_value value = flood_string(flood, i, room);
        st_key_encode(&f->view->hash_key, STRATA_STRING, false, &value, &keys[i]);
    }
    qsort(keys, STRINGS, sizeof *keys, compare_keys);
    for (uint32_t i = 1; i < STRINGS; i++) CHECK(compare_keys(&keys[i - 1], &keys[i]) != 0);
    free(keys);
}

/* Who looks for something compares at most as many slots as follow each other. */
static void check_pending(fixture *f) {
    const st_hash_table *table = &f->view->writes->tables[0].by_primary;
    size_t stretch = 0, longest = 0;
    CHECK(table->size >= STRINGS);
    for (size_t i = 0; i < 2 * table->size; i++) {
        stretch = table->slots[i % table->size].position == 0 ? 0 : stretch + 1;
        if (stretch > longest) longest = stretch;
    }
    CHECK(longest < FEW);
}

/* ---- Primary keys ----------------------------------------------------- */

static void check_found(fixture *f, const flood *flood) {
    uint8_t room[SIZE];
    for (uint32_t i = 0; i < STRINGS; i += 97) {
        uint64_t key;
        strata_value value = flood_string(flood, i, room);
        MUST(strata_object_find(f->view, 0, &value, &key, &f->error));
        CHECK_EQ(key, i + 1);
    }
}

/* A copy has the entries of the indexes, and so the key of their hashes. */
static void check_copy(fixture *f, const flood *flood) {
    const char *path = ctest_path("copy");
    st_hash_key key = f->view->hash_key;
    MUST(strata_store_backup(f->store, path, STRATA_BACKUP_COMPACT, &f->error));
    strata_config config = { .size = sizeof config, .path = path };
    MUST(strata_compact(&config, NULL, &f->error));
    fixture copy = { 0 };
    f = &copy;
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    CHECK(f->view->hash_key.low == key.low && f->view->hash_key.high == key.high);
    check_found(f, flood);
    verify(f);
    strata_view_close(f->view);
    strata_store_close(f->store);
}

void test_flooding_of_primary_keys(void) {
    flood flood;
    uint8_t room[SIZE];
    make_flood(&flood);
    check_flood(&flood);
    fixture *f = fixture_open("flooded");
    strata_column_spec columns[] = { column("id", STRATA_STRING, STRATA_COLUMN_PRIMARY) };
    strata_table_spec table = { .name = "T", .column_count = 1, .columns = columns };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t i = 0; i < STRINGS; i++) ADD(0, flood_string(&flood, i, room));
    check_pending(f);
    MUST(strata_view_commit(f->view, &f->error));
    check_encodings(f, &flood);
    check_found(f, &flood);
    check_copy(f, &flood);
    verify(f);
    fixture_close(f);
}

void test_flooding_keys_differ_from_file_to_file(void) {
    fixture *f = fixture_open("one"), *g = fixture_open_memory();
    CHECK(f->view->hash_key.low != 0 && g->view->hash_key.low != 0);
    CHECK(f->view->hash_key.low != g->view->hash_key.low && f->view->hash_key.high != g->view->hash_key.high);
    fixture_close(g);
    fixture_close(f);
}

/* ---- Distinct values -------------------------------------------------- */

static uint64_t mix(uint64_t h) {
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int i = 0; i < 6; i++) x *= 2 - odd * x;
    return x;
}

static uint64_t unshift(uint64_t h, uint32_t bits) {
    uint64_t x = h;
    for (int i = 0; i < 64; i++) x = h ^ x >> bits;
    return x;
}

/* The number that splitmix64's steps mix to `h`. */
static uint64_t unmix(uint64_t h) {
    h = unshift(h, 31) * inverse(UINT64_C(0x94d049bb133111eb));
    h = unshift(h, 27) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
    return unshift(h, 30);
}

static size_t longest_stretch(const st_distinct_set *set) {
    size_t stretch = 0, longest = 0;
    for (size_t i = 0; i < 2 * set->slot_count; i++) {
        stretch = set->slots[i % set->slot_count] == 0 ? 0 : stretch + 1;
        if (stretch > longest) longest = stretch;
    }
    return longest;
}

static void check_distinct(fixture *f, uint32_t first_column, uint32_t columns) {
    strata_query spec = { .size = sizeof spec };
    st_query query = { .view = f->view, .spec = &spec, .table = &f->view->catalog->tables[0], .error = &f->error };
    st_key_reader readers[2];
    strata_step steps[2];
    st_distinct_set set;
    for (uint32_t i = 0; i < columns; i++) {
        steps[i] = strata_step_column(first_column + i);
        MUST(st_key_reader_make(&query, "distinct", &steps[i], 1, 0, &readers[i]));
    }
    st_distinct_set_begin(&set, &query, readers, columns);
    for (uint64_t key = 1; key <= STRINGS; key++) {
        st_stored_block block;
        uint32_t number;
        bool is_new;
        MUST(st_view_block(f->view, 0, key, &block, &f->error));
        strata_row row = row_of(f, 0, key);
        st_stored_row stored = { block.data, block.size, row.slot };
        CHECK(st_distinct_set_find(&set, &stored, true, &number, &is_new));
        CHECK(is_new && number == key - 1);
    }
    CHECK(longest_stretch(&set) < FEW);
    st_distinct_set_free(&set);
    st_query_free(&query);
}

void test_flooding_of_distinct_values(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_INT, 0) };
    strata_table_spec table = { .name = "T", .column_count = 2, .columns = columns };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t i = 0; i < STRINGS; i++) {
        uint64_t number = unmix(i << 32);
        CHECK(mix(number) == i << 32);
        /* The order of ints is that of unsigned numbers with the sign flipped. */
        strata_value value = strata_int((int64_t)(number ^ UINT64_C(1) << 63));
        ADD(0, value, value);
    }
    MUST(strata_view_commit(f->view, &f->error));
    check_distinct(f, 0, 1);
    check_distinct(f, 0, 2);
    fixture_close(f);
}
