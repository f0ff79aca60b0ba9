/* SPDX-License-Identifier: MIT
 * observe_collection.c -- observers of lists, sets and maps. */
#include "observe/observe_collection.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "observe/map_keys.h"
#include "observe/roots.h"
#include "observe/segments.h"
#include "table/link_index.h"

typedef struct st_collection_state {
    uint64_t size;
    bool is_map;
    st_map_keys keys; /* of a map */
} st_collection_state;

/* What a change set did to the collection. */
typedef struct collection_change {
    st_segments segments;
    st_key_set modified; /* objects of which something was assigned that counts */
    bool all_modified;
    bool touched;        /* elements were changed */
    strata_row row;
    uint64_t size;
    st_map_keys keys;
} collection_change;

enum { BATCH = 64 };

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "observing a collection"); }

static const st_column *column_of(const strata_observer *o) {
    return &o->view->catalog->tables[o->table].columns[o->column];
}

/* ---- What a change set did ------------------------------------------------- */

static strata_status apply_deltas(const strata_observer *o, const st_change_set *changes, collection_change *c,
                                  strata_error *error) {
    size_t count;
    const strata_delta *deltas = st_change_set_object(changes, o->table, o->key, &count);
    for (size_t i = 0; i < count; i++) {
        bool ours = deltas[i].kind >= STRATA_DELTA_ASSIGN && deltas[i].kind != STRATA_DELTA_LINKED;
        if (!ours || deltas[i].column != o->column) continue;
        c->touched = true;
        if (!st_segments_apply(&c->segments, &deltas[i])) return no_memory(error);
    }
    return STRATA_OK;
}

/* Whether the collection has a link to an object. */
static strata_status holds(const strata_observer *o, uint64_t key, bool *out, strata_error *error) {
    const st_column *column = column_of(o);
    uint8_t value[8];
    uint64_t found;
    st_posting_range range = st_links_range(value, key);
    range.low_key = o->key;
    range.high_key = o->key + 1;
    strata_status status = st_postings_first(o->view->txn, st_link_set(column), &range, &found, error);
    *out = status == STRATA_OK;
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}

/* The objects in the collection that are modified. */
static strata_status find_modified(strata_observer *o, const st_change_set *changes, collection_change *c,
                                   strata_error *error) {
    st_key_set roots = { 0 };
    st_walker walker = st_observer_walker(o, error);
    strata_status status = st_roots_find(&walker, o->counts, changes, &roots, &c->all_modified);
    for (size_t i = 0; i < roots.count && status == STRATA_OK; i++) {
        bool is = false;
        status = holds(o, roots.items[i], &is, error);
        if (is && !st_key_set_add(&c->modified, roots.items[i], NULL)) status = no_memory(error);
    }
    st_key_set_free(&roots);
    return status;
}

static strata_status read_now(strata_observer *o, collection_change *c, strata_error *error) {
    strata_status status = strata_row_bind(o->view, o->table, o->key, &c->row, error);
    if (status != STRATA_OK) return status;
    status = strata_collection_size(&c->row, o->column, &c->size, error);
    if (status != STRATA_OK || !o->collection->is_map || !c->touched) return status;
    return st_map_keys_read(&c->row, o->column, c->size, &c->keys, error);
}

/* ---- Telling it ------------------------------------------------------- */

static bool add_range(st_found *out, uint64_t before, uint64_t after, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (!st_found_modified(out, before + i, after + i)) return false;
    return true;
}

/* Nobody knows which elements are which: those at the same positions count as the same. */
static bool tell_anew(const strata_observer *o, const collection_change *c, st_found *out) {
    uint64_t before = o->collection->size, both = before < c->size ? before : c->size;
    out->flags |= STRATA_CHANGES_ANEW;
    return add_range(out, 0, 0, both) && st_positions_add_range(&out->deletions, both, before) &&
           st_positions_add_range(&out->insertions, both, c->size);
}

/* Tells of the elements of segments that are to be told as modified: those that were assigned, and those that hold one
 * of the objects in `modified`. `next` is the next one of the assigned ones, which ascend. */
static strata_status tell_segment(strata_observer *o, const st_segment *segment, uint64_t after, collection_change *c,
                                  size_t *next, st_found *out, strata_error *error) {
    const st_positions *set = &c->segments.set;
    strata_value values[BATCH];
    bool reads = c->modified.count != 0;
    while (*next < set->count && set->items[*next] < segment->first) (*next)++;
    if (!reads && (*next == set->count || set->items[*next] >= segment->first + segment->count)) return STRATA_OK;
    for (uint64_t i = 0; i < segment->count; i++) {
        uint64_t before = segment->first + i, left = segment->count - i;
        if (reads && i % BATCH == 0) {
            strata_status status = strata_collection_get(&c->row, o->column, after + i, left < BATCH ? left : BATCH,
                                                         values, error);
            if (status != STRATA_OK) return status;
        }
        bool is = *next < set->count && set->items[*next] == before;
        while (*next < set->count && set->items[*next] == before) (*next)++;
        const strata_value *value = &values[i % BATCH];
        is = is || (reads && value->type == STRATA_LINK && st_key_set_has(&c->modified, value->as.link));
        if (is && !st_found_modified(out, before, after + i)) return no_memory(error);
    }
    return STRATA_OK;
}

static strata_status tell_list(strata_observer *o, collection_change *c, st_found *out, strata_error *error) {
    uint64_t before = 0, after = 0;
    size_t next = 0;
    strata_status status = st_positions_sort(&c->segments.set) ? STRATA_OK : no_memory(error);
    for (size_t i = 0; i < c->segments.count && status == STRATA_OK; i++) {
        const st_segment *segment = &c->segments.items[i];
        bool done = true;
        if (segment->first == ST_SEGMENT_NEW) {
            done = st_positions_add_range(&out->insertions, after, after + segment->count);
        } else {
            done = st_positions_add_range(&out->deletions, before, segment->first);
            before = segment->first + segment->count;
            if (c->all_modified) done = done && add_range(out, segment->first, after, segment->count);
            else if (done) status = tell_segment(o, segment, after, c, &next, out, error);
        }
        if (!done) status = no_memory(error);
        after += segment->count;
    }
    if (status == STRATA_OK && !st_positions_add_range(&out->deletions, before, o->collection->size))
        status = no_memory(error);
    return status;
}

/* ---- Maps ------------------------------------------------------------- */

static bool add_deleted_key(st_found *out, strata_bytes key) {
    return st_buffer_append(&out->bytes, key.data, key.size);
}

/* Points to the keys of the deletions, whose bytes do not move any more. */
static bool tell_deleted_keys(const strata_observer *o, st_found *out) {
    strata_bytes *keys = realloc(out->deleted_keys, (out->deletions.count + 1) * sizeof *keys);
    if (keys == NULL) return false;
    out->deleted_keys = keys;
    const uint8_t *at = out->bytes.data;
    for (size_t i = 0; i < out->deletions.count; i++) {
        keys[i] = (strata_bytes){ at, o->collection->keys.items[out->deletions.items[i]].size };
        at += keys[i].size;
    }
    return true;
}

/* Entries are recognised by their keys: `in_place` is what tell_list() says of the positions. An entry that was removed
 * and put back is modified. */
static bool tell_map(const strata_observer *o, const collection_change *c, const st_found *in_place, st_found *out) {
    const st_map_keys *old = &o->collection->keys, *new = &c->keys;
    size_t inserted = 0;
    st_positions assigned = { NULL, 0, 0 };
    bool done = true;
    for (size_t i = 0; i < in_place->after.count && done; i++)
        done = st_positions_add(&assigned, in_place->after.items[i]);
    done = done && st_positions_sort(&assigned);
    size_t next = 0;
    for (uint64_t i = 0, j = 0; (i < old->count || j < new->count) && done;) {
        int order = i == old->count ? 1 : j == new->count ? -1 : st_compare(old->items[i], new->items[j]);
        if (order < 0) {
            done = st_positions_add(&out->deletions, i) && add_deleted_key(out, old->items[i]);
            i++;
            continue;
        }
        const st_positions *fresh = &in_place->insertions;
        while (inserted < fresh->count && fresh->items[inserted] < j) inserted++;
        while (next < assigned.count && assigned.items[next] < j) next++;
        bool is_fresh = inserted < fresh->count && fresh->items[inserted] == j;
        bool is_assigned = next < assigned.count && assigned.items[next] == j;
        if (order > 0) done = st_positions_add(&out->insertions, j);
        else if (is_fresh || is_assigned) done = st_found_modified(out, i, j);
        if (order == 0) i++;
        j++;
    }
    st_positions_free(&assigned);
    return done && tell_deleted_keys(o, out);
}

/* ---- The observer ----------------------------------------------------- */

static bool tell_gone(strata_observer *o, st_found *out) {
    const st_collection_state *s = o->collection;
    bool done = st_positions_add_range(&out->deletions, 0, s->size);
    for (uint64_t i = 0; i < s->keys.count && done; i++) done = add_deleted_key(out, s->keys.items[i]);
    out->flags |= STRATA_CHANGES_GONE;
    return done && (!s->is_map || tell_deleted_keys(o, out));
}

static strata_status tell(strata_observer *o, collection_change *c, st_found *out, strata_error *error) {
    st_collection_state *s = o->collection;
    bool lost = c->segments.lost || c->segments.size != c->size;
    st_found in_place = { 0 };
    strata_status status = STRATA_OK;
    if (!s->is_map || !c->touched) {
        if (!lost) return tell_list(o, c, out, error);
        return tell_anew(o, c, out) ? STRATA_OK : no_memory(error);
    }
    if (lost) {
        out->flags |= STRATA_CHANGES_ANEW; /* every entry whose key is there still */
        if (!st_positions_add_range(&in_place.insertions, 0, c->size)) status = no_memory(error);
    } else {
        status = tell_list(o, c, &in_place, error);
    }
    if (status == STRATA_OK && !tell_map(o, c, &in_place, out)) status = no_memory(error);
    st_found_free(&in_place);
    if (status != STRATA_OK) return status;
    st_map_keys_free(&s->keys);
    s->keys = c->keys;
    c->keys = (st_map_keys){ 0 };
    return STRATA_OK;
}

static strata_status advance(strata_observer *o, const st_change_set *changes, uint64_t to, strata_error *error) {
    st_collection_state *s = o->collection;
    st_found *out = st_observer_begin(o);
    (void)to;
    collection_change c = { .touched = changes->whole, .all_modified = changes->whole };
    strata_status status = st_segments_begin(&c.segments, s->size) ? STRATA_OK : no_memory(error);
    if (status == STRATA_OK && changes->whole) c.segments.lost = true;
    if (status == STRATA_OK) status = apply_deltas(o, changes, &c, error);
    if (status == STRATA_OK && !changes->whole) status = find_modified(o, changes, &c, error);
    if (status == STRATA_OK) status = read_now(o, &c, error);
    if (status == STRATA_NOT_FOUND) {
        status = tell_gone(o, out) ? STRATA_OK : no_memory(error);
    } else if (status == STRATA_OK) {
        status = tell(o, &c, out, error);
        if (status == STRATA_OK) s->size = c.size;
    }
    st_segments_free(&c.segments);
    st_key_set_free(&c.modified);
    st_map_keys_free(&c.keys);
    return status;
}

static bool add_concerns(const strata_observer *o, st_concerns *out, st_concerns *beyond) {
    const st_catalog *catalog = o->view->catalog;
    const st_concern own = { .table = o->table, .assigned = st_column_bit(o->column), .lives = 1 };
    return st_concerns_add(out, own) && st_concerns_add_watch(out, o->counts, catalog) &&
           st_concerns_add_watch(beyond, o->counts, catalog);
}

/* The objects whose collection was changed, or that are gone. */
static strata_status find(const strata_observer *o, st_walker *walker, const st_change_set *changes, st_key_set *out,
                          bool *unknown) {
    const st_hop hop = { o->table, o->column, ST_NONE, ST_NONE };
    size_t count;
    const strata_delta *deltas = st_change_set_table(changes, o->table, &count);
    *unknown = st_change_set_cleared(changes, o->table);
    for (size_t i = 0; i < count && !*unknown; i++) {
        bool concerns = deltas[i].kind == STRATA_DELTA_DELETE || st_hop_concerns(&hop, &deltas[i]);
        if (concerns && !st_key_set_add(out, deltas[i].key, NULL)) return no_memory(walker->error);
    }
    return STRATA_OK;
}

static void free_state(strata_observer *o) {
    st_collection_state *s = o->collection;
    if (s == NULL) return;
    st_map_keys_free(&s->keys);
    free(s);
}

static void explain(const strata_observer *o, strata_observer_stats *out) {
    const st_collection_state *s = o->collection;
    (void)snprintf(out->plan, sizeof out->plan, "%llu elements of %s of %s; positions follow from the changes",
                   (unsigned long long)s->size, column_of(o)->name, o->view->catalog->tables[o->table].name);
    out->memory += sizeof *s + s->keys.bytes.capacity + s->keys.count * sizeof *s->keys.items;
}

strata_status st_observe_collection(strata_observer *o, const strata_key_paths *paths, strata_error *error) {
    static const st_kind_of_observer kind = { advance, free_state, explain, add_concerns, find, NULL };
    strata_row row;
    o->kind = &kind;
    o->by = ST_BY_KEY;
    const st_column *column = st_view_column(o->view, o->table, o->column, error);
    if (column == NULL) return STRATA_MISUSE;
    const char *table = o->view->catalog->tables[o->table].name;
    if (column->collection == STRATA_SINGLE)
        return st_fail(error, STRATA_MISUSE, 0, "observing %s.%s, which is no collection; observe its object", table,
                       column->name);
    strata_status status = strata_row_bind(o->view, o->table, o->key, &row, error);
    if (status == STRATA_NOT_FOUND)
        return st_fail(error, STRATA_NOT_FOUND, 0, "observing %s.%s of object %llu, which is gone", table, column->name,
                       (unsigned long long)o->key);
    st_collection_state *s = status == STRATA_OK ? calloc(1, sizeof *s) : NULL;
    if (s == NULL) return status == STRATA_OK ? no_memory(error) : status;
    o->collection = s;
    s->is_map = column->collection == STRATA_MAP;
    status = strata_collection_size(&row, o->column, &s->size, error);
    if (status == STRATA_OK && s->is_map) status = st_map_keys_read(&row, o->column, s->size, &s->keys, error);
    if (status != STRATA_OK || column->type != STRATA_LINK) return status;
    o->own->counts = st_watch_begin(&o->memory, column->target);
    return st_watch_paths(&o->own->counts, o->view, paths, 3, error);
}
