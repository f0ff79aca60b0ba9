/* SPDX-License-Identifier: MIT
 *
 * collection_open.h -- the collection of a row, opened to be read or to be changed.
 */
#ifndef ST_WRITE_COLLECTION_OPEN_H
#define ST_WRITE_COLLECTION_OPEN_H

#include "collection/source.h"
#include "write/write_set.h"

/* ---- The one opened last ---------------------------------------------- */

/** The collection that was opened last: whoever goes from element to element opens it each time. Good while its row
 * stays in its place; the first change of a collection, which need not move the row, replaces it. */
struct st_recent {
    st_source source;      /* of a changed one, the count may be an earlier one */
    uint64_t epoch;        /* of the view; 0 = none */
    const uint8_t *block;
    uint32_t slot, column;
};
static inline bool st_is_recent(const strata_view *view, const strata_row *row, uint32_t column) {
    const struct st_recent *recent = view->caches.recent;
    return recent != NULL && strata_row_current(row) && recent->epoch == row->epoch && recent->block == row->block &&
           recent->slot == row->slot && recent->column == column;
}
/** Remembers the collection of a row that is ready. If there is no memory, it is opened anew the next time. */
void st_remember(strata_view *view, const strata_row *row, uint32_t column, const st_source *source);
static inline void st_forget_recent(strata_view *view) {
    if (view->caches.recent != NULL) view->caches.recent->epoch = 0;
}

/* ---- Opening ---------------------------------------------------------- */

/** The column, if it is a collection, of the given kind unless that is STRATA_SINGLE. Fails: STRATA_MISUSE. */
strata_status st_collection_column(const strata_row *row, uint32_t column, strata_collection kind,
                                   const st_column **out, strata_error *error);

/** Opens the collection of a row, which it makes ready; of that kind, or any if it is STRATA_SINGLE. STRATA_OK or
 * STRATA_NOT_FOUND. Fails: STRATA_MISUSE, ... */
strata_status st_source_open_kind(strata_row *row, uint32_t column, strata_collection kind, st_source *out,
                                  strata_error *error);
static inline strata_status st_source_open(strata_row *row, uint32_t column, st_source *out, strata_error *error) {
    return st_source_open_kind(row, column, STRATA_SINGLE, out, error);
}

/** The edit of a collection, begun if it is not there yet; `*out` is good until the next flush. */
strata_status st_edit_begin(strata_row *row, uint32_t column, st_edit **out, strata_error *error);

#endif
