/* SPDX-License-Identifier: MIT
 *
 * object_read.h -- what a record says about objects, checked against the columns of their tables.
 *
 * A record is read as a whole before anything of it is written: whatever does not fit is found here. Links stay what the
 * record says, since the objects that they name may come later.
 */
#ifndef ST_TRANSFER_OBJECT_READ_H
#define ST_TRANSFER_OBJECT_READ_H

#include "transfer/fields.h"
#include "transfer/json.h"
#include "transfer/reading.h"

typedef enum st_item_kind {
    ST_ITEM_NONE,   /* the record does not say */
    ST_ITEM_VALUE,  /* `value`, which is no link; null, too */
    ST_ITEM_LINK,   /* `link` */
    ST_ITEM_OBJECT, /* `object` */
    ST_ITEM_MIXED,  /* `json` */
    ST_ITEM_MANY    /* `items`, of a map under `names` */
} st_item_kind;

typedef struct st_item {
    st_item_kind kind;
    strata_value value;
    st_reference link;
    struct st_object *object;
    const st_json *json;
    struct st_item *items;
    strata_bytes *names;
    uint32_t count;
} st_item;

typedef struct st_object {
    uint32_t table;
    uint32_t column_count;
    strata_bytes key; /* its "$key"; empty if it has none */
    st_item *items;   /* one for each column */
} st_object;

/** Reads an object of JSON. Fails: STRATA_TYPE, STRATA_NOT_FOUND, STRATA_TOO_LARGE: the record does not fit; ... */
strata_status st_object_from_json(st_reading *reading, uint32_t table, const st_json *json, st_object **out,
                                  strata_error *error);
/** What a field is for that is no property. */
enum { ST_FIELD_NONE = -1, ST_FIELD_KEY = -2, ST_FIELD_NAMELESS = -3 /* is empty in every line */ };

/** The same from fields. Field i is the column `columns[i]`, or the name of the object, ST_FIELD_KEY, or nothing,
 * ST_FIELD_NONE. */
strata_status st_object_from_fields(st_reading *reading, uint32_t table, const st_fields *fields,
                                    const uint32_t *columns, uint32_t count, st_object **out, strata_error *error);

#endif
