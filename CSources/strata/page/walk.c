/* SPDX-License-Identifier: MIT
 * walk.c -- walking the trees of a commit in LMDB's map. */
#include "page/walk.h"

/* ---- Searching a page -------------------------------------------------
 *
 * This is an interpolation search. Keys begin with the number of the table or index that they belong to. What follows
 * is mostly spread evenly: numbers of objects, or values in order or at random. So once both ends of the search belong
 * to the same table or index, the position between them is guessed, and the search goes on from there with steps that
 * double. Each node that is read means waiting for a line of memory. A good guess needs two or three of them, where
 * halving needs seven; after a bad guess there are at most twice as many as with halving. The keys at the ends are
 * known before the page is read: they are those on both sides of the branch that led to it.
 */

/* A key to search for. */
typedef struct walk_target {
    strata_bytes key;
    st_walk_words words;
    bool after;  /* searches for the first key that is greater, instead of the first that is not less */
    bool broken; /* there was a node that is not inside of its page */
} walk_target;

static inline bool words_less(st_walk_words a, st_walk_words b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* The words of a key. If it has less than 8 bytes, the bytes in front of it must be readable. */
static inline st_walk_words words_of(const uint8_t *key, size_t size) {
    if (size == 8) return (st_walk_words){ st_load_big64(key), 0 };
    if (size >= 16) return (st_walk_words){ st_load_big64(key), st_load_big64(key + 8) };
    if (size > 8) return (st_walk_words){ st_load_big64(key), st_load_big64(key + size - 8) << 8 * (16 - size) };
    return (st_walk_words){ size == 0 ? 0 : st_load_big64(key + size - 8) << 8 * (8 - size), 0 };
}

static inline walk_target target_of(strata_bytes key) {
    uint8_t room[16] = { 0 };
    if (key.size >= 8) return (walk_target){ .key = key, .words = words_of(key.data, key.size) };
    if (key.size != 0) memcpy(room + 8, key.data, key.size);
    return (walk_target){ .key = key, .words = words_of(room + 8, key.size) };
}

/* The key of a node. False if it is not inside of the page. */
static inline bool key_at(const st_page *page, int32_t index, strata_bytes *out) {
    uint32_t at = strata_load16(page->bytes + ST_PAGE_HEADER + 2 * index);
    if (at + ST_NODE_HEADER > page->size) return false;
    out->size = strata_load16(page->bytes + at + 6);
    out->data = page->bytes + at + ST_NODE_HEADER;
    return at + ST_NODE_HEADER + out->size <= page->size;
}

/* Does the target come after a key, whose words these are? */
static inline bool comes_after_key(strata_bytes key, st_walk_words words, const walk_target *it) {
    if (words.high != it->words.high || words.low != it->words.low) return words_less(words, it->words);
    int order = st_compare(key, it->key);
    return it->after ? order <= 0 : order < 0;
}

/* Does the target come after a node? `*words` are the words of the node's key. */
static inline bool comes_after(const st_page *page, int32_t index, walk_target *it, st_walk_words *words) {
    strata_bytes key;
    if (!key_at(page, index, &key)) {
        *words = (st_walk_words){ 0, 0 };
        return it->broken = true;
    }
    *words = words_of(key.data, key.size);
    return comes_after_key(key, *words, it);
}

/* The first node that the target does not come after. It comes after node `low`, but not after node `high`; these may
 * also be -1 and the count of nodes. Starts at `guess`. */
static int32_t narrow(const st_page *page, int32_t low, int32_t high, int32_t guess, walk_target *it) {
    st_walk_words words;
    if (guess > low && guess < high) {
        bool up = comes_after(page, guess, it, &words);
        if (up) low = guess;
        else high = guess;
        for (int32_t step = 1; step < high - low; step *= 2) {
            int32_t next = up ? low + step : high - step;
            bool after = comes_after(page, next, it, &words);
            if (after) low = next;
            else high = next;
            if (after != up) break;
        }
    }
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (comes_after(page, middle, it, &words)) low = middle;
        else high = middle;
    }
    return high;
}

/* The 64 bits of a key after the number of its table or index, without the last two, so that differences do not
 * overflow. */
static inline int64_t rest_of(st_walk_words words) { return (int64_t)((words.high << 32 | words.low >> 32) >> 2); }

/* The first node after `low` that the target does not come after; the count of nodes if there is none. The keys of the
 * page and the target are between `first` and `last`. */
static inline int32_t search(const st_page *page, int32_t low, st_walk_words first, st_walk_words last,
                             walk_target *it) {
    int32_t high = (int32_t)page->nodes;
    st_walk_words words;
    while ((first.high ^ last.high) >> 32 != 0 && high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (comes_after(page, middle, it, &words)) low = middle, first = words;
        else high = middle, last = words;
    }
    if (high - low == 1) return high;
    int64_t begin = rest_of(first), size = rest_of(last) - begin + 1, part = rest_of(it->words) - begin;
    double ahead = (double)part / (double)size * (high - low - 1);
    bool inside = ahead >= 0 && ahead < (double)high; /* unless the keys are out of order */
    return narrow(page, low, high, low + 1 + (inside ? (int32_t)ahead : 0), it);
}

/* ---- Going down ------------------------------------------------------- */

/* A page on the way. Its header was checked by step_into(). */
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

/* The number of the page that the current node of a branch leads to. */
static inline strata_status child_of(const st_page_file *file, const st_walk *walk, const st_page *page, uint32_t level,
                                     uint64_t *out, strata_error *error) {
    st_page_node node;
    if (!st_page_node_read(page, walk->steps[level].index, &node))
        return damaged(file, walk, level, "has an impossible entry", error);
    *out = node.child;
    return STRATA_OK;
}

/* Limits the keys of the page below a branch: they are between the key of the node and that of the next one. At the
 * ends of the page the limits of the page itself hold. */
static inline void bound(const st_page *page, int32_t index, st_walk *walk) {
    strata_bytes key;
    if (index > 0 && key_at(page, index, &key)) walk->first = words_of(key.data, key.size);
    if (index + 1 < (int32_t)page->nodes && key_at(page, index + 1, &key)) walk->last = words_of(key.data, key.size);
}

/* Goes down from the root to the leaf where the target is, or would be. There the node may be one after the last. */
static strata_status go_to_key(const st_page_file *file, st_walk *walk, uint64_t number, walk_target *it,
                               strata_error *error) {
    walk->first = (st_walk_words){ 0, 0 };
    walk->last = (st_walk_words){ UINT64_MAX, UINT64_MAX };
    walk->backward = false;
    walk->crossed = 0;
    it->broken = false;
    for (uint32_t level = 0;; level++) {
        st_page page = { 0 };
        strata_status status = step_into(file, walk, level, number, &page, error);
        if (status != STRATA_OK) return status;
        /* In a branch the first key counts as less than every other key. */
        it->after = !page.leaf;
        int32_t found = search(&page, page.leaf ? -1 : 0, walk->first, walk->last, it);
        if (it->broken) return st_page_damaged(file, number, "has an impossible entry", error);
        walk->steps[level].index = (uint32_t)(page.leaf ? found : found - 1);
        if (page.leaf) return STRATA_OK;
        bound(&page, found - 1, walk);
        status = child_of(file, walk, &page, level, &number, error);
        if (status != STRATA_OK) return status;
    }
}

typedef enum end { FIRST, LAST } end;

/* Goes down from page `number`, which is at `level`, to the first or the last entry there. */
static strata_status go_to_end(const st_page_file *file, st_walk *walk, uint32_t level, uint64_t number, end where,
                               strata_error *error) {
    walk->first = walk->last = (st_walk_words){ 0, 0 };
    for (;; level++) {
        st_page page = { 0 };
        strata_status status = step_into(file, walk, level, number, &page, error);
        if (status != STRATA_OK) return status;
        walk->steps[level].index = where == FIRST ? 0 : page.nodes - 1;
        if (page.leaf) return STRATA_OK;
        status = child_of(file, walk, &page, level, &number, error);
        if (status != STRATA_OK) return status;
    }
}

/* From the end of a leaf to the next one, or from its beginning to the one before. */
static strata_status cross(const st_page_file *file, st_walk *walk, end where, strata_error *error) {
    uint32_t level = walk->depth - 1;
    if (walk->backward != (where == LAST)) {
        walk->backward = where == LAST;
        walk->crossed = 0;
    }
    if (walk->crossed++ > file->last) return damaged(file, walk, level, "is reached again and again", error);
    do {
        if (level-- == 0) return STRATA_NOT_FOUND;
    } while (walk->steps[level].index == (where == FIRST ? walk->steps[level].nodes - 1 : 0));
    walk->steps[level].index += where == FIRST ? 1u : UINT32_MAX;
    uint64_t number = 0;
    st_page page = page_of(file, walk, level);
    strata_status status = child_of(file, walk, &page, level, &number, error);
    return status == STRATA_OK ? go_to_end(file, walk, level + 1, number, where, error) : status;
}

/* ---- Moves ------------------------------------------------------------ */

static strata_status arrive(st_walk *walk, strata_status status) {
    if (status != STRATA_OK) walk->depth = 0;
    return status;
}

/* Would the way from the root end in the current leaf? Then searches there, from the current node on. */
static inline bool is_near(const st_page_file *file, st_walk *walk, walk_target *it) {
    if (walk->depth == 0 || !words_less(walk->first, it->words) || !words_less(it->words, walk->last)) return false;
    st_walk_step *leaf = &walk->steps[walk->depth - 1];
    st_page page = page_of(file, walk, walk->depth - 1);
    leaf->index = (uint32_t)narrow(&page, -1, (int32_t)page.nodes, (int32_t)leaf->index, it);
    return !it->broken;
}

strata_status st_walk_seek(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_bytes from,
                           strata_error *error) {
    strata_status status = STRATA_OK;
    walk_target it = target_of(from);
    if (!is_near(file, walk, &it)) {
        walk->depth = tree->depth;
        if (walk->depth == 0) return STRATA_NOT_FOUND;
        status = go_to_key(file, walk, tree->root, &it, error);
    }
    const st_walk_step *leaf = &walk->steps[walk->depth - 1];
    if (status == STRATA_OK && leaf->index == leaf->nodes) status = cross(file, walk, FIRST, error);
    return arrive(walk, status);
}

strata_status st_walk_last(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_error *error) {
    walk->depth = tree->depth;
    walk->backward = true;
    walk->crossed = 0;
    if (walk->depth == 0) return STRATA_NOT_FOUND;
    return arrive(walk, go_to_end(file, walk, 0, tree->root, LAST, error));
}

strata_status st_walk_next(const st_page_file *file, st_walk *walk, strata_error *error) {
    if (walk->depth == 0) return STRATA_NOT_FOUND;
    st_walk_step *leaf = &walk->steps[walk->depth - 1];
    if (++leaf->index < leaf->nodes) return STRATA_OK;
    return arrive(walk, cross(file, walk, FIRST, error));
}

strata_status st_walk_previous(const st_page_file *file, st_walk *walk, strata_error *error) {
    if (walk->depth == 0) return STRATA_NOT_FOUND;
    st_walk_step *leaf = &walk->steps[walk->depth - 1];
    if (leaf->index-- > 0) return STRATA_OK;
    return arrive(walk, cross(file, walk, LAST, error));
}

/* ---- Entries ---------------------------------------------------------- */

/* The value of a node of the leaf. */
static inline strata_status value_of(const st_page_file *file, const st_page_node *node, strata_bytes *out,
                                     strata_error *error) {
    *out = (strata_bytes){ node->value, node->value_size };
    if ((node->flags & ST_NODE_BIG) == 0) return STRATA_OK;
    uint64_t number = strata_load64(node->value);
    strata_status status = st_page_range(file, number, st_page_count(file, node->value_size), error);
    if (status == STRATA_OK) out->data = file->map + number * file->page_size + ST_PAGE_HEADER;
    return status;
}

strata_status st_walk_entry(const st_page_file *file, const st_walk *walk, strata_bytes *key, strata_bytes *value,
                            strata_error *error) {
    uint32_t level = walk->depth - 1;
    st_page page = page_of(file, walk, level);
    st_page_node node;
    if (!st_page_node_read(&page, walk->steps[level].index, &node))
        return damaged(file, walk, level, "has an impossible entry", error);
    *key = node.key;
    return value_of(file, &node, value, error);
}

/* The first node behind the current one whose key is not less than `before`, or the count of nodes. */
static uint32_t end_before(const st_page *page, uint32_t current, strata_bytes before) {
    walk_target it = target_of(before);
    st_walk_words words;
    int32_t last = (int32_t)page->nodes - 1;
    if (last <= (int32_t)current || comes_after(page, last, &it, &words)) return page->nodes;
    return (uint32_t)narrow(page, (int32_t)current, last, (int32_t)current + 1, &it);
}

strata_status st_walk_values(const st_page_file *file, st_walk *walk, strata_bytes before, strata_bytes *out,
                             uint32_t capacity, uint32_t *out_count, strata_error *error) {
    *out_count = 0;
    if (walk->depth == 0) return STRATA_OK;
    uint32_t level = walk->depth - 1, first = walk->steps[level].index + 1;
    const st_page page = page_of(file, walk, level);
    uint32_t stop = end_before(&page, walk->steps[level].index, before);
    uint32_t count = stop - first < capacity ? stop - first : capacity;
    for (uint32_t i = 0; i < count; i++) {
        st_page_node node;
        if (!st_page_node_read(&page, first + i, &node))
            return arrive(walk, damaged(file, walk, level, "has an impossible entry", error));
        strata_status status = value_of(file, &node, &out[i], error);
        if (status != STRATA_OK) return arrive(walk, status);
    }
    walk->steps[level].index += count;
    *out_count = count;
    return STRATA_OK;
}

void st_walk_back(st_walk *walk, uint32_t entries) {
    if (walk->depth != 0) walk->steps[walk->depth - 1].index -= entries;
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
    if (out->flags != 0 || !st_page_tree_plausible(file, out))
        return st_page_damaged(file, out->root, "cannot be the root of a tree of a store", error);
    return STRATA_OK;
}
