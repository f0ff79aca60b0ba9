/* SPDX-License-Identifier: MIT
 * test_salvage_limits.c -- files that are made so that salvaging them would never end. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <unistd.h>

#include "base/bits.h"
#include "strata_row.h"
#include "support/damage.h"
#include "support/salvage_support.h"
#include "support/strata_support.h"
#include "upkeep/find.h"

enum { PAGE = DAMAGE_PAGE, PAGES = 200, LEAVES = 20, NODES = 100, NODE = 24 /* bytes, each with its number behind */ };

typedef struct taken {
    uint64_t count, bytes;
} taken;

static strata_status count_taken(void *context, const st_find *find, strata_error *error) {
    taken *it = context;
    (void)error;
    it->count++;
    it->bytes += find->value.size;
    return STRATA_OK;
}

static void make_page(const image *it, uint64_t number, uint16_t flags) {
    st_store64(image_page(it, number), number);
    memcpy(image_page(it, number) + 10, &flags, 2);
}

/* The pages of a block, of which `count` are its own. */
static void make_value(const image *it, uint64_t number, uint32_t count) {
    uint8_t *page = image_page(it, number);
    make_page(it, number, ST_PAGE_OVERFLOW);
    st_store32(page + 12, count);
    page[ST_PAGE_HEADER] = STRATA_BLOCK_FORMAT;
    st_store32(page + ST_PAGE_HEADER + 16, count * PAGE - ST_PAGE_HEADER);
    CHECK_EQ(strata_block_size(page + ST_PAGE_HEADER), count * PAGE - ST_PAGE_HEADER);
}

/* A leaf whose entries lead to such values, which begin on these pages and on all behind them up to the last. */
static void make_leaf(const image *it, uint64_t number, uint64_t from, uint64_t to) {
    uint8_t *page = image_page(it, number);
    uint16_t lower = ST_PAGE_HEADER + 2 * NODES, upper = PAGE - NODE * NODES;
    make_page(it, number, ST_PAGE_LEAF);
    memcpy(page + 12, &lower, 2);
    memcpy(page + 14, &upper, 2);
    for (unsigned i = 0; i < NODES; i++) {
        uint16_t at = (uint16_t)(upper + NODE * i);
        uint64_t value = from + (number * NODES + i) % (to - from + 1);
        uint32_t size = strata_block_size(image_page(it, value) + ST_PAGE_HEADER);
        uint8_t *node = page + at;
        memcpy(page + ST_PAGE_HEADER + 2 * i, &at, 2);
        memcpy(node, &size, 4);
        node[4] = ST_NODE_BIG;
        node[6] = 8;
        st_store64(node + 8, number * NODES + i);
        st_store64(node + 16, value);
    }
}

/* What is found on the pages to which no tree leads. */
static taken take(const image *it) {
    st_remains remains;
    st_find_reader reader;
    strata_error error;
    taken found = { 0 };
    image_write(it, "crafted");
    int file = open(ctest_path("crafted"), O_RDONLY | O_CLOEXEC);
    CHECK_EQ(st_remains_read(file, "crafted", NULL, &remains, &error), STRATA_OK);
    CHECK(st_find_reader_make(&reader, &remains));
    CHECK_EQ(st_find_each(&reader, ST_PAGE_ORPHAN, count_taken, &found, &error), STRATA_OK);
    st_find_reader_free(&reader);
    st_remains_free(&remains);
    close(file);
    return found;
}

/* All entries of all leaves lead to one huge value. */
void test_salvage_reads_no_value_thousands_of_times(void) {
    image it = { calloc(PAGES, PAGE), PAGES * PAGE };
    uint64_t value = LEAVES + 2;
    make_value(&it, value, PAGES - (uint32_t)value);
    for (uint64_t leaf = 2; leaf < LEAVES + 2; leaf++) make_leaf(&it, leaf, value, value);
    taken found = take(&it);
    CHECK(found.count >= 1 && found.count <= 4);
    free(it.bytes);
}

/* Each leads to another one, which ends where the file does. */
void test_salvage_reads_values_that_overlap_no_more_than_some_times_the_file(void) {
    image it = { calloc(PAGES, PAGE), PAGES * PAGE };
    for (uint64_t value = LEAVES + 2; value < PAGES; value++) make_value(&it, value, PAGES - (uint32_t)value);
    for (uint64_t leaf = 2; leaf < LEAVES + 2; leaf++) make_leaf(&it, leaf, LEAVES + 2, PAGES - 1);
    taken found = take(&it);
    uint64_t small = 16 * 4 * 65536; /* those at the end are not large */
    CHECK(found.count > 0 && found.bytes <= 8 * it.size + small);
    free(it.bytes);
}
