/* SPDX-License-Identifier: MIT
 * page.c -- reading LMDB's pages from the file. */
#define _GNU_SOURCE 1
#include "page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "page/overlay.h"

strata_status st_page_damaged(const st_page_file *file, uint64_t number, const char *what, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "'%s' is damaged: page %llu %s; restore a backup", file->path,
                   (unsigned long long)number, what);
}

static strata_status cut_short(const st_page_file *file, uint64_t number, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0,
                   "'%s' was cut short: page %llu is in use, but the file has %llu pages; restore a backup", file->path,
                   (unsigned long long)number, (unsigned long long)file->pages);
}

strata_status st_page_out_of_range(const st_page_file *file, uint64_t number, uint64_t count, strata_error *error) {
    if (number < 2 || number > file->last || count > file->last - number + 1)
        return st_page_damaged(file, number, "is not a page of a tree", error);
    return cut_short(file, number + count - 1, error);
}

static strata_status read_at(const st_page_file *file, uint64_t offset, uint8_t *out, size_t size,
                             strata_error *error) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(file->descriptor, out + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        uint64_t number = (offset + done) / file->page_size;
        if (got < 0)
            return st_fail(error, STRATA_IO, errno, "reading page %llu of '%s': %s", (unsigned long long)number,
                           file->path, strerror(errno));
        if (got == 0) return cut_short(file, number, error);
        done += (size_t)got;
    }
    return STRATA_OK;
}

/* Reads from `within` in a page on, each page from where it counts. */
static strata_status read_from(const st_page_file *file, uint64_t number, size_t within, uint8_t *out, size_t size,
                               strata_error *error) {
    strata_status status = STRATA_OK;
    if (file->overlay == NULL) return read_at(file, number * file->page_size + within, out, size, error);
    while (size > 0 && status == STRATA_OK) {
        const uint8_t *over = st_page_overlay_get(file->overlay, number);
        size_t part = size < file->page_size - within ? size : file->page_size - within;
        if (over != NULL) memcpy(out, over + within, part);
        else status = read_at(file, number * file->page_size + within, out, part, error);
        out += part;
        size -= part;
        within = 0;
        number++;
    }
    return status;
}

strata_status st_page_bytes(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error) {
    return read_from(file, number, 0, out, size, error);
}

strata_status st_page_value(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error) {
    return read_from(file, number, ST_PAGE_HEADER, out, size, error);
}

strata_status st_page_read(const st_page_file *file, uint64_t number, uint8_t *room, st_page *out,
                           strata_error *error) {
    strata_status status = st_page_range(file, number, 1, error);
    if (status == STRATA_OK) status = st_page_bytes(file, number, room, file->page_size, error);
    if (status != STRATA_OK) return status;
    const char *fault = st_page_open(room, number, file->page_size, out);
    return fault == NULL ? STRATA_OK : st_page_damaged(file, number, fault, error);
}

strata_status st_page_find(const st_page_file *file, strata_bytes key, uint8_t *value, size_t capacity,
                           size_t *out_size, strata_error *error) {
    strata_status status = STRATA_NOT_FOUND;
    uint64_t number = file->main_tree.root;
    st_page page;
    uint8_t *room = malloc(file->page_size);
    *out_size = 0;
    if (room == NULL) return st_no_memory(error, "opening a store");
    if (number == ST_NO_PAGE) goto done;

    for (uint32_t depth = 0;; depth++) {
        status = depth < ST_PAGE_DEPTH ? st_page_read(file, number, room, &page, error)
                                   : st_page_damaged(file, number, "is deeper than a tree can be", error);
        if (status != STRATA_OK) goto done;
        st_page_node node, chosen = { 0 };
        for (uint32_t i = 0; i < page.nodes; i++) {
            if (!st_page_node_read(&page, i, &node)) {
                status = st_page_damaged(file, number, "has an impossible entry", error);
                goto done;
            }
            /* In a branch the first key counts as less than every other key. */
            int order = !page.leaf && i == 0 ? -1 : st_compare(node.key, key);
            if (order > 0) break;
            chosen = node;
        }
        if (page.leaf) {
            bool found = chosen.value != NULL && chosen.flags == 0 && chosen.value_size <= capacity &&
                         st_compare(chosen.key, key) == 0;
            status = found ? STRATA_OK : STRATA_NOT_FOUND;
            if (found) memcpy(value, chosen.value, *out_size = chosen.value_size);
            goto done;
        }
        number = chosen.child;
    }

done:
    free(room);
    return status;
}
