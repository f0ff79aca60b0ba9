/* SPDX-License-Identifier: MIT
 * access_compound.c -- compound indexes as ways to objects. */
#include "plan/access_compound.h"

#include "plan/compound.h"
#include "write/index.h"

/* The ranges of the index that match the tests; the whole index if no test is matched. */
static st_access *access_of(st_query *query, const st_index *index, const st_compound *compound) {
    st_access *access = st_access_alloc(query, sizeof *access);
    if (access == NULL) return NULL;
    *access = (st_access){ .kind = ST_ACCESS_RANGES, .exact = true, .set = st_index_set(index), .table = query->table,
                           .index = index, .ranges = compound->ranges, .range_count = compound->range_count };
    if (compound->use_count != 0) access->points = compound->equal == index->column_count;
    if (compound->use_count != 0) return access;
    access->ranges = st_access_alloc(query, sizeof *access->ranges);
    access->range_count = 1;
    if (access->ranges == NULL) return NULL;
    access->ranges[0] = (st_posting_range){ .high_key = UINT64_MAX };
    return access;
}

/* Notes the tests that the ranges are made of. */
static bool note_tests(st_query *query, st_access *access, const st_compound *compound, st_test **tests,
                       st_test_set *covered, st_test_set *exact) {
    *covered = *exact = 0;
    for (uint32_t i = 0; i < compound->use_count; i++) {
        if (compound->uses[i] == ST_UNUSED) continue;
        *covered |= UINT64_C(1) << i;
        if (compound->uses[i] == ST_USED_EXACTLY) *exact |= UINT64_C(1) << i;
        else access->exact = false;
        access->label = st_tests_join(query, STRATA_AND, access->label, tests[i]);
        if (access->label == NULL) return false;
    }
    return true;
}

st_access *st_access_by_compound(st_query *query, const st_index *index, st_test **tests, uint32_t count,
                                 st_test_set *covered, st_test_set *exact, uint32_t *fixed,
                                 strata_value equal[STRATA_MAX_INDEX_COLUMNS]) {
    st_compound compound;
    *covered = *exact = 0;
    *fixed = 0;
    bool matched = st_compound_ranges(query, index, tests, count, &compound);
    if (query->status != STRATA_OK || (!matched && equal == NULL)) return NULL;
    if (!matched) compound = (st_compound){ .index = index };
    st_access *access = access_of(query, index, &compound);
    if (access == NULL || !note_tests(query, access, &compound, tests, covered, exact)) return NULL;
    *fixed = compound.equal;
    if (equal != NULL) memcpy(equal, compound.values, sizeof compound.values);
    return access;
}

uint32_t st_access_compound(st_query *query, st_test **tests, uint32_t count, st_access **out, st_test_set *covered,
                            st_test_set *exact, uint32_t room) {
    uint32_t found = 0, fixed;
    for (uint32_t i = 0; i < query->table->compound_count && found < room && query->status == STRATA_OK; i++) {
        out[found] = st_access_by_compound(query, &query->table->indexes[i], tests, count, &covered[found],
                                           &exact[found], &fixed, NULL);
        if (out[found] != NULL) found++;
    }
    return found;
}
