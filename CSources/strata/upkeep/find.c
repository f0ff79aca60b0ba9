/* SPDX-License-Identifier: MIT
 * find.c -- entries on the pages of a damaged file. */
#include "upkeep/find.h"

#include <string.h>

#include "base/status.h"
#include "store/header.h"
#include "strata_row.h"

bool st_find_reader_make(st_find_reader *out, st_remains *remains) {
    *out = (st_find_reader){ .remains = remains, .page = malloc(remains->file.page_size) };
    return out->page != NULL;
}

void st_find_reader_free(st_find_reader *reader) {
    free(reader->page);
    st_buffer_free(&reader->value);
    reader->page = NULL;
}

/* ---- Values ----------------------------------------------------------- */

typedef enum reading { READ, UNREADABLE, NO_MEMORY } reading;

/* The value of a node, wherever it is. */
static reading read_value(st_find_reader *reader, const st_page_node *node, strata_bytes *out) {
    *out = (strata_bytes){ node->value, node->value_size };
    if ((node->flags & ST_NODE_BIG) == 0) return READ;
    const st_page_file *file = &reader->remains->file;
    uint64_t number = strata_load64(node->value);
    if (st_page_range(file, number, st_page_count(file, node->value_size), NULL) != STRATA_OK) return UNREADABLE;
    reader->value.size = 0;
    if (!st_buffer_reserve(&reader->value, node->value_size)) return NO_MEMORY;
    if (st_page_value(file, number, reader->value.data, node->value_size, NULL) != STRATA_OK) return UNREADABLE;
    out->data = reader->value.data;
    return READ;
}

static bool is_block(strata_bytes value) {
    const uint8_t *p = value.data;
    return value.size >= STRATA_BLOCK_HEADER && p[0] == STRATA_BLOCK_FORMAT && p[1] == 0 &&
           strata_block_size(p) == value.size;
}

/* The block that begins on a page of its own. */
static reading read_lone(st_find_reader *reader, uint64_t page, strata_bytes *out) {
    const st_page_file *file = &reader->remains->file;
    uint8_t head[ST_PAGE_HEADER + STRATA_BLOCK_HEADER];
    if (st_page_bytes(file, page, head, sizeof head, NULL) != STRATA_OK) return UNREADABLE;
    size_t room = st_remains_value(reader->remains, page, head), size = strata_block_size(head + ST_PAGE_HEADER);
    if (size > room || size < STRATA_BLOCK_HEADER) return UNREADABLE;
    reader->value.size = 0;
    if (!st_buffer_reserve(&reader->value, size)) return NO_MEMORY;
    if (st_page_value(file, page, reader->value.data, size, NULL) != STRATA_OK) return UNREADABLE;
    *out = (strata_bytes){ reader->value.data, size };
    return is_block(*out) ? READ : UNREADABLE;
}

static reading read_again(st_find_reader *reader, uint64_t page, uint32_t index, strata_bytes *out_value) {
    st_page found;
    st_page_node node;
    if (index == ST_FIND_LONE) return read_lone(reader, page, out_value);
    bool is_there = st_page_read(&reader->remains->file, page, reader->page, &found, NULL) == STRATA_OK && found.leaf &&
                    index < found.nodes && st_page_node_read(&found, index, &node);
    return is_there ? read_value(reader, &node, out_value) : UNREADABLE;
}

strata_status st_find_again(st_find_reader *reader, uint64_t page, uint32_t index, strata_bytes *out_value,
                            strata_error *error) {
    reading result = read_again(reader, page, index, out_value);
    if (result == NO_MEMORY) return st_no_memory(error, "salvaging a store");
    return result == READ ? STRATA_OK : STRATA_NOT_FOUND;
}

/* ---- Kinds ------------------------------------------------------------ */

static bool is_directory(strata_bytes value) {
    const uint8_t *p = value.data;
    return value.size >= 8 && value.size % 8 == 0 && strata_load32(p) == 1;
}

static bool is_record(strata_bytes key) {
    static const char names[][5] = { "\0hea", "\0cat", "\0tab", "\0cnt", "\0idn", "\0his" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (memcmp(key.data, names[i], 4) == 0) return true;
    return false;
}

/* The tree to which an entry belongs by itself; ST_TREES if that cannot be told, or is of no interest. A chunk of a
 * large value may look like a block. */
static st_tree tree_of(strata_bytes key, strata_bytes value) {
    if (key.size == 8 && is_block(value)) return ST_ROWS;
    if (key.size == 8 && is_record(key)) return ST_META;
    if (key.size == 8 && is_directory(value)) return ST_COLLECTIONS;
    if (key.size == 12) return is_block(value) ? ST_COLLECTIONS : ST_BLOBS;
    return ST_TREES;
}

/* ---- Pages ------------------------------------------------------------ */

/* What the entries of a page say together: the version of a header record among them, and whether some are chunks. */
typedef struct page_kind {
    uint64_t version;
    bool has_directories, has_chunks;
} page_kind;

static uint64_t version_of(const st_page_file *file, strata_bytes record) {
    st_header header;
    uint64_t stamp;
    if (st_header_check(record, false, file->path, NULL) != STRATA_OK) return 0;
    st_header_read(record.data, &header, &stamp);
    return header.version;
}

static reading look(st_find_reader *reader, const st_page *page, page_kind *out) {
    reading result = READ;
    *out = (page_kind){ 0 };
    for (uint32_t i = 0; i < page->nodes && result != NO_MEMORY; i++) {
        st_page_node node;
        strata_bytes value;
        if (!st_page_node_read(page, i, &node) || (node.flags & ST_NODE_TREE) != 0) continue;
        result = read_value(reader, &node, &value);
        if (result != READ) continue;
        st_tree tree = tree_of(node.key, value);
        if (tree == ST_META && memcmp(node.key.data, st_header_key, ST_HEADER_KEY_SIZE) == 0)
            out->version = version_of(&reader->remains->file, value);
        out->has_chunks = out->has_chunks || tree == ST_BLOBS;
        out->has_directories = out->has_directories || (tree == ST_COLLECTIONS && node.key.size == 8);
    }
    return result;
}

static strata_status take_page(st_find_reader *reader, const st_page *page, st_find *find, st_find_taker *take,
                               void *context, strata_error *error) {
    page_kind kind;
    strata_status status = STRATA_OK;
    if (look(reader, page, &kind) == NO_MEMORY) return st_no_memory(error, "salvaging a store");
    find->page = page->number;
    find->version = kind.version;
    for (find->index = 0; find->index < page->nodes && status == STRATA_OK; find->index++) {
        st_page_node node;
        if (!st_page_node_read(page, find->index, &node) || (node.flags & ST_NODE_TREE) != 0) continue;
        reading result = read_value(reader, &node, &find->value);
        if (result == NO_MEMORY) return st_no_memory(error, "salvaging a store");
        if ((node.flags & ST_NODE_BIG) != 0) (void)st_remains_claim(reader->remains, &node);
        find->key = node.key;
        find->tree = result == READ ? tree_of(node.key, find->value) : ST_TREES;
        if (find->tree == ST_COLLECTIONS && kind.has_chunks && !kind.has_directories) find->tree = ST_BLOBS;
        if (find->tree != ST_TREES) status = take(context, find, error);
    }
    return status;
}

strata_status st_find_each(st_find_reader *reader, st_page_rank rank, st_find_taker *take, void *context,
                           strata_error *error) {
    const st_page_file *file = &reader->remains->file;
    strata_status status = STRATA_OK;
    st_find find = { .rank = rank };
    for (uint64_t number = 2; number < file->pages && status == STRATA_OK; number++) {
        st_page page;
        if (st_remains_rank(reader->remains, number) != rank) continue;
        if (st_page_read(file, number, reader->page, &page, NULL) != STRATA_OK || !page.leaf) continue;
        status = take_page(reader, &page, &find, take, context, error);
    }
    return status;
}

strata_status st_find_lone_blocks(st_find_reader *reader, st_page_rank rank, st_find_taker *take, void *context,
                                  strata_error *error) {
    strata_status status = STRATA_OK;
    st_find find = { .tree = ST_ROWS, .rank = rank, .index = ST_FIND_LONE };
    for (find.page = 2; find.page < reader->remains->file.pages && status == STRATA_OK; find.page++) {
        if (st_remains_rank(reader->remains, find.page) != rank) continue;
        reading result = read_lone(reader, find.page, &find.value);
        if (result == NO_MEMORY) return st_no_memory(error, "salvaging a store");
        if (result == READ) status = take(context, &find, error);
    }
    return status;
}
