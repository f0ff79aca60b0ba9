/* SPDX-License-Identifier: MIT
 * movers.h -- moving the objects that were tested to where they are in a result. */
#ifndef ST_OBSERVE_MOVERS_H
#define ST_OBSERVE_MOVERS_H

#include "base/key_set.h"
#include "observe/ranks.h"
#include "observe/result_step.h"
#include "observe/watch.h"

/** Moves objects in the ranks of a query. `tested` are those that may be anywhere or nowhere, `now` those of them that
 * are in the result, in its order. The step, which was empty, becomes what that changed. Fails: as strata_query_run();
 * `*broken` says whether the ranks were changed by then. */
strata_status st_movers_move(st_walker *walker, const strata_query *query, bool sorted, st_ranks *ranks,
                             const st_key_set *tested, const strata_keys *now, st_result_step *step, bool *broken);

#endif
