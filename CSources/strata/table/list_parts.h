/* SPDX-License-Identifier: MIT
 *
 * list_parts.h -- the parts of a list that is being changed; for the files named list_ only.
 *
 * Invariant: `count` is the sum of the parts' counts, and no part is empty, except while a change is under way.
 */
#ifndef ST_TABLE_LIST_PARTS_H
#define ST_TABLE_LIST_PARTS_H

#include "table/list_edit.h"

typedef struct st_part {
    uint32_t block;    /* where it is stored; 0 = nowhere */
    uint32_t count;
    uint32_t capacity;
    bool changed;
    uint64_t *elements; /* NULL: not loaded */
} st_part;

struct st_list_edit {
    st_list_edit *next;
    uint32_t column;
    uint64_t count;
    uint64_t identity;  /* of a long list; 0 = stored in the cell, or not at all */
    uint32_t next_block;
    st_part *parts;
    size_t part_count, part_capacity;
    uint32_t *removed;  /* blocks to delete */
    size_t removed_count, removed_capacity;
    size_t hint;        /* a part, and the position of its first element */
    uint64_t hint_start;
};

/** Puts an empty part before the one at `at`. NULL if there is no memory. Moves the others. */
st_part *st_list_part_insert(st_list_edit *edit, size_t at);
/** Takes a part out; its block is deleted when the list is stored. False if there is no memory. */
bool st_list_part_remove(st_list_edit *edit, size_t at);
/** Makes room for `count` elements in all. False if there is no memory. */
bool st_list_part_reserve(st_part *p, size_t count);
/** Loads the elements of a part. */
strata_status st_list_part_load(strata_view *view, st_list_edit *edit, st_part *p, strata_error *error);

/** The part with the element at `position`, or the last part for the end of the list. */
size_t st_list_locate(st_list_edit *edit, uint64_t position, uint64_t *start);

/** The edit of a list, or NULL if it was not changed. */
st_list_edit *st_list_edit_find(const st_pending *pending, uint32_t column);
/** The edit of a list, begun if it is not there yet; `*out` is good until the next flush. */
strata_status st_list_edit_begin(strata_row *row, uint32_t column, st_list_edit **out, strata_error *error);
/** Copies elements of a changed list; they must exist. */
strata_status st_list_edit_copy(strata_view *view, st_list_edit *edit, uint64_t position, uint64_t count, uint64_t *out,
                                strata_error *error);

/** The column, if it is a list. Fails: STRATA_MISUSE. */
strata_status st_list_column(const strata_row *row, uint32_t column, const st_column **out, strata_error *error);
strata_status st_list_out_of_range(const strata_row *row, const st_column *column, uint64_t position, uint64_t count,
                                   strata_error *error);

#endif
