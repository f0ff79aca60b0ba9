/* SPDX-License-Identifier: MIT
 *
 * strata_verify.h -- the check of a whole file.
 */
#ifndef STRATA_VERIFY_H
#define STRATA_VERIFY_H

#include "strata_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What strata_verify() saw. */
typedef struct strata_verify_report {
    uint64_t tables, rows, index_entries, links, list_elements, blocks;
} strata_verify_report;

/**
 * Reads everything the view shows: every row and value, every index entry and link from both sides. Before that it
 * checks every page of the file, free ones too, as STRATA_OPEN_CHECK_PAGES does.
 *
 * Outside a write only. `report` may be NULL. Compiled into the program.
 * Fails: STRATA_CORRUPT with the first contradiction found, STRATA_WRITING.
 */
STRATA_CHECKED static inline strata_status strata_verify(strata_view *view, strata_verify_report *report,
                                                         strata_error *error);

/** Told, now and then, how many of all objects have been looked at; false stops the check. Must not use the view. */
typedef bool (*strata_progress)(void *context, uint64_t done, uint64_t all);

/** The same, watched. `report` holds what was seen until it was stopped. Fails: as above; STRATA_CANCELLED. */
STRATA_CHECKED strata_status strata_verify_sized(strata_view *view, strata_progress progress, void *context,
                                                 strata_verify_report *report, size_t size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_verify_watched(strata_view *view, strata_progress progress,
                                                                 void *context, strata_verify_report *report,
                                                                 strata_error *error) {
    return strata_verify_sized(view, progress, context, report, sizeof *report, error);
}
static inline strata_status strata_verify(strata_view *view, strata_verify_report *report, strata_error *error) {
    return strata_verify_sized(view, NULL, NULL, report, sizeof *report, error);
}

#ifdef __cplusplus
}
#endif
#endif
