/* SPDX-License-Identifier: MIT
 *
 * element_column.h -- how the elements of a collection stand in blocks and sequences.
 *
 * The elements are the last column of a block; a map has its keys in column 0, before its values. Elements of any
 * type stand there as their encoding, as data. Bytes beyond ST_INLINE_VALUE are overflow values, as those of a cell.
 */
#ifndef ST_COLLECTION_ELEMENT_COLUMN_H
#define ST_COLLECTION_ELEMENT_COLUMN_H

#include "block/block.h"
#include "catalog/catalog.h"

static inline uint32_t st_element_columns(const st_column *column) { return column->collection == STRATA_MAP ? 2 : 1; }

/** The type of an element as it is stored. */
static inline strata_type st_element_type(const st_column *column) {
    return column->type == STRATA_MIXED ? STRATA_DATA : column->type;
}
/** How a column of elements is packed. */
st_field st_element_field(const st_column *column, uint32_t block_column);

/** True if the elements of a column are numbers that are never null: words in memory, as strata_value has them. */
static inline bool st_element_is_number(const st_column *column, uint32_t block_column) {
    const uint32_t numbers = 1u << STRATA_BOOL | 1u << STRATA_INT | 1u << STRATA_FLOAT | 1u << STRATA_DOUBLE |
                             1u << STRATA_DATE | 1u << STRATA_LINK;
    bool key = column->collection == STRATA_MAP && block_column == 0;
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

/** True if elements are strings or data as they are stored, and so may be overflow values. */
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

/** Loads one element of a block, as st_value_load() does. */
void st_element_load(const st_column *column, const uint8_t *block, uint32_t block_column, uint32_t slot,
                     strata_value *out);
/** The same for elements that follow each other. */
void st_elements_load(const st_column *column, const uint8_t *block, uint32_t block_column, uint32_t slot,
                      uint32_t count, strata_value *out);

#endif
