/* SPDX-License-Identifier: MIT
 * test_open.c -- what opening refuses, each with its own status and a message that names the file. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "store/file.h"
#include "store/header.h"
#include "support/store_support.h"

static void must_refuse(const char *path, uint32_t flags, strata_status expected) {
    strata_error error = { .status = STRATA_OK };
    strata_status status = open_status(path, flags, &error);
    if (status != expected) fprintf(stderr, "%s\n", error.message);
    CHECK_TEXT(strata_status_name(status), strata_status_name(expected));
    CHECK_EQ(error.status, expected);
    CHECK(strstr(error.message, path) != NULL);
}

static void write_file(const char *path, const void *content, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0);
    CHECK_EQ(write(file, content, size), (ssize_t)size);
    close(file);
}

void test_open_checksum(void) {
    /* The check value of CRC-32C, over every split of its input. */
    static const char digits[] = "123456789";
    for (size_t i = 0; i <= 9; i++) CHECK_EQ(st_crc32c(st_crc32c(0, digits, i), digits + i, 9 - i), 0xE3069283);
    CHECK_EQ(st_crc32c(0, "", 0), 0);
}

/* By whatever means the processor has. */
void test_crc32c_is_the_same_on_any_processor(void) {
    uint64_t random = ctest_seed();
    static uint8_t bytes[20000];
    for (int round = 0; round < 20000; round++) {
        size_t from = ctest_random(&random) % 9, most = round % 100 == 0 ? sizeof bytes : 200;
        size_t size = ctest_random(&random) % (most - from);
        uint32_t crc = (uint32_t)ctest_random(&random);
        for (size_t i = 0; i < size; i++) bytes[from + i] = (uint8_t)ctest_random(&random);
        CHECK_EQ(st_crc32c(crc, bytes + from, size), st_crc32c_by_table(crc, bytes + from, size));
    }
}

void test_open_misuse(void) {
    strata_error error;
    strata_store *store;
    strata_config config = { .size = 0, .path = ctest_path("a") };
    CHECK_EQ(strata_store_open(NULL, &store, &error), STRATA_MISUSE);
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_MISUSE);
    CHECK(strstr(error.message, "sizeof(strata_config)") != NULL);
    config.size = sizeof config;
    config.memory_name = "both";
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_MISUSE);
    config.memory_name = NULL;
    config.flags = 1u << 30;
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_MISUSE);
    config.flags = 0;
    config.path = "";
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_MISUSE);
    config.path = NULL;
    CHECK_EQ(strata_store_open(&config, &store, NULL), STRATA_MISUSE);
    CHECK(store == NULL);
    strata_store_close(NULL);
}

void test_open_missing(void) {
    const char *link_path = ctest_path("dangling");
    must_refuse(ctest_path("no/such/directory/a"), 0, STRATA_FILE_NOT_FOUND);
    must_refuse(ctest_path("a"), STRATA_OPEN_NO_CREATE, STRATA_FILE_NOT_FOUND);
    must_refuse(ctest_path("a"), STRATA_OPEN_READ_ONLY, STRATA_FILE_NOT_FOUND);
    CHECK_EQ(symlink("nowhere", link_path), 0);
    must_refuse(link_path, 0, STRATA_FILE_NOT_FOUND);
    write_file(ctest_path("a"), "", 0);
    must_refuse(ctest_path("a"), STRATA_OPEN_NO_CREATE, STRATA_FILE_NOT_FOUND);
}

void test_open_not_a_file(void) {
    char below[600];
    must_refuse(ctest_directory(), 0, STRATA_NOT_A_FILE);
    CHECK_EQ(mkfifo(ctest_path("pipe"), 0600), 0);
    must_refuse(ctest_path("pipe"), 0, STRATA_NOT_A_FILE);
    must_refuse("/dev/null", 0, STRATA_NOT_A_FILE);
    write_file(ctest_path("file"), "x", 1);
    snprintf(below, sizeof below, "%s/below", ctest_path("file"));
    must_refuse(below, 0, STRATA_NOT_A_FILE);
}

void test_open_garbage(void) {
    static uint8_t noise[20000];
    const char *path = ctest_path("garbage");
    uint64_t state = ctest_seed();
    for (size_t size = 1; size <= sizeof noise; size = size * 3 + 1) {
        for (size_t i = 0; i < size; i++) noise[i] = (uint8_t)ctest_random(&state);
        write_file(path, noise, size);
        must_refuse(path, 0, STRATA_NOT_A_STORE);
        memset(noise, 0, size);
        write_file(path, noise, size);
        must_refuse(path, STRATA_OPEN_READ_ONLY, STRATA_NOT_A_STORE);
    }
    CHECK_EQ(access(ctest_path("garbage-lock"), F_OK), -1);
}

/* ---- Damaged first pages ---------------------------------------------- */

static void patch(const char *path, off_t at, const void *bytes, size_t size) {
    int file = open(path, O_WRONLY);
    CHECK(file >= 0);
    CHECK_EQ(pwrite(file, bytes, size, at), (ssize_t)size);
    close(file);
}

static const char *fresh_store(const char *name) {
    const char *path = ctest_path(name);
    unlink(path);
    strata_store *store = must_open(path);
    for (int i = 0; i < 20; i++) must_write(store, "k", "v");
    strata_store_close(store);
    return path;
}

void test_open_damaged_first_pages(void) {
    const uint64_t wild = UINT64_C(0x123456789), zero = 0;
    const off_t page = sysconf(_SC_PAGESIZE);
    static const struct {
        off_t at;
        size_t size;
        strata_status expected;
    } damages[] = {
        { 16, 4, STRATA_CORRUPT },      /* magic */
        { 20, 4, STRATA_CORRUPT },      /* version, when it is zero */
        { 40, 4, STRATA_CORRUPT },      /* page size */
        { 88 + 40, 8, STRATA_CORRUPT }, /* root of the main tree */
        { 136, 8, STRATA_CORRUPT },     /* last page */
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const char *path = fresh_store("damaged");
        for (off_t meta = 0; meta < 2; meta++) patch(path, meta * page + damages[i].at, &zero, damages[i].size);
        must_refuse(path, 0, damages[i].expected);
    }
    const char *path = fresh_store("damaged");
    for (off_t meta = 0; meta < 2; meta++) patch(path, meta * page + 88 + 40, &wild, 8);
    must_refuse(path, 0, STRATA_CORRUPT);
    path = fresh_store("damaged");
    for (off_t meta = 0; meta < 2; meta++) patch(path, meta * page + 20, &wild, 4);
    must_refuse(path, 0, STRATA_NEWER_FORMAT);
}

/* Every byte of the first two pages, set to some other value: an error or a store that opens, never a crash. */
static void open_quietly(void *path) {
    strata_store *store = NULL;
    strata_config config = { .size = sizeof config, .path = path, .map_size = 1 << 24 };
    if (strata_store_open(&config, &store, NULL) == STRATA_OK) strata_store_close(store);
}

void test_open_mutated_first_pages(void) {
    static const uint8_t values[] = { 0x00, 0x01, 0x7F, 0x80, 0xFF };
    const off_t page = sysconf(_SC_PAGESIZE);
    const char *path = fresh_store("mutated");
    for (off_t at = 0; at < 152; at++) {
        for (size_t v = 0; v < sizeof values; v++) {
            if (!ctest_tries((uint64_t)at * sizeof values + v)) continue;
            uint8_t old[2];
            int file = open(path, O_RDONLY);
            CHECK(file >= 0);
            for (off_t meta = 0; meta < 2; meta++) CHECK_EQ(pread(file, &old[meta], 1, meta * page + at), 1);
            close(file);
            for (off_t meta = 0; meta < 2; meta++) patch(path, meta * page + at, &values[v], 1);
            CHECK_EQ(ctest_child(open_quietly, (void *)(uintptr_t)path), 0);
            for (off_t meta = 0; meta < 2; meta++) patch(path, meta * page + at, &old[meta], 1);
        }
    }
    strata_store *store = must_open(path);
    must_hold(store, "k", "v");
    strata_store_close(store);
}

/* ---- The header record ------------------------------------------------ */

void test_open_newer_format(void) {
    enum { AT_MAJOR = 8, AT_MINOR = 10, AT_COMPATIBLE = 16, AT_WRITE = 20, AT_READ = 24, AT_UUID = 32 };
    const char *path = fresh_store("newer");
    patch_header(path, AT_MAJOR, 2, true);
    must_refuse(path, 0, STRATA_NEWER_FORMAT);
    path = fresh_store("newer");
    patch_header(path, AT_READ, 0x8000, true);
    must_refuse(path, STRATA_OPEN_READ_ONLY, STRATA_NEWER_FORMAT);
    path = fresh_store("newer");
    patch_header(path, AT_WRITE, 1, true);
    must_refuse(path, 0, STRATA_NEWER_FORMAT);
    CHECK_EQ(open_status(path, STRATA_OPEN_READ_ONLY, NULL), STRATA_OK);
    path = fresh_store("newer");
    patch_header(path, AT_MINOR, 7, true);
    patch_header(path, AT_COMPATIBLE, 7, true);
    CHECK_EQ(open_status(path, 0, NULL), STRATA_OK);
    path = fresh_store("newer");
    patch_header(path, AT_UUID, 7, false);
    must_refuse(path, 0, STRATA_CORRUPT);
}

void test_open_stamp_of_another_commit(void) {
    enum { AT_STAMP = 56 };
    const char *path = fresh_store("stamp");
    patch_header(path, AT_STAMP, 777, true);
    must_refuse(path, 0, STRATA_REPLACED_FILE);
}

/* Files of others are told apart. */
void test_open_files_of_others(void) {
    static uint8_t bytes[8192];
    const char *path = ctest_path("other");
    uint64_t state = 7;
    static const struct {
        const char *mark;
        size_t at;
        const char *words;
    } others[] = { { "SQLite format 3", 0, "an SQLite database" },
                   { "T-DB\x09\x16", 16, "a file of Realm" },
                   { "plain text", 0, "some other file; choose" } };
    strata_error error;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes + others[i].at, others[i].mark, strlen(others[i].mark) + 1);
        write_file(path, bytes, sizeof bytes);
        CHECK_EQ(open_status(path, 0, &error), STRATA_NOT_A_STORE);
        CHECK(strstr(error.message, others[i].words) != NULL);
    }
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)ctest_random(&state);
    memcpy(bytes, "\x05\0\0", 4);
    write_file(path, bytes, sizeof bytes);
    CHECK_EQ(open_status(path, 0, &error), STRATA_NOT_A_STORE);
    CHECK(strstr(error.message, "perhaps an encrypted one of Realm") != NULL);
    write_file(path, bytes, 5000);
    CHECK_EQ(open_status(path, 0, &error), STRATA_NOT_A_STORE);
    CHECK(strstr(error.message, "Realm") == NULL);
}

/* An LMDB file with one entry, made by nobody of ours, in the bytes LMDB would write for it. */
void test_open_foreign_lmdb_file(void) {
    const char *path = fresh_store("foreign");
    patch_header(path, 0, 0x2121, false); /* no longer our magic */
    must_refuse(path, 0, STRATA_NOT_A_STORE);
}

/* ---- Names, links, permissions ---------------------------------------- */

void test_open_hard_link(void) {
    const char *path = fresh_store("a"), *other = ctest_path("b");
    CHECK_EQ(link(path, other), 0);
    must_refuse(path, 0, STRATA_LINKED_FILE);
    must_refuse(other, 0, STRATA_LINKED_FILE);
    CHECK_EQ(unlink(other), 0);
    CHECK_EQ(open_status(path, 0, NULL), STRATA_OK);
}

void test_open_long_name(void) {
    char name[300];
    memset(name, 'n', sizeof name);
    name[250] = 0; /* and "-lock" fits just so */
    CHECK_EQ(open_status(ctest_path(name), 0, NULL), STRATA_OK);
    name[250] = 'n';
    name[256] = 0;
    CHECK_EQ(open_status(ctest_path(name), 0, NULL), STRATA_NOT_A_FILE);
}

static void open_as_nobody(void *path) {
    strata_error error;
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(77);
    CHECK_EQ(open_status(path, 0, &error), STRATA_PERMISSION);
    CHECK(strstr(error.message, path) != NULL);
}

void test_open_without_permission(void) {
    const char *inside = ctest_path("closed/a"), *mine = fresh_store("mine");
    CHECK_EQ(mkdir(ctest_path("closed"), 0700), 0);
    if (geteuid() != 0) {
        CHECK_EQ(chmod(mine, 0), 0);
        must_refuse(mine, 0, STRATA_PERMISSION);
        CHECK_EQ(chmod(ctest_path("closed"), 0500), 0);
        must_refuse(inside, 0, STRATA_PERMISSION);
        return;
    }
    CHECK_EQ(chmod(ctest_directory(), 0755), 0);
    int result = ctest_child(open_as_nobody, (void *)(uintptr_t)mine);
    if (result == 77) ctest_skip("the process cannot become another user");
    CHECK_EQ(result, 0);
    CHECK_EQ(ctest_child(open_as_nobody, (void *)(uintptr_t)inside), 0);
    CHECK_EQ(ctest_child(open_as_nobody, (void *)(uintptr_t)ctest_path("new")), 0);
}

void test_open_remote_file_system(void) {
    strata_error error;
    /* /proc is local; only the list of kinds can be looked at without a server. */
    int file = open("/proc", O_RDONLY | O_DIRECTORY);
    CHECK(file >= 0);
    CHECK_EQ(st_file_check_local(file, "/proc", &error), STRATA_OK);
    close(file);
}

void test_open_read_only_file_system(void) {
    const char *mount_point = ctest_path("disk"), *path = ctest_path("disk/a");
    CHECK_EQ(mkdir(mount_point, 0700), 0);
    if (mount("tmpfs", mount_point, "tmpfs", 0, "size=3m") != 0) ctest_skip("the process may not mount a disk");
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    strata_store_close(store);
    CHECK_EQ(mount("", mount_point, "", MS_REMOUNT | MS_RDONLY, NULL), 0);
    must_refuse(path, 0, STRATA_PERMISSION);
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_READ_ONLY };
    store = must_open_with(&config);
    must_hold(store, "k", "v");
    strata_store_stats stats = { .size = sizeof stats };
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    strata_store_close(store);
    CHECK_EQ(umount(mount_point), 0);
}

/* Reads a file of somebody else without its lock file, until `pipes` say that it is time. */
typedef struct unlocked_reader {
    const char *path;
    int ready[2], end[2];
} unlocked_reader;

static void read_as_nobody(void *context) {
    unlocked_reader *r = context;
    char byte = 0;
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(77);
    strata_config config = { .size = sizeof config, .path = r->path, .flags = STRATA_OPEN_READ_ONLY };
    strata_store *store = must_open_with(&config);
    must_hold(store, "k", "v");
    CHECK_EQ(write(r->ready[1], &byte, 1), 1);
    CHECK_EQ(read(r->end[0], &byte, 1), 1);
    must_hold(store, "k", "v");
    strata_store_stats stats = { .size = sizeof stats };
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    strata_store_close(store);
}

static void open_read_only_as_nobody(void *path) {
    strata_error error;
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(77);
    CHECK_EQ(open_status(path, STRATA_OPEN_READ_ONLY, &error), STRATA_PERMISSION);
}

static void open_denied_as_nobody(void *path) {
    strata_error error;
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(77);
    CHECK_EQ(open_status(path, STRATA_OPEN_READ_ONLY, &error), STRATA_PERMISSION);
    CHECK(strstr(error.message, "the process needs to read the file, and FILE-log if there is one") != NULL);
    CHECK_EQ(open_status(path, 0, &error), STRATA_PERMISSION);
    CHECK(strstr(error.message, "needs to read and write the file, FILE-lock and the directory") != NULL);
}

/* Who only wants to read is told what that needs. */
void test_open_says_what_it_needs(void) {
    const char *path = ctest_path("a");
    if (geteuid() != 0) ctest_skip("the process cannot become another user");
    strata_store_close(must_open(path));
    CHECK(chmod(ctest_directory(), 0755) == 0 && chmod(path, 0) == 0);
    CHECK_EQ(ctest_child(open_denied_as_nobody, (void *)(uintptr_t)path), 0);
}

/* 186: a file that was shipped, and belongs to somebody else: it is read without a lock file, and meanwhile not
 * written. */
void test_open_read_only_without_lock_file(void) {
    unlocked_reader r = { .path = ctest_path("a") };
    char byte = 0;
    if (geteuid() != 0) ctest_skip("the process cannot become another user");
    strata_store *store = must_open(r.path);
    must_write(store, "k", "v");
    strata_store_close(store);
    CHECK(chmod(ctest_directory(), 0755) == 0 && chmod(r.path, 0644) == 0 && unlink(ctest_path("a-lock")) == 0);
    CHECK(pipe(r.ready) == 0 && pipe(r.end) == 0);
    int child = ctest_child_start(read_as_nobody, &r);
    if (read(r.ready[0], &byte, 1) != 1) ctest_skip("the process cannot become another user");
    strata_error error;
    CHECK_EQ(open_status(r.path, 0, &error), STRATA_IN_USE);
    CHECK(strstr(error.message, "let it write the lock file") != NULL);
    CHECK_EQ(open_status(r.path, STRATA_OPEN_READ_ONLY, NULL), STRATA_OK); /* and others read */
    CHECK_EQ(write(r.end[1], &byte, 1), 1);
    CHECK_EQ(ctest_child_wait(child), 0);

    store = must_open(r.path); /* now it is written, and who may not write the lock file may not read */
    CHECK_EQ(ctest_child(open_read_only_as_nobody, (void *)(uintptr_t)r.path), 0);
    strata_store_close(store);
    for (int i = 0; i < 2; i++) close(r.ready[i]), close(r.end[i]);
}

void test_open_descriptors_close_on_exec(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    DIR *list = opendir("/proc/self/fd");
    int ours = 0;
    CHECK(list != NULL);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        char name[300], target[600];
        snprintf(name, sizeof name, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(name, target, sizeof target - 1);
        if (length <= 0) continue;
        target[length] = 0;
        if (strstr(target, "a.strata") == NULL) continue;
        ours++;
        CHECK((fcntl(atoi(entry->d_name), F_GETFD) & FD_CLOEXEC) != 0);
    }
    closedir(list);
    CHECK(ours >= 3);
    strata_store_close(store);
}

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#endif

/* Bytes of address space that the process uses; its stores alone may take many times 64 GiB. */
static rlim_t address_space(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%llu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Refused under a name of so many bytes, before anything is made. */
static void refuse_name(const char *folder, int bytes, strata_store *other) {
    char path[1000], words[100];
    strata_store *store;
    strata_error error;
    snprintf(path, sizeof path, "%s/%0*d", folder, bytes, 7);
    snprintf(words, sizeof words, "has %d bytes, and may have 250, because NAME-lock and NAME-log lie beside it: '00", bytes);
    strata_config config = { .size = sizeof config, .path = path };
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_NOT_A_FILE);
    CHECK(store == NULL && strstr(error.message, words) != NULL);
    CHECK(error.message[strlen(error.message) - 1] == '\'' || bytes > 300);
    CHECK_EQ(strata_store_backup(other, path, 0, &error), STRATA_NOT_A_FILE);
    CHECK(strstr(error.message, words) != NULL);
}

/* What lies beside a file has a longer name. */
void test_open_with_long_names(void) {
    const int refused[] = { 251, 252, 255, 256, 400 };
    char path[1000];
    strata_error error;
    const char *folder = ctest_path("folder");
    CHECK_EQ(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/%0250d", folder, 7);
    for (int durability = 0; durability <= STRATA_DURABILITY_DEFERRED; durability++) {
        strata_config config = { .size = sizeof config, .path = path, .durability = (strata_durability)durability };
        strata_store *store = must_open_with(&config);
        must_write(store, "k", "v");
        strata_store_close(store);
    }
    strata_store *other = must_open(path);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) refuse_name(folder, refused[i], other);
    strata_store_close(other);
    CHECK_EQ(strata_file_delete(path, &error), STRATA_OK);
    CHECK_EQ(rmdir(folder), 0); /* nothing was left */
}

/* The process may use so many bytes more. */
static void leave_addresses(uint64_t bytes) {
    rlim_t room = address_space() + bytes;
    struct rlimit limit = { room, room };
    CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

static void open_in_little_room(void *path) {
    strata_error error;
    strata_store *store;
    strata_config config = { .size = sizeof config, .path = path, .map_size = UINT64_C(100) << 30 };
    leave_addresses(UINT64_C(6) << 30);
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_NO_MEMORY);
    CHECK(strstr(error.message, "ulimit -v") != NULL && strstr(error.message, "strata_config.map_size") != NULL);
    config.map_size = 0; /* takes what there is */
    must_hold(must_open_with(&config), "k", "v");
}

/* The map leaves as many addresses as it takes: for a thread, and for a copy with a map of its own. */
static void open_in_less_room(void *path) {
    strata_error error;
    leave_addresses(UINT64_C(600) << 20);
    strata_config config = { .size = sizeof config, .path = path, .durability = STRATA_DURABILITY_DEFERRED };
    strata_store *store = must_open_with(&config);
    must_write(store, "k2", "v2");
    CHECK_EQ(strata_store_backup(store, ctest_path("copy"), 0, &error), STRATA_OK);
    must_hold(store, "k", "v");
}

static void open_in_least_room(void *path) {
    leave_addresses(UINT64_C(80) << 20);
    strata_config config = { .size = sizeof config, .path = path };
    must_hold(must_open_with(&config), "k", "v");
}

static void open_in_no_room(void *path) {
    strata_error error;
    strata_store *store;
    leave_addresses(UINT64_C(50) << 20);
    strata_config config = { .size = sizeof config, .path = path };
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_NO_MEMORY);
    CHECK(strstr(error.message, "the machine cannot map 67108864 bytes") != NULL);
}

/* A file is mapped with an eighth of its size, in which it can be emptied. */
static void open_much_in_little_room(void *path) {
    strata_error error;
    strata_store *store;
    leave_addresses(UINT64_C(340) << 20);
    CHECK_EQ(truncate(path, 320 << 20), 0); /* pages behind those of the trees, as if they had been freed */
    strata_config config = { .size = sizeof config, .path = path };
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_NO_MEMORY);
    CHECK(strstr(error.message, "the machine cannot map 377487360 bytes") != NULL);
    CHECK_EQ(truncate(path, 240 << 20), 0);
    must_hold(must_open_with(&config), "k", "v");
}

void test_open_in_little_address_space(void) {
    static void (*const ways[])(void *) = { open_in_little_room, open_in_less_room, open_in_least_room, open_in_no_room,
                                            open_much_in_little_room };
    const char *path = fresh_store("a");
#ifdef UNDER_ADDRESS_SANITIZER
    (void)ways;
    (void)path;
    ctest_skip("the address sanitizer needs the address space for itself");
#else
    if (getenv("STRATA_MAP_SIZE") != NULL) ctest_skip("STRATA_MAP_SIZE leaves too little to choose from");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        CHECK_EQ(ctest_child(ways[i], (void *)(uintptr_t)path), 0);
#endif
}

static void open_without_descriptors(void *path) {
    strata_error error;
    strata_store *store;
    const struct rlimit limit = { 3, 3 };
    strata_config config = { .size = sizeof config, .path = path };
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_IO);
    CHECK(strstr(error.message, path) != NULL && strstr(error.message, "ulimit -n") != NULL);
}

void test_open_without_descriptors(void) {
    const char *path = fresh_store("a");
    CHECK_EQ(ctest_child(open_without_descriptors, (void *)(uintptr_t)path), 0);
}

static void open_with_environment(void *path) {
    strata_error error;
    strata_store *store;
    strata_config config = { .size = sizeof config, .path = path, .map_size = 1 << 22 };
    CHECK_EQ(setenv("STRATA_MAP_SIZE", "0x1000000", 1), 0);
    store = must_open(path);
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_IN_USE);
    CHECK(strstr(error.message, "16777216") != NULL);
}

void test_open_map_size_of_the_environment(void) {
    CHECK_EQ(ctest_child(open_with_environment, (void *)(uintptr_t)fresh_store("a")), 0);
}

/* ---- Two processes ---------------------------------------------------- */

/* A child that opens a store, says so, and keeps it open until it is told to end. */
typedef struct holder {
    const char *path;
    strata_status expected; /* of the write it ends with */
    int ready[2], end[2];
} holder;

static void hold(void *argument) {
    holder *it = argument;
    char byte = 0;
    strata_store *store = must_open(it->path);
    CHECK_EQ(write(it->ready[1], "r", 1), 1);
    close(it->end[1]);
    CHECK_EQ(read(it->end[0], &byte, 1), 0);
    CHECK_EQ(try_write(store, "holder", text("was here"), NULL), it->expected);
    strata_store_close(store);
}

static int holder_start(holder *it, const char *path) {
    char byte;
    it->path = path;
    CHECK(pipe(it->ready) == 0 && pipe(it->end) == 0);
    int pid = ctest_child_start(hold, it);
    CHECK_EQ(read(it->ready[0], &byte, 1), 1);
    return pid;
}

static int holder_end(holder *it, int pid) {
    close(it->end[1]);
    int result = ctest_child_wait(pid);
    close(it->end[0]);
    close(it->ready[0]);
    close(it->ready[1]);
    return result;
}

void test_open_in_two_processes(void) {
    holder child = { .expected = STRATA_OK };
    const char *path = fresh_store("a");
    int pid = holder_start(&child, path);
    strata_store *store = must_open(path);
    must_write(store, "parent", "too");
    CHECK_EQ(holder_end(&child, pid), 0);
    must_hold(store, "holder", "was here");
    must_hold(store, "parent", "too");
    strata_store_close(store);
}

void test_open_through_two_lock_files(void) {
    holder child = { .expected = STRATA_OK };
    const char *path = fresh_store("a");
    int pid = holder_start(&child, path);
    /* As a second mount or a deleted lock file would do: the same data, another lock file. */
    CHECK_EQ(rename(ctest_path("a-lock"), ctest_path("elsewhere")), 0);
    must_refuse(path, 0, STRATA_LINKED_FILE);
    must_refuse(path, STRATA_OPEN_READ_ONLY, STRATA_LINKED_FILE);
    CHECK_EQ(rename(ctest_path("elsewhere"), ctest_path("a-lock")), 0);
    CHECK_EQ(open_status(path, 0, NULL), STRATA_OK);
    CHECK_EQ(holder_end(&child, pid), 0);
}

void test_open_beside_a_deleted_file(void) {
    holder child = { .expected = STRATA_REPLACED_FILE };
    const char *path = fresh_store("a");
    int pid = holder_start(&child, path);
    CHECK_EQ(unlink(path), 0);
    /* The lock file still belongs to the deleted file, whose commits are counted in it. */
    must_refuse(path, 0, STRATA_REPLACED_FILE);
    CHECK_EQ(holder_end(&child, pid), 0);
}

/* A second copy of the library would take the same lock, by a descriptor of its own. */
void test_open_by_a_second_copy(void) {
    const char *path = fresh_store("a");
    int file = open(path, O_RDWR);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
    lock.l_start = ((off_t)1 << 60) + getpid();
    CHECK(file >= 0);
    CHECK_EQ(fcntl(file, F_OFD_SETLK, &lock), 0);
    must_refuse(path, 0, STRATA_IN_USE);
    must_refuse(path, STRATA_OPEN_READ_ONLY, STRATA_IN_USE);
    close(file);
    CHECK_EQ(open_status(path, 0, NULL), STRATA_OK);
    CHECK_EQ(open_status(path, STRATA_OPEN_READ_ONLY, NULL), STRATA_OK);
}

void test_open_after_the_file_was_replaced(void) {
    const char *path = fresh_store("a");
    strata_error error;
    strata_store *store = must_open(path);
    CHECK_EQ(rename(path, ctest_path("moved")), 0);
    must_refuse(path, 0, STRATA_REPLACED_FILE);
    CHECK_EQ(try_write(store, "k", text("v"), &error), STRATA_REPLACED_FILE);
    must_hold(store, "k", "v"); /* reading goes on */
    write_file(path, "something else", 14);
    must_refuse(path, 0, STRATA_REPLACED_FILE);
    CHECK_EQ(try_write(store, "k", text("v"), &error), STRATA_REPLACED_FILE);
    CHECK_EQ(rename(ctest_path("moved"), path), 0);
    must_write(store, "k", "v");
    strata_store_close(store);
}

typedef struct race {
    const char *path;
    int start[2];
} race;

static void race_to_create(void *argument) {
    race *it = argument;
    char byte;
    close(it->start[1]);
    CHECK_EQ(read(it->start[0], &byte, 1), 0);
    strata_store *store = must_open(it->path);
    add_to_counter(store);
    strata_store_close(store);
}

static void check_creation_race(bool empty) {
    enum { ROUNDS = 25, PROCESSES = 4 };
    race it = { .path = ctest_path("raced") };
    for (int round = 0; round < ROUNDS; round++) {
        int children[PROCESSES];
        if (empty) write_file(it.path, "", 0);
        CHECK_EQ(pipe(it.start), 0);
        for (int i = 0; i < PROCESSES; i++) children[i] = ctest_child_start(race_to_create, &it);
        close(it.start[0]);
        close(it.start[1]); /* off they go */
        for (int i = 0; i < PROCESSES; i++) CHECK_EQ(ctest_child_wait(children[i]), 0);
        strata_store *store = must_open(it.path);
        CHECK_EQ(read_counter(store), PROCESSES);
        strata_store_close(store);
        CHECK_EQ(unlink(it.path), 0);
        CHECK_EQ(unlink(ctest_path("raced-lock")), 0);
        CHECK_EQ(rmdir(ctest_directory()), 0); /* nothing is left behind */
        CHECK_EQ(mkdir(ctest_directory(), 0700), 0);
    }
}

void test_open_creation_race(void) { check_creation_race(false); }
void test_open_creation_race_on_an_empty_file(void) { check_creation_race(true); }

/* ---- Others who open -------------------------------------------------- */

/* As LMDB does before it makes its lock file new. */
static void lock_and_wait(void *argument) {
    holder *it = argument;
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
    int file = open(ctest_path("a-lock"), O_RDWR);
    CHECK(file >= 0 && fcntl(file, F_SETLK, &lock) == 0);
    CHECK_EQ(write(it->ready[1], "r", 1), 1);
    for (;;) pause();
}

static void open_and_write(void *path) {
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    strata_store_close(store);
}

/* Somebody dies after it locked LMDB's lock file, which holds the number of a commit of the file as it was before it
 * was compacted. Whoever waited for that one does not take that number for the file's. */
static void open_beside_a_dying_opener(const char *path, int commits) {
    const struct timespec moment = { 0, 200 * 1000 * 1000 };
    char byte;
    holder dying = { .path = path };
    strata_store *store = must_open(path);
    for (int i = 0; i < commits; i++) must_write(store, "k", "v");
    strata_store_close(store);
    strata_config config = { .size = sizeof config, .path = path };
    CHECK_EQ(strata_compact(&config, NULL, NULL), STRATA_OK);

    CHECK(pipe(dying.ready) == 0);
    int pid = ctest_child_start(lock_and_wait, &dying);
    CHECK_EQ(read(dying.ready[0], &byte, 1), 1);
    int opening = ctest_child_start(open_and_write, (void *)(uintptr_t)path);
    nanosleep(&moment, NULL); /* so that it waits, which cannot be seen from here */
    kill(pid, SIGKILL);
    CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
    CHECK_EQ(ctest_child_wait(opening), 0);
    CHECK_EQ(open_status(path, 0, NULL), STRATA_OK);
    close(dying.ready[0]);
    close(dying.ready[1]);
}

/* The two meta pages are written in turn, so there are an even and an odd number. */
void test_open_beside_a_dying_opener(void) {
    const char *path = fresh_store("a");
    open_beside_a_dying_opener(path, 20);
    open_beside_a_dying_opener(path, 21);
}

/* An opening gives up at its deadline, and says who keeps it from going on. */
void test_open_behind_a_stopped_opener(void) {
    const char *path = fresh_store("a");
    char who[40];
    strata_error error;
    strata_store *store;
    strata_config config = { .size = sizeof config, .path = path, .wait = 20 };
    int file = open(path, O_RDWR);
    /* The length of the lock says who holds it. */
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 59, .l_len = getppid() };
    snprintf(who, sizeof who, "process %d", getppid());
    CHECK(file >= 0);
    CHECK_EQ(fcntl(file, F_OFD_SETLK, &lock), 0);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_BUSY);
        CHECK(strstr(error.message, who) != NULL);
        CHECK(strstr(error.message, "opening or compacting it") != NULL);
        config.flags = STRATA_OPEN_READ_ONLY;
    }
    CHECK_EQ(strata_compact(&(strata_config){ .size = sizeof config, .path = path }, NULL, &error), STRATA_IN_USE);
    close(file);
    store = must_open_with(&config);
    strata_store_close(store);
}
