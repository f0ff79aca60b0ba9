/* SPDX-License-Identifier: MIT
 *
 * link_check.h -- a link leads to an object that exists.
 */
#ifndef ST_WRITE_LINK_CHECK_H
#define ST_WRITE_LINK_CHECK_H

#include "catalog/catalog.h"
#include "table/view.h"

/** Fails with STRATA_MISUSE if a link of the value leads to no object. */
strata_status st_link_targets_check(strata_view *view, const st_table *table, const st_column *column,
                                    const strata_value *value, strata_error *error);

#endif
