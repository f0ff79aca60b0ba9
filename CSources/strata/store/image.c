/* SPDX-License-Identifier: MIT
 * image.c -- exact copies of a commit, page by page. */
#define _GNU_SOURCE 1
#include "store/image.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/status.h"
#include "store/advice.h"
#include "store/lmdb_status.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "store/tree.h"

/* 0, or an errno. */
static int write_all(int descriptor, const uint8_t *bytes, uint64_t size) {
    while (size > 0) {
        ssize_t done = write(descriptor, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        bytes += done;
        size -= (uint64_t)done;
    }
    return 0;
}

/* What was written may be given back before the next pages are. */
static int write_pages(int descriptor, const st_txn *snapshot, uint64_t first, uint64_t end) {
    enum { MOST = 1024 };
    const st_page_file *file = &snapshot->file;
    int code = 0;
    for (uint64_t at = first; at < end && code == 0;) {
        uint64_t count = end - at < MOST ? end - at : MOST;
        code = write_all(descriptor, file->map + at * file->page_size, count * file->page_size);
        st_advice_note_pages(snapshot->store, count);
        at += count;
    }
    return code;
}

/* The log is that of the file: its copy must not say that its commits are in one. So the page of the header record is
 * changed. 0, or an errno. */
static int write_without_log(int descriptor, st_txn *snapshot, uint64_t end) {
    const st_page_file *file = &snapshot->file;
    const strata_bytes key = { st_header_key, ST_HEADER_KEY_SIZE };
    strata_bytes record;
    st_header header = snapshot->header;
    if (st_tree_get(snapshot, ST_META, key, &record, NULL) != STRATA_OK) return EIO;
    size_t offset = (size_t)((const uint8_t *)record.data - file->map);
    uint64_t number = offset / file->page_size;
    uint8_t *page = malloc(file->page_size);
    if (page == NULL) return ENOMEM;
    header.logged = false;
    memcpy(page, file->map + number * file->page_size, file->page_size);
    st_header_write(page + offset % file->page_size, &header, snapshot->stamp);
    int code = write_pages(descriptor, snapshot, 2, number);
    if (code == 0) code = write_all(descriptor, page, file->page_size);
    if (code == 0) code = write_pages(descriptor, snapshot, number + 1, end);
    free(page);
    return code;
}

/* Begins a snapshot and reads its meta pages. A second snapshot of the same commit proves that they are right: LMDB
 * counts a commit when it has ended. */
static strata_status begin(strata_store *store, uint8_t *metas, st_txn **out, strata_error *error) {
    enum { TRIES = 1000 };
    for (int attempt = 0; attempt < TRIES; attempt++) {
        st_txn *second;
        strata_status status = st_snapshot_begin(store, out, error);
        if (status != STRATA_OK) return status;
        st_page_file_metas(&(*out)->file, metas);
        status = st_snapshot_begin(store, &second, error);
        if (status == STRATA_OK && second->stamp == (*out)->stamp) {
            st_snapshot_end(second);
            return STRATA_OK;
        }
        st_snapshot_end(second);
        st_snapshot_end(*out);
        *out = NULL;
        if (status != STRATA_OK) return status;
    }
    return st_fail(error, STRATA_BUSY, 0,
                   "copying '%s': a commit was made at each of %d tries to look at the newest one",
                   st_store_name(store), TRIES);
}

/* ---- Writing ---------------------------------------------------------- */

/* A commit being copied. */
typedef struct image {
    strata_store *store;
    st_txn *snapshot;
    uint8_t *metas;
    uint64_t metas_size, size; /* of the meta pages, and of all pages: an intact file may lack its last ones */
} image;

static strata_status open_image(strata_store *store, const char *doing, image *out, strata_error *error) {
    *out = (image){ .store = store, .metas_size = 2 * (uint64_t)store->page_size };
    out->metas = malloc(out->metas_size);
    if (out->metas == NULL) return st_no_memory(error, doing);
    strata_status status = begin(store, out->metas, &out->snapshot, error);
    if (status != STRATA_OK) return status;
    const st_page_file *file = &out->snapshot->file;
    out->size = (file->last < file->pages ? file->last + 1 : file->pages) * file->page_size;
    return STRATA_OK;
}

static void close_image(image *i) {
    if (i->snapshot != NULL) st_snapshot_end(i->snapshot);
    free(i->metas);
}

/* 0, or an errno. */
static int write_image(const image *i, int descriptor) {
    const st_page_file *file = &i->snapshot->file;
    uint64_t end = i->size / file->page_size;
    int code = write_all(descriptor, i->metas, i->metas_size);
    if (code != 0) return code;
    return i->snapshot->header.logged ? write_without_log(descriptor, i->snapshot, end)
                                      : write_pages(descriptor, i->snapshot, 2, end);
}

strata_status st_image_write(strata_store *store, int descriptor, const char *path, const char *doing,
                             strata_error *error) {
    image i;
    strata_status status = open_image(store, doing, &i, error);
    int code = status == STRATA_OK ? write_image(&i, descriptor) : 0;
    if (code != 0) status = st_errno_fail(error, code, path, doing);
    close_image(&i);
    return status;
}

/* ---- Making files ----------------------------------------------------- */

/* Lets an empty file share the blocks of the store's; false if the file system cannot do that, or if the copy would say
 * that its commits are in a log. */
static bool share_blocks(const image *i, int descriptor) {
    return i->store->memory_name == NULL && !i->snapshot->header.logged &&
           ioctl(descriptor, FICLONE, i->store->file) == 0;
}

/* Whoever writes meanwhile leaves the pages of the snapshot alone. So only the meta pages in a clone may be those of
 * another commit, or of none. 0, or an errno. */
static int settle_clone(const image *i, int descriptor) {
    int code = write_all(descriptor, i->metas, i->metas_size);
    return code == 0 && ftruncate(descriptor, (off_t)i->size) != 0 ? errno : code;
}

static strata_status check_room(const image *i, int descriptor, const char *path, const char *doing,
                                strata_error *error) {
    struct statfs disk;
    if (fstatfs(descriptor, &disk) != 0 || disk.f_blocks == 0) return STRATA_OK; /* then writing will tell */
    uint64_t free_bytes = (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize;
    if (free_bytes >= i->size) return STRATA_OK;
    return st_fail(error, STRATA_DISK_FULL, ENOSPC, "%s '%s': that takes %llu bytes, and its disk has %llu free",
                   doing, path, (unsigned long long)i->size, (unsigned long long)free_bytes);
}

strata_status st_image_make(strata_store *store, int descriptor, const char *path, const char *doing,
                            strata_error *error) {
    image i;
    int code = 0;
    strata_status status = open_image(store, doing, &i, error);
    if (status == STRATA_OK && share_blocks(&i, descriptor)) {
        code = settle_clone(&i, descriptor);
    } else if (status == STRATA_OK) {
        status = check_room(&i, descriptor, path, doing, error);
        if (status == STRATA_OK) code = write_image(&i, descriptor);
    }
    if (code != 0) status = st_errno_fail(error, code, path, doing);
    close_image(&i);
    return status;
}
