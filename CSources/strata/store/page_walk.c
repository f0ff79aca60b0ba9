/* SPDX-License-Identifier: MIT
 * page_walk.c -- following LMDB's pages through the file, bounds checked.
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

enum { PAGE_HEADER = 16, NODE_HEADER = 8, MAX_DEPTH = 32 };
enum { PAGE_BRANCH = 1, PAGE_LEAF = 2 };
enum { NODE_BIG = 1, NODE_TREE = 2 };

/* A page in memory, found to be a branch or a leaf. */
typedef struct tree_page {
    uint8_t *bytes;
    uint64_t number;
    uint32_t size;
    uint32_t nodes;
    bool leaf;
} tree_page;

typedef struct tree_node {
    uint16_t flags;
    strata_bytes key;
    uint64_t child;       /* of a branch */
    uint32_t value_size;  /* of a leaf; with NODE_BIG, of the value on other pages */
    const uint8_t *value; /* of a leaf; with NODE_BIG, 8 bytes with the number of the first of these pages */
} tree_node;

static strata_status damaged(const st_page_file *file, uint64_t number, const char *what, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "'%s' is damaged: page %llu %s; restore a backup", file->path,
                   (unsigned long long)number, what);
}

static strata_status cut_short(const st_page_file *file, uint64_t number, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0,
                   "'%s' was cut short: page %llu is in use, but the file has %llu pages; restore a backup", file->path,
                   (unsigned long long)number, (unsigned long long)file->pages);
}

/* Are `count` pages from `number` on pages of trees, and in the file? */
static strata_status check_range(const st_page_file *file, uint64_t number, uint64_t count, strata_error *error) {
    if (number < 2 || number > file->last || count > file->last - number + 1)
        return damaged(file, number, "is not a page of a tree", error);
    if (number + count > file->pages) return cut_short(file, number + count - 1, error);
    return STRATA_OK;
}

static strata_status read_page(const st_page_file *file, uint64_t number, tree_page *out, strata_error *error) {
    strata_status status = check_range(file, number, 1, error);
    if (status != STRATA_OK) return status;
    size_t done = 0;
    while (done < file->page_size) {
        ssize_t got = pread(file->descriptor, out->bytes + done, file->page_size - done,
                            (off_t)(number * file->page_size + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return st_fail(error, STRATA_IO, errno, "reading page %llu of '%s': %s", (unsigned long long)number,
                           file->path, strerror(errno));
        if (got == 0) return cut_short(file, number, error);
        done += (size_t)got;
    }
    uint32_t flags = strata_load16(out->bytes + 10), lower = strata_load16(out->bytes + 12),
             upper = strata_load16(out->bytes + 14);
    if (strata_load64(out->bytes) != number) return damaged(file, number, "has the number of another", error);
    if (flags != PAGE_BRANCH && flags != PAGE_LEAF) return damaged(file, number, "is of no known kind", error);
    if (lower <= PAGE_HEADER || (lower & 1) != 0 || lower > upper || upper > file->page_size)
        return damaged(file, number, "has impossible bounds", error);
    out->number = number;
    out->size = file->page_size;
    out->nodes = (lower - PAGE_HEADER) / 2;
    out->leaf = flags == PAGE_LEAF;
    return STRATA_OK;
}

/* Takes one node apart. False if it leaves the page. */
static bool read_node(const tree_page *page, uint32_t index, tree_node *out) {
    uint32_t at = strata_load16(page->bytes + PAGE_HEADER + 2 * index);
    if (at < PAGE_HEADER + 2 * page->nodes || at + NODE_HEADER > page->size) return false;
    const uint8_t *bytes = page->bytes + at;
    uint32_t low = strata_load16(bytes), high = strata_load16(bytes + 2), key_size = strata_load16(bytes + 6);
    uint32_t room = page->size - at - NODE_HEADER;
    if (key_size > room) return false;
    out->flags = strata_load16(bytes + 4);
    out->key = (strata_bytes){ bytes + NODE_HEADER, key_size };
    out->child = low | (uint64_t)high << 16 | (uint64_t)out->flags << 32;
    out->value_size = low | high << 16;
    out->value = bytes + NODE_HEADER + key_size;
    if (!page->leaf) return true;
    if ((out->flags & ~(NODE_BIG | NODE_TREE)) != 0 || out->flags == (NODE_BIG | NODE_TREE)) return false;
    uint32_t here = (out->flags & NODE_BIG) != 0 ? 8 : out->value_size;
    if ((out->flags & NODE_TREE) != 0 && here != ST_PAGE_TREE_SIZE) return false;
    return here <= room - key_size;
}

strata_status st_page_find(const st_page_file *file, strata_bytes key, uint8_t *value, size_t capacity,
                           size_t *out_size, strata_error *error) {
    strata_status status = STRATA_NOT_FOUND;
    uint64_t number = file->main_tree.root;
    tree_page page = { .bytes = malloc(file->page_size) };
    *out_size = 0;
    if (page.bytes == NULL) return st_no_memory(error, "opening a store");
    if (number == ST_NO_PAGE) goto done;

    for (uint32_t depth = 0;; depth++) {
        status = depth < MAX_DEPTH ? read_page(file, number, &page, error)
                                   : damaged(file, number, "is deeper than a tree can be", error);
        if (status != STRATA_OK) goto done;
        tree_node node, chosen = { 0 };
        for (uint32_t i = 0; i < page.nodes; i++) {
            if (!read_node(&page, i, &node)) {
                status = damaged(file, number, "has an impossible entry", error);
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

/* ---- Walking all ------------------------------------------------------ */

typedef struct page_walk {
    const st_page_file *file;
    uint64_t seen; /* pages visited; more than there are would be a cycle */
    strata_error *error;
    uint8_t *buffers[2 * MAX_DEPTH]; /* one per level: those of the main tree, then of a tree in it */
} page_walk;

static strata_status walk_page(page_walk *walk, uint64_t number, uint32_t level, uint32_t last_level);

static strata_status count_pages(page_walk *walk, uint64_t number, uint64_t count) {
    strata_status status = check_range(walk->file, number, count, walk->error);
    if (status != STRATA_OK) return status;
    walk->seen += count;
    if (walk->seen > walk->file->last)
        return damaged(walk->file, number, "is part of a cycle, or of two trees", walk->error);
    return STRATA_OK;
}

static strata_status walk_tree(page_walk *walk, const st_page_tree *tree, uint32_t level) {
    if (!st_page_tree_plausible(walk->file, tree))
        return damaged(walk->file, tree->root, "cannot be the root of a tree", walk->error);
    return tree->root == ST_NO_PAGE ? STRATA_OK : walk_page(walk, tree->root, level, level + tree->depth - 1);
}

static strata_status walk_value(page_walk *walk, const tree_page *page, const tree_node *node, uint32_t level) {
    if ((node->flags & NODE_BIG) != 0) {
        uint64_t pages = ((uint64_t)node->value_size + PAGE_HEADER - 1) / page->size + 1;
        return count_pages(walk, strata_load64(node->value), pages);
    }
    if ((node->flags & NODE_TREE) == 0) return STRATA_OK;
    if (level >= MAX_DEPTH) return damaged(walk->file, page->number, "has a tree within a tree of a tree", walk->error);
    st_page_tree tree;
    st_page_tree_read(node->value, &tree);
    return walk_tree(walk, &tree, MAX_DEPTH);
}

static strata_status walk_page(page_walk *walk, uint64_t number, uint32_t level, uint32_t last_level) {
    uint8_t **buffer = &walk->buffers[level];
    if (*buffer == NULL) *buffer = malloc(walk->file->page_size);
    if (*buffer == NULL) return st_no_memory(walk->error, "opening a store");
    tree_page page = { .bytes = *buffer };
    strata_status status = count_pages(walk, number, 1);
    if (status == STRATA_OK) status = read_page(walk->file, number, &page, walk->error);
    if (status == STRATA_OK && page.leaf != (level == last_level))
        status = damaged(walk->file, number, "is at the wrong depth of its tree", walk->error);
    for (uint32_t i = 0; i < page.nodes && status == STRATA_OK; i++) {
        tree_node node;
        if (!read_node(&page, i, &node)) status = damaged(walk->file, number, "has an impossible entry", walk->error);
        else if (page.leaf) status = walk_value(walk, &page, &node, level);
        else status = walk_page(walk, node.child, level + 1, last_level);
    }
    return status;
}

strata_status st_page_walk(const st_page_file *file, strata_error *error) {
    page_walk walk = { .file = file, .error = error };
    strata_status status = walk_tree(&walk, &file->free_tree, 0);
    if (status == STRATA_OK) status = walk_tree(&walk, &file->main_tree, 0);
    for (size_t i = 0; i < sizeof walk.buffers / sizeof walk.buffers[0]; i++) free(walk.buffers[i]);
    return status;
}
