/* SPDX-License-Identifier: MIT
 * match.c -- does a row meet a test? One row at a time. */
#include "base/status.h"
#include "condition/operand.h"
#include "condition/region.h"
#include "table/blob.h"

static void fail_folding(st_query *query) {
    st_query_fail(query, st_no_memory(query->error, "comparing without case"));
}

/* ---- Cells ------------------------------------------------------------ */

static bool match_bytes(st_query *query, const st_demand *demand, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    bool none = false;
    if (vector->large != NULL && st_bit(vector->large, slot) && st_vector_bytes(vector, slot, &bytes) &&
        bytes.size == ST_REFERENCE && !st_demand_size_may_do(demand, (size_t)st_blob_load(bytes).size)) {
        return false;
    }
    if (!st_query_bytes(query, vector, slot, &bytes)) return false;
    bool met = st_demand_bytes(demand, bytes, &query->folded, &none);
    if (none) fail_folding(query);
    return met;
}

static bool match_mixed(st_query *query, const st_demand *demand, const st_vector *vector, uint32_t slot) {
    strata_value value;
    bool none = false;
    if (!st_query_mixed(query, vector, slot, &value)) return false;
    bool met = st_demand_mixed(demand, &value, &query->folded, &none);
    if (none) fail_folding(query);
    return met;
}

static bool match_decimal(st_query *query, const st_demand *demand, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    return st_query_bytes(query, vector, slot, &bytes) && st_demand_decimal(demand, bytes.data);
}

bool st_query_match_cell(st_query *query, const st_test *test, const st_vector *vector, uint32_t slot) {
    const st_demand *demand = &test->demand;
    if (st_vector_null(vector, slot)) return st_demand_null(demand);
    if (demand->kind == ST_KIND_BYTES) return match_bytes(query, demand, vector, slot);
    if (demand->kind == ST_KIND_MIXED) return match_mixed(query, demand, vector, slot);
    if (demand->kind == ST_KIND_DECIMAL) return match_decimal(query, demand, vector, slot);
    if (demand->kind == ST_KIND_REAL) return st_demand_real(demand, st_vector_real(vector, slot));
    int64_t value = st_vector_int(vector, slot);
    if (test->left->type == STRATA_LINK && value == 0) return st_demand_null(demand);
    return st_demand_int(demand, value);
}

/* ---- Values ----------------------------------------------------------- */

typedef struct constants {
    st_query *query;
    const st_demand *demand;
} constants;

static bool meets_constants(void *context, const strata_value *value) {
    const constants *c = context;
    bool none = false;
    bool met = st_demand_value(c->demand, value, &c->query->folded, &none);
    if (none) fail_folding(c->query);
    return met;
}

static bool match_constants(st_query *query, const st_test *test, const st_place *place) {
    constants c = { query, &test->demand };
    st_operand *left = test->left;
    if (left->aggregate != STRATA_EACH_VALUE) {
        strata_value total = st_operand_total(query, left, test->counted, place);
        return query->status == STRATA_OK && meets_constants(&c, &total);
    }
    return st_path_walk(query, left, left->step_count, place, meets_constants, &c) && query->status == STRATA_OK;
}

/* The same for a cell of a column of the row's own, without making a value of it. */
static bool match_column(st_query *query, const st_test *test, const st_place *place) {
    const st_vector *vector = st_step_vector(query, test->left->steps, place);
    return vector != NULL && st_query_match_cell(query, test, vector, place->slot);
}

static bool match_comparison(st_query *query, const st_test *test, const st_place *place) {
    if (test->region != NULL) return st_region_match(query, test, place);
    if (test->right != NULL) return st_pair_match(query, test, place);
    return st_operand_column(test->left) == ST_NONE ? match_constants(query, test, place)
                                                    : match_column(query, test, place);
}

bool st_query_match(st_query *query, const st_test *test, const st_place *place) {
    switch (test->op) {
    case STRATA_TRUE: return true;
    case STRATA_FALSE: return false;
    case STRATA_NOT: return !st_query_match(query, test->children[0], place);
    case STRATA_AND:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (!st_query_match(query, test->children[i], place)) return false;
        }
        return true;
    case STRATA_OR:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (st_query_match(query, test->children[i], place)) return true;
        }
        return false;
    default: return match_comparison(query, test, place);
    }
}
