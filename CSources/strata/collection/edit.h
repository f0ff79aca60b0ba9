/* SPDX-License-Identifier: MIT
 *
 * edit.h -- the parts of a collection that is being changed; for the files named collection_ only.
 *
 * Invariant: `count` is the sum of the parts' counts, and no part is empty, except while a change is under way.
 */
#ifndef ST_COLLECTION_EDIT_H
#define ST_COLLECTION_EDIT_H

#include "write/collection_edit.h"

/* A part this long is cut in two, to keep inserting into it cheap; blocks are cut further when stored. */
enum { ST_LONGEST_PART = 1536 };

/* The elements of a part, in memory. */
typedef struct st_loaded {
    struct st_loaded *next;  /* of those of the edit */
    uint32_t capacity;
    bool changed;
    uint8_t *values[2];      /* the columns, each element of st_element_width() */
} st_loaded;

/* A collection may have many parts of which few are looked at. */
typedef struct st_part {
    uint32_t block;          /* where it is stored; 0 = nowhere */
    uint32_t count;
    st_loaded *loaded;       /* NULL: it is as stored */
    const uint8_t *data;     /* then its block, if it was looked at, */
    uint64_t epoch;          /* in this tree epoch */
} st_part;

struct st_edit {
    st_edit *next;
    uint32_t column;
    uint64_t count;
    uint64_t identity;  /* of a long collection; 0 = stored in the cell, or not at all */
    uint32_t next_block;
    st_part *parts;
    size_t part_count, part_capacity;
    st_loaded *loaded;  /* all there ever were, until the edit ends */
    uint32_t *removed;  /* blocks to delete */
    size_t removed_count, removed_capacity;
    size_t hint;        /* a part, and the position of its first element */
    uint64_t hint_start;
    uint64_t *sums;     /* a binary indexed tree over the counts of parts; good while `sums_count` is `part_count` */
    size_t sums_count, sums_capacity;
};

/** Bytes of an element in a loaded part: numbers that are never null take no more than they need. */
static inline size_t st_element_width(const st_column *column, uint32_t part_column) {
    return st_element_is_number(column, part_column) ? sizeof(uint64_t) : sizeof(strata_value);
}
/** Reads and writes elements of a loaded part. */
void st_part_get(const st_column *column, const st_part *part, uint32_t part_column, uint32_t slot, uint32_t count,
                 strata_value *out);
void st_part_put(const st_column *column, const st_part *part, uint32_t part_column, uint32_t slot, uint32_t count,
                 const strata_value *values);

/** Puts an empty part before the one at `at`, loaded. NULL if there is no memory. Moves the others. */
st_part *st_part_insert(st_edit *edit, size_t at);
/** Takes a part out; its block is deleted when the collection is stored. False if there is no memory. */
bool st_part_remove(st_edit *edit, size_t at);
/** Makes room for `count` elements in all. False if there is no memory. */
bool st_part_reserve(strata_view *view, const st_column *column, const st_part *part, size_t count);
/** After the count of a part was changed by `change`. */
void st_part_resized(st_edit *edit, size_t at, int64_t change);
/** Loads the elements of a part, so that they can be changed. */
strata_status st_part_load(strata_view *view, const st_column *column, st_edit *edit, st_part *part,
                           strata_error *error);
/** Reads elements of a part, loaded or not. */
strata_status st_part_values(strata_view *view, const st_column *column, const st_edit *edit, st_part *part,
                             uint32_t part_column, uint32_t slot, uint32_t count, strata_value *out,
                             strata_error *error);
/** Cuts a part that has grown long into two. */
bool st_part_cut(strata_view *view, const st_column *column, st_edit *edit, size_t at);

/** The part with the element at `position`, or the last part for the end of the collection. */
size_t st_edit_locate(st_edit *edit, uint64_t position, uint64_t *start);
/** The position of the first element of a part. */
uint64_t st_edit_start(st_edit *edit, size_t at);

/** The edit of a collection among those of its row, or NULL if it was not changed. */
st_edit *st_edit_find(st_edit *edits, uint32_t column);
/** The edit of a collection, begun if it is not there yet; `*out` is good until the next flush. */
strata_status st_edit_begin(strata_row *row, uint32_t column, st_edit **out, strata_error *error);

#endif
