/* SPDX-License-Identifier: MIT
 * suggestion.h -- the word that was probably meant by a misspelt one. */
#ifndef ST_PREDICATE_SUGGESTION_H
#define ST_PREDICATE_SUGGESTION_H

#include "strata_query.h"

typedef struct st_suggestion {
    strata_bytes name;  /* as it was written */
    const char *best;   /* the candidate most like it; NULL if none is like it */
    unsigned distance;  /* edit distance of `best`; while there is none, one more than the allowed distance */
} st_suggestion;

/** Begins without a candidate. The longer the name, the more candidates may differ from it. */
st_suggestion st_suggestion_begin(strata_bytes name);
void st_suggestion_consider(st_suggestion *suggestion, const char *candidate);

#endif
