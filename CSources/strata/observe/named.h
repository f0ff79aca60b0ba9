/* SPDX-License-Identifier: MIT
 *
 * named.h -- what is found by bytes that stand for it.
 *
 * Whatever is to be found has a st_named in it, whose bytes belong to it too and do not change while it is in a table.
 */
#ifndef ST_OBSERVE_NAMED_H
#define ST_OBSERVE_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct st_named {
    struct st_named *next; /* of those with the same slot */
    const uint8_t *bytes;
    size_t size;
    uint64_t hash;
} st_named;

/** Empty when it is zero. Freed with st_names_free(), which frees nothing that is in it. */
typedef struct st_names {
    st_named **slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
} st_names;

/** NULL if there is none with these bytes. */
st_named *st_names_find(const st_names *names, const void *bytes, size_t size);
/** Adds something whose bytes no other has. False if there is no memory. */
bool st_names_add(st_names *names, st_named *named);
/** Removes what is there. */
void st_names_remove(st_names *names, st_named *named);
void st_names_free(st_names *names);

#endif
