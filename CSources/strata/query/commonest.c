/* SPDX-License-Identifier: MIT
 * commonest.c -- the commonest of any number of values. */
#include "query/commonest.h"

#include <stdlib.h>
#include <string.h>

bool st_commonest_begin(st_commonest *c, uint32_t most) {
    *c = (st_commonest){ .items = calloc(most == 0 ? 1 : most, sizeof *c->items), .most = most };
    return c->items != NULL;
}

static void free_bytes(strata_facet_value *item) {
    if (st_commonest_size(&item->value) != 0) free((void *)item->value.as.bytes.data);
}

void st_commonest_clear(st_commonest *c) {
    for (uint32_t i = 0; i < c->count; i++) free_bytes(&c->items[i]);
    c->count = 0;
}

void st_commonest_free(st_commonest *c) {
    st_commonest_clear(c);
    free(c->items);
    *c = (st_commonest){ NULL, 0, 0 };
}

bool st_commonest_offer(st_commonest *c, const strata_value *value, uint64_t count) {
    if (!st_commonest_wants(c, count)) return true;
    strata_facet_value item = { *value, count };
    size_t size = st_commonest_size(value);
    if (size != 0) {
        uint8_t *copy = malloc(size);
        if (copy == NULL) return false;
        memcpy(copy, value->as.bytes.data, size);
        item.value.as.bytes.data = copy;
    }
    uint32_t at = c->count;
    if (c->count == c->most) free_bytes(&c->items[--at]);
    else c->count++;
    for (; at > 0 && c->items[at - 1].count < count; at--) c->items[at] = c->items[at - 1];
    c->items[at] = item;
    return true;
}
