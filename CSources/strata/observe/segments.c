/* SPDX-License-Identifier: MIT
 * segments.c -- what became of the elements of a collection while others were inserted and removed. */
#include "observe/segments.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MOST_SEGMENTS = 1 << 15 /* each change walks through them */ };

/* Opens a gap for a segment at `at`. */
static bool insert(st_segments *s, size_t at, st_segment segment) {
    if (s->count == MOST_SEGMENTS) s->lost = true;
    if (s->lost) return true;
    if (!st_array_grow((void **)&s->items, &s->capacity, s->count, sizeof *s->items)) return false;
    memmove(s->items + at + 1, s->items + at, (s->count - at) * sizeof *s->items);
    s->items[at] = segment;
    s->count++;
    return true;
}

bool st_segments_begin(st_segments *s, uint64_t size) {
    *s = (st_segments){ .size = size };
    return size == 0 || insert(s, 0, (st_segment){ 0, size });
}

void st_segments_free(st_segments *s) {
    free(s->items);
    st_positions_free(&s->set);
    *s = (st_segments){ .lost = true };
}

static uint64_t behind(uint64_t first, uint64_t count) { return first == ST_SEGMENT_NEW ? first : first + count; }

/* Makes a segment begin at a position that is at most the size; `*out` is its number. */
static bool divide(st_segments *s, uint64_t position, size_t *out) {
    size_t i = 0;
    while (i < s->count && position >= s->items[i].count) position -= s->items[i++].count;
    *out = i;
    if (position == 0 || i == s->count) return true;
    st_segment rest = { behind(s->items[i].first, position), s->items[i].count - position };
    *out = i + 1;
    if (!insert(s, i + 1, rest)) return false;
    if (!s->lost) s->items[i].count = position;
    return true;
}

static bool apply_insert(st_segments *s, const strata_delta *d) {
    size_t at;
    if (!divide(s, d->position, &at)) return false;
    if (s->lost) return true;
    s->size += d->count;
    if (at > 0 && s->items[at - 1].first == ST_SEGMENT_NEW) {
        s->items[at - 1].count += d->count;
        return true;
    }
    return insert(s, at, (st_segment){ ST_SEGMENT_NEW, d->count });
}

static bool apply_remove(st_segments *s, const strata_delta *d) {
    size_t from, to;
    if (!divide(s, d->position, &from) || !divide(s, d->position + d->count, &to)) return false;
    if (s->lost) return true;
    memmove(s->items + from, s->items + to, (s->count - to) * sizeof *s->items);
    s->count -= to - from;
    s->size -= d->count;
    return true;
}

static bool apply_set(st_segments *s, uint64_t position) {
    for (size_t i = 0; i < s->count; position -= s->items[i++].count) {
        if (position >= s->items[i].count) continue;
        if (s->items[i].first == ST_SEGMENT_NEW) return true;
        return st_positions_add(&s->set, s->items[i].first + position);
    }
    return true;
}

bool st_segments_apply(st_segments *s, const strata_delta *d) {
    uint64_t room = s->size - (d->position <= s->size ? d->position : s->size);
    bool inserts = d->kind == STRATA_DELTA_INSERT;
    if (d->position > s->size || (inserts ? d->count > UINT64_MAX / 4 : d->count > room)) s->lost = true;
    if (s->lost) return true;
    if (inserts) return apply_insert(s, d);
    if (d->kind == STRATA_DELTA_REMOVE) return apply_remove(s, d);
    return d->kind == STRATA_DELTA_SET ? apply_set(s, d->position) : true;
}
