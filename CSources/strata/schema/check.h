/* SPDX-License-Identifier: MIT
 *
 * check.h -- the rules that a schema must obey by itself.
 */
#ifndef ST_SCHEMA_CHECK_H
#define ST_SCHEMA_CHECK_H

#include "catalog/catalog.h"

/** Whether `name` can be the name of a `what`, "table" or "column", of `owner`. Fails: STRATA_INVALID_SCHEMA. */
strata_status st_schema_check_name(const char *what, const char *owner, const char *name, size_t limit,
                                   strata_error *error);

/** Whether a declaration obeys the rules. Fails: STRATA_INVALID_SCHEMA. */
strata_status st_schema_check(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                              strata_error *error);

#endif
