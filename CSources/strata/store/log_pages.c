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
#include "base/key_map.h"
#include "store/lmdb_status.h"
#include "store/log_record.h"
#include "store/recovery.h"

enum { STEP = 4096 };
enum { MOST_BYTES = 1 << 28 }; /* of pages that the file has not: far more than in any true log */

typedef struct reading {
    int file, log;
    uint64_t at, end;   /* in the log */
    uint64_t commit;    /* the next one */
    uint64_t most;      /* pages that a file of this size can have */
    uint64_t most_kept; /* pages that a true log of such a file can have: deltas are small */
    uint64_t in_vain;   /* bytes of records that were read and are none */
    st_key_map places;  /* by number, of pages whose content the records since the last gap say: the place in
                         * `out->pages`, plus 1 */
    st_log_record record;
    uint8_t *room;      /* for two pages */
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

/* The page of that number as the records since the last gap have it; NULL if they do not. */
static uint8_t *known_page(const reading *r, uint64_t number) {
    uint32_t place = st_key_map_get(&r->places, number);
    return place != 0 ? r->out->pages[place - 1] : NULL;
}

/* Room for the page of that number. 0, or an errno: EFBIG if there are more than in any true log. */
static int make_page(reading *r, uint64_t number, uint8_t **page) {
    st_log_pages *out = r->out;
    *page = known_page(r, number);
    if (*page != NULL) return 0;
    if (out->count >= r->most_kept) return EFBIG;
    if (!st_array_grow((void **)&out->pages, &out->capacity, out->count, sizeof *out->pages)) return ENOMEM;
    *page = malloc(out->header.page_size);
    if (*page == NULL) return ENOMEM;
    out->pages[out->count++] = *page;
    bool added = st_key_map_set(&r->places, number, (uint32_t)out->count) &&
                 st_page_overlay_add(&out->overlay, number, *page);
    return added ? 0 : ENOMEM;
}

/* A delta whose base was lost in a gap. If the file may have that page, it counts; if not, what the records before the
 * gap have of it is better than nothing. 0, or an errno. */
static int pass_page(reading *r, const st_log_run *run, const uint8_t *bytes) {
    uint32_t size = r->out->header.page_size;
    uint8_t *page = r->room + size;
    st_key_map_remove(&r->places, run->number);
    int code = st_read_at(r->file, page, size, run->number * size);
    if (code == ENODATA) return 0;
    if (code != 0 || !st_log_page_agrees(run, size, bytes, page, r->room)) return code;
    return st_page_overlay_add(&r->out->overlay, run->number, NULL) ? 0 : ENOMEM;
}

/* 0, or an errno. */
static int add_page(reading *r, const st_log_run *run, uint64_t number, const uint8_t *bytes) {
    const st_log_run whole = { .count = 1 };
    const uint8_t *base = NULL;
    uint8_t *page;
    if (number >= r->most) return 0;
    if (run->delta != 0 && (base = known_page(r, st_log_run_base(bytes))) == NULL) return pass_page(r, run, bytes);
    int code = make_page(r, number, &page);
    if (code != 0) return code;
    if (run->count > 1) run = &whole;
    return st_log_page_fill(run, r->out->header.page_size, bytes, base, r->room, page) ? 0 : EFBIG;
}

/* Takes the pages of a record. 0, or an errno. */
static int keep(reading *r) {
    const st_log_record *record = &r->record;
    const uint8_t *bytes = record->bytes + record->pages_at;
    uint32_t page_size = r->out->header.page_size;
    int code = 0;
    for (uint32_t i = 0; i < record->runs && code == 0; i++) {
        const st_log_run run = st_log_record_run(record, i);
        for (uint32_t n = 0; n < run.count && code == 0; n++)
            code = add_page(r, &run, run.number + n, bytes + (size_t)n * page_size);
        bytes += st_log_run_size(&run, page_size);
    }
    if (code != 0) return code;
    see_meta(r, st_log_record_meta(record), r->commit & 1);
    r->out->commits++;
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
static int read_record(reading *r) {
    r->record.size = 0;
    int code = r->in_vain > r->end ? ENODATA
               : st_log_record_read(r->log, r->at, &r->out->header, r->commit, &r->record);
    if (code == ENODATA) r->in_vain += r->record.size;
    return code;
}

/* If each record was flushed before the next one was written, a gap is damage, and what lies behind it counts. If not,
 * it may be what a power cut left, and the file is whole as of the commit before it. 0, or an errno. */
static int read_records(reading *r) {
    int code = 0;
    while (code == 0) {
        code = read_record(r);
        if (code == 0) code = keep(r);
        if (code == 0) {
            r->at += r->record.size;
            r->commit++;
        } else if (code == ENODATA && (code = skip(r)) == 0) {
            r->out->gap = true;
            st_key_map_free(&r->places);
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
    r->most_kept = ((uint64_t)info.st_size + MOST_BYTES) / out->header.page_size;
    r->end = (uint64_t)log_info.st_size;
    if (r->end > 2 * (uint64_t)ST_LOG_MOST_SIZE) r->end = 2 * (uint64_t)ST_LOG_MOST_SIZE;
    r->at = ST_LOG_BEGIN;
    r->commit = out->header.commit + 1;
    out->overlay.page_size = out->header.page_size;
    for (uint64_t slot = 0; slot < 2; slot++) see_meta(r, out->header.metas[slot], slot);
    if (out->header.deferred) out->known = st_log_mark_check(r->file, &out->header) == 0;
    r->room = malloc(2 * (size_t)out->header.page_size);
    code = r->room == NULL ? ENOMEM : read_records(r);
    st_page_overlay_sort(&out->overlay);
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
    free(r.record.bytes);
    free(r.room);
    st_key_map_free(&r.places);
    if (code != 0) return st_errno_fail(error, code, path, "reading the log of");
    out->another = out->in_use && st_recovery_is_another(file, path, out->header.uuid);
    return STRATA_OK;
}

void st_log_pages_free(st_log_pages *log) {
    for (size_t i = 0; i < log->count; i++) free(log->pages[i]);
    free(log->pages);
    st_page_overlay_free(&log->overlay);
    *log = (st_log_pages){ 0 };
}
