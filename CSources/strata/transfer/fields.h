/* SPDX-License-Identifier: MIT
 * fields.h -- a line of CSV or plain columns, cut into its fields. */
#ifndef ST_TRANSFER_FIELDS_H
#define ST_TRANSFER_FIELDS_H

#include "base/arena.h"
#include "strata_export.h"

typedef struct st_text_field {
    strata_bytes text; /* without quotes and escapes */
    bool null;         /* of CSV: nothing stands there, not even quotes; of plain columns: \N */
    uint32_t column;   /* where it begins in the line, in bytes from 1 */
} st_text_field;

typedef struct st_fields {
    st_text_field *list;
    size_t count, capacity;
} st_fields;

/** Cuts a line. The texts point into it, or into the arena. Fails: STRATA_TYPE, with the column; STRATA_NO_MEMORY. */
strata_status st_fields_read(st_fields *fields, st_arena *memory, strata_text_format format, char separator,
                             strata_bytes line, strata_error *error);
/** Whether a line has as many fields as there are names. Fails: STRATA_TYPE. */
strata_status st_fields_check(const st_fields *fields, size_t names, strata_error *error);
/** Refuses a field, at `position` from 0, that holds something although its column has no name. Fails: STRATA_TYPE. */
strata_status st_field_check_nameless(const st_fields *fields, size_t position, strata_error *error);
/** Fails with STRATA_TYPE: two fields have that name. */
strata_status st_same_name(strata_bytes name, strata_error *error);
void st_fields_free(st_fields *fields);

#endif
