/* SPDX-License-Identifier: MIT
 *
 * value_check.h -- whether a value fits a column.
 */
#ifndef ST_WRITE_VALUE_CHECK_H
#define ST_WRITE_VALUE_CHECK_H

#include "catalog/catalog.h"

/** Does `value` fit the column? Fails with STRATA_TYPE or STRATA_TOO_LARGE, naming both. */
strata_status st_value_check(const st_table *table, const st_column *column, const strata_value *value,
                             strata_error *error);
/** The same for an element, or a value of a map, if the column is a collection. */
strata_status st_element_check(const st_table *table, const st_column *column, const strata_value *value,
                               strata_error *error);

#endif
