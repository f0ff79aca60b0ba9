/* SPDX-License-Identifier: MIT
 * meta.c -- the two pages that say which commits a file holds, and where their trees begin.
 *
 *   meta page   0 page header (16), 16 magic (4), 20 version (4), 24 address (8), 32 map size (8),
 *               40 free tree (48), 88 main tree (48), 136 last page (8), 144 transaction (8)
 *   tree        0 pad (4; of the free tree: the page size), 4 flags (2), 6 depth (2), 8 branch, leaf and overflow
 *               pages, entries, root (8 each)
 */
#define _GNU_SOURCE 1
#include "page/meta.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/status.h"
#include "page/foreign.h"

enum { META_FLAG = 8, LMDB_VERSION = 1 };
enum { AT_FLAGS = 10, AT_MAGIC = 16, AT_VERSION = 20, AT_FREE = 40, AT_MAIN = 88, AT_LAST = 136,
       AT_TXNID = ST_META_TXNID };
static const uint32_t lmdb_magic = 0xBEEFC0DE;

static strata_status damaged(const char *path, const char *what, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "'%s' is damaged: %s; restore a backup", path, what);
}

/* Reads up to `size` bytes. Returns how many there were. */
static size_t read_at(int file, uint64_t offset, uint8_t *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(file, bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    return done;
}

void st_page_tree_read(const uint8_t *bytes, st_page_tree *out) {
    out->flags = strata_load16(bytes + 4);
    out->depth = strata_load16(bytes + 6);
    out->branch_pages = strata_load64(bytes + 8);
    out->leaf_pages = strata_load64(bytes + 16);
    out->overflow_pages = strata_load64(bytes + 24);
    out->entries = strata_load64(bytes + 32);
    out->root = strata_load64(bytes + 40);
}

bool st_page_tree_plausible(const st_page_file *file, const st_page_tree *tree) {
    if (tree->root == ST_NO_PAGE) return tree->depth == 0 && tree->entries == 0;
    if (tree->root < 2 || tree->root > file->last || tree->depth < 1 || tree->depth > ST_PAGE_DEPTH) return false;
    uint64_t most = file->last;
    return tree->branch_pages <= most && tree->leaf_pages <= most && tree->overflow_pages <= most &&
           tree->branch_pages + tree->leaf_pages + tree->overflow_pages <= most;
}

uint32_t st_page_size_guess(int descriptor, uint64_t size) {
    enum { LOOKED_AT = 4096 };
    uint64_t best = 0;
    uint32_t found = 0;
    for (uint32_t page_size = 512; page_size <= 65536; page_size *= 2) {
        uint64_t right = 0;
        for (uint64_t number = 2; number < LOOKED_AT && (number + 1) * page_size <= size; number++) {
            uint8_t bytes[8];
            bool is_read = pread(descriptor, bytes, sizeof bytes, (off_t)(number * page_size)) == sizeof bytes;
            if (is_read && strata_load64(bytes) == number) right++;
        }
        if (right > best) found = page_size;
        if (right > best) best = right;
    }
    return found;
}

/* A file without the mark of LMDB is one of others, unless its other pages are those of a store. */
static strata_status no_mark(int file, const char *path, const uint8_t *bytes, size_t size, strata_error *error) {
    struct stat info;
    uint64_t whole = fstat(file, &info) == 0 ? (uint64_t)info.st_size : size;
    if (!st_foreign_has_mark(bytes, size) && st_page_size_guess(file, whole) != 0)
        return damaged(path, "its first page is overwritten", error);
    return st_fail(error, STRATA_NOT_A_STORE, 0, "'%s' is not a Strata store, %s", path,
                   st_foreign_name(bytes, size, whole));
}

/* Reads the first meta page, which also holds the size of all pages. */
static strata_status read_first_meta(int file, const char *path, uint8_t meta[ST_META_SIZE], strata_error *error) {
    size_t size = read_at(file, 0, meta, ST_META_SIZE);
    if (size < AT_VERSION || strata_load32(meta + AT_MAGIC) != lmdb_magic)
        return no_mark(file, path, meta, size, error);
    if (size < ST_META_SIZE) return damaged(path, "it was cut short within its first page", error);
    uint32_t version = strata_load32(meta + AT_VERSION), page_size = strata_load32(meta + AT_FREE);
    if (version > LMDB_VERSION)
        return st_fail(error, STRATA_NEWER_FORMAT, 0,
                       "'%s' was made with a newer version of LMDB (data version %u, this one reads %d)", path,
                       (unsigned)version, LMDB_VERSION);
    if (version != LMDB_VERSION || (strata_load16(meta + AT_FLAGS) & META_FLAG) == 0)
        return damaged(path, "its first page makes no sense", error);
    if (page_size < 512 || page_size > 65536 || (page_size & (page_size - 1)) != 0)
        return damaged(path, "its page size makes no sense", error);
    return STRATA_OK;
}

uint64_t st_meta_txnid(const uint8_t *meta) { return strata_load64(meta + AT_TXNID); }

uint64_t st_meta_last(const uint8_t *meta) { return strata_load64(meta + AT_LAST); }

bool st_meta_fits(const uint8_t *meta, uint32_t page_size, uint64_t number) {
    uint64_t txnid = st_meta_txnid(meta);
    return strata_load64(meta) == number && (strata_load16(meta + AT_FLAGS) & META_FLAG) != 0 &&
           strata_load32(meta + AT_MAGIC) == lmdb_magic && strata_load32(meta + AT_VERSION) == LMDB_VERSION &&
           strata_load32(meta + AT_FREE) == page_size && ((txnid & 1) == number || txnid == 0);
}

/* What a meta page says of a file with so many bytes. */
static st_page_file describe(int descriptor, const char *path, uint32_t page_size, uint64_t size, const uint8_t *meta) {
    st_page_file file = { .descriptor = descriptor, .path = path, .page_size = page_size, .pages = size / page_size };
    file.last = st_meta_last(meta);
    file.txnid = st_meta_txnid(meta);
    st_page_tree_read(meta + AT_FREE, &file.free_tree);
    st_page_tree_read(meta + AT_MAIN, &file.main_tree);
    return file;
}

bool st_page_file_read_meta(int descriptor, const char *path, uint32_t page_size, uint64_t number, st_page_file *out) {
    uint8_t meta[ST_META_SIZE];
    return read_at(descriptor, number * page_size, meta, ST_META_SIZE) == ST_META_SIZE &&
           st_page_file_take_meta(descriptor, path, page_size, number, meta, out);
}

bool st_page_file_take_meta(int descriptor, const char *path, uint32_t page_size, uint64_t number, const uint8_t *meta,
                            st_page_file *out) {
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !st_meta_fits(meta, page_size, number)) return false;
    *out = describe(descriptor, path, page_size, (uint64_t)info.st_size, meta);
    return out->last >= 1 && out->last < UINT64_C(1) << 47;
}

strata_status st_page_file_read(int descriptor, const char *path, st_page_file *out, strata_error *error) {
    uint8_t metas[2][ST_META_SIZE];
    struct stat info;
    strata_status status = read_first_meta(descriptor, path, metas[0], error);
    if (status != STRATA_OK) return status;
    uint32_t page_size = strata_load32(metas[0] + AT_FREE);
    if (read_at(descriptor, page_size, metas[1], ST_META_SIZE) < ST_META_SIZE)
        return damaged(path, "it was cut short within its first pages", error);
    for (uint64_t i = 0; i < 2; i++)
        if (!st_meta_fits(metas[i], page_size, i))
            return damaged(path, "its two first pages contradict each other", error);
    /* Read after the meta pages, because pages are written before the meta page that leads to them. */
    if (fstat(descriptor, &info) != 0)
        return st_fail(error, STRATA_IO, errno, "reading the size of '%s': %s", path, strerror(errno));

    const uint8_t *newer = st_meta_txnid(metas[0]) >= st_meta_txnid(metas[1]) ? metas[0] : metas[1];
    *out = describe(descriptor, path, page_size, (uint64_t)info.st_size, newer);
    if (out->pages < 2) return damaged(path, "it was cut short within its first pages", error);
    if (out->last < 1 || out->last >= UINT64_C(1) << 47 || !st_page_tree_plausible(out, &out->free_tree) ||
        !st_page_tree_plausible(out, &out->main_tree))
        return damaged(path, "its newest commit makes no sense", error);
    return STRATA_OK;
}

/* ---- In the map ------------------------------------------------------- */

/* Reads an aligned word of a meta page at once, because somebody may be writing the page. */
static uint64_t word_at(const uint8_t *at) {
    return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_RELAXED);
}

/* Finds out how many pages the file has now: it may have grown, and then the map shows the new pages, too. */
static strata_status look_at_size(st_page_file *file, strata_error *error) {
    struct stat info;
    if (fstat(file->descriptor, &info) != 0)
        return st_fail(error, STRATA_IO, errno, "reading the size of '%s': %s", file->path, strerror(errno));
    uint64_t pages = (uint64_t)info.st_size / file->page_size;
    file->pages = pages < file->map_pages ? pages : file->map_pages;
    return STRATA_OK;
}

static void see_tree(const uint8_t *bytes, st_page_tree *out) {
    uint64_t tree[ST_PAGE_TREE_SIZE / 8];
    for (size_t i = 0; i < ST_PAGE_TREE_SIZE / 8; i++) tree[i] = word_at(bytes + 8 * i);
    st_page_tree_read((const uint8_t *)tree, out);
}

strata_status st_page_file_see(st_page_file *file, uint64_t txnid, strata_error *error) {
    const uint8_t *meta = file->map + (txnid & 1) * file->page_size;
    see_tree(meta + AT_MAIN, &file->main_tree);
    file->last = word_at(meta + AT_LAST);
    file->txnid = txnid;
    strata_status status = file->last < file->pages ? STRATA_OK : look_at_size(file, error);
    if (status == STRATA_OK && !st_page_tree_plausible(file, &file->main_tree))
        status = damaged(file->path, "its newest commit makes no sense", error);
    return status;
}

void st_page_file_see_free(st_page_file *file) {
    see_tree(file->map + (file->txnid & 1) * file->page_size + AT_FREE, &file->free_tree);
}

uint64_t st_page_file_newest(const st_page_file *file) {
    uint64_t first = word_at(file->map + AT_TXNID), second = word_at(file->map + file->page_size + AT_TXNID);
    return first > second ? first : second;
}

/* The next commit writes the other meta page, and until it has ended, no further commit begins. The other page gets the
 * same content with the number before, so that both lead to what the file holds. */
void st_page_file_metas(const st_page_file *file, uint8_t *pages) {
    uint64_t here = file->txnid & 1, words[ST_META_SIZE / 8];
    for (size_t i = 0; i < ST_META_SIZE / 8; i++) words[i] = word_at(file->map + here * file->page_size + 8 * i);
    atomic_thread_fence(memory_order_acquire);
    memset(pages, 0, 2 * (size_t)file->page_size);
    for (uint64_t i = 0; i < 2; i++) memcpy(pages + i * file->page_size, words, ST_META_SIZE);
    uint8_t *other = pages + (1 - here) * file->page_size;
    st_store64(other, 1 - here);
    st_store64(other + AT_TXNID, file->txnid - 1);
}
