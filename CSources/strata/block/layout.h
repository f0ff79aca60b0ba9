/* SPDX-License-Identifier: MIT
 * layout.h -- how the columns of a table are packed: all that blocks need to know of a table. */
#ifndef ST_BLOCK_LAYOUT_H
#define ST_BLOCK_LAYOUT_H

#include "strata.h"

/** How one cell is packed. */
typedef enum st_packing {
    ST_PACK_NONE,     /* a dropped column: nothing is stored */
    ST_PACK_SIGNED,   /* bool, int */
    ST_PACK_UNSIGNED, /* link */
    ST_PACK_FLOAT,
    ST_PACK_DOUBLE,   /* double, date */
    ST_PACK_16,       /* uuid, decimal */
    ST_PACK_12,       /* object id */
    ST_PACK_BYTES     /* string, data, mixed, and every collection */
} st_packing;

/** How one column is packed. */
typedef struct st_field {
    uint8_t packing;  /* st_packing */
    bool nullable;    /* may have a bitmap of nulls; mixed columns always may, links and collections never */
    uint8_t stored_as; /* what a pending row may be given in place here: STRATA_ENTRY_..., or 0 */
} st_field;

/** The columns of a table in the order of their numbers. */
typedef struct st_layout {
    uint32_t count;
    const st_field *fields;
} st_layout;

/** The field of a column that is not dropped. */
st_field st_field_of(strata_type type, strata_collection collection, uint32_t column_flags);

/** The size of a cell in a pending block: 8 for integers and links, and for bytes two positions of 4 bytes each. */
static inline uint32_t st_packing_size(st_packing packing) {
    switch (packing) {
    case ST_PACK_NONE: return 0;
    case ST_PACK_FLOAT: return 4;
    case ST_PACK_16: return 16;
    case ST_PACK_12: return 12;
    case ST_PACK_SIGNED:
    case ST_PACK_UNSIGNED:
    case ST_PACK_DOUBLE:
    case ST_PACK_BYTES: break;
    }
    return 8;
}

#endif
