/* SPDX-License-Identifier: MIT
 *
 * test_queue_kill.c -- a process that is killed while it writes in groups loses nothing that was said to be done.
 *
 * Each write raises a counter of its thread and a common one. Some are dropped. In the file the common counter is the
 * sum of the others, and no counter is below what its thread was told.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "support/queue_support.h"

enum { CYCLES = 40, THREADS = 6, COMMON = THREADS };

typedef struct killed {
    const char *path;
    strata_durability durability;
    atomic_long *told; /* shared with the parent: a counter for each thread */
} killed;

typedef struct writer {
    strata_store *store;
    atomic_long *told;
    int number;
} writer;

static fixture *open_items(const char *path, strata_durability durability) {
    strata_config config = { .size = sizeof config, .path = path, .durability = durability };
    fixture *f = calloc(1, sizeof *f);
    CHECK(f != NULL);
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    make_items(f);
    return f;
}

/* Adds to a counter, and returns it. */
static int64_t raise_counter(fixture *f, strata_view *view, int id, int64_t by) {
    uint64_t key;
    strata_row row;
    strata_value wanted = strata_int(id), value;
    strata_status status = strata_object_find(view, ITEM, &wanted, &key, &f->error);
    if (status == STRATA_NOT_FOUND && by == 0) return 0;
    if (status == STRATA_NOT_FOUND) status = strata_object_create(view, ITEM, &wanted, 1, &key, &f->error);
    MUST(status);
    MUST(strata_row_bind(view, ITEM, key, &row, &f->error));
    MUST(strata_row_get(&row, ITEM_GROUP, &value, &f->error));
    value = strata_int(value.as.integer + by);
    if (by != 0) MUST(strata_row_set(&row, ITEM_GROUP, &value, &f->error));
    return value.as.integer;
}

static void *write_for_ever(void *argument) {
    writer *w = argument;
    fixture at = { .store = w->store }, *f = &at;
    strata_view *view;
    MUST(strata_view_open(f->store, &view, &f->error));
    for (unsigned i = 0;; i++) {
        request *r = request_begun(f, view);
        int64_t count = raise_counter(f, view, w->number, 1);
        (void)raise_counter(f, view, COMMON, 1);
        if (i % 5 == 0) (void)index_count(&(fixture){ .store = f->store, .view = view }, ITEM, ITEM_GROUP, NULL);
        if (i % 7 == 0) {
            strata_view_cancel(view);
            request_free(r);
            continue;
        }
        request_commit(f, view, r);
        atomic_store(&w->told[w->number], count);
    }
    return NULL;
}

static void write_in_groups(void *argument) {
    killed *it = argument;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
    fixture *f = open_items(it->path, it->durability);
    pthread_t threads[THREADS];
    writer writers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        writers[i] = (writer){ f->store, it->told, i };
        CHECK_EQ(pthread_create(&threads[i], NULL, write_for_ever, &writers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void check_file(const killed *it) {
    fixture *f = open_items(it->path, it->durability);
    int64_t sum = 0;
    for (int i = 0; i < THREADS; i++) {
        int64_t count = raise_counter(f, f->view, i, 0);
        CHECK(count >= atomic_load(&it->told[i]));
        sum += count;
    }
    CHECK_EQ(raise_counter(f, f->view, COMMON, 0), sum);
    verify(f);
    fixture_close(f);
}

void test_queue_kill_loses_nothing_that_is_done(void) {
    uint64_t random = ctest_seed();
    const char *path = ctest_path("killed");
    atomic_long *told = mmap(NULL, THREADS * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(told != MAP_FAILED);
    killed it = { path, STRATA_DURABILITY_FULL, told };
    long cycles = (long)ctest_rounds(CYCLES);
    /* Until something was done often enough; on a busy machine that takes longer. */
    for (long cycle = 0; cycle < cycles || atomic_load(&told[0]) < cycles; cycle++) {
        it.durability = (strata_durability)(cycle % 4);
        int pid = ctest_child_start(write_in_groups, &it);
        struct timespec time = { 0, (long)(1 + ctest_random(&random) % (uint64_t)(30 + cycle)) * 1000000 };
        nanosleep(&time, NULL);
        kill(pid, SIGKILL);
        CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
        check_file(&it);
    }
    munmap(told, THREADS * sizeof *told);
}
