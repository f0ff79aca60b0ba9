/* SPDX-License-Identifier: MIT
 * log_file.c -- the file beside a store that holds the pages of its last commits. */
#define _GNU_SOURCE 1
#include "store/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/crc32c.h"
#include "base/status.h"

enum { HEADER_SIZE = 512, HEADER_STEP = 4096, STEP = 4096, VERSION = 5, FIRST_VERSION = 3 };
enum { AT_VERSION = 8, AT_CHECKSUM = 12, AT_NUMBER = 16, AT_IN_USE = 24, AT_PAGE_SIZE = 28, AT_SALT = 32,
       AT_COMMIT = 40, AT_UUID = 48, AT_METAS = 64, AT_DISTRUSTED = 368 };
enum { UNUSED = 0, FLUSHED = 1, DEFERRED = 2 };
static const char magic[] = "StrataLg";

char *st_log_path(const char *path) {
    char *name = NULL;
    return asprintf(&name, "%s-log", path) < 0 ? NULL : name;
}

int st_write_at(int file, const uint8_t *bytes, size_t size, uint64_t at) {
    while (size > 0) {
        ssize_t done = pwrite(file, bytes, size, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        bytes += done;
        size -= (size_t)done;
        at += (uint64_t)done;
    }
    return 0;
}

int st_read_at(int file, uint8_t *bytes, size_t size, uint64_t at) {
    while (size > 0) {
        ssize_t done = pread(file, bytes, size, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : ENODATA;
        bytes += done;
        size -= (size_t)done;
        at += (uint64_t)done;
    }
    return 0;
}

uint32_t st_log_checksum(const uint8_t *bytes, size_t size, size_t at) {
    static const uint8_t zero[4] = { 0 };
    uint32_t crc = st_crc32c(0, bytes, at);
    crc = st_crc32c(crc, zero, sizeof zero);
    return st_crc32c(crc, bytes + at + sizeof zero, size - at - sizeof zero);
}

/* ---- Headers ---------------------------------------------------------- */

static int parse_header(const uint8_t bytes[HEADER_SIZE], st_log_header *out) {
    uint32_t version = strata_load32(bytes + AT_VERSION);
    if (memcmp(bytes, magic, sizeof magic - 1) != 0 || version < FIRST_VERSION || version > VERSION ||
        strata_load32(bytes + AT_CHECKSUM) != st_log_checksum(bytes, HEADER_SIZE, AT_CHECKSUM))
        return ENODATA;
    out->older = version < VERSION;
    out->number = strata_load64(bytes + AT_NUMBER);
    out->in_use = strata_load32(bytes + AT_IN_USE) != UNUSED;
    out->deferred = strata_load32(bytes + AT_IN_USE) == DEFERRED;
    out->page_size = strata_load32(bytes + AT_PAGE_SIZE);
    if (out->page_size == 0 || out->page_size % STEP != 0 || out->page_size > ST_LOG_MOST_PAGE_SIZE) return ENODATA;
    out->distrusted = strata_load32(bytes + AT_DISTRUSTED) != 0;
    out->salt = strata_load64(bytes + AT_SALT);
    out->commit = strata_load64(bytes + AT_COMMIT);
    memcpy(out->uuid, bytes + AT_UUID, sizeof out->uuid);
    memcpy(out->metas, bytes + AT_METAS, sizeof out->metas);
    for (uint64_t i = 0; i < 2 && out->in_use; i++)
        if (!st_meta_fits(out->metas[i], out->page_size, i)) return ENODATA;
    return 0;
}

bool st_log_is_one(int file) {
    uint8_t begin[sizeof magic - 1];
    for (uint64_t i = 0; i < 2; i++)
        if (st_read_at(file, begin, sizeof begin, i * HEADER_STEP) == 0 && memcmp(begin, magic, sizeof begin) == 0)
            return true;
    return false;
}

/* One of them may be torn; but which one counts can be told only if both can be read. */
int st_log_header_read(int file, st_log_header *out) {
    uint8_t bytes[HEADER_STEP + HEADER_SIZE] = { 0 };
    st_log_header other;
    int code = st_read_at(file, bytes, sizeof bytes, 0);
    if (code != 0 && code != ENODATA) return code;
    int first = parse_header(bytes, out), second = parse_header(bytes + HEADER_STEP, &other);
    bool alone = first != second || (first == 0 && other.number != out->number);
    if (second == 0 && (first != 0 || other.number > out->number)) *out = other;
    out->alone = alone;
    return first == 0 ? first : second;
}

static void make_header(const st_log_header *header, uint8_t bytes[HEADER_SIZE]) {
    memset(bytes, 0, HEADER_SIZE);
    memcpy(bytes, magic, sizeof magic - 1);
    st_store32(bytes + AT_VERSION, VERSION);
    st_store64(bytes + AT_NUMBER, header->number);
    st_store32(bytes + AT_IN_USE, !header->in_use ? UNUSED : header->deferred ? DEFERRED : FLUSHED);
    st_store32(bytes + AT_PAGE_SIZE, header->page_size);
    st_store64(bytes + AT_SALT, header->salt);
    st_store64(bytes + AT_COMMIT, header->commit);
    memcpy(bytes + AT_UUID, header->uuid, sizeof header->uuid);
    memcpy(bytes + AT_METAS, header->metas, sizeof header->metas);
    st_store32(bytes + AT_DISTRUSTED, header->distrusted);
    st_store32(bytes + AT_CHECKSUM, st_log_checksum(bytes, HEADER_SIZE, AT_CHECKSUM));
}

/* Writes a header into its place, or into the other one. 0, or an errno. */
static int put_header(int file, const st_log_header *header, bool other) {
    uint8_t bytes[HEADER_SIZE];
    make_header(header, bytes);
    return st_write_at(file, bytes, sizeof bytes, (header->number + other) % 2 * HEADER_STEP);
}

int st_log_header_write(int file, const st_log_header *header, bool *out_unsure) {
    int code = put_header(file, header, false);
    bool flushed = code != 0 || fdatasync(file) == 0;
    if (!flushed) code = errno;
    /* Once it is on the disk, a copy takes the other place: if one of both is damaged later, an older header must not
     * count, which may say that there is nothing in the log. */
    if (code == 0) code = put_header(file, header, true);
    if (out_unsure != NULL) *out_unsure = !flushed || (code != 0 && !st_is_about_room(code));
    return code;
}

int st_log_header_distrust(int file, const st_log_header *header) {
    st_log_header distrusted = *header;
    distrusted.distrusted = true;
    int code = put_header(file, &distrusted, false);
    return code == 0 ? put_header(file, &distrusted, true) : code;
}

int st_log_extend(int file, uint64_t from, uint64_t to) {
    static uint8_t zeros[1 << 16]; /* never written to, and not const: so it takes no room in the program */
    int code = 0;
    for (; from < to && code == 0; from += sizeof zeros)
        code = st_write_at(file, zeros, to - from < sizeof zeros ? to - from : sizeof zeros, from);
    return code;
}

/* ---- Marks in the data file --------------------------------------------- */

static uint64_t mark_at(const st_log_header *header, uint64_t number) {
    return number % 2 * header->page_size + ST_LOG_MARK_AT;
}

static int write_mark(int data_file, uint64_t mark, uint64_t at) {
    uint8_t salt[8];
    st_store64(salt, mark);
    return st_write_at(data_file, salt, sizeof salt, at);
}

int st_log_mark_write(int data_file, const st_log_header *header) {
    return write_mark(data_file, header->salt, mark_at(header, header->number));
}

void st_log_mark_wipe_others(int data_file, const st_log_header *header) {
    (void)write_mark(data_file, 0, mark_at(header, header->number + 1));
    if (!header->deferred) (void)write_mark(data_file, 0, mark_at(header, header->number));
}

int st_log_mark_check(int data_file, const st_log_header *header) {
    uint8_t salt[8];
    int code = st_read_at(data_file, salt, sizeof salt, mark_at(header, header->number));
    if (code != 0) return code;
    return strata_load64(salt) == header->salt ? 0 : ENODATA;
}

/* ---- Flushes ----------------------------------------------------------- */

int st_log_open(const char *path, bool read_only, int *out) {
    char name[PATH_MAX];
    *out = -1;
    if (snprintf(name, sizeof name, "%s-log", path) >= (int)sizeof name) return ENAMETOOLONG;
    *out = open(name, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return *out >= 0 || errno == ENOENT ? 0 : errno;
}

int st_log_flush_of(const char *path, bool *out_failed) {
    int file, code = st_log_open(path, true, &file);
    if (out_failed != NULL) *out_failed = false;
    if (file < 0) return code;
    code = fdatasync(file) != 0 ? errno : 0;
    if (out_failed != NULL) *out_failed = code != 0;
    close(file);
    return code;
}
