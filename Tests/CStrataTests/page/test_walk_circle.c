/* SPDX-License-Identifier: MIT
 * test_walk_circle.c -- branches that all lead to the same page below would be walked for ever. */
#include <stdlib.h>

#include "page/walk.h"
#include "tests.h"

enum { PAGE = 512, LEVELS = 30, FIRST = 2, PAGES = FIRST + LEVELS, HEADER = 16, NODE = 8 };

/* A page with two nodes, whose keys are single letters. In a branch both lead to the page `below`. */
static void make_page(uint8_t *map, uint64_t number, uint64_t below) {
    uint8_t *page = map + number * PAGE;
    st_store64(page, number);
    st_store16(page + 10, below == 0 ? ST_PAGE_LEAF : ST_PAGE_BRANCH);
    st_store16(page + 12, HEADER + 2 * 2);
    st_store16(page + 14, PAGE - 2 * (NODE + 2));
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t at = PAGE - (i + 1) * (NODE + 2);
        st_store16(page + HEADER + 2 * i, (uint16_t)at);
        st_store16(page + at, (uint16_t)below); /* in a leaf the size of the value */
        st_store16(page + at + 6, 1);
        page[at + NODE] = (uint8_t)('a' + i);
    }
}

void test_walk_ends_in_pages_that_repeat(void) {
    uint8_t *map = calloc(PAGES, PAGE);
    CHECK(map != NULL);
    for (uint64_t i = 0; i < LEVELS; i++) make_page(map, FIRST + i, i + 1 < LEVELS ? FIRST + i + 1 : 0);
    st_page_file file = { .descriptor = -1, .path = "circle", .map = map, .map_pages = PAGES, .page_size = PAGE,
                          .pages = PAGES, .last = PAGES - 1 };
    st_page_tree tree = { .depth = LEVELS, .root = FIRST };
    for (int backward = 0; backward < 2; backward++) {
        strata_error error;
        st_walk walk = { .depth = 0 };
        unsigned steps = 0;
        strata_status status = backward ? st_walk_last(&file, &tree, &walk, &error)
                                        : st_walk_seek(&file, &tree, &walk, (strata_bytes){ "a", 1 }, &error);
        for (; status == STRATA_OK; steps++)
            status = backward ? st_walk_previous(&file, &walk, &error) : st_walk_next(&file, &walk, &error);
        CHECK_EQ(status, STRATA_CORRUPT);
        CHECK(strstr(error.message, "is reached again and again") != NULL);
        CHECK(steps < 3 * PAGES);
    }
    free(map);
}
