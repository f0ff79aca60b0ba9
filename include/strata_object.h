/* SPDX-License-Identifier: MIT
 *
 * strata_object.h -- objects, and the cells of their rows.
 *
 * An object is a row of a table, named by its object key: a number from 1 to 2^48 - 2, handed out in order and
 * never again. Every change needs a write transaction and fails with STRATA_NOT_WRITING without one.
 *
 * An object of an embedded table (STRATA_TABLE_EMBEDDED) is a part of the one that links to it, its owner. It is
 * created as any other, and then linked to. That there is one owner, the program sees to: it is checked when a table
 * becomes embedded, and at no other time. strata_object_remove() deletes it with its owner, and takes it away from
 * others that link to it; strata_object_delete() of the owner, and another value in place of the link, leave it in its
 * table.
 */
#ifndef STRATA_OBJECT_H
#define STRATA_OBJECT_H

#include "strata_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates an object. `values` are for the columns 0 to `count` - 1; missing ones and collections, for which
 * the value must be null, start as null, zero or empty.
 *
 * Returns in `*out_key` the new key. On STRATA_DUPLICATE it is the key of the object with that primary key.
 * Bytes among the values may be lent by this view. After a failure the write goes on as if nothing had been tried,
 * or, if that cannot be, accepts nothing but strata_view_cancel(); so it is with every change.
 * Fails: STRATA_TYPE, STRATA_TOO_LARGE, STRATA_DUPLICATE, STRATA_MISUSE (also a link to an object that is not there),
 *   STRATA_NO_MEMORY and what writing to the file fails with.
 */
STRATA_CHECKED strata_status strata_object_create(strata_view *view, uint32_t table, const strata_value *values,
                                                  uint32_t count, uint64_t *out_key, strata_error *error);

/** Finds an object by its primary key. Returns STRATA_OK or STRATA_NOT_FOUND. Fails: STRATA_MISUSE, STRATA_TYPE. */
STRATA_CHECKED strata_status strata_object_find(strata_view *view, uint32_t table, const strata_value *primary,
                                                uint64_t *out_key, strata_error *error);

/**
 * Deletes an object.
 *
 * Returns STRATA_NOT_FOUND if there is none. Fails: STRATA_REFERENCED while another object links to it (links
 *   from itself do not count); see strata_object_unlink().
 */
STRATA_CHECKED strata_status strata_object_delete(strata_view *view, uint32_t table, uint64_t key, strata_error *error);

/** Removes every link to the object: to-one links, mixed values and values of maps become null, entries leave lists and
 * sets; the same inside of the lists and maps in mixed columns. */
STRATA_CHECKED strata_status strata_object_unlink(strata_view *view, uint32_t table, uint64_t key, strata_error *error);

/**
 * Deletes an object with what belongs to it: every link to it, as strata_object_unlink() does, and the embedded objects
 * in it.
 *
 * Returns STRATA_NOT_FOUND if there is none. Fails: STRATA_NO_MEMORY; STRATA_INTERRUPTED, by the interrupt of the view
 *   (strata_query.h), after which the write can only be cancelled if it had begun; and as strata_object_delete() does.
 */
STRATA_CHECKED strata_status strata_object_remove(strata_view *view, uint32_t table, uint64_t key,
                                                  strata_error *error);

/**
 * Deletes all objects of some tables.
 *
 * Fails: STRATA_REFERENCED if an object of another table links to one of them; nothing is then deleted.
 */
STRATA_CHECKED strata_status strata_tables_clear(strata_view *view, const uint32_t *tables, uint32_t count,
                                                 strata_error *error);

/** How many objects a table has. In a write, changes that are pending are counted too. */
STRATA_CHECKED strata_status strata_table_size(strata_view *view, uint32_t table, uint64_t *out, strata_error *error);

/** Points `row` to an object, and makes it ready to read. Returns STRATA_OK, or STRATA_NOT_FOUND: then `row` is bound
 * all the same, and gone. */
STRATA_CHECKED strata_status strata_row_bind(strata_view *view, uint32_t table, uint64_t key, strata_row *row,
                                             strata_error *error);

/**
 * Points many rows to objects in one call, as a walk through keys in no order needs it: what is in no cache is fetched
 * for many rows at the same time. Some dozens at a time are enough.
 *
 * `rows[i]` is bound to the object `keys[i]`, ready to read, or gone: its block is then NULL. If the call fails, what
 * `rows` holds is undefined. Fails: STRATA_MISUSE, STRATA_CORRUPT, STRATA_WRONG_THREAD, STRATA_CLOSED.
 */
STRATA_CHECKED strata_status strata_rows_bind(strata_view *view, uint32_t table, const uint64_t *keys, size_t count,
                                              strata_row *rows, strata_error *error);

/**
 * Copies up to `size` bytes of a string or data cell, from `offset` on, into `buffer`.
 *
 * Of a mixed cell these are the bytes that strata_row_get() lends or reports: those of its string or data, or all of a
 * list or map for strata_nested_open(); other values have none. `*out_size` is how many were copied. The row must be
 * ready. Fails: STRATA_CORRUPT, STRATA_IO.
 */
STRATA_CHECKED strata_status strata_row_read(const strata_row *row, uint32_t column, size_t offset, void *buffer,
                                             size_t size, size_t *out_size, strata_error *error);

/** Reads any single cell; of a mixed column, `out->type` is the type of the value. Bytes that are stored outside of the
 * row are not lent but reported: see strata_value_is_outside() and strata_row_read(). The row must be ready.
 * Fails: STRATA_MISUSE (a collection), STRATA_CORRUPT. */
STRATA_CHECKED strata_status strata_row_get(const strata_row *row, uint32_t column, strata_value *out,
                                            strata_error *error);

/**
 * Changes one cell. A mixed column takes a value of any type, null included; lists and maps in it come from
 * strata_mixed.h, and every link in the value, also inside of those, must lead to an object, but not to an embedded
 * one. Collections have functions of their own; a primary key never changes. The row may have moved: it is to be made
 * ready again before it is read.
 *
 * Fails: STRATA_NOT_FOUND (as an answer: the object is gone), STRATA_TYPE, STRATA_TOO_LARGE, STRATA_MISUSE,
 *   STRATA_NOT_WRITING, STRATA_WRONG_THREAD and what writing to the file fails with.
 */
STRATA_CHECKED strata_status strata_row_set(strata_row *row, uint32_t column, const strata_value *value,
                                            strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
