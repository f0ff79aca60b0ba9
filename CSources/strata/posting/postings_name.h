/* SPDX-License-Identifier: MIT
 * postings_name.h -- the keys that posting blocks stand under; see posting.h. */
#ifndef ST_POSTING_POSTINGS_NAME_H
#define ST_POSTING_POSTINGS_NAME_H

#include "base/bits.h"
#include "value/key_bytes.h"

enum { ST_POSTINGS_ID = 4, ST_POSTINGS_NAME = ST_POSTINGS_ID + ST_MAX_KEY + ST_KEY_SIZE + 3 };

/** A key of a tree. */
typedef struct st_postings_name {
    size_t size;
    uint8_t bytes[ST_POSTINGS_NAME];
} st_postings_name;

static inline strata_bytes st_postings_name_bytes(const st_postings_name *name) {
    return (strata_bytes){ name->bytes, name->size };
}

/** The name of the last block of the set, which is open-ended. */
static inline void st_postings_name_open(st_postings_name *name, uint32_t id) {
    st_store_big32(name->bytes, id + 1);
    name->size = ST_POSTINGS_ID;
}

/** A key that is not greater than the name of any block of the set, and greater than that of the set before. */
static inline void st_postings_name_least(st_postings_name *name, uint32_t id) {
    st_store_big32(name->bytes, id);
    memset(name->bytes + ST_POSTINGS_ID, 0, 2);
    name->size = ST_POSTINGS_ID + 2;
}

/** The name of a block whose last entry is (value, key). */
static inline void st_postings_name_of(st_postings_name *name, uint32_t id, strata_bytes value, uint64_t key) {
    size_t size = value.size < ST_MAX_KEY ? value.size : ST_MAX_KEY;
    uint8_t *p = name->bytes;
    st_store_big32(p, id);
    memcpy(p + ST_POSTINGS_ID, value.data, size);
    size += ST_POSTINGS_ID;
    st_store_key(p + size, key < ST_KEY_MAX ? key : ST_KEY_MAX);
    size += ST_KEY_SIZE;
    if (size % 2 != 0) p[size++] = 0;
    name->size = size;
}

/** A key that blocks whose last entry is less than (value, key) stand before, and others not. */
static inline void st_postings_name_bound(st_postings_name *name, uint32_t id, strata_bytes value, uint64_t key) {
    if (value.data == NULL) {
        st_postings_name_least(name, id);
        return;
    }
    st_postings_name_of(name, id, value, key);
    if (key == 0) { /* bytes that begin a value stand before all that follow them there */
        name->size = ST_POSTINGS_ID + (value.size < ST_MAX_KEY ? value.size : ST_MAX_KEY);
        if (name->size % 2 != 0) name->size++; /* a byte of the key: zero */
    }
}

/** Makes a name the least key that is greater and can be a name. */
static inline void st_postings_name_after(st_postings_name *name) {
    memset(name->bytes + name->size, 0, 2);
    name->size += 2;
}

static inline bool st_postings_name_is_open(strata_bytes name, uint32_t id) {
    return name.size == ST_POSTINGS_ID && __builtin_bswap32(strata_load32(name.data)) == id + 1;
}

/** True if a key found in the tree is the name of a block of this set. */
static inline bool st_postings_name_in_set(strata_bytes name, uint32_t id) {
    if (name.size < ST_POSTINGS_ID) return false;
    uint32_t found = __builtin_bswap32(strata_load32(name.data));
    return name.size == ST_POSTINGS_ID ? found == id + 1 : found == id;
}

#endif
