/* SPDX-License-Identifier: MIT
 *
 * mixed_links.h -- the links in a mixed value, which may be deep inside of a list or map.
 */
#ifndef ST_VALUE_MIXED_LINKS_H
#define ST_VALUE_MIXED_LINKS_H

#include "strata_mixed.h"

/** Called for one link. */
typedef strata_status (*st_mixed_visitor)(void *context, uint32_t table, uint64_t key, strata_error *error);
/** Visits all links of a value, each as often as it occurs, until one visit does not return STRATA_OK. */
strata_status st_mixed_links(const strata_value *value, st_mixed_visitor visit, void *context, strata_error *error);

/** How often the value links to an object. */
uint64_t st_mixed_count_links(const strata_value *value, uint32_t table, uint64_t key);

/**
 * The value without its links to an object: null for the link itself; inside of nested values elements leave their
 * lists, and values of maps become null. `builder` owns the bytes of a nested one.
 */
strata_status st_mixed_unlink(const strata_value *value, uint32_t table, uint64_t key, strata_nested *builder,
                              strata_value *out, strata_error *error);

#endif
