/* SPDX-License-Identifier: MIT
 *
 * postings_total.h -- totals: how many entries a value has that fills several blocks.
 *
 * A total is an entry of the tree among the blocks of its set. Its name is that of a block whose last entry has the
 * value and the object key 0, which no object has: so it stands directly before the blocks that end with the value. It
 * has 8 bytes, fewer than a block: the number 2, the number of entries in 6 bytes, little-endian, and a zero.
 *
 * A value gets a total when entries of it change and two blocks or more end with it, and keeps it as long as one does.
 * Where there is a total, it is right, and the block that follows ends with the value and is not the open-ended one.
 */
#ifndef ST_POSTING_POSTINGS_TOTAL_H
#define ST_POSTING_POSTINGS_TOTAL_H

#include "posting/postings_name.h"

enum { ST_POSTINGS_TOTAL = 2, ST_POSTINGS_TOTAL_SIZE = 8 };

/** More entries than any set has; less than a total can say. */
#define ST_POSTINGS_MOST (UINT64_C(1) << 47)

/** Is this what stands in the tree under the name of a total? */
static inline bool st_postings_is_total(strata_bytes found) {
    const uint8_t *bytes = (const uint8_t *)found.data;
    return found.size == ST_POSTINGS_TOTAL_SIZE && bytes[0] == ST_POSTINGS_TOTAL && bytes[7] == 0;
}

static inline uint64_t st_postings_total(strata_bytes found) { return strata_load64(found.data) >> 8; }

static inline void st_postings_total_name(st_postings_name *name, uint32_t id, strata_bytes value) {
    st_postings_name_of(name, id, value, 0);
}

/** Does a block of this name end with the value? `total` is the name of the total of the value. */
static inline bool st_postings_ends_with(strata_bytes name, const st_postings_name *total, size_t value_size) {
    size_t size = ST_POSTINGS_ID + value_size;
    return name.size >= size && size <= total->size && memcmp(name.data, total->bytes, size) == 0;
}

#endif
