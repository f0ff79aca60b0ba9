/* SPDX-License-Identifier: MIT
 *
 * link_index.h -- the link index of a column: who links to an object through it.
 *
 * It is a set of postings: the value is the object linked to, as st_link_number() has it, and the key is the object that
 * links, once for each of its links.
 */
#ifndef ST_TABLE_LINK_INDEX_H
#define ST_TABLE_LINK_INDEX_H

#include "base/bits.h"
#include "catalog/catalog.h"
#include "posting/postings_read.h"
#include "posting/postings_set.h"

static inline st_posting_set st_link_set(const st_column *column) {
    return (st_posting_set){ ST_LINKS, column->link_id };
}

/** The number under which the link index of a column has an object: its key, or of a mixed column the table in the upper
 * 16 bits, too. */
static inline uint64_t st_link_number(const st_column *column, uint32_t table, uint64_t key) {
    return column->type == STRATA_LINK ? key : (uint64_t)table << 48 | key;
}

/** All links to an object of that number. `value` is memory of the caller's for the range. */
static inline st_posting_range st_links_range(uint8_t value[8], uint64_t number) {
    st_store_big64(value, number);
    return st_posting_range_of((strata_bytes){ value, 8 });
}

#endif
