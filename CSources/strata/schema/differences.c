/* SPDX-License-Identifier: MIT
 * differences.c -- the list of what separates a file from a declaration, and what each difference costs. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/sized.h"
#include "base/status.h"
#include "predicate/suggestion.h"
#include "schema/check.h"
#include "schema/compare.h"
#include "schema/rows.h"
#include "schema/spec.h"
#include "schema/zeros.h"
#include "strata_migration.h"
#include "table/table_state.h"

struct strata_differences {
    strata_difference *list;
    size_t count, capacity;
    st_arena names;
    bool *proposed; /* for each: whether it is an added column that was proposed for a removed one */
    bool no_memory;
};

/* ---- Collecting ------------------------------------------------------- */

static const char *copy_name(strata_differences *all, const char *name) {
    if (name == NULL) return NULL;
    size_t size = strlen(name) + 1;
    char *copy = st_arena_alloc(&all->names, size);
    if (copy == NULL) all->no_memory = true;
    else memcpy(copy, name, size);
    return copy;
}

static void collect(void *context, const strata_difference *difference) {
    strata_differences *all = context;
    if (!st_array_grow((void **)&all->list, &all->capacity, all->count, sizeof *all->list)) {
        all->no_memory = true;
        return;
    }
    strata_difference *copy = &all->list[all->count++];
    *copy = *difference;
    copy->table = copy_name(all, difference->table);
    copy->column = copy_name(all, difference->column);
    copy->stored = copy_name(all, difference->stored);
    copy->declared = copy_name(all, difference->declared);
}

/* ---- Proposals -------------------------------------------------------- */

static bool may_be_renamed(const strata_difference *removed, const strata_difference *added) {
    return added->kind == STRATA_COLUMN_ADDED && strcmp(added->table, removed->table) == 0 &&
           strcmp(added->declared, removed->stored) == 0;
}

/* An added column is proposed for one removed column only. */
static bool is_left_for(const strata_differences *all, const strata_difference *removed, size_t added) {
    return !all->proposed[added] && may_be_renamed(removed, &all->list[added]);
}

/* Finds an added column of the type of a removed one, and of a similar name. */
static bool find_similar(const strata_differences *all, const strata_difference *removed, size_t *out) {
    st_suggestion similar = st_suggestion_begin((strata_bytes){ removed->column, strlen(removed->column) });
    for (size_t i = 0; i < all->count; i++) {
        if (!is_left_for(all, removed, i)) continue;
        st_suggestion_consider(&similar, all->list[i].column);
        if (similar.best == all->list[i].column) *out = i;
    }
    return similar.best != NULL;
}

/* Finds the only one of its type that is left, if the removed one is the only one that is left, too. */
static bool find_only(const strata_differences *all, const strata_difference *removed, size_t *out) {
    uint32_t added = 0, others = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!is_left_for(all, removed, i)) continue;
        *out = i;
        added++;
    }
    for (size_t i = 0; i < all->count && added == 1; i++) {
        const strata_difference *other = &all->list[i];
        others += other->kind == STRATA_COLUMN_REMOVED && other->renamed == NULL &&
                  may_be_renamed(other, &all->list[*out]);
    }
    return added == 1 && others == 1;
}

static void propose(strata_differences *all,
                    bool (*find)(const strata_differences *all, const strata_difference *removed, size_t *out)) {
    size_t added = 0;
    for (size_t i = 0; i < all->count; i++) {
        strata_difference *removed = &all->list[i];
        if (removed->kind != STRATA_COLUMN_REMOVED || removed->renamed != NULL) continue;
        if (!find(all, removed, &added)) continue;
        removed->renamed = all->list[added].column;
        all->proposed[added] = true;
    }
}

/* ---- Marks ------------------------------------------------------------ */

/* Whether as many objects as a table has can have a primary key. A new one, and one of another type, is zero in all. */
static strata_status mark_primary(strata_view *view, uint32_t number, bool is_retyped, strata_difference *difference,
                                  strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    uint32_t column = difference->stored == NULL || is_retyped ? ST_NONE : st_table_find(table, difference->column);
    strata_status status = STRATA_OK;
    bool found = difference->objects > 1;
    if (column != ST_NONE) status = st_schema_find_duplicate(view, table, number, column, &found, error);
    if (status == STRATA_OK && found) difference->mark = STRATA_DIFFERENCE_NEEDS_CODE;
    return status;
}

static strata_status mark_embedded(strata_view *view, uint32_t number, strata_difference *difference,
                                   strata_error *error) {
    strata_status status = st_schema_check_owners(view, view->catalog, number, error);
    if (status != STRATA_SCHEMA_MISMATCH) return status;
    difference->mark = STRATA_DIFFERENCE_NEEDS_CODE;
    return STRATA_OK;
}

static strata_status mark_nullable(strata_view *view, uint32_t number, strata_difference *difference,
                                   strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    bool found;
    strata_status status =
        st_schema_find_zeros(view, table, number, st_table_find(table, difference->column), &found, error);
    if (found) difference->mark = STRATA_DIFFERENCE_REWRITES;
    return status;
}

/* `is_retyped`: the values of the column do not stay. */
static strata_status mark(strata_view *view, strata_difference *difference, bool is_retyped, strata_error *error) {
    st_table_state state;
    uint32_t number = st_catalog_find(view->catalog, difference->table);
    if (number == ST_NONE) return STRATA_OK;
    strata_status status = st_table_state_load(view->txn, number, &state, error);
    if (status != STRATA_OK) return status;
    difference->objects = state.rows;
    if (state.rows == 0) return STRATA_OK;
    switch (difference->kind) {
    case STRATA_COLUMN_REMOVED:
    case STRATA_COLUMN_RETYPED: difference->mark = STRATA_DIFFERENCE_LOSES; return STRATA_OK;
    case STRATA_COLUMN_NULLABLE_NOW: return mark_nullable(view, number, difference, error);
    case STRATA_COLUMN_PRIMARY_NOW: return mark_primary(view, number, is_retyped, difference, error);
    case STRATA_TABLE_EMBEDDED_NOW: return mark_embedded(view, number, difference, error);
    default: return STRATA_OK;
    }
}

/* ---- The list --------------------------------------------------------- */

/* Whether the difference before this one says that the same column has another type. */
static bool is_retyped(const strata_differences *all, size_t position) {
    if (position == 0 || all->list[position - 1].kind != STRATA_COLUMN_RETYPED) return false;
    const strata_difference *before = &all->list[position - 1], *this = &all->list[position];
    return this->column != NULL && strcmp(before->table, this->table) == 0 &&
           strcmp(before->column, this->column) == 0;
}

static strata_status find(strata_view *view, const strata_table_spec *tables, uint32_t count, strata_differences *all,
                          strata_error *error) {
    strata_status status = st_schema_check(view->catalog, tables, count, error);
    if (status != STRATA_OK) return status;
    st_schema_visit(view->catalog, tables, count, collect, all);
    if (!all->no_memory && all->count != 0) all->proposed = calloc(all->count, sizeof *all->proposed);
    if (all->no_memory || (all->count != 0 && all->proposed == NULL)) return st_no_memory(error, "comparing schemas");
    propose(all, find_similar);
    propose(all, find_only);
    for (size_t i = 0; i < all->count && status == STRATA_OK; i++)
        status = mark(view, &all->list[i], is_retyped(all, i), error);
    return status;
}

strata_status strata_differences_find_sized(strata_view *view, const strata_table_spec *tables, uint32_t count,
                                            const strata_spec_sizes *sizes, strata_differences **out,
                                            strata_error *error) {
    st_arena memory = { 0 };
    *out = NULL;
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK && view->writes != NULL)
        status = st_fail(error, STRATA_WRITING, 0, "schemas are compared inside a write transaction; end that first");
    if (status == STRATA_OK) status = st_specs_read(&memory, tables, count, sizes, &tables, error);
    if (status == STRATA_OK) {
        strata_differences *all = calloc(1, sizeof *all);
        status = all == NULL ? st_no_memory(error, "comparing schemas") : find(view, tables, count, all, error);
        if (status == STRATA_OK) *out = all;
        else strata_differences_free(all);
    }
    st_arena_free(&memory);
    return status;
}

uint32_t strata_differences_count(const strata_differences *differences) {
    return differences == NULL ? 0 : (uint32_t)differences->count;
}

strata_status strata_differences_get_sized(const strata_differences *differences, uint32_t position,
                                           strata_difference *out, size_t size) {
    static const strata_difference none;
    bool found = position < strata_differences_count(differences);
    st_sized_write(out, size, found ? &differences->list[position] : &none, sizeof none);
    if (differences == NULL) return STRATA_MISUSE;
    return found ? STRATA_OK : STRATA_NOT_FOUND;
}

void strata_differences_free(strata_differences *differences) {
    if (differences == NULL) return;
    st_arena_free(&differences->names);
    free(differences->list);
    free(differences->proposed);
    free(differences);
}
