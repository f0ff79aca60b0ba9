/* SPDX-License-Identifier: MIT
 * remains.c -- the pages of a file whose trees may be damaged. */
#define _GNU_SOURCE 1
#include "page/remains.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

enum { LEVELS = 2 * ST_PAGE_DEPTH }; /* a tree in the main tree */

typedef struct walker {
    st_remains *remains;
    uint8_t *buffers[LEVELS]; /* a page per level */
    bool freeing;             /* the tree is that of free pages */
    bool sparing;             /* free pages are not followed */
    bool below_main;          /* in a tree to which the main tree leads */
    bool whole, main_whole, no_memory;
    uint32_t trees;           /* to which the main tree leads */
} walker;

static void miss(walker *w) {
    w->whole = false;
    if (!w->below_main) w->main_whole = false;
}

static bool has(const uint8_t *bits, uint64_t number) { return (bits[number / 8] >> number % 8 & 1) != 0; }

static void mark(uint8_t *bits, uint64_t number) { bits[number / 8] |= (uint8_t)(1 << number % 8); }

bool st_remains_claim(st_remains *remains, const st_page_node *node) {
    uint64_t number = strata_load64(node->value), count = st_page_count(&remains->file, node->value_size);
    if (st_page_range(&remains->file, number, count, NULL) != STRATA_OK) return false;
    if (has(remains->inside, number) && has(remains->inside, number + count - 1)) return true; /* many may lead there */
    for (uint64_t i = 0; i < count; i++) mark(remains->inside, number + i);
    return true;
}

size_t st_remains_value(const st_remains *remains, uint64_t page, const uint8_t *head) {
    uint64_t count = strata_load32(head + 12);
    if (strata_load64(head) != page || strata_load16(head + 10) != ST_PAGE_OVERFLOW || count == 0) return 0;
    if (st_page_range(&remains->file, page, count, NULL) != STRATA_OK) return 0;
    return count * remains->file.page_size - ST_PAGE_HEADER;
}

/* ---- Free pages ------------------------------------------------------- */

/* A list of free pages: how many, then their numbers. */
static bool mark_free(walker *w, const uint8_t *list, size_t size) {
    const st_page_file *file = &w->remains->file;
    if (size < 8 || size % 8 != 0) return false;
    uint64_t count = strata_load64(list);
    if (count > size / 8 - 1) return false;
    for (uint64_t i = 1; i <= count; i++) {
        uint64_t page = strata_load64(list + 8 * i);
        if (page < 2 || page > file->last) return false;
        if (page < file->pages) mark(w->remains->free, page);
    }
    return true;
}

static bool take_free(walker *w, const st_page_node *node) {
    if ((node->flags & ST_NODE_TREE) != 0) return false;
    if ((node->flags & ST_NODE_BIG) == 0) return mark_free(w, node->value, node->value_size);
    if (!st_remains_claim(w->remains, node)) return false;
    uint8_t *list = malloc(node->value_size + 1u);
    if (list == NULL) w->no_memory = true;
    bool good = list != NULL && st_page_value(&w->remains->file, strata_load64(node->value), list, node->value_size,
                                              NULL) == STRATA_OK;
    good = good && mark_free(w, list, node->value_size);
    free(list);
    return good;
}

/* ---- Trees ------------------------------------------------------------ */

static void visit(walker *w, uint64_t number, uint32_t level);

static void visit_node(walker *w, const st_page *page, uint32_t index, uint32_t level) {
    st_page_node node;
    if (!st_page_node_read(page, index, &node)) {
        miss(w);
    } else if (!page->leaf) {
        visit(w, node.child, level + 1);
    } else if (w->freeing) {
        if (!take_free(w, &node)) miss(w);
    } else if ((node.flags & ST_NODE_TREE) != 0) {
        st_page_tree tree;
        st_page_tree_read(node.value, &tree);
        w->below_main = true;
        w->trees++;
        if (tree.root != ST_NO_PAGE) visit(w, tree.root, level + 1);
        w->below_main = false;
    } else if ((node.flags & ST_NODE_BIG) != 0 && !st_remains_claim(w->remains, &node)) {
        miss(w);
    }
}

/* Marks what is reached from a page. A page that was reached before is not visited again, so circles end. */
static void visit(walker *w, uint64_t number, uint32_t level) {
    st_remains *remains = w->remains;
    uint8_t *seen = w->freeing ? remains->inside : remains->reached;
    if (level >= LEVELS || number < 2 || number >= remains->file.pages) {
        miss(w);
        remains->broken++;
        return;
    }
    bool spared = w->sparing && level > 0 && has(remains->free, number);
    if (has(seen, number) || spared || w->no_memory) return;
    uint8_t **buffer = &w->buffers[level];
    if (*buffer == NULL) *buffer = malloc(remains->file.page_size);
    if (*buffer == NULL) {
        w->no_memory = true;
        return;
    }
    st_page page;
    mark(seen, number);
    if (st_page_read(&remains->file, number, *buffer, &page, NULL) != STRATA_OK) {
        miss(w);
        remains->broken++;
        return;
    }
    for (uint32_t i = 0; i < page.nodes; i++) visit_node(w, &page, i, level);
}

static strata_status walk(walker *w, uint64_t root, strata_error *error) {
    w->whole = w->main_whole = true;
    if (root != ST_NO_PAGE) visit(w, root, 0);
    for (int i = 0; i < LEVELS; i++) {
        free(w->buffers[i]);
        w->buffers[i] = NULL;
    }
    return w->no_memory ? st_no_memory(error, "salvaging a store") : STRATA_OK;
}

static strata_status walk_trees(st_remains *out, strata_error *error) {
    walker w = { .remains = out, .freeing = true };
    strata_status status = walk(&w, out->file.free_tree.root, error);
    out->free_known = w.whole && out->file.txnid != 0;
    w.freeing = false;
    if (status == STRATA_OK) status = walk(&w, out->file.main_tree.root, error);
    out->whole = w.whole && out->file.main_tree.root != ST_NO_PAGE;
    out->main_whole = w.main_whole && out->file.main_tree.root != ST_NO_PAGE;
    out->trees = w.trees;
    return status;
}

strata_status st_remains_follow(st_remains *remains, uint64_t page, strata_error *error) {
    walker w = { .remains = remains, .sparing = remains->free_known };
    strata_status status = walk(&w, page, error);
    if (!remains->free_known) remains->whole = w.whole;
    remains->main_whole = w.main_whole;
    remains->trees = w.trees;
    return status;
}

/* ---- Files ------------------------------------------------------------ */

/* Notes a meta page that makes sense. The newer one counts. */
static void take_meta(st_remains *out, const st_page_file *file) {
    if (out->metas == 0 || file->txnid > out->file.txnid) out->file = *file;
    out->metas++;
}

/* The meta pages of the overlay, and if there are none, those of the file, whatever the page size. */
static void find_metas(int descriptor, const char *path, const st_page_overlay *overlay, st_remains *out) {
    st_page_file file;
    for (uint64_t number = 0; number < 2 && overlay != NULL; number++)
        if (st_page_file_take_meta(descriptor, path, overlay->page_size, number, overlay->metas[number], &file))
            take_meta(out, &file);
    for (uint32_t page_size = 512; page_size <= 65536 && (overlay == NULL || out->metas == 0); page_size *= 2) {
        for (uint64_t number = 0; number < 2; number++)
            if (st_page_file_read_meta(descriptor, path, page_size, number, &file)) take_meta(out, &file);
    }
}

static strata_status guess_file(int descriptor, const char *path, st_page_file *out, strata_error *error) {
    struct stat info;
    uint64_t size = fstat(descriptor, &info) == 0 ? (uint64_t)info.st_size : 0;
    uint32_t page_size = st_page_size_guess(descriptor, size);
    if (page_size == 0)
        return st_fail(error, STRATA_NOT_A_STORE, 0, "'%s' has no page of a Strata store: nothing can be salvaged",
                       path);
    *out = (st_page_file){ .descriptor = descriptor, .path = path, .page_size = page_size, .pages = size / page_size };
    out->free_tree.root = out->main_tree.root = ST_NO_PAGE;
    out->last = out->pages - 1;
    return STRATA_OK;
}

/* If one of the two meta pages makes no sense, it may have been that of the newest commit, which is found by its header
 * record: so the other one counts only if nothing else is found. */
static strata_status find_file(int descriptor, const char *path, const st_page_overlay *overlay, st_remains *out,
                               strata_error *error) {
    st_page_file guess;
    find_metas(descriptor, path, overlay, out);
    out->newest = out->metas == 0 ? UINT64_MAX : out->metas == 1 ? out->file.txnid + 1 : out->file.txnid;
    if (out->metas == 2 || (overlay != NULL && out->metas > 0)) return STRATA_OK;
    strata_status status = guess_file(descriptor, path, &guess, out->metas > 0 ? NULL : error);
    if (status != STRATA_OK) return out->metas > 0 ? STRATA_OK : status;
    out->file = guess;
    out->metas = 0;
    return STRATA_OK;
}

strata_status st_remains_read(int descriptor, const char *path, const st_page_overlay *overlay, st_remains *out,
                              strata_error *error) {
    *out = (st_remains){ 0 };
    strata_status status = find_file(descriptor, path, overlay, out, error);
    if (status != STRATA_OK) return status;
    if (overlay != NULL && overlay->page_size == out->file.page_size) {
        out->file.overlay = overlay;
        out->file.pages = st_page_overlay_pages(overlay, out->file.pages);
    }
    out->committed = out->file.last;
    if (out->file.last < out->file.pages - 1) out->file.last = out->file.pages - 1;
    size_t bytes = (size_t)(out->file.pages / 8 + 1);
    out->reached = calloc(bytes, 1);
    out->free = calloc(bytes, 1);
    out->inside = calloc(bytes, 1);
    if (out->reached == NULL || out->free == NULL || out->inside == NULL)
        status = st_no_memory(error, "salvaging a store");
    if (status == STRATA_OK) status = walk_trees(out, error);
    if (status != STRATA_OK) st_remains_free(out);
    return status;
}

st_page_rank st_remains_rank(const st_remains *remains, uint64_t page) {
    if (page < 2 || page >= remains->file.pages) return ST_PAGE_INSIDE;
    if (has(remains->reached, page)) return ST_PAGE_REACHED;
    if (remains->free_known && (has(remains->free, page) || page > remains->committed)) return ST_PAGE_FREE;
    return has(remains->inside, page) ? ST_PAGE_INSIDE : ST_PAGE_ORPHAN;
}

void st_remains_free(st_remains *remains) {
    free(remains->reached);
    free(remains->free);
    free(remains->inside);
    remains->reached = remains->free = remains->inside = NULL;
}
