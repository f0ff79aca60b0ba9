/* SPDX-License-Identifier: MIT
 *
 * cursor.h -- walking objects in the order of their keys, or of an index.
 *
 * A cursor remembers the last object it returned, not only a place in a tree, so that it can go on after a flush
 * has moved the blocks. It never goes past the keys that existed when it was opened.
 */
#ifndef ST_OBJECT_CURSOR_H
#define ST_OBJECT_CURSOR_H

#include "table/view.h"

/** Has the cursors of the view let go of its transaction, which is about to end; they find their place again. */
void st_view_detach_cursors(strata_view *view);

#endif
