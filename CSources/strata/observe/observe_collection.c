/* SPDX-License-Identifier: MIT
 * observe_collection.c -- observers of lists, sets and maps. */
#include "observe/observe_collection.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "collection/link_ranges.h"
#include "observe/map_keys.h"
#include "observe/roots.h"
#include "observe/segments.h"
#include "table/link_index.h"
#include "write/collection_open.h"

typedef struct st_collection_state {
    uint64_t size;
    bool is_map;
    st_map_keys keys;      /* of a map */
    st_link_ranges ranges; /* of links, once properties of their objects were changed that count */
} st_collection_state;

/* What a change set did to the collection. */
typedef struct collection_change {
    st_segments segments;
    st_key_set modified; /* objects in it of which something was assigned that counts, by the numbers of the index */
    uint64_t links;      /* elements that link to them */
    st_buffer places;    /* where these are, as u64; they ascend */
    bool all_modified;
    bool touched;        /* elements were changed */
    strata_row row;
    uint64_t size;
    st_map_keys keys;
} collection_change;

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

/* How many elements of the collection link to an object, of which the number is that of the link index. */
static strata_status count_links(const strata_observer *o, uint64_t number, uint64_t *out, strata_error *error) {
    uint8_t value[8];
    st_posting_range range = st_links_range(value, number);
    range.low_key = o->key;
    range.high_key = o->key + 1;
    return st_postings_count(o->view->txn, st_link_set(column_of(o)), &range, out, error);
}

/* The objects in the collection that are modified. */
static strata_status find_modified(strata_observer *o, const st_change_set *changes, collection_change *c,
                                   strata_error *error) {
    st_key_set roots = { 0 };
    st_walker walker = st_observer_walker(o, error);
    strata_status status = st_roots_find(&walker, o->counts, changes, &roots, &c->all_modified);
    for (size_t i = 0; i < roots.count && status == STRATA_OK; i++) {
        uint64_t links = 0;
        status = count_links(o, roots.items[i], &links, error);
        if (links != 0 && !st_key_set_add(&c->modified, roots.items[i], NULL)) status = no_memory(error);
        c->links += links;
    }
    st_key_set_free(&roots);
    return status;
}

static bool is_lost(const collection_change *c) { return c->segments.lost || c->segments.size != c->size; }

/* Where those objects are among values of any type. Those that are deeper inside of an element are not found. */
static strata_status find_mixed_places(const strata_observer *o, collection_change *c, strata_error *error) {
    enum { BATCH = 64 };
    strata_value values[BATCH];
    uint64_t left = c->links;
    for (uint64_t at = 0; at < c->size && left != 0; at += BATCH) {
        uint64_t count = c->size - at < BATCH ? c->size - at : BATCH;
        strata_status status = strata_collection_get(&c->row, o->column, at, count, values, error);
        if (status != STRATA_OK) return status;
        for (uint64_t i = 0, place = at; i < count; i++, place++) {
            if (values[i].type != STRATA_LINK) continue;
            if (!st_key_set_has(&c->modified, st_link_number(column_of(o), values[i].table, values[i].as.link))) continue;
            if (!st_buffer_append(&c->places, &place, sizeof place)) return no_memory(error);
            left--;
        }
    }
    return STRATA_OK;
}

/* Where those objects are. */
static strata_status find_places(strata_observer *o, collection_change *c, strata_error *error) {
    st_source source;
    if (c->modified.count == 0 || c->all_modified || is_lost(c)) return STRATA_OK;
    if (column_of(o)->type == STRATA_MIXED) return find_mixed_places(o, c, error);
    if (!st_key_set_sort(&c->modified)) return no_memory(error);
    strata_status status = st_source_open(&c->row, o->column, &source, error);
    st_link_wanted wanted = { c->modified.items, c->modified.count, c->links };
    return status == STRATA_OK ? st_link_ranges_find(&o->collection->ranges, &source, &wanted, &c->places, error)
                               : status;
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

/* What of the elements of a list is to be told as modified and was not told yet. */
typedef struct modified_left {
    const uint64_t *assigned, *assigned_end; /* positions before */
    const uint64_t *linking, *linking_end;   /* positions after */
} modified_left;

/* Tells of the elements of a segment that were assigned, and of those whose objects are modified. */
static bool tell_segment(const st_segment *segment, uint64_t after, modified_left *left, st_found *out) {
    while (left->assigned < left->assigned_end && *left->assigned < segment->first) left->assigned++;
    while (left->linking < left->linking_end && *left->linking < after) left->linking++;
    for (;;) {
        uint64_t none = segment->count, next = none;
        if (left->assigned < left->assigned_end) next = *left->assigned - segment->first;
        if (left->linking < left->linking_end && *left->linking - after < next) next = *left->linking - after;
        if (next >= none) return true;
        while (left->assigned < left->assigned_end && *left->assigned - segment->first == next) left->assigned++;
        if (left->linking < left->linking_end && *left->linking - after == next) left->linking++;
        if (!st_found_modified(out, segment->first + next, after + next)) return false;
    }
}

static bool tell_list(const strata_observer *o, collection_change *c, st_found *out) {
    uint64_t before = 0, after = 0;
    if (!st_positions_sort(&c->segments.set)) return false;
    const uint64_t *places = (const uint64_t *)(const void *)c->places.data;
    size_t place_count = c->places.size / sizeof *places;
    const st_positions *set = &c->segments.set;
    modified_left left = { set->items, set->count == 0 ? set->items : set->items + set->count, places,
                           place_count == 0 ? places : places + place_count };
    for (size_t i = 0; i < c->segments.count; i++) {
        const st_segment *segment = &c->segments.items[i];
        bool done = true;
        if (segment->first == ST_SEGMENT_NEW) {
            done = st_positions_add_range(&out->insertions, after, after + segment->count);
        } else {
            done = st_positions_add_range(&out->deletions, before, segment->first);
            before = segment->first + segment->count;
            if (c->all_modified) done = done && add_range(out, segment->first, after, segment->count);
            else done = done && tell_segment(segment, after, &left, out);
        }
        if (!done) return false;
        after += segment->count;
    }
    return st_positions_add_range(&out->deletions, before, o->collection->size);
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

static bool tell(strata_observer *o, collection_change *c, st_found *out) {
    st_collection_state *s = o->collection;
    st_found in_place = { 0 };
    if (!s->is_map || !c->touched) return is_lost(c) ? tell_anew(o, c, out) : tell_list(o, c, out);
    bool done;
    if (is_lost(c)) {
        out->flags |= STRATA_CHANGES_ANEW; /* every entry whose key is there still */
        done = st_positions_add_range(&in_place.insertions, 0, c->size);
    } else {
        done = tell_list(o, c, &in_place);
    }
    done = done && tell_map(o, c, &in_place, out);
    st_found_free(&in_place);
    if (!done) return false;
    st_map_keys_free(&s->keys);
    s->keys = c->keys;
    c->keys = (st_map_keys){ 0 };
    return true;
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
    if (status == STRATA_OK) status = find_places(o, &c, error);
    if (status == STRATA_NOT_FOUND) {
        status = tell_gone(o, out) ? STRATA_OK : no_memory(error);
    } else if (status == STRATA_OK) {
        status = tell(o, &c, out) ? STRATA_OK : no_memory(error);
        if (status == STRATA_OK) s->size = c.size;
    }
    st_segments_free(&c.segments);
    st_key_set_free(&c.modified);
    st_buffer_free(&c.places);
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
    st_link_ranges_free(&s->ranges);
    free(s);
}

static void explain(const strata_observer *o, strata_observer_stats *out) {
    const st_collection_state *s = o->collection;
    bool links = column_of(o)->type == STRATA_LINK && !st_watch_is_empty(o->counts);
    int size = snprintf(out->plan, sizeof out->plan, "%llu elements of %s of %s; positions follow from the changes%s",
                        (unsigned long long)s->size, column_of(o)->name, o->view->catalog->tables[o->table].name,
                        links ? ", those of changed objects from the chunks that may have links to them" : "");
    if (size >= (int)sizeof out->plan) memcpy(out->plan + sizeof out->plan - 4, "...", 4); /* long names */
    out->memory += sizeof *s + s->keys.bytes.capacity + s->keys.count * sizeof *s->keys.items +
                   st_link_ranges_memory(&s->ranges);
    out->links_read = s->ranges.links_read;
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
    if (status != STRATA_OK) return status;
    if (column->type == STRATA_MIXED && paths != NULL && paths->all) {
        o->own->counts = st_watch_begin(&o->memory, ST_NONE);
        o->own->counts.values = (st_incoming){ o->table, o->column };
        o->own->counts.deep = 3;
    }
    if (column->type != STRATA_LINK) return STRATA_OK;
    o->own->counts = st_watch_begin(&o->memory, column->target);
    return st_watch_paths(&o->own->counts, o->view, paths, 3, error);
}
