/* SPDX-License-Identifier: MIT
 *
 * check.h -- the rules that a schema must obey by itself.
 */
#ifndef ST_SCHEMA_CHECK_H
#define ST_SCHEMA_CHECK_H

#include "catalog/catalog.h"

/** Does the declaration obey the rules? Fails: STRATA_INVALID_SCHEMA. */
strata_status st_schema_check(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                              strata_error *error);

#endif
