/* SPDX-License-Identifier: MIT
 *
 * key_bits.h -- object keys in ascending order, a bit for each, found by their rank and the other way round.
 *
 * The bits stand in pages, which are made when a key of theirs is added first; where a page begins is the sum of the
 * counts before it. That takes least where keys lie close together, as those of most tables do.
 */
#ifndef ST_BASE_KEY_BITS_H
#define ST_BASE_KEY_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ST_KEY_BITS_PAGE = 4096 /* keys */ };

/** Empty when it is zero. Freed with st_key_bits_free(). */
typedef struct st_key_bits {
    uint64_t **pages; /* by key / ST_KEY_BITS_PAGE, or NULL */
    uint32_t *counts; /* keys of each page, side by side, because they are added up again and again */
    size_t page_count;
    uint64_t count;
    size_t memory;    /* bytes */
} st_key_bits;

/** Fills empty bits. False if there is no memory, or the keys do not ascend. */
bool st_key_bits_fill(st_key_bits *bits, const uint64_t *keys, size_t count);
void st_key_bits_free(st_key_bits *bits);
/** Adds a key that is not there. False if there is no memory. */
bool st_key_bits_add(st_key_bits *bits, uint64_t key);
/** Removes a key that is there. */
void st_key_bits_remove(st_key_bits *bits, uint64_t key);
bool st_key_bits_has(const st_key_bits *bits, uint64_t key);
/** How many keys are below one, which need not be there. */
uint64_t st_key_bits_rank(const st_key_bits *bits, uint64_t key);
/** The key with a rank that exists. */
uint64_t st_key_bits_key(const st_key_bits *bits, uint64_t rank);
/** Copies so many keys, ascending, from a rank on. They must exist. */
void st_key_bits_copy(const st_key_bits *bits, uint64_t rank, uint64_t count, uint64_t *out);

#endif
