/* SPDX-License-Identifier: MIT
 *
 * catalog_records.h -- catalogs as stored.
 *
 * ON-DISK: records in the main tree; numbers are little-endian, keys big-endian.
 *   00 "cat" 00000000    u8 format = 1, u8 0, u16 0, u32 tables, u32 next index id
 *   00 "tab" table:4     u8 format = 1, u8 flags, u16 columns, u32 primary, u8 name size, name, then per column:
 *                        u8 type, u8 collection, u8 flags, u8 name size, u32 target, u32 index id, u32 link id,
 *                        name; a dropped column has type 0 and no name, a dropped table no name and no columns.
 *                        Then, up to the end, per compound index:
 *                        u8 columns, u8 0, u32 index id, and their numbers as u16
 * An index id is the number of a set of postings in the tree of indexes or of links; 0 means none. Ids are never used
 * again.
 */
#ifndef ST_CATALOG_CATALOG_RECORDS_H
#define ST_CATALOG_CATALOG_RECORDS_H

#include "base/buffer.h"
#include "catalog/catalog.h"
#include "store/handle.h"

/** Reads the catalog that `txn` sees. Ownership: freed with st_catalog_free(). Fails: STRATA_CORRUPT, ... */
strata_status st_catalog_load(st_txn *txn, st_catalog **out, strata_error *error);

/** Writes the records of all tables, and a new catalog version to the header. */
strata_status st_catalog_store(st_txn *writer, st_catalog *catalog, strata_error *error);
/** Adds the table of a record to a catalog that will have so many. Returns STRATA_OK, STRATA_CORRUPT or
 * STRATA_NO_MEMORY. */
strata_status st_table_record_read(strata_bytes record, st_catalog *catalog, uint32_t table_count);
/** Appends the record of a table. False if there is no memory. */
bool st_table_record_write(const st_table *table, st_buffer *out);

#endif
