/* SPDX-License-Identifier: MIT
 * value_check.c -- whether a value fits a column. */
#include "write/value_check.h"

#include "base/status.h"
#include "base/utf8.h"
#include "value/mixed.h"

static strata_status check_mixed(const st_table *table, const st_column *column, const strata_value *value,
                                 strata_error *error) {
    const char *flaw = st_mixed_flaw(value, UINT32_MAX); /* where links lead is checked by link_check.c */
    if (flaw == NULL) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "%s.%s cannot hold a value that %s", table->name, column->name, flaw);
}

strata_status st_no_address(const st_table *table, const st_column *column, const char *what, strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "%s without an address for %s.%s", what, table->name, column->name);
}

strata_status st_value_check(const st_table *table, const st_column *column, const strata_value *value,
                             strata_error *error) {
    if (column->collection == STRATA_SINGLE || value == NULL) return st_element_check(table, column, value, error);
    if (value->type == STRATA_NULL) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "%s.%s is a %s; it is changed by the functions for collections", table->name,
                   column->name, st_collection_name(column->collection));
}

strata_status st_element_check(const st_table *table, const st_column *column, const strata_value *value,
                               strata_error *error) {
    if (value == NULL) return st_no_address(table, column, "a value", error);
    if (value->type == STRATA_NULL) {
        bool sequence = column->collection == STRATA_LIST || column->collection == STRATA_SET;
        if ((column->flags & STRATA_COLUMN_NULLABLE) != 0 || (column->type == STRATA_LINK && !sequence))
            return STRATA_OK;
        return st_fail(error, STRATA_TYPE, 0, "%s.%s is required and cannot be null", table->name, column->name);
    }
    if (value->type != column->type && column->type != STRATA_MIXED)
        return st_fail(error, STRATA_TYPE, 0, "%s.%s is of type %s and cannot hold a value of type %s", table->name,
                       column->name, st_type_name(column->type), st_type_name(value->type));
    bool mixed = column->type == STRATA_MIXED;
    if (value->type != STRATA_STRING && value->type != STRATA_DATA && value->type != STRATA_NESTED)
        return mixed ? check_mixed(table, column, value, error) : STRATA_OK;
    strata_bytes bytes = value->as.bytes;
    if (bytes.size > STRATA_MAX_VALUE)
        return st_fail(error, STRATA_TOO_LARGE, 0,
                       "a value of %zu bytes for %s.%s; the limit is %d bytes (16 MiB): split it, or keep it in a file",
                       bytes.size, table->name, column->name, STRATA_MAX_VALUE);
    if (bytes.size != 0 && bytes.data == NULL && strata_value_is_outside(value))
        return st_fail(error, STRATA_MISUSE, 0,
                       "a value for %s.%s is one whose bytes lie elsewhere (STRATA_OUTSIDE); read them with "
                       "strata_row_read() or strata_collection_read() first", table->name, column->name);
    if (bytes.size != 0 && bytes.data == NULL)
        return st_no_address(table, column, "bytes", error);
    if (mixed) return check_mixed(table, column, value, error);
    if (value->type == STRATA_STRING && !st_utf8_valid(bytes.data, bytes.size))
        return st_fail(error, STRATA_TYPE, 0, "a string for %s.%s is not valid UTF-8; store it as data", table->name,
                       column->name);
    return STRATA_OK;
}
