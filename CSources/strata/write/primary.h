/* SPDX-License-Identifier: MIT
 *
 * primary.h -- objects by their primary keys. Their table is given by its number.
 */
#ifndef ST_WRITE_PRIMARY_H
#define ST_WRITE_PRIMARY_H

#include "table/view.h"
#include "value/key.h"

/** The object that has a primary key, given as a value and encoded; 0 if there is none. Fails: STRATA_CORRUPT, ... */
strata_status st_primary_find(strata_view *view, uint32_t number, const strata_value *value, const st_key *key,
                              uint64_t *out, strata_error *error);

/** Encodes the primary key of a new object. Fails with STRATA_DUPLICATE, and the key of the object that has it
 * already. */
strata_status st_primary_check(strata_view *view, uint32_t number, const strata_value *value, st_key *key,
                               uint64_t *out_key, strata_error *error);

/** A primary key as text for messages, cut off if it is long. */
void st_primary_describe(const strata_value *value, char *out, size_t size);

/** Logs that a new object has a primary key. */
strata_status st_primary_log(strata_view *view, uint32_t number, const st_key *key, uint64_t object,
                             strata_error *error);
/** Logs that an object no longer has the primary key in its row, since it is deleted. */
strata_status st_primary_release(strata_view *view, uint32_t number, const st_row_ref *row, strata_error *error);

#endif
