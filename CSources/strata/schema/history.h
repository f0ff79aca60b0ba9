/* SPDX-License-Identifier: MIT
 *
 * history.h -- the schemas that a file has had.
 *
 * ON-DISK: records in the main tree; numbers are little-endian, keys big-endian.
 *   00 "his" position:4  u8 format = 1, u8 program size, u8 migration size, u8 0, u32 classes, u64 schema version,
 *                        u64 hash, i64 microseconds since 1970, program, migration
 * Positions count from 0. A file remembers its first STRATA_MAX_HISTORY schemas. `classes` is a position plus 1: the
 * record of the tables that stands at that position (classes.h), which schemas with the same tables share; or 0, if
 * they are not kept: that is so in files of libraries before this number, too.
 */
#ifndef ST_SCHEMA_HISTORY_H
#define ST_SCHEMA_HISTORY_H

#include "schema/classes.h"
#include "strata_migration.h"
#include "table/view.h"

/** Reads a record. Returns STRATA_OK or STRATA_NOT_FOUND. Fails: STRATA_CORRUPT, ... */
strata_status st_schema_history_read(st_txn *txn, uint32_t position, strata_schema_record *out, strata_error *error);

/** Reads the tables of a record, as st_classes_read() gives them, and its version. Returns STRATA_OK, or
 * STRATA_NOT_FOUND if there is no such record or if its tables are not kept. Fails: STRATA_CORRUPT, ... */
strata_status st_schema_history_classes(st_txn *txn, uint32_t position, st_catalog **out, uint64_t *out_version,
                                        strata_error *error);

/** Fails with STRATA_SCHEMA_OLD: the file has a higher version than `version`. The message says who wrote it. */
strata_status st_schema_refuse_newer(const strata_view *view, uint64_t version, strata_error *error);

/** Gives the file, whose catalog was changed, its schema version, and remembers that. `migration` may be NULL. */
strata_status st_schema_remember(strata_view *view, uint64_t version, const char *migration, strata_error *error);

#endif
