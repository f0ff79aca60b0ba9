/* SPDX-License-Identifier: MIT
 *
 * queue.h -- writes that wait for the writer's turn without a thread of their own.
 *
 * A store has one thread for them, the worker. It takes the writer's turn, begins LMDB's transaction, and lends it to
 * one queued write after another (loan.h): a group. Then it commits once for all of them. So a group waits for the disk
 * as often as a single write does.
 */
#ifndef ST_STORE_QUEUE_H
#define ST_STORE_QUEUE_H

#include "strata_queue.h"

/** Was it queued with this store? */
bool st_queue_had(const strata_store *store, const strata_queued_write *queued);

#endif
