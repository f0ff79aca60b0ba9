/* SPDX-License-Identifier: MIT
 *
 * edit.h -- a collection that is being changed.
 *
 * The chunks of the collection are in memory in their order, few of them loaded. A position is found by the sums of the
 * counts of chunks, a binary indexed tree, unless it is close to the one before.
 *
 * Invariant: `count` is the sum of the chunks' counts, and no chunk is empty, except while a change is under way.
 *
 * Lifetime: an edit belongs to the pending row of its object, until its collection is stored. Bytes of its elements are
 * in an arena of the write set.
 */
#ifndef ST_COLLECTION_EDIT_H
#define ST_COLLECTION_EDIT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "collection/chunk.h"

enum { ST_LONGEST_CHUNK = 1536 /* elements: a longer one is split, so that inserting into it stays cheap */ };

typedef struct st_edit {
    struct st_edit *next; /* the other edits of the row */
    uint32_t column;
    uint64_t count;
    uint64_t identity;  /* of a long collection; 0: it is stored in the cell, or not at all */
    uint32_t next_block;
    st_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    st_loaded_chunk *loaded; /* all that were ever made: they are freed with the edit */
    uint32_t *removed;  /* blocks to delete */
    size_t removed_count, removed_capacity;
    size_t hint;        /* the chunk that was looked for last */
    uint64_t hint_start; /* the position of its first element */
    uint64_t *sums;     /* of counts of chunks; good while `sums_count` is `chunk_count` */
    size_t sums_count, sums_capacity;
    st_arena *bytes;    /* where bytes of elements are copied to */
    size_t *memory;     /* counts the bytes of the edit outside of `bytes` */
} st_edit;

/** An edit of an empty collection, in a column of that number. NULL if there is no memory. */
st_edit *st_edit_make(uint32_t column, st_arena *bytes, size_t *memory);
/** Frees an edit and those behind it. */
void st_edits_free(st_edit *edits);
/** The edit of a collection among those of its row, or NULL if it was not changed. */
st_edit *st_edit_find(st_edit *edits, uint32_t column);

/** The chunk with the element at `position`, or the last chunk for the end of the collection. `*start` is the position
 * of its first element. */
size_t st_edit_locate(st_edit *edit, uint64_t position, uint64_t *start);
/** The position of the first element of a chunk. */
uint64_t st_edit_start(st_edit *edit, size_t at);
/** Tells the edit that the count of a chunk was changed by `change`. */
void st_edit_resized(st_edit *edit, size_t at, int64_t change);

/** Puts an empty chunk before the one at `at`, loaded. NULL if there is no memory. Moves the others. */
st_chunk *st_edit_insert(st_edit *edit, size_t at);
/** Removes a chunk; its block is deleted when the collection is stored. False if there is no memory. */
bool st_edit_remove(st_edit *edit, size_t at);
/** Splits a loaded chunk that has grown long. False if there is no memory. */
bool st_edit_split(const st_column *column, st_edit *edit, size_t at);
/** Memory for the elements of a chunk, with no room yet. NULL if there is none. */
st_loaded_chunk *st_edit_add_loaded(st_edit *edit);

#endif
