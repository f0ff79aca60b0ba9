/* SPDX-License-Identifier: MIT
 *
 * strata_cursor.h -- cursors: walks over objects, ranges of indexes and backlinks.
 *
 * A cursor walks objects in order. Changes made while it is open do not disturb it: objects created after it
 * was opened are not visited, deleted ones are skipped, and one whose indexed value or whose link changes keeps its
 * place in the walk. So that it can, a cursor over an index or backlinks keeps the keys of what is left, 8 bytes each,
 * once the index changes or its view moves on. If the write in which a cursor was opened is cancelled, a walk over a
 * table may still come to objects that this write had deleted, which are there again.
 * Ownership: the caller closes a cursor, before its view.
 */
#ifndef STRATA_CURSOR_H
#define STRATA_CURSOR_H

#include "strata_value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strata_cursor strata_cursor;

/** All objects of a table in the order of their keys, or the reverse. */
STRATA_CHECKED strata_status strata_scan(strata_view *view, uint32_t table, bool backward, strata_cursor **out,
                                         strata_error *error);

/** A range of an index. NULL means no bound. Nulls come before every value. */
typedef struct strata_range {
    const strata_value *low;
    const strata_value *high;
    bool low_open;  /**< `low` itself is not in the range */
    bool high_open; /**< `high` itself is not in the range */
} strata_range;

/** The objects whose indexed column is in a range, in the order of value and key, or the reverse; strings of more than
 * 64 bytes that agree in the first 64 come in no particular order among each other. */
STRATA_CHECKED strata_status strata_index_scan(strata_view *view, uint32_t table, uint32_t column,
                                               const strata_range *range, bool backward, strata_cursor **out,
                                               strata_error *error);

/** The objects that link to an object through one column of one table, in the order of their keys; each as often
 * as it links. */
STRATA_CHECKED strata_status strata_backlinks(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                                              uint32_t origin_column, strata_cursor **out, strata_error *error);
/** How many links there are, without visiting them. */
STRATA_CHECKED strata_status strata_backlinks_count(strata_view *view, uint32_t table, uint64_t key,
                                                    uint32_t origin_table, uint32_t origin_column, uint64_t *out,
                                                    strata_error *error);

/** The next object, ready to read. Returns STRATA_OK or STRATA_END. */
STRATA_CHECKED strata_status strata_cursor_next(strata_cursor *cursor, strata_row *row, strata_error *error);
/**
 * The next objects in one call, ready to read: `*out_count` of them, at least one and at most `capacity`, which is not
 * 0.
 *
 * Returns STRATA_OK or STRATA_END. Fails as strata_cursor_next() does, without the objects in front of what failed.
 */
STRATA_CHECKED strata_status strata_cursor_next_rows(strata_cursor *cursor, strata_row *rows, size_t capacity,
                                                     size_t *out_count, strata_error *error);
void strata_cursor_close(strata_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
