/* SPDX-License-Identifier: MIT
 * source.c -- what concerns the source of an observed query. */
#include "observe/source.h"

enum { KEY_BITS = 48 };

/* From the object to which a source of backlinks links to those that link to it. */
static st_hop hop_to_source(const strata_query *q, const st_catalog *catalog) {
    const st_column *column = &catalog->tables[q->origin_table].columns[q->origin_column];
    uint32_t target = column->type == STRATA_MIXED ? (uint32_t)(q->key >> KEY_BITS) : column->target;
    return (st_hop){ target, q->origin_column, q->origin_table, q->origin_table };
}

static bool list_changed(const strata_query *q, const st_change_set *changes) {
    size_t count;
    if (st_change_set_cleared(changes, q->origin_table)) return true;
    const strata_delta *deltas = st_change_set_object(changes, q->origin_table, q->key, &count);
    for (size_t i = 0; i < count; i++)
        if (deltas[i].kind == STRATA_DELTA_DELETE || deltas[i].column == q->origin_column) return true;
    return false;
}

static bool backlinks_changed(const strata_query *q, const st_catalog *catalog, const st_change_set *changes) {
    const st_hop hop = hop_to_source(q, catalog);
    uint64_t key = q->key & ((UINT64_C(1) << KEY_BITS) - 1);
    size_t count;
    if (st_change_set_cleared(changes, hop.table) || st_change_set_cleared(changes, hop.origin)) return true;
    const strata_delta *deltas = st_change_set_object(changes, hop.table, key, &count);
    for (size_t i = 0; i < count; i++)
        if (deltas[i].kind == STRATA_DELTA_DELETE || st_hop_concerns(&hop, &deltas[i])) return true;
    return false;
}

bool st_source_changed(const strata_query *q, const st_catalog *catalog, const st_change_set *changes) {
    switch (q->source) {
    case STRATA_SOURCE_LIST: return list_changed(q, changes);
    case STRATA_SOURCE_BACKLINKS: return backlinks_changed(q, catalog, changes);
    default: return false;
    }
}

bool st_source_concerns(const strata_query *q, const st_catalog *catalog, st_concerns *out) {
    bool done = st_concerns_add(out, (st_concern){ .table = q->table, .lives = 1 });
    if (!done || q->source == STRATA_SOURCE_TABLE || q->source == STRATA_SOURCE_KEYS) return done;
    st_concern origin = { .table = q->origin_table, .lives = 1 };
    if (q->source == STRATA_SOURCE_LIST) {
        origin.assigned = st_column_bit(q->origin_column);
        return st_concerns_add(out, origin);
    }
    const st_hop hop = hop_to_source(q, catalog);
    return st_concerns_add(out, origin) &&
           st_concerns_add(out, (st_concern){ .table = hop.table, .linked = st_column_bit(hop.column), .lives = 1 });
}

bool st_source_lives(uint32_t table, const st_change_set *changes, st_key_set *out) {
    size_t count;
    const strata_delta *deltas = st_change_set_table(changes, table, &count);
    for (size_t i = 0; i < count; i++) {
        if (deltas[i].kind != STRATA_DELTA_CREATE && deltas[i].kind != STRATA_DELTA_DELETE) continue;
        if (!st_key_set_add(out, deltas[i].key, NULL)) return false;
    }
    return true;
}
