/* SPDX-License-Identifier: MIT
 *
 * element_column.h -- the columns of elements: how a collection is laid out in blocks and sequences.
 *
 * A list or a set has one column. A map has two: its keys in column 0, its values in column 1. So the elements, which
 * of a map are its values, are always in the last column.
 *
 * A mixed element is stored as its encoding, as data is. Bytes beyond ST_INLINE_VALUE are overflow values.
 */
#ifndef ST_COLLECTION_ELEMENT_COLUMN_H
#define ST_COLLECTION_ELEMENT_COLUMN_H

#include "block/block.h"
#include "catalog/catalog.h"
#include "table/cell_value.h"

/** How many columns there are. */
static inline uint32_t st_element_columns(const st_column *column) { return column->collection == STRATA_MAP ? 2 : 1; }

/** True for the column with the keys of a map. */
static inline bool st_element_is_key(const st_column *column, uint32_t block_column) {
    return column->collection == STRATA_MAP && block_column == 0;
}

/** The type of an element as it is stored. */
static inline strata_type st_element_type(const st_column *column) {
    return column->type == STRATA_MIXED ? STRATA_DATA : column->type;
}
/** How a column is packed. */
st_field st_element_field(const st_column *column, uint32_t block_column);

/** True if a column has numbers that are never null. In memory these are words, with the bits that strata_value has. */
static inline bool st_element_is_number(const st_column *column, uint32_t block_column) {
    const uint32_t numbers = 1u << STRATA_BOOL | 1u << STRATA_INT | 1u << STRATA_FLOAT | 1u << STRATA_DOUBLE |
                             1u << STRATA_DATE | 1u << STRATA_LINK;
    bool key = st_element_is_key(column, block_column);
    bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 && column->type != STRATA_LINK;
    return !key && !nullable && (numbers >> column->type & 1) != 0;
}
/** The value of such a number. */
static inline strata_value st_element_of_number(strata_type type, uint64_t number) {
    strata_value value = strata_null();
    if (type == STRATA_BOOL) value.as.boolean = number != 0;
    else value.as.link = number; /* every member of the union begins where it does */
    value.type = type == STRATA_LINK && number == 0 ? STRATA_NULL : type;
    return value;
}

/** True if elements are stored as strings or data, and so may be overflow values. */
static inline bool st_element_has_bytes(const st_column *column) {
    return st_element_type(column) == STRATA_STRING || st_element_type(column) == STRATA_DATA;
}
/** True if elements may be links, or hold some. */
static inline bool st_element_links(const st_column *column) { return column->link_id != 0; }
/** True if elements may be null. */
static inline bool st_element_nullable(const st_column *column) {
    return (column->flags & STRATA_COLUMN_NULLABLE) != 0 || column->type == STRATA_MIXED ||
           (column->type == STRATA_LINK && column->collection == STRATA_MAP);
}

/** Loads one value of a column, as st_value_load() does. */
static inline void st_element_load(const st_column *column, const uint8_t *block, uint32_t block_column, uint32_t slot,
                                   strata_value *out) {
    uint32_t entry = strata_block_entry(block, block_column);
    bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 && column->type != STRATA_LINK;
    if (st_element_is_key(column, block_column)) st_value_load(STRATA_STRING, false, block, entry, slot, out);
    else st_value_load(column->type, nullable, block, entry, slot, out);
}
/** The same for values that follow each other. */
void st_elements_load(const st_column *column, const uint8_t *block, uint32_t block_column, uint32_t slot,
                      uint32_t count, strata_value *out);

#endif
