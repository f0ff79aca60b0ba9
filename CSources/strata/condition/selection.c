/* SPDX-License-Identifier: MIT
 *
 * selection.c -- the condition over all rows of a block at once.
 *
 * Each test fills a selection mask, and AND, OR and NOT combine masks. Cheap tests look at all rows, in loops without
 * branches. Expensive ones look only at the active rows: those for which the other tests have not decided already.
 */
#include "condition/selection.h"

#include <stdlib.h>

#include "base/status.h"
#include "condition/match.h"
#include "condition/selection_bytes.h"
#include "condition/selection_numbers.h"
#include "condition/step.h"
#include "condition/value.h"

/* ---- One comparison --------------------------------------------------- */

/* Negates the mask if the comparison is negated, and gives nulls their own answer. */
static void finish(const st_comparison *comparison, const st_vector *v, uint8_t *out) {
    uint8_t answer = st_comparison_null(comparison);
    if (comparison->negate) {
        for (uint32_t i = 0; i < v->rows; i++) out[i] ^= 1;
    }
    if (v->nulls == NULL) return;
    for (uint32_t byte = 0; byte < (v->rows + 7) / 8; byte++) {
        for (unsigned bits = v->nulls[byte]; bits != 0; bits &= bits - 1) {
            uint32_t row = 8 * byte + (uint32_t)__builtin_ctz(bits);
            if (row < v->rows) out[row] = answer;
        }
    }
}

static void fail_damaged(st_query *query) {
    st_query_fail(query, st_fail(query->error, STRATA_CORRUPT, 0, "a block of %s is damaged", query->table->name));
}

/* A column against constants. False if this comparison has to go row by row. */
static bool fill_fast(st_query *query, const st_test *test, const st_vector *v, uint8_t *out) {
    const st_comparison *c = &test->comparison;
    bool damaged = false, filled = false;
    if (c->kind == ST_KIND_BYTES) filled = st_select_bytes(c, v, &query->folded, out, &damaged);
    else if (c->kind == ST_KIND_INT || c->kind == ST_KIND_REAL) filled = st_select_numbers(c, v, out);
    if (damaged) fail_damaged(query);
    if (filled) finish(c, v, out);
    return filled;
}

static bool open_column(st_query *query, const st_stored_row *block, uint32_t column, st_vector *out) {
    if (!st_query_vector(query, block->block, block->size, &query->table->columns[column], out)) return false;
    st_vector_prefetch(out);
    return true;
}

/* Two columns of numbers. False if this comparison has to go row by row. */
static bool fill_pair(st_query *query, const st_test *test, const st_stored_row *block, uint8_t *out) {
    uint32_t left = st_operand_column(test->left), right = st_operand_column(test->right);
    st_vector a, b;
    if (left == ST_NONE || right == ST_NONE || test->kind > ST_KIND_REAL) return false;
    return open_column(query, block, left, &a) && open_column(query, block, right, &b) &&
           st_select_pair(test->kind, test->op, &a, &b, out);
}

/* SELF against constants: the rows are compared by their keys. */
static void fill_self(const st_comparison *comparison, const uint8_t *block, uint32_t rows, uint8_t *out) {
    for (uint32_t i = 0; i < rows; i++) out[i] = st_comparison_int(comparison, (int64_t)strata_block_key(block, i));
}

enum { ROWS_PER_STEP = 16 /* that are compared at once */ };

/* Matching a long pattern may take a step for 64 bytes of it and as many bytes of the values: see like.h. */
static uint32_t steps_of_pattern(const st_comparison *comparison, const st_stored_row *block) {
    enum { BYTES_PER_STEP = 64 };
    size_t size = comparison->bytes.size < STRATA_MAX_SEGMENT ? comparison->bytes.size : STRATA_MAX_SEGMENT;
    if (comparison->op != STRATA_LIKE || size < BYTES_PER_STEP) return 0;
    return (uint32_t)(block->size / BYTES_PER_STEP * (size / BYTES_PER_STEP));
}

static void fill_comparison(st_query *query, const st_test *test, const st_stored_row *block, const uint8_t *active,
                            uint8_t *out) {
    uint32_t rows = strata_block_rows(block->block), column = ST_NONE;
    st_vector vector;
    uint32_t steps = test->right == NULL && test->within == NULL ? steps_of_pattern(&test->comparison, block) : 0;
    if (!st_query_step(query, rows / ROWS_PER_STEP + 1 + steps)) return;
    if (test->right != NULL) {
        if (fill_pair(query, test, block, out)) return;
    } else if (test->left->steps[0].kind == ST_STEP_SELF && test->within == NULL) {
        fill_self(&test->comparison, block->block, rows, out);
        return;
    } else if (test->within == NULL && (column = st_operand_column(test->left)) != ST_NONE) {
        if (!open_column(query, block, column, &vector) || fill_fast(query, test, &vector, out)) return;
    }
    st_stored_row row = *block;
    for (uint32_t i = 0; i < rows && query->status == STRATA_OK; i++) {
        row.slot = i;
        out[i] = 0;
        if (active != NULL && !active[i]) continue;
        out[i] = column != ST_NONE ? st_query_match_cell(query, test, &vector, i)
                                   : st_query_match(query, test, &row);
    }
}

/* ---- The whole condition ---------------------------------------------- */

static bool any_set(const uint8_t *keep, uint32_t rows) {
    uint8_t any = 0;
    for (uint32_t i = 0; i < rows; i++) any |= keep[i];
    return any != 0;
}

/* Fills `out` for the active rows; NULL: all rows are active. What it has for other rows is not used. The masks number
 * `level` and above are free to be used. */
static void fill(st_query *query, const st_test *test, const st_stored_row *block, const uint8_t *active, uint8_t *out,
                 uint32_t level) {
    uint32_t rows = strata_block_rows(block->block);
    uint8_t *child = query->keep + (size_t)level * query->keep_size, *rest = child + query->keep_size;
    switch (test->op) {
    case STRATA_TRUE:
    case STRATA_FALSE: memset(out, test->op == STRATA_TRUE, rows); break;
    case STRATA_NOT:
        fill(query, test->children[0], block, active, out, level);
        for (uint32_t i = 0; i < rows; i++) out[i] ^= 1;
        break;
    case STRATA_AND:
        if (active == NULL) memset(out, 1, rows);
        else memcpy(out, active, rows);
        for (uint32_t c = 0; c < test->child_count && query->status == STRATA_OK; c++) {
            if (c > 0 && !any_set(out, rows)) break;
            fill(query, test->children[c], block, c == 0 ? active : out, child, level + 1);
            for (uint32_t i = 0; i < rows; i++) out[i] &= child[i];
        }
        break;
    case STRATA_OR:
        memset(out, 0, rows);
        if (active == NULL) memset(rest, 1, rows);
        else memcpy(rest, active, rows);
        for (uint32_t c = 0; c < test->child_count && query->status == STRATA_OK; c++) {
            if (c > 0 && !any_set(rest, rows)) break;
            fill(query, test->children[c], block, rest, child, level + 2);
            for (uint32_t i = 0; i < rows; i++) out[i] |= child[i] & rest[i];
            for (uint32_t i = 0; i < rows; i++) rest[i] &= (uint8_t)!out[i];
        }
        break;
    default: fill_comparison(query, test, block, active, out); break;
    }
}

uint8_t *st_query_select(st_query *query, const uint8_t *block, size_t size) {
    uint32_t rows = strata_block_rows(block);
    if (rows > query->keep_size) {
        size_t wanted = ((size_t)rows + 63) & ~(size_t)63;
        free(query->keep);
        query->keep = malloc(wanted * (query->keep_count + 1));
        query->keep_size = query->keep == NULL ? 0 : wanted;
        if (query->keep == NULL) {
            (void)st_query_no_memory(query, "running a query");
            return NULL;
        }
    }
    st_stored_row row = { block, size, 0 };
    uint8_t *keep = query->keep;
    if (query->condition == NULL) memset(keep, 1, rows);
    else fill(query, query->condition, &row, NULL, keep, 1);
    return query->status == STRATA_OK ? keep : NULL;
}
