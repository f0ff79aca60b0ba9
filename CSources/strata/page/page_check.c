/* SPDX-License-Identifier: MIT
 * page_check.c -- checks everything that LMDB takes for granted about its pages. */
#include "page/page_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "page/page.h"

enum {
    INTEGER_KEYS = 8,
    NO_FOLDER = 0x4000, /* a flag of the whole file, which is stored with the tree of free pages */
    MAX_KEY = 511
};

typedef struct checker {
    const st_page_file *file;
    strata_error *error;
    st_page_use use;                     /* `unread` is NULL if the first pages of values are read now */
    uint8_t *buffers[2 * ST_PAGE_DEPTH]; /* a page per level of the main tree, then per level of a tree in it */
    uint8_t *value;                      /* a value on pages of its own */
    size_t value_size;
    st_page_tree found;                  /* pages and entries of the tree that is being checked */
    bool integers;                       /* its keys are numbers */
    bool freeing;                        /* it is the tree of free pages */
    bool alone;                          /* other trees are not looked at */
} checker;

/* Limits of the keys in a page: not less than `low`, less than `high`. A bound without data is no limit. */
typedef struct bounds {
    strata_bytes low, high;
} bounds;

static strata_status check_branch(checker *c, uint64_t number, uint32_t level, uint32_t last_level, bounds within);

static strata_status damaged(const checker *c, uint64_t number, const char *what) {
    return st_page_damaged(c->file, number, what, c->error);
}

static bool has(const uint8_t *bits, uint64_t number) { return (bits[number / 8] >> number % 8 & 1) != 0; }

/* Sets a bit. False if it was set already. */
static bool mark(uint8_t *bits, uint64_t number) {
    bool fresh = !has(bits, number);
    bits[number / 8] |= (uint8_t)(1 << number % 8);
    return fresh;
}

static strata_status mark_all(checker *c, uint64_t number, uint64_t count) {
    strata_status status = st_page_range(c->file, number, count, c->error);
    for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
        if (!mark(c->use.taken, number + i)) status = damaged(c, number + i, "is used twice");
    }
    return status;
}

static int compare_keys(const checker *c, strata_bytes a, strata_bytes b) {
    if (!c->integers) return st_compare(a, b);
    uint64_t first = strata_load64(a.data), second = strata_load64(b.data);
    return first < second ? -1 : first > second;
}

/* ---- Values ----------------------------------------------------------- */

/* The pages of a value begin with a header that counts them. They may be more than the value needs: when a transaction
 * puts a shorter value in place of one that it put itself, the pages stay. */
static strata_status check_value_header(const st_page_file *file, const uint8_t *header, uint64_t number,
                                        uint64_t least, uint64_t *out_count, strata_error *error) {
    *out_count = strata_load32(header + 12);
    if (strata_load64(header) != number || strata_load16(header + 10) != ST_PAGE_OVERFLOW || *out_count < least)
        return st_page_damaged(file, number, "is not the beginning of a value", error);
    return STRATA_OK;
}

static strata_status check_big_value(checker *c, const st_page_node *node, uint64_t *out_number) {
    uint64_t number = strata_load64(node->value);
    uint64_t least = st_page_count(c->file, node->value_size), count = least;
    strata_status status = st_page_range(c->file, number, least, c->error);
    if (status != STRATA_OK) return status;
    if (c->use.unread == NULL || c->freeing) {
        uint8_t header[ST_PAGE_HEADER];
        status = st_page_bytes(c->file, number, header, sizeof header, c->error);
        if (status == STRATA_OK) status = check_value_header(c->file, header, number, least, &count, c->error);
    } else if (mark(c->use.unread, number)) {
        c->use.unread_count++;
    }
    if (status != STRATA_OK) return status;
    c->found.overflow_pages += count;
    *out_number = number;
    return mark_all(c, number, count);
}

/* The free pages of one transaction: how many, then their numbers, descending. */
static strata_status check_free_pages(checker *c, uint64_t number, const uint8_t *value, size_t size) {
    uint64_t count = size >= 8 ? strata_load64(value) : 0, before = UINT64_MAX;
    if (size < 8 || size % 8 != 0 || count > size / 8 - 1)
        return damaged(c, number, "has an impossible list of free pages");
    for (uint64_t i = 1; i <= count; i++) {
        uint64_t page = strata_load64(value + 8 * i);
        if (page < 2 || page > c->file->last || page >= before)
            return damaged(c, number, "has an impossible list of free pages");
        if (!mark(c->use.taken, page)) return damaged(c, page, "is in use, and also free");
        before = page;
    }
    return STRATA_OK;
}

static strata_status check_free_entry(checker *c, const st_page *page, const st_page_node *node, uint64_t big) {
    if ((node->flags & ST_NODE_TREE) != 0) return damaged(c, page->number, "has a tree among free pages");
    uint64_t commit = strata_load64(node->key.data);
    if (commit == 0 || commit > c->file->txnid)
        return damaged(c, page->number, "has free pages of an impossible commit");
    if ((node->flags & ST_NODE_BIG) == 0) return check_free_pages(c, page->number, node->value, node->value_size);
    if (node->value_size > c->value_size) {
        uint8_t *larger = realloc(c->value, node->value_size);
        if (larger == NULL) return st_no_memory(c->error, "checking a store");
        c->value = larger;
        c->value_size = node->value_size;
    }
    strata_status status = st_page_value(c->file, big, c->value, node->value_size, c->error);
    return status == STRATA_OK ? check_free_pages(c, page->number, c->value, node->value_size) : status;
}

/* ---- Trees ------------------------------------------------------------ */

/* If the first pages of values are not read, they may have more pages than were found. */
static bool same_figures(const checker *c, const st_page_tree *tree) {
    const st_page_tree *found = &c->found;
    bool same_values = c->use.unread == NULL || c->freeing ? found->overflow_pages == tree->overflow_pages
                                                           : found->overflow_pages <= tree->overflow_pages;
    return found->branch_pages == tree->branch_pages && found->leaf_pages == tree->leaf_pages && same_values &&
           found->entries == tree->entries;
}

static strata_status check_tree(checker *c, const st_page_tree *tree, uint16_t flags, uint32_t level) {
    if ((tree->flags & ~(c->freeing ? NO_FOLDER : 0)) != flags || !st_page_tree_plausible(c->file, tree))
        return damaged(c, tree->root, "cannot be the root of a tree of a store");
    st_page_tree outer = c->found;
    bool integers = c->integers;
    c->found = (st_page_tree){ 0 };
    c->integers = (flags & INTEGER_KEYS) != 0;
    strata_status status = STRATA_OK;
    if (tree->root != ST_NO_PAGE)
        status = check_branch(c, tree->root, level, level + tree->depth - 1, (bounds){ { NULL, 0 }, { NULL, 0 } });
    if (status == STRATA_OK && !same_figures(c, tree))
        status = damaged(c, tree->root, "is the root of a tree that counts its pages or entries wrongly");
    c->found = outer;
    c->integers = integers;
    return status;
}

static strata_status check_entry(checker *c, const st_page *page, const st_page_node *node, uint32_t level) {
    uint64_t big = 0;
    strata_status status = STRATA_OK;
    c->found.entries++;
    if ((node->flags & ST_NODE_BIG) != 0) status = check_big_value(c, node, &big);
    if (status == STRATA_OK && c->freeing) return check_free_entry(c, page, node, big);
    if ((node->flags & ST_NODE_TREE) == 0 || c->alone) return status;
    if (level >= ST_PAGE_DEPTH) return damaged(c, page->number, "has a tree within a tree of a tree");
    st_page_tree tree;
    st_page_tree_read(node->value, &tree);
    return check_tree(c, &tree, 0, ST_PAGE_DEPTH);
}

/* The size of a node in its page, rounded as LMDB rounds it. */
static uint32_t node_size(const st_page *page, const st_page_node *node) {
    uint32_t value = !page->leaf ? 0 : (node->flags & ST_NODE_BIG) != 0 ? 8 : node->value_size;
    return (ST_NODE_HEADER + (uint32_t)node->key.size + value + 1) & ~1u;
}

/* Sets the bits from `from` to before `to`. False if one of them was set already. */
static bool take(uint64_t *words, uint32_t from, uint32_t to) {
    bool fresh = true;
    while (from < to) {
        uint32_t end = (from | 63) + 1 < to ? (from | 63) + 1 : to;
        uint64_t mask = UINT64_MAX >> (64 - (end - from)) << from % 64;
        fresh = fresh && (words[from / 64] & mask) == 0;
        words[from / 64] |= mask;
        from = end;
    }
    return fresh;
}

/* The nodes fill the end of the page, from `upper` on, in any order. If they do not overlap, and their sizes add up to
 * the right sum, there is no gap. */
static strata_status check_layout(checker *c, const st_page *page) {
    uint64_t taken[65536 / 2 / 64]; /* a bit per two bytes */
    uint32_t total = 0, largest = ((page->size - ST_PAGE_HEADER) / 2 & ~1u) - 2;
    memset(taken, 0, page->size / 16);
    for (uint32_t i = 0; i < page->nodes; i++) {
        st_page_node node;
        if (!st_page_node_read(page, i, &node)) return damaged(c, page->number, "has an impossible entry");
        uint32_t size = node_size(page, &node);
        /* LMDB splits a page in the belief that two entries with their values fit into it. */
        if (page->leaf && (node.flags & ST_NODE_BIG) == 0 && size > largest)
            return damaged(c, page->number, "has an entry that is too large");
        if (node.offset % 2 != 0 || node.offset < page->upper || node.offset + size > page->size)
            return damaged(c, page->number, "has an entry out of place");
        if (!take(taken, node.offset / 2u, (node.offset + size) / 2u))
            return damaged(c, page->number, "has entries over each other");
        total += size;
    }
    return total == page->size - page->upper ? STRATA_OK : damaged(c, page->number, "has a gap between its entries");
}

/* Nobody compares the first key of a branch. */
static strata_status check_key(checker *c, const st_page *page, uint32_t index, const st_page_node *node,
                               strata_bytes before, bounds within) {
    size_t size = node->key.size;
    if (!page->leaf && index == 0 && size <= MAX_KEY) return STRATA_OK;
    if (size == 0 || size > MAX_KEY || (c->integers && size != 8))
        return damaged(c, page->number, "has a key of an impossible size");
    /* What follows the first key is above the lower bound with it, and what precedes the last below the upper one. */
    bool above = before.data != NULL ? compare_keys(c, before, node->key) < 0
                                     : within.low.data == NULL || compare_keys(c, within.low, node->key) <= 0;
    bool below = index + 1 < page->nodes || within.high.data == NULL || compare_keys(c, node->key, within.high) < 0;
    return above && below ? STRATA_OK : damaged(c, page->number, "has a key out of order");
}

static strata_status check_nodes(checker *c, const st_page *page, uint32_t level, uint32_t last_level, bounds within) {
    st_page_node node = { 0 }, next = { 0 };
    strata_bytes before = { NULL, 0 };
    strata_status status = check_layout(c, page);
    for (uint32_t i = 0; i < page->nodes && status == STRATA_OK; i++) {
        (void)st_page_node_read(page, i, &node);
        status = check_key(c, page, i, &node, before, within);
        if (status != STRATA_OK) break;
        if (page->leaf || i > 0) before = node.key;
        if (page->leaf) {
            status = check_entry(c, page, &node, level);
            continue;
        }
        bounds inner = { i == 0 ? within.low : node.key, within.high };
        if (i + 1 < page->nodes) {
            (void)st_page_node_read(page, i + 1, &next);
            inner.high = next.key;
            if (next.key.size == 0 || (c->integers && next.key.size != 8))
                return damaged(c, page->number, "has a key of an impossible size");
        }
        status = check_branch(c, node.child, level + 1, last_level, inner);
    }
    return status;
}

static strata_status check_branch(checker *c, uint64_t number, uint32_t level, uint32_t last_level, bounds within) {
    uint8_t **buffer = &c->buffers[level];
    if (*buffer == NULL) *buffer = malloc(c->file->page_size);
    if (*buffer == NULL) return st_no_memory(c->error, "checking a store");
    st_page page;
    strata_status status = mark_all(c, number, 1);
    if (status == STRATA_OK) status = st_page_read(c->file, number, *buffer, &page, c->error);
    if (status != STRATA_OK) return status;
    if (page.leaf != (level == last_level)) return damaged(c, number, "is at the wrong depth of its tree");
    if (!page.leaf && page.nodes < 2) return damaged(c, number, "is a branch of less than two");
    if (page.leaf) c->found.leaf_pages++;
    else c->found.branch_pages++;
    return check_nodes(c, &page, level, last_level, within);
}

/* ---- Files ------------------------------------------------------------ */

static strata_status make_use(checker *c, bool lazily) {
    const st_page_file *file = c->file;
    size_t bytes = (size_t)(file->last / 8 + 1);
    /* A file may lack its last pages if the commit that allocated them freed them again, but not as many as this. */
    if (file->last / 64 > file->pages + (1 << 20)) return damaged(c, 0, "speaks of far more pages than there are");
    c->use = (st_page_use){ .txnid = file->txnid, .last = file->last, .taken = calloc(bytes, 1) };
    if (lazily) c->use.unread = calloc(bytes, 1);
    if (c->use.taken == NULL || (lazily && c->use.unread == NULL)) return st_no_memory(c->error, "checking a store");
    return STRATA_OK;
}

static strata_status check_file(checker *c, bool lazily) {
    strata_status status = make_use(c, lazily);
    if (status == STRATA_OK) status = check_tree(c, &c->file->main_tree, 0, 0);
    c->freeing = true;
    if (status == STRATA_OK && !c->alone) status = check_tree(c, &c->file->free_tree, INTEGER_KEYS, 0);
    for (size_t i = 0; i < sizeof c->buffers / sizeof c->buffers[0]; i++) free(c->buffers[i]);
    free(c->value);
    if (status != STRATA_OK) st_page_use_free(&c->use);
    return status;
}

strata_status st_page_check(const st_page_file *file, strata_error *error) {
    checker c = { .file = file, .error = error };
    strata_status status = check_file(&c, false);
    st_page_use_free(&c.use);
    return status;
}

strata_status st_page_check_main(const st_page_file *file, strata_error *error) {
    checker c = { .file = file, .error = error, .alone = true };
    strata_status status = check_file(&c, false);
    st_page_use_free(&c.use);
    return status;
}

strata_status st_page_check_trees(const st_page_file *file, st_page_use *out, strata_error *error) {
    checker c = { .file = file, .error = error };
    strata_status status = check_file(&c, true);
    *out = c.use;
    return status;
}

strata_status st_page_check_value(const st_page_file *file, st_page_use *use, const uint8_t *page, uint64_t number,
                                  size_t size, strata_error *error) {
    uint64_t least = st_page_count(file, (uint32_t)size), count = 0;
    if (number > use->last || !has(use->unread, number)) return STRATA_OK; /* written since, or read before */
    strata_status status = check_value_header(file, page, number, least, &count, error);
    if (status == STRATA_OK) status = st_page_range(file, number, count, error);
    for (uint64_t i = number + least; i < number + count && status == STRATA_OK; i++) {
        if (i > use->last || !mark(use->taken, i)) status = st_page_damaged(file, i, "is used twice", error);
    }
    if (status != STRATA_OK) return status;
    use->unread[number / 8] &= (uint8_t)~(1 << number % 8);
    use->unread_count--;
    return STRATA_OK;
}

void st_page_use_free(st_page_use *use) {
    free(use->taken);
    free(use->unread);
    *use = (st_page_use){ 0 };
}
