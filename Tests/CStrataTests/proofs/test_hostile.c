/* SPDX-License-Identifier: MIT
 * test_hostile.c -- files that were damaged, or made to do harm.
 *
 * Promise: however a file is opened -- as usual, with its pages checked, read-only -- and whatever is wrong in it, it
 * is refused with a status, or can be read and written without leaving its memory, without an abort, and without an
 * endless loop; and nothing is overwritten that was sound. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdlib.h>
#include <string.h>

#include "support/damage.h"
#include "support/hostile.h"
#include "tests.h"

enum { PAGE = DAMAGE_PAGE };

void test_hostile_sound_files_pass(void) {
    strata_error error;
    strata_store *store;
    hostile_make_file("a.strata", 800);
    strata_status status = hostile_open(ctest_path("a.strata"), HOSTILE_CHECKED, &store, &error);
    if (status != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    strata_store_close(store);
    /* More transactions, so that lists of free pages come and go. */
    for (int round = 0; round < 40; round++) hostile_add_persons("a.strata", 1000 + round * 20, 20);
    status = hostile_open(ctest_path("a.strata"), HOSTILE_CHECKED, &store, &error);
    if (status != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    strata_store_close(store);
}

/* ---- Damage ----------------------------------------------------------- */

enum { SECONDS = 30, MOST_FAILURES = 20 };

/* What is shared with the children. */
typedef struct shared {
    const char *step;
    hostile_outcome outcomes[HOSTILE_MODES];
} shared;

typedef struct proof {
    uint8_t *sound, *bytes;    /* images: of the sound file, and of the one that is tried */
    size_t sound_size, size;
    const char *path;
    const char *way;
    uint64_t seed;
    hostile_mode mode;
    hostile_model *model;
    shared *shared;
    hostile_outcome before;    /* of this mode, without the file that is tried */
    int failures;
} proof;

static void write_image(const char *path, const uint8_t *bytes, size_t size) {
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(file >= 0);
    CHECK_EQ(write(file, bytes, size), (long long)size);
    CHECK_EQ(close(file), 0);
}

static uint8_t *read_image(const char *path, size_t *out_size) {
    struct stat info;
    int file = open(path, O_RDONLY);
    CHECK(file >= 0 && fstat(file, &info) == 0);
    uint8_t *bytes = malloc((size_t)info.st_size);
    CHECK(bytes != NULL && read(file, bytes, (size_t)info.st_size) == info.st_size);
    close(file);
    *out_size = (size_t)info.st_size;
    return bytes;
}

/* In a child. The alarm is for endless loops only. */
static void try_file(void *argument) {
    proof *it = argument;
    alarm(SECONDS);
    hostile_use(it->path, it->mode, it->seed, it->model, &it->shared->outcomes[it->mode]);
}

/* Where STRATA_HOSTILE_KEEP of the environment is a folder, files that did harm are kept in it. */
static void keep(const proof *it, uint64_t variant) {
    char path[400];
    const char *folder = getenv("STRATA_HOSTILE_KEEP");
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/%llu-%d.strata", folder, (unsigned long long)variant, (int)it->mode);
    write_image(path, it->bytes, it->size);
}

/* How many bytes the disk has for the file. */
static uint64_t bytes_on_disk(const proof *it) {
    enum { BLOCK = 512 };
    struct stat info;
    CHECK_EQ(stat(it->path, &info), 0);
    return (uint64_t)info.st_blocks * BLOCK;
}

/* What is written into a file of a few hundred pages takes no more, whatever its meta pages say of its size. */
static bool is_too_large(const proof *it) {
    enum { MOST = 64 << 20 };
    return bytes_on_disk(it) > it->size + MOST;
}

static void report(proof *it, uint64_t variant, int result) {
    const hostile_outcome *after = &it->shared->outcomes[it->mode];
    char what[100] = "";
    if (result > 1000) snprintf(what, sizeof what, "signal %d", result - 1000);
    else if (result != 0) snprintf(what, sizeof what, "exit %d", result);
    else if (is_too_large(it))
        snprintf(what, sizeof what, "%llu bytes of the disk for %zu", (unsigned long long)bytes_on_disk(it), it->size);
    else snprintf(what, sizeof what, "%llu objects lost, one of them in table %u: %u",
                  (unsigned long long)(after->lost - it->before.lost), after->lost_table, after->lost_key);
    fprintf(stderr, "hostile: file %llu (%s), %s, at \"%s\": %s\n", (unsigned long long)variant, it->way,
            hostile_mode_names[it->mode], it->shared->step, what);
    keep(it, variant);
    it->failures++;
}

static void try_in_each_mode(proof *it, uint64_t variant) {
    const char *only = getenv("STRATA_HOSTILE_MODE");
    for (int mode = 0; mode < HOSTILE_MODES && it->failures < MOST_FAILURES; mode++) {
        if (only != NULL && atoi(only) != mode) continue;
        it->mode = (hostile_mode)mode;
        it->before = it->shared->outcomes[mode];
        write_image(it->path, it->bytes, it->size);
        int result = ctest_child(try_file, it);
        if (result != 0 || is_too_large(it) || it->shared->outcomes[mode].lost != it->before.lost)
            report(it, variant, result);
    }
}

static void try_variant(proof *it, uint64_t variant) {
    uint64_t random = ctest_seed() + variant * UINT64_C(0x9E3779B97F4A7C15);
    it->size = it->sound_size;
    it->way = "sound";
    memcpy(it->bytes, it->sound, it->size);
    uint64_t count = 1 + (ctest_random(&random) % 4 == 0 ? ctest_random(&random) % 4 : 0);
    for (uint64_t i = 0; i < count; i++) it->size = damage_image(it->bytes, it->size, &random, &it->way);
    it->seed = ctest_random(&random);
    try_in_each_mode(it, variant);
}

static proof *make_proof(void) {
    static proof it;
    it = (proof){ .path = ctest_path("b.strata"), .seed = ctest_seed() };
    hostile_make_file("a.strata", 160);
    it.sound = read_image(ctest_path("a.strata"), &it.sound_size);
    it.bytes = malloc(it.sound_size);
    it.model = calloc(1, sizeof *it.model);
    it.shared = mmap(NULL, sizeof *it.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(it.bytes != NULL && it.model != NULL && it.shared != MAP_FAILED);
    survey_step = &it.shared->step;
    hostile_make_model(it.sound, it.sound_size, it.path, it.model);
    return &it;
}

static void free_proof(proof *it) {
    static const char *none;
    survey_step = &none;
    munmap(it->shared, sizeof *it->shared);
    free(it->sound);
    free(it->bytes);
    free(it->model);
}

/* What stands in the environment:
 *
 *   STRATA_HOSTILE_FILES   how many files are damaged, each tried in every mode
 *   STRATA_HOSTILE_FROM    the number of the first one. A failure names the file; with CTEST_SEED, and FILES=1, this
 *                          tries it again
 *   STRATA_HOSTILE_MODE    0, 1 or 2: in that mode alone
 *   STRATA_HOSTILE_KEEP    a folder in which files that did harm are kept
 *   STRATA_HOSTILE_FILE    a file that was kept, to be tried. The model is that of another file, so objects lost mean
 *                          nothing */
void test_hostile_files_do_no_harm(void) {
    const char *wish = getenv("STRATA_HOSTILE_FILES"), *start = getenv("STRATA_HOSTILE_FROM");
    const char *kept = getenv("STRATA_HOSTILE_FILE");
    uint64_t files = wish != NULL ? strtoull(wish, NULL, 10) : ctest_rounds(120);
    uint64_t first = start != NULL ? strtoull(start, NULL, 10) : 0;
    ctest_directory_in_memory();
    proof *it = make_proof();
    memcpy(it->bytes, it->sound, it->size = it->sound_size);
    try_in_each_mode(it, 0);
    CHECK_EQ(it->failures, 0);
    for (int mode = 0; mode < HOSTILE_MODES && getenv("STRATA_HOSTILE_MODE") == NULL; mode++) {
        CHECK_EQ(it->shared->outcomes[mode].opened, 1);
        CHECK_EQ(it->shared->outcomes[mode].conditions, SURVEY_CONDITIONS);
        CHECK(mode == HOSTILE_READ_ONLY || it->shared->outcomes[mode].sound > 100);
    }
    CHECK(it->shared->outcomes[HOSTILE_READ_ONLY].commits == 0);
    if (kept != NULL) {
        free(it->bytes);
        it->bytes = read_image(kept, &it->size);
        try_in_each_mode(it, first);
    }
    for (uint64_t i = first; i < first + files && it->failures < MOST_FAILURES && kept == NULL; i++) try_variant(it, i);
    const hostile_outcome *outcomes = it->shared->outcomes;
    for (int mode = 0; mode < HOSTILE_MODES && wish != NULL; mode++)
        fprintf(stderr, "hostile: %llu damaged files %s: %llu opened, %llu commits, %llu sound objects kept\n",
                (unsigned long long)files, hostile_mode_names[mode], (unsigned long long)outcomes[mode].opened,
                (unsigned long long)outcomes[mode].commits,
                (unsigned long long)(outcomes[mode].sound - outcomes[mode].lost));
    int failures = it->failures;
    free_proof(it);
    CHECK_EQ(failures, 0);
}

/* ---- Free pages ------------------------------------------------------- */

static void put(uint8_t *bytes, uint64_t value, size_t size) { memcpy(bytes, &value, size); }

static uint64_t number_at(const uint8_t *bytes, size_t size) {
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

/* Makes the tree of free pages a single entry without a value: on its page, or on one of its own. */
static void empty_free_list(uint8_t *bytes, bool big) {
    enum { FREE_ROOT = 80, TXNID = 144, HEADER = 16, NODE = 8 };
    const uint8_t *meta = number_at(bytes + TXNID, 8) > number_at(bytes + PAGE + TXNID, 8) ? bytes : bytes + PAGE;
    uint8_t *leaf = bytes + number_at(meta + FREE_ROOT, 8) * PAGE;
    CHECK_EQ(number_at(leaf + 10, 2), 2); /* a leaf */
    const uint8_t *first = leaf + number_at(leaf + HEADER, 2);
    uint64_t transaction = number_at(first + NODE, 8), page = number_at(first + NODE + 16, 8);
    CHECK_EQ(number_at(first + 4, 2), 0); /* its value is beside it */
    uint8_t *only = leaf + PAGE - (big ? 24 : 16);
    memset(leaf + HEADER, 0, PAGE - HEADER);
    put(leaf + 12, HEADER + 2, 2);
    put(leaf + 14, (uint64_t)(only - leaf), 2);
    put(leaf + HEADER, (uint64_t)(only - leaf), 2);
    put(only + 4, big ? 1 : 0, 2);
    put(only + 6, 8, 2);
    put(only + NODE, transaction, 8);
    if (!big) return;
    put(only + NODE + 8, page, 8);
    memset(bytes + page * PAGE, 0, HEADER);
    put(bytes + page * PAGE, page, 8);
    put(bytes + page * PAGE + 10, 4, 2); /* a value, */
    put(bytes + page * PAGE + 12, 1, 4); /* of one page */
}

void test_hostile_lists_of_no_free_pages(void) {
    struct stat info;
    strata_error error;
    strata_store *store;
    hostile_make_file("a.strata", 300);
    int file = open(ctest_path("a.strata"), O_RDONLY);
    CHECK(file >= 0 && fstat(file, &info) == 0);
    uint8_t *bytes = malloc((size_t)info.st_size);
    for (int big = 0; big < 2; big++) {
        CHECK(bytes != NULL && pread(file, bytes, (size_t)info.st_size, 0) == info.st_size);
        empty_free_list(bytes, big != 0);
        write_image(ctest_path("b.strata"), bytes, (size_t)info.st_size);
        CHECK_EQ(hostile_open(ctest_path("b.strata"), HOSTILE_CHECKED, &store, &error), STRATA_CORRUPT);
        CHECK(strstr(error.message, "impossible list of free pages") != NULL);
        strata_store_stats stats = { .size = sizeof stats };
        CHECK_EQ(hostile_open(ctest_path("b.strata"), HOSTILE_USUAL, &store, &error), STRATA_OK);
        CHECK_EQ(strata_store_get_stats(store, &stats, &error), STRATA_CORRUPT);
        CHECK(strstr(error.message, "impossible list of free pages") != NULL);
        CHECK_EQ(stats.used_size, 0);
        strata_store_close(store);
    }
    close(file);
    free(bytes);
}
