/* SPDX-License-Identifier: MIT
 *
 * postings_notes.h -- keeps the totals of a set right while changes are merged into it: see postings_total.h.
 *
 * A value that has a total stands at an end of each block that has entries of it, because one of the blocks ends with
 * it. So a change of such a value is one of the first or of the last value of the block it belongs to, or comes
 * directly before the first one, and no total is looked for but those of such values. The values of a block that is
 * cut in the middle of one, or goes into another block, are noted, too.
 */
#ifndef ST_POSTING_POSTINGS_NOTES_H
#define ST_POSTING_POSTINGS_NOTES_H

#include "posting/postings_work.h"

/** Notes that a total of the value may have to be changed, made or removed. */
strata_status st_postings_note(st_postings_work *work, strata_bytes value);
/** Notes the values of a block that may have a total, among those of the changes before `end`, which belong to it. */
strata_status st_postings_note_changes(st_postings_work *work, const st_posting_view *view, size_t end);
/** When all changes have been merged: writes the totals of the values that were noted. */
strata_status st_postings_settle(st_postings_work *work);

#endif
