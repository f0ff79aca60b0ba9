/* SPDX-License-Identifier: MIT
 *
 * link_check.h -- whether links lead to objects that exist.
 */
#ifndef ST_WRITE_LINK_CHECK_H
#define ST_WRITE_LINK_CHECK_H

#include "catalog/catalog.h"
#include "table/view.h"

/** Checks the links of a value for a column. Fails with STRATA_MISUSE if one leads to no object. */
strata_status st_link_targets_check(strata_view *view, const st_table *table, const st_column *column,
                                    const strata_value *value, strata_error *error);

#endif
