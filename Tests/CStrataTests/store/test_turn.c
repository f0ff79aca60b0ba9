/* SPDX-License-Identifier: MIT
 *
 * test_turn.c -- processes that want to write, one after another: each of them gets its turn, whoever dies or is
 * stopped.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/writer.h"
#include "strata.h"
#include "support/store_support.h"
#include "tests.h"

enum { PATIENCE = 60 /* seconds after which a process counts as waiting for ever */ };

static void rest(uint64_t microseconds) {
    struct timespec time = { (time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000 };
    nanosleep(&time, NULL);
}

/* ---- Many writers, many of which are killed --------------------------- */

typedef struct writer {
    const char *path;
    atomic_ulong *commits; /* shared with the parent */
    int group;             /* of processes; 0: begins one, -1: stays in that of the parent */
} writer;

static void write_for_ever(void *argument) {
    const writer *it = argument;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
    if (it->group >= 0) (void)setpgid(0, it->group);
    strata_store *store = must_open(it->path);
    for (;;) {
        add_to_counter(store);
        atomic_fetch_add(it->commits, 1);
    }
}

static atomic_ulong *shared_counters(size_t count) {
    void *memory = mmap(NULL, count * sizeof(atomic_ulong), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

/* Waits until each of the writers has made another commit. */
static void must_go_on(const atomic_ulong *commits, int count) {
    for (int i = 0; i < count; i++) {
        unsigned long before = atomic_load(&commits[i]);
        for (int naps = 0; atomic_load(&commits[i]) == before; naps++) {
            CHECK(naps < PATIENCE * 1000);
            rest(1000);
        }
    }
}

/* The kernel wakes one of those who wait for a mutex. If that one was killed in the same instant, nobody goes on. */
void test_turn_of_those_who_outlive_others(void) {
    enum { WRITERS = 6, KILLED = 4, ROUNDS = 60 };
    uint64_t random = ctest_seed();
    ctest_directory_in_memory();
    const char *path = ctest_path("many");
    strata_store_close(must_open(path));
    atomic_ulong *commits = shared_counters(WRITERS);
    writer writers[WRITERS];
    int pids[WRITERS], group = 0;
    for (int i = 0; i < WRITERS; i++) writers[i] = (writer){ path, &commits[i], -1 };
    for (int i = KILLED; i < WRITERS; i++) pids[i] = ctest_child_start(write_for_ever, &writers[i]);
    for (unsigned round = 0; round < ctest_rounds(ROUNDS); round++) {
        for (int i = 0; i < KILLED; i++) {
            writers[i].group = i == 0 ? 0 : group;
            pids[i] = ctest_child_start(write_for_ever, &writers[i]);
            if (i == 0) group = pids[0];
            (void)setpgid(pids[i], group);
        }
        must_go_on(commits, WRITERS);
        rest(ctest_random(&random) % 3000);
        CHECK_EQ(kill(-group, SIGKILL), 0);
        for (int i = 0; i < KILLED; i++) CHECK_EQ(ctest_child_wait(pids[i]), 1000 + SIGKILL);
        must_go_on(commits + KILLED, WRITERS - KILLED);
    }
    for (int i = KILLED; i < WRITERS; i++) {
        kill(pids[i], SIGKILL);
        CHECK_EQ(ctest_child_wait(pids[i]), 1000 + SIGKILL);
    }
    strata_store *store = must_open(path);
    unsigned long all = 0;
    for (int i = 0; i < WRITERS; i++) all += atomic_load(&commits[i]);
    CHECK(read_counter(store) >= all);
    strata_store_close(store);
    munmap(commits, WRITERS * sizeof *commits);
}

/* ---- One after another ------------------------------------------------ */

/* How many others stand in line between two places. */
static int line_length(const strata_store *store, st_lock_place after, st_lock_place before) {
    st_lock_place found = st_lock_ahead(store, after, before);
    return found == 0 ? 0 : line_length(store, after, found) + 1 + line_length(store, found, before);
}

typedef struct one_turn {
    const char *path;
    atomic_ulong *counters; /* shared: how many had a turn, and then who they were */
    unsigned long number;
} one_turn;

static void take_one_turn(void *argument) {
    const one_turn *it = argument;
    st_txn *txn;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
    strata_store *store = must_open(it->path);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    atomic_store(&it->counters[1 + atomic_fetch_add(it->counters, 1)], it->number);
    st_writer_abort(txn);
    strata_store_close(store);
}

/* Some processes line up, one after the other, while this one has the turn, which wants it again as soon as it has
 * ended. True if they had theirs first, in their order. */
static bool goes_round(strata_store *store, const char *path) {
    enum { OTHERS = 4 };
    atomic_ulong *counters = shared_counters(1 + OTHERS);
    one_turn others[OTHERS];
    int pids[OTHERS];
    st_txn *txn;
    bool good = true;
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < OTHERS; i++) {
        others[i] = (one_turn){ path, counters, (unsigned long)i };
        pids[i] = ctest_child_start(take_one_turn, &others[i]);
        for (int naps = 0; line_length(store, 0, ST_LOCK_END_OF_LINE) != i + 1; naps++) {
            CHECK(naps < PATIENCE * 1000);
            rest(1000);
        }
    }
    st_writer_abort(txn);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    good &= atomic_load(counters) == OTHERS;
    st_writer_abort(txn);
    for (int i = 0; i < OTHERS; i++) CHECK_EQ(ctest_child_wait(pids[i]), 0);
    for (unsigned long i = 0; i < OTHERS; i++) good &= atomic_load(&counters[1 + i]) == i;
    munmap(counters, (1 + OTHERS) * sizeof *counters);
    return good;
}

/* Who writes in a loop does not keep others from writing, and they write in the order in which they came. Who is
 * stopped by the system for a tenth of a second when it could have its turn is passed over, so that a busy machine may
 * spoil a round; without a line no round is good. */
void test_turn_goes_round(void) {
    enum { ROUNDS = 200, ENOUGH = 3 };
    ctest_directory_in_memory();
    const char *path = ctest_path("round");
    strata_store *store = must_open(path);
    int good = 0;
    for (int round = 0; round < ROUNDS && good < ENOUGH; round++) good += goes_round(store, path);
    CHECK_EQ(good, ENOUGH);
    strata_store_close(store);
}

/* ---- Processes that are stopped --------------------------------------- */

static void write_and_stop(void *path) {
    st_txn *txn;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
    strata_store *store = must_open(path);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    raise(SIGSTOP);
    st_writer_abort(txn);
    add_to_counter(store);
    strata_store_close(store);
}

static int start_and_stop(void (*body)(void *), const char *path) {
    int pid = ctest_child_start(body, (void *)(uintptr_t)path), status;
    CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
    CHECK(WIFSTOPPED(status));
    return pid;
}

/* How messages name a process: by its number and by what the system calls it. */
static void name_of_process(int pid, char *name, size_t size) {
    char path[64], called[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL && fgets(called, sizeof called, file) != NULL);
    fclose(file);
    called[strcspn(called, "\n")] = 0;
    snprintf(name, size, "process %d (%s)", pid, called);
}

/* Everything but writing goes on beside a process that was stopped in its write, and writing says who that is. */
void test_turn_of_a_stopped_process(void) {
    const char *path = ctest_path("a");
    char who[64];
    strata_error error;
    strata_view *view;
    strata_store_stats stats = { .size = sizeof stats };
    strata_store_close(must_open(path));
    int pid = start_and_stop(write_and_stop, path);
    name_of_process(pid, who, sizeof who);

    strata_config config = { .size = sizeof config, .path = path, .wait = 20 };
    strata_store *store = must_open_with(&config);
    CHECK_EQ(strata_view_open(store, &view, NULL), STRATA_OK);
    CHECK_EQ(strata_view_begin_within(view, 0, &error), STRATA_BUSY);
    CHECK(strstr(error.message, who) != NULL);
    CHECK(strstr(error.message, "has been writing to it for ") != NULL);
    CHECK_EQ(strata_view_begin_within(view, 30, &error), STRATA_BUSY);
    CHECK_EQ(strata_view_begin_within(view, STRATA_STORE_WAIT, &error), STRATA_BUSY); /* 20 of them, not 49 days */
    CHECK_EQ(strata_view_begin(view, &error), STRATA_BUSY);
    CHECK(strstr(error.message, who) != NULL);
    CHECK(!strata_view_is_writing(view));

    CHECK_EQ(strata_view_refresh(view, NULL, NULL), STRATA_OK);
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    CHECK_EQ(strata_store_flush(store, NULL), STRATA_OK);
    CHECK_EQ(strata_store_backup(store, ctest_path("plain"), 0, &error), STRATA_OK);
    CHECK_EQ(strata_store_backup(store, ctest_path("compact"), STRATA_BACKUP_COMPACT, &error), STRATA_OK);
    int file = open(ctest_path("stream"), O_CREAT | O_RDWR, 0600);
    CHECK_EQ(strata_store_backup_to(store, file, &error), STRATA_OK);
    close(file);
    CHECK_EQ(open_status(ctest_path("stream"), STRATA_OPEN_CHECK_PAGES, NULL), STRATA_OK);
    CHECK_EQ(open_status(ctest_path("plain"), STRATA_OPEN_CHECK_PAGES, NULL), STRATA_OK);

    kill(pid, SIGCONT);
    CHECK_EQ(ctest_child_wait(pid), 0);
    CHECK_EQ(strata_view_begin(view, &error), STRATA_OK);
    strata_view_close(view);
    CHECK_EQ(read_counter(store), 1);
    strata_store_close(store);
}

/* Who waits in line and was stopped there does not keep the turn from others when it is free. */
void test_turn_passes_over_the_stopped(void) {
    const char *path = ctest_path("a");
    strata_store *store = must_open(path);
    int probe = open(path, O_RDWR), status;
    st_txn *txn;
    writer waiting = { path, shared_counters(1), -1 };
    CHECK(probe >= 0);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    int pid = ctest_child_start(write_for_ever, &waiting);
    const off_t line = ((off_t)1 << 62) + ((off_t)1 << 59);
    for (bool lined_up = false; !lined_up; rest(1000)) {
        struct flock lock = { .l_type = F_WRLCK, .l_start = line, .l_len = (off_t)1 << 58 };
        CHECK_EQ(fcntl(probe, F_OFD_GETLK, &lock), 0);
        lined_up = lock.l_type != F_UNLCK;
    }
    kill(pid, SIGSTOP);
    CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
    st_writer_abort(txn);
    for (int i = 0; i < 5; i++) add_to_counter(store);
    CHECK_EQ(read_counter(store), 5);
    kill(pid, SIGCONT);
    must_go_on(waiting.commits, 1);
    kill(pid, SIGKILL);
    CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
    close(probe);
    strata_store_close(store);
    munmap(waiting.commits, sizeof *waiting.commits);
}

/* ---- Threads ---------------------------------------------------------- */

static void *try_to_write(void *store) {
    st_txn *txn;
    strata_error error;
    CHECK_EQ(st_writer_begin_within(store, 0, &txn, &error), STRATA_BUSY);
    CHECK(strstr(error.message, "another thread of this process") != NULL);
    CHECK_EQ(st_writer_begin_within(store, 10, &txn, &error), STRATA_BUSY);
    CHECK(strstr(error.message, "another thread of this process") != NULL);
    return NULL;
}

void test_turn_of_another_thread(void) {
    strata_config config = { .size = sizeof config, .memory_name = "turn" };
    strata_store *stores[] = { must_open(ctest_path("a")), must_open_with(&config) };
    for (int i = 0; i < 2; i++) {
        st_txn *txn;
        pthread_t thread;
        CHECK_EQ(st_writer_begin(stores[i], &txn, NULL), STRATA_OK);
        CHECK_EQ(pthread_create(&thread, NULL, try_to_write, stores[i]), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        st_writer_abort(txn);
        add_to_counter(stores[i]);
        strata_store_close(stores[i]);
    }
}

static void *write_once(void *store) {
    add_to_counter(store);
    return NULL;
}

/* Those in the queue behind one whose deadline passed get their turn. */
void test_turn_is_left_at_the_deadline(void) {
    enum { WAITING = 6 };
    strata_store *store = must_open(ctest_path("a"));
    st_txn *txn;
    pthread_t threads[WAITING];
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < WAITING; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, i % 2 == 0 ? write_once : try_to_write, store), 0);
    for (int i = 1; i < WAITING; i += 2) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    st_writer_abort(txn);
    for (int i = 0; i < WAITING; i += 2) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_EQ(read_counter(store), WAITING / 2);
    strata_store_close(store);
}
