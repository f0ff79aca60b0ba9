/* SPDX-License-Identifier: MIT
 * facet.c -- the commonest values of a property, how many different ones there are, and how numbers are spread. */
#include "posting/postings_read.h"
#include "strata_facet.h"

#include <stdlib.h>

#include "base/sized.h"
#include "base/status.h"
#include "query/commonest.h"
#include "query/execution.h"
#include "query/groups_index.h"
#include "query/value_runs.h"

enum { MOST_TOLD = 1000, USUAL_DIFFERENT = 50000, MOST_BYTES = 16 << 20 };

typedef struct st_facet {
    strata_view *view;
    const strata_query *spec;
    strata_sort key;
    strata_facet_options options;
    strata_error *error;
    st_commonest commonest;
    uint64_t different;
    bool too_many;
    bool spread;            /* a histogram is wanted, and the property has one */
    st_histogram histogram;
} st_facet;

static strata_status no_memory(const st_facet *f) { return st_no_memory(f->error, "counting values"); }

/* ---- Values told apart in memory -------------------------------------- */

static void add_number(st_facet *f, const strata_value *value, uint64_t count) {
    if (f->spread && value->type != STRATA_NULL) {
        st_histogram_add(&f->histogram, st_key_reader_number_of(value), count);
    }
}

static strata_status count_spread(st_facet *f) {
    return !f->spread || st_histogram_count(&f->histogram, f->options.most_bins) ? STRATA_OK : no_memory(f);
}

/* The histogram of groups is made of them; the numbers of single objects have only moved its ends. */
static strata_status take_groups(st_facet *f, st_groups *groups) {
    strata_groups found;
    strata_status status = st_groups_finish(groups, &found);
    if (status != STRATA_OK) return status;
    f->different = found.count;
    const strata_value *values = found.values;
    for (uint64_t i = 0; i < found.count && status == STRATA_OK; i++, values += found.width) {
        add_number(f, &values[0], 0);
        if (!st_commonest_offer(&f->commonest, &values[0], (uint64_t)values[1].as.integer)) status = no_memory(f);
    }
    if (status == STRATA_OK) status = count_spread(f);
    uint64_t counted = status == STRATA_OK && f->histogram.bins != NULL ? found.count : 0;
    values = found.values;
    for (uint64_t i = 0; i < counted; i++, values += found.width) {
        add_number(f, &values[0], (uint64_t)values[1].as.integer);
    }
    strata_groups_free(&found);
    return status;
}

/* ---- Values counted in an index --------------------------------------- */

/* A walk along all entries of an index. */
typedef struct entries_walk {
    st_facet *facet;
    st_query *query;
    const st_access *access;
    st_posting_cursor *cursor;
    bool nullable;
    st_key last;       /* the value of the entries that were counted last, */
    uint64_t count;    /* and how many there were; 0 at the beginning */
} entries_walk;

/* The entries of a value are at their end. */
static strata_status end_value(entries_walk *w) {
    st_facet *f = w->facet;
    strata_value value;
    uint8_t scratch[ST_KEY_PREFIX];
    bool is_counted = f->histogram.bins != NULL;
    if (w->count == 0) return STRATA_OK;
    if (!is_counted) f->different++;
    if (!f->spread && !st_commonest_wants(&f->commonest, w->count)) return STRATA_OK;
    strata_bytes encoded = { w->last.bytes, w->last.size };
    if (!st_key_decode(w->access->column->type, w->nullable, encoded, scratch, &value)) {
        return st_fail(f->error, STRATA_CORRUPT, 0, "an index of %s.%s has an entry that is no value",
                       w->query->table->name, w->access->column->name);
    }
    add_number(f, &value, w->count);
    return is_counted || st_commonest_offer(&f->commonest, &value, w->count) ? STRATA_OK : no_memory(f);
}

/* STRATA_END: an entry does not have its whole value. */
static strata_status walk_range(entries_walk *w, const st_posting_range *range) {
    st_query *query = w->query;
    strata_status status = st_posting_cursor_begin(query->view->txn, w->access->set, range, false, &w->cursor,
                                                   query->error);
    while (status == STRATA_OK) {
        uint64_t key;
        strata_bytes value;
        status = st_posting_cursor_next(w->cursor, &key, &value, query->error);
        if (status == STRATA_END) return STRATA_OK;
        if (status != STRATA_OK) return status;
        if (!st_query_step(query, 1)) return query->status;
        if (w->count != 0 && value.size == w->last.size && memcmp(value.data, w->last.bytes, value.size) == 0) {
            w->count++;
            continue;
        }
        bool is_whole = !st_key_is_truncated(w->access->column->type, w->nullable, value);
        if (!is_whole || value.size > sizeof w->last.bytes) return STRATA_END;
        status = end_value(w);
        memcpy(w->last.bytes, value.data, value.size);
        w->last.size = (uint16_t)value.size;
        w->count = 1;
    }
    return status;
}

static strata_status walk_entries(st_facet *f, st_query *query, const st_access *access) {
    entries_walk w = { .facet = f, .query = query, .access = access,
                       .nullable = query->table->fields[access->column - query->table->columns].nullable };
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < access->range_count && status == STRATA_OK; i++) {
        status = walk_range(&w, &access->ranges[i]);
    }
    if (status == STRATA_OK) status = end_value(&w);
    st_posting_cursor_close(w.cursor);
    return status;
}

/* `*done` is false if the index cannot tell. */
static strata_status walk_index(st_facet *f, st_query *query, const st_column *column, bool *done) {
    bool plain = column->collection == STRATA_SINGLE && column->type != STRATA_MIXED && column->index_id != 0;
    const st_access *access = plain ? st_value_runs_access(query, column) : NULL;
    *done = false;
    if (access == NULL) return query->status;
    strata_status status = walk_entries(f, query, access);
    if (status == STRATA_END) {
        st_commonest_clear(&f->commonest);
        f->different = 0;
        return STRATA_OK;
    }
    if (status == STRATA_OK) status = count_spread(f);
    if (status == STRATA_OK && f->histogram.bins != NULL) status = walk_entries(f, query, access);
    *done = status == STRATA_OK;
    return status;
}

/* ---- One look at the objects ------------------------------------------ */

/* By an index, if one knows all of it. */
static strata_status by_index(st_facet *f, st_execution *run, bool *done) {
    const strata_query *spec = run->query->spec;
    bool whole = spec->source == STRATA_SOURCE_TABLE && spec->after == NULL;
    *done = false;
    if (!whole || run->pipelines.count != 1 || run->pipelines.items[0].filter_count != 0) return STRATA_OK;
    strata_status status = st_groups_by_index(run->groups, done);
    if (status != STRATA_OK) return status;
    if (*done) return take_groups(f, run->groups);
    const st_key_reader *key = run->groups->keys;
    return key->path_length == 1 ? walk_index(f, run->query, key->column, done) : STRATA_OK;
}

/* By the objects: their values, and the ends of their numbers. */
static strata_status by_objects(st_facet *f, st_execution *run) {
    st_groups *groups = run->groups;
    groups->histogram = f->spread ? &f->histogram : NULL;
    strata_status status = st_execution_run(run);
    groups->histogram = NULL;
    if (status != STRATA_OK) return status;
    f->too_many = groups->too_many;
    if (f->too_many) f->different = groups->most;
    return f->too_many ? STRATA_OK : take_groups(f, groups);
}

/* Once more by the objects: their numbers are counted. */
static strata_status count_numbers(st_facet *f, st_execution *run) {
    run->groups->too_many = true;
    run->groups->histogram = &f->histogram;
    strata_status status = st_execution_run(run);
    run->groups->histogram = NULL;
    return status;
}

static strata_status look(st_facet *f, bool again) {
    static const strata_measure counted = { .aggregate = STRATA_COUNT };
    st_room room;
    strata_query read;
    st_query query = st_query_begin(f->view, &room, NULL, f->error);
    st_groups groups = { 0 };
    st_execution run = { .query = &query, .purpose = ST_FOR_GROUPS, .groups = &groups };
    bool done = false;
    strata_status status = st_query_ready(f->view, f->error);
    if (status == STRATA_OK) status = st_execution_compile(&run, f->spec, &read);
    if (status == STRATA_OK) status = st_groups_begin(&groups, &query, &f->key, 1, &counted, 1);
    if (status == STRATA_OK && !again) {
        groups.most = f->options.most_different;
        groups.most_bytes = MOST_BYTES;
        f->spread = f->options.most_bins != 0 && st_histogram_fits(groups.keys->column->type);
        f->histogram = st_histogram_begin(groups.keys->column->type);
        status = by_index(f, &run, &done);
        if (status == STRATA_OK && !done) status = by_objects(f, &run);
    } else if (status == STRATA_OK) {
        status = count_numbers(f, &run);
    }
    st_groups_free(&groups);
    return st_execution_end(&run, status, NULL, 0);
}

/* ---- The answer ------------------------------------------------------- */

static strata_status read_options(const strata_facet_options *given, strata_facet_options *out, strata_error *error) {
    if (given == NULL || !st_sized_plausible(given->size, sizeof given->size) ||
        !st_sized_read(out, sizeof *out, given, given->size)) {
        return st_fail(error, STRATA_MISUSE, 0, "a facet has options that this library does not know; begin with "
                                                "strata_facet_options_blank()");
    }
    if (out->most_values > MOST_TOLD || out->most_bins > MOST_TOLD) {
        return st_fail(error, STRATA_MISUSE, 0, "a facet is asked for %u values and %u bins; there may be %d of each",
                       out->most_values, out->most_bins, MOST_TOLD);
    }
    if (out->most_different == 0) out->most_different = USUAL_DIFFERENT;
    return STRATA_OK;
}

static strata_status finish(const st_facet *f, strata_facet *out) {
    const st_commonest *c = &f->commonest;
    uint32_t count = f->too_many ? 0 : c->count;
    size_t value_size = count * sizeof *c->items, bin_size = f->histogram.bin_count * sizeof(uint64_t), bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += st_commonest_size(&c->items[i].value);
    uint8_t *memory = malloc(value_size + bin_size + bytes + 1);
    if (memory == NULL) return no_memory(f);
    strata_facet_value *values = (strata_facet_value *)(void *)memory;
    uint64_t *bins = (uint64_t *)(void *)(memory + value_size);
    uint8_t *at = memory + value_size + bin_size;
    if (bin_size != 0) memcpy(bins, f->histogram.bins, bin_size);
    for (uint32_t i = 0; i < count; i++) {
        size_t size = st_commonest_size(&c->items[i].value);
        values[i] = c->items[i];
        if (size == 0) continue;
        memcpy(at, values[i].value.as.bytes.data, size);
        values[i].value.as.bytes.data = at;
        at += size;
    }
    *out = (strata_facet){ .different = f->different, .too_many = f->too_many, .value_count = count,
                           .bin_count = f->histogram.bin_count, .values = values, .bins = bins, .memory = memory };
    if (out->bin_count == 0) return STRATA_OK;
    out->least = st_histogram_value(&f->histogram, f->histogram.least);
    out->greatest = st_histogram_value(&f->histogram, f->histogram.greatest);
    return STRATA_OK;
}

strata_status strata_query_facet_sized(strata_view *view, const strata_query *query, const strata_step *path,
                                       uint32_t path_length, const strata_facet_options *options, strata_facet *out,
                                       size_t out_size, strata_error *error) {
    st_facet f = { .view = view, .spec = query, .key = { .path = path, .path_length = path_length }, .error = error };
    strata_facet answer = { 0 };
    st_sized_write(out, out_size, &answer, sizeof answer);
    strata_status status = st_query_ready(view, error);
    if (status == STRATA_OK) status = read_options(options, &f.options, error);
    if (status != STRATA_OK) return status;
    if (!st_commonest_begin(&f.commonest, f.options.most_values)) return no_memory(&f);
    status = look(&f, false);
    if (status == STRATA_OK && f.too_many) status = count_spread(&f);
    if (status == STRATA_OK && f.too_many && f.histogram.bins != NULL) status = look(&f, true);
    if (status == STRATA_OK) status = finish(&f, &answer);
    st_commonest_free(&f.commonest);
    st_histogram_free(&f.histogram);
    if (status == STRATA_OK) st_sized_write(out, out_size, &answer, sizeof answer);
    return status;
}

void strata_facet_free(strata_facet *facet) {
    if (facet == NULL) return;
    free(facet->memory);
    facet->memory = NULL;
    facet->values = NULL;
    facet->bins = NULL;
    facet->value_count = facet->bin_count = 0;
}
