/* SPDX-License-Identifier: MIT
 *
 * commonest.h -- the commonest of any number of values, which are offered one after the other with their counts.
 *
 * Only as many are kept as are wanted. Of equally common ones the first that was offered stands first.
 */
#ifndef ST_QUERY_COMMONEST_H
#define ST_QUERY_COMMONEST_H

#include <stdbool.h>
#include <stdint.h>

#include "strata_facet.h"

typedef struct st_commonest {
    strata_facet_value *items; /* in order; their bytes are copies */
    uint32_t count, most;
} st_commonest;

/** False if there is no memory. */
bool st_commonest_begin(st_commonest *commonest, uint32_t most);
void st_commonest_free(st_commonest *commonest);
/** Forgets all that was offered. */
void st_commonest_clear(st_commonest *commonest);

/** Would a value with this count be kept? */
static inline bool st_commonest_wants(const st_commonest *c, uint64_t count) {
    return c->count < c->most || (c->most != 0 && count > c->items[c->count - 1].count);
}
/** Offers a value, whose bytes are copied if it is kept. False if there is no memory. */
bool st_commonest_offer(st_commonest *commonest, const strata_value *value, uint64_t count);

/** The bytes of a value that lie outside of it. */
static inline size_t st_commonest_size(const strata_value *value) {
    bool outside = value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED;
    return outside ? value->as.bytes.size : 0;
}

#endif
