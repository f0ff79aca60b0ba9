/* SPDX-License-Identifier: MIT
 * result_step.h -- which objects left a result and which came, from one state of it to the next one. */
#ifndef ST_OBSERVE_RESULT_STEP_H
#define ST_OBSERVE_RESULT_STEP_H

#include "observe/positions.h"

/** Empty when it is zero. Freed with st_result_step_free(). */
typedef struct st_result_step {
    st_positions deletions, insertions; /* ascending; what moved is in both */
    st_positions gone;   /* the key of each deletion; none if it is blind */
    st_positions tested; /* the keys of objects that were tested and are in the result */
    bool anew;           /* the whole query was run */
    bool blind;          /* what was there before is not known: everything goes, and comes */
} st_result_step;

static inline bool st_result_step_is_empty(const st_result_step *s) {
    return s->deletions.count == 0 && s->insertions.count == 0;
}

/** Where the object at a position was before. False if it was inserted. */
bool st_result_step_origin(const st_result_step *step, uint64_t after, uint64_t *out_before);
/** The keys before a step that is not blind, from those after it. The caller frees them; NULL if there is no memory. */
uint64_t *st_result_step_undo(const st_result_step *step, const uint64_t *after, uint64_t count, uint64_t *out_count);
void st_result_step_free(st_result_step *step);

#endif
