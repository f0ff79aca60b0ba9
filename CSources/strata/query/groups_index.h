/* SPDX-License-Identifier: MIT
 *
 * groups_index.h -- measures taken from indexes instead of rows.
 *
 * The least and the greatest value of a column stand at the ends of its index, and how many objects have a value is the
 * number of its entries.
 */
#ifndef ST_QUERY_GROUPS_INDEX_H
#define ST_QUERY_GROUPS_INDEX_H

#include "query/groups.h"

/** Takes the measures of all objects that meet the condition of the query, which has no stages. `*done` is false if
 * indexes cannot give all of them; then nothing was taken. */
strata_status st_groups_by_index(st_groups *groups, bool *done);

#endif
