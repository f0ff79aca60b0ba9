/* SPDX-License-Identifier: MIT
 * find.c -- entries on the pages of a damaged file. */
#include "upkeep/find.h"

#include <string.h>

#include "base/status.h"
#include "store/header.h"
#include "strata_row.h"

bool st_find_reader_make(st_find_reader *out, st_remains *remains) {
    *out = (st_find_reader){ .remains = remains, .page = malloc(remains->file.page_size),
                             .times = malloc(remains->file.pages + 1) };
    return out->page != NULL && out->times != NULL;
}

void st_find_reader_free(st_find_reader *reader) {
    free(reader->page);
    free(reader->times);
    st_buffer_free(&reader->value);
    reader->page = reader->times = NULL;
}

/* ---- Values ----------------------------------------------------------- */

typedef enum reading { READ, UNREADABLE, NO_MEMORY } reading;

/* The first bytes of the first of a value's own pages, which says that it has as many as the value needs. */
static bool read_head(const st_find_reader *reader, const st_page_node *node, uint8_t *head, size_t size) {
    uint64_t number = strata_load64(node->value);
    return st_page_range(&reader->remains->file, number, 1, NULL) == STRATA_OK &&
           st_page_bytes(&reader->remains->file, number, head, size, NULL) == STRATA_OK &&
           st_remains_value(reader->remains, number, head) >= node->value_size;
}

/* In a sound file one entry leads to a value, and some on pages of earlier commits do. A file in which thousands lead
 * to a huge value, or to huge ones that overlap, must not take for ever: that much is read of those of one rank. */
enum { MOST_TIMES = 4 /* of one value */, MOST_OF_FILE = 8 /* times its size */, READ_ALWAYS = 65536 /* bytes */ };

static void begin_budget(st_find_reader *reader) {
    reader->budget = MOST_OF_FILE * reader->remains->file.pages * reader->remains->file.page_size;
}

static void spend(st_find_reader *reader, uint64_t size) {
    reader->budget -= size < reader->budget ? size : reader->budget;
}

/* Whether the value of a node may be read once more. */
static bool may_read(st_find_reader *reader, const st_page_node *node) {
    const st_page_file *file = &reader->remains->file;
    uint64_t number = strata_load64(node->value);
    if ((node->flags & ST_NODE_BIG) == 0) return true;
    if (number >= file->pages || reader->times[number] == MOST_TIMES) return false;
    if (node->value_size > READ_ALWAYS && node->value_size > reader->budget) return false;
    spend(reader, node->value_size);
    reader->times[number]++;
    return true;
}

/* The value of a node, wherever it is. Only the first of its own pages says what it is: if another one was overwritten,
 * nobody can tell. */
static reading read_value(st_find_reader *reader, const st_page_node *node, strata_bytes *out) {
    *out = (strata_bytes){ node->value, node->value_size };
    if ((node->flags & ST_NODE_BIG) == 0) return READ;
    const st_page_file *file = &reader->remains->file;
    uint64_t number = strata_load64(node->value);
    uint8_t head[ST_PAGE_HEADER];
    if (!read_head(reader, node, head, sizeof head)) return UNREADABLE;
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

/* The block of at most so many bytes that begins on a page of its own. */
static reading read_lone(st_find_reader *reader, uint64_t page, uint64_t most, strata_bytes *out) {
    const st_page_file *file = &reader->remains->file;
    uint8_t head[ST_PAGE_HEADER + STRATA_BLOCK_HEADER];
    if (st_page_bytes(file, page, head, sizeof head, NULL) != STRATA_OK) return UNREADABLE;
    size_t room = st_remains_value(reader->remains, page, head), size = strata_block_size(head + ST_PAGE_HEADER);
    if (size > room || size > most || !is_block((strata_bytes){ head + ST_PAGE_HEADER, size })) return UNREADABLE;
    reader->value.size = 0;
    if (!st_buffer_reserve(&reader->value, size)) return NO_MEMORY;
    if (st_page_value(file, page, reader->value.data, size, NULL) != STRATA_OK) return UNREADABLE;
    *out = (strata_bytes){ reader->value.data, size };
    return is_block(*out) ? READ : UNREADABLE;
}

static reading read_again(st_find_reader *reader, uint64_t page, uint32_t index, strata_bytes *out_value) {
    st_page found;
    st_page_node node;
    if (index == ST_FIND_LONE) return read_lone(reader, page, UINT64_MAX, out_value);
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

/* What the entries of a page say together: the version of a header record among them, and whether some are directories
 * of collections, or pieces of large values. */
typedef struct page_kind {
    uint64_t version;
    bool has_directories, has_pieces;
} page_kind;

static uint64_t version_of(const st_page_file *file, strata_bytes record) {
    st_header header;
    uint64_t stamp;
    if (st_header_check(record, false, file->path, NULL) != STRATA_OK) return 0;
    st_header_read(record.data, &header, &stamp);
    return header.version;
}

/* The tree of an entry, for which the first bytes of its value are enough. */
static st_tree tree_of_node(const st_find_reader *reader, const st_page_node *node) {
    uint8_t head[ST_PAGE_HEADER + STRATA_BLOCK_HEADER];
    if ((node->flags & ST_NODE_TREE) != 0) return ST_TREES;
    if ((node->flags & ST_NODE_BIG) == 0) return tree_of(node->key, (strata_bytes){ node->value, node->value_size });
    if (!read_head(reader, node, head, sizeof head)) return ST_TREES;
    return tree_of(node->key, (strata_bytes){ head + ST_PAGE_HEADER, node->value_size });
}

static void look(const st_find_reader *reader, const st_page *page, page_kind *out) {
    *out = (page_kind){ 0 };
    for (uint32_t i = 0; i < page->nodes; i++) {
        st_page_node node;
        if (!st_page_node_read(page, i, &node)) continue;
        st_tree tree = tree_of_node(reader, &node);
        bool is_header = tree == ST_META && memcmp(node.key.data, st_header_key, ST_HEADER_KEY_SIZE) == 0;
        if (is_header && (node.flags & ST_NODE_BIG) == 0)
            out->version = version_of(&reader->remains->file, (strata_bytes){ node.value, node.value_size });
        out->has_pieces = out->has_pieces || tree == ST_BLOBS;
        out->has_directories = out->has_directories || (tree == ST_COLLECTIONS && node.key.size == 8);
    }
}

static strata_status take_page(st_find_reader *reader, const st_page *page, st_find *find, st_find_taker *take,
                               void *context, strata_error *error) {
    page_kind kind;
    strata_status status = STRATA_OK;
    look(reader, page, &kind);
    find->page = page->number;
    find->version = kind.version;
    for (find->index = 0; find->index < page->nodes && status == STRATA_OK; find->index++) {
        st_page_node node;
        if (!st_page_node_read(page, find->index, &node)) continue;
        if ((node.flags & ST_NODE_BIG) != 0) (void)st_remains_claim(reader->remains, &node);
        find->key = node.key;
        find->tree = tree_of_node(reader, &node);
        if (find->tree == ST_TREES || !may_read(reader, &node)) continue;
        reading result = read_value(reader, &node, &find->value);
        if (result == NO_MEMORY) return st_no_memory(error, "salvaging a store");
        if (result != READ) continue;
        if (find->tree == ST_COLLECTIONS && kind.has_pieces && !kind.has_directories) find->tree = ST_BLOBS;
        status = take(context, find, error);
    }
    return status;
}

strata_status st_find_tell(const st_find_reader *reader, strata_error *error) {
    if (reader->progress == NULL || reader->progress(reader->context, reader->looked, reader->to_look))
        return STRATA_OK;
    return st_fail(error, STRATA_CANCELLED, 0, "salvaging was stopped");
}

/* Counts a page that is looked at. */
static strata_status count_page(st_find_reader *reader, strata_error *error) {
    enum { PAGES = 64 };
    return ++reader->looked % PAGES == 0 ? st_find_tell(reader, error) : STRATA_OK;
}

strata_status st_find_each(st_find_reader *reader, st_page_rank rank, st_find_taker *take, void *context,
                           strata_error *error) {
    const st_page_file *file = &reader->remains->file;
    strata_status status = STRATA_OK;
    st_find find = { .rank = rank };
    memset(reader->times, 0, file->pages);
    begin_budget(reader);
    for (uint64_t number = 2; number < file->pages && status == STRATA_OK; number++) {
        st_page page;
        status = count_page(reader, error);
        if (status != STRATA_OK || st_remains_rank(reader->remains, number) != rank) continue;
        if (st_page_read(file, number, reader->page, &page, NULL) != STRATA_OK || !page.leaf) continue;
        status = take_page(reader, &page, &find, take, context, error);
    }
    return status;
}

strata_status st_find_lone_blocks(st_find_reader *reader, st_page_rank rank, st_find_taker *take, void *context,
                                  strata_error *error) {
    strata_status status = STRATA_OK;
    st_find find = { .tree = ST_ROWS, .rank = rank, .index = ST_FIND_LONE };
    begin_budget(reader);
    for (find.page = 2; find.page < reader->remains->file.pages && status == STRATA_OK; find.page++) {
        status = count_page(reader, error);
        if (status != STRATA_OK || st_remains_rank(reader->remains, find.page) != rank) continue;
        uint64_t most = reader->budget > READ_ALWAYS ? reader->budget : READ_ALWAYS;
        reading result = read_lone(reader, find.page, most, &find.value);
        if (result == READ) spend(reader, find.value.size);
        if (result == NO_MEMORY) return st_no_memory(error, "salvaging a store");
        if (result == READ) status = take(context, &find, error);
    }
    return status;
}
