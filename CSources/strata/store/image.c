/* SPDX-License-Identifier: MIT
 * image.c -- exact copies of a commit, page by page. */
#define _GNU_SOURCE 1
#include "store/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "store/lmdb_status.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "store/tree.h"

/* 0, or an errno. */
static int write_all(int descriptor, const uint8_t *bytes, uint64_t size) {
    const uint64_t most = 64 * 1024 * 1024;
    while (size > 0) {
        ssize_t done = write(descriptor, bytes, size < most ? size : most);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        bytes += done;
        size -= (uint64_t)done;
    }
    return 0;
}

static int write_pages(int descriptor, const st_page_file *file, uint64_t first, uint64_t end) {
    return write_all(descriptor, file->map + first * file->page_size, (end - first) * file->page_size);
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
    int code = write_pages(descriptor, file, 2, number);
    if (code == 0) code = write_all(descriptor, page, file->page_size);
    if (code == 0) code = write_pages(descriptor, file, number + 1, end);
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

strata_status st_image_write(strata_store *store, int descriptor, const char *path, const char *doing,
                             strata_error *error) {
    st_txn *snapshot;
    uint64_t metas_size = 2 * (uint64_t)store->page_size;
    uint8_t *metas = malloc(metas_size);
    if (metas == NULL) return st_no_memory(error, doing);
    strata_status status = begin(store, metas, &snapshot, error);
    if (status == STRATA_OK) {
        /* An intact file may lack its last pages. */
        const st_page_file *file = &snapshot->file;
        uint64_t end = file->last < file->pages ? file->last + 1 : file->pages;
        int code = write_all(descriptor, metas, metas_size);
        if (code == 0 && !snapshot->header.logged) code = write_pages(descriptor, file, 2, end);
        else if (code == 0) code = write_without_log(descriptor, snapshot, end);
        if (code != 0) status = st_errno_fail(error, code, path, doing);
        st_snapshot_end(snapshot);
    }
    free(metas);
    return status;
}
