/* SPDX-License-Identifier: MIT
 * page_diff.c -- which pages a commit has that the one before it had not.
 *
 * Two trees are compared level by level from the root, levels being counted from the leaves. A page that both have at a
 * level is the same in both, with everything below it; and if only one of them has a page, the branch that leads to it
 * is in that one alone, too. So the pages of a level that only one tree has are found among the children of those above
 * them. Behind the leaves come the values on pages of their own. */
#include "page/page_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/status.h"

enum { MOST_TREES = 16, MOST_NAME = 32 }; /* a store has fewer trees, with shorter names */

/* The trees whose records stand in leaves of the main tree that only one of the commits has. */
typedef struct named_trees {
    struct {
        uint8_t name[MOST_NAME];
        uint32_t size;
        st_page_tree tree;
    } all[MOST_TREES];
    uint32_t count;
} named_trees;

/* One of the two commits. */
typedef struct diff_side {
    const st_page_file *file;
    st_page_runs level; /* of the tree that is compared: pages at this level, in the order of their keys */
    st_page_runs below; /* what they lead to */
    named_trees named;
} diff_side;

/* Pages of the one commit, and which of them the other has as well. */
typedef struct page_set {
    struct page_mark {
        uint64_t number; /* 0: there is none; that is a meta page, which no tree has */
        bool shared;
    } *all;
    size_t capacity, mask;
} page_set;

typedef struct diff {
    diff_side before, after;
    page_set set;
    uint64_t most;
    st_page_runs *out;
    strata_error *error;
} diff;

static strata_status add(st_page_runs *to, st_page_run run, strata_error *error) {
    if (!st_array_grow((void **)&to->all, &to->capacity, to->count, sizeof *to->all))
        return st_no_memory(error, "comparing two commits");
    to->all[to->count++] = run;
    to->pages += run.count;
    return STRATA_OK;
}

/* ---- What only one side has --------------------------------------------- */

static struct page_mark *find_mark(const page_set *set, uint64_t number) {
    size_t at = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 32) & set->mask;
    while (set->all[at].number != 0 && set->all[at].number != number) at = (at + 1) & set->mask;
    return &set->all[at];
}

/* Makes it empty, with room for twice as many pages. */
static bool clear_set(page_set *set, size_t count) {
    size_t room = 16;
    while (room < 2 * count) room *= 2;
    if (room > set->capacity) {
        struct page_mark *all = realloc(set->all, room * sizeof *all);
        if (all == NULL) return false;
        set->all = all;
        set->capacity = room;
    }
    set->mask = room - 1;
    memset(set->all, 0, room * sizeof *set->all);
    return true;
}

/* Keeps the pages that only one of both has. */
static void keep_own(page_set *set, st_page_runs *before, st_page_runs *after) {
    size_t kept = 0;
    for (size_t i = 0; i < before->count; i++) find_mark(set, before->all[i].number)->number = before->all[i].number;
    for (size_t i = 0; i < after->count; i++) {
        struct page_mark *mark = find_mark(set, after->all[i].number);
        if (mark->number != 0) mark->shared = true;
        else after->all[kept++] = after->all[i];
    }
    after->count = kept;
    kept = 0;
    for (size_t i = 0; i < before->count; i++)
        if (!find_mark(set, before->all[i].number)->shared) before->all[kept++] = before->all[i];
    before->count = kept;
}

/* Forgets what both begin and end with: that is most of it, because the order is that of the keys. */
static void trim(st_page_runs *a, st_page_runs *b) {
    size_t least = a->count < b->count ? a->count : b->count, start = 0, end = 0;
    while (start < least && a->all[start].number == b->all[start].number) start++;
    while (end < least - start && a->all[a->count - 1 - end].number == b->all[b->count - 1 - end].number) end++;
    a->count -= start + end;
    b->count -= start + end;
    if (a->count > 0) memmove(a->all, a->all + start, a->count * sizeof *a->all);
    if (b->count > 0) memmove(b->all, b->all + start, b->count * sizeof *b->all);
}

static strata_status separate(diff *d) {
    st_page_runs *before = &d->before.level, *after = &d->after.level;
    trim(before, after);
    if (before->count == 0 || after->count == 0) return STRATA_OK;
    if (!clear_set(&d->set, before->count)) return st_no_memory(d->error, "comparing two commits");
    keep_own(&d->set, before, after);
    return STRATA_OK;
}

/* ---- Going down ------------------------------------------------------- */

static strata_status remember_tree(diff_side *side, const st_page *page, const st_page_node *node,
                                   strata_error *error) {
    named_trees *named = &side->named;
    if (named->count == MOST_TREES || node->key.size > MOST_NAME)
        return st_page_damaged(side->file, page->number, "holds a tree that no store has", error);
    memcpy(named->all[named->count].name, node->key.data, node->key.size);
    named->all[named->count].size = (uint32_t)node->key.size;
    st_page_tree_read(node->value, &named->all[named->count].tree);
    if (!st_page_tree_plausible(side->file, &named->all[named->count].tree))
        return st_page_damaged(side->file, page->number, "holds a tree that no store has", error);
    named->count++;
    return STRATA_OK;
}

static st_page_run value_run(const st_page_file *file, const st_page_node *node) {
    st_page_run run = { .number = strata_load64(node->value), .count = st_page_count(file, node->value_size) };
    if (run.count == 1) run.used = ST_PAGE_HEADER + node->value_size;
    return run;
}

/* What an entry leads to; `out->number` stays 0 if that is nothing. */
static strata_status read_node(diff_side *side, const st_page *page, uint32_t index, st_page_run *out,
                               strata_error *error) {
    st_page_node node;
    if (!st_page_node_read(page, index, &node))
        return st_page_damaged(side->file, page->number, "has an impossible entry", error);
    if (!page->leaf) *out = (st_page_run){ .number = node.child, .count = 1 };
    else if ((node.flags & ST_NODE_TREE) != 0) return remember_tree(side, page, &node, error);
    else if ((node.flags & ST_NODE_BIG) != 0) *out = value_run(side->file, &node);
    return STRATA_OK;
}

/* Leaves `out` without entries if the level has not so many pages. */
static strata_status open_page(const diff_side *side, size_t index, bool leaf, st_page *out, strata_error *error) {
    const st_page_file *file = side->file;
    if (index >= side->level.count) return STRATA_OK;
    uint64_t number = side->level.all[index].number;
    strata_status status = st_page_range(file, number, 1, error);
    if (status != STRATA_OK) return status;
    const char *fault = st_page_open(file->map + number * file->page_size, number, file->page_size, out);
    if (fault == NULL && out->leaf != leaf) fault = "is at the wrong depth of its tree";
    return fault == NULL ? STRATA_OK : st_page_damaged(file, number, fault, error);
}

/* Do two entries of leaves with the same head, that of a value on pages of its own, have it on the same ones? */
static inline bool is_same_value(const st_page *before, uint32_t old, const st_page *after, uint32_t fresh) {
    uint32_t later = old > fresh ? old : fresh, value = ST_NODE_HEADER + strata_load16(after->bytes + fresh + 6);
    return later + value + 8 <= after->size &&
           strata_load64(before->bytes + old + value) == strata_load64(after->bytes + fresh + value);
}

/* Do an entry of the one page and one of the other lead to the same page, or to none? That is true of nearly all, and
 * asked of all entries of each page that a commit wrote. The pages are of the same kind. Damaged entries are not shared,
 * and so are looked at. */
static inline __attribute__((always_inline)) bool is_shared(const st_page *before, uint32_t old_index,
                                                            const st_page *after, uint32_t index, bool leaf) {
    const uint64_t flags = UINT64_C(0xFFFF) << 32, child = flags | UINT32_MAX, big = (uint64_t)ST_NODE_BIG << 32;
    uint32_t old = strata_load16(before->bytes + ST_PAGE_HEADER + 2 * old_index);
    uint32_t fresh = strata_load16(after->bytes + ST_PAGE_HEADER + 2 * index), last = after->size - ST_NODE_HEADER;
    if (old > last || fresh > last) return false;
    uint64_t old_head = strata_load64(before->bytes + old), head = strata_load64(after->bytes + fresh);
    if (old_head == 0 || head == 0) return false;
    if (!leaf) return ((old_head ^ head) & child) == 0;
    if (((old_head | head) & flags) == 0) return true;
    return old_head == head && (head & flags) == big && is_same_value(before, old, after, fresh);
}

/* Passes over entries that the pages share at the same place, from one place to another. Returns the first that they do
 * not share. */
static uint32_t pass_shared(const st_page *before, const st_page *after, uint32_t from, uint32_t to) {
    if (after->leaf) while (from < to && is_shared(before, from, after, from, true)) from++;
    else while (from < to && is_shared(before, from, after, from, false)) from++;
    return from;
}

/* How many entries at the end both pages share, of at most so many. */
static uint32_t shared_at_end(const st_page *before, const st_page *after, uint32_t most) {
    uint32_t count = 0, old = before->nodes - 1, last = after->nodes - 1;
    while (count < most && is_shared(before, old - count, after, last - count, after->leaf)) count++;
    return count;
}

/* The base of a value on one page: the one that was in its place, or if that was none, because a value was split, the
 * one before it. */
static void base_on(const st_page_run *old, st_page_run *fresh) {
    if (fresh->count != 1 || old->count != 1) return;
    fresh->base = old->number;
    fresh->base_used = old->used;
}

/* What both pages lead to at the same place they share, and it is left out. Places are counted from the beginning, and
 * behind an entry that only one of the pages has from the end. */
static strata_status read_pages(diff *d, const st_page *before, const st_page *after) {
    strata_status status = STRATA_OK;
    uint32_t least = before->nodes < after->nodes ? before->nodes : after->nodes, end = 0;
    uint32_t i = pass_shared(before, after, 0, least);
    st_page_run last = { .number = 0 };
    if (before->nodes != after->nodes) end = shared_at_end(before, after, least - i);
    while ((i + end < before->nodes || i + end < after->nodes) && status == STRATA_OK) {
        st_page_run old = { .number = 0 }, fresh = { .number = 0 };
        if (i + end < before->nodes) status = read_node(&d->before, before, i, &old, d->error);
        if (i + end < after->nodes && status == STRATA_OK) status = read_node(&d->after, after, i, &fresh, d->error);
        i = pass_shared(before, after, i + 1, least - end);
        if (status != STRATA_OK || old.number == fresh.number) continue;
        if (old.number != 0) last = old;
        if (after->leaf) base_on(&last, &fresh);
        if (old.number != 0) status = add(&d->before.below, old, d->error);
        if (fresh.number != 0 && status == STRATA_OK) status = add(&d->after.below, fresh, d->error);
    }
    return status;
}

/* In a damaged file pages could lead in circles. */
static strata_status go_below(diff_side *side, strata_error *error) {
    if (side->below.pages > side->file->last + 1)
        return st_page_damaged(side->file, side->level.all[0].number, "leads to more pages than there are", error);
    st_page_runs swap = side->level;
    side->level = side->below;
    side->below = swap;
    return STRATA_OK;
}

/* Replaces the pages of a level by what they lead to. */
static strata_status descend(diff *d, bool leaves) {
    strata_status status = STRATA_OK;
    d->before.below.count = d->before.below.pages = d->after.below.count = d->after.below.pages = 0;
    for (size_t i = 0; (i < d->before.level.count || i < d->after.level.count) && status == STRATA_OK; i++) {
        st_page before = { .nodes = 0 }, after = { .nodes = 0 };
        status = open_page(&d->before, i, leaves, &before, d->error);
        if (status == STRATA_OK) status = open_page(&d->after, i, leaves, &after, d->error);
        if (status == STRATA_OK) status = read_pages(d, &before, &after);
    }
    if (status == STRATA_OK) status = go_below(&d->before, d->error);
    return status == STRATA_OK ? go_below(&d->after, d->error) : status;
}

/* The first key of a leaf; none if it is no leaf. */
static strata_bytes first_key(const st_page_file *file, uint64_t number) {
    st_page page;
    st_page_node node;
    bool leaf = st_page_range(file, number, 1, NULL) == STRATA_OK &&
                st_page_open(file->map + number * file->page_size, number, file->page_size, &page) == NULL && page.leaf;
    return leaf && st_page_node_read(&page, 0, &node) ? node.key : (strata_bytes){ NULL, 0 };
}

/* Moves on to the last page of the commit before that begins not behind a page. */
static void pass_by(const diff *d, uint64_t number, size_t *at) {
    const st_page_runs *before = &d->before.level;
    const strata_bytes key = first_key(d->after.file, number);
    while (*at + 1 < before->count &&
           st_compare(first_key(d->before.file, before->all[*at + 1].number), key) <= 0)
        ++*at;
}

/* Which page of a tree of the commit before probably stood where `run` stands: if there are as many, that at the same
 * place; otherwise some were split or merged, and it is the last one that begins not behind it. `*at` moves on. */
static void find_base(const diff *d, size_t index, size_t *at, st_page_run *run) {
    const st_page_runs *before = &d->before.level;
    if (before->count == 0) return;
    if (before->count == d->after.level.count) *at = index;
    else pass_by(d, run->number, at);
    run->base = before->all[*at].number;
}

static strata_status keep(diff *d, bool values) {
    strata_status status = STRATA_OK;
    size_t at = 0;
    for (size_t i = 0; i < d->after.level.count && status == STRATA_OK; i++) {
        st_page_run run = d->after.level.all[i];
        status = st_page_range(d->after.file, run.number, run.count, d->error);
        if (!values) find_base(d, i, &at, &run);
        if (status == STRATA_OK && run.base != 0) status = st_page_range(d->before.file, run.base, 1, d->error);
        if (status == STRATA_OK) status = add(d->out, run, d->error);
    }
    return status;
}

static strata_status enter(diff_side *side, const st_page_tree *tree, uint32_t height, strata_error *error) {
    const st_page_run root = { .number = tree->root, .count = 1 };
    return tree->depth == height + 1 ? add(&side->level, root, error) : STRATA_OK;
}

static bool too_many(const diff *d) { return d->out->pages > d->most; }

static strata_status compare_trees(diff *d, const st_page_tree *before, const st_page_tree *after) {
    uint32_t height = before->depth > after->depth ? before->depth : after->depth;
    strata_status status = STRATA_OK;
    d->before.level.count = d->after.level.count = 0;
    if (before->root == after->root) return STRATA_OK;
    while (height-- > 0 && status == STRATA_OK && !too_many(d)) {
        status = enter(&d->before, before, height, d->error);
        if (status == STRATA_OK) status = enter(&d->after, after, height, d->error);
        if (status == STRATA_OK) status = separate(d);
        if (status == STRATA_OK) status = keep(d, false);
        if (status == STRATA_OK) status = descend(d, height == 0);
    }
    if (status == STRATA_OK) status = separate(d);
    return status == STRATA_OK && !too_many(d) ? keep(d, true) : status;
}

/* ---- A whole file ----------------------------------------------------- */

static const st_page_tree *find_tree(const named_trees *among, const uint8_t *name, uint32_t size) {
    static const st_page_tree none = { .root = ST_NO_PAGE };
    for (uint32_t i = 0; i < among->count; i++)
        if (among->all[i].size == size && memcmp(among->all[i].name, name, size) == 0) return &among->all[i].tree;
    return &none;
}

/* Trees whose records stand in a leaf that both commits have are the same in both. */
static strata_status compare_named(diff *d) {
    const named_trees *after = &d->after.named;
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < after->count && status == STRATA_OK && !too_many(d); i++)
        status = compare_trees(d, find_tree(&d->before.named, after->all[i].name, after->all[i].size),
                               &after->all[i].tree);
    return status;
}

static void free_side(diff_side *side) {
    free(side->level.all);
    free(side->below.all);
}

strata_status st_page_diff(const st_page_file *before, const st_page_file *after, uint64_t most, st_page_runs *out,
                           strata_error *error) {
    diff d = { .before = { .file = before }, .after = { .file = after }, .most = most, .out = out, .error = error };
    strata_status status = compare_trees(&d, &before->free_tree, &after->free_tree);
    if (status == STRATA_OK && !too_many(&d)) status = compare_trees(&d, &before->main_tree, &after->main_tree);
    if (status == STRATA_OK) status = compare_named(&d);
    free_side(&d.before);
    free_side(&d.after);
    free(d.set.all);
    return status;
}
