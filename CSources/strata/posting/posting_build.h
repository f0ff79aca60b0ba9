/* SPDX-License-Identifier: MIT
 *
 * posting_build.h -- a list of entries in memory, and how it is divided into posting blocks.
 */
#ifndef ST_POSTING_POSTING_BUILD_H
#define ST_POSTING_POSTING_BUILD_H

#include "posting/posting.h"

/** The entries of one value. Their keys are those of the list from the end of the run before up to `end`, excluded. */
typedef struct st_posting_run {
    const uint8_t *value; /* lent: it outlives the list */
    size_t size;
    size_t end;
} st_posting_run;

/** Entries in order. No two runs have the same value, and no run is empty. A list that is zero has no entries. */
typedef struct st_posting_list {
    st_posting_run *runs;
    uint64_t *keys;
    size_t run_count, run_capacity;
    size_t key_count, key_capacity;
} st_posting_list;

void st_posting_list_free(st_posting_list *list);

/** Makes room for more runs and keys. False if there is no memory. */
bool st_posting_list_reserve(st_posting_list *list, size_t runs, size_t keys);

/** Appends an entry that is not less than the last one. There must be room for it. */
static inline void st_posting_list_add(st_posting_list *list, strata_bytes value, uint64_t key) {
    st_posting_run *run = list->runs + list->run_count;
    list->keys[list->key_count++] = key;
    if (list->run_count == 0 || run[-1].size != value.size ||
        (run[-1].value != value.data && memcmp(run[-1].value, value.data, value.size) != 0)) {
        *run++ = (st_posting_run){ value.data, value.size, 0 };
        list->run_count++;
    }
    run[-1].end = list->key_count;
}

/** A position between two entries: `key` entries are before it, and `run` is the run of the entry after it. */
typedef struct st_posting_position {
    size_t run, key;
} st_posting_position;

/**
 * The end of the largest block of at most `limit` bytes that begins at `from`, which is not the end of the list. The
 * block has at least one entry, whatever the limit. Its size is SIZE_MAX if there are too many copies of that entry.
 */
st_posting_position st_posting_fit(const st_posting_list *list, st_posting_position from, size_t limit,
                                   size_t *out_size);

/** The size of one block with the entries between two positions; SIZE_MAX if no block can hold them. */
size_t st_posting_size(const st_posting_list *list, st_posting_position from, st_posting_position to);

/** Writes the entries between two positions as one block of st_posting_size() bytes. */
void st_posting_write(const st_posting_list *list, st_posting_position from, st_posting_position to, uint8_t *out);

/** Writes object keys as a block has them: less `first`, in `width` bytes each. */
void st_posting_put_keys(uint8_t *out, const uint64_t *keys, size_t count, uint64_t first, uint32_t width);

/** Removes the entries before a position. */
void st_posting_list_drop(st_posting_list *list, st_posting_position before);

#endif
