/* SPDX-License-Identifier: MIT
 * result_step.c -- which objects left a result and which came, from one state of it to the next one. */
#include "observe/result_step.h"

#include <stdlib.h>

/* How many positions are before one. */
static size_t count_before(const st_positions *list, uint64_t position) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle] < position) low = middle + 1;
        else high = middle;
    }
    return low;
}

bool st_result_step_origin(const st_result_step *s, uint64_t after, uint64_t *out_before) {
    size_t inserted = count_before(&s->insertions, after);
    if (inserted < s->insertions.count && s->insertions.items[inserted] == after) return false;
    uint64_t stayed = after - inserted; /* its position among those that stayed */
    size_t low = 0, high = s->deletions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->deletions.items[middle] - middle <= stayed) low = middle + 1;
        else high = middle;
    }
    *out_before = stayed + low;
    return true;
}

uint64_t *st_result_step_undo(const st_result_step *s, const uint64_t *after, uint64_t count, uint64_t *out_count) {
    uint64_t before_count = count - s->insertions.count + s->deletions.count;
    uint64_t *before = malloc((size_t)(before_count + 1) * sizeof *before);
    if (before == NULL) return NULL;
    size_t inserted = 0, deleted = 0;
    uint64_t at = 0;
    for (uint64_t i = 0; i < before_count; i++) {
        if (deleted < s->deletions.count && s->deletions.items[deleted] == i) {
            before[i] = s->gone.items[deleted++];
            continue;
        }
        for (; inserted < s->insertions.count && s->insertions.items[inserted] == at; inserted++) at++;
        before[i] = after[at++];
    }
    *out_count = before_count;
    return before;
}

void st_result_step_free(st_result_step *s) {
    st_positions_free(&s->deletions);
    st_positions_free(&s->insertions);
    st_positions_free(&s->gone);
    st_positions_free(&s->tested);
    *s = (st_result_step){ .anew = false };
}
