/* SPDX-License-Identifier: MIT
 * diff.c -- which elements of one list are in another one, in the same order. */
#include "observe/diff.h"

#include <stdlib.h>

#include "base/sort.h"

/* The elements of a list by their value, and equal ones by their position. NULL if there is no memory. */
static st_sort_item *by_value(const uint64_t *list, size_t count) {
    st_sort_item *items = malloc((2 * count + 1) * sizeof *items);
    if (items == NULL) return NULL;
    for (size_t i = 0; i < count; i++) items[i] = (st_sort_item){ list[i], i };
    st_sort_items(items, items + count, count);
    return items;
}

/* For each element of `after` the position in `before` of the one that it is, or ST_DIFF_GONE. */
static bool pair(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count,
                 uint64_t *out) {
    st_sort_item *old = by_value(before, before_count), *new = by_value(after, after_count);
    bool done = old != NULL && new != NULL;
    for (size_t i = 0, j = 0; done && j < after_count; j++) {
        while (i < before_count && old[i].order < new[j].order) i++;
        bool found = i < before_count && old[i].order == new[j].order;
        out[new[j].index] = found ? old[i++].index : ST_DIFF_GONE;
    }
    free(old);
    free(new);
    return done;
}

/* The longest ascending sequence among the positions that are not ST_DIFF_GONE: `ends[n]` is where the best sequence of
 * n + 1 positions ends, `earlier[i]` the one before position i. Returns how many there are, with the last in `*last`. */
static size_t longest_ascent(const uint64_t *positions, size_t count, size_t *ends, size_t *earlier, size_t *last) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (positions[i] == ST_DIFF_GONE) continue;
        size_t low = 0, high = length;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (positions[ends[middle]] < positions[i]) low = middle + 1;
            else high = middle;
        }
        earlier[i] = low == 0 ? SIZE_MAX : ends[low - 1];
        ends[low] = i;
        if (low == length) length++;
    }
    *last = length == 0 ? SIZE_MAX : ends[length - 1];
    return length;
}

static bool diff_middle(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count,
                        size_t offset, uint64_t *out) {
    for (size_t i = 0; i < before_count; i++) out[i] = ST_DIFF_GONE;
    if (before_count == 0 || after_count == 0) return true;
    uint64_t *pairs = malloc(after_count * sizeof *pairs);
    size_t *ends = malloc(2 * after_count * sizeof *ends), last;
    bool done = pairs != NULL && ends != NULL && pair(before, before_count, after, after_count, pairs);
    if (done) {
        size_t *earlier = ends + after_count;
        (void)longest_ascent(pairs, after_count, ends, earlier, &last);
        for (; last != SIZE_MAX; last = earlier[last]) out[pairs[last]] = offset + last;
    }
    free(pairs);
    free(ends);
    return done;
}

bool st_diff(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count, uint64_t *out) {
    size_t least = before_count < after_count ? before_count : after_count, first = 0, behind = 0;
    while (first < least && before[first] == after[first]) {
        out[first] = first;
        first++;
    }
    while (behind < least - first && before[before_count - behind - 1] == after[after_count - behind - 1]) {
        behind++;
        out[before_count - behind] = after_count - behind;
    }
    return diff_middle(before + first, before_count - first - behind, after + first, after_count - first - behind,
                       first, out + first);
}
