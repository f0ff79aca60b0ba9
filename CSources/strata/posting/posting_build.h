/* SPDX-License-Identifier: MIT
 *
 * posting_build.h -- runs of entries in memory, and how they are cut into posting blocks.
 */
#ifndef ST_POSTING_POSTING_BUILD_H
#define ST_POSTING_POSTING_BUILD_H

#include "posting/posting.h"

/** Entries of one value: the keys from the end of the run before it up to `end`. */
typedef struct st_posting_run {
    const uint8_t *value; /* belongs to whoever made the run */
    size_t size;
    size_t end;
} st_posting_run;

/** Entries in order. Zero-initialised it is empty. No two runs have the same value, and no run is empty. */
typedef struct st_posting_list {
    st_posting_run *runs;
    uint64_t *keys;
    size_t run_count, run_capacity;
    size_t key_count, key_capacity;
} st_posting_list;

void st_posting_list_free(st_posting_list *list);

/** Makes room for further runs and keys. False if there is no memory. */
bool st_posting_list_reserve(st_posting_list *list, size_t runs, size_t keys);

/** Appends an entry that is not less than the last. The room for it has been made. */
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

/** A position between two entries: `key` entries lie before it, and `run` is the run of the one behind it. */
typedef struct st_posting_position {
    size_t run, key;
} st_posting_position;

/**
 * How far a block of at most `limit` bytes reaches that begins at `from`, which is not the end of the list. It has
 * at least one entry, whatever the limit. The size is SIZE_MAX if there are too many copies of that entry.
 */
st_posting_position st_posting_fit(const st_posting_list *list, st_posting_position from, size_t limit, size_t *out_size);

/** Bytes that the entries between two positions take as one block; SIZE_MAX if no block can hold them. */
size_t st_posting_size(const st_posting_list *list, st_posting_position from, st_posting_position to);

/** Writes the entries between two positions as one block of st_posting_size() bytes. */
void st_posting_write(const st_posting_list *list, st_posting_position from, st_posting_position to, uint8_t *out);

/** Drops the entries before a position. */
void st_posting_list_drop(st_posting_list *list, st_posting_position before);

#endif
