/* SPDX-License-Identifier: MIT
 *
 * type_name.h -- what types and collections are called in messages.
 */
#ifndef ST_CATALOG_TYPE_NAME_H
#define ST_CATALOG_TYPE_NAME_H

#include "strata.h"

/** "int", "object id", ... */
const char *st_type_name(strata_type type);
/** "list", "set", "map", or "single value". */
const char *st_collection_name(strata_collection collection);

/** "a" or "an", whichever stands before the name of a type. */
const char *st_article(const char *name);

#endif
