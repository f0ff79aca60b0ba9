/* SPDX-License-Identifier: MIT
 * match.c -- does a row meet a test? One row at a time. */
#include "base/status.h"
#include "condition/operand.h"
#include "condition/within.h"
#include "table/blob.h"

static void fail_folding(st_query *query) {
    st_query_fail(query, st_no_memory(query->error, "comparing without case"));
}

/* ---- Cells ------------------------------------------------------------ */

static bool match_bytes(st_query *query, const st_comparison *comparison, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    bool none = false;
    if (vector->large != NULL && st_bit(vector->large, slot) && st_vector_bytes(vector, slot, &bytes) &&
        bytes.size == ST_REFERENCE && !st_comparison_size_fits(comparison, (size_t)st_blob_load(bytes).size)) {
        return false;
    }
    if (!st_query_bytes(query, vector, slot, &bytes)) return false;
    bool met = st_comparison_bytes(comparison, bytes, &query->folded, &none);
    if (none) fail_folding(query);
    return met;
}

static bool match_mixed(st_query *query, const st_comparison *comparison, const st_vector *vector, uint32_t slot) {
    strata_value value;
    bool none = false;
    if (!st_query_mixed(query, vector, slot, &value)) return false;
    bool met = st_comparison_mixed(comparison, &value, &query->folded, &none);
    if (none) fail_folding(query);
    return met;
}

static bool match_decimal(st_query *query, const st_comparison *comparison, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    return st_query_bytes(query, vector, slot, &bytes) && st_comparison_decimal(comparison, bytes.data);
}

bool st_query_match_cell(st_query *query, const st_test *test, const st_vector *vector, uint32_t slot) {
    const st_comparison *comparison = &test->comparison;
    if (st_vector_null(vector, slot)) return st_comparison_null(comparison);
    if (comparison->kind == ST_KIND_BYTES) return match_bytes(query, comparison, vector, slot);
    if (comparison->kind == ST_KIND_MIXED) return match_mixed(query, comparison, vector, slot);
    if (comparison->kind == ST_KIND_DECIMAL) return match_decimal(query, comparison, vector, slot);
    if (comparison->kind == ST_KIND_REAL) return st_comparison_real(comparison, st_vector_real(vector, slot));
    int64_t value = st_vector_int(vector, slot);
    if (test->left->type == STRATA_LINK && value == 0) return st_comparison_null(comparison);
    return st_comparison_int(comparison, value);
}

/* ---- Values ----------------------------------------------------------- */

typedef struct constants {
    st_query *query;
    const st_comparison *comparison;
} constants;

static bool meets_constants(void *context, const strata_value *value) {
    const constants *c = context;
    bool none = false;
    bool met = st_comparison_value(c->comparison, value, &c->query->folded, &none);
    if (none) fail_folding(c->query);
    return met;
}

static bool match_constants(st_query *query, const st_test *test, const st_stored_row *row) {
    constants c = { query, &test->comparison };
    st_operand *left = test->left;
    if (left->aggregate != STRATA_EACH_VALUE) {
        strata_value total = st_operand_total(query, left, test->counted, row);
        return query->status == STRATA_OK && meets_constants(&c, &total);
    }
    return st_path_walk(query, left, left->step_count, row, meets_constants, &c) && query->status == STRATA_OK;
}

/* The same for a cell of a column of the row's own, without making a value of it. */
static bool match_column(st_query *query, const st_test *test, const st_stored_row *row) {
    const st_vector *vector = st_step_vector(query, test->left->steps, row);
    return vector != NULL && st_query_match_cell(query, test, vector, row->slot);
}

static bool match_comparison(st_query *query, const st_test *test, const st_stored_row *row) {
    if (test->within != NULL) return st_within_match(query, test, row);
    if (test->right != NULL) return st_pair_match(query, test, row);
    return st_operand_column(test->left) == ST_NONE ? match_constants(query, test, row)
                                                    : match_column(query, test, row);
}

bool st_query_match(st_query *query, const st_test *test, const st_stored_row *row) {
    switch (test->op) {
    case STRATA_TRUE: return true;
    case STRATA_FALSE: return false;
    case STRATA_NOT: return !st_query_match(query, test->children[0], row);
    case STRATA_AND:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (!st_query_match(query, test->children[i], row)) return false;
        }
        return true;
    case STRATA_OR:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (st_query_match(query, test->children[i], row)) return true;
        }
        return false;
    default: return match_comparison(query, test, row);
    }
}
