/* SPDX-License-Identifier: MIT
 * queue_support.h -- short words for tests of queued writes. */
#ifndef QUEUE_SUPPORT_H
#define QUEUE_SUPPORT_H

#include <semaphore.h>
#include <stdatomic.h>

#include "strata_queue.h"
#include "support/strata_support.h"

/** A queued write as its requester sees it. */
typedef struct request {
    strata_queued_write *handle;
    strata_status granted, done; /* what the calls said */
    strata_error error;          /* of the last call */
    atomic_int grants, dones;    /* how many calls there were */
    sem_t was_granted, was_done;
} request;

/** Requests a write of the store of a view, without memory of its own. */
strata_status request_ask(request *r, strata_view *view, uint32_t milliseconds, strata_error *error);
/** Requests a write. The request is freed with request_free(). */
request *request_make(fixture *f, strata_view *view, uint32_t milliseconds);
/** Frees the handle and the rest; no call may be due any more. */
void request_free(request *r);
/** Waits for the calls, and says what they said. */
strata_status request_granted(request *r);
strata_status request_done(request *r);

/** Begins a write that was requested, when it is granted. If the grant is withdrawn, because this thread had to wait for
 * a processor while others waited for the file, requests it anew. */
void request_begin(fixture *f, strata_view *view, request **r);
/** Requests a write until it is granted and begun. */
request *request_begun(fixture *f, strata_view *view);
/** Commits it, waits until that is done, and frees it. */
void request_commit(fixture *f, strata_view *view, request *r);

enum { MOST_IN_GROUP = 4 };

/** Queued writes that share a transaction, unless the machine is too busy. */
typedef struct queued_group {
    uint32_t count;
    strata_view *views[MOST_IN_GROUP];
    request *requests[MOST_IN_GROUP];
    bool kept[MOST_IN_GROUP];
} queued_group;

/** Opens views, and requests a write with each. */
void queued_group_ask(fixture *f, queued_group *group, uint32_t count);
/** Begins the next one; all before it have ended. */
strata_view *queued_group_begin(fixture *f, queued_group *group, uint32_t index);
/** Commits or cancels it. */
void queued_group_finish(fixture *f, queued_group *group, uint32_t index, bool keep);
/** Waits until what was committed is done, and closes the views. */
void queued_group_end(queued_group *group);

/** One table `Item`: `id` (primary, whole numbers), `group` (indexed), `text` (may be null), `data` (may be null). */
void make_items(fixture *f);
enum { ITEM = 0, ITEM_ID = 0, ITEM_GROUP = 1, ITEM_TEXT = 2, ITEM_DATA = 3 };

#endif
