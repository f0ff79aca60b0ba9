/* SPDX-License-Identifier: MIT
 *
 * test_faults.c -- call number N of the system fails, for every N: what was acknowledged is there, nothing is lost,
 * leaked or left by halves, and the error says what happened.
 *
 * Every workload runs with every kind of call failing, once and for ever, closing included. Where the disk is full,
 * there is a third ending: all calls fail until a step has failed, then there is room again, and the same program
 * deletes everything, commits and writes. The series of one workload and call is a child process; as many run at a time
 * as there are processors. What stands in CTEST_FAULTS chooses:
 *
 *   all                              every N, with every ending, instead of some of them
 *   all bulk                         the same of one workload
 *   bulk writev 28 2 ever relaxed    one case: workload, call, error number, N, `once`, `ever` or `room`, durability
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/faults.h"
#include "support/workload.h"

#if defined(__SANITIZE_ADDRESS__)
#define LEAK_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAK_SANITIZER 1
#endif
#endif
#ifdef LEAK_SANITIZER
extern int __lsan_do_recoverable_leak_check(void);
static bool leaks(void) { return __lsan_do_recoverable_leak_check() != 0; }
enum { PARTS = 6 }; /* sanitizers make processes slow to start: of that many series one is run */
#else
static bool leaks(void) { return false; }
enum { PARTS = 1 };
#endif

/* How a kind of call may fail. */
static const struct failing {
    fault_call call;
    int code;
} failings[] = {
    { FAULT_ALLOCATION, ENOMEM },   { FAULT_PWRITE, EIO },    { FAULT_PWRITE, ENOSPC },
    { FAULT_WRITEV, EIO },          { FAULT_WRITEV, EDQUOT }, { FAULT_SHORT, 0 },
    { FAULT_WRITE, ENOSPC },        { FAULT_WRITE, EIO },     { FAULT_FDATASYNC, EIO },
    { FAULT_FSYNC, EIO },           { FAULT_OPEN, EMFILE },   { FAULT_SYNC_DIRECTORY, EIO },
    { FAULT_FTRUNCATE, ENOSPC },    { FAULT_MMAP, ENOMEM },   { FAULT_RENAME, EIO },
    { FAULT_FCNTL, ENOLCK },        { FAULT_STAT, EIO },      { FAULT_RANDOM, ENOSYS },
    { FAULT_THREAD, EAGAIN },
};

enum { FAILINGS = (int)(sizeof failings / sizeof failings[0]) };

/* How long calls fail: one of them, all of them, or all until a step has failed. */
typedef enum ending { ONCE, EVER, ROOM, ENDINGS } ending;

enum { DURABILITIES = 4 };
static const char *const durability_names[DURABILITIES] = { "full", "relaxed", "logged", "deferred" };

static const char *const ending_names[ENDINGS] = { "once", "ever", "room" };

static bool is_about_room(const struct failing *failing) {
    return failing->call == FAULT_SHORT || failing->code == ENOSPC || failing->code == EDQUOT;
}

/* What a series shares with its parent: where it is, in case that it does not come back. */
typedef struct series {
    const workload *what;
    struct failing failing;
    strata_durability durability;
    ending ending;
    bool all, again;
    int place; /* among those that run at a time */
    int process;
    unsigned first, last;
    unsigned now, cases; /* written by the child */
    char text[600];
} series;

/* Those that run at a time. Each is waited for when its place is needed again. */
static struct {
    series *places;
    int count, next;
} running;

enum { MOST_AT_A_TIME = 8 };

static void begin_running(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t size = MOST_AT_A_TIME * sizeof(series);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    running.places = memory;
    running.next = 0;
    running.count = processors < 1 ? 1 : processors < MOST_AT_A_TIME ? (int)processors : MOST_AT_A_TIME;
}

static void wrong(series *s, const char *what, const site *at) {
    snprintf(s->text, sizeof s->text, "%s (%s)", what, at != NULL ? at->error.message : "");
    _exit(98);
}

/* ---- Files of the folder ---------------------------------------------- */

static void copy_file(const char *from, const char *to) {
    static char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t size;
    CHECK(in != NULL && out != NULL);
    while ((size = fread(buffer, 1, sizeof buffer, in)) > 0) CHECK_EQ(fwrite(buffer, 1, size, out), size);
    fclose(in);
    CHECK_EQ(fclose(out), 0);
}

/* Removes all files, and counts those that were made under a temporary name and left behind. */
static int empty_folder(const site *at) {
    char path[500];
    int left = 0;
    DIR *entries = opendir(at->directory);
    CHECK(entries != NULL);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        left += strncmp(entry->d_name, ".strata-new-", 12) == 0;
        CHECK_EQ(unlink(site_path(at, entry->d_name, path)), 0);
    }
    closedir(entries);
    return left;
}

static int descriptors(void) {
    DIR *entries = opendir("/proc/self/fd");
    int count = 0;
    if (entries == NULL) return 0;
    while (readdir(entries) != NULL) count++;
    closedir(entries);
    return count;
}

/* ---- One case --------------------------------------------------------- */

/* A failure of the system must not be taken for one of the file or the caller. */
static bool is_honest(strata_status status, const struct failing *failing) {
    if (failing->call == FAULT_ALLOCATION) return status == STRATA_NO_MEMORY;
    if (is_about_room(failing))
        return status == STRATA_DISK_FULL || status == STRATA_COMMIT_UNKNOWN || status == STRATA_POISONED;
    switch (status) {
    case STRATA_IO:
    case STRATA_DISK_FULL:
    case STRATA_COMMIT_UNKNOWN:
    case STRATA_POISONED: return true;
    case STRATA_NO_MEMORY: return failing->code == ENOMEM || failing->code == EAGAIN;
    case STRATA_REPLACED_FILE: return failing->call == FAULT_STAT; /* it cannot be seen that the file is the one */
    default: return false;
    }
}

typedef struct outcome {
    int acknowledged; /* steps */
    bool met;
    strata_status status;
} outcome;

/* Room and memory may come back, and then the same handle must work again. */
static bool may_try_again(const series *s, strata_status status) {
    return s->ending == ONCE && (status == STRATA_DISK_FULL || status == STRATA_NO_MEMORY);
}

/* The error of the step stays what it was. True if the fault was met. */
static bool make_room(series *s, site *at) {
    strata_error error = at->error;
    bool met = fault_clear();
    if (workload_make_room(at) < 0) wrong(s, "with room again, nothing can be deleted or written", at);
    at->error = error;
    return met;
}

static outcome run_steps(series *s, site *at, unsigned n) {
    outcome it = { 0, false, STRATA_OK };
    fault_set_everywhere(s->failing.call, n, s->ending == ONCE ? 1 : UINT_MAX, s->failing.code);
    while (it.acknowledged < s->what->steps) {
        it.status = s->what->step(at, it.acknowledged);
        if (it.status < 0 && may_try_again(s, it.status)) {
            it.met = fault_clear();
            it.status = s->what->step(at, it.acknowledged);
            if (it.status < 0) wrong(s, "it does not go on after a failure that should pass", at);
        }
        if (it.status < 0) break;
        it.acknowledged++;
    }
    if (s->ending == ROOM && it.status < 0) it.met = make_room(s, at);
    site_close(at);
    it.met = fault_clear() || it.met;
    return it;
}

/* Runs the case of one N. False if fewer calls than that were made. */
static bool run_case(series *s, site *at, const world *states, const char *template, unsigned n) {
    char path[500], why[200];
    world now;
    CHECK_EQ(empty_folder(at), 0);
    if (!s->what->fresh) copy_file(template, site_path(at, "store", path));
    int descriptors_before = descriptors();
    long blocks = fault_all_blocks();
    if (s->what->open_first && site_open(at) < 0) wrong(s, "it cannot be opened", at);
    memset(&at->error, 0, sizeof at->error);
    outcome it = run_steps(s, at, n);
    if (it.status < 0 && !it.met) wrong(s, "a step failed by itself", at);
    if (it.status < 0 && (at->error.status != it.status || at->error.message[0] == 0))
        wrong(s, "the error does not belong to the status", at);
    if (it.status < 0 && !is_honest(it.status, &s->failing)) {
        char text[80];
        snprintf(text, sizeof text, "the step failed as %s", strata_status_name(it.status));
        wrong(s, text, at);
    }
    bool leaked = fault_all_blocks() > blocks;
    if (descriptors() != descriptors_before) wrong(s, "a descriptor leaked", NULL);
    if (world_read(at, &now, &at->error) < 0) wrong(s, "a file cannot be read any more", at);
    bool emptied = s->ending == ROOM && it.status < 0;
    if (!emptied && !world_is_among(&now, &states[it.acknowledged], 1 + (it.status < 0), why)) wrong(s, why, at);
    if (empty_folder(at) != 0) wrong(s, "a temporary file was left behind", NULL);
    s->cases++;
    if (leaked) { /* again: the C library keeps some blocks when it needs them for the first time */
        if (s->again) wrong(s, "memory leaked", NULL);
        s->again = true;
        (void)run_case(s, at, states, template, n);
    }
    s->again = false;
    return it.met;
}

/* Every N at first; then, unless all are wanted, ever fewer of them. */
static unsigned next_number(const series *s, unsigned n) { return s->all || n < 4 ? n + 1 : n + n / 2; }

static void run_series(void *argument) {
    series *s = argument;
    site at = { .store = NULL };
    world states[MOST_STEPS + 1];
    char template[500];
    char name[40];
    snprintf(name, sizeof name, "folder%d", s->place);
    snprintf(at.directory, sizeof at.directory, "%s", ctest_path(name));
    snprintf(name, sizeof name, "template%d", s->place);
    snprintf(template, sizeof template, "%s", ctest_path(name));
    CHECK(mkdir(at.directory, 0700) == 0 || errno == EEXIST);
    empty_folder(&at);
    workload_prepare(s->what, &at);
    if (!s->what->fresh) {
        char path[500];
        copy_file(site_path(&at, "store", path), template);
        empty_folder(&at);
    }
    workload_run(s->what, &at, states);
    empty_folder(&at);
    at.durability = s->durability;
    (void)fault_all_blocks(); /* counts from here on */
    for (s->now = s->first; s->now <= s->last && run_case(s, &at, states, template, s->now);)
        s->now = next_number(s, s->now);
    if (leaks()) wrong(s, "memory leaked", NULL);
}

/* The test is about to fail, and its folder to be removed. */
static void stop_others(void) {
    for (int i = 0; i < running.count; i++) {
        if (running.places[i].process == 0) continue;
        kill(running.places[i].process, SIGKILL);
        (void)ctest_child_wait(running.places[i].process);
    }
}

static void report(series *s, int result) {
    char text[900];
    if (result >= 1000) snprintf(s->text, sizeof s->text, "ended by signal %d", result - 1000);
    else if (s->text[0] == 0) snprintf(s->text, sizeof s->text, "see above");
    snprintf(text, sizeof text, "CTEST_FAULTS=\"%s %s %d %u %s %s\": %s", s->what->name, fault_name(s->failing.call),
             s->failing.code, s->now, ending_names[s->ending],
             durability_names[s->durability], s->text);
    if (getenv("CTEST_FAULTS_ON") == NULL) {
        stop_others();
        ctest_fail(__FILE__, __LINE__, text);
    }
    fprintf(stderr, "%s\n", text);
}

static void await_and_report(series *s) {
    if (s->process == 0) return;
    int result = ctest_child_wait(s->process);
    s->process = 0;
    if (result != 0) report(s, result);
}

static void run_and_report(const series *what) {
    int place = running.next;
    series *s = &running.places[place];
    await_and_report(s);
    unsigned cases = s->cases;
    *s = *what;
    s->cases = cases;
    s->place = place;
    s->text[0] = 0;
    s->process = ctest_child_start(run_series, s);
    CHECK(s->process > 0);
    running.next = (place + 1) % running.count;
}

/* Waits for all that run. How many calls failed until now. */
static unsigned count_cases(void) {
    unsigned cases = 0;
    for (int i = 0; i < running.count; i++) {
        await_and_report(&running.places[i]);
        cases += running.places[i].cases;
    }
    return cases;
}

/* The workload and the call of CTEST_FAULTS, if it names a case. */
static bool choose(series *s) {
    char name[20], call[20], times[8], durability[9];
    const char *given = getenv("CTEST_FAULTS");
    if (given == NULL || sscanf(given, "%19s %19s %d %u %7s %8s", name, call, &s->failing.code, &s->first, times,
                                durability) != 6)
        return false;
    s->last = s->first;
    for (int i = 0; i < DURABILITIES; i++)
        if (strcmp(durability_names[i], durability) == 0) s->durability = (strata_durability)i;
    for (int i = 0; i < ENDINGS; i++)
        if (strcmp(ending_names[i], times) == 0) s->ending = (ending)i;
    for (int i = 0; i < workload_count; i++)
        if (strcmp(workloads[i].name, name) == 0) s->what = &workloads[i];
    for (int i = 0; i < FAULT_CALLS; i++)
        if (strcmp(fault_name((fault_call)i), call) == 0) s->failing.call = (fault_call)i;
    CHECK(s->what != NULL);
    return true;
}

/* With each durability, or with one of them by turns. */
static void run_with_each(series *s, int turn) {
    for (int d = 0; d < DURABILITIES; d++) {
        s->durability = (strata_durability)d;
        if (s->all || turn % DURABILITIES == d) run_and_report(s);
    }
}

/* Unless all are wanted: once or for ever, by turns; and of the third ending a third. */
static bool is_due(const series *s, int workload, int failing) {
    if (s->ending == ROOM && !is_about_room(&s->failing)) return false;
    if (s->all) return true;
    if (s->ending == ROOM) {
        if ((workload + failing) % 3 != 0) return false;
    } else if (s->failing.call != FAULT_ALLOCATION && (workload + failing) % 2 != (int)s->ending) {
        return false;
    }
    int number = workload * FAILINGS + failing;
    return number % PARTS == 0 && ctest_tries((uint64_t)number);
}

static void run_all(series *s, bool memory) {
    char name[20] = "";
    const char *given = getenv("CTEST_FAULTS");
    s->all = given != NULL && strncmp(given, "all", 3) == 0;
    if (s->all) (void)sscanf(given, "all %19s", name);
    s->first = 1;
    s->last = UINT_MAX;
    for (int w = 0; w < workload_count; w++) {
        if (name[0] != 0 && strcmp(workloads[w].name, name) != 0) continue;
        for (int i = 0; i < FAILINGS * ENDINGS; i++) {
            s->what = &workloads[w];
            s->failing = failings[i / ENDINGS];
            s->ending = (ending)(i % ENDINGS);
            if ((s->failing.call == FAULT_ALLOCATION) == memory && is_due(s, w, i / ENDINGS))
                run_with_each(s, w + i / ENDINGS / 2);
        }
        if (s->all) {
            printf("%u calls failed up to %s\n", count_cases(), workloads[w].name);
            fflush(stdout);
        }
    }
}

static void run(bool memory) {
    series s = { .ending = ONCE };
    ctest_directory_in_memory();
    begin_running();
    if (choose(&s)) run_and_report(&s);
    else run_all(&s, memory);
    unsigned cases = count_cases();
    if (s.all) printf("%u failing calls\n", cases);
    munmap(running.places, MOST_AT_A_TIME * sizeof(series));
}

void test_faults_of_the_system(void) { run(false); }

void test_faults_of_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    run(true);
}
