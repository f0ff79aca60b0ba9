/* SPDX-License-Identifier: MIT
 *
 * found_rows.h -- the blocks of rows that were found in a damaged file, and how they become a tree of rows again.
 *
 * A row may be found in several blocks, of different commits. That on the page of the lowest rank is taken; among equal
 * ranks nothing says which is the newest, and such rows are counted as doubtful. Every block that is written is valid.
 *
 * A full block has a page of its own, and its key stands elsewhere. If that is lost, the columns tell whose block it
 * is, unless several classes could have it, or it could be one of a long collection.
 */
#ifndef ST_UPKEEP_FOUND_ROWS_H
#define ST_UPKEEP_FOUND_ROWS_H

#include "catalog/catalog.h"
#include "store/handle.h"
#include "upkeep/find.h"

/** Where a block was found, and which keys it has. */
typedef struct st_found_block {
    uint64_t page, first, last;
    uint32_t index;
    uint16_t table;
    uint8_t rank;  /* of the page, twice, and one more if there was no key */
    bool valid; /* all of its rows are */
} st_found_block;

/** A row that may be of an earlier commit than the newest. */
typedef struct st_old_row {
    uint64_t key;
    uint32_t table;
} st_old_row;

/** Those rows, by table and key. Empty when it is zero. */
typedef struct st_old_rows {
    st_old_row *items;
    size_t count, capacity;
} st_old_rows;

/** Empty when it is zero. Freed with st_found_rows_free(). */
typedef struct st_found_rows {
    const st_catalog *catalog;
    st_page_rank trusted; /* pages up to this rank are of the newest commit */
    st_old_rows *old;     /* gets the rows of others */
    st_found_block *blocks;
    size_t count, capacity;
    uint64_t doubtful; /* rows */
    uint64_t unplaced; /* blocks without a key that may be of several tables */
} st_found_rows;

/** What was written of one table. */
typedef struct st_found_count {
    uint64_t rows, last_key;
} st_found_count;

/** Keeps an entry of the tree of rows, or a lone block, if it is a block that a table may have. */
strata_status st_found_rows_take(st_found_rows *rows, const st_find *find, strata_error *error);
/** Tells the caller that so many bytes were written, so that it may commit; it may not move `*writer` otherwise. */
typedef strata_status st_found_written(void *context, size_t bytes, strata_error *error);
/** Writes the rows into an empty tree. `counts` has an item for each table. Fails: STRATA_NO_MEMORY, and as writing
 * does. */
strata_status st_found_rows_write(st_found_rows *rows, st_find_reader *reader, st_txn **writer, size_t limit,
                                  st_found_written *written, void *context, st_found_count *counts,
                                  strata_error *error);
void st_found_rows_free(st_found_rows *rows);

#endif
