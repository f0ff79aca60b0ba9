/* SPDX-License-Identifier: MIT
 *
 * cursor.h -- walking objects in the order of their keys, or of an index.
 *
 * There are two kinds: table scans, in the order of keys, and index scans. Table scans remember the object that was
 * returned last, and not only where it is stored, so that they can go on after a flush has moved the blocks. Index
 * scans keep the keys of what they have not returned before the index changes: see index_scan.h. Neither returns
 * objects that were created after the cursor was opened.
 */
#ifndef ST_OBJECT_CURSOR_H
#define ST_OBJECT_CURSOR_H

#include "table/view.h"

/** Detaches the cursors of a view from its transaction, which is about to end: they go on in the next one. */
void st_view_detach_cursors(strata_view *view);

#endif
