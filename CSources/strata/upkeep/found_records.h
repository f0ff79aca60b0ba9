/* SPDX-License-Identifier: MIT
 *
 * found_records.h -- the records of the main tree that were found in a damaged file: of each the best copy.
 *
 * Every commit writes the page anew that has the header record and, in most files, all the others. So copies of earlier
 * commits lie on free pages, and their header records tell which is the newest.
 */
#ifndef ST_UPKEEP_FOUND_RECORDS_H
#define ST_UPKEEP_FOUND_RECORDS_H

#include "base/arena.h"
#include "store/header.h"
#include "upkeep/find.h"
#include "write/hash_table.h"

typedef struct st_found_record {
    uint8_t key[8];
    strata_bytes value;
    uint8_t *bytes; /* those of the value, which have room for so many */
    size_t room;
    st_page_rank rank;
    uint64_t version, page; /* of the page where it was found */
} st_found_record;

/** Empty when it is zero. Freed with st_found_records_free(). */
typedef struct st_found_records {
    st_found_record *items;
    size_t count, capacity;
    st_hash_table by_key;
    st_arena bytes; /* of the values */
} st_found_records;

/** Keeps a record, if it is the best one of its key. A st_find_taker, of entries of all kinds. */
strata_status st_found_records_take(void *records, const st_find *find, strata_error *error);
/** Adds a record that no other one is better than. False if there is no memory. */
bool st_found_records_add(st_found_records *records, const uint8_t key[8], strata_bytes value);
/** The record of that key, or NULL. */
const st_found_record *st_found_records_get(const st_found_records *records, const uint8_t key[8]);
/** The record of a table, such as "tab" or "cnt", or NULL. */
const st_found_record *st_found_records_of_table(const st_found_records *records, const char kind[3], uint32_t table);
/** Whether there is a record for every table of the catalog. */
bool st_found_records_complete(const st_found_records *records);
void st_found_records_free(st_found_records *records);

#endif
