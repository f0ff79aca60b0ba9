/* SPDX-License-Identifier: MIT
 * target.c -- follows the names of a path from table to table. */
#include "predicate/resolver.h"
#include "value/total.h"

/** Where a path has come to. */
typedef enum place_kind {
    AT_OBJECT, /* an object of `table`; the last step is a link to it, unless there is none */
    AT_MANY,   /* a collection, still whole; `type` and `table` are those of its elements */
    AT_MIXED,
    AT_VALUE   /* of `type`; here a path ends */
} place_kind;

typedef struct walk {
    st_resolver *resolver;
    const st_term *term;
    st_target *target;
    place_kind at;
    uint32_t table;
    strata_type type;
    strata_collection collection; /* of AT_MANY; STRATA_SINGLE for objects that link here */
} walk;

static strata_step *add_step(walk *w, strata_step_kind kind) {
    strata_step *step = &w->target->steps[w->target->operand.path_length++];
    memset(step, 0, sizeof *step);
    step->kind = kind;
    return step;
}

/* At one value of a column or collection. */
static void arrive(walk *w) {
    w->at = w->type == STRATA_LINK ? AT_OBJECT : w->type == STRATA_MIXED ? AT_MIXED : AT_VALUE;
    if (w->type == STRATA_MIXED) w->target->dynamic = true;
}

static const char *noun_of(const walk *w) {
    return w->at == AT_MANY ? (w->collection == STRATA_SINGLE ? "what links to it" : st_collection_name(w->collection))
           : w->at == AT_OBJECT ? "object" : w->at == AT_MIXED ? "value of any type" : st_type_name(w->type);
}

static bool fail_at(walk *w, const st_part *part, const char *what) {
    const st_target *target = w->target;
    return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column, "'%.*s' of %s is %s (%s); %s",
                            st_shown(target->name), (const char *)target->name.data, target->owner,
                            w->at == AT_MANY ? "a collection" : w->at == AT_OBJECT ? "a link" : "a value", noun_of(w),
                            what);
}

/* ---- Names ------------------------------------------------------------ */

/* Every element of a collection is looked at, one by one. */
static bool enter_elements(walk *w, const st_part *part) {
    st_target *target = w->target;
    if (target->operand.aggregate != STRATA_EACH_VALUE) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column,
                                "behind @%s no collection can follow; use SUBQUERY",
                                st_aggregate_text(target->operand.aggregate));
    }
    target->many = target->nested = true;
    arrive(w);
    return true;
}

static bool take_name(walk *w, const st_part *part) {
    strata_step step;
    st_target *target = w->target;
    if (w->at == AT_MANY && w->type == STRATA_LINK && !enter_elements(w, part)) return false;
    if (w->at != AT_OBJECT) {
        return fail_at(w, part, w->at == AT_MIXED ? "in brackets stands what to look at in it, such as ['name'] or [0]"
                                                  : "a path goes on only through links");
    }
    if (!st_find_name(w->resolver, w->table, part->text, part->column, &step)) return false;
    bool backlinks = step.kind == STRATA_STEP_BACKLINKS;
    const st_column *column = &w->resolver->tables[backlinks ? step.table : w->table].columns[step.column];
    *add_step(w, step.kind) = step;
    target->name = part->text;
    target->owner = w->resolver->tables[w->table].name;
    target->column = part->column;
    w->type = backlinks ? STRATA_LINK : column->type;
    w->table = backlinks ? step.table : column->target;
    w->collection = backlinks ? STRATA_SINGLE : column->collection;
    if (backlinks || column->collection != STRATA_SINGLE) w->at = AT_MANY;
    else arrive(w);
    return true;
}

/* ---- Collections ------------------------------------------------------ */

static bool take_map_part(walk *w, const st_part *part) {
    if (w->at != AT_MANY || w->collection != STRATA_MAP) return fail_at(w, part, "only a map has keys and values");
    w->target->spread = true;
    if (part->kind == ST_PART_VALUES) return true;
    add_step(w, STRATA_STEP_KEYS);
    w->type = STRATA_STRING;
    w->collection = STRATA_SET; /* of its keys */
    return true;
}

static bool take_bracket(walk *w, const st_part *part) {
    bool map = w->at == AT_MANY && w->collection == STRATA_MAP, list = w->at == AT_MANY && w->collection == STRATA_LIST;
    strata_step *step;
    w->target->spread |= part->kind == ST_PART_EACH;
    if (w->target->operand.aggregate != STRATA_EACH_VALUE) return fail_at(w, part, "nothing in brackets can follow");
    if (w->at == AT_MANY && part->kind == ST_PART_EACH) return enter_elements(w, part);
    if (w->at != AT_MIXED && !(map && part->kind == ST_PART_KEY) && !(list && part->kind == ST_PART_POSITION)) {
        return fail_at(w, part, map ? "in brackets stands one of its keys, such as ['name']"
                                : list ? "in brackets stands a position, such as [0]"
                                       : "only maps, lists and values of any type can be looked into with brackets");
    }
    if (part->kind == ST_PART_KEY) {
        step = add_step(w, STRATA_STEP_KEY);
        step->key = part->text;
        if (!st_keep_bytes(w->resolver, &step->key)) return false;
    } else {
        step = add_step(w, part->kind == ST_PART_EACH ? STRATA_STEP_EACH : STRATA_STEP_POSITION);
        step->position = part->position;
    }
    arrive(w);
    return true;
}

/* ---- Aggregates ------------------------------------------------------- */

static bool take_aggregate(walk *w, const st_part *part) {
    st_target *target = w->target;
    const char *name = st_aggregate_text(part->aggregate);
    if (target->operand.aggregate != STRATA_EACH_VALUE) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column, "a path has only one aggregate");
    }
    if (w->at != AT_MANY && target->many) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column,
                                "@%s stands behind the collection: list.@%s.%.*s", name, name, st_shown(target->name),
                                (const char *)target->name.data);
    }
    if (w->at != AT_MANY) return fail_at(w, part, "only a collection has aggregates");
    if (target->many) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column,
                                "@%s of collections in a collection; use SUBQUERY", name);
    }
    /* There are as many keys as values. */
    strata_step_kind last = w->target->steps[target->operand.path_length - 1].kind;
    if (last == STRATA_STEP_KEYS && part->aggregate == STRATA_COUNT) target->operand.path_length--;
    target->operand.aggregate = part->aggregate;
    target->operand.aggregate_length = target->operand.path_length;
    arrive(w);
    return true;
}

/* ---- The whole -------------------------------------------------------- */

static bool take_part(walk *w, uint32_t number) {
    const st_part *part = &w->term->parts[number];
    if (w->target->operand.aggregate == STRATA_COUNT) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column, "nothing can follow @count");
    }
    if (w->target->operand.path_length == 0 && part->kind != ST_PART_NAME && part->kind != ST_PART_SELF) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column, "a path begins with the name of a property");
    }
    switch (part->kind) {
    case ST_PART_NAME: return take_name(w, part);
    case ST_PART_AGGREGATE: return take_aggregate(w, part);
    case ST_PART_KEYS:
    case ST_PART_VALUES: return take_map_part(w, part);
    case ST_PART_KEY:
    case ST_PART_POSITION:
    case ST_PART_EACH: return take_bracket(w, part);
    case ST_PART_SELF: break;
    }
    if (number == 0 && w->term->variable.size == 0) return true;
    return st_resolver_fail(w->resolver, STRATA_MISUSE, part->column, "SELF stands at the beginning of a path");
}

static bool check_variable(st_resolver *resolver, const st_origin *origin, const st_term *term) {
    strata_bytes wanted = origin->variable, found = term->variable;
    bool same = wanted.size == found.size && (wanted.size == 0 || memcmp(wanted.data, found.data, wanted.size) == 0);
    if (same) return true;
    return st_resolver_fail(resolver, STRATA_MISUSE, term->column,
                            "inside of this SUBQUERY every path begins with its variable $%.*s", st_shown(wanted),
                            (const char *)wanted.data);
}

/* At the end of the path. */
static bool finish(walk *w) {
    st_target *target = w->target;
    strata_aggregate aggregate = target->operand.aggregate;
    if (target->operand.path_length == 0) {
        add_step(w, STRATA_STEP_SELF);
        w->type = STRATA_LINK;
    }
    if (w->at == AT_MANY) {
        if (aggregate != STRATA_EACH_VALUE) {
            return st_resolver_fail(w->resolver, STRATA_MISUSE, target->column,
                                    "behind @%s no collection can follow; use SUBQUERY", st_aggregate_text(aggregate));
        }
        target->many = true;
        if (w->type == STRATA_MIXED) target->dynamic = true;
    }
    target->table = w->table;
    target->type = st_total_type(w->type, aggregate);
    if (aggregate == STRATA_EACH_VALUE || st_total_fits(w->type, aggregate)) return true;
    if (w->type == STRATA_LINK) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, target->column,
                                "@%s of objects needs one of their properties behind it, such as %.*s.@%s.age",
                                st_aggregate_text(aggregate), st_shown(target->name), (const char *)target->name.data,
                                st_aggregate_text(aggregate));
    }
    return st_resolver_fail(w->resolver, STRATA_TYPE, target->column, "'%.*s' of %s has %s values, which have no @%s",
                            st_shown(target->name), (const char *)target->name.data, target->owner,
                            st_type_name(w->type), st_aggregate_text(aggregate));
}

bool st_follow_path(st_resolver *resolver, const st_origin *origin, const st_term *term, st_target *out) {
    *out = (st_target){ .column = term->column, .name = { "SELF", 4 }, .owner = resolver->tables[origin->table].name };
    strata_step *steps = st_arena_alloc(resolver->memory, (term->part_count + 1) * sizeof *steps);
    if (steps == NULL) return st_resolver_no_memory(resolver);
    out->operand.path = out->steps = steps;
    walk w = { .resolver = resolver, .term = term, .target = out, .table = origin->table,
               .type = STRATA_LINK };
    if (!check_variable(resolver, origin, term)) return false;
    for (uint32_t i = 0; i < term->part_count; i++) {
        if (!take_part(&w, i)) return false;
    }
    return finish(&w);
}
