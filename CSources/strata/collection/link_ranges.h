/* SPDX-License-Identifier: MIT
 *
 * link_ranges.h -- which links the chunks of a long collection have: to find some without reading all.
 *
 * The links of a chunk lie in a range of object keys, a narrow one if objects were appended as they were created. Of
 * links in another order there are marks, which tell of most objects that they are not there, too. What is known of a
 * chunk is remembered while commits come and go, and may be wrong after one. That costs time only: who
 * looks for links knows how many there are, and if some are missing, all chunks are read again.
 */
#ifndef ST_COLLECTION_LINK_RANGES_H
#define ST_COLLECTION_LINK_RANGES_H

#include "base/buffer.h"
#include "collection/key_marks.h"
#include "collection/source.h"

/** What is known of a chunk. */
typedef struct st_link_range {
    uint32_t block, count; /* what the chunk was when its links were read; `count` is 0 if they were not */
    uint64_t low, high;    /* the least and the greatest link */
    st_key_marks marks;    /* of links that are few for their range */
} st_link_range;

/** Of one collection, in the order of its chunks. Empty when it is zero. Freed with st_link_ranges_free(). */
typedef struct st_link_ranges {
    st_link_range *items;
    size_t count;
    uint64_t links_read;
} st_link_ranges;

/** The objects whose links are looked for. */
typedef struct st_link_wanted {
    const uint64_t *keys; /* they ascend */
    size_t count;
    uint64_t links;       /* how many elements of the collection link to them */
} st_link_wanted;

/** Appends the positions of the links to some objects, 8 bytes each, which ascend. The column is one of links. Fails:
 * STRATA_CORRUPT, STRATA_NO_MEMORY; what was appended then means nothing. */
strata_status st_link_ranges_find(st_link_ranges *ranges, const st_source *source, const st_link_wanted *wanted,
                                  st_buffer *out, strata_error *error);
/** The bytes that they take. */
size_t st_link_ranges_memory(const st_link_ranges *ranges);
void st_link_ranges_free(st_link_ranges *ranges);

#endif
