/* SPDX-License-Identifier: MIT
 * queue_support.c -- short words for tests of queued writes. */
#define _GNU_SOURCE 1
#include "support/queue_support.h"

#include <errno.h>
#include <time.h>

#include "table/view.h"

enum { PATIENCE = 120 /* seconds after which a call counts as never coming */ };

static void note(request *r, strata_status status, const strata_error *error) {
    CHECK((status == STRATA_OK) == (error == NULL));
    if (error == NULL) return;
    CHECK_EQ(error->status, status);
    r->error = *error;
}

static void granted(void *context, strata_status status, const strata_error *error) {
    request *r = context;
    note(r, status, error);
    r->granted = status;
    atomic_fetch_add(&r->grants, 1);
    sem_post(&r->was_granted);
}

static void done(void *context, strata_status status, const strata_error *error) {
    request *r = context;
    note(r, status, error);
    r->done = status;
    atomic_fetch_add(&r->dones, 1);
    sem_post(&r->was_done);
}

strata_status request_ask(request *r, strata_view *view, uint32_t milliseconds, strata_error *error) {
    *r = (request){ 0 };
    sem_init(&r->was_granted, 0, 0);
    sem_init(&r->was_done, 0, 0);
    return strata_store_request(view->store, milliseconds, granted, done, r, &r->handle, error);
}

request *request_make(fixture *f, strata_view *view, uint32_t milliseconds) {
    request *r = calloc(1, sizeof *r);
    CHECK(r != NULL);
    MUST(request_ask(r, view, milliseconds, &f->error));
    return r;
}

void request_free(request *r) {
    strata_queued_write_free(r->handle);
    CHECK(atomic_load(&r->grants) <= 1 && atomic_load(&r->dones) <= 1);
    sem_destroy(&r->was_granted);
    sem_destroy(&r->was_done);
    free(r);
}

static void wait_for(sem_t *call) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE;
    int code;
    while ((code = sem_timedwait(call, &end)) != 0 && errno == EINTR) continue;
    CHECK_EQ(code, 0);
}

strata_status request_granted(request *r) {
    wait_for(&r->was_granted);
    CHECK_EQ(atomic_load(&r->grants), 1);
    return r->granted;
}

strata_status request_done(request *r) {
    wait_for(&r->was_done);
    CHECK_EQ(atomic_load(&r->dones), 1);
    return r->done;
}

void request_begin(fixture *f, strata_view *view, request **r) {
    CHECK_EQ(request_granted(*r), STRATA_OK);
    strata_status status = strata_view_begin_granted(view, (*r)->handle, &f->error);
    if (status == STRATA_BUSY) {
        request_free(*r);
        *r = request_begun(f, view);
    } else {
        MUST(status);
    }
}

request *request_begun(fixture *f, strata_view *view) {
    for (;;) {
        strata_error error;
        request *r = request_make(f, view, STRATA_STORE_WAIT);
        CHECK_EQ(request_granted(r), STRATA_OK);
        strata_status status = strata_view_begin_granted(view, r->handle, &error);
        if (status == STRATA_OK) return r;
        CHECK_EQ(status, STRATA_BUSY); /* a busy machine: the thread came too late */
        request_free(r);
    }
}

void request_commit(fixture *f, strata_view *view, request *r) {
    MUST(strata_view_commit(view, &f->error));
    CHECK_EQ(request_done(r), STRATA_OK);
    request_free(r);
}

void queued_group_ask(fixture *f, queued_group *group, uint32_t count) {
    group->count = count;
    for (uint32_t i = 0; i < count; i++) {
        MUST(strata_view_open(f->store, &group->views[i], &f->error));
        group->requests[i] = request_make(f, group->views[i], UINT32_MAX);
    }
}

strata_view *queued_group_begin(fixture *f, queued_group *group, uint32_t index) {
    request_begin(f, group->views[index], &group->requests[index]);
    return group->views[index];
}

void queued_group_finish(fixture *f, queued_group *group, uint32_t index, bool keep) {
    group->kept[index] = keep;
    if (keep) MUST(strata_view_commit(group->views[index], &f->error));
    else strata_view_cancel(group->views[index]);
}

void queued_group_end(queued_group *group) {
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->kept[i]) CHECK_EQ(request_done(group->requests[i]), STRATA_OK);
        request_free(group->requests[i]);
        strata_view_close(group->views[i]);
    }
}

void make_items(fixture *f) {
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                     column("group", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE),
                                     column("data", STRATA_DATA, STRATA_COLUMN_NULLABLE) };
    strata_table_spec table = { "Item", 0, 4, columns };
    MUST(apply(f, 0, &table, 1));
}
