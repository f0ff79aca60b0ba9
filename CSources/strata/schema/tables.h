/* SPDX-License-Identifier: MIT
 *
 * tables.h -- giving the tables of a catalog the columns and indexes that are declared.
 *
 * That takes two steps, between which a program may move values. Laying out adds what is new; a column of another type
 * is dropped, and comes back empty. Settling drops what is declared no more, and checks what a program may have broken.
 * All of it works on a copy of the catalog, and on the trees of the writer.
 */
#ifndef ST_SCHEMA_TABLES_H
#define ST_SCHEMA_TABLES_H

#include "table/view.h"

/** Adds tables, columns and the indexes of single columns. Columns that are declared no more stay. `open`: until they
 * are settled, tables have no primary keys, so that keys can be changed. Fails: STRATA_INVALID_SCHEMA, ... */
strata_status st_schema_lay_out(strata_view *view, st_catalog *catalog, const strata_table_spec *tables,
                                uint32_t count, bool open, strata_error *error);

/** Drops the columns that are declared no more, adds compound indexes and sets primary keys. Fails: STRATA_DUPLICATE,
 * STRATA_SCHEMA_MISMATCH (an object that would be embedded has no owner, or several), ... */
strata_status st_schema_settle(strata_view *view, st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                               strata_error *error);

/** Builds or drops the index of a column alone, as its flags say. */
strata_status st_schema_set_index(strata_view *view, st_catalog *catalog, uint32_t number, uint32_t column,
                                  strata_error *error);

#endif
