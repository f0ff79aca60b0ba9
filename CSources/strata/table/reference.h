/* SPDX-License-Identifier: MIT
 *
 * reference.h -- what a cell or an element has in place of what is stored outside of its row.
 *
 * ON-DISK, little-endian: u64 size, u64 identity, u32 check. The size is that of an overflow value in bytes, with its
 * type if it is a mixed one (value/mixed.h), or the number of elements of a long collection. The check is the low half
 * of the hash, with the key of the file, of 28 bytes: u64 object key, u64 identity, u64 size, u16 column, u16 table;
 * those of the cell, or of the collection that has the element.
 *
 * So a damaged reference, or one that stands in a cell where it does not belong, leads to nothing: what another object
 * has is neither shown nor deleted.
 */
#ifndef ST_TABLE_REFERENCE_H
#define ST_TABLE_REFERENCE_H

#include "table/blob.h"
#include "table/view.h"

/** Packs the reference that the object has in a column. */
void st_reference_make(const strata_view *view, const st_column *column, uint64_t object, st_blob blob,
                       uint8_t out[ST_REFERENCE]);
/** Unpacks it. False if these bytes are not such a reference. */
bool st_reference_open(const strata_view *view, const st_column *column, uint64_t object, strata_bytes bytes,
                       st_blob *out);
/** The size in a reference, of ST_REFERENCE bytes, that was not checked: to be shown, or compared, and not to be
 * followed. */
static inline uint64_t st_reference_size(strata_bytes bytes) { return strata_load64((const uint8_t *)bytes.data); }

#endif
