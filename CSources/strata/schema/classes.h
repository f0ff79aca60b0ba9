/* SPDX-License-Identifier: MIT
 *
 * classes.h -- the tables of a schema, as the history of a file keeps them.
 *
 * ON-DISK: records in the main tree; numbers are little-endian, keys big-endian.
 *   00 "cls" position:4  u8 format = 1, u8 0, u16 0, u32 tables, then per table u32 size and a record as those of the
 *                        catalog (catalog_records.h), in which an id is 1 where there is an index or a link
 * Only what is declared is there, numbered from 0: no dropped tables and columns. So equal bytes are equal tables,
 * whatever the file has been through.
 */
#ifndef ST_SCHEMA_CLASSES_H
#define ST_SCHEMA_CLASSES_H

#include "base/buffer.h"
#include "catalog/catalog.h"

/** Appends the record of the tables of a catalog. False if there is no memory. */
bool st_classes_write(const st_catalog *catalog, st_buffer *out);

/** Reads a record. The catalog is for looking at its tables, columns and compound indexes only. Ownership: freed with
 * st_catalog_free(). Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_classes_read(strata_bytes record, st_catalog **out, strata_error *error);

#endif
