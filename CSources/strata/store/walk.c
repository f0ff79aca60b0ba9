/* SPDX-License-Identifier: MIT
 * walk.c -- walking the trees of a commit in LMDB's map. */
#include "store/walk.h"

/* ---- Searching a page ------------------------------------------------- */

/* Keys are compared a word at a time, as they stand: most keys that are compared differ in the first or the second. */
static inline bool is_less(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    size_t shared = a_size < b_size ? a_size : b_size, at = 0;
    for (; at + 8 <= shared; at += 8) {
        uint64_t left = st_load_big64(a + at), right = st_load_big64(b + at);
        if (left != right) return left < right;
    }
    int order = at == shared ? 0 : memcmp(a + at, b + at, shared - at);
    return order != 0 ? order < 0 : a_size < b_size;
}

/* The key of a node. False if it leaves the page. */
static inline bool key_at(const st_page *page, uint32_t index, strata_bytes *out) {
    uint32_t at = strata_load16(page->bytes + ST_PAGE_HEADER + 2 * index);
    if (at + ST_NODE_HEADER > page->size) return false;
    out->size = strata_load16(page->bytes + at + 6);
    out->data = page->bytes + at + ST_NODE_HEADER;
    return at + ST_NODE_HEADER + out->size <= page->size;
}

/* The same of a key that is a word: numbers of objects and the like. */
static inline bool word_at(const st_page *page, uint32_t index, uint64_t *out) {
    uint32_t at = strata_load16(page->bytes + ST_PAGE_HEADER + 2 * index);
    if (at + ST_NODE_HEADER + 8 > page->size || strata_load16(page->bytes + at + 6) != 8) return false;
    *out = st_load_big64(page->bytes + at + ST_NODE_HEADER);
    return true;
}

/* The searches find, from node `low` on, the first whose key is not less than `from`, or with `behind` the first whose
 * key is greater; the count of nodes if there is none. False if they meet a node that is not as they expect. */
static inline bool search_words(const st_page *page, uint32_t low, uint64_t from, bool behind, uint32_t *out) {
    for (uint32_t count = page->nodes - low; count > 0;) {
        uint32_t half = (count + 1) / 2;
        uint64_t word;
        if (!word_at(page, low + half - 1, &word)) return false;
        low += st_if(word < from || (behind && word == from), half);
        count -= half;
    }
    *out = low;
    return true;
}

static inline bool search_bytes(const st_page *page, uint32_t low, strata_bytes from, bool behind, uint32_t *out) {
    for (uint32_t count = page->nodes - low; count > 0;) {
        uint32_t half = (count + 1) / 2;
        strata_bytes key;
        if (!key_at(page, low + half - 1, &key)) return false;
        bool before = behind ? !is_less(from.data, from.size, key.data, key.size)
                             : is_less(key.data, key.size, from.data, from.size);
        low += st_if(before, half);
        count -= half;
    }
    *out = low;
    return true;
}

static inline bool search(const st_page *page, uint32_t low, strata_bytes from, bool behind, uint32_t *out) {
    return (from.size == 8 && search_words(page, low, st_load_big64(from.data), behind, out)) ||
           search_bytes(page, low, from, behind, out);
}

/* ---- Going down ------------------------------------------------------- */

/* A page on the way, taken apart again: its header was checked when it was stepped into. */
static inline st_page page_of(const st_page_file *file, const st_walk *walk, uint32_t level) {
    const st_walk_step *step = &walk->steps[level];
    return (st_page){ .bytes = step->page, .size = file->page_size, .nodes = step->nodes,
                      .leaf = level + 1 == walk->depth };
}

static strata_status damaged(const st_page_file *file, const st_walk *walk, uint32_t level, const char *what,
                             strata_error *error) {
    return st_page_damaged(file, strata_load64(walk->steps[level].page), what, error);
}

static inline strata_status step_into(const st_page_file *file, st_walk *walk, uint32_t level, uint64_t number,
                                      st_page *out, strata_error *error) {
    strata_status status = st_page_range(file, number, 1, error);
    if (status != STRATA_OK) return status;
    const char *fault = st_page_open(file->map + number * file->page_size, number, file->page_size, out);
    if (fault == NULL && out->leaf != (level + 1 == walk->depth)) fault = "is at the wrong depth of its tree";
    if (fault != NULL) return st_page_damaged(file, number, fault, error);
    walk->steps[level].page = out->bytes;
    walk->steps[level].nodes = out->nodes;
    return STRATA_OK;
}

typedef enum direction { TO_FIRST, TO_LAST, TO_KEY } direction;

/* Goes down to a leaf from page `number`, which is at `level`. In the leaf, the node of a key may be the one behind the
 * last. */
static inline strata_status go_down(const st_page_file *file, st_walk *walk, uint32_t level, uint64_t number,
                                    direction where, strata_bytes from, strata_error *error) {
    for (;; level++) {
        st_page page;
        st_page_node node;
        st_walk_step *step = &walk->steps[level];
        strata_status status = step_into(file, walk, level, number, &page, error);
        if (status != STRATA_OK) return status;
        bool sound = true;
        if (where != TO_KEY) step->index = where == TO_FIRST ? 0 : page.nodes - 1;
        else if (page.leaf) sound = search(&page, 0, from, false, &step->index);
        /* The first key of a branch stands for everything before the second. */
        else if ((sound = search(&page, 1, from, true, &step->index))) step->index--;
        if (sound && page.leaf) return STRATA_OK;
        if (!sound || !st_page_node_read(&page, step->index, &node))
            return damaged(file, walk, level, "has an impossible entry", error);
        number = node.child;
    }
}

/* From the end of a leaf to the next one, or from its beginning to the one before. */
static strata_status cross(const st_page_file *file, st_walk *walk, direction where, strata_error *error) {
    uint32_t level = walk->depth - 1;
    do {
        if (level-- == 0) return STRATA_NOT_FOUND;
    } while (walk->steps[level].index == (where == TO_FIRST ? walk->steps[level].nodes - 1 : 0));
    walk->steps[level].index += where == TO_FIRST ? 1u : UINT32_MAX;
    st_page page = page_of(file, walk, level);
    st_page_node node;
    if (!st_page_node_read(&page, walk->steps[level].index, &node))
        return damaged(file, walk, level, "has an impossible entry", error);
    return go_down(file, walk, level + 1, node.child, where, (strata_bytes){ NULL, 0 }, error);
}

/* ---- Moves ------------------------------------------------------------ */

static strata_status stand(st_walk *walk, strata_status status) {
    if (status != STRATA_OK) walk->depth = 0;
    return status;
}

/* Does the first key not less than `from` lie in the leaf it stands on, at its node or behind? If so, stands there. */
static inline bool is_near(const st_page_file *file, st_walk *walk, strata_bytes from) {
    if (walk->depth == 0) return false;
    st_walk_step *step = &walk->steps[walk->depth - 1];
    st_page page = page_of(file, walk, walk->depth - 1);
    strata_bytes here, last;
    return key_at(&page, step->index, &here) && !is_less(from.data, from.size, here.data, here.size) &&
           key_at(&page, page.nodes - 1, &last) && !is_less(last.data, last.size, from.data, from.size) &&
           search(&page, step->index, from, false, &step->index);
}

strata_status st_walk_seek(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_bytes from,
                           strata_error *error) {
    if (is_near(file, walk, from)) return STRATA_OK;
    walk->depth = tree->depth;
    if (walk->depth == 0) return STRATA_NOT_FOUND;
    strata_status status = go_down(file, walk, 0, tree->root, TO_KEY, from, error);
    const st_walk_step *leaf = &walk->steps[walk->depth - 1];
    if (status == STRATA_OK && leaf->index == leaf->nodes) status = cross(file, walk, TO_FIRST, error);
    return stand(walk, status);
}

strata_status st_walk_last(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_error *error) {
    walk->depth = tree->depth;
    if (walk->depth == 0) return STRATA_NOT_FOUND;
    return stand(walk, go_down(file, walk, 0, tree->root, TO_LAST, (strata_bytes){ NULL, 0 }, error));
}

strata_status st_walk_next(const st_page_file *file, st_walk *walk, strata_error *error) {
    if (walk->depth == 0) return STRATA_NOT_FOUND;
    st_walk_step *leaf = &walk->steps[walk->depth - 1];
    if (++leaf->index < leaf->nodes) return STRATA_OK;
    return stand(walk, cross(file, walk, TO_FIRST, error));
}

strata_status st_walk_previous(const st_page_file *file, st_walk *walk, strata_error *error) {
    if (walk->depth == 0) return STRATA_NOT_FOUND;
    st_walk_step *leaf = &walk->steps[walk->depth - 1];
    if (leaf->index-- > 0) return STRATA_OK;
    return stand(walk, cross(file, walk, TO_LAST, error));
}

/* ---- Entries ---------------------------------------------------------- */

strata_status st_walk_entry(const st_page_file *file, const st_walk *walk, strata_bytes *key, strata_bytes *value,
                            strata_error *error) {
    uint32_t level = walk->depth - 1;
    st_page page = page_of(file, walk, level);
    st_page_node node;
    if (!st_page_node_read(&page, walk->steps[level].index, &node))
        return damaged(file, walk, level, "has an impossible entry", error);
    *key = node.key;
    *value = (strata_bytes){ node.value, node.value_size };
    if ((node.flags & ST_NODE_BIG) == 0) return STRATA_OK;
    uint64_t number = strata_load64(node.value);
    strata_status status = st_page_range(file, number, st_page_count(file, node.value_size), error);
    if (status == STRATA_OK) value->data = file->map + number * file->page_size + ST_PAGE_HEADER;
    return status;
}

const void *st_walk_ahead(const st_page_file *file, const st_walk *walk, uint32_t steps) {
    if (walk->depth == 0) return NULL;
    const st_walk_step *leaf = &walk->steps[walk->depth - 1];
    st_page page = page_of(file, walk, walk->depth - 1);
    st_page_node node;
    if (steps >= leaf->nodes - leaf->index || !st_page_node_read(&page, leaf->index + steps, &node)) return NULL;
    if ((node.flags & ST_NODE_BIG) == 0) return node.value;
    uint64_t number = strata_load64(node.value);
    return number < file->pages ? file->map + number * file->page_size + ST_PAGE_HEADER : NULL;
}

strata_status st_walk_tree(const st_page_file *file, const st_walk *walk, st_page_tree *out, strata_error *error) {
    uint32_t level = walk->depth - 1;
    st_page page = page_of(file, walk, level);
    st_page_node node;
    bool sound = st_page_node_read(&page, walk->steps[level].index, &node) && (node.flags & ST_NODE_TREE) != 0;
    if (!sound) return damaged(file, walk, level, "has an impossible entry", error);
    st_page_tree_read(node.value, out);
    if (!st_page_tree_plausible(file, out))
        return st_page_damaged(file, out->root, "cannot be the root of a tree of a store", error);
    return STRATA_OK;
}
