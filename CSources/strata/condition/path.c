/* SPDX-License-Identifier: MIT
 * path.c -- walking a path from an object to the values at its end. */
#include "condition/path.h"

#include "base/status.h"
#include "collection/source_search.h"
#include "condition/value.h"
#include "table/link_index.h"
#include "value/mixed.h"
#include "write/write_set.h"

/* A walk along the first `end` steps of an operand. */
typedef struct path_walk {
    st_query *query;
    st_operand *operand;
    uint32_t end;
    st_visit kind;
    st_visitor visit;
    void *context;
    uint64_t *count;       /* NULL, or the last step is a collection and its elements are only counted, here */
} path_walk;

/* All of these return true if the walk has to end: because the visitor says so, or after a failure. `at` is the number
 * of the step that comes next. */
static bool walk_object(const path_walk *w, uint32_t at, const st_stored_row *row);
static bool walk_value(const path_walk *w, uint32_t at, const strata_value *value);

static bool fail(const path_walk *w, strata_status status) {
    st_query_fail(w->query, status);
    return true;
}

static bool fail_damaged(const path_walk *w, const st_step *step) {
    return fail(w, st_fail(w->query->error, STRATA_CORRUPT, 0, "%s of an object of %s is damaged", step->column->name,
                           w->query->view->catalog->tables[step->table].name));
}

static bool is_only_counted(const path_walk *w, uint32_t at, uint64_t count) {
    if (w->count == NULL || at + 1 != w->end) return false;
    *w->count += count;
    return true;
}

/* ---- Collections ------------------------------------------------------ */

const st_vector *st_step_vector(st_query *query, st_step *step, const st_stored_row *row) {
    if (step->block == row->block) return &step->vector;
    step->block = NULL;
    if (!st_query_vector(query, row->block, row->size, step->column, &step->vector)) return NULL;
    step->block = row->block;
    return &step->vector;
}

static bool open_collection(const path_walk *w, st_step *step, const st_stored_row *row, st_source *out) {
    const st_table *table = &w->query->view->catalog->tables[step->table];
    const st_vector *vector = st_step_vector(w->query, step, row);
    return vector != NULL && st_query_collection(w->query, table, row, vector, step->number, out);
}

/* Reads an element or a key, which may be an overflow value. */
static bool load_element(const path_walk *w, const st_step *step, uint64_t object, const strata_value *element,
                         strata_value *out) {
    if (step->kind == ST_STEP_KEYS) {
        *out = *element;
        if (!st_is_overflow(element)) return true;
        (void)fail_damaged(w, step);
        return false;
    }
    if (st_is_overflow(element) && !st_query_step(w->query, ST_STEPS_OF_LARGE)) return false;
    strata_status status = st_element_value(w->query->view, step->column, object, element, &w->operand->scratch,
                                            out, w->query->error);
    return st_query_note(w->query, status);
}

static bool walk_elements(const path_walk *w, uint32_t at, const st_stored_row *row) {
    st_step *step = &w->operand->steps[at];
    uint32_t column = step->kind == ST_STEP_KEYS ? 0 : st_element_columns(step->column) - 1;
    st_source source;
    if (!open_collection(w, step, row, &source)) return true;
    if (is_only_counted(w, at, source.count)) return false;
    for (uint64_t from = 0; from < source.count; from += ST_SOURCE_BATCH) {
        uint64_t count = source.count - from < ST_SOURCE_BATCH ? source.count - from : ST_SOURCE_BATCH;
        strata_status status = st_source_values(&source, column, from, count, step->batch.values, w->query->error);
        if (status != STRATA_OK) return fail(w, status);
        if (!st_query_step(w->query, (uint32_t)count)) return true;
        for (uint64_t i = 0; i < count; i++) {
            strata_value value;
            if (!load_element(w, step, source.object, &step->batch.values[i], &value)) return true;
            if (walk_value(w, at + 1, &value)) return true;
        }
    }
    return false;
}

/* The position of one element; false if there is none. */
static bool find_element(const path_walk *w, const st_step *step, const st_source *source, uint64_t *out) {
    if (step->kind == ST_STEP_ELEMENT) {
        uint64_t back = UINT64_C(0) - (uint64_t)step->position;
        bool from_end = step->position < 0;
        *out = from_end ? source->count - back : (uint64_t)step->position;
        return from_end ? back <= source->count : *out < source->count;
    }
    strata_value key = strata_string(step->key.data, step->key.size);
    strata_status status = st_source_search(source, &key, out, w->query->error);
    return st_query_note(w->query, status);
}

static bool walk_element(const path_walk *w, uint32_t at, const st_stored_row *row) {
    st_step *step = &w->operand->steps[at];
    strata_value element, value = strata_null();
    st_source source;
    uint64_t position;
    if (!open_collection(w, step, row, &source)) return true;
    if (find_element(w, step, &source, &position)) {
        strata_status status = st_source_values(&source, st_element_columns(step->column) - 1, position, 1, &element,
                                                w->query->error);
        if (status != STRATA_OK) return fail(w, status);
        if (!load_element(w, step, source.object, &element, &value)) return true;
    }
    return w->query->status != STRATA_OK || walk_value(w, at + 1, &value);
}

/* ---- Backlinks -------------------------------------------------------- */

static bool walk_backlinks(const path_walk *w, uint32_t at, const st_stored_row *row) {
    st_step *step = &w->operand->steps[at];
    const st_column *column = step->column;
    st_txn *txn = w->query->view->txn;
    strata_error *error = w->query->error;
    uint8_t number[8];
    uint64_t key = strata_block_key(row->block, row->slot), count;
    st_posting_set set = { ST_LINKS, column->link_id };
    st_posting_range range =
        st_links_range(number, column->type == STRATA_MIXED ? st_mixed_target(step->linked, key) : key);
    strata_status status = STRATA_OK;
    if (w->count != NULL && at + 1 == w->end) {
        status = st_postings_count(txn, set, &range, &count, error);
        *w->count += count;
        return status != STRATA_OK && fail(w, status);
    }
    status = st_posting_cursor_begin(txn, set, &range, false, &step->cursor, error);
    size_t got = ST_SOURCE_BATCH;
    while (got == ST_SOURCE_BATCH && status == STRATA_OK) {
        status = st_posting_cursor_keys(step->cursor, step->batch.keys, ST_SOURCE_BATCH, &got, error);
        w->query->stats.entries_visited += got;
        if (!st_query_step(w->query, (uint32_t)got)) return true;
        for (size_t i = 0; i < got && status == STRATA_OK; i++) {
            strata_value value = strata_link(step->batch.keys[i]);
            if (walk_value(w, at + 1, &value)) return true;
        }
    }
    return status != STRATA_OK && fail(w, status);
}

/* ---- Inside of mixed values ------------------------------------------- */

/* One entry or element of a nested value; null if there is none. False after a failure. */
static bool find_inner(const path_walk *w, const st_step *step, strata_nested_iterator *it, strata_value *out) {
    strata_bytes key;
    int64_t position = step->position;
    strata_status status;
    *out = strata_null();
    if (it->kind != (step->kind == ST_STEP_INNER_ENTRY ? STRATA_MAP : STRATA_LIST)) return true;
    if (position < 0) position += it->count;
    while ((status = strata_nested_next(it, &key, out)) == STRATA_OK) {
        if (it->kind == STRATA_MAP ? st_compare(key, step->key) == 0 : position-- == 0) return true;
    }
    *out = strata_null();
    if (status == STRATA_END) return true;
    (void)fail_damaged(w, step);
    return false;
}

static bool walk_inside(const path_walk *w, uint32_t at, const strata_value *value) {
    const st_step *step = &w->operand->steps[at];
    strata_nested_iterator it;
    strata_value entry = strata_null();
    bool each = step->kind == ST_STEP_INNER_EACH;
    if (value->type != STRATA_NESTED) return !each && walk_value(w, at + 1, &entry);
    if (strata_nested_open(value->as.bytes, &it, NULL) != STRATA_OK) return fail_damaged(w, step);
    if (!st_query_step(w->query, it.count)) return true;
    if (!each) return !find_inner(w, step, &it, &entry) || walk_value(w, at + 1, &entry);
    if (is_only_counted(w, at, it.count)) return false;
    strata_status status;
    while ((status = strata_nested_next(&it, NULL, &entry)) == STRATA_OK) {
        if (walk_value(w, at + 1, &entry)) return true;
    }
    return status != STRATA_END && fail_damaged(w, step);
}

/* ---- Cells ------------------------------------------------------------ */

static bool load_cell(st_query *query, st_operand *operand, st_step *step, const st_stored_row *row,
                      strata_value *out) {
    const st_vector *vector = st_step_vector(query, step, row);
    return vector != NULL && st_query_value(query, step->column, vector, row->slot, &operand->scratch, out);
}

bool st_operand_value(st_query *query, st_operand *operand, const st_stored_row *row, strata_value *out) {
    return load_cell(query, operand, &operand->steps[0], row, out);
}

/* ---- The whole -------------------------------------------------------- */

/* Goes on from an object. */
static bool walk_link(const path_walk *w, uint32_t at, uint64_t key) {
    st_stored_row row;
    strata_status status = st_query_find(w->query, w->operand->steps[at - 1].target, key, &row);
    if (status < 0) return fail(w, status);
    if (status == STRATA_OK) {
        w->query->stats.rows_visited++;
        return walk_object(w, at, &row);
    }
    strata_value none = strata_null();
    return !w->operand->many && w->visit(w->context, &none);
}

/* The same, if it may be that this object has been met before. Every step leads further along the path, so that what is
 * known of an object never depends on a walk that is still going on. */
static bool walk_link_again(const path_walk *w, uint32_t at, uint64_t key) {
    st_answers *answers = &w->operand->steps[at].answers;
    st_answer answer = st_answers_find(answers, key);
    if (answer != ST_UNKNOWN) return answer == ST_YES;
    bool ended = walk_link(w, at, key);
    if (w->query->status != STRATA_OK) return true;
    if (!st_answers_note(answers, key, ended ? ST_YES : ST_NO)) {
        (void)st_query_no_memory(w->query, "walking a path");
        return true;
    }
    return ended;
}

/* Goes on from a value that the first `at` steps lead to. */
static bool walk_value(const path_walk *w, uint32_t at, const strata_value *value) {
    if (at == w->end) return w->visit(w->context, value) || w->query->status != STRATA_OK;
    const st_step *step = &w->operand->steps[at];
    if (step->kind >= ST_STEP_INNER_EACH) return walk_inside(w, at, value);
    if (value->type == STRATA_LINK) {
        if (!st_query_step(w->query, 1)) return true;
        return step->revisited && w->kind != ST_VISIT_EACH ? walk_link_again(w, at, value->as.link)
                                                           : walk_link(w, at, value->as.link);
    }
    strata_value none = strata_null();
    return !w->operand->many && w->visit(w->context, &none);
}

static bool walk_object(const path_walk *w, uint32_t at, const st_stored_row *row) {
    st_step *step = &w->operand->steps[at];
    strata_value value;
    switch (step->kind) {
    case ST_STEP_ELEMENTS:
    case ST_STEP_KEYS: return walk_elements(w, at, row);
    case ST_STEP_ENTRY:
    case ST_STEP_ELEMENT: return walk_element(w, at, row);
    case ST_STEP_BACKLINKS: return walk_backlinks(w, at, row);
    case ST_STEP_VALUE: return !st_query_step(w->query, 1) || walk_value(w, at + 1, w->query->value);
    case ST_STEP_SELF: value = strata_link(strata_block_key(row->block, row->slot)); break;
    default:
        if (!load_cell(w->query, w->operand, step, row, &value)) return true;
    }
    return walk_value(w, at + 1, &value);
}

bool st_path_walk(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row, st_visit kind,
                  st_visitor visit, void *context) {
    path_walk w = { .query = query, .operand = operand, .end = steps, .kind = kind, .visit = visit,
                    .context = context };
    for (uint32_t i = 0; i < steps && kind == ST_VISIT_ANY; i++) st_answers_forget(&operand->steps[i].answers);
    return walk_object(&w, 0, row);
}

uint64_t st_path_count(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row) {
    uint64_t count = 0;
    path_walk w = { .query = query, .operand = operand, .end = steps, .count = &count };
    (void)walk_object(&w, 0, row);
    return count;
}
