/* SPDX-License-Identifier: MIT
 * page.c -- reading LMDB's pages from the file, bounds checked.
 *
 *   page   0 number (8), 8 pad (2), 10 flags (2), 12 lower (2), 14 upper (2), 16 offsets of the nodes (2 each)
 *   node   0 low (2), 2 high (2), 4 flags (2), 6 key size (2), 8 key, value
 *          in a branch, low, high and flags are the number of the child; in a leaf, low and high the value's size
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "store/page.h"

strata_status st_page_damaged(const st_page_file *file, uint64_t number, const char *what, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "'%s' is damaged: page %llu %s; restore a backup", file->path,
                   (unsigned long long)number, what);
}

static strata_status cut_short(const st_page_file *file, uint64_t number, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0,
                   "'%s' was cut short: page %llu is in use, but the file has %llu pages; restore a backup", file->path,
                   (unsigned long long)number, (unsigned long long)file->pages);
}

strata_status st_page_range(const st_page_file *file, uint64_t number, uint64_t count, strata_error *error) {
    if (number < 2 || number > file->last || count > file->last - number + 1)
        return st_page_damaged(file, number, "is not a page of a tree", error);
    if (number + count > file->pages) return cut_short(file, number + count - 1, error);
    return STRATA_OK;
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

strata_status st_page_bytes(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error) {
    return read_at(file, number * file->page_size, out, size, error);
}

strata_status st_page_value(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error) {
    return read_at(file, number * file->page_size + ST_PAGE_HEADER, out, size, error);
}

strata_status st_page_read(const st_page_file *file, uint64_t number, st_page *out, strata_error *error) {
    strata_status status = st_page_range(file, number, 1, error);
    if (status == STRATA_OK) status = st_page_bytes(file, number, out->bytes, file->page_size, error);
    if (status != STRATA_OK) return status;
    uint32_t flags = strata_load16(out->bytes + 10), lower = strata_load16(out->bytes + 12),
             upper = strata_load16(out->bytes + 14);
    if (strata_load64(out->bytes) != number) return st_page_damaged(file, number, "has the number of another", error);
    if (flags != ST_PAGE_BRANCH && flags != ST_PAGE_LEAF)
        return st_page_damaged(file, number, "is of no known kind", error);
    if (lower <= ST_PAGE_HEADER || (lower & 1) != 0 || lower > upper || upper > file->page_size)
        return st_page_damaged(file, number, "has impossible bounds", error);
    out->number = number;
    out->size = file->page_size;
    out->nodes = (lower - ST_PAGE_HEADER) / 2;
    out->upper = upper;
    out->leaf = flags == ST_PAGE_LEAF;
    return STRATA_OK;
}

bool st_page_node_read(const st_page *page, uint32_t index, st_page_node *out) {
    uint32_t at = strata_load16(page->bytes + ST_PAGE_HEADER + 2 * index);
    if (at < ST_PAGE_HEADER + 2 * page->nodes || at + ST_NODE_HEADER > page->size) return false;
    const uint8_t *bytes = page->bytes + at;
    uint32_t low = strata_load16(bytes), high = strata_load16(bytes + 2), key_size = strata_load16(bytes + 6);
    uint32_t room = page->size - at - ST_NODE_HEADER;
    if (key_size > room) return false;
    out->flags = strata_load16(bytes + 4);
    out->offset = (uint16_t)at;
    out->key = (strata_bytes){ bytes + ST_NODE_HEADER, key_size };
    out->child = low | (uint64_t)high << 16 | (uint64_t)out->flags << 32;
    out->value_size = low | high << 16;
    out->value = bytes + ST_NODE_HEADER + key_size;
    if (!page->leaf) return true;
    if (out->flags != 0 && out->flags != ST_NODE_BIG && out->flags != ST_NODE_TREE) return false;
    uint32_t here = (out->flags & ST_NODE_BIG) != 0 ? 8 : out->value_size;
    if ((out->flags & ST_NODE_TREE) != 0 && here != ST_PAGE_TREE_SIZE) return false;
    return here <= room - key_size;
}

strata_status st_page_find(const st_page_file *file, strata_bytes key, uint8_t *value, size_t capacity,
                           size_t *out_size, strata_error *error) {
    strata_status status = STRATA_NOT_FOUND;
    uint64_t number = file->main_tree.root;
    st_page page = { .bytes = malloc(file->page_size) };
    *out_size = 0;
    if (page.bytes == NULL) return st_no_memory(error, "opening a store");
    if (number == ST_NO_PAGE) goto done;

    for (uint32_t depth = 0;; depth++) {
        status = depth < ST_PAGE_DEPTH ? st_page_read(file, number, &page, error)
                                   : st_page_damaged(file, number, "is deeper than a tree can be", error);
        if (status != STRATA_OK) goto done;
        st_page_node node, chosen = { 0 };
        for (uint32_t i = 0; i < page.nodes; i++) {
            if (!st_page_node_read(&page, i, &node)) {
                status = st_page_damaged(file, number, "has an impossible entry", error);
                goto done;
            }
            /* The first key of a branch stands for everything before the second. */
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
    free(page.bytes);
    return status;
}
