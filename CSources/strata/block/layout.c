/* SPDX-License-Identifier: MIT
 * layout.c -- how a column is packed. */
#include "block/layout.h"

static st_packing packing_of(strata_type type) {
    switch (type) {
    case STRATA_BOOL:
    case STRATA_INT: return ST_PACK_SIGNED;
    case STRATA_FLOAT: return ST_PACK_FLOAT;
    case STRATA_DOUBLE:
    case STRATA_DATE: return ST_PACK_DOUBLE;
    case STRATA_STRING:
    case STRATA_DATA:
    case STRATA_MIXED: return ST_PACK_BYTES;
    case STRATA_UUID:
    case STRATA_DECIMAL: return ST_PACK_16;
    case STRATA_OBJECT_ID: return ST_PACK_12;
    case STRATA_LINK: return ST_PACK_UNSIGNED;
    case STRATA_NESTED:
    case STRATA_NULL: break;
    }
    return ST_PACK_NONE;
}

static uint8_t stored_as(strata_type type) {
    switch (type) {
    case STRATA_BOOL: return STRATA_ENTRY_BOOL;
    case STRATA_INT: return STRATA_ENTRY_INT;
    case STRATA_FLOAT: return STRATA_ENTRY_FLOAT;
    case STRATA_DOUBLE:
    case STRATA_DATE: return STRATA_ENTRY_DOUBLE;
    default: return 0; /* links, indexes of values and bytes would not notice */
    }
}

st_field st_field_of(strata_type type, strata_collection collection, uint32_t column_flags) {
    st_field field = { ST_PACK_BYTES, false, 0 };
    if (collection != STRATA_SINGLE) return field;
    st_packing packing = packing_of(type);
    field.packing = (uint8_t)packing;
    field.nullable = type == STRATA_MIXED || ((column_flags & STRATA_COLUMN_NULLABLE) != 0 && type != STRATA_LINK);
    if ((column_flags & STRATA_COLUMN_PRIMARY) == 0) field.stored_as = stored_as(type);
    return field;
}
