/* SPDX-License-Identifier: MIT
 *
 * strata_value.h -- values, their types, and the kinds of collections.
 */
#ifndef STRATA_VALUE_H
#define STRATA_VALUE_H

#include "strata_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/** ON-DISK: stored in the catalog; never renumber. */
typedef enum STRATA_ENUM strata_type {
    STRATA_NULL = 0,      /**< only of a value, never of a column */
    STRATA_BOOL = 1,
    STRATA_INT = 2,       /**< 64 bits, signed */
    STRATA_FLOAT = 3,
    STRATA_DOUBLE = 4,
    STRATA_STRING = 5,    /**< UTF-8 */
    STRATA_DATA = 6,
    STRATA_DATE = 7,      /**< seconds since 2001-01-01 00:00:00 UTC, a double */
    STRATA_UUID = 8,      /**< 16 bytes */
    STRATA_OBJECT_ID = 9, /**< 12 bytes */
    STRATA_DECIMAL = 10,  /**< 16 bytes; see strata_decimal.h */
    STRATA_MIXED = 11,    /**< only of a column: its values are null or of any other type */
    STRATA_LINK = 12,     /**< an object of the column's target table; in a mixed column, of `table` */
    STRATA_NESTED = 13    /**< only of a value in a mixed column: a list or a map; see strata_mixed.h */
} strata_type;

/** ON-DISK: stored in the catalog; never renumber. */
typedef enum STRATA_ENUM strata_collection {
    STRATA_SINGLE = 0, /**< the column holds one value */
    STRATA_LIST = 1,   /**< an ordered sequence */
    STRATA_SET = 2,    /**< each value once, in the order of values; objects in the order of their keys */
    STRATA_MAP = 3     /**< values under string keys, in the order of the keys' bytes */
} strata_collection;

/** One value of any type, or null. The bytes belong to the one who made the value. */
typedef struct strata_value {
    strata_type type;
    uint32_t table;           /**< of a link in a column of any values: the table of the object; of bytes that are
                                   not lent: STRATA_OUTSIDE; otherwise 0 */
    union {
        bool boolean;
        int64_t integer;
        float single;
        double real;          /**< STRATA_DOUBLE and STRATA_DATE */
        strata_bytes bytes;   /**< STRATA_STRING, STRATA_DATA and STRATA_NESTED */
        uint8_t fixed[16];    /**< STRATA_UUID and STRATA_DECIMAL (16), STRATA_OBJECT_ID (12) */
        uint64_t link;        /**< object key in the target table; never 0, use STRATA_NULL */
    } as;
} strata_value;

/** In `table` of a string, data or nested value that the engine gives: its bytes are stored outside of the row or the
 * collection, and are not lent: `bytes.data` is NULL and `bytes.size` how many there are. */
#define STRATA_OUTSIDE UINT32_MAX

/** True if the bytes of a value are not lent, see STRATA_OUTSIDE. No function takes such a value until `bytes.data` is
 * set to its bytes. */
static inline bool strata_value_is_outside(const strata_value *value) {
    return value->table == STRATA_OUTSIDE &&
           (value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED);
}

static inline strata_value strata_null(void) {
    strata_value v;
    memset(&v, 0, sizeof v);
    return v;
}
static inline strata_value strata_bool(bool b) {
    strata_value v = strata_null();
    v.type = STRATA_BOOL;
    v.as.boolean = b;
    return v;
}
static inline strata_value strata_int(int64_t i) {
    strata_value v = strata_null();
    v.type = STRATA_INT;
    v.as.integer = i;
    return v;
}
static inline strata_value strata_float(float f) {
    strata_value v = strata_null();
    v.type = STRATA_FLOAT;
    v.as.single = f;
    return v;
}
static inline strata_value strata_double(double d) {
    strata_value v = strata_null();
    v.type = STRATA_DOUBLE;
    v.as.real = d;
    return v;
}
static inline strata_value strata_date(double seconds_since_2001) {
    strata_value v = strata_null();
    v.type = STRATA_DATE;
    v.as.real = seconds_since_2001;
    return v;
}
static inline strata_value strata_string(const char *utf8, size_t size) {
    strata_value v = strata_null();
    v.type = STRATA_STRING;
    v.as.bytes.data = utf8;
    v.as.bytes.size = size;
    return v;
}
static inline strata_value strata_data(const void *data, size_t size) {
    strata_value v = strata_null();
    v.type = STRATA_DATA;
    v.as.bytes.data = data;
    v.as.bytes.size = size;
    return v;
}
static inline strata_value strata_link(uint64_t key) {
    strata_value v = strata_null();
    v.type = key == 0 ? STRATA_NULL : STRATA_LINK;
    v.as.link = key;
    return v;
}

#ifdef __cplusplus
}
#endif
#endif
