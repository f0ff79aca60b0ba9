/* SPDX-License-Identifier: MIT
 * overlay.c -- pages that count instead of those of a file. */
#include "page/overlay.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

bool st_page_overlay_add(st_page_overlay *overlay, uint64_t number, const uint8_t *bytes) {
    if (!st_array_grow((void **)&overlay->pages, &overlay->capacity, overlay->count, sizeof *overlay->pages))
        return false;
    overlay->pages[overlay->count] = (st_page_over){ number, bytes, overlay->count };
    overlay->count++;
    return true;
}

static int compare(const void *a, const void *b) {
    const st_page_over *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void st_page_overlay_sort(st_page_overlay *overlay) {
    size_t kept = 0;
    st_sort_array(overlay->pages, overlay->count, sizeof *overlay->pages, compare);
    for (size_t i = 0; i < overlay->count; i++) {
        bool last = i + 1 == overlay->count || overlay->pages[i + 1].number != overlay->pages[i].number;
        if (last) overlay->pages[kept++] = overlay->pages[i];
    }
    overlay->count = kept;
}

const uint8_t *st_page_overlay_get(const st_page_overlay *overlay, uint64_t number) {
    size_t low = 0, high = overlay->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (overlay->pages[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low < overlay->count && overlay->pages[low].number == number ? overlay->pages[low].bytes : NULL;
}

uint64_t st_page_overlay_pages(const st_page_overlay *overlay, uint64_t pages) {
    uint64_t last = overlay->count == 0 ? 0 : overlay->pages[overlay->count - 1].number;
    return last < pages ? pages : last + 1;
}

void st_page_overlay_free(st_page_overlay *overlay) {
    free(overlay->pages);
    *overlay = (st_page_overlay){ 0 };
}
