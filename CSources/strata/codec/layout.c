/* SPDX-License-Identifier: MIT
 * layout.c -- how the columns of a table are packed. */
#include "codec/layout.h"

static st_packing packing_of(strata_type type) {
    switch (type) {
    case STRATA_BOOL:
    case STRATA_INT: return ST_PACK_SIGNED;
    case STRATA_FLOAT: return ST_PACK_FLOAT;
    case STRATA_DOUBLE:
    case STRATA_DATE: return ST_PACK_DOUBLE;
    case STRATA_STRING:
    case STRATA_DATA: return ST_PACK_BYTES;
    case STRATA_UUID: return ST_PACK_UUID;
    case STRATA_OBJECT_ID: return ST_PACK_OBJECT_ID;
    case STRATA_LINK: return ST_PACK_UNSIGNED;
    case STRATA_NULL: break;
    }
    return ST_PACK_NONE;
}

st_field st_field_of(strata_type type, strata_collection collection, uint32_t column_flags) {
    st_field field = { ST_PACK_BYTES, false, true };
    if (collection != STRATA_SINGLE) return field;
    st_packing packing = packing_of(type);
    field.packing = (uint8_t)packing;
    field.nullable = (column_flags & STRATA_COLUMN_NULLABLE) != 0 && type != STRATA_LINK;
    field.guarded = type == STRATA_LINK || (column_flags & STRATA_COLUMN_PRIMARY) != 0;
    return field;
}

uint32_t st_packing_size(st_packing packing) {
    switch (packing) {
    case ST_PACK_NONE: return 0;
    case ST_PACK_FLOAT: return 4;
    case ST_PACK_UUID: return 16;
    case ST_PACK_OBJECT_ID: return 12;
    case ST_PACK_SIGNED:
    case ST_PACK_UNSIGNED:
    case ST_PACK_DOUBLE:
    case ST_PACK_BYTES: break;
    }
    return 8;
}
