/* SPDX-License-Identifier: MIT
 *
 * test_power_relay.c -- processes that write to the same store end at any moment, others go on where they stopped, and
 * then the power fails: what any of them had acknowledged is there, whole.
 *
 * One process has the store open all the time, so that nobody who opens it may count as the first. Others have it
 * open at the same time and write in turns; each raises a counter, which tells what all other entries hold, may hold a
 * snapshot over several turns, and may end in the middle of some call of the system, after which another one takes its
 * place. Commits that are deferred may be lost until the log is flushed, by a call, by the store's thread, by the next
 * commit of another process, or when the store is closed. All that they wrote is one record, which goes from one to the
 * next with the turn, and states of the disk are made up from it as in test_power.c. A process whose turn it is not does
 * nothing, not even flush.
 *
 * CTEST_RELAY is how many chains of turns there are.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/deferral.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "store/tree.h"
#include "store/turn.h"
#include "store/writer.h"
#include "support/disk_state.h"
#include "support/faults.h"
#include "support/store_support.h"

enum { CHAINS = 8, TURNS = 10, WRITERS = 3, COMMITS = 6, MOST_COMMITS = 24, STATES = 90, ENTRIES = 40,
       LARGEST = 30000,
       MOST_NUMBERS = 1 << 16 };

#define FOR_EVER (3600 * (st_time)1000 * ST_MILLISECOND)

/* What the writers share. */
typedef struct score {
    uint64_t kept;   /* up to which value of the counter nothing may get lost */
    int last_writer; /* who committed last, as far as anybody was told */
    bool begun;      /* there is a record */
    int writers[MOST_NUMBERS];        /* who wrote the record of a commit */
    uint64_t records, deltas, others; /* in the logs that were recovered; others: deltas to what another one wrote */
} score;

typedef struct relay {
    site at, cut;
    char saved[500], path[500];
    uint64_t seed;
    score *score;
    int number;     /* of a writer, counted over the whole chain */
    int turn, told; /* pipes: it is the writer's turn; and its answer, 1 if it goes on */
} relay;

static record current_record;
static const relay *current_relay;

static void answer(char byte) {
    record_save(&current_record, current_relay->saved);
    CHECK_EQ(write(current_relay->told, &byte, 1), 1);
}

/* The thread that ends has the lock of the record, and the record goes on, so that no other thread writes or flushes what
 * the record does not have. */
static void die(void) { answer(0); }

static strata_store *open_as(const char *path, strata_durability durability, uint32_t flags) {
    strata_config config = { .size = sizeof config, .path = path, .durability = durability, .flags = flags,
                             .map_size = 1 << 28 };
    return must_open_with(&config);
}

/* ---- Steps ------------------------------------------------------------------ *
 * Step n writes n to the first entry, and some, all, or none of the others, or deletes them. So the counter, which is
 * the number of the last step, tells what all of them hold. Most of a value is often as it was before, so that the log
 * has deltas.
 */

static uint64_t chance(uint64_t step, uint64_t of) {
    uint64_t random = step * 1000003 + of;
    return ctest_random(&random);
}

/* It has more pages than a record may have: the log begins again. */
static bool is_large(uint64_t step) { return chance(step, 1000) % 32 == 1; }

static bool writes(uint64_t step, int entry) {
    uint64_t kind = chance(step, 1000) % 8;
    return entry == 0 || kind == 0 || kind == 1 || chance(step, (uint64_t)entry) % 10 == 0;
}

/* 0: the step deletes the entry. */
static size_t size_of(uint64_t step, int entry) {
    static const size_t sizes[] = { 20, 60, 700, 3000, LARGEST };
    if (is_large(step)) return LARGEST;
    bool deletes = chance(step, 1000) % 8 == 0 ? chance(step, 1001) % 3 == 0
                                               : chance(step, 2000 + (uint64_t)entry) % 12 == 0;
    if (entry != 0 && deletes) return 0;
    return sizes[chance(step, 1002) % (chance(step, 1003) % 6 == 0 ? 5 : 3)];
}

static strata_bytes value_of(uint64_t step, int entry, uint8_t *room) {
    size_t size = size_of(step, entry);
    memset(room, chance(step, 1004) % 4 == 0 ? (int)step : 'a' + entry, size);
    if (size == 0) return bytes(room, 0);
    memcpy(room, &step, sizeof step);
    memcpy(room + size - sizeof step, &step, sizeof step);
    return bytes(room, size);
}

static st_tree tree_of(int entry) { return entry % 3 == 1 ? ST_LINKS : ST_ROWS; }

static strata_bytes name_of(int entry, char room[8]) {
    snprintf(room, 8, "e%02d", entry);
    return text(room);
}

/* Takes the next step. Returns its number. */
static uint64_t take_step(strata_store *store) {
    static uint8_t room[LARGEST];
    char name[8];
    st_txn *txn;
    strata_bytes old;
    strata_error error;
    uint64_t step = 1;
    if (st_writer_begin(store, &txn, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    if (st_tree_get(txn, ST_ROWS, name_of(0, name), &old, NULL) == STRATA_OK) step = 1 + strata_load64(old.data);
    for (int i = 0; i < ENTRIES; i++) {
        if (!writes(step, i)) continue;
        strata_bytes value = value_of(step, i, room);
        strata_status status = value.size == 0 ? st_tree_delete(txn, tree_of(i), name_of(i, name), NULL)
                                               : st_tree_put(txn, tree_of(i), name_of(i, name), value, NULL);
        CHECK(status == STRATA_OK || (value.size == 0 && status == STRATA_NOT_FOUND));
    }
    if (st_writer_commit(txn, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    current_relay->score->writers[store->log.last % MOST_NUMBERS] = current_relay->number;
    return step;
}

/* Notes how far the counter has come, and up to where it must not get lost. */
static void note(uint64_t counter, uint64_t kept) {
    current_relay->score->kept = kept;
    record_note((off_t)(counter << 32 | kept));
}

/* Returns the counter. */
static uint64_t write_some(strata_store *store, uint64_t *random) {
    score *score = current_relay->score;
    bool defers = store->durability == STRATA_DURABILITY_DEFERRED;
    bool is_kept = !defers && store->durability != STRATA_DURABILITY_RELAXED;
    int commits = 1 + (int)(ctest_random(random) % (defers ? MOST_COMMITS : COMMITS));
    strata_error error;
    uint64_t counter = 0;
    for (int i = 0; i < commits; i++) {
        uint64_t kept = score->kept;
        counter = take_step(store);
        if (score->last_writer != current_relay->number) kept = counter - 1; /* this one has flushed what others left */
        score->last_writer = current_relay->number;
        if (!is_kept && !defers) kept = counter - 1; /* relaxed commits lose one at most */
        note(counter, is_kept ? counter : kept);
        if (defers && ctest_random(random) % 16 == 0) {
            CHECK_EQ(strata_store_flush(store, &error), STRATA_OK);
            note(counter, counter);
        }
    }
    return counter;
}

/* The counter in a snapshot, whose entries are those of that step; 0 if there is none. */
static uint64_t counter_in(st_txn *txn) {
    static uint8_t room[LARGEST];
    char name[8];
    strata_bytes value;
    uint64_t counter = 0;
    if (st_tree_get(txn, ST_ROWS, name_of(0, name), &value, NULL) == STRATA_OK) counter = strata_load64(value.data);
    for (int i = 0; i < ENTRIES; i++) {
        uint64_t step = counter;
        while (step > 0 && !writes(step, i)) step--;
        strata_bytes expected = step == 0 ? bytes(room, 0) : value_of(step, i, room);
        if (st_tree_get(txn, tree_of(i), name_of(i, name), &value, NULL) != STRATA_OK) value.size = 0;
        CHECK_EQ(value.size, expected.size);
        CHECK(value.size == 0 || memcmp(value.data, expected.data, value.size) == 0);
    }
    return counter;
}

static void take_up(const relay *it) {
    if (it->score->begun) record_continue(&current_record, it->saved, it->at.directory);
    else record_start(&current_record, it->at.directory);
    it->score->begun = true;
}

/* Holds a snapshot, or lets go of it. */
static void change_view(strata_store *store, st_txn **view, uint64_t *random) {
    if (ctest_random(random) % 3 == 0) return;
    if (*view == NULL) {
        CHECK_EQ(st_snapshot_begin(store, view, NULL), STRATA_OK);
        return;
    }
    (void)counter_in(*view);
    st_snapshot_end(*view);
    *view = NULL;
}

/* Waits until the store's thread has nothing to do, unless it does nothing for an hour. */
static void wait_for_thread(strata_store *store) {
    const struct timespec pause = { 0, ST_MILLISECOND };
    const st_deadline deadline = st_deadline_in(60000);
    for (bool quiet = st_deferral_window == FOR_EVER; !quiet;) {
        nanosleep(&pause, NULL);
        CHECK_EQ(st_turn_take(store, &deadline, NULL), STRATA_OK);
        quiet = store->log.flushed == store->log.last && store->log.pin.commit == 0;
        st_turn_end(store);
    }
}

/* Returns whether the store was closed. */
static bool take_turn(strata_store *store, st_txn **view, uint64_t *random) {
    change_view(store, view, random);
    uint64_t counter = write_some(store, random);
    if (*view == NULL && ctest_random(random) % 4 == 0) {
        strata_store_close(store);
        note(counter, counter);
        return true;
    }
    wait_for_thread(store);
    return false;
}

static void write_in_turns(void *argument) {
    static const fault_call calls[] = { FAULT_PWRITE, FAULT_FDATASYNC, FAULT_WRITEV, FAULT_PWRITE };
    static const strata_durability kinds[] = { STRATA_DURABILITY_LOGGED, STRATA_DURABILITY_DEFERRED,
                                               STRATA_DURABILITY_DEFERRED, STRATA_DURABILITY_DEFERRED,
                                               STRATA_DURABILITY_FULL, STRATA_DURABILITY_RELAXED };
    const relay *it = current_relay = argument;
    uint64_t random = it->seed + (uint64_t)it->number * 7919;
    strata_durability durability = kinds[ctest_random(&random) % (it->number < 2 ? 4 : 6)];
    bool defers = durability == STRATA_DURABILITY_DEFERRED, closed = false;
    strata_store *store = NULL;
    st_txn *view = NULL;
    char byte;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0); /* also if the test fails */
    st_deferral_window = (st_time)(ctest_random(&random) % 4) * ST_MILLISECOND;
    st_deferral_soon = 1 + ctest_random(&random) % 2000;
    if (ctest_random(&random) % 2 == 0) { /* it does nothing outside of its turn */
        st_deferral_window = FOR_EVER;
        st_deferral_soon = UINT64_MAX;
    }
    fault_dies = die;
    while (!closed) {
        CHECK_EQ(read(it->turn, &byte, 1), 1);
        take_up(it);
        fault_call call = calls[ctest_random(&random) % 4];
        unsigned nth = 1 + (unsigned)(ctest_random(&random) % (defers ? 150 : 40));
        if (ctest_random(&random) % 2 == 0) fault_set_everywhere(call, nth, 1, FAULT_DIE);
        if (store == NULL) store = open_as(it->path, durability, 0);
        closed = take_turn(store, &view, &random);
        fault_clear();
        record_stop();
        answer(!closed);
        record_free(&current_record);
    }
}

static void hold_open(void *argument) {
    const relay *it = argument;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0); /* also if the test fails */
    strata_store *store = open_as(it->path, STRATA_DURABILITY_FULL, 0);
    char byte = 1;
    CHECK_EQ(write(it->told, &byte, 1), 1);
    (void)store;
    for (;;) pause();
}

static uint64_t look(const char *path) {
    strata_store *store = open_as(path, STRATA_DURABILITY_FULL, STRATA_OPEN_CHECK_PAGES);
    st_txn *txn;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    uint64_t counter = counter_in(txn);
    st_snapshot_end(txn);
    strata_store_close(store);
    return counter;
}

static void count_record(const st_log_record *record, int *owners, score *score, int writer) {
    const uint8_t *bytes = record->bytes + record->pages_at;
    score->records++;
    for (uint32_t i = 0; i < record->runs; i++) {
        const st_log_run run = st_log_record_run(record, i);
        score->deltas += run.delta != 0;
        if (run.delta != 0) score->others += owners[st_log_run_base(bytes) % MOST_NUMBERS] != writer;
        bytes += st_log_run_size(&run, 4096);
    }
    for (uint32_t i = 0; i < record->runs; i++) {
        const st_log_run run = st_log_record_run(record, i);
        for (uint32_t n = 0; n < run.count; n++) owners[(run.number + n) % MOST_NUMBERS] = writer;
    }
}

/* Counts what there is to recover. */
static void count_records(const char *path, score *score) {
    static int owners[MOST_NUMBERS];
    st_log_header header;
    st_log_record record = { 0 };
    int file;
    CHECK_EQ(st_log_open(path, true, &file), 0);
    if (file >= 0 && st_log_header_read(file, &header) == 0 && header.in_use) {
        uint64_t at = ST_LOG_BEGIN, commit = header.commit + 1;
        for (; st_log_record_read(file, at, &header, commit, &record) == 0; commit++) {
            count_record(&record, owners, score, score->writers[commit % MOST_NUMBERS]);
            at += record.size;
        }
    }
    if (file >= 0) close(file);
    free(record.bytes);
}

static void check_states(void *argument) {
    static const survival kinds[] = { NONE, ALL, SOME_WRITES, SOME_SECTORS };
    const relay *it = argument;
    char path[500];
    record log;
    disk *d = calloc(1, sizeof *d);
    CHECK(d != NULL);
    record_continue(&log, it->saved, it->at.directory);
    record_stop();
    for (uint64_t state = 0; state < ctest_rounds(STATES); state++) {
        uint64_t random = it->seed * 1000003 + state;
        size_t cut = ctest_random(&random) % (log.event_count + 1);
        survival how = kinds[ctest_random(&random) % 4], names = kinds[ctest_random(&random) % 3];
        uint64_t notes = (uint64_t)disk_make_up(&log, cut, how, names, &random, d), found;
        uint64_t told = notes >> 32, kept = notes & UINT32_MAX;
        disk_write_out(d, &log, &it->cut, &random);
        count_records(site_path(&it->cut, "store", path), it->score);
        found = look(path);
        /* Writers may have ended with a commit that nobody was told of. */
        if (found < kept || found > told + TURNS) {
            char what[200];
            snprintf(what, sizeof what, "seed %llu, state %llu, event %zu of %zu: %llu was acknowledged, %llu must not "
                     "be lost, %llu is there", (unsigned long long)it->seed, (unsigned long long)state, cut,
                     log.event_count, (unsigned long long)told, (unsigned long long)kept, (unsigned long long)found);
            ctest_fail(__FILE__, __LINE__, what);
        }
    }
    disk_free(d);
    free(d);
    record_free(&log);
}

static int start(void (*body)(void *), relay *it, int ends[2]) {
    int turn[2], told[2];
    CHECK(pipe(turn) == 0 && pipe(told) == 0);
    it->turn = turn[0];
    it->told = told[1];
    int child = ctest_child_start(body, it);
    close(turn[0]);
    close(told[1]);
    ends[0] = turn[1];
    ends[1] = told[0];
    return child;
}

static char hear(const int ends[2]) {
    char byte;
    CHECK_EQ(read(ends[1], &byte, 1), 1);
    return byte;
}

static void finish(int child, const int ends[2], int code) {
    CHECK_EQ(ctest_child_wait(child), code);
    close(ends[0]);
    close(ends[1]);
}

static void run_chain(relay *it) {
    int holder_ends[2], ends[WRITERS][2], children[WRITERS] = { 0 };
    const char byte = 1;
    uint64_t random = it->seed;
    it->score->kept = 0;
    it->score->last_writer = -1;
    it->score->begun = false;
    it->number = 0;
    int holder = start(hold_open, it, holder_ends);
    CHECK_EQ(hear(holder_ends), 1);
    for (int i = 0; i < TURNS; i++) {
        size_t next = ctest_random(&random) % WRITERS;
        if (children[next] == 0) children[next] = start(write_in_turns, it, ends[next]);
        it->number++;
        CHECK_EQ(write(ends[next][0], &byte, 1), 1);
        if (hear(ends[next]) != 0) continue;
        finish(children[next], ends[next], 0);
        children[next] = 0;
    }
    for (int i = 0; i < WRITERS; i++) {
        if (children[i] == 0) continue;
        kill(children[i], SIGKILL);
        finish(children[i], ends[i], 1000 + SIGKILL);
    }
    kill(holder, SIGKILL);
    finish(holder, holder_ends, 1000 + SIGKILL);
    CHECK_EQ(ctest_child(check_states, it), 0);
}

static void make_folder(site *at, const char *kind, uint64_t number) {
    char name[40];
    snprintf(name, sizeof name, "%s-%d", kind, (int)number);
    snprintf(at->directory, sizeof at->directory, "%s", ctest_path(name));
    CHECK_EQ(mkdir(at->directory, 0700), 0);
}

static void prepare(void *path) { strata_store_close(open_as(path, STRATA_DURABILITY_FULL, 0)); }

void test_power_fails_after_processes_have_ended(void) {
    const char *given = getenv("CTEST_RELAY");
    uint64_t chains = given != NULL ? strtoull(given, NULL, 0) : CHAINS;
    ctest_directory_in_memory();
    uint64_t seed = ctest_seed();
    score *score = mmap(NULL, sizeof *score, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(score != MAP_FAILED);
    for (uint64_t i = 0; i < chains; i++) {
        relay it = { .seed = seed + i, .score = score };
        make_folder(&it.at, "relay", i);
        make_folder(&it.cut, "cut", i);
        snprintf(it.saved, sizeof it.saved, "%s.record", it.at.directory);
        site_path(&it.at, "store", it.path);
        CHECK_EQ(ctest_child(prepare, it.path), 0);
        run_chain(&it);
    }
    if (given != NULL)
        printf("       %llu records, %llu deltas, %llu to pages of other processes\n",
               (unsigned long long)score->records, (unsigned long long)score->deltas,
               (unsigned long long)score->others);
    CHECK(chains < CHAINS || (score->deltas > score->records && score->others > score->deltas / 100));
    munmap(score, sizeof *score);
}
