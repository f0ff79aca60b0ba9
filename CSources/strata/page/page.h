/* SPDX-License-Identifier: MIT
 *
 * page.h -- LMDB's pages, read with every step checked.
 *
 * LMDB follows page numbers in its map without checking that they lie in the file. The functions here check everything.
 * Before LMDB opens a file, pages are read by pread; snapshots walk them in LMDB's map: see walk.h.
 *
 *   page   0 number (8), 8 pad (2), 10 flags (2), 12 lower (2), 14 upper (2), 16 offsets of the nodes (2 each)
 *   node   0 low (2), 2 high (2), 4 flags (2), 6 key size (2), 8 key, value
 *          in a branch, low, high and flags are the number of the child; in a leaf, low and high the value's size
 */
#ifndef ST_PAGE_PAGE_H
#define ST_PAGE_PAGE_H

#include "base/bits.h"
#include "page/meta.h"

enum { ST_PAGE_HEADER = 16, ST_NODE_HEADER = 8 };
enum { ST_PAGE_BRANCH = 1, ST_PAGE_LEAF = 2, ST_PAGE_OVERFLOW = 4 };
enum { ST_NODE_BIG = 1, ST_NODE_TREE = 2 };

/** A branch or leaf page in memory, whose header has been checked. */
typedef struct st_page {
    const uint8_t *bytes;
    uint64_t number;
    uint32_t size;
    uint32_t nodes;
    uint32_t upper; /* where the nodes begin */
    bool leaf;
} st_page;

typedef struct st_page_node {
    uint16_t flags;
    uint16_t offset;      /* in the page */
    strata_bytes key;
    uint64_t child;       /* in a branch */
    uint32_t value_size;  /* in a leaf; with ST_NODE_BIG it is the size of the value on pages of its own */
    const uint8_t *value; /* in a leaf; with ST_NODE_BIG it is the number of the first of these pages, 8 bytes */
} st_page_node;

/** Fails with the reason why not all of `count` pages from `number` on can be pages of trees. */
strata_status st_page_out_of_range(const st_page_file *file, uint64_t number, uint64_t count, strata_error *error);

/** Checks that `count` pages from `number` on can be pages of trees and lie in the file. */
static inline strata_status st_page_range(const st_page_file *file, uint64_t number, uint64_t count,
                                          strata_error *error) {
    uint64_t end = file->last < file->pages ? file->last + 1 : file->pages;
    if (number >= 2 && number < end && count <= end - number) return STRATA_OK;
    return st_page_out_of_range(file, number, count, error);
}

/** Reads the header of a branch or a leaf. NULL, or what is wrong with it. */
static inline const char *st_page_open(const uint8_t *bytes, uint64_t number, uint32_t size, st_page *out) {
    uint32_t flags = strata_load16(bytes + 10), lower = strata_load16(bytes + 12), upper = strata_load16(bytes + 14);
    if (strata_load64(bytes) != number) return "has the number of another";
    if (flags != ST_PAGE_BRANCH && flags != ST_PAGE_LEAF) return "is of no known kind";
    if (lower <= ST_PAGE_HEADER || (lower & 1) != 0 || lower > upper || upper > size) return "has impossible bounds";
    *out = (st_page){ .bytes = bytes, .number = number, .size = size, .nodes = (lower - ST_PAGE_HEADER) / 2,
                      .upper = upper, .leaf = flags == ST_PAGE_LEAF };
    return NULL;
}

/** How many pages of its own a value needs that does not fit into a leaf. */
static inline uint64_t st_page_count(const st_page_file *file, uint32_t value_size) {
    if (value_size <= file->page_size - ST_PAGE_HEADER) return 1; /* saves a division, for each block that is read */
    return ((uint64_t)value_size + ST_PAGE_HEADER - 1) / file->page_size + 1;
}

/** Reads a branch or a leaf into `room`, which has the size of a page. */
strata_status st_page_read(const st_page_file *file, uint64_t number, uint8_t *room, st_page *out,
                           strata_error *error);
/** Reads the first bytes of any page. */
strata_status st_page_bytes(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error);
/** Reads a value on pages of its own, which have been checked to lie in the file. */
strata_status st_page_value(const st_page_file *file, uint64_t number, uint8_t *out, size_t size, strata_error *error);

/** Reads one node. False if it is not inside of the page. */
static inline bool st_page_node_read(const st_page *page, uint32_t index, st_page_node *out) {
    uint32_t at = strata_load16(page->bytes + ST_PAGE_HEADER + 2 * index);
    if (at < ST_PAGE_HEADER + 2 * page->nodes || at + ST_NODE_HEADER > page->size) return false;
    const uint8_t *bytes = page->bytes + at;
    uint32_t low = strata_load16(bytes), high = strata_load16(bytes + 2), key_size = strata_load16(bytes + 6);
    uint32_t room = page->size - at - ST_NODE_HEADER;
    if (key_size > room) return false;
    room -= key_size;
    out->flags = strata_load16(bytes + 4);
    out->offset = (uint16_t)at;
    out->key = (strata_bytes){ bytes + ST_NODE_HEADER, key_size };
    out->child = low | (uint64_t)high << 16 | (uint64_t)out->flags << 32;
    out->value_size = low | high << 16;
    out->value = bytes + ST_NODE_HEADER + key_size;
    if (!page->leaf) return true;
    if (out->flags == ST_NODE_BIG) return room >= 8;
    bool tree = out->flags == ST_NODE_TREE && out->value_size == ST_PAGE_TREE_SIZE;
    return (out->flags == 0 || tree) && room >= out->value_size;
}

/** Fails with STRATA_CORRUPT. */
strata_status st_page_damaged(const st_page_file *file, uint64_t number, const char *what, strata_error *error);

/** Looks `key` up in the main tree and copies its value, which has at most `capacity` bytes, to `value`.
 * STRATA_OK, STRATA_NOT_FOUND or STRATA_CORRUPT. */
strata_status st_page_find(const st_page_file *file, strata_bytes key, uint8_t *value, size_t capacity,
                           size_t *out_size, strata_error *error);

#endif
