/* SPDX-License-Identifier: MIT
 * property.c -- the names of properties. */
#include "predicate/property.h"

#include "predicate/suggestion.h"

static bool is_name(strata_bytes name, const char *other) {
    return strlen(other) == name.size && memcmp(name.data, other, name.size) == 0;
}

/* The property that was probably meant by a name; NULL if none is like it. */
static const char *suggested(const st_resolver *resolver, uint32_t table, strata_bytes name) {
    const st_table *owner = &resolver->tables[table];
    st_suggestion suggestion = st_suggestion_begin(name);
    for (uint32_t i = 0; i < resolver->alias_count; i++) {
        if (resolver->aliases[i].table == table) st_suggestion_consider(&suggestion, resolver->aliases[i].name);
    }
    for (uint32_t i = 0; i < owner->column_count; i++) st_suggestion_consider(&suggestion, owner->columns[i].name);
    return suggestion.best;
}

/* Checks an alias, which comes from the caller: it has to lead somewhere from the table. */
static bool check_alias(st_resolver *resolver, uint32_t table, const strata_step *step, uint32_t column) {
    const st_column *found;
    if (step->kind == STRATA_STEP_COLUMN) {
        found = st_view_column(resolver->view, table, step->column, NULL);
        if (found != NULL) return true;
    } else if (step->kind == STRATA_STEP_BACKLINKS) {
        found = st_view_column(resolver->view, step->table, step->column, NULL);
        if (found != NULL && ((found->type == STRATA_LINK && found->target == table) || found->type == STRATA_MIXED)) {
            return true;
        }
    }
    return st_resolver_fail(resolver, STRATA_MISUSE, column,
                            "the alias of this name leads to no column of %s and to none that links to it",
                            resolver->tables[table].name);
}

bool st_find_property(st_resolver *resolver, uint32_t table, strata_bytes name, uint32_t column, strata_step *out) {
    const st_table *owner = &resolver->tables[table];
    for (uint32_t i = 0; i < resolver->alias_count; i++) {
        const strata_alias *alias = &resolver->aliases[i];
        if (alias->table != table || !is_name(name, alias->name)) continue;
        *out = alias->step;
        return check_alias(resolver, table, out, column);
    }
    for (uint32_t i = 0; i < owner->column_count; i++) {
        if (owner->columns[i].type == STRATA_NULL || !is_name(name, owner->columns[i].name)) continue;
        *out = strata_step_column(i);
        return true;
    }
    const char *meant = suggested(resolver, table, name);
    if (meant == NULL) {
        return st_resolver_fail(resolver, STRATA_MISUSE, column, "no property '%.*s' in %s", st_shown(name),
                                (const char *)name.data, owner->name);
    }
    return st_resolver_fail(resolver, STRATA_MISUSE, column, "no property '%.*s' in %s; did you mean '%s'?",
                            st_shown(name), (const char *)name.data, owner->name, meant);
}
