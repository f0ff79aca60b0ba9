/* SPDX-License-Identifier: MIT
 *
 * value_check.h -- whether a value fits a column.
 */
#ifndef ST_WRITE_VALUE_CHECK_H
#define ST_WRITE_VALUE_CHECK_H

#include "catalog/catalog.h"

/** Fails with STRATA_MISUSE: NULL was given instead of `what`. */
strata_status st_no_address(const st_table *table, const st_column *column, const char *what, strata_error *error);
/** Checks a value, which may be missing, for a cell of the column. Fails with STRATA_TYPE, STRATA_TOO_LARGE or
 * STRATA_MISUSE, naming both. */
strata_status st_value_check(const st_table *table, const st_column *column, const strata_value *value,
                             strata_error *error);
/** Checks a value for an element, if the column is a collection. */
strata_status st_element_check(const st_table *table, const st_column *column, const strata_value *value,
                               strata_error *error);

#endif
