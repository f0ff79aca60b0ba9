/* SPDX-License-Identifier: MIT
 * overlay.h -- pages that count instead of those of a file. */
#ifndef ST_PAGE_OVERLAY_H
#define ST_PAGE_OVERLAY_H

#include "page/meta.h"

/** One of them. Its bytes belong to somebody else; NULL: it is that of the file. */
typedef struct st_page_over {
    uint64_t number;
    const uint8_t *bytes;
    size_t order; /* in which it was added */
} st_page_over;

/** Empty when it is zero. Freed with st_page_overlay_free(). */
typedef struct st_page_overlay {
    st_page_over *pages; /* ascending, once they are sorted */
    size_t count, capacity;
    uint32_t page_size;
    uint8_t metas[2][ST_META_SIZE];
} st_page_overlay;

/** Adds a page, which counts instead of one of the same number that was added before; NULL: that of the file does.
 * False if there is no memory. */
bool st_page_overlay_add(st_page_overlay *overlay, uint64_t number, const uint8_t *bytes);
/** Called once, when all pages have been added, and before one is looked for. */
void st_page_overlay_sort(st_page_overlay *overlay);
/** The page of that number; NULL if it is that of the file. */
const uint8_t *st_page_overlay_get(const st_page_overlay *overlay, uint64_t number);
/** How many pages a file has together with these, if it has so many without them. */
uint64_t st_page_overlay_pages(const st_page_overlay *overlay, uint64_t pages);
void st_page_overlay_free(st_page_overlay *overlay);

#endif
