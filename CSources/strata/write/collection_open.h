/* SPDX-License-Identifier: MIT
 *
 * collection_open.h -- opening the collection of a row, to read or to change it.
 *
 * Who goes from element to element opens the collection each time: the view remembers the one opened last.
 */
#ifndef ST_WRITE_COLLECTION_OPEN_H
#define ST_WRITE_COLLECTION_OPEN_H

#include "collection/source.h"
#include "write/write_set.h"

/* ---- The one opened last ---------------------------------------------- */

/** The collection that was opened last. It is good while its row does not move; the first change of a collection, which
 * need not move the row, makes the view forget it. */
struct st_recent {
    st_source source;      /* if it has an edit, the count may be an old one */
    uint64_t epoch;        /* of the row; 0 = none */
    const uint8_t *block;
    uint32_t slot, column;
};
/** Whether the collection of a row is the one opened last. */
static inline bool st_is_recent(const strata_view *view, const strata_row *row, uint32_t column) {
    const struct st_recent *recent = view->caches.recent;
    return recent != NULL && st_row_current(row) && recent->epoch == row->epoch && recent->block == row->block &&
           recent->slot == row->slot && recent->column == column;
}
/** Remembers the collection of a row that is ready. Does nothing if there is no memory. */
void st_recent_remember(strata_view *view, const strata_row *row, uint32_t column, const st_source *source);
static inline void st_recent_forget(strata_view *view) {
    if (view->caches.recent != NULL) view->caches.recent->epoch = 0;
}

/* ---- Opening ---------------------------------------------------------- */

/** The column of that number, if it is a collection of that kind, or of any kind if that is STRATA_SINGLE. Fails:
 * STRATA_MISUSE. */
strata_status st_collection_column(const strata_row *row, uint32_t column, strata_collection kind,
                                   const st_column **out, strata_error *error);

/** Makes a row ready and opens its collection to read it; `kind` is as above. STRATA_OK, or STRATA_NOT_FOUND if the
 * object is gone. Fails: STRATA_MISUSE, STRATA_CORRUPT, ... */
strata_status st_source_open_kind(strata_row *row, uint32_t column, strata_collection kind, st_source *out,
                                  strata_error *error);
static inline strata_status st_source_open(strata_row *row, uint32_t column, st_source *out, strata_error *error) {
    return st_source_open_kind(row, column, STRATA_SINGLE, out, error);
}

/** Makes a row pending and opens its collection to change it. Lifetime of `*out`: until the next flush. STRATA_OK, or
 * STRATA_NOT_FOUND if the object is gone. */
strata_status st_edit_begin(strata_row *row, uint32_t column, st_edit **out, strata_error *error);

#endif
