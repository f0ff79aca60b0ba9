/* SPDX-License-Identifier: MIT
 * gather.c -- what the pages of a damaged file still hold, gathered into a new file. */
#define _GNU_SOURCE 1
#include "upkeep/gather.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/status.h"
#include "catalog/catalog_records.h"
#include "store/alone.h"
#include "store/log_pages.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "table/table_state.h"
#include "upkeep/found_records.h"
#include "upkeep/found_rows.h"

enum { LARGEST_TRANSACTION = 16 * 1024 * 1024 };

typedef struct gather {
    const char *path;
    const st_gather_options *options;
    st_log_pages log;
    st_remains remains;
    st_find_reader reader;
    st_found_records records;
    st_found_rows rows;
    st_catalog *catalog;
    strata_store *store; /* the new file */
    st_txn *writer;
    size_t written;      /* bytes since the last commit */
    st_gathered *out;
    strata_error *error;
} gather;

static strata_status no_memory(const gather *g) { return st_no_memory(g->error, "salvaging a store"); }

/* ---- Writing ---------------------------------------------------------- */

static strata_status commit(gather *g) {
    st_txn *writer = g->writer;
    g->writer = NULL;
    g->written = 0;
    return st_writer_commit(writer, g->error);
}

/* LMDB keeps the pages of a transaction in memory, so there are many. A st_found_written. */
static strata_status note_written(void *context, size_t bytes, strata_error *error) {
    gather *g = context;
    g->written += bytes;
    if (g->written < LARGEST_TRANSACTION) return STRATA_OK;
    strata_status status = st_find_tell(&g->reader, error);
    if (status == STRATA_OK) status = commit(g);
    return status == STRATA_OK ? st_writer_begin(g->store, &g->writer, error) : status;
}

static strata_status put(gather *g, st_tree tree, strata_bytes key, strata_bytes value) {
    strata_status status = st_tree_put(g->writer, tree, key, value, g->error);
    return status == STRATA_OK ? note_written(g, key.size + value.size, g->error) : status;
}

static strata_status create(gather *g, const char *target) {
    strata_config config = strata_config_blank();
    config.path = target;
    config.durability = STRATA_DURABILITY_RELAXED;
    strata_status status = strata_store_open(&config, &g->store, g->error);
    return status == STRATA_OK ? st_writer_begin(g->store, &g->writer, g->error) : status;
}

/* ---- The catalog ------------------------------------------------------ */

/* Records of earlier commits are better than none. */
static strata_status find_records(gather *g) {
    strata_status status = STRATA_OK;
    for (int rank = ST_PAGE_REACHED; rank <= ST_PAGE_FREE && status == STRATA_OK; rank++) {
        if (rank == ST_PAGE_FREE && st_found_records_complete(&g->records)) break;
        status = st_find_each(&g->reader, (st_page_rank)rank, st_found_records_take, &g->records, g->error);
    }
    return status;
}

/* A page of the main tree was found by its header record. The first record of the tree is that of the catalog, and the
 * names of the other trees are the last ones: is all of the tree on that page, or at least their names? */
static void judge_main_page(gather *g, uint64_t page) {
    static const uint8_t first[8] = "\0cat";
    const st_found_record *record = st_found_records_get(&g->records, first);
    bool has_trees = g->remains.trees == ST_TREES - 1;
    if (!has_trees) g->remains.whole = false;
    if (!has_trees || record == NULL || record->page != page) g->remains.main_whole = false;
}

/* If no meta page leads to the newest main tree, its page is found by its header record. In most files the whole main
 * tree is that page. If a meta page says that there was a later commit, the trees of this one are not all there is. */
static strata_status follow_newest(gather *g) {
    const st_found_record *record = st_found_records_get(&g->records, st_header_key);
    st_header header;
    uint64_t stamp;
    if (g->remains.whole || record == NULL || record->rank == ST_PAGE_REACHED) return STRATA_OK;
    const uint64_t page = record->page;
    st_header_read(record->value.data, &header, &stamp);
    strata_status status = st_remains_follow(&g->remains, page, g->error);
    if (status != STRATA_OK) return status;
    if (g->remains.metas > 0 && stamp < g->remains.file.txnid) g->remains.whole = false;
    st_found_records_free(&g->records);
    status = find_records(g);
    judge_main_page(g, page);
    return status;
}

/* ---- The log ---------------------------------------------------------- */

/* Looks at all pages of the file, with those of its log before them or without, and finds its records. */
static strata_status look(gather *g, int descriptor, bool with_log) {
    const st_page_overlay *overlay = with_log ? &g->log.overlay : NULL;
    st_find_reader_free(&g->reader);
    st_found_records_free(&g->records);
    st_remains_free(&g->remains);
    strata_status status = st_remains_read(descriptor, g->path, overlay, &g->remains, g->error);
    if (status != STRATA_OK) return status;
    if (!st_find_reader_make(&g->reader, &g->remains)) return no_memory(g);
    g->reader.progress = g->options->progress;
    g->reader.context = g->options->context;
    status = find_records(g);
    return status == STRATA_OK ? follow_newest(g) : status;
}

/* The header record that was found; false if there is none. */
static bool find_header(const gather *g, st_header *out) {
    const st_found_record *found = st_found_records_get(&g->records, st_header_key);
    uint64_t stamp;
    if (found != NULL) st_header_read(found->value.data, out, &stamp);
    return found != NULL;
}

/* What became of the log, if its pages do not count. A meta page that is damaged says nothing of the log either: then
 * the UUID decides, and a file that has none left is believed to be that beside which the log lies. */
static uint32_t judge_log(const gather *g, bool *out_use) {
    st_header header;
    bool has_header = find_header(g, &header);
    bool ours = has_header && g->log.readable && memcmp(header.uuid, g->log.header.uuid, sizeof header.uuid) == 0;
    *out_use = g->log.in_use && !g->log.another && (ours || !has_header) && g->remains.metas < 2;
    if (g->log.in_use) return ours || !has_header ? STRATA_SALVAGE_LOG_DAMAGED : STRATA_SALVAGE_LOG_FOREIGN;
    return has_header && header.logged && !ours ? STRATA_SALVAGE_LOG_MISSING : STRATA_SALVAGE_LOG_NONE;
}

/* Finds the records of the file, after it was decided whether its log counts. */
static strata_status find_with_log(gather *g, int descriptor) {
    bool use = g->log.known && !g->log.another;
    strata_status status = look(g, descriptor, use);
    if (status != STRATA_OK) return status;
    if (!use) g->out->log = judge_log(g, &use);
    if (use && g->remains.file.overlay == NULL) status = look(g, descriptor, true);
    if (g->remains.file.overlay == NULL) return status;
    g->out->log = g->log.gap ? STRATA_SALVAGE_LOG_DAMAGED : STRATA_SALVAGE_LOG_USED;
    g->out->log_commits = g->log.commits;
    return status;
}

/* ---- Declarations ----------------------------------------------------- */

/* Takes the records of a catalog from a store in memory that has the tables of the options. */
static strata_status copy_records(gather *g, strata_store *store) {
    st_txn *snapshot;
    strata_bytes key, value, first = { "\0cat", 4 };
    strata_status status = st_snapshot_begin(store, &snapshot, g->error);
    if (status != STRATA_OK) return status;
    status = st_tree_seek(snapshot, ST_META, first, &key, &value, g->error);
    while (status == STRATA_OK) {
        bool of_catalog = key.size == 8 && (memcmp(key.data, "\0cat", 4) == 0 || memcmp(key.data, "\0tab", 4) == 0);
        if (of_catalog && !st_found_records_add(&g->records, key.data, value)) status = no_memory(g);
        if (status == STRATA_OK) status = st_tree_next(snapshot, ST_META, &key, &value, g->error);
    }
    st_snapshot_end(snapshot);
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}

static strata_status declare(gather *g) {
    strata_config config = strata_config_blank();
    strata_store *store = NULL;
    strata_view *view = NULL;
    config.memory_name = "the schema of a store that is salvaged";
    strata_status status = strata_store_open(&config, &store, g->error);
    if (status == STRATA_OK) status = strata_view_open(store, &view, g->error);
    if (status == STRATA_OK)
        status = strata_schema_apply(view, g->options->tables, g->options->table_count, g->options->schema_version,
                                     g->error);
    if (status == STRATA_OK) status = copy_records(g, store);
    strata_view_close(view);
    strata_store_close(store);
    if (status == STRATA_OK) g->out->declared = true;
    return status;
}

/* The hash key is that of the damaged file, with which it checks what rows refer to. */
static void set_header(gather *g) {
    const st_found_record *found = st_found_records_get(&g->records, st_header_key);
    st_header header, *own = st_txn_header(g->writer);
    uint64_t stamp;
    own->schema_version = g->options->schema_version;
    own->catalog_version = 1;
    if (found == NULL) return;
    st_header_read(found->value.data, &header, &stamp);
    own->hash_key = header.hash_key;
    if (g->out->declared) return;
    own->schema_version = header.schema_version;
    own->catalog_version = header.catalog_version + 1; /* the new file has seen none yet */
}

static strata_status load_catalog(gather *g) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < g->records.count && status == STRATA_OK; i++) {
        const st_found_record *record = &g->records.items[i];
        if (memcmp(record->key, st_header_key, sizeof record->key) == 0) continue;
        status = put(g, ST_META, (strata_bytes){ record->key, sizeof record->key }, record->value);
    }
    if (status != STRATA_OK) return status;
    set_header(g);
    return st_catalog_load(g->writer, &g->catalog, g->error);
}

static strata_status no_schema(const gather *g) {
    return st_fail(g->error, STRATA_CORRUPT, 0,
                   "'%s' has no copy of its schema any more: to salvage its objects, give the declaration that they "
                   "were written with", g->path);
}

/* The catalog of the file, or else that of the options. */
static strata_status make_catalog(gather *g) {
    bool is_there = st_found_records_complete(&g->records);
    strata_status status = STRATA_OK;
    if (is_there) status = load_catalog(g);
    if (is_there && status != STRATA_CORRUPT) return status;
    if (g->options->tables == NULL) return no_schema(g);
    status = declare(g);
    return status == STRATA_OK ? load_catalog(g) : status;
}

/* ---- Entries ---------------------------------------------------------- */

/* If the list of free pages is damaged, pages of earlier commits cannot be told from orphans. */
static void note_uncertain(gather *g, const st_find *find) {
    if (find->rank == ST_PAGE_ORPHAN && !g->remains.free_known) g->out->uncertain++;
}

/* Keeps what was found on a page of a lower rank. */
static strata_status take(void *context, const st_find *find, strata_error *error) {
    gather *g = context;
    strata_bytes kept;
    if (find->tree == ST_META) return STRATA_OK;
    if (find->tree == ST_ROWS) {
        note_uncertain(g, find);
        return st_found_rows_take(&g->rows, find, error);
    }
    /* What is stored outside of rows keeps its key when it changes, a piece at a time. A piece of an earlier commit
     * among those of the newest would make a value that never was. */
    if (find->rank == ST_PAGE_FREE) return STRATA_OK;
    strata_status status = st_tree_get(g->writer, find->tree, find->key, &kept, error);
    if (status != STRATA_NOT_FOUND) return status;
    note_uncertain(g, find);
    return put(g, find->tree, find->key, find->value);
}

static strata_status take_all(gather *g) {
    strata_status status = STRATA_OK;
    /* If the trees are whole, nothing else belongs to them. */
    st_page_rank last = g->options->old ? ST_PAGE_FREE : g->remains.whole ? ST_PAGE_REACHED : ST_PAGE_ORPHAN;
    g->rows.catalog = g->catalog;
    g->rows.trusted = g->remains.free_known ? ST_PAGE_ORPHAN : ST_PAGE_REACHED;
    g->rows.old = &g->out->old;
    const uint64_t metas = 2, pages = g->remains.file.pages;
    g->reader.looked = 0;
    g->reader.to_look = 2 * (uint64_t)(last - ST_PAGE_REACHED + 1) * (pages > metas ? pages - metas : 0);
    for (int rank = ST_PAGE_REACHED; rank <= (int)last && status == STRATA_OK; rank++) {
        status = st_find_each(&g->reader, (st_page_rank)rank, take, g, g->error);
        if (status == STRATA_OK)
            status = st_find_lone_blocks(&g->reader, (st_page_rank)rank, take, g, g->error);
    }
    return status;
}

/* Do the records say what the newest commit held, and not one before it? */
static bool has_newest_records(const gather *g) {
    const st_found_record *record = st_found_records_get(&g->records, st_header_key);
    st_header header;
    uint64_t stamp;
    if (record == NULL || record->rank != ST_PAGE_REACHED) return false;
    st_header_read(record->value.data, &header, &stamp);
    return stamp >= g->remains.newest;
}

/* Does the file still say how many rows a table had? A table that never had any has no count. */
static bool is_counted(const gather *g, uint32_t table) {
    const st_found_record *record = st_found_records_of_table(&g->records, "cnt", table);
    bool is_there = record == NULL ? g->remains.main_whole : record->rank == ST_PAGE_REACHED;
    return is_there && has_newest_records(g);
}

/* The count of a table stays what it was in the damaged file, so that who reads it knows how many objects are lost. */
static strata_status set_count(gather *g, uint32_t table, const st_found_count *found) {
    st_table_state state;
    bool is_known = is_counted(g, table);
    strata_status status = st_table_state_load(g->writer, table, &state, g->error);
    if (status == STRATA_CORRUPT) is_known = false;
    else if (status != STRATA_OK) return status;
    if (!is_known) state.rows = found->rows;
    if (!is_known || state.next_key <= found->last_key) state.next_key = found->last_key + 1;
    if (!is_known) g->out->has_counts = false;
    return st_table_state_store(g->writer, table, &state, g->error);
}

static strata_status write_rows(gather *g) {
    uint32_t tables = g->catalog->table_count;
    st_found_count *counts = calloc(tables + 1u, sizeof *counts);
    if (counts == NULL) return no_memory(g);
    strata_status status = st_found_rows_write(&g->rows, &g->reader, &g->writer, st_store_block_size(g->store),
                                               note_written, g, counts, g->error);
    g->out->has_counts = true;
    for (uint32_t t = 0; t < tables && status == STRATA_OK; t++) status = set_count(g, t, &counts[t]);
    free(counts);
    return status;
}

/* ---- Files ------------------------------------------------------------ */

static strata_status gather_file(gather *g, int descriptor, const char *target) {
    strata_status status = st_log_pages_read(descriptor, g->path, &g->log, g->error);
    if (status == STRATA_OK) status = find_with_log(g, descriptor);
    if (status == STRATA_OK) status = create(g, target);
    if (status == STRATA_OK) status = make_catalog(g);
    if (status == STRATA_OK) status = take_all(g);
    if (status == STRATA_OK) status = write_rows(g);
    return status == STRATA_OK ? commit(g) : status;
}

static void report(gather *g) {
    g->out->pages = g->remains.file.pages;
    g->out->broken_pages = g->remains.broken;
    g->out->doubtful = g->rows.doubtful;
    g->out->unplaced = g->rows.unplaced;
    for (size_t i = 0; i < g->rows.count; i++)
        if (g->rows.blocks[i].rank / 2 == ST_PAGE_ORPHAN) g->out->orphans++;
}

strata_status st_gather(const char *path, const char *target, const st_gather_options *options, st_gathered *out,
                        strata_error *error) {
    gather g = { .options = options, .out = out, .error = error };
    st_file file = { .descriptor = -1 };
    char *resolved = NULL;
    *out = (st_gathered){ 0 };
    strata_status status = st_file_resolve(path, &resolved, error);
    if (status == STRATA_OK) status = st_file_read_alone(resolved, "salvaging", &file, error);
    g.path = resolved;
    if (status == STRATA_OK) {
        status = gather_file(&g, file.descriptor, target);
        report(&g);
        close(file.descriptor);
    }
    st_writer_abort(g.writer);
    strata_store_close(g.store);
    st_catalog_free(g.catalog);
    st_found_rows_free(&g.rows);
    st_found_records_free(&g.records);
    st_find_reader_free(&g.reader);
    st_remains_free(&g.remains);
    st_log_pages_free(&g.log);
    free(resolved);
    return status;
}
