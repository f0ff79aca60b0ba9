/* SPDX-License-Identifier: MIT
 *
 * collection.h -- what all kinds of collections have in common.
 */
#ifndef ST_OBJECT_COLLECTION_H
#define ST_OBJECT_COLLECTION_H

#include "catalog/catalog.h"

/** Fails with STRATA_RANGE unless `count` elements from `position` on are among `size`. */
strata_status st_collection_in_range(const strata_row *row, const st_column *column, uint64_t position, uint64_t count,
                                     uint64_t size, strata_error *error);

#endif
