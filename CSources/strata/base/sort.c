/* SPDX-License-Identifier: MIT
 * sort.c -- stable sorting: radix sort by the bytes of a number, merge sort by a comparison, insertion sort for a few
 * items, and for those that are almost in order: the highest bytes tell most numbers apart, and so few bytes that are
 * sorted by are enough. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 32, DIGITS = 8, BUCKETS = 256, SAMPLE = 1024, MOVES = 8 };

/* Stops when items have been moved `most` times, which may leave them unsorted, but equal ones in their order. */
static bool insertion_sort(st_sort_item *items, size_t count, size_t most) {
    for (size_t i = 1, moved = 0; i < count; i++) {
        st_sort_item item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].order > item.order && moved < most; at--, moved++) items[at] = items[at - 1];
        items[at] = item;
        if (moved == most) return false;
    }
    return true;
}

static bool sorted(const st_sort_item *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (items[i - 1].order > items[i].order) return false;
    }
    return true;
}

/* The digit from which on the digits are likely to tell most items apart, judged by some of them: if the digits were
 * independent, there would be as many different ones of equal frequency as there are items. */
static int telling_digit(const st_sort_item *items, size_t count) {
    const size_t step = count / SAMPLE + 1, seen = (count - 1) / step + 1;
    double apart = 1;
    int digit = DIGITS;
    while (digit > 0 && apart < (double)count) {
        size_t counts[BUCKETS] = { 0 }, most = 0;
        digit--;
        for (size_t i = 0; i < count; i += step) counts[items[i].order >> 8 * digit & 255]++;
        for (int i = 0; i < BUCKETS; i++)
            if (counts[i] > most) most = counts[i];
        apart *= (double)seen / (double)most;
    }
    return digit;
}

/* Sorts by the digits from `digit` on, the lowest first. */
static void sort_digits(st_sort_item *items, st_sort_item *scratch, size_t count, int digit) {
    size_t counts[DIGITS][BUCKETS];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < count; i++)
        for (int d = digit; d < DIGITS; d++) counts[d][items[i].order >> 8 * d & 255]++;
    st_sort_item *from = items, *to = scratch;
    for (; digit < DIGITS; digit++) {
        size_t *starts = counts[digit], sum = 0;
        if (starts[from[0].order >> 8 * digit & 255] == count) continue; /* all items have the same byte here */
        for (int i = 0; i < BUCKETS; i++) {
            size_t size = starts[i];
            starts[i] = sum;
            sum += size;
        }
        for (size_t i = 0; i < count; i++) to[starts[from[i].order >> 8 * digit & 255]++] = from[i];
        st_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
}

void st_sort_items(st_sort_item *items, st_sort_item *scratch, size_t count) {
    if (count <= FEW) {
        insertion_sort(items, count, FEW * FEW);
        return;
    }
    if (sorted(items, count)) return;
    int digit = telling_digit(items, count);
    sort_digits(items, scratch, count, digit);
    if (digit > 0 && !insertion_sort(items, count, MOVES * count)) sort_digits(items, scratch, count, 0);
}

/* ---- By comparison ---------------------------------------------------- */

enum { PIECE = 8 };

static void sort_piece(st_sort_item *items, size_t count, st_sort_before *before, const void *context) {
    for (size_t i = 1; i < count; i++) {
        st_sort_item item = items[i];
        size_t at = i;
        for (; at > 0 && before(context, item.index, items[at - 1].index); at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Merges the sorted halves [0, middle) and [middle, count) of `items`. The first one is moved to `scratch` before. */
static void merge(st_sort_item *items, st_sort_item *scratch, size_t middle, size_t count, st_sort_before *before,
                  const void *context) {
    if (!before(context, items[middle].index, items[middle - 1].index)) return; /* already in order */
    memcpy(scratch, items, middle * sizeof *items);
    size_t left = 0, right = middle, at = 0;
    while (left < middle && right < count) {
        bool right_first = before(context, items[right].index, scratch[left].index);
        items[at++] = right_first ? items[right++] : scratch[left++];
    }
    memcpy(items + at, scratch + left, (middle - left) * sizeof *items);
}

void st_sort_stretch(st_sort_item *items, st_sort_item *scratch, size_t count, st_sort_before *before,
                     const void *context) {
    for (size_t i = 0; i < count; i += PIECE) {
        sort_piece(items + i, count - i < PIECE ? count - i : PIECE, before, context);
    }
    for (size_t width = PIECE; width < count; width *= 2) {
        for (size_t i = 0; i + width < count; i += 2 * width) {
            size_t size = count - i < 2 * width ? count - i : 2 * width;
            merge(items + i, scratch, width, size, before, context);
        }
    }
}

void st_sort_array(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b)) {
    if (count > 1) qsort(items, count, size, compare);
}
