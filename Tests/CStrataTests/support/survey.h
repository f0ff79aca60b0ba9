/* SPDX-License-Identifier: MIT
 *
 * survey.h -- reading all that a store has, in every way there is; for tests.
 *
 * Nothing here expects success: what cannot be read is left out. The number of steps is bounded, whatever the file
 * claims to have. */
#ifndef SURVEY_H
#define SURVEY_H

#include "strata_query.h"

enum { SURVEY_TABLES = 3, SURVEY_KEYS = 420, SURVEY_COLUMNS = 16,
       SURVEY_CONDITIONS = 46 /* that run if nothing is wrong */ };

/** What objects had in all their columns, by table and key: a digest, or 0 if something of it could not be read. */
typedef struct survey {
    uint64_t digests[SURVEY_TABLES][SURVEY_KEYS];
} survey;

/** Where the survey is, for those who look at a crash. Shared with child processes if it points to shared memory. */
extern const char **survey_step;

/** Reads the objects by their keys. */
void survey_objects(strata_view *view, survey *out);

/** Reads in every other way: statistics, schema, cursors, indexes, links, collections, conditions, totals. `random`
 * chooses where to begin. Copies go to `copy`, unless it is NULL. Returns how many conditions ran. */
unsigned survey_everything(strata_store *store, strata_view *view, uint64_t random, const char *copy);

#endif
