/* SPDX-License-Identifier: MIT
 *
 * value_read.h -- values from text and JSON.
 *
 * A function that fails with STRATA_TYPE says what the value is and what was expected, but not of which property.
 */
#ifndef ST_TRANSFER_VALUE_READ_H
#define ST_TRANSFER_VALUE_READ_H

#include "base/arena.h"
#include "strata.h"
#include "transfer/json.h"

/** A value from text without quotes. The bytes of a string are those of the text; of data they lie in the arena. `type`
 * is not that of links or mixed values. */
strata_status st_value_from_text(st_arena *memory, strata_type type, strata_bytes text, strata_value *out,
                                 strata_error *error);

/** The same from JSON; null becomes null. */
strata_status st_value_from_json(st_arena *memory, strata_type type, const st_json *json, strata_value *out,
                                 strata_error *error);

/** Whether a value of JSON says its type itself, as {"$oid": "..."} does. */
bool st_json_tag(const st_json *json, strata_type *out);

/** The number of JSON as a whole one, if it is one and fits. */
bool st_json_int(const st_json *json, int64_t *out);

/** What a value of JSON is called in messages, in at most `size` bytes of `out`. */
const char *st_json_describe(const st_json *json, char *out, size_t size);

#endif
