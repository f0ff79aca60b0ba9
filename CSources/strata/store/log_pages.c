/* SPDX-License-Identifier: MIT
 * log_pages.c -- the pages that a log has for a file that is damaged. */
#define _GNU_SOURCE 1
#include "store/log_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "store/lmdb_status.h"
#include "store/recovery.h"

enum { STEP = 4096 };
enum { MOST_FILLED = 1 << 28 }; /* bytes of pages that get their holes back: far more than any true log has */

typedef struct reading {
    int file, log;
    uint64_t at, end;  /* in the log */
    uint64_t commit;   /* the next one */
    uint64_t most;     /* pages that a file of this size can have */
    uint64_t in_vain;  /* bytes of records that were read and are none */
    st_log_run *runs;  /* of each page that was added, in that order */
    size_t run_capacity;
    st_log_pages *out;
} reading;

/* Is the meta page that a log has of some commit in the file? */
static bool is_there(const reading *r, const uint8_t *meta, uint64_t slot) {
    uint8_t there[ST_META_SIZE];
    return pread(r->file, there, sizeof there, (off_t)(slot * r->out->header.page_size)) == sizeof there &&
           memcmp(there, meta, sizeof there) == 0;
}

static void see_meta(reading *r, const uint8_t *meta, uint64_t slot) {
    memcpy(r->out->overlay.metas[slot], meta, ST_META_SIZE);
    if (!r->out->header.deferred && is_there(r, meta, slot)) r->out->known = true;
}

/* Adds a page as it lies in a record: without its hole. False if there is no memory. */
static bool add_page(reading *r, const st_log_run *run, uint64_t number, const uint8_t *bytes) {
    size_t count = r->out->overlay.count;
    if (number >= r->most) return true;
    if (!st_array_grow((void **)&r->runs, &r->run_capacity, count, sizeof *r->runs)) return false;
    r->runs[count] = *run;
    return st_page_overlay_add(&r->out->overlay, number, bytes);
}

/* Keeps a record, and its pages. False if there is no memory. */
static bool keep(reading *r, const st_log_record *record) {
    st_log_pages *out = r->out;
    const uint8_t *bytes = record->bytes + record->pages_at;
    if (!st_array_grow((void **)&out->records, &out->capacity, out->count, sizeof *out->records)) {
        free(record->bytes);
        return false;
    }
    out->records[out->count++] = record->bytes;
    for (uint32_t i = 0; i < record->runs; i++) {
        st_log_run run = st_log_record_run(record, i);
        for (uint32_t n = 0; n < run.count; n++)
            if (!add_page(r, &run, run.number + n, bytes + (size_t)n * out->header.page_size)) return false;
        bytes += st_log_run_size(&run, out->header.page_size);
    }
    see_meta(r, st_log_record_meta(record), r->commit & 1);
    out->commits++;
    return true;
}

static const st_log_run *run_of(const reading *r, const st_page_over *page) { return &r->runs[page->order]; }

static bool has_hole(const reading *r, const st_page_over *page) {
    return run_of(r, page)->hole != run_of(r, page)->hole_end;
}

/* Gives the pages that count their holes back. 0, or an errno. */
static int fill(reading *r) {
    st_page_overlay *overlay = &r->out->overlay;
    size_t count = 0;
    for (size_t i = 0; i < overlay->count; i++) count += has_hole(r, &overlay->pages[i]);
    if (count > MOST_FILLED / overlay->page_size) return EFBIG;
    uint8_t *at = malloc(count * overlay->page_size + 1);
    if (at == NULL) return ENOMEM;
    r->out->pages = at;
    for (size_t i = 0; i < overlay->count; i++) {
        st_page_over *page = &overlay->pages[i];
        if (!has_hole(r, page)) continue;
        st_log_page_fill(run_of(r, page), overlay->page_size, page->bytes, at);
        page->bytes = at;
        at += overlay->page_size;
    }
    return 0;
}

/* Goes on to the next record of a later commit, of which there are none behind the end of a log that is in order.
 * ENODATA if there is none, or another errno. */
static int skip(reading *r) {
    uint8_t head[16];
    for (r->at += STEP; r->at < r->end; r->at += STEP) {
        ssize_t size = pread(r->log, head, sizeof head, (off_t)r->at);
        if (size < 0) return errno;
        if (size < (ssize_t)sizeof head) break;
        uint64_t commit = strata_load64(head + 8);
        if (strata_load64(head) != r->out->header.salt || commit <= r->commit) continue;
        r->commit = commit;
        return 0;
    }
    return ENODATA;
}

/* What has the size of a record but not its checksum is read once for each place where it may begin. In a log that a
 * program of ours has written, all of that is not more than the log itself. */
static int read_record(reading *r, st_log_record *out) {
    int code = r->in_vain > r->end ? ENODATA
               : st_log_record_read(r->log, r->at, &r->out->header, r->commit, out);
    if (code == ENODATA) r->in_vain += out->size;
    return code;
}

/* If each record was flushed before the next one was written, a gap is damage, and what lies behind it counts. If not,
 * it may be what a power cut left, and the file is whole as of the commit before it. 0, or an errno. */
static int read_records(reading *r) {
    int code = 0;
    while (code == 0) {
        st_log_record record = { 0 };
        code = read_record(r, &record);
        if (code != 0) free(record.bytes);
        if (code == 0 && !keep(r, &record)) code = ENOMEM;
        if (code == 0) {
            r->at += record.size;
            r->commit++;
        } else if (code == ENODATA && (code = skip(r)) == 0) {
            r->out->gap = true;
            if (r->out->header.deferred) break;
        }
    }
    return code == ENODATA ? 0 : code;
}

/* 0, or an errno. */
static int read_log(reading *r) {
    st_log_pages *out = r->out;
    struct stat info, log_info;
    int code = st_log_header_read(r->log, &out->header);
    out->readable = code == 0;
    out->in_use = code == 0 && out->header.in_use;
    if (!out->in_use) return code == ENODATA ? 0 : code;
    if (fstat(r->file, &info) != 0 || fstat(r->log, &log_info) != 0) return errno;
    /* No log grows larger, and none has many pages that the file has no room for: others are crafted. */
    r->most = (uint64_t)info.st_size / out->header.page_size + (1 << 20);
    r->end = (uint64_t)log_info.st_size;
    if (r->end > 2 * (uint64_t)ST_LOG_MOST_SIZE) r->end = 2 * (uint64_t)ST_LOG_MOST_SIZE;
    r->at = ST_LOG_BEGIN;
    r->commit = out->header.commit + 1;
    out->overlay.page_size = out->header.page_size;
    for (uint64_t slot = 0; slot < 2; slot++) see_meta(r, out->header.metas[slot], slot);
    if (out->header.deferred) out->known = st_log_mark_check(r->file, &out->header) == 0;
    code = read_records(r);
    if (code != 0) return code;
    st_page_overlay_sort(&out->overlay);
    code = fill(r);
    if (code != EFBIG) return code;
    st_page_overlay_free(&out->overlay); /* no library has written that */
    out->overlay = (st_page_overlay){ .page_size = out->header.page_size };
    out->commits = 0;
    out->known = false;
    out->gap = true;
    return 0;
}

strata_status st_log_pages_read(int file, const char *path, st_log_pages *out, strata_error *error) {
    reading r = { .file = file, .out = out };
    *out = (st_log_pages){ 0 };
    int code = st_log_open(path, true, &r.log);
    if (code == 0 && r.log >= 0) code = read_log(&r);
    if (r.log >= 0) close(r.log);
    free(r.runs);
    if (code != 0) return st_errno_fail(error, code, path, "reading the log of");
    out->another = out->in_use && st_recovery_is_another(file, path, out->header.uuid);
    return STRATA_OK;
}

void st_log_pages_free(st_log_pages *log) {
    for (size_t i = 0; i < log->count; i++) free(log->records[i]);
    free(log->records);
    free(log->pages);
    st_page_overlay_free(&log->overlay);
    *log = (st_log_pages){ 0 };
}
