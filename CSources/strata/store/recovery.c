/* SPDX-License-Identifier: MIT
 * recovery.c -- puts the commits that only the log has back into the data file.
 *
 * Why this is always right. Let C be the commit of the log's header and K that of the last record.
 *
 *   The data file held C, flushed, before the header was written. A page of K that no commit after C wrote is as it was
 *   then: LMDB writes to no page that the commit before, or the one before that, can reach, and no commit begins before
 *   the record of the one before it is on the disk; so at most one commit after K has written anything. Where commits
 *   begin earlier (deferral.h), K is the commit that was flushed last, or a later one, and none of them wrote to a page
 *   that any commit since then can reach.
 *   A page of K that some commit after C wrote is in the record of the last one that did, at or before K.
 *   The meta pages are written last, from the records of K and of the commit before it, or from the header.
 *   Of such a page the record may have only what it has otherwise than another one, its base, which the commit before
 *   that of the record could reach, and which some record after C has. So whoever wrote it last, wrote it after C, and
 *   the last record that has it, before this one, says what it was; and what that needs is known in the same way. They
 *   are written in their order. The hole of a base counts for nothing. A log that lacks a base is not put back.
 *
 * Nothing here depends on what the pages were, and the log stays as it is until all of them are on the disk: if the
 * power fails meanwhile, everything is done once more.
 *
 * A log that was left beside another data file must not be written into that. Of the two meta pages of the right file,
 * one at least is in the log: at most one commit is newer than its last record. So it is noticed, too, if a record is
 * damaged and others came after it. Where several commits may be newer, the file has a mark instead. And if the header
 * record can be found, it has the UUID of the log. A copy of the same store that has such a meta page holds every page
 * of that commit, and so becomes what the log says. */
#define _GNU_SOURCE 1
#include "store/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "page/page.h"
#include "store/header.h"
#include "store/lmdb_status.h"
#include "store/log_record.h"

typedef struct recovery {
    int file, log;
    const char *path;
    st_log_header header;
    st_log_record record;
    st_key_set pages;               /* that the records have which were read */
    uint8_t *page, *base, *room;    /* for a page each */
    uint8_t metas[2][ST_META_SIZE]; /* those to write */
    uint8_t there[2][ST_META_SIZE]; /* those of the data file */
    uint64_t commits;               /* how many records there are */
    bool known;                     /* the log is that of this file */
} recovery;

static void look_for(recovery *r, const uint8_t *meta, uint64_t slot) {
    if (memcmp(r->there[slot], meta, ST_META_SIZE) == 0) r->known = true;
}

/* 0, or an errno. */
static int look_for_mark(recovery *r) {
    int code = st_log_mark_check(r->file, &r->header);
    r->known = code == 0;
    return code == ENODATA ? 0 : code;
}

/* What is missing, because the file was cut short, is in no log. 0, or an errno. */
static int read_metas(recovery *r) {
    for (int i = 0; i < 2; i++) {
        ssize_t size = pread(r->file, r->there[i], ST_META_SIZE, (off_t)i * r->header.page_size);
        if (size < 0) return errno;
        if (size < ST_META_SIZE) memset(r->there[i], 0, ST_META_SIZE);
    }
    return 0;
}

/* 0, or an errno: EBADMSG if the record has a delta to a page that none before it has. */
static int follow_pages(recovery *r) {
    if (!st_log_record_has_bases(&r->record, r->header.page_size, &r->pages)) return EBADMSG;
    return st_log_record_add_pages(&r->record, &r->pages) ? 0 : ENOMEM;
}

/* Reads all records, and does nothing yet. No log becomes larger than some size, or has a delta to a page that it
 * lacks: others are crafted. 0, or an errno. */
static int read_log(recovery *r) {
    uint64_t at = ST_LOG_BEGIN, commit = r->header.commit + 1;
    int code = read_metas(r);
    if (code != 0) return code;
    memcpy(r->metas, r->header.metas, sizeof r->metas);
    for (uint64_t i = 0; i < 2 && !r->header.deferred; i++) look_for(r, r->metas[i], i);
    if (r->header.deferred) code = look_for_mark(r);
    if (code != 0) return code;
    while ((code = st_log_record_read(r->log, at, &r->header, commit, &r->record)) == 0) {
        memcpy(r->metas[commit & 1], st_log_record_meta(&r->record), ST_META_SIZE);
        if (!r->header.deferred) look_for(r, r->metas[commit & 1], commit & 1);
        code = follow_pages(r);
        if (code != 0) return code;
        at += r->record.size;
        commit++;
        if (at > ST_LOG_MOST_SIZE) return EFBIG;
    }
    r->commits = commit - r->header.commit - 1;
    return code == ENODATA ? 0 : code;
}

/* The header record of a file that is as it should be, or was torn where it does not matter. */
static strata_status read_record(int file, const char *path, st_header *out, strata_error *error) {
    uint8_t record[ST_HEADER_SIZE];
    const strata_bytes key = { st_header_key, ST_HEADER_KEY_SIZE };
    size_t size = 0;
    uint64_t stamp;
    st_page_file pages;
    strata_status status = st_page_file_read(file, path, &pages, error);
    if (status == STRATA_OK) status = st_page_find(&pages, key, record, sizeof record, &size, error);
    if (status == STRATA_OK) status = st_header_check((strata_bytes){ record, size }, false, path, error);
    if (status == STRATA_OK) st_header_read(record, out, &stamp);
    return status;
}

/* Small stores have the same meta pages if they were made in the same way. */
bool st_recovery_is_another(int file, const char *path, const uint8_t uuid[16]) {
    st_header header;
    return read_record(file, path, &header, NULL) == STRATA_OK && memcmp(header.uuid, uuid, sizeof header.uuid) != 0;
}

/* The base is in the file by now, since a record before this one has it. 0, or an errno. */
static int read_base(const recovery *r, uint64_t number) {
    int code = st_read_at(r->file, r->base, r->header.page_size, number * r->header.page_size);
    return code == ENODATA ? EBADMSG : code;
}

/* 0, or an errno. */
static int put_run(const recovery *r, const st_log_run *run, const uint8_t *bytes) {
    uint32_t page_size = r->header.page_size;
    uint64_t at = run->number * page_size;
    if (run->count > 1) return st_write_at(r->file, bytes, (size_t)run->count * page_size, at);
    int code = run->delta != 0 ? read_base(r, st_log_run_base(bytes)) : 0;
    if (code == 0 && !st_log_page_fill(run, page_size, bytes, r->base, r->room, r->page)) code = EBADMSG;
    return code == 0 ? st_write_at(r->file, r->page, page_size, at) : code;
}

/* 0, or an errno. */
static int put_record(const recovery *r) {
    const uint8_t *bytes = r->record.bytes + r->record.pages_at;
    int code = 0;
    for (uint32_t i = 0; i < r->record.runs && code == 0; i++) {
        st_log_run run = st_log_record_run(&r->record, i);
        code = put_run(r, &run, bytes);
        bytes += st_log_run_size(&run, r->header.page_size);
    }
    return code;
}

/* After a flush failed, it is not known which header is on the disk; the one that says that the log is in use has to be,
 * before anything is written. Its number is above that of any other, and its mark in the data file stays where it is. */
static int make_sure_of_header(recovery *r) {
    if (!r->header.distrusted) return 0;
    r->header.number += 2;
    return st_log_header_write(r->log, &r->header, NULL);
}

/* 0, or an errno. */
static int write_back(recovery *r) {
    uint64_t at = ST_LOG_BEGIN, last = r->header.commit + r->commits;
    r->page = malloc(3 * (size_t)r->header.page_size);
    if (r->page == NULL) return ENOMEM;
    r->base = r->page + r->header.page_size;
    r->room = r->base + r->header.page_size;
    int code = make_sure_of_header(r);
    for (uint64_t commit = r->header.commit + 1; commit <= last && code == 0; commit++) {
        code = st_log_record_read(r->log, at, &r->header, commit, &r->record);
        if (code == ENODATA) return EIO; /* it was there a moment ago */
        if (code == 0) code = put_record(r);
        at += r->record.size;
    }
    for (uint64_t i = 0; i < 2 && code == 0; i++)
        code = st_write_at(r->file, r->metas[i], ST_META_SIZE, i * r->header.page_size);
    if (code == 0 && fdatasync(r->file) != 0) code = errno;
    if (code != 0) return code;
    const st_log_header before = r->header;
    r->header.number++;
    r->header.in_use = false;
    r->header.commit = last;
    r->header.deferred = r->header.distrusted = false;
    memcpy(r->header.metas, r->metas, sizeof r->metas);
    code = st_log_header_write(r->log, &r->header, NULL);
    /* If only the system believes that the log is not in use any more, what it holds has to be put back once more. */
    if (code == 0) st_log_mark_wipe_others(r->file, &r->header);
    else (void)st_log_header_distrust(r->log, &before);
    return code;
}

static strata_status fail_crafted(const recovery *r, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0,
                   "opening '%s': '%s-log' has changes of pages that are not those which it has: it is damaged, or was "
                   "made to do harm; restore a backup", r->path, r->path);
}

static strata_status recover(recovery *r, bool read_only, strata_error *error) {
    if (read_only)
        return st_fail(error, STRATA_READ_ONLY, 0,
                       "opening '%s': who wrote it last did not close it, and '%s-log' has commits for it; open it for "
                       "writing once", r->path, r->path);
    int code = read_log(r);
    if (code == EFBIG)
        return st_fail(error, STRATA_CORRUPT, 0,
                       "opening '%s': '%s-log' has more records than any log: it is damaged, or was made to do harm; "
                       "restore a backup", r->path, r->path);
    if (code == EBADMSG) return fail_crafted(r, error);
    if (code != 0) return st_errno_fail(error, code, r->path, "recovering");
    if (!r->known || st_recovery_is_another(r->file, r->path, r->header.uuid))
        return st_fail(error, STRATA_REPLACED_FILE, 0,
                       "opening '%s': the commits in '%s-log' do not belong to it: the file was replaced, or one of "
                       "both is damaged; put the right one back, or restore a backup, or, if the file is complete, "
                       "delete the log", r->path, r->path);
    code = write_back(r);
    if (code == EBADMSG) return fail_crafted(r, error);
    if (code != 0) return st_errno_fail(error, code, r->path, "recovering");
    st_log(STRATA_LOG_INFO, "'%s' was recovered: its log had %llu commits", r->path, (unsigned long long)r->commits);
    return STRATA_OK;
}

/* -1 if there is none. */
static strata_status open_log(const char *path, bool read_only, int *out, strata_error *error) {
    int code = st_log_open(path, read_only, out);
    return code == 0 ? STRATA_OK : st_open_fail(error, code, path, read_only, "opening the log of");
}

strata_status st_recover(int file, const char *path, bool read_only, strata_error *error) {
    recovery r = { .file = file, .path = path };
    strata_status status = open_log(path, read_only, &r.log, error);
    if (status == STRATA_OK && r.log >= 0) {
        int code = st_log_header_read(r.log, &r.header);
        if (code == 0 && r.header.in_use) status = recover(&r, read_only, error);
        else if (code != 0 && code != ENODATA) status = st_errno_fail(error, code, path, "opening");
    }
    if (r.log >= 0) close(r.log);
    free(r.record.bytes);
    free(r.page);
    st_key_set_free(&r.pages);
    return status;
}

strata_status st_recovery_check(int file, const char *path, strata_error *error) {
    int log = -1;
    st_header header;
    st_log_header there;
    strata_status status = read_record(file, path, &header, error);
    if (status != STRATA_OK || !header.logged) return status;
    status = open_log(path, true, &log, error);
    int code = log >= 0 ? st_log_header_read(log, &there) : ENOENT;
    bool ours = code == 0 && memcmp(there.uuid, header.uuid, sizeof there.uuid) == 0;
    bool unreadable = code == ENODATA && st_log_is_one(log);
    if (log >= 0) close(log);
    if (status != STRATA_OK || ours) return status;
    if (unreadable)
        return st_fail(error, STRATA_CORRUPT, 0,
                       "opening '%s': who wrote it last did not close it, and '%s-log', which has its last commits, is "
                       "damaged, or of another version of Strata: open it with that version once, or restore a backup",
                       path, path);
    return st_fail(error, STRATA_CORRUPT, 0,
                   "opening '%s': who wrote it last did not close it, and '%s-log', which had its last commits, is "
                   "missing or belongs to another file: put it back, or restore a backup", path, path);
}

bool st_recovery_is_logged(int file, const char *path) {
    st_header header;
    return read_record(file, path, &header, NULL) == STRATA_OK && header.logged;
}
