/* SPDX-License-Identifier: MIT
 * survey.c -- reading all that a store has, in every way there is. */
#define _GNU_SOURCE 1
#include "support/survey.h"

#include <stdlib.h>
#include <unistd.h>

#include "ctest.h"
#include "strata_mixed.h"
#include "strata_predicate.h"

enum { MOST_ROWS = 2000, MOST_ELEMENTS = 4000, BATCH = 64, PIECE = 16384 };

static const char *first_step;
const char **survey_step = &first_step;

/* ---- Digests ---------------------------------------------------------- */

typedef struct digest {
    uint64_t value;
    bool sound;
} digest;

static void mix(digest *d, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    uint64_t value = d->value ^ size, word;
    for (; size >= 8; size -= 8, at += 8) {
        memcpy(&word, at, 8);
        value = (value ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        value ^= value >> 29;
    }
    for (; size > 0; size--, at++) value = (value ^ *at) * UINT64_C(0x100000001B3);
    d->value = value;
}

static bool has_bytes(const strata_value *value) {
    return value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED;
}

/* Walks a list or map in a value, to its end. */
static void walk_nested(digest *d, strata_bytes bytes, int depth) {
    strata_nested_iterator iterator;
    strata_bytes key;
    strata_value value;
    strata_error error;
    strata_status status = depth > STRATA_MAX_NESTING ? STRATA_MISUSE : strata_nested_open(bytes, &iterator, &error);
    if (status != STRATA_OK) {
        d->sound = false;
        return;
    }
    while ((status = strata_nested_next(&iterator, &key, &value)) == STRATA_OK) {
        if (iterator.kind == STRATA_MAP) mix(d, key.data, key.size);
        if (value.type == STRATA_NESTED) walk_nested(d, value.as.bytes, depth + 1);
        else if (has_bytes(&value)) mix(d, value.as.bytes.data, value.as.bytes.size);
    }
    if (status < 0) d->sound = false;
}

static void mix_value(digest *d, const strata_value *value) {
    uint64_t head = (uint64_t)value->type | (uint64_t)value->table << 8;
    mix(d, &head, sizeof head);
    if (!has_bytes(value)) {
        size_t size = value->type == STRATA_OBJECT_ID ? 12 : 16;
        if (value->type == STRATA_BOOL) size = 1;
        if (value->type == STRATA_FLOAT) size = 4;
        if (value->type == STRATA_INT || value->type == STRATA_DOUBLE || value->type == STRATA_DATE) size = 8;
        if (value->type == STRATA_LINK) size = 8;
        if (value->type != STRATA_NULL) mix(d, value->as.fixed, size);
        return;
    }
    mix(d, &value->as.bytes.size, sizeof value->as.bytes.size);
    if (value->as.bytes.data != NULL) mix(d, value->as.bytes.data, value->as.bytes.size);
    if (value->as.bytes.data != NULL && value->type == STRATA_NESTED) walk_nested(d, value->as.bytes, 0);
}

/* ---- Cells ------------------------------------------------------------ */

/* Bytes that are stored elsewhere: the beginning, and something at the end. */
static void mix_cell_elsewhere(digest *d, strata_row *row, uint32_t column, uint64_t claimed) {
    uint8_t piece[PIECE];
    size_t size = 0;
    strata_error error;
    strata_status status = strata_row_read(row, column, 0, piece, sizeof piece, &size, &error);
    if (status >= 0) mix(d, piece, size < sizeof piece ? size : sizeof piece);
    if (status >= 0 && claimed > 100)
        status = strata_row_read(row, column, (size_t)claimed - 100, piece, 100, &size, &error);
    if (status < 0) d->sound = false;
}

static void mix_element_elsewhere(digest *d, strata_row *row, uint32_t column, uint64_t position) {
    uint8_t piece[PIECE];
    size_t size = 0;
    strata_error error;
    strata_status status = strata_collection_read(row, column, position, 0, piece, sizeof piece, &size, &error);
    if (status < 0) d->sound = false;
    else mix(d, piece, size < sizeof piece ? size : sizeof piece);
}

/* Copies a fixed number of keys, since they are lent until the next call. */
static void mix_keys(digest *d, strata_row *row, uint32_t column, uint64_t position, uint64_t count) {
    strata_bytes keys[BATCH];
    strata_error error;
    if (strata_map_keys(row, column, position, count, keys, &error) != STRATA_OK) d->sound = false;
    else for (uint64_t i = 0; i < count; i++) mix(d, keys[i].data, keys[i].size);
}

static void mix_collection(digest *d, strata_row *row, uint32_t column, strata_collection kind) {
    strata_value values[BATCH];
    strata_error error;
    uint64_t count = 0, some;
    if (strata_collection_size(row, column, &count, &error) != STRATA_OK) d->sound = false;
    mix(d, &count, sizeof count);
    if (count > MOST_ELEMENTS) count = MOST_ELEMENTS;
    for (uint64_t at = 0; at < count && d->sound; at += some) {
        some = count - at < BATCH ? count - at : BATCH;
        if (kind == STRATA_MAP) mix_keys(d, row, column, at, some);
        if (strata_collection_get(row, column, at, some, values, &error) != STRATA_OK) {
            d->sound = false;
            return;
        }
        uint64_t elsewhere = 0;
        for (uint64_t i = 0; i < some; i++) {
            mix_value(d, &values[i]);
            if (strata_value_is_outside(&values[i])) elsewhere |= UINT64_C(1) << i;
        }
        for (uint64_t i = 0; i < some; i++)
            if ((elsewhere >> i & 1) != 0) mix_element_elsewhere(d, row, column, at + i);
    }
}

static void mix_cell(digest *d, strata_row *row, uint32_t column, const strata_column_info *info) {
    strata_value value;
    strata_error error;
    if (info->collection != STRATA_SINGLE) {
        mix_collection(d, row, column, info->collection);
        return;
    }
    if (strata_row_get(row, column, &value, &error) < 0) {
        d->sound = false;
        return;
    }
    mix_value(d, &value);
    if (strata_value_is_outside(&value))
        mix_cell_elsewhere(d, row, column, value.as.bytes.size);
}

/* The readers that are compiled into programs. */
static void mix_inline(digest *d, strata_row *row, uint32_t column, const strata_column_info *info) {
    uint8_t fixed[16] = { 0 };
    strata_bytes bytes = { NULL, 0 };
    if (info->collection != STRATA_SINGLE || strata_row_ready(row) != STRATA_OK) return;
    if (strata_row_null(row, column)) return;
    switch (info->type) {
    case STRATA_BOOL: fixed[0] = strata_row_bool(row, column); break;
    case STRATA_INT: d->value += (uint64_t)strata_row_int(row, column); break;
    case STRATA_FLOAT: *(float *)(void *)fixed = strata_row_float(row, column); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: *(double *)(void *)fixed = strata_row_double(row, column); break;
    case STRATA_UUID:
    case STRATA_DECIMAL: strata_row_fixed(row, column, fixed, 16); break;
    case STRATA_OBJECT_ID: strata_row_fixed(row, column, fixed, 12); break;
    case STRATA_LINK: d->value += strata_row_link(row, column); break;
    case STRATA_STRING:
    case STRATA_DATA:
        if (strata_row_bytes(row, column, &bytes)) mix(d, bytes.data, bytes.size);
        break;
    case STRATA_MIXED:
    case STRATA_NESTED:
    case STRATA_NULL: break;
    }
    mix(d, fixed, sizeof fixed);
}

static uint32_t columns_of(strata_view *view, uint32_t table) {
    strata_table_info info;
    if (strata_table_get(view, table, &info) != STRATA_OK) return 0;
    return info.column_count < SURVEY_COLUMNS ? info.column_count : SURVEY_COLUMNS;
}

static bool column_of(strata_view *view, uint32_t table, uint32_t column, strata_column_info *out) {
    return strata_column_get(view, table, column, out) == STRATA_OK && out->name[0] != 0;
}

void survey_objects(strata_view *view, survey *out) {
    strata_error error;
    strata_row row;
    *survey_step = "objects by their keys";
    memset(out, 0, sizeof *out);
    for (uint32_t t = 0; t < SURVEY_TABLES; t++) {
        uint32_t columns = columns_of(view, t);
        for (uint64_t key = 1; key < SURVEY_KEYS; key++) {
            digest d = { .value = key, .sound = true };
            if (strata_row_bind(view, t, key, &row, &error) != STRATA_OK) continue;
            for (uint32_t c = 0; c < columns; c++) {
                strata_column_info info;
                if (column_of(view, t, c, &info)) mix_cell(&d, &row, c, &info);
            }
            out->digests[t][key] = d.sound ? d.value | 1 : 0;
        }
    }
}

/* ---- Stores and schemas ----------------------------------------------- */

static void read_store(strata_store *store, strata_view *view) {
    strata_store_stats stats = { .size = sizeof stats };
    strata_snapshot snapshots[4];
    strata_error error;
    uint32_t count;
    *survey_step = "statistics";
    (void)!strata_store_get_stats(store, &stats, &error);
    *survey_step = "snapshots";
    (void)!strata_store_get_snapshots(store, snapshots, 4, &count, &error);
    (void)strata_schema_version(view);
}

static void read_schema(strata_view *view, digest *d) {
    *survey_step = "schema";
    for (uint32_t t = 0, tables = strata_table_count(view); t < tables; t++) {
        strata_table_info table;
        uint32_t number;
        if (strata_table_get(view, t, &table) != STRATA_OK) continue;
        (void)!strata_table_find(view, table.name, &number);
        mix(d, table.name, strlen(table.name));
        for (uint32_t c = 0; c < table.column_count; c++) {
            strata_column_info column;
            if (strata_column_get(view, t, c, &column) != STRATA_OK) continue;
            mix(d, column.name, strlen(column.name));
            (void)!strata_column_find(view, t, column.name, &number);
        }
        for (uint32_t i = 0; i < table.index_count; i++) {
            strata_index_info index;
            if (strata_index_get(view, t, i, &index) == STRATA_OK) d->value += index.column_count;
        }
    }
}

/* ---- Cursors ---------------------------------------------------------- */

static void read_rows(strata_view *view, uint32_t table, strata_cursor *cursor, digest *d) {
    strata_row rows[32];
    strata_error error;
    size_t count = 0;
    for (int steps = 0; steps < MOST_ROWS; steps++) {
        strata_status status = strata_cursor_next(cursor, rows, &error);
        count = 1;
        if (status == STRATA_OK && steps % 3 == 2)
            status = strata_cursor_next_rows(cursor, rows, sizeof rows / sizeof *rows, &count, &error);
        if (status != STRATA_OK) break;
        for (uint32_t c = 0, columns = columns_of(view, table); c < columns; c++) {
            strata_column_info info;
            if (!column_of(view, table, c, &info)) continue;
            for (size_t i = 0; i < count; i++) mix_inline(d, &rows[i], c, &info);
        }
    }
    strata_cursor_close(cursor);
}

static void scan_tables(strata_view *view, digest *d) {
    strata_error error;
    strata_cursor *cursor;
    *survey_step = "scans";
    for (uint32_t t = 0; t < SURVEY_TABLES; t++) {
        uint64_t size;
        (void)!strata_table_size(view, t, &size, &error);
        for (int backward = 0; backward < 2; backward++)
            if (strata_scan(view, t, backward != 0, &cursor, &error) == STRATA_OK) read_rows(view, t, cursor, d);
    }
}

static void scan_index(strata_view *view, uint32_t table, uint32_t column, const strata_value *some, digest *d) {
    strata_range ranges[] = { { NULL, NULL, false, false }, { some, NULL, true, false }, { NULL, some, false, false } };
    strata_error error;
    strata_cursor *cursor;
    uint64_t key;
    for (int i = 0; i < 3; i++)
        for (int backward = 0; backward < 2; backward++)
            if (strata_index_scan(view, table, column, &ranges[i], backward != 0, &cursor, &error) == STRATA_OK)
                read_rows(view, table, cursor, d);
    (void)!strata_object_find(view, table, some, &key, &error);
}

static void scan_indexes(strata_view *view, uint64_t random, digest *d) {
    strata_error error;
    *survey_step = "indexes";
    for (uint32_t t = 0; t < SURVEY_TABLES; t++) {
        for (uint32_t c = 0, columns = columns_of(view, t); c < columns; c++) {
            strata_column_info info;
            strata_value value = strata_int(77);
            strata_row row;
            if (!column_of(view, t, c, &info) || (info.flags & (STRATA_COLUMN_INDEXED | STRATA_COLUMN_PRIMARY)) == 0)
                continue;
            uint64_t key = 1 + ctest_random(&random) % 60;
            if (strata_row_bind(view, t, key, &row, &error) == STRATA_OK)
                (void)!strata_row_get(&row, c, &value, &error);
            scan_index(view, t, c, &value, d);
        }
    }
}

static void read_backlinks(strata_view *view, uint64_t random, digest *d) {
    strata_error error;
    strata_cursor *cursor;
    *survey_step = "backlinks";
    for (uint32_t t = 0; t < SURVEY_TABLES; t++) {
        for (uint32_t c = 0, columns = columns_of(view, t); c < columns; c++) {
            strata_column_info info;
            if (!column_of(view, t, c, &info) || (info.type != STRATA_LINK && info.type != STRATA_MIXED)) continue;
            for (uint64_t i = 0; i < 12; i++) {
                uint64_t key = 1 + ctest_random(&random) % 300, count;
                uint32_t target = info.type == STRATA_LINK ? info.target : (uint32_t)(i % SURVEY_TABLES);
                (void)!strata_backlinks_count(view, target, key, t, c, &count, &error);
                if (strata_backlinks(view, target, key, t, c, &cursor, &error) == STRATA_OK)
                    read_rows(view, t, cursor, d);
            }
        }
    }
}

/* ---- Collections ------------------------------------------------------ */

static void read_collection(strata_row *row, uint32_t column, strata_collection kind, digest *d) {
    strata_error error;
    strata_value value = strata_int(31), total;
    strata_keys keys;
    uint64_t count, position;
    if (strata_collection_size(row, column, &count, &error) != STRATA_OK) count = 5;
    uint64_t places[] = { 0, count / 2, count - 1, count, UINT64_MAX };
    for (int i = 0; i < 5; i++) {
        if (strata_collection_get(row, column, places[i], 1, &value, &error) == STRATA_OK) {
            mix_value(d, &value);
            (void)!strata_collection_find(row, column, &value, (uint64_t)i % 2, &position, &error);
        }
        if (kind != STRATA_MAP) continue;
        strata_bytes key = { "tag 1", 5 };
        (void)!strata_map_keys(row, column, places[i], 1, &key, &error);
        (void)!strata_map_find(row, column, key, &position, &error);
    }
    for (uint32_t options = (uint32_t)(count % 2); options < 8; options += 2)
        if (strata_collection_order(row, column, options, &keys, &error) == STRATA_OK) strata_keys_free(&keys);
    for (int aggregate = STRATA_COUNT; aggregate <= STRATA_AVERAGE; aggregate++)
        (void)!strata_collection_total(row, column, (strata_aggregate)aggregate, &total, &error);
}

static void read_collections(strata_view *view, uint64_t random, digest *d) {
    strata_error error;
    strata_row row;
    *survey_step = "collections";
    for (uint32_t t = 0; t < SURVEY_TABLES; t++) {
        for (uint64_t i = 0; i < 24; i++) {
            uint64_t key = i < 12 ? i * 9 + 8 : 1 + ctest_random(&random) % 300;
            if (strata_row_bind(view, t, key, &row, &error) != STRATA_OK) continue;
            for (uint32_t c = 0, columns = columns_of(view, t); c < columns; c++) {
                strata_column_info info;
                if (column_of(view, t, c, &info) && info.collection != STRATA_SINGLE)
                    read_collection(&row, c, info.collection, d);
            }
        }
    }
}

/* ---- Queries ---------------------------------------------------------- */

static const char *const conditions[][24] = {
    { "id > 5000 AND name BEGINSWITH 'Person 1'", "name CONTAINS[c] 'SON 2'", "score BETWEEN {1, 50}",
      "any == 'Person 7' OR any > 30", "exact == NULL", "friend.name ENDSWITH '7'", "friend.friend.id > 100",
      "ANY friends.id < 9000", "ANY numbers == 31", "numbers.@sum > 60", "tags.@count > 1", "'tag 1' IN tags",
      "notes['tag 1'] == 'tag 1'", "ANY notes.@allKeys == 'tag 0'", "photo != NULL", "friends.@count > 1",
      "SUBQUERY(friends, $f, $f.score > 2 AND $f.name != 'x').@count > 1", "uuid != NULL", "name IN {'Person 3', 'x'}",
      "name LIKE '*on 1?*'", "NONE numbers > 90", "numbers[2] == 62", "id == 7919" },
    { "flag == true AND small < 20", "at > date(10.0)", "text CONTAINS 'thing'", "uid != NULL", "owner.score > 3",
      "any > 'a'", "ANY any[#any] == 3", "any['k'] == 3", "any[0][0] == 1", "ANY anys == 4", "ANY values == 'x'",
      "ANY parts.n == 3", "part.s == 's3'", "part.n > 2", "ANY sizes > 3", "dict['a'].score > 1", "ANY texts LIKE 's*'",
      "raw != NULL AND ratio < 4", "small BETWEEN {3, 9} AND flag == false", "ANY owner.friends.score > 40" },
    { "n > 3", "s == 's4'", "s BEGINSWITH 's'" },
};

static bool run_query(strata_view *view, const strata_query *query) {
    strata_error error;
    strata_keys keys;
    strata_query_stats stats;
    uint64_t count;
    if (strata_query_count(view, query, &count, &stats, &error) != STRATA_OK) count = 0;
    if (strata_query_run(view, query, &keys, &stats, &error) != STRATA_OK) return false;
    strata_keys_free(&keys);
    return true;
}

static bool run_condition(strata_view *view, uint32_t table, const char *text) {
    bool done = false;
    strata_predicate *predicate;
    strata_condition *condition;
    strata_error error;
    if (strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &error) != STRATA_OK) return false;
    if (strata_predicate_resolve(predicate, view, table, NULL, 0, &condition, &error) == STRATA_OK) {
        strata_query query = { .size = sizeof query, .table = table, .nodes = condition->nodes,
                               .node_count = condition->node_count };
        done = run_query(view, &query);
        strata_condition_free(condition);
    }
    strata_predicate_free(predicate);
    return done;
}

/* Returns how many of them ran. */
static unsigned run_conditions(strata_view *view) {
    unsigned done = 0;
    for (uint32_t t = 0; t < SURVEY_TABLES; t++)
        for (size_t i = 0; i < sizeof *conditions / sizeof **conditions && conditions[t][i] != NULL; i++) {
            *survey_step = conditions[t][i];
            done += run_condition(view, t, conditions[t][i]);
        }
    return done;
}

/* Sorts by each column, keeps the distinct values of it, groups by it. */
static void run_stages(strata_view *view, uint32_t table, uint32_t column) {
    strata_step step = strata_step_column(column);
    strata_sort key = { &step, 1, column % 2 == 0 };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &key },
                              { .kind = STRATA_STAGE_DISTINCT, .key_count = 1, .keys = &key },
                              { .kind = STRATA_STAGE_LIMIT, .skip = 3, .limit = 50 } };
    strata_query query = { .size = sizeof query, .table = table, .stages = stages, .stage_count = 3 };
    strata_measure measures[] = { { STRATA_COUNT, NULL, 0 }, { STRATA_MAX, &step, 1 }, { STRATA_SUM, &step, 1 } };
    strata_groups groups;
    strata_query_stats stats;
    strata_error error;
    run_query(view, &query);
    query.stage_count = 1;
    run_query(view, &query);
    query.stage_count = 0;
    for (uint32_t measure_count = 2; measure_count < 4; measure_count++)
        if (strata_query_group(view, &query, &key, 1, measures, measure_count, &groups, &stats, &error) == STRATA_OK)
            strata_groups_free(&groups);
}

static void run_other_queries(strata_view *view, uint64_t random) {
    static const strata_source_kind kinds[] = { STRATA_SOURCE_LIST, STRATA_SOURCE_BACKLINKS };
    *survey_step = "sorts and groups";
    for (uint32_t t = 0; t < SURVEY_TABLES; t++) {
        for (uint32_t c = 0, columns = columns_of(view, t); c < columns; c++) {
            strata_column_info info;
            if (!column_of(view, t, c, &info)) continue;
            if ((c + random) % 4 == 0) run_stages(view, t, c);
            if (info.type != STRATA_LINK) continue;
            for (size_t i = 0; i < 2; i++) {
                strata_query query = { .size = sizeof query, .source = kinds[i], .origin_table = t, .origin_column = c,
                                       .table = i == 0 ? info.target : t, .key = 1 + ctest_random(&random) % 200 };
                run_query(view, &query);
            }
        }
    }
}

/* ---- All -------------------------------------------------------------- */

static void make_copies(strata_store *store, const char *copy) {
    strata_error error;
    for (uint32_t flags = 0; flags <= STRATA_BACKUP_COMPACT; flags++) {
        *survey_step = flags == 0 ? "a copy" : "a compact copy";
        (void)!strata_store_backup(store, copy, flags, &error);
        unlink(copy);
    }
}

unsigned survey_everything(strata_store *store, strata_view *view, uint64_t random, const char *copy) {
    strata_verify_report report;
    strata_error error;
    digest d = { .value = random };
    read_store(store, view);
    read_schema(view, &d);
    scan_tables(view, &d);
    scan_indexes(view, random, &d);
    read_backlinks(view, random, &d);
    read_collections(view, random, &d);
    unsigned done = run_conditions(view);
    run_other_queries(view, random);
    if (copy != NULL) make_copies(store, copy);
    *survey_step = "verifying";
    (void)!strata_verify(view, &report, &error);
    *survey_step = "the end of reading";
    return done;
}
