/* SPDX-License-Identifier: MIT
 * page_log.c -- commits that are durable by one append. */
#define _GNU_SOURCE 1
#include "store/page_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "store/deferral.h"
#include "store/distrust.h"
#include "store/file.h"
#include "store/handle.h"
#include "store/lmdb_status.h"
#include "store/lock.h"
#include "store/room.h"
#include "store/temporary.h"

enum { STEP = 4096 }; /* bytes; smaller pages have no room for a mark: see log_file.h */

static bool defers(const strata_store *store) { return store->durability == STRATA_DURABILITY_DEFERRED; }
static bool wants_log(const strata_store *store) {
    return store->durability == STRATA_DURABILITY_LOGGED || defers(store);
}

/* ---- The file --------------------------------------------------------- */

/* Is there room for so much more, and as much again, on the disk? What is left is for writes that delete. */
static bool has_room(const strata_store *store, uint64_t more) {
    return !st_room_is_tight(store) && st_disk_room(store) / 2 >= more;
}

/* A name in a directory that cannot be synced may be gone after a power cut, and the commits of the log with it. */
static strata_status check_name(const char *name, strata_error *error) {
    int directory = -1;
    strata_status status = st_file_open_directory(name, &directory, error);
    if (status == STRATA_OK && directory < 0) status = st_errno_fail(error, EACCES, name, "creating");
    if (directory >= 0) close(directory);
    return status;
}

/* A log that is complete before it has its name. */
static strata_status make_file(const strata_store *store, const char *name, const st_log_header *header, bool replace,
                               int *out, strata_error *error) {
    st_temporary temporary = { NULL, -1 };
    struct stat info = { .st_mode = 0600 };
    if (!has_room(store, ST_LOG_LEAST_SIZE)) return st_errno_fail(error, ENOSPC, name, "creating");
    if (fstat(store->file, &info) != 0) return st_errno_fail(error, errno, name, "creating");
    strata_status status = check_name(name, error);
    if (status != STRATA_OK) return status;
    status = st_temporary_make(name, (info.st_mode & 0666) | 0600, "creating", &temporary, error);
    if (status != STRATA_OK) return status;
    int code = st_log_extend(temporary.descriptor, 0, ST_LOG_LEAST_SIZE);
    if (code == 0) code = st_log_header_write(temporary.descriptor, header, NULL);
    if (code != 0) status = st_errno_fail(error, code, name, "creating");
    if (status == STRATA_OK) status = st_temporary_put(&temporary, name, replace, "creating", error);
    if (status == STRATA_OK) {
        *out = temporary.descriptor;
        temporary.descriptor = -1;
    }
    st_temporary_end(&temporary);
    return status;
}

/* A child that is forked meanwhile must not close what has the number next. */
static void close_log(st_page_log *log) {
    int file = log->file;
    log->file = -1;
    if (file >= 0) close(file);
}

/* Is the log that is open the one that recovery would find? */
static bool is_there(const st_page_log *log) {
    struct stat there;
    return log->file >= 0 && stat(log->name, &there) == 0 && there.st_dev == log->device && there.st_ino == log->inode;
}

/* Remembers which file the log is. 0, or an errno. */
static int know(st_page_log *log) {
    struct stat info;
    if (fstat(log->file, &info) != 0) return errno;
    log->device = info.st_dev;
    log->inode = info.st_ino;
    log->size = (uint64_t)info.st_size;
    log->last = 0; /* nothing is known of what is in it */
    return 0;
}

/* `*replaceable`: it is a log that this version cannot read. If nothing is in a log, another one may take its place. */
static strata_status open_file(strata_store *store, const char *name, const uint8_t uuid[16], bool *replaceable,
                               strata_error *error) {
    st_page_log *log = &store->log;
    *replaceable = false;
    log->file = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (log->file < 0) return errno == ENOENT ? STRATA_NOT_FOUND : st_errno_fail(error, errno, name, "opening");
    int code = know(log);
    if (code == 0) code = st_log_header_read(log->file, &log->header);
    bool ours = code == 0 && memcmp(log->header.uuid, uuid, 16) == 0 && log->header.page_size == store->page_size;
    if (ours) return STRATA_OK;
    *replaceable = code == ENODATA && st_log_is_one(log->file);
    close_log(log);
    if (code != 0 && code != ENODATA) return st_errno_fail(error, code, name, "opening");
    if (*replaceable)
        return st_fail(error, STRATA_CORRUPT, 0, "'%s', which has the last commits of the store beside it, is damaged, or "
                       "of another version of Strata: open it with that version once, or restore a backup", name);
    return st_fail(error, STRATA_CORRUPT, 0, "'%s' is not the log of the store beside it: remove it", name);
}

/* Opens the log that has its name, unless it is open; with `may_make` makes it if it is missing. */
static strata_status reach(st_txn *writer, bool may_make, strata_error *error) {
    strata_store *store = writer->store;
    st_page_log *log = &store->log;
    if (log->name == NULL) log->name = st_log_path(store->path);
    if (log->name == NULL) return st_no_memory(error, "opening the log of a store");
    if (is_there(log)) return STRATA_OK;
    close_log(log);
    bool replaceable;
    strata_status status = open_file(store, log->name, writer->header.uuid, &replaceable, error);
    if ((status == STRATA_NOT_FOUND || replaceable) && may_make) {
        st_log_header header = { .number = 1, .page_size = store->page_size };
        memcpy(header.uuid, writer->header.uuid, sizeof header.uuid);
        status = make_file(store, log->name, &header, replaceable, &log->file, error);
        int code = status == STRATA_OK ? know(log) : 0;
        if (code != 0) status = st_errno_fail(error, code, log->name, "creating");
        log->header = header;
    } else if (status == STRATA_NOT_FOUND) {
        status = st_fail(error, STRATA_CORRUPT, 0,
                         "writing to '%s': '%s', which has its last commits, was deleted or moved while it was open; "
                         "make a backup, close every handle of the file, and go on with the backup", store->path,
                         log->name);
    }
    return status;
}

/* ---- Beginning again -------------------------------------------------- */

/* Looks at a commit of the store; the size of the file that it finds counts for the next one, too. */
static bool see_commit(st_page_file *file, uint64_t number) {
    if (st_page_file_see(file, number, NULL) != STRATA_OK) return false;
    st_page_file_see_free(file);
    return true;
}

/* 0, or a code of LMDB. */
static int flush_data(strata_store *store) {
    int code = st_called(mdb_env_sync(store->env, 1));
    if (code != 0) st_distrust(store, "it could not be flushed");
    return code;
}

/* 0, or an errno. */
static int write_header(strata_store *store, const st_log_header *header) {
    st_page_log *log = &store->log;
    bool unsure;
    int code = st_log_header_write(log->file, header, &unsure);
    if (!unsure) return code; /* there may be room again */
    st_distrust(store, "the header of its log could not be flushed");
    /* Perhaps only the system believes that the log is not in use any more. */
    if (log->header.in_use && !header->in_use) (void)st_log_header_distrust(log->file, &log->header);
    return code;
}

/* Flushes the data file, whose newest commit is `commit`, so that nothing in the log is needed any more. 0, or an errno
 * or code of LMDB. */
static int begin_again(strata_store *store, uint64_t commit, bool in_use) {
    st_page_log *log = &store->log;
    st_log_header header = { .number = log->header.number + 1, .in_use = in_use, .deferred = in_use && defers(store),
                             .page_size = store->page_size, .commit = commit };
    const st_page_file pages = { .map = store->map, .page_size = store->page_size };
    int code = getentropy(&header.salt, sizeof header.salt) != 0 ? errno : 0;
    if (code == 0 && header.deferred) code = st_log_mark_write(store->file, &header);
    if (code == 0) code = flush_data(store);
    if (code != 0) return code;
    memcpy(header.uuid, log->header.uuid, sizeof header.uuid);
    for (uint64_t i = 0; i < 2; i++) memcpy(header.metas[i], st_page_file_meta(&pages, i), ST_META_SIZE);
    code = write_header(store, &header);
    if (code != 0) return code;
    st_log_mark_wipe_others(store->file, &header);
    log->header = header;
    st_key_set_clear(&log->pages);
    log->last = commit;
    log->end = ST_LOG_BEGIN;
    st_page_log_is_flushed(log);
    return 0;
}

/* Reads what others have appended. 0, or an errno. */
static int catch_up(st_page_log *log, const st_log_header *now) {
    int code;
    if (now->number != log->header.number || log->last == 0) {
        log->last = now->commit;
        log->end = ST_LOG_BEGIN;
        st_key_set_clear(&log->pages);
    }
    log->header = *now;
    while ((code = st_log_record_read(log->file, log->end, now, log->last + 1, &log->record)) == 0) {
        log->end += log->record.size;
        log->last++;
        (void)st_log_record_add_pages(&log->record, &log->pages);
    }
    return code == ENODATA ? 0 : code;
}

/* 0, or an errno or code of LMDB. */
static int bring_up_to_date(st_txn *writer, const st_log_header *now) {
    st_page_log *log = &writer->store->log;
    struct stat info;
    bool counts = now->in_use && !now->alone && !now->older;
    if (counts && now->number == log->header.number && log->last == writer->stamp)
        return st_deferral_holds(log) ? 0 : st_log_flush(writer->store);
    if (fstat(log->file, &info) != 0) return errno;
    log->size = (uint64_t)info.st_size;
    int code = now->in_use ? catch_up(log, now) : 0;
    if (code != 0) return code;
    if (counts && log->last == writer->stamp) return st_log_flush(writer->store);
    log->header.number = now->number;
    return begin_again(writer->store, writer->stamp, true);
}

/* ---- Writes ------------------------------------------------------------ */

/* Whether the next commit may be the last one that does not go to the log. It is not essential: a commit without the
 * log is as durable. */
static bool can_be_used(st_txn *writer) {
    strata_store *store = writer->store;
    strata_error error;
    bool fits = store->page_size % STEP == 0 && store->page_size <= ST_LOG_MOST_PAGE_SIZE;
    if (store->log.denied || store->remote || !fits || !st_lock_works(store)) return false;
    if (reach(writer, true, &error) == STRATA_OK) return true;
    /* There will be descriptors again, and room. */
    if (error.system_code == EMFILE || error.system_code == ENFILE || error.system_code == ENOSPC) return false;
    store->log.denied = true;
    st_log(STRATA_LOG_WARNING, "'%s' is written without a log: %s", store->path, error.message);
    return false;
}

/* Decides whether the record of the write may be left. 0, or an errno or code of LMDB. */
static int defer(st_txn *writer) {
    strata_store *store = writer->store;
    store->log.defers = false;
    if (!defers(store)) return 0;
    int code = store->log.header.deferred ? 0 : begin_again(store, writer->stamp, true);
    return code == 0 ? st_deferral_begin(writer, &store->log.defers) : code;
}

strata_status st_page_log_begin(st_txn *writer, strata_error *error) {
    strata_store *store = writer->store;
    store->log.in_use = writer->header.logged;
    if (!writer->header.logged) {
        writer->header.logged = wants_log(store) && can_be_used(writer);
        return STRATA_OK;
    }
    strata_status status = reach(writer, false, error);
    if (status != STRATA_OK) return status;
    st_log_header now;
    int code = st_log_header_read(store->log.file, &now);
    if (code == ENODATA) code = EIO;
    if (code == 0 && now.in_use && now.distrusted) {
        st_store_poison(store, "another process could not flush it");
        return st_poison_fail(store, "writing to", error);
    }
    if (code == 0) code = bring_up_to_date(writer, &now);
    if (code == 0) code = defer(writer);
    if (code == 0) return STRATA_OK;
    if (code == EIO) st_store_poison(store, "its log failed");
    return st_lmdb_fail(error, code, store, "writing to the log of");
}

/* What is more than that is not compared with the commit before in vain. */
static uint64_t most_pages(const strata_store *store) {
    const uint64_t room = (ST_LOG_MOST_SIZE - ST_LOG_BEGIN) / store->page_size;
    return room < ST_LOG_MOST_PAGES ? room : ST_LOG_MOST_PAGES;
}

/* Makes the log as large as it has to be up to `end`, if it may be, so that the data file is flushed less often. */
static bool grow(strata_store *store, uint64_t end) {
    st_page_log *log = &store->log;
    uint64_t size = log->size < ST_LOG_LEAST_SIZE ? ST_LOG_LEAST_SIZE : log->size;
    while (size < end) size *= 2;
    if (size > ST_LOG_MOST_SIZE) size = ST_LOG_MOST_SIZE;
    if (size < end || !has_room(store, size - log->size)) return false;
    if (st_log_extend(log->file, log->size, size) == 0) log->size = size;
    else (void)!ftruncate(log->file, (off_t)log->size);
    return log->size >= end;
}

/* The record of a commit, in memory, for which there is room in the log. False if not, or if it cannot be made. */
static bool make_record(strata_store *store, uint64_t commit) {
    st_page_log *log = &store->log;
    st_page_file after = { .descriptor = store->file, .path = store->path, .map = store->map,
                           .map_pages = store->map_size / store->page_size, .page_size = store->page_size }, before;
    log->runs.count = log->runs.pages = 0;
    if (!see_commit(&after, commit)) return false;
    before = after;
    if (!see_commit(&before, commit - 1) ||
        st_page_diff(&before, &after, most_pages(store), &log->runs, NULL) != STRATA_OK ||
        log->runs.pages > most_pages(store) ||
        !st_log_record_make(&log->record, &log->header, &after, &log->runs, &log->pages))
        return false;
    uint64_t end = log->end + log->record.size;
    return end <= log->size || grow(store, end);
}

/* A large commit leaves no large record behind, only its size. */
static void trim(st_log_record *record) {
    enum { KEPT = 1 << 20 };
    if (record->capacity <= KEPT) return;
    free(record->bytes);
    record->bytes = NULL;
    record->capacity = 0;
}

int st_page_log_append(strata_store *store, uint64_t commit) {
    st_page_log *log = &store->log;
    bool appended = make_record(store, commit) && st_log_record_write(log->file, &log->record, log->end) == 0 &&
                    (log->defers || fdatasync(log->file) == 0);
    if (appended) (void)st_log_record_add_pages(&log->record, &log->pages);
    trim(&log->record);
    if (!appended) return begin_again(store, commit, true);
    log->end += log->record.size;
    log->last = commit;
    log->waiting += log->runs.pages;
    if (log->defers) st_deferral_left(store);
    else st_page_log_is_flushed(log);
    return 0;
}

int st_page_log_end(st_txn *writer) {
    int code = begin_again(writer->store, writer->stamp, false);
    if (code != 0) return code;
    writer->store->log.in_use = false;
    writer->header.logged = false;
    return 0;
}

void st_page_log_free(st_page_log *log) {
    if (log->file >= 0) close(log->file);
    st_key_set_free(&log->pages);
    free(log->record.bytes);
    free(log->runs.all);
    free(log->name);
}
