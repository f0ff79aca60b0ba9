/* SPDX-License-Identifier: MIT
 *
 * salvage.c -- what can be read of a damaged file, written into a new one.
 *
 * Pages are gathered into a file whose trees are sound (upkeep/gather.h). What cannot be read there is damaged inside:
 * objects are exported in lots, where that fails one by one, and where that fails property by property; and imported
 * into the new file.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/sized.h"
#include "base/status.h"
#include "strata_salvage.h"
#include "upkeep/draft.h"
#include "upkeep/gather.h"

enum { LOT = 256 /* objects */, BATCH = 16 * 1024 * 1024 /* bytes of text in a commit */ };

typedef struct salvage {
    strata_salvage_options options;
    strata_view *from, *to;
    strata_import *import;
    st_buffer text;
    size_t written;            /* bytes of text since the last commit */
    uint64_t refused;          /* records, until now */
    strata_salvaged table;     /* the current one */
    const st_old_rows *old;
    size_t at_old;             /* the first of them that was not met yet */
    uint64_t done, all;        /* objects */
    strata_salvage_report *out;
    strata_error *error;
} salvage;

static strata_status no_memory(const salvage *s) { return st_no_memory(s->error, "salvaging a store"); }

/* ---- Text ------------------------------------------------------------- */

static bool keep_text(void *context, const void *text, size_t size) { return st_buffer_append(context, text, size); }

/* Only damage leaves objects out; everything else ends the work. */
static bool is_damage(strata_status status) {
    return status == STRATA_CORRUPT || status == STRATA_TOO_LARGE || status == STRATA_NOT_FOUND;
}

/* Appends objects to the text, all of them or none. */
static strata_status export(salvage *s, uint32_t table, const uint64_t *keys, uint64_t count, const uint32_t *column,
                            uint32_t flags, uint64_t *out_count) {
    strata_export_options options = strata_export_options_blank();
    strata_export *to = NULL;
    size_t before = s->text.size;
    options.flags = flags;
    options.columns = column;
    options.column_count = column == NULL ? 0 : 1;
    strata_status status = strata_export_open(s->from, &options, keep_text, &s->text, &to, s->error);
    if (status == STRATA_OK) status = strata_export_keys(to, table, keys, count, s->error);
    if (status == STRATA_OK) status = strata_export_end(to, s->error);
    *out_count = strata_export_count(to);
    strata_export_close(to);
    if (status != STRATA_OK) s->text.size = before;
    return status == STRATA_CANCELLED ? no_memory(s) : status; /* the text had no room */
}

/* ---- Lots ------------------------------------------------------------- */

/* Adds the property to the line, which is {"$class":"...","a":1 or still empty. */
static strata_status add_property(salvage *s, uint32_t table, uint64_t key, uint32_t column, size_t begin) {
    bool first = s->text.size == begin;
    size_t at = s->text.size;
    uint64_t count;
    strata_status status = export(s, table, &key, 1, &column, first ? STRATA_EXPORT_CLASS | STRATA_EXPORT_KEYS : 0,
                                  &count);
    if (status != STRATA_OK || count == 0) return status == STRATA_OK ? STRATA_NOT_FOUND : status;
    s->text.size -= 2; /* the brace and the line end */
    if (!first) s->text.data[at] = ','; /* in place of the opening brace */
    return STRATA_OK;
}

/* Appends an object without the properties that cannot be read. The primary key comes first: without it the object
 * would be another one. */
static strata_status export_parts(salvage *s, uint32_t table, uint64_t key, uint64_t *out_count) {
    size_t begin = s->text.size;
    strata_table_info info;
    uint32_t primary = UINT32_MAX;
    *out_count = 0;
    strata_status status = strata_table_get(s->from, table, &info);
    for (int pass = 0; pass < 2 && status == STRATA_OK; pass++) {
        for (uint32_t c = 0; c < info.column_count && status == STRATA_OK; c++) {
            strata_column_info column;
            if (strata_column_get(s->from, table, c, &column) != STRATA_OK || column.type == STRATA_NULL) continue;
            bool is_primary = (column.flags & STRATA_COLUMN_PRIMARY) != 0;
            if (is_primary) primary = c;
            if (is_primary != (pass == 0)) continue;
            status = add_property(s, table, key, c, begin);
            if (is_damage(status) && !is_primary) status = STRATA_OK;
        }
        if (pass == 0 && primary != UINT32_MAX && s->text.size == begin) break;
    }
    if (status == STRATA_OK && s->text.size > begin) {
        *out_count = 1;
        s->table.partly++;
        return st_buffer_append(&s->text, "}\n", 2) ? STRATA_OK : no_memory(s);
    }
    s->text.size = begin;
    return is_damage(status) ? STRATA_OK : status;
}

static strata_status export_each(salvage *s, uint32_t table, const uint64_t *keys, size_t count, uint64_t *out_count) {
    strata_status status = STRATA_OK;
    *out_count = 0;
    for (size_t i = 0; i < count && status == STRATA_OK; i++) {
        uint64_t found;
        status = export(s, table, &keys[i], 1, NULL, STRATA_EXPORT_CLASS | STRATA_EXPORT_KEYS, &found);
        if (is_damage(status)) status = export_parts(s, table, keys[i], &found);
        *out_count += found;
    }
    return status;
}

static strata_status commit(salvage *s) {
    strata_status status = strata_view_commit(s->to, s->error);
    s->written = 0;
    return status == STRATA_OK ? strata_view_begin(s->to, s->error) : status;
}

static strata_status save(salvage *s, uint32_t table, const uint64_t *keys, size_t count) {
    uint64_t found, refused = s->refused;
    s->text.size = 0;
    strata_status status = export(s, table, keys, count, NULL, STRATA_EXPORT_CLASS | STRATA_EXPORT_KEYS, &found);
    if (is_damage(status)) status = export_each(s, table, keys, count, &found);
    if (status == STRATA_OK) status = strata_import_feed(s->import, s->text.data, s->text.size, s->error);
    if (status != STRATA_OK) return status;
    uint64_t lost = s->refused - refused;
    s->table.saved += found > lost ? found - lost : 0;
    s->done += count;
    s->written += s->text.size;
    if (s->options.progress != NULL && !s->options.progress(s->options.context, s->done, s->all))
        return st_fail(s->error, STRATA_CANCELLED, 0, "salvaging was stopped");
    return s->written < BATCH ? STRATA_OK : commit(s);
}

/* ---- Classes ---------------------------------------------------------- */

/* Whether the next row of a table may be of an earlier commit. */
static bool is_old(salvage *s, uint32_t table, uint64_t key) {
    const st_old_rows *old = s->old;
    while (s->at_old < old->count && old->items[s->at_old].table == table && old->items[s->at_old].key < key)
        s->at_old++;
    return s->at_old < old->count && old->items[s->at_old].table == table && old->items[s->at_old].key == key;
}

static strata_status save_newest(salvage *s, uint32_t table, strata_cursor *cursor) {
    strata_row rows[LOT];
    uint64_t keys[LOT];
    size_t count;
    for (;;) {
        strata_status status = strata_cursor_next_rows(cursor, rows, LOT, &count, s->error);
        size_t newest = 0;
        if (status != STRATA_OK) return status == STRATA_END ? STRATA_OK : status;
        for (size_t i = 0; i < count; i++)
            if (!is_old(s, table, rows[i].key)) keys[newest++] = rows[i].key;
        if (newest > 0) status = save(s, table, keys, newest);
        if (status != STRATA_OK) return status;
    }
}

/* Objects that may have been deleted come behind the others, the latest ones first: one that was made again with the
 * same primary key is there already then, and the earlier one is refused. */
static strata_status save_old(salvage *s, uint32_t table, size_t from) {
    uint64_t keys[LOT];
    const st_old_row *items = s->old->items;
    strata_status status = STRATA_OK;
    size_t end = from;
    while (end < s->old->count && items[end].table == table) end++;
    s->at_old = end;
    while (end > from && status == STRATA_OK) {
        size_t count = 0;
        while (end > from && count < LOT) keys[count++] = items[--end].key;
        status = save(s, table, keys, count);
    }
    return status;
}

static strata_status save_table(salvage *s, uint32_t table) {
    strata_cursor *cursor = NULL;
    while (s->at_old < s->old->count && s->old->items[s->at_old].table < table) s->at_old++;
    size_t first_old = s->at_old;
    strata_status status = strata_table_size(s->from, table, &s->table.counted, s->error);
    if (status == STRATA_OK) status = strata_scan(s->from, table, false, &cursor, s->error);
    if (status == STRATA_OK) status = save_newest(s, table, cursor);
    strata_cursor_close(cursor);
    if (status == STRATA_OK) status = save_old(s, table, first_old);
    if (s->table.counted < s->table.saved) s->table.counted = s->table.saved;
    return status;
}

static bool count_refused(void *context, uint64_t line, strata_bytes record, const strata_error *error) {
    salvage *s = context;
    (void)line, (void)record, (void)error;
    s->refused++;
    return true;
}

static strata_status save_tables(salvage *s) {
    uint32_t tables = strata_table_count(s->from);
    strata_status status = STRATA_OK;
    for (uint32_t t = 0; t < tables; t++) {
        uint64_t size;
        if (strata_table_size(s->from, t, &size, NULL) == STRATA_OK) s->all += size;
    }
    for (uint32_t t = 0; t < tables && status == STRATA_OK; t++) {
        strata_table_info info;
        bool is_there = strata_table_get(s->from, t, &info) == STRATA_OK && info.name[0] != 0;
        if (!is_there || (info.flags & STRATA_TABLE_EMBEDDED) != 0) continue;
        s->table = (strata_salvaged){ .table = info.name };
        status = save_table(s, t);
        s->out->counted += s->table.counted;
        s->out->saved += s->table.saved;
        s->out->partly += s->table.partly;
        if (status == STRATA_OK && s->options.told != NULL) s->options.told(s->options.context, &s->table);
    }
    return status;
}

static strata_status import_all(salvage *s) {
    strata_import_options options = strata_import_options_blank();
    options.flags = STRATA_IMPORT_IGNORE_UNKNOWN;
    options.refused = count_refused;
    options.context = s;
    strata_status status = strata_import_open(s->to, &options, &s->import, s->error);
    if (status == STRATA_OK) status = strata_view_begin(s->to, s->error);
    if (status == STRATA_OK) status = save_tables(s);
    if (status == STRATA_OK) status = strata_import_finish(s->import, NULL, s->error);
    if (status == STRATA_OK) status = strata_view_commit(s->to, s->error);
    strata_import_close(s->import);
    return status;
}

/* ---- Files ------------------------------------------------------------ */

static strata_status open_view(const char *path, uint32_t flags, strata_store **store, strata_view **view,
                               strata_error *error) {
    strata_config config = strata_config_blank();
    config.path = path;
    config.flags = flags;
    strata_status status = strata_store_open(&config, store, error);
    return status == STRATA_OK ? strata_view_open(*store, view, error) : status;
}

/* Gives the new file the schema of the gathered one. */
static strata_status copy_schema(salvage *s) {
    strata_declaration *declaration = NULL;
    uint32_t count;
    strata_status status = strata_declaration_read(s->from, &declaration, s->error);
    if (status != STRATA_OK) return status;
    const strata_table_spec *tables = strata_declaration_tables(declaration, &count);
    uint64_t version = strata_declaration_version(declaration);
    status = strata_schema_apply(s->to, tables, count, version == STRATA_NO_SCHEMA ? 0 : version, s->error);
    strata_declaration_free(declaration);
    return status;
}

static strata_status fill(salvage *s, const char *gathered, const char *target) {
    strata_store *from = NULL, *to = NULL;
    strata_status status = open_view(gathered, STRATA_OPEN_READ_ONLY, &from, &s->from, s->error);
    if (status == STRATA_OK) status = open_view(target, 0, &to, &s->to, s->error);
    if (status == STRATA_OK) status = copy_schema(s);
    if (status == STRATA_OK) status = import_all(s);
    strata_view_close(s->from);
    strata_view_close(s->to);
    strata_store_close(from);
    strata_store_close(to);
    st_buffer_free(&s->text);
    return status;
}

static void report(strata_salvage_report *out, const st_gathered *found) {
    *out = (strata_salvage_report){ .pages = found->pages, .broken_pages = found->broken_pages,
                                    .orphans = found->orphans, .doubtful = found->doubtful,
                                    .unplaced = found->unplaced, .declared = found->declared,
                                    .has_counts = found->has_counts, .log = found->log,
                                    .log_commits = found->log_commits, .uncertain = found->uncertain };
}

/* The draft has a name that says nothing to whoever salvages, and no objects to delete. */
static strata_status no_room(const char *target, strata_error *error) {
    int code = error == NULL ? ENOSPC : error->system_code;
    return st_fail(error, STRATA_DISK_FULL, code, "salvaging into '%s': the disk, the quota or the file size limit of "
                   "the process is used up: make room for twice the size of the new file, or choose another disk",
                   target);
}

/* Nobody needs to look whether a commit is in the draft. */
static bool is_full(strata_status status, const strata_error *error) {
    int code = status == STRATA_COMMIT_UNKNOWN && error != NULL ? error->system_code : 0;
    return status == STRATA_DISK_FULL || st_is_about_room(code);
}

static strata_status run(salvage *s, const char *path, const char *target) {
    const strata_salvage_options *options = &s->options;
    st_gather_options how = { .old = (options->flags & STRATA_SALVAGE_OLD) != 0, .progress = options->looking,
                              .context = options->context };
    st_gathered found = { 0 };
    st_draft draft;
    if (options->declaration != NULL) {
        how.tables = strata_declaration_tables(options->declaration, &how.table_count);
        how.schema_version = strata_declaration_version(options->declaration);
    }
    strata_status status = st_draft_make(target, &draft, s->error);
    if (status == STRATA_OK) status = st_gather(path, draft.gathered, &how, &found, s->error);
    report(s->out, &found);
    s->old = &found.old;
    if (status == STRATA_OK) status = fill(s, draft.gathered, draft.file);
    bool rehearsed = (options->flags & STRATA_SALVAGE_DRY_RUN) != 0;
    if (status == STRATA_OK && !rehearsed) status = st_draft_put(&draft, s->error);
    st_draft_end(&draft);
    free(found.old.items);
    return is_full(status, s->error) ? no_room(target, s->error) : status;
}

static strata_status read_options(strata_salvage_options *out, const strata_salvage_options *given,
                                  strata_error *error) {
    *out = strata_salvage_options_blank();
    if (given == NULL) return STRATA_OK;
    if (!st_sized_plausible(given->size, sizeof *given) || !st_sized_read(out, sizeof *out, given, given->size))
        return st_fail(error, STRATA_MISUSE, 0, "the options of salvaging were not made with "
                                                "strata_salvage_options_blank()");
    if ((out->flags & ~(uint32_t)(STRATA_SALVAGE_OLD | STRATA_SALVAGE_DRY_RUN)) != 0)
        return st_fail(error, STRATA_MISUSE, 0, "the options of salvaging have an unknown flag");
    return STRATA_OK;
}

strata_status strata_salvage_sized(const char *path, const char *target, const strata_salvage_options *options,
                                   strata_salvage_report *out, size_t size, strata_error *error) {
    strata_salvage_report report = { 0 };
    salvage s = { .out = &report, .error = error };
    if (out != NULL) memset(out, 0, size);
    if (path == NULL || *path == 0 || target == NULL || *target == 0)
        return st_fail(error, STRATA_MISUSE, 0, "salvaging: name the damaged file and the new one");
    strata_status status = read_options(&s.options, options, error);
    if (status != STRATA_OK) return status;
    status = run(&s, path, target);
    if (out != NULL) st_sized_write(out, size, &report, sizeof report);
    return status;
}
