/* SPDX-License-Identifier: MIT
 * test_hostile.c -- files that were damaged, or made to do harm.
 *
 * Promise: a file that is opened with STRATA_OPEN_CHECK_PAGES and verified is either refused with a status, or can be
 * read and written without leaving its memory, without an abort, and without an endless loop. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdlib.h>
#include <string.h>

#include "support/hostile.h"
#include "tests.h"

enum { PAGE = 4096 };

void test_hostile_sound_files_pass(void) {
    strata_error error;
    strata_store *store;
    hostile_make_file("a.strata", 800);
    strata_status status = hostile_open(ctest_path("a.strata"), &store, &error);
    if (status != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    strata_store_close(store);
    /* More transactions, so that lists of free pages come and go. */
    for (int round = 0; round < 40; round++) hostile_add_persons("a.strata", 1000 + round * 20, 20);
    status = hostile_open(ctest_path("a.strata"), &store, &error);
    if (status != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    strata_store_close(store);
}

/* ---- Damage ----------------------------------------------------------- */

typedef struct image {
    uint8_t *bytes;
    size_t size;
    const char *path;
    uint64_t seed;
    uint64_t from, to; /* numbers of the variants to try */
} image;

static uint64_t interesting(uint64_t *random) {
    static const uint64_t values[] = { 0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF,
                                       UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_MAX };
    if (ctest_random(random) % 2 == 0) return values[ctest_random(random) % (sizeof values / sizeof *values)];
    return ctest_random(random);
}

/* Changes a byte, a bit or a number somewhere, mostly where pages and values have their headers. */
static void damage(uint8_t *bytes, size_t size, uint64_t *random) {
    size_t page = ctest_random(random) % (size / PAGE) * PAGE;
    static const size_t headers[] = { 0, 16, 32, 64, 176, 600 };
    size_t within = ctest_random(random) % 4 == 0 ? PAGE : headers[1 + ctest_random(random) % 5];
    size_t at = page + ctest_random(random) % within;
    uint64_t value = interesting(random);
    switch (ctest_random(random) % 5) {
    case 0: bytes[at] ^= (uint8_t)(1 << ctest_random(random) % 8); break;
    case 1: bytes[at] = (uint8_t)value; break;
    case 2: memcpy(bytes + (at & ~(size_t)1), &value, 2); break;
    case 3: memcpy(bytes + (at & ~(size_t)7), &value, 8); break;
    default: { /* a piece of another page */
        size_t other = ctest_random(random) % (size / PAGE) * PAGE;
        size_t length = 1 + ctest_random(random) % 64;
        if (at + length <= size) memmove(bytes + at, bytes + other + (at - page), length);
        break;
    }
    }
}

static void write_image(const char *path, const uint8_t *bytes, size_t size) {
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(file >= 0);
    CHECK_EQ(write(file, bytes, size), (long long)size);
    CHECK_EQ(close(file), 0);
}

static void try_variants(void *argument) {
    const image *it = argument;
    uint8_t *bytes = malloc(it->size);
    CHECK(bytes != NULL);
    alarm(120); /* an endless loop ends the child */
    for (uint64_t variant = it->from; variant < it->to; variant++) {
        uint64_t random = it->seed + variant * UINT64_C(0x9E3779B97F4A7C15);
        memcpy(bytes, it->bytes, it->size);
        for (uint64_t i = 0, count = 1 + ctest_random(&random) % 3; i < count; i++) damage(bytes, it->size, &random);
        write_image(it->path, bytes, it->size);
        (void)hostile_use(it->path);
    }
    free(bytes);
}

/* STRATA_HOSTILE_FILES of the environment sets how many variants are tried. A failure names the seed and the variant;
 * CTEST_SEED with STRATA_HOSTILE_FROM repeats it. */
void test_hostile_variants_do_no_harm(void) {
    enum { BATCH = 25 };
    const char *wish = getenv("STRATA_HOSTILE_FILES"), *start = getenv("STRATA_HOSTILE_FROM");
    uint64_t variants = wish != NULL ? strtoull(wish, NULL, 10) : ctest_rounds(400);
    struct stat info;
    hostile_make_file("a.strata", 300);
    int file = open(ctest_path("a.strata"), O_RDONLY);
    CHECK(file >= 0 && fstat(file, &info) == 0);
    image it = { .size = (size_t)info.st_size, .path = ctest_path("b.strata"), .seed = ctest_seed() };
    it.bytes = malloc(it.size);
    CHECK(it.bytes != NULL && read(file, it.bytes, it.size) == info.st_size);
    close(file);
    write_image(it.path, it.bytes, it.size);
    CHECK(hostile_use(it.path)); /* without damage all of it is done */
    uint64_t first = start != NULL ? strtoull(start, NULL, 10) : 0;
    for (uint64_t from = first; from < first + variants; from += BATCH) {
        it.from = from;
        it.to = from + BATCH < first + variants ? from + BATCH : first + variants;
        int result = ctest_child(try_variants, &it);
        for (it.to = it.from + 1; result != 0 && it.from < from + BATCH; it.from++, it.to++) {
            if (ctest_child(try_variants, &it) != 0) break;
        }
        if (result != 0) {
            char what[120];
            snprintf(what, sizeof what, "variant %llu ends with %d", (unsigned long long)it.from, result);
            ctest_fail(__FILE__, __LINE__, what);
        }
    }
    free(it.bytes);
}

/* ---- Free pages ------------------------------------------------------- */

static void put(uint8_t *bytes, uint64_t value, size_t size) { memcpy(bytes, &value, size); }

static uint64_t number_at(const uint8_t *bytes, size_t size) {
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

/* Makes the tree of free pages a single entry without a value: on its page, or on one of its own. */
static void empty_free_list(uint8_t *bytes, bool big) {
    enum { FREE_ROOT = 80, TXNID = 144, HEADER = 16, NODE = 8 };
    const uint8_t *meta = number_at(bytes + TXNID, 8) > number_at(bytes + PAGE + TXNID, 8) ? bytes : bytes + PAGE;
    uint8_t *leaf = bytes + number_at(meta + FREE_ROOT, 8) * PAGE;
    CHECK_EQ(number_at(leaf + 10, 2), 2); /* a leaf */
    const uint8_t *first = leaf + number_at(leaf + HEADER, 2);
    uint64_t transaction = number_at(first + NODE, 8), page = number_at(first + NODE + 16, 8);
    CHECK_EQ(number_at(first + 4, 2), 0); /* its value is beside it */
    uint8_t *only = leaf + PAGE - (big ? 24 : 16);
    memset(leaf + HEADER, 0, PAGE - HEADER);
    put(leaf + 12, HEADER + 2, 2);
    put(leaf + 14, (uint64_t)(only - leaf), 2);
    put(leaf + HEADER, (uint64_t)(only - leaf), 2);
    put(only + 4, big ? 1 : 0, 2);
    put(only + 6, 8, 2);
    put(only + NODE, transaction, 8);
    if (!big) return;
    put(only + NODE + 8, page, 8);
    memset(bytes + page * PAGE, 0, HEADER);
    put(bytes + page * PAGE, page, 8);
    put(bytes + page * PAGE + 10, 4, 2); /* a value, */
    put(bytes + page * PAGE + 12, 1, 4); /* of one page */
}

void test_hostile_lists_of_no_free_pages(void) {
    struct stat info;
    strata_error error;
    strata_store *store;
    hostile_make_file("a.strata", 300);
    int file = open(ctest_path("a.strata"), O_RDONLY);
    CHECK(file >= 0 && fstat(file, &info) == 0);
    uint8_t *bytes = malloc((size_t)info.st_size);
    for (int big = 0; big < 2; big++) {
        CHECK(bytes != NULL && pread(file, bytes, (size_t)info.st_size, 0) == info.st_size);
        empty_free_list(bytes, big != 0);
        write_image(ctest_path("b.strata"), bytes, (size_t)info.st_size);
        CHECK_EQ(hostile_open(ctest_path("b.strata"), &store, &error), STRATA_CORRUPT);
        CHECK(strstr(error.message, "impossible list of free pages") != NULL);
    }
    close(file);
    free(bytes);
}
