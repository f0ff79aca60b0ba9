/* SPDX-License-Identifier: MIT
 * mixed_read.h -- mixed values from JSON. */
#ifndef ST_TRANSFER_MIXED_READ_H
#define ST_TRANSFER_MIXED_READ_H

#include "transfer/json.h"
#include "transfer/reading.h"

/** Whether JSON can be a mixed value; `of_set`: an element of a set. Fails: STRATA_TYPE, STRATA_TOO_LARGE,
 * STRATA_NOT_FOUND (a class). */
strata_status st_mixed_check(st_reading *reading, const st_json *json, bool of_set, strata_error *error);

/** Finds the object of a link in a mixed value. */
typedef strata_status (*st_link_resolver)(void *context, const st_reference *link, uint64_t *out_key,
                                          strata_error *error);

/** Builds a mixed value from JSON that was checked. Lifetime: until the next one is built. */
strata_status st_mixed_build(st_reading *reading, const st_json *json, st_link_resolver resolve, void *context,
                             strata_value *out, strata_error *error);

#endif
