/* SPDX-License-Identifier: MIT
 * result.c -- what becomes of the rows that a query finds. */
#include "query/result.h"

#include <stdlib.h>

#include "base/status.h"
#include "query/group.h"

/* ---- Beginning and end ------------------------------------------------ */

static strata_status begin_cutter(st_result *r, const st_cut *cut, st_cutter *out) {
    const strata_stage *stage = cut->stage;
    *out = (st_cutter){ .skip = stage->skip, .left = stage->limit };
    if (!cut->distinct) {
        if (stage->limit == 0) r->full = true;
        return STRATA_OK;
    }
    r->visits = true;
    st_reach *keys = st_arena_alloc(&r->query->memory, (stage->key_count + 1) * sizeof *keys);
    if (keys == NULL) return st_no_memory(r->query->error, "running a query");
    for (uint32_t i = 0; i < stage->key_count; i++) {
        strata_status status = st_reach_make(r->query, "distinct", stage->keys[i].path, stage->keys[i].path_length,
                                             ST_REACH_LINKS, &keys[i]);
        if (status != STRATA_OK) return status;
    }
    out->keys = keys;
    st_classes_begin(&out->classes, r->query, keys, stage->key_count);
    return STRATA_OK;
}

strata_status st_result_begin(st_result *r, st_query *query, const st_segment *segment, bool last,
                              st_purpose purpose, struct st_group *group, uint64_t wanted) {
    *r = (st_result){ .query = query };
    r->cutters = st_arena_alloc(&query->memory, (segment->cut_count + 1) * sizeof *r->cutters);
    if (r->cutters == NULL) return st_no_memory(query->error, "running a query");
    for (uint32_t i = 0; i < segment->cut_count; i++) {
        strata_status status = begin_cutter(r, &segment->cuts[i], &r->cutters[i]);
        if (status != STRATA_OK) return status;
        r->cutter_count++;
    }
    r->counting = last && purpose == ST_FOR_COUNT;
    r->group = last ? group : NULL;
    if (r->group != NULL) r->visits = r->visits || st_group_visits(r->group);
    r->sorting = segment->sort_count != 0;
    if (!r->sorting) return STRATA_OK;
    r->visits = true;
    if (wanted == 0) r->full = true;
    (void)st_order_begin(&r->order, query, segment->sorts, segment->sort_count, wanted == 0 ? 1 : wanted);
    return query->status;
}

void st_result_free(st_result *r) {
    for (uint32_t i = 0; i < r->cutter_count; i++) {
        if (r->cutters[i].keys != NULL) st_classes_free(&r->cutters[i].classes);
    }
    st_order_free(&r->order);
    free(r->keys);
    r->cutter_count = 0;
    r->keys = NULL;
}

bool st_result_room(st_result *r, size_t more) {
    if (more <= r->capacity - r->count) return true;
    size_t wanted = r->count + more, capacity = r->capacity < 32 ? 32 : 2 * r->capacity;
    if (capacity < wanted) capacity = wanted;
    uint64_t *keys = capacity > SIZE_MAX / 16 ? NULL : realloc(r->keys, capacity * sizeof *keys);
    if (keys == NULL) {
        st_query_fail(r->query, st_no_memory(r->query->error, "collecting a result"));
        return false;
    }
    r->keys = keys;
    r->capacity = capacity;
    return true;
}

/* ---- One row ---------------------------------------------------------- */

static bool pass_limit(st_result *r, st_cutter *cutter) {
    if (cutter->skip != 0) {
        cutter->skip--;
        return false;
    }
    if (cutter->left == 0) return false;
    if (--cutter->left == 0) r->full = true;
    return true;
}

static bool pass_cutters(st_result *r, const st_place *place) {
    for (uint32_t i = 0; i < r->cutter_count; i++) {
        st_cutter *cutter = &r->cutters[i];
        uint32_t number;
        bool passed;
        if (cutter->keys == NULL) passed = pass_limit(r, cutter);
        else if (!st_classes_find(&cutter->classes, place, false, &number, &passed)) passed = false;
        if (!passed) return false;
    }
    return true;
}

void st_result_take_row(st_result *r, const st_place *place, uint64_t key) {
    if (!pass_cutters(r, place)) return;
    if (r->sorting) st_order_add(&r->order, place, key);
    else if (r->group != NULL) st_group_add(r->group, place);
    else if (r->counting) r->count++;
    else if (st_result_room(r, 1)) r->keys[r->count++] = key;
}

/* ---- Many ------------------------------------------------------------- */

/* Limits alone: which of `count` rows pass them, as the first one and the number of the others. */
static size_t pass_many(st_result *r, size_t *count) {
    size_t from = 0;
    for (uint32_t i = 0; i < r->cutter_count; i++) {
        st_cutter *cutter = &r->cutters[i];
        size_t skipped = cutter->skip < *count ? (size_t)cutter->skip : *count;
        cutter->skip -= skipped;
        *count -= skipped;
        from += skipped;
        if (*count > cutter->left) *count = (size_t)cutter->left;
        cutter->left -= *count;
        if (cutter->left == 0) r->full = true;
    }
    return from;
}

void st_result_take_count(st_result *r, uint64_t count) {
    size_t passed = (size_t)count;
    (void)pass_many(r, &passed);
    if (r->group != NULL) st_group_add_count(r->group, passed);
    r->count += passed;
}

static void take_keys(st_result *r, const uint64_t *keys, size_t count) {
    if (r->counting || r->group != NULL) {
        st_result_take_count(r, count);
        return;
    }
    size_t from = pass_many(r, &count);
    if (count == 0 || !st_result_room(r, count)) return;
    memcpy(r->keys + r->count, keys + from, count * sizeof *keys);
    r->count += count;
}

static size_t count_mask(const uint8_t *mask, uint32_t rows) {
    size_t count = 0;
    for (uint32_t i = 0; i < rows; i++) count += mask[i];
    return count;
}

static void collect_block(st_result *r, const uint8_t *block, const uint8_t *mask) {
    uint32_t rows = strata_block_rows(block);
    if (!st_result_room(r, rows)) return;
    uint64_t *out = r->keys + r->count;
    size_t taken = 0;
    for (uint32_t i = 0; i < rows; i++) { /* always stored, kept if the mask says so */
        out[taken] = strata_block_key(block, i);
        taken += mask[i];
    }
    size_t from = pass_many(r, &taken);
    if (from != 0) memmove(out, out + from, taken * sizeof *out);
    r->count += taken;
}

void st_result_take_block(st_result *r, const uint8_t *block, size_t size, const uint8_t *mask) {
    uint32_t rows = strata_block_rows(block);
    if (r->cutter_count == 0 && r->sorting) {
        st_order_add_block(&r->order, block, size, mask);
    } else if (r->cutter_count == 0 && r->group != NULL) {
        st_group_add_block(r->group, block, size, mask);
    } else if (r->visits) {
        st_place place = { block, size, 0 };
        for (; place.slot < rows && !st_result_is_full(r); place.slot++) {
            if (mask[place.slot] != 0) st_result_take_row(r, &place, strata_block_key(block, place.slot));
        }
    } else if (r->counting || r->group != NULL) {
        st_result_take_count(r, count_mask(mask, rows));
    } else {
        collect_block(r, block, mask);
    }
}

void st_result_take(st_result *r, const st_test *rest, const uint64_t *keys, size_t count, bool may_lack) {
    st_query *query = r->query;
    if (rest == NULL && !r->visits && !may_lack) {
        take_keys(r, keys, count);
        return;
    }
    for (size_t i = 0; i < count && !st_result_is_full(r); i++) {
        st_place place;
        strata_status status = may_lack ? st_query_find(query, query->spec->table, keys[i], &place)
                                        : st_query_find_indexed(query, keys[i], &place);
        if (status == STRATA_NOT_FOUND) continue;
        if (status != STRATA_OK) {
            st_query_fail(query, status);
            return;
        }
        query->stats.rows_visited += rest != NULL || r->visits;
        if (rest == NULL || st_query_match(query, rest, &place)) st_result_take_row(r, &place, keys[i]);
    }
}
