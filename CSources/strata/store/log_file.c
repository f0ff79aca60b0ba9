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

enum { HEADER_SIZE = 512, HEADER_STEP = 4096, STEP = 4096, VERSION = 2 };
enum { AT_VERSION = 8, AT_CHECKSUM = 12, AT_NUMBER = 16, AT_IN_USE = 24, AT_PAGE_SIZE = 28, AT_SALT = 32,
       AT_COMMIT = 40, AT_UUID = 48, AT_METAS = 64, AT_DISTRUSTED = 368 };
enum { UNUSED = 0, FLUSHED = 1, DEFERRED = 2 };
enum { RECORD_COMMIT = 8, RECORD_CHECKSUM = 16, RECORD_RUNS = 20, RECORD_SIZE = 24, RECORD_META = 32,
       RECORD_HEAD = 192 };
enum { RUN_COUNT = 8, RUN_HOLE = 12, RUN_HOLE_END = 14, RUN = 16 };
enum { MOST_PAGE_SIZE = 1 << 15 /* LMDB has no larger pages */ };
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

/* 0, ENODATA if the file ends before, or another errno. */
static int read_all(int file, uint8_t *bytes, size_t size, uint64_t at) {
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

/* Of bytes in which the checksum, at `at`, counts as zero. */
static uint32_t checksum(const uint8_t *bytes, size_t size, size_t at) {
    static const uint8_t zero[4] = { 0 };
    uint32_t crc = st_crc32c(0, bytes, at);
    crc = st_crc32c(crc, zero, sizeof zero);
    return st_crc32c(crc, bytes + at + sizeof zero, size - at - sizeof zero);
}

/* ---- Headers ---------------------------------------------------------- */

static int read_header(int file, uint64_t at, st_log_header *out) {
    uint8_t bytes[HEADER_SIZE];
    int code = read_all(file, bytes, sizeof bytes, at);
    if (code != 0) return code;
    if (memcmp(bytes, magic, sizeof magic - 1) != 0 || strata_load32(bytes + AT_VERSION) != VERSION ||
        strata_load32(bytes + AT_CHECKSUM) != checksum(bytes, sizeof bytes, AT_CHECKSUM))
        return ENODATA;
    out->number = strata_load64(bytes + AT_NUMBER);
    out->in_use = strata_load32(bytes + AT_IN_USE) != UNUSED;
    out->deferred = strata_load32(bytes + AT_IN_USE) == DEFERRED;
    out->page_size = strata_load32(bytes + AT_PAGE_SIZE);
    if (out->page_size == 0 || out->page_size % STEP != 0 || out->page_size > MOST_PAGE_SIZE) return ENODATA;
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
        if (read_all(file, begin, sizeof begin, i * HEADER_STEP) == 0 && memcmp(begin, magic, sizeof begin) == 0)
            return true;
    return false;
}

/* One of them may be torn; but which one counts can be told only if both can be read. */
int st_log_header_read(int file, st_log_header *out) {
    st_log_header other;
    int first = read_header(file, 0, out), second = read_header(file, HEADER_STEP, &other);
    if (first != 0 && first != ENODATA) return first;
    if (second != 0 && second != ENODATA) return second;
    if (second == 0 && (first != 0 || other.number > out->number)) *out = other;
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
    st_store32(bytes + AT_CHECKSUM, checksum(bytes, HEADER_SIZE, AT_CHECKSUM));
}

int st_log_header_write(int file, const st_log_header *header) {
    uint8_t bytes[HEADER_SIZE];
    make_header(header, bytes);
    int code = st_write_at(file, bytes, sizeof bytes, header->number % 2 * HEADER_STEP);
    if (code == 0 && fdatasync(file) != 0) code = errno;
    /* Once it is on the disk, a copy takes the other place: if one of both is damaged later, an older header must not
     * count, which may say that there is nothing in the log. */
    return code == 0 ? st_write_at(file, bytes, sizeof bytes, (header->number + 1) % 2 * HEADER_STEP) : code;
}

int st_log_header_distrust(int file, const st_log_header *header) {
    uint8_t bytes[HEADER_SIZE];
    st_log_header distrusted = *header;
    int code = 0;
    distrusted.distrusted = true;
    make_header(&distrusted, bytes);
    for (uint64_t i = 0; i < 2 && code == 0; i++)
        code = st_write_at(file, bytes, sizeof bytes, (header->number + i) % 2 * HEADER_STEP);
    return code;
}

int st_log_extend(int file, uint64_t from, uint64_t to) {
    static const uint8_t zeros[1 << 16];
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
    int code = read_all(data_file, salt, sizeof salt, mark_at(header, header->number));
    if (code != 0) return code;
    return strata_load64(salt) == header->salt ? 0 : ENODATA;
}

/* ---- Records ---------------------------------------------------------- */

static size_t whole_steps(size_t size) { return (size + STEP - 1) / STEP * STEP; }

static bool make_room(st_log_record *record, size_t size) {
    if (size > record->capacity) {
        uint8_t *bytes = realloc(record->bytes, size);
        if (bytes == NULL) return false;
        record->bytes = bytes;
        record->capacity = size;
    }
    record->size = size;
    return true;
}

/* The hole of the page of a tree. That of a value says by its flags that it is none, and those behind it, which may hold
 * anything, are of the same run. */
static st_log_run describe(const st_page_file *file, const st_page_run *run) {
    st_log_run out = { .number = run->number, .count = (uint32_t)run->count };
    st_page page;
    if (run->count == 1 &&
        st_page_open(file->map + run->number * file->page_size, run->number, file->page_size, &page) == NULL) {
        out.hole = (uint16_t)(ST_PAGE_HEADER + 2 * page.nodes);
        out.hole_end = (uint16_t)page.upper;
    }
    return out;
}

static void write_run(uint8_t *at, const st_log_run *run) {
    st_store64(at, run->number);
    st_store32(at + RUN_COUNT, run->count);
    st_store16(at + RUN_HOLE, run->hole);
    st_store16(at + RUN_HOLE_END, run->hole_end);
}

st_log_run st_log_record_run(const st_log_record *record, uint32_t index) {
    const uint8_t *at = record->bytes + RECORD_HEAD + RUN * index;
    return (st_log_run){ strata_load64(at), strata_load32(at + RUN_COUNT), strata_load16(at + RUN_HOLE),
                         strata_load16(at + RUN_HOLE_END) };
}

/* Copies the pages of a run without their hole. Returns what lies behind them. */
static uint8_t *put_pages(uint8_t *at, const st_log_run *run, const st_page_file *file) {
    const uint8_t *pages = file->map + run->number * file->page_size;
    size_t size = run->count * (size_t)file->page_size;
    memcpy(at, pages, run->hole);
    memcpy(at + run->hole, pages + run->hole_end, size - run->hole_end);
    return at + st_log_run_size(run, file->page_size);
}

bool st_log_record_make(st_log_record *record, const st_log_header *header, const st_page_file *file,
                        const st_page_runs *runs) {
    size_t head = RECORD_HEAD + RUN * runs->count, most = whole_steps(head + runs->pages * file->page_size);
    if (!make_room(record, most)) return false;
    uint8_t *at = record->bytes + head;
    for (size_t i = 0; i < runs->count; i++) {
        const st_log_run run = describe(file, &runs->all[i]);
        write_run(record->bytes + RECORD_HEAD + RUN * i, &run);
        at = put_pages(at, &run, file);
    }
    size_t used = (size_t)(at - record->bytes);
    record->size = whole_steps(used);
    memset(at, 0, record->size - used);
    memset(record->bytes, 0, RECORD_HEAD);
    st_store64(record->bytes, header->salt);
    st_store64(record->bytes + RECORD_COMMIT, file->txnid);
    st_store32(record->bytes + RECORD_RUNS, (uint32_t)runs->count);
    st_store64(record->bytes + RECORD_SIZE, record->size);
    memcpy(record->bytes + RECORD_META, st_page_file_meta(file, file->txnid), ST_META_SIZE);
    record->runs = (uint32_t)runs->count;
    record->pages_at = head;
    st_store32(record->bytes + RECORD_CHECKSUM, checksum(record->bytes, record->size, RECORD_CHECKSUM));
    return true;
}

void st_log_page_fill(const st_log_run *run, uint32_t page_size, const uint8_t *bytes, uint8_t *out) {
    memcpy(out, bytes, run->hole);
    memset(out + run->hole, 0, run->hole_end - run->hole);
    memcpy(out + run->hole_end, bytes + run->hole, page_size - run->hole_end);
}

int st_log_record_write(int file, const st_log_record *record, uint64_t at) {
    return st_write_at(file, record->bytes, record->size, at);
}

/* Are there the bytes of all runs and no more, all of them pages of the commit, whose meta page it is? */
static bool fits(const st_log_record *record, uint32_t page_size, uint64_t commit) {
    const uint8_t *meta = st_log_record_meta(record);
    uint64_t last = st_meta_last(meta), size = record->pages_at, pages = 0;
    if (!st_meta_fits(meta, page_size, commit & 1) || st_meta_txnid(meta) != commit || last >= UINT64_C(1) << 47)
        return false;
    for (uint32_t i = 0; i < record->runs; i++) {
        st_log_run run = st_log_record_run(record, i);
        bool has_hole = run.hole != run.hole_end;
        if (run.number < 2 || run.number > last || run.count == 0 || run.count > ST_LOG_MOST_PAGES ||
            run.count > last - run.number + 1 || run.hole > run.hole_end || run.hole_end > page_size ||
            (has_hole && (run.count != 1 || run.hole < ST_PAGE_HEADER)))
            return false;
        size += st_log_run_size(&run, page_size);
        pages += run.count;
    }
    return pages <= ST_LOG_MOST_PAGES && whole_steps(size) == record->size;
}

int st_log_record_read(int file, uint64_t at, const st_log_header *header, uint64_t commit, st_log_record *out) {
    const uint64_t most_runs = ST_LOG_MOST_PAGES; /* each has a page at least */
    uint8_t head[RECORD_HEAD];
    int code = read_all(file, head, sizeof head, at);
    if (code != 0) return code;
    if (strata_load64(head) != header->salt || strata_load64(head + RECORD_COMMIT) != commit) return ENODATA;
    uint64_t size = strata_load64(head + RECORD_SIZE), runs = strata_load32(head + RECORD_RUNS);
    if (runs > most_runs || size < RECORD_HEAD + RUN * runs || size % STEP != 0 ||
        size > whole_steps(RECORD_HEAD + RUN * runs + most_runs * header->page_size))
        return ENODATA;
    if (!make_room(out, size)) return ENOMEM;
    code = read_all(file, out->bytes, size, at);
    if (code != 0) return code;
    out->runs = (uint32_t)runs;
    out->pages_at = RECORD_HEAD + RUN * runs;
    bool intact = strata_load32(out->bytes + RECORD_CHECKSUM) == checksum(out->bytes, size, RECORD_CHECKSUM);
    return intact && fits(out, header->page_size, commit) ? 0 : ENODATA;
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
