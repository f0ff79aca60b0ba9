/* SPDX-License-Identifier: MIT
 *
 * test_queue.c -- queued writes: each request gets its calls, groups share a commit, and nobody waits for ever.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/queue_support.h"
#include "store/state.h"
#include "store/worker.h"
#include "table/view.h"

static void rest(long milliseconds) {
    struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    nanosleep(&time, NULL);
}

static strata_view *view_of(fixture *f) {
    strata_view *view;
    MUST(strata_view_open(f->store, &view, &f->error));
    return view;
}

static strata_status add_item(strata_view *view, int64_t id, strata_error *error) {
    uint64_t key;
    strata_value values[] = { strata_int(id), strata_int(id % 7) };
    return strata_object_create(view, ITEM, values, 2, &key, error);
}

static uint64_t items(fixture *f, strata_view *view) {
    uint64_t count;
    MUST(strata_table_size(view, ITEM, &count, &f->error));
    return count;
}

static uint64_t newest(fixture *f) {
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    return strata_view_version(f->view);
}

/* ---- One -------------------------------------------------------------- */

static void check_one(fixture *f) {
    make_items(f);
    uint64_t before = strata_view_version(f->view);
    request *r = request_begun(f, f->view);
    CHECK(strata_view_is_writing(f->view));
    MUST(add_item(f->view, 1, &f->error));
    CHECK_EQ(items(f, f->view), 1);
    MUST(strata_view_commit(f->view, &f->error));
    CHECK(!strata_view_is_writing(f->view));
    CHECK_EQ(request_done(r), STRATA_OK);
    CHECK_EQ(newest(f), before + 1);
    CHECK_EQ(items(f, f->view), 1);
    request_free(r);
    verify(f);
}

void test_queue_one_write(void) {
    fixture *f = fixture_open("file");
    check_one(f);
    fixture_close(f);
    f = fixture_open("file");
    CHECK_EQ(items(f, f->view), 1);
    fixture_close(f);
}

void test_queue_in_memory(void) {
    fixture *f = fixture_open_memory();
    check_one(f);
    fixture_close(f);
}

void test_queue_with_relaxed_durability(void) {
    strata_config config = { .size = sizeof config, .path = ctest_path("file"),
                             .durability = STRATA_DURABILITY_RELAXED };
    fixture at = { 0 }, *f = &at;
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    check_one(f);
    strata_view_close(f->view);
    strata_store_close(f->store);
}

/* A signal must find a thread of the program. */
static void look_at_signals(void *context, strata_status status, const strata_error *error) {
    sigset_t blocked;
    (void)status, (void)error;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    CHECK(sigismember(&blocked, SIGUSR1) == 1 && sigismember(&blocked, SIGTERM) == 1);
    sem_post(context);
}

void test_queue_thread_blocks_signals(void) {
    fixture *f = fixture_open("file");
    strata_queued_write *queued;
    sem_t called;
    sem_init(&called, 0, 0);
    MUST(strata_store_request(f->store, 1000, look_at_signals, NULL, &called, &queued, &f->error));
    sem_wait(&called);
    strata_queued_write_free(queued);
    fixture_close(f);
}

/* ---- Groups ----------------------------------------------------------- */

enum { REQUESTERS = 64 };

typedef struct requester {
    fixture *f;
    int64_t first; /* the id of its first item */
    int rounds;
} requester;

static void *request_and_add(void *argument) {
    requester *it = argument;
    fixture at = { .store = it->f->store }, *f = &at;
    strata_view *view = view_of(f);
    for (int i = 0; i < it->rounds; i++) {
        request *r = request_begun(f, view);
        MUST(add_item(view, it->first + i, &f->error));
        request_commit(f, view, r);
        MUST(strata_view_refresh(view, NULL, &f->error));
        uint64_t key;
        strata_value id = strata_int(it->first + i);
        CHECK_EQ(strata_object_find(view, ITEM, &id, &key, &f->error), STRATA_OK); /* now that it is done */
    }
    strata_view_close(view);
    return NULL;
}

static void run_requesters(fixture *f, int count, int rounds) {
    pthread_t threads[REQUESTERS];
    requester all[REQUESTERS];
    for (int i = 0; i < count; i++) {
        all[i] = (requester){ f, (int64_t)i * rounds, rounds };
        CHECK_EQ(pthread_create(&threads[i], NULL, request_and_add, &all[i]), 0);
    }
    for (int i = 0; i < count; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

void test_queue_of_many_threads(void) {
    enum { ROUNDS = 20 };
    fixture *f = fixture_open("file");
    make_items(f);
    run_requesters(f, REQUESTERS, ROUNDS);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    CHECK_EQ(items(f, f->view), REQUESTERS * ROUNDS);
    verify(f);
    fixture_close(f);
}

/* Writes that wait together are committed together: each commit is one version. Grants that a busy machine is late to
 * use only make it a few more. */
void test_queue_groups_share_commits(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    uint64_t before = newest(f);
    MUST(strata_view_begin(f->view, &f->error));
    strata_view *views[REQUESTERS];
    request *requests[REQUESTERS];
    for (int i = 0; i < REQUESTERS; i++) {
        views[i] = view_of(f);
        requests[i] = request_make(f, views[i], STRATA_STORE_WAIT);
    }
    strata_view_cancel(f->view);
    for (int i = 0; i < REQUESTERS; i++) {
        CHECK_EQ(request_granted(requests[i]), STRATA_OK);
        while (strata_view_begin_granted(views[i], requests[i]->handle, &f->error) != STRATA_OK) {
            request_free(requests[i]);
            requests[i] = request_make(f, views[i], STRATA_STORE_WAIT);
            CHECK_EQ(request_granted(requests[i]), STRATA_OK);
        }
        CHECK_EQ(items(f, views[i]), i); /* what the group has changed so far */
        MUST(add_item(views[i], i, &f->error));
        MUST(strata_view_commit(views[i], &f->error));
    }
    for (int i = 0; i < REQUESTERS; i++) {
        CHECK_EQ(request_done(requests[i]), STRATA_OK);
        request_free(requests[i]);
        strata_view_close(views[i]);
    }
    CHECK(newest(f) - before <= REQUESTERS / 4);
    CHECK_EQ(items(f, f->view), REQUESTERS);
    verify(f);
    fixture_close(f);
}

/* ---- What is dropped -------------------------------------------------- */

static void run_a_query(fixture *f, strata_view *view) {
    strata_query query = strata_query_blank();
    uint64_t count;
    query.table = ITEM;
    MUST(strata_query_count(view, &query, &count, NULL, &f->error));
}

static void set_data(fixture *f, strata_view *view, int64_t id, size_t size) {
    uint64_t key;
    strata_row row;
    strata_value wanted = strata_int(id);
    uint8_t *bytes = pattern(size, (uint64_t)id);
    strata_value value = strata_data(bytes, size);
    MUST(strata_object_find(view, ITEM, &wanted, &key, &f->error));
    MUST(strata_row_bind(view, ITEM, key, &row, &f->error));
    MUST(strata_row_set(&row, ITEM_DATA, &value, &f->error));
    free(bytes);
}

/* What changes trees before the commit. */
enum { NOTHING, QUERY, LARGE, CLEAR, WAYS };

static void change_early(fixture *f, strata_view *view, int how, int64_t id) {
    static const uint32_t table = ITEM;
    if (how == QUERY) run_a_query(f, view);
    if (how == LARGE) set_data(f, view, id, 300000);
    if (how == CLEAR) MUST(strata_tables_clear(view, &table, 1, &f->error));
}

/* A write that is dropped takes nothing along of those before it in the group, whatever it did. */
void test_queue_cancel_keeps_the_others(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    int64_t id = 0;
    strata_view *other = view_of(f), *third = view_of(f);
    for (int how = NOTHING; how < WAYS; how++) {
        uint64_t before = items(f, f->view);
        request *first = request_begun(f, f->view);
        request *second = request_make(f, other, STRATA_STORE_WAIT);
        MUST(add_item(f->view, id++, &f->error));
        set_data(f, f->view, id - 1, 200000);
        MUST(strata_view_commit(f->view, &f->error));
        CHECK_EQ(request_granted(second), STRATA_OK);
        request *last = request_make(f, third, STRATA_STORE_WAIT);
        if (strata_view_begin_granted(other, second->handle, &f->error) == STRATA_OK) {
            MUST(add_item(other, id, &f->error));
            change_early(f, other, how, id);
            strata_view_cancel(other);
            CHECK(!strata_view_is_writing(other));
        }
        CHECK_EQ(request_granted(last), STRATA_OK);
        if (strata_view_begin_granted(third, last->handle, &f->error) == STRATA_OK) {
            CHECK_EQ(items(f, third), before + 1);
            MUST(add_item(third, id++, &f->error));
            MUST(strata_view_commit(third, &f->error));
            CHECK_EQ(request_done(last), STRATA_OK);
            before++;
        }
        CHECK_EQ(request_done(first), STRATA_OK);
        CHECK_EQ(atomic_load(&second->dones), 0);
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        CHECK_EQ(items(f, f->view), before + 1);
        request_free(first);
        request_free(second);
        request_free(last);
        verify(f);
    }
    strata_view_close(other);
    strata_view_close(third);
    fixture_close(f);
}

/* A file with little room. */
static void open_small(fixture *f) {
    strata_config config = { .size = sizeof config, .path = ctest_path("file"), .map_size = 4 << 20 };
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    make_items(f);
}

static void close_after(fixture *f, strata_view *other, request *first, request *second) {
    request_free(first);
    request_free(second);
    strata_view_close(other);
    strata_view_close(f->view);
    strata_store_close(f->store);
}

/* A write that finds no room fails alone. */
void test_queue_full_file_fails_one(void) {
    fixture at = { 0 }, *f = &at;
    open_small(f);
    strata_view *other = view_of(f);
    request *first = request_begun(f, f->view), *second;
    second = request_make(f, other, STRATA_STORE_WAIT);
    MUST(add_item(f->view, 1, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(request_granted(second), STRATA_OK);
    if (strata_view_begin_granted(other, second->handle, &f->error) == STRATA_OK) {
        uint8_t *bytes = pattern(8 << 20, 1);
        strata_value values[] = { strata_int(2), strata_int(0), strata_null(), strata_data(bytes, 8 << 20) };
        uint64_t key;
        strata_status status = strata_object_create(other, ITEM, values, 4, &key, &f->error);
        if (status == STRATA_OK) status = strata_view_commit(other, &f->error);
        else strata_view_cancel(other);
        CHECK_EQ(status, STRATA_SIZE_LIMIT);
        free(bytes);
    }
    CHECK_EQ(request_done(first), STRATA_OK);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    CHECK_EQ(items(f, f->view), 1);
    verify(f);
    close_after(f, other, first, second);
}

/* Adds items with so many bytes each until one does not fit. */
static void fill_with(fixture *f, size_t size, int64_t *next) {
    uint8_t *bytes = pattern(size, 1);
    strata_status status;
    do {
        strata_value values[] = { strata_int((*next)++), strata_int(0), strata_null(), strata_data(bytes, size) };
        uint64_t key;
        MUST(strata_view_begin(f->view, &f->error));
        status = strata_object_create(f->view, ITEM, values, 4, &key, &f->error);
        if (status == STRATA_OK) status = strata_view_commit(f->view, &f->error);
        else strata_view_cancel(f->view);
    } while (status == STRATA_OK);
    CHECK_EQ(status, STRATA_SIZE_LIMIT);
    free(bytes);
}

/* What would fit into the file, but not into the room that is left for writes that add, is found at the end of a write,
 * and not when all that share a commit have ended. */
void test_queue_no_room_left_fails_one(void) {
    enum { SIZE = 30000 };
    fixture at = { 0 }, *f = &at;
    open_small(f);
    int64_t next = 0;
    fill_with(f, SIZE, &next);
    fill_with(f, 100, &next);
    strata_view *other = view_of(f);
    uint64_t before = items(f, other), key;
    request *first = request_begun(f, f->view), *second, *third;
    second = request_make(f, other, STRATA_STORE_WAIT);
    strata_value zero = strata_int(0);
    MUST(strata_object_find(f->view, ITEM, &zero, &key, &f->error));
    MUST(strata_object_delete(f->view, ITEM, key, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    request_begin(f, other, &second);
    uint8_t *bytes = pattern(2 * SIZE, 1);
    strata_value values[] = { strata_int(next), strata_int(0), strata_null(), strata_data(bytes, 2 * SIZE) };
    MUST(strata_object_create(other, ITEM, values, 4, &key, &f->error));
    third = request_make(f, f->view, STRATA_STORE_WAIT);
    REFUSED(strata_view_commit(other, &f->error), STRATA_SIZE_LIMIT, "map size");
    request_begin(f, f->view, &third);
    request_commit(f, f->view, third);
    CHECK_EQ(request_done(first), STRATA_OK);
    MUST(strata_view_refresh(other, NULL, &f->error));
    CHECK_EQ(items(f, other), before - 1);
    verify(f);
    free(bytes);
    close_after(f, other, first, second);
}

/* Adds small items, in writes of fewer and fewer, until none fits. Returns how many there are. */
static int64_t fill_with_small(fixture *f) {
    int64_t next = 0;
    for (int64_t most = 4096; most > 0; most /= 8) {
        strata_status status = STRATA_OK;
        while (status == STRATA_OK) {
            MUST(strata_view_begin(f->view, &f->error));
            for (int64_t i = 0; i < most && status == STRATA_OK; i++) status = add_item(f->view, next + i, &f->error);
            if (status == STRATA_OK) status = strata_view_commit(f->view, &f->error);
            else strata_view_cancel(f->view);
            next += status == STRATA_OK ? most : 0;
        }
        CHECK_EQ(status, STRATA_SIZE_LIMIT);
    }
    return next;
}

/* Deletions share a commit in a full file also where what is left of a block takes more bytes; one that is dropped is
 * not counted. */
void test_queue_empties_a_full_file(void) {
    enum { GROUPS = 5, EACH = 2 }; /* each block takes pages of its own, and the room for that is not without end */
    fixture at = { 0 }, *f = &at;
    uint64_t random = ctest_seed(), deleted = 0;
    open_small(f);
    int64_t count = fill_with_small(f);
    for (int64_t i = 0; i < GROUPS; i++) {
        queued_group group = { 0 };
        uint32_t dropped = (uint32_t)(ctest_random(&random) % (2 * EACH));
        queued_group_ask(f, &group, EACH);
        for (uint32_t k = 0; k < EACH; k++) {
            uint64_t key;
            strata_view *view = queued_group_begin(f, &group, k);
            strata_value id = strata_int(count / (GROUPS * EACH) * (i * EACH + k));
            MUST(strata_object_find(view, ITEM, &id, &key, &f->error));
            MUST(strata_object_delete(view, ITEM, key, &f->error));
            queued_group_finish(f, &group, k, k != dropped);
            deleted += k != dropped;
        }
        queued_group_end(&group);
        MUST(strata_view_refresh(f->view, NULL, &f->error)); /* what it shows keeps pages */
    }
    CHECK_EQ(items(f, f->view), (uint64_t)count - deleted);
    verify(f);
    strata_view_close(f->view);
    strata_store_close(f->store);
}

static void *begin_and_end_the_thread(void *argument) {
    requester *it = argument;
    fixture at = { .store = it->f->store }, *f = &at;
    f->view = view_of(f);
    request *r = request_begun(f, f->view);
    MUST(add_item(f->view, it->first, &f->error));
    run_a_query(f, f->view);
    it->f->view = f->view; /* for who cleans up */
    return r;
}

void test_queue_drops_the_write_of_a_thread_that_ends(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    strata_view *view = f->view;
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        requester it = { f, 100, 1 };
        void *dropped;
        CHECK_EQ(pthread_create(&thread, NULL, begin_and_end_the_thread, &it), 0);
        CHECK_EQ(pthread_join(thread, &dropped), 0);
        strata_view *left = f->view;
        f->view = view;
        request *r = request_begun(f, view);
        MUST(add_item(view, round, &f->error));
        request_commit(f, view, r);
        CHECK_EQ(atomic_load(&((request *)dropped)->dones), 0);
        request_free(dropped);
        strata_view_close(left);
        MUST(strata_view_refresh(view, NULL, &f->error));
        CHECK_EQ(items(f, view), round + 1);
    }
    verify(f);
    fixture_close(f);
}

static void *close_view(void *view) {
    strata_view_close(view);
    return NULL;
}

/* The thread that began it goes on to queue writes, and others write meanwhile. */
void test_queue_write_that_another_thread_drops(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    strata_view *view = f->view;
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        strata_view *dropped = view_of(f);
        f->view = dropped;
        request *first = request_begun(f, dropped);
        MUST(add_item(dropped, 100, &f->error));
        CHECK_EQ(pthread_create(&thread, NULL, close_view, dropped), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        f->view = view;
        request *second = request_begun(f, view);
        MUST(add_item(view, round, &f->error));
        request_commit(f, view, second);
        CHECK_EQ(atomic_load(&first->dones), 0);
        request_free(first);
        MUST(strata_view_refresh(view, NULL, &f->error));
        CHECK_EQ(items(f, view), round + 1);
    }
    verify(f);
    fixture_close(f);
}

/* ---- Who waits for whom ----------------------------------------------- */

/* A thread whose queued write was granted, and which waits for another kind of write first: it gets that, and has to
 * request the queued one again. */
void test_queue_withdraws_a_grant(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    strata_view *other = view_of(f);
    request *r = request_make(f, f->view, STRATA_STORE_WAIT);
    CHECK_EQ(request_granted(r), STRATA_OK);
    MUST(strata_view_begin(other, &f->error));
    REFUSED(strata_view_begin_granted(f->view, r->handle, &f->error), STRATA_BUSY, "request it again");
    CHECK(!strata_view_is_writing(f->view));
    MUST(add_item(other, 1, &f->error));
    MUST(strata_view_commit(other, &f->error));
    request_free(r);

    /* The same for one that was handed over before, in the same group. */
    request *before = request_begun(f, other);
    r = request_make(f, f->view, STRATA_STORE_WAIT);
    MUST(strata_view_commit(other, &f->error));
    CHECK_EQ(request_granted(r), STRATA_OK);
    CHECK_EQ(request_done(before), STRATA_OK);
    request_free(before);
    request_free(r);

    /* And for another queued write. */
    r = request_make(f, f->view, STRATA_STORE_WAIT);
    CHECK_EQ(request_granted(r), STRATA_OK);
    request *second = request_make(f, other, STRATA_STORE_WAIT);
    CHECK_EQ(request_granted(second), STRATA_OK);
    CHECK_EQ(strata_view_begin_granted(f->view, r->handle, &f->error), STRATA_BUSY);
    request_free(r);
    request_free(second);
    r = request_begun(f, f->view);
    request_commit(f, f->view, r);
    strata_view_close(other);
    fixture_close(f);
}

/* While a queued write has begun, its thread is told that it is writing; others wait. */
void test_queue_write_has_the_turn(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    strata_view *other = view_of(f);
    request *r = request_begun(f, f->view);
    REFUSED(strata_view_begin(other, &f->error), STRATA_WRITING, "on this thread already");
    REFUSED(strata_store_backup(f->store, ctest_path("copy"), 0, &f->error), STRATA_WRITING, "");
    request_commit(f, f->view, r);
    MUST(strata_view_begin(other, &f->error));
    strata_view_cancel(other);
    strata_view_close(other);
    fixture_close(f);
}

static void write_and_stop(void *path) {
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
    fixture at = { 0 }, *f = &at;
    strata_config config = { .size = sizeof config, .path = path };
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    (void)request_begun(f, f->view);
    MUST(add_item(f->view, 1, &f->error));
    run_a_query(f, f->view);
    raise(SIGSTOP);
}

/* Deadlines count from the request. Who waits for a process that was stopped is told so; and when that one is killed,
 * others go on. */
void test_queue_deadline_and_a_killed_process(void) {
    fixture *f = fixture_open("file");
    int status;
    make_items(f);
    int pid = ctest_child_start(write_and_stop, (void *)(uintptr_t)ctest_path("file"));
    CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
    CHECK(WIFSTOPPED(status));
    static const uint32_t waits[] = { 0, 1, 30 };
    for (size_t i = 0; i < 3; i++) {
        request *r = request_make(f, f->view, waits[i]);
        CHECK_EQ(request_granted(r), STRATA_BUSY);
        CHECK(strstr(r->error.message, "process ") != NULL);
        CHECK(strstr(r->error.message, "has been writing to it for ") != NULL);
        REFUSED(strata_view_begin_granted(f->view, r->handle, &f->error), STRATA_BUSY, "request it again");
        request_free(r);
    }
    strata_view *other = view_of(f);
    request *waits_long = request_make(f, f->view, STRATA_STORE_WAIT), *cancelled = request_make(f, other, 60000);
    strata_queued_write_cancel(cancelled->handle);
    strata_queued_write_cancel(cancelled->handle);
    CHECK_EQ(request_granted(cancelled), STRATA_CANCELLED);
    CHECK(strstr(cancelled->error.message, "cancelled") != NULL);
    request_free(cancelled);
    kill(pid, SIGKILL);
    CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
    CHECK_EQ(request_granted(waits_long), STRATA_OK);
    request_free(waits_long);
    CHECK_EQ(items(f, f->view), 0);
    run_requesters(f, 3, 3);
    strata_view_close(other);
    fixture_close(f);
}

static void *hold_the_turn(void *argument) {
    requester *it = argument;
    fixture at = { .store = it->f->store }, *f = &at;
    strata_view *view = view_of(f);
    MUST(strata_view_begin(view, &f->error));
    __atomic_store_n(&it->rounds, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&it->rounds, __ATOMIC_SEQ_CST) != 2) rest(1);
    strata_view_cancel(view);
    strata_view_close(view);
    return NULL;
}

static void begin_holding(pthread_t *thread, requester *it) {
    CHECK_EQ(pthread_create(thread, NULL, hold_the_turn, it), 0);
    while (__atomic_load_n(&it->rounds, __ATOMIC_SEQ_CST) != 1) rest(1);
}

static void end_holding(pthread_t thread, requester *it) {
    __atomic_store_n(&it->rounds, 2, __ATOMIC_SEQ_CST);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

void test_queue_deadline_behind_a_thread(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    strata_view *other = view_of(f);
    requester holder = { f, 0, 0 };
    pthread_t thread;
    begin_holding(&thread, &holder);
    request *long_one = request_make(f, other, 60000), *short_one = request_make(f, f->view, 10);
    CHECK_EQ(request_granted(short_one), STRATA_BUSY);
    CHECK(strstr(short_one->error.message, "a thread of this process") != NULL);
    CHECK_EQ(atomic_load(&long_one->grants), 0);
    end_holding(thread, &holder);
    CHECK_EQ(request_granted(long_one), STRATA_OK);
    request_free(short_one);

    /* Behind a queued write that has begun. */
    strata_status status = strata_view_begin_granted(other, long_one->handle, &f->error);
    if (status == STRATA_OK) {
        short_one = request_make(f, f->view, 10);
        CHECK_EQ(request_granted(short_one), STRATA_BUSY);
        request_free(short_one);
        strata_view_cancel(other);
    }
    request_free(long_one);
    strata_view_close(other);
    fixture_close(f);
}

/* Writers of other kinds get their turn between the groups. */
static void *write_in_groups(void *argument) {
    requester *it = argument;
    fixture at = { .store = it->f->store }, *f = &at;
    strata_view *view = view_of(f);
    for (int64_t i = 0; __atomic_load_n(&it->rounds, __ATOMIC_SEQ_CST) == 0; i++) {
        request *r = request_begun(f, view);
        MUST(add_item(view, it->first + i, &f->error));
        request_commit(f, view, r);
    }
    strata_view_close(view);
    return NULL;
}

static int by_size(const void *a, const void *b) {
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

void test_queue_lets_other_writers_in(void) {
    enum { LOOPS = 8, TURNS = 31 };
    ctest_directory_in_memory();
    fixture *f = fixture_open("file");
    make_items(f);
    pthread_t threads[LOOPS];
    requester all[LOOPS];
    uint64_t others[TURNS];
    for (int i = 0; i < LOOPS; i++) {
        all[i] = (requester){ f, 1000000 * (int64_t)i, 0 };
        CHECK_EQ(pthread_create(&threads[i], NULL, write_in_groups, &all[i]), 0);
    }
    while (newest(f) < 10) rest(1);
    for (int turn = 0; turn < TURNS; turn++) {
        uint64_t before = newest(f);
        MUST(strata_view_begin(f->view, &f->error));
        others[turn] = strata_view_version(f->view) - before - 1;
        strata_view_cancel(f->view);
    }
    for (int i = 0; i < LOOPS; i++) __atomic_store_n(&all[i].rounds, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < LOOPS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    qsort(others, TURNS, sizeof others[0], by_size);
    CHECK(others[TURNS / 2] <= 4);
    verify(f);
    fixture_close(f);
}

/* ---- Ending ----------------------------------------------------------- */

void test_queue_cancel_and_free_any_time(void) {
    enum { ROUNDS = 300 };
    uint64_t random = ctest_seed();
    fixture *f = fixture_open("file");
    make_items(f);
    for (unsigned i = 0; i < ctest_rounds(ROUNDS); i++) {
        request *r = request_make(f, f->view, (uint32_t)(ctest_random(&random) % 3 * 1000));
        uint64_t how = ctest_random(&random) % 5;
        if (how == 0) strata_queued_write_cancel(r->handle);
        if (how == 1) {
            strata_queued_write_free(r->handle);
            r->handle = NULL;
        }
        strata_status granted = request_granted(r);
        CHECK(granted == STRATA_OK || granted == STRATA_CANCELLED || granted == STRATA_BUSY);
        if (how == 2) strata_queued_write_cancel(r->handle);
        strata_status begun = r->handle == NULL ? STRATA_BUSY :
                                                  strata_view_begin_granted(f->view, r->handle, &f->error);
        if (granted != STRATA_OK) CHECK_EQ(begun, STRATA_BUSY);
        if (begun == STRATA_OK) {
            strata_queued_write_cancel(r->handle); /* too late: nothing happens */
            strata_queued_write_free(r->handle);
            r->handle = NULL;
            MUST(add_item(f->view, i, &f->error));
            MUST(strata_view_commit(f->view, &f->error));
            CHECK_EQ(request_done(r), STRATA_OK);
        }
        request_free(r);
    }
    strata_queued_write_free(NULL);
    strata_queued_write_cancel(NULL);
    fixture_close(f);
}

/* A write that is cancelled while it waits behind the first one of a group is told so, even if that one is dropped in
 * the same moment; and those behind it get their turn. */
void test_queue_cancel_behind_a_dropped_write(void) {
    enum { ROUNDS = 200 };
    fixture *f = fixture_open("file");
    make_items(f);
    strata_view *second = view_of(f), *third = view_of(f);
    for (unsigned i = 0; i < ctest_rounds(ROUNDS); i++) {
        request *first = request_begun(f, f->view);
        request *cancelled = request_make(f, second, 60000), *last = request_make(f, third, 60000);
        strata_queued_write_cancel(cancelled->handle);
        strata_view_cancel(f->view);
        CHECK_EQ(request_granted(cancelled), STRATA_CANCELLED);
        CHECK_EQ(request_granted(last), STRATA_OK);
        request_free(first);
        request_free(cancelled);
        request_free(last);
    }
    strata_view_close(second);
    strata_view_close(third);
    fixture_close(f);
}

/* Who waits is told when the last handle is closed, before that returns. */
void test_queue_of_a_store_that_closes(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    strata_view *other = view_of(f);
    requester holder = { f, 0, 0 };
    pthread_t thread;
    begin_holding(&thread, &holder);
    request *waits = request_make(f, f->view, 60000);
    strata_store_close(f->store);
    CHECK_EQ(atomic_load(&waits->grants), 1);
    CHECK_EQ(request_granted(waits), STRATA_CLOSED);
    CHECK(strstr(waits->error.message, "closed") != NULL);
    request *late = calloc(1, sizeof *late);
    REFUSED(strata_store_request(other->store, 0, look_at_signals, NULL, late, &late->handle, &f->error), STRATA_CLOSED,
            "last handle");
    CHECK(late->handle == NULL);
    free(late);

    /* Opened again, it works again. */
    fixture *again = fixture_open("file");
    end_holding(thread, &holder);
    request *r = request_begun(f, f->view);
    request_commit(f, f->view, r);

    /* A close does not wait for a write that has begun. */
    r = request_begun(f, f->view);
    MUST(add_item(f->view, 5, &f->error));
    request *granted = request_make(f, other, 60000);
    fixture_close(again);
    CHECK_EQ(atomic_load(&granted->grants), 1); /* nor for those that wait for it, once they are told */
    CHECK_EQ(request_granted(granted), STRATA_CLOSED);
    request_commit(f, f->view, r);
    MUST(strata_view_refresh(other, NULL, &f->error));
    CHECK_EQ(items(f, other), 1);
    strata_view_close(f->view);
    strata_view_close(other);
    request_free(waits); /* after the store is gone */
    request_free(granted);
    free(f);
}

/* All that wait are told before the close returns, so that what their calls use may be freed then, also beside a write
 * that has begun. */
void test_queue_close_tells_all_beside_a_begun_write(void) {
    enum { ROUNDS = 50, WAITING = 8 };
    for (unsigned i = 0; i < ctest_rounds(ROUNDS); i++) {
        fixture *f = fixture_open("file");
        if (i == 0) make_items(f);
        request *begun = request_begun(f, f->view), *waiting[WAITING];
        for (int k = 0; k < WAITING; k++) waiting[k] = request_make(f, f->view, 60000);
        strata_store_close(f->store);
        for (int k = 0; k < WAITING; k++) {
            CHECK_EQ(atomic_load(&waiting[k]->grants), 1);
            CHECK_EQ(request_granted(waiting[k]), STRATA_CLOSED);
            request_free(waiting[k]);
        }
        request_commit(f, f->view, begun);
        strata_view_close(f->view);
        free(f);
    }
}

typedef struct slow_call {
    strata_store *store;
    sem_t begun;
    atomic_bool ended;
} slow_call;

static void take_a_while(void *context, strata_status status, const strata_error *error) {
    slow_call *it = context;
    (void)status, (void)error;
    sem_post(&it->begun);
    rest(30);
    atomic_store(&it->ended, true);
}

static void *close_meanwhile(void *argument) {
    slow_call *it = argument;
    sem_wait(&it->begun);
    strata_store_close(it->store);
    CHECK(atomic_load(&it->ended)); /* what the call uses may be freed now */
    return NULL;
}

/* A call that another thread makes, here the one that ended the write before, has returned when the close does. */
void test_queue_close_waits_for_a_call_of_another_thread(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    for (int i = 0; i < 5; i++) {
        slow_call it = { .store = f->store };
        pthread_t thread;
        strata_queued_write *next;
        sem_init(&it.begun, 0, 0);
        request *r = request_begun(f, f->view);
        MUST(strata_store_request(f->store, 60000, take_a_while, NULL, &it, &next, &f->error));
        CHECK_EQ(pthread_create(&thread, NULL, close_meanwhile, &it), 0);
        MUST(strata_view_commit(f->view, &f->error));
        pthread_join(thread, NULL);
        strata_queued_write_free(next);
        CHECK_EQ(request_done(r), STRATA_OK);
        request_free(r);
        strata_view_close(f->view);
        free(f);
        f = fixture_open("file");
    }
    fixture_close(f);
}

/* Opens, writes and closes at once, again and again: the thread of the store comes and goes. */
void test_queue_opens_and_closes(void) {
    enum { ROUNDS = 100 };
    for (unsigned i = 0; i < ctest_rounds(ROUNDS); i++) {
        fixture *f = fixture_open("file");
        if (i == 0) make_items(f);
        request *r = request_begun(f, f->view);
        MUST(add_item(f->view, i, &f->error));
        MUST(strata_view_commit(f->view, &f->error));
        if (i % 3 == 0) CHECK_EQ(request_done(r), STRATA_OK);
        strata_view_close(f->view);
        strata_store_close(f->store);
        if (i % 3 != 0) CHECK_EQ(request_done(r), STRATA_OK); /* the close has waited for it */
        request_free(r);
        free(f);
    }
    fixture *f = fixture_open("file");
    CHECK_EQ(items(f, f->view), ctest_rounds(ROUNDS));
    fixture_close(f);
}

static bool is_running(st_worker *worker, bool *out_joinable) {
    pthread_mutex_lock(&worker->lock);
    bool running = worker->running;
    *out_joinable = worker->joinable;
    pthread_mutex_unlock(&worker->lock);
    return running;
}

/* The thread of a store that is not written to ends by itself, and leaves nothing behind: a store that stays open for
 * ever must not keep the stack of a thread that has ended. */
void test_queue_thread_of_an_idle_store(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    bool joinable;
    for (int i = 0; i < 2; i++) {
        request *r = request_begun(f, f->view);
        MUST(add_item(f->view, i, &f->error));
        request_commit(f, f->view, r);
        CHECK(is_running(f->store->worker, &joinable) && joinable);
        while (is_running(f->store->worker, &joinable)) rest(100);
        CHECK(!joinable);
    }
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    CHECK_EQ(items(f, f->view), 2);
    fixture_close(f);
}

static void use_after_fork(void *argument) {
    fixture *f = argument;
    strata_queued_write *queued;
    REFUSED(strata_store_request(f->store, 0, look_at_signals, NULL, NULL, &queued, &f->error), STRATA_AFTER_FORK, "");
    fixture *own = fixture_open("of the child");
    check_one(own);
    fixture_close(own);
}

void test_queue_in_a_forked_child(void) {
    fixture *f = fixture_open("file");
    make_items(f);
    request *r = request_begun(f, f->view);
    CHECK_EQ(ctest_child(use_after_fork, f), 0);
    MUST(add_item(f->view, 1, &f->error));
    request_commit(f, f->view, r);
    verify(f);
    fixture_close(f);
}

void test_queue_misuse(void) {
    fixture *f = fixture_open("file"), *g = fixture_open("other");
    strata_queued_write *queued;
    make_items(f);
    strata_view *other = view_of(f);
    REFUSED(strata_store_request(f->store, 0, NULL, NULL, NULL, &queued, &f->error), STRATA_MISUSE, "when it is granted");
    REFUSED(strata_view_begin_granted(f->view, NULL, &f->error), STRATA_MISUSE, "of its own store");
    MUST(strata_view_begin(other, &f->error));
    request *r = request_make(f, f->view, 60000);
    REFUSED(strata_view_begin_granted(f->view, r->handle, &f->error), STRATA_MISUSE, "before it is granted");
    REFUSED(strata_view_begin_granted(other, r->handle, &f->error), STRATA_WRITING, "already");
    CHECK_EQ(strata_view_begin_granted(g->view, r->handle, &f->error), STRATA_MISUSE);
    strata_queued_write_cancel(r->handle);
    strata_view_cancel(other);
    CHECK_EQ(request_granted(r), STRATA_CANCELLED);
    request_free(r);
    r = request_begun(f, f->view);
    REFUSED(strata_view_begin_granted(other, r->handle, &f->error), STRATA_MISUSE, "only once");
    request_commit(f, f->view, r);
    strata_view_close(other);
    fixture_close(g);
    fixture_close(f);

    strata_config config = { .size = sizeof config, .path = ctest_path("file"), .flags = STRATA_OPEN_READ_ONLY };
    fixture at = { 0 };
    f = &at;
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    REFUSED(strata_store_request(f->store, 0, look_at_signals, NULL, NULL, &queued, &f->error), STRATA_READ_ONLY,
            "opened read-only");
    strata_view_close(f->view);
    strata_store_close(f->store);
}
