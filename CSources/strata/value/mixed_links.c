/* SPDX-License-Identifier: MIT
 * mixed_links.c -- the links in a mixed value. */
#include "value/mixed_links.h"

#include "base/status.h"
#include "value/mixed.h"

static strata_status damaged(strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "a list or map in a mixed value is damaged");
}

static strata_status visit_links(const strata_value *value, uint32_t depth, st_mixed_visitor visit, void *context,
                                 strata_error *error) {
    strata_nested_iterator it;
    strata_value entry;
    if (value->type == STRATA_LINK) return visit(context, value->table, value->as.link, error);
    if (value->type != STRATA_NESTED) return STRATA_OK;
    strata_status status = strata_nested_open(value->as.bytes, &it, error);
    if (status == STRATA_OK && depth > STRATA_MAX_NESTING)
        return st_fail(error, STRATA_CORRUPT, 0, "a mixed value is nested more than %d deep", STRATA_MAX_NESTING);
    while (status == STRATA_OK) {
        status = strata_nested_next(&it, NULL, &entry);
        if (status == STRATA_END) return STRATA_OK;
        if (status == STRATA_CORRUPT) return damaged(error);
        status = visit_links(&entry, depth + 1, visit, context, error);
    }
    return status;
}

strata_status st_mixed_links(const strata_value *value, st_mixed_visitor visit, void *context, strata_error *error) {
    return visit_links(value, 1, visit, context, error);
}

typedef struct link_count {
    uint64_t target, count;
} link_count;

static strata_status count_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    link_count *c = context;
    (void)error;
    c->count += st_mixed_target(table, key) == c->target;
    return STRATA_OK;
}

uint64_t st_mixed_count_links(const strata_value *value, uint32_t table, uint64_t key) {
    link_count c = { st_mixed_target(table, key), 0 };
    (void)st_mixed_links(value, count_link, &c, NULL);
    return c.count;
}

static strata_status copy_unlinked(strata_nested_iterator *it, uint32_t table, uint64_t key, strata_nested *to,
                                   strata_error *error);

static strata_status copy_entry(strata_nested_iterator *it, const strata_bytes *name, const strata_value *entry,
                                uint32_t table, uint64_t key, strata_nested *to, strata_error *error) {
    strata_value kept = *entry;
    if (entry->type == STRATA_NESTED && st_mixed_count_links(entry, table, key) != 0) {
        strata_nested_iterator inner;
        strata_status status = strata_nested_open(entry->as.bytes, &inner, error);
        if (status == STRATA_OK)
            status = inner.kind == STRATA_MAP ? strata_nested_begin_map(to, name, error)
                                              : strata_nested_begin_list(to, name, error);
        return status == STRATA_OK ? copy_unlinked(&inner, table, key, to, error) : status;
    }
    if (entry->type == STRATA_LINK && entry->table == table && entry->as.link == key) {
        if (it->kind == STRATA_LIST) return STRATA_OK;
        kept = strata_null();
    }
    return name != NULL ? strata_nested_put(to, *name, &kept, error) : strata_nested_append(to, &kept, error);
}

/* Copies the entries into what was begun, and ends it. */
static strata_status copy_unlinked(strata_nested_iterator *it, uint32_t table, uint64_t key, strata_nested *to,
                                   strata_error *error) {
    strata_bytes name;
    strata_value entry;
    strata_status status;
    while ((status = strata_nested_next(it, &name, &entry)) == STRATA_OK) {
        status = copy_entry(it, it->kind == STRATA_MAP ? &name : NULL, &entry, table, key, to, error);
        if (status != STRATA_OK) return status;
    }
    if (status != STRATA_END) return damaged(error);
    return strata_nested_end(to, error);
}

strata_status st_mixed_unlink(const strata_value *value, uint32_t table, uint64_t key, strata_nested *builder,
                              strata_value *out, strata_error *error) {
    strata_nested_iterator it;
    *out = *value;
    if (value->type == STRATA_LINK && value->table == table && value->as.link == key) *out = strata_null();
    if (value->type != STRATA_NESTED) return STRATA_OK;
    strata_nested_reset(builder);
    strata_status status = strata_nested_open(value->as.bytes, &it, error);
    if (status == STRATA_OK)
        status = it.kind == STRATA_MAP ? strata_nested_begin_map(builder, NULL, error)
                                       : strata_nested_begin_list(builder, NULL, error);
    if (status == STRATA_OK) status = copy_unlinked(&it, table, key, builder, error);
    return status == STRATA_OK ? strata_nested_finish(builder, out, error) : status;
}
