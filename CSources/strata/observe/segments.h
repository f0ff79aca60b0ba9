/* SPDX-License-Identifier: MIT
 *
 * segments.h -- what became of the elements of a collection while others were inserted and removed.
 *
 * The collection is a sequence of segments: elements that were there before, side by side, or new ones.
 */
#ifndef ST_OBSERVE_SEGMENTS_H
#define ST_OBSERVE_SEGMENTS_H

#include "observe/positions.h"
#include "strata_changes.h"

#define ST_SEGMENT_NEW UINT64_MAX

typedef struct st_segment {
    uint64_t first; /* the position before of its first element, or ST_SEGMENT_NEW */
    uint64_t count; /* at least 1 */
} st_segment;

/** Empty when it is zero. Freed with st_segments_free(). */
typedef struct st_segments {
    st_segment *items;
    size_t count, capacity;
    uint64_t size;      /* of the collection now */
    st_positions set;   /* positions before of elements that were assigned */
    bool lost;          /* there were too many changes, or they do not fit */
} st_segments;

/** A collection of so many elements, before any change. False if there is no memory. */
bool st_segments_begin(st_segments *segments, uint64_t size);
/** Makes a change of elements. False if there is no memory. */
bool st_segments_apply(st_segments *segments, const strata_delta *delta);
void st_segments_free(st_segments *segments);

#endif
