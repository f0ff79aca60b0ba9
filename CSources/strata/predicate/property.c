/* SPDX-License-Identifier: MIT
 * names.c -- names of properties, and the ones that were probably meant. */
#include "predicate/parser.h"
#include "predicate/resolver.h"

static bool is_name(strata_bytes name, const char *other) {
    return strlen(other) == name.size && memcmp(name.data, other, name.size) == 0;
}

/* ---- Likeness --------------------------------------------------------- */

enum { LONGEST = STRATA_MAX_COLUMN_NAME };

static char small(char letter) { return (char)(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter); }

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* How many letters have to be added, removed, replaced or swapped with their neighbour. Case does not count. */
static unsigned distance(strata_bytes a, const char *b) {
    unsigned rows[3][LONGEST + 1];
    const char *from = a.data;
    size_t length = strlen(b);
    if (a.size > LONGEST || length > LONGEST) return LONGEST;
    for (size_t j = 0; j <= length; j++) rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.size; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= length; j++) {
            char letter = small(from[i - 1]), other = small(b[j - 1]);
            bool neighbours = i > 1 && j > 1 && letter == small(b[j - 2]) && small(from[i - 2]) == other;
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (letter != other));
            if (neighbours) row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a.size % 3][length];
}

static void prefer(strata_bytes name, const char *candidate, const char **best, unsigned *best_distance) {
    unsigned far = candidate[0] == 0 ? LONGEST : distance(name, candidate);
    if (far >= *best_distance) return;
    *best = candidate;
    *best_distance = far;
}

/* How far a name that was meant is away at most, and one more. */
static unsigned limit_of(strata_bytes name) {
    return name.size < 3 ? 2 : (unsigned)least((unsigned)(name.size / 3), 4) + 1;
}

const char *st_likest_word(strata_bytes name, const char *const *words, size_t count) {
    const char *best = NULL;
    unsigned limit = limit_of(name);
    for (size_t i = 0; i < count; i++) prefer(name, words[i], &best, &limit);
    return best;
}

/* The likest name in the table; NULL if none is like it. */
static const char *likest(const st_resolver *resolver, uint32_t table, strata_bytes name) {
    const st_table *owner = &resolver->tables[table];
    const char *best = NULL;
    unsigned limit = limit_of(name);
    for (uint32_t i = 0; i < resolver->alias_count; i++) {
        if (resolver->aliases[i].table == table) prefer(name, resolver->aliases[i].name, &best, &limit);
    }
    for (uint32_t i = 0; i < owner->column_count; i++) prefer(name, owner->columns[i].name, &best, &limit);
    return best;
}

/* ---- Names ------------------------------------------------------------ */

/* An alias comes from outside. */
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

bool st_find_name(st_resolver *resolver, uint32_t table, strata_bytes name, uint32_t column, strata_step *out) {
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
    const char *meant = likest(resolver, table, name);
    if (meant == NULL) {
        return st_resolver_fail(resolver, STRATA_MISUSE, column, "no property '%.*s' in %s", st_shown(name),
                                (const char *)name.data, owner->name);
    }
    return st_resolver_fail(resolver, STRATA_MISUSE, column, "no property '%.*s' in %s; did you mean '%s'?",
                            st_shown(name), (const char *)name.data, owner->name, meant);
}
