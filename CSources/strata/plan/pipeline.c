/* SPDX-License-Identifier: MIT
 * pipeline.c -- the stages of a query, checked and made into pipelines. */
#include "plan/pipeline.h"

#include "base/arena.h"
#include "base/status.h"
#include "condition/key_reader.h"
#include "value/mixed.h"

static strata_status no_memory(st_query *query) { return st_no_memory(query->error, "compiling a query"); }

/* ---- Checks ----------------------------------------------------------- */

static strata_status check_stage(st_query *query, const strata_stage *stage) {
    st_key_reader reader;
    bool sort = stage->kind == STRATA_STAGE_SORT;
    if (stage->kind == STRATA_STAGE_LIMIT) return STRATA_OK;
    if (!sort && stage->kind != STRATA_STAGE_DISTINCT) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%d is no stage of a query", (int)stage->kind);
    }
    const char *what = sort ? "sort" : "distinct";
    if (stage->key_count != 0 && stage->keys == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a %s has %u keys without an address", what, stage->key_count);
    }
    if (stage->key_count > STRATA_MAX_SORT_KEYS) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a %s has %u keys; there may be %d", what, stage->key_count,
                       STRATA_MAX_SORT_KEYS);
    }
    for (uint32_t i = 0; i < stage->key_count; i++) {
        strata_status status = st_key_reader_make(query, what, stage->keys[i].path, stage->keys[i].path_length,
                                             sort ? 0 : ST_KEY_READER_LINKS, &reader);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

static strata_status check_bookmark_value(st_query *query, const strata_sort *sort, const strata_value *value) {
    st_key_reader reader;
    strata_status status = st_key_reader_make(query, "sort", sort->path, sort->path_length, 0, &reader);
    bool nothing = value->type == STRATA_LINK && value->as.link == 0; /* a link on the path is null */
    if (status != STRATA_OK || value->type == STRATA_NULL || (nothing && sort->path_length > 1)) return status;
    if (st_mixed_lacks_bytes(value))
        return st_fail(query->error, STRATA_MISUSE, 0, "%s, which a query is ordered by: its bookmark has bytes without "
                       "an address", reader.column->name);
    if (!nothing && (value->type == reader.column->type || reader.column->type == STRATA_MIXED)) return STRATA_OK;
    const char *type = st_type_name(reader.column->type), *other = st_type_name(value->type);
    return st_fail(query->error, STRATA_TYPE, 0, "%s, which a query is ordered by, is %s %s; its bookmark has %s %s",
                   reader.column->name, st_article(type), type, st_article(other), other);
}

/* A bookmark needs values that fit the only sort, and at most a limit behind that sort. */
static strata_status check_bookmark(st_query *query, const st_pipelines *pipelines, uint32_t sorts) {
    const strata_bookmark *after = query->spec->after;
    const st_pipeline *first = &pipelines->items[0], *last = &pipelines->items[pipelines->count - 1];
    if (after == NULL) return STRATA_OK;
    bool simple = pipelines->count == 1 || first->filter_count == 0;
    if (query->spec->source != STRATA_SOURCE_TABLE || sorts > 1 || !simple || last->filter_count > 1 ||
        (last->filter_count == 1 && last->filters[0].distinct)) {
        return st_fail(query->error, STRATA_MISUSE, 0,
                       "a query on %s goes on behind a bookmark; it takes all of a table, one sort and one limit",
                       query->table->name);
    }
    if (after->value_count != 0 && after->values == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a bookmark has %u values without an address",
                       after->value_count);
    }
    if (after->value_count != first->sort_count) {
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

/* Does the order of the rows in front of stage `from` change what the query returns? */
static bool order_matters(const strata_query *spec, uint32_t from, st_purpose purpose) {
    bool filtered = false;
    if (purpose == ST_FOR_KEYS) return true;
    for (uint32_t i = from; i < spec->stage_count; i++) {
        const strata_stage *stage = spec->stages + i;
        if (stage->kind == STRATA_STAGE_SORT) continue;
        if (stage->kind == STRATA_STAGE_DISTINCT && filtered) return true; /* it depends on which rows are left */
        filtered = true;
    }
    return purpose == ST_FOR_GROUPS && filtered;
}

/* ---- Pipelines -------------------------------------------------------- */

/* Adds a sort at the end of a pipeline: its keys come before those that the rows were sorted by until now. */
static strata_status add_sort(st_query *query, st_pipeline *pipeline, const strata_stage *stage) {
    if (pipeline->sort_count == 0) {
        pipeline->sorts = stage->keys;
        pipeline->sort_count = stage->key_count;
        return STRATA_OK;
    }
    uint32_t count = stage->key_count + pipeline->sort_count;
    if (count > STRATA_MAX_SORT_KEYS) {
        return st_fail(query->error, STRATA_MISUSE, 0, "the sorts of a query have %u keys together; there may be %d",
                       count, STRATA_MAX_SORT_KEYS);
    }
    strata_sort *sorts = st_arena_alloc(&query->memory, count * sizeof *sorts);
    if (sorts == NULL) return no_memory(query);
    memcpy(sorts, stage->keys, stage->key_count * sizeof *sorts);
    memcpy(sorts + stage->key_count, pipeline->sorts, pipeline->sort_count * sizeof *sorts);
    pipeline->sorts = sorts;
    pipeline->sort_count = count;
    return STRATA_OK;
}

strata_status st_pipelines_make(st_query *query, st_purpose purpose, st_pipelines *out) {
    const strata_query *spec = query->spec;
    uint32_t sorts = 0;
    if (spec->stage_count != 0 && spec->stages == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a query has %u stages without an address", spec->stage_count);
    }
    if (spec->stage_count > STRATA_MAX_STAGES) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a query has %u stages; there may be %d", spec->stage_count,
                       STRATA_MAX_STAGES);
    }
    *out = (st_pipelines){ .count = 1 };
    out->items = st_arena_alloc(&query->memory, (spec->stage_count + 1) * sizeof *out->items);
    st_stage_filter *filters = st_arena_alloc(&query->memory, (spec->stage_count + 1) * sizeof *filters);
    if (out->items == NULL || filters == NULL) return no_memory(query);
    out->items[0] = (st_pipeline){ .filters = filters };
    for (uint32_t i = 0; i < spec->stage_count; i++) {
        const strata_stage *stage = spec->stages + i;
        st_pipeline *last = &out->items[out->count - 1];
        strata_status status = check_stage(query, stage);
        if (status != STRATA_OK) return status;
        if (stage->kind != STRATA_STAGE_SORT) {
            if (last->sort_count != 0) {
                out->items[out->count++] = (st_pipeline){ .filters = last->filters + last->filter_count };
                last++;
            }
            last->filters[last->filter_count++] = (st_stage_filter){ stage, stage->kind == STRATA_STAGE_DISTINCT };
            continue;
        }
        sorts++;
        if (stage->key_count == 0 || (!order_matters(spec, i, purpose) && spec->after == NULL)) continue;
        status = add_sort(query, last, stage);
        if (status != STRATA_OK) return status;
    }
    st_pipeline *last = &out->items[out->count - 1];
    if (last->sort_count != 0) {
        out->items[out->count++] = (st_pipeline){ .filters = last->filters + last->filter_count };
    }
    return check_bookmark(query, out, sorts);
}

uint64_t st_pipeline_wants(const st_pipeline *pipeline) {
    uint64_t wanted = UINT64_MAX;
    for (uint32_t i = pipeline->filter_count; i-- > 0;) {
        const strata_stage *stage = pipeline->filters[i].stage;
        if (pipeline->filters[i].distinct) {
            wanted = wanted == 0 ? 0 : UINT64_MAX; /* nobody knows how many agree */
            continue;
        }
        if (wanted > stage->limit) wanted = stage->limit;
        if (wanted != 0) wanted = wanted > UINT64_MAX - stage->skip ? UINT64_MAX : wanted + stage->skip;
    }
    return wanted;
}
