/* SPDX-License-Identifier: MIT
 * stage.c -- the stages of a query, checked and put in order. */
#include "plan/stage.h"

#include "base/status.h"
#include "condition/reach.h"

static strata_status no_memory(st_query *query) { return st_no_memory(query->error, "compiling a query"); }

/* ---- Checks ----------------------------------------------------------- */

static strata_status check_stage(st_query *query, const strata_stage *stage) {
    st_reach reach;
    bool sort = stage->kind == STRATA_STAGE_SORT;
    if (stage->kind == STRATA_STAGE_LIMIT) return STRATA_OK;
    if (!sort && stage->kind != STRATA_STAGE_DISTINCT) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%d is no stage of a query", (int)stage->kind);
    }
    const char *what = sort ? "sort" : "distinct";
    if (stage->key_count != 0 && stage->keys == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a %s has %u keys without an address", what, stage->key_count);
    }
    for (uint32_t i = 0; i < stage->key_count; i++) {
        strata_status status = st_reach_make(query, what, stage->keys[i].path, stage->keys[i].path_length,
                                             sort ? 0 : ST_REACH_LINKS, &reach);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

static strata_status check_bookmark_value(st_query *query, const strata_sort *sort, const strata_value *value) {
    st_reach reach;
    strata_status status = st_reach_make(query, "sort", sort->path, sort->path_length, 0, &reach);
    bool nothing = value->type == STRATA_LINK && value->as.link == 0; /* a link on the path is null */
    if (status != STRATA_OK || value->type == STRATA_NULL || (nothing && sort->path_length > 1)) return status;
    if (!nothing && (value->type == reach.column->type || reach.column->type == STRATA_MIXED)) return STRATA_OK;
    const char *type = st_type_name(reach.column->type), *other = st_type_name(value->type);
    return st_fail(query->error, STRATA_TYPE, 0, "%s, which a query is ordered by, is %s %s; its bookmark has %s %s",
                   reach.column->name, st_article(type), type, st_article(other), other);
}

/* The values fit the only sort, and nothing but one limit stands behind it. */
static strata_status check_bookmark(st_query *query, const st_stages *stages, uint32_t sorts) {
    const strata_bookmark *after = query->spec->after;
    const st_segment *first = &stages->segments[0], *last = &stages->segments[stages->count - 1];
    if (after == NULL) return STRATA_OK;
    bool simple = stages->count == 1 || first->cut_count == 0;
    if (query->spec->source != STRATA_SOURCE_TABLE || sorts > 1 || !simple || last->cut_count > 1 ||
        (last->cut_count == 1 && last->cuts[0].distinct)) {
        return st_fail(query->error, STRATA_MISUSE, 0,
                       "a query on %s goes on behind a bookmark; it takes all of a table, one sort and one limit",
                       query->table->name);
    }
    if (after->value_count != first->sort_count || (after->value_count != 0 && after->values == NULL)) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a bookmark has %u values for an order of %u keys",
                       after->value_count, first->sort_count);
    }
    if (after->key == 0 || after->key > ST_KEY_MAX) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a bookmark has the object key %llu, which no object has",
                       (unsigned long long)after->key);
    }
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < after->value_count && status == STRATA_OK; i++) {
        status = check_bookmark_value(query, first->sorts + i, after->values + i);
    }
    return status;
}

/* ---- Which sorts matter ----------------------------------------------- */

/* Does the order in which rows reach the stage at `from` change what is found? */
static bool order_matters(const strata_query *spec, uint32_t from, st_purpose purpose) {
    bool cut = false;
    if (purpose == ST_FOR_KEYS) return true;
    for (uint32_t i = from; i < spec->stage_count; i++) {
        const strata_stage *stage = spec->stages + i;
        if (stage->kind == STRATA_STAGE_SORT) continue;
        if (stage->kind == STRATA_STAGE_DISTINCT && cut) return true; /* how many agree depends on which are left */
        cut = true;
    }
    return purpose == ST_FOR_GROUPS && cut;
}

/* ---- Segments --------------------------------------------------------- */

/* The keys of a sort, before those of what the rows were sorted by until now. */
static strata_status add_sort(st_query *query, st_segment *segment, const strata_stage *stage) {
    if (segment->sort_count == 0) {
        segment->sorts = stage->keys;
        segment->sort_count = stage->key_count;
        return STRATA_OK;
    }
    uint32_t count = stage->key_count + segment->sort_count;
    strata_sort *sorts = st_arena_alloc(&query->memory, count * sizeof *sorts);
    if (sorts == NULL) return no_memory(query);
    memcpy(sorts, stage->keys, stage->key_count * sizeof *sorts);
    memcpy(sorts + stage->key_count, segment->sorts, segment->sort_count * sizeof *sorts);
    segment->sorts = sorts;
    segment->sort_count = count;
    return STRATA_OK;
}

strata_status st_stages_make(st_query *query, st_purpose purpose, st_stages *out) {
    const strata_query *spec = query->spec;
    uint32_t sorts = 0;
    if (spec->stage_count != 0 && spec->stages == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a query has %u stages without an address", spec->stage_count);
    }
    *out = (st_stages){ .count = 1 };
    out->segments = st_arena_alloc(&query->memory, (spec->stage_count + 1) * sizeof *out->segments);
    st_cut *cuts = st_arena_alloc(&query->memory, (spec->stage_count + 1) * sizeof *cuts);
    if (out->segments == NULL || cuts == NULL) return no_memory(query);
    out->segments[0] = (st_segment){ .cuts = cuts };
    for (uint32_t i = 0; i < spec->stage_count; i++) {
        const strata_stage *stage = spec->stages + i;
        st_segment *last = &out->segments[out->count - 1];
        strata_status status = check_stage(query, stage);
        if (status != STRATA_OK) return status;
        if (stage->kind != STRATA_STAGE_SORT) {
            if (last->sort_count != 0) {
                out->segments[out->count++] = (st_segment){ .cuts = last->cuts + last->cut_count };
                last++;
            }
            last->cuts[last->cut_count++] = (st_cut){ stage, stage->kind == STRATA_STAGE_DISTINCT };
            continue;
        }
        sorts++;
        if (stage->key_count == 0 || (!order_matters(spec, i, purpose) && spec->after == NULL)) continue;
        status = add_sort(query, last, stage);
        if (status != STRATA_OK) return status;
    }
    st_segment *last = &out->segments[out->count - 1];
    if (last->sort_count != 0) {
        out->segments[out->count++] = (st_segment){ .cuts = last->cuts + last->cut_count };
    }
    return check_bookmark(query, out, sorts);
}

uint64_t st_segment_wants(const st_segment *segment) {
    uint64_t wanted = UINT64_MAX;
    for (uint32_t i = segment->cut_count; i-- > 0;) {
        const strata_stage *stage = segment->cuts[i].stage;
        if (segment->cuts[i].distinct) {
            wanted = wanted == 0 ? 0 : UINT64_MAX; /* no telling how many agree */
            continue;
        }
        if (wanted > stage->limit) wanted = stage->limit;
        if (wanted != 0) wanted = wanted > UINT64_MAX - stage->skip ? UINT64_MAX : wanted + stage->skip;
    }
    return wanted;
}
