/* SPDX-License-Identifier: MIT
 * target.c -- follows a path from table to table. */
#include "predicate/target.h"

#include "predicate/property.h"
#include "value/total.h"

/* What the path leads to so far. */
typedef enum walk_state {
    AT_OBJECT, /* an object of `table`: the first one, or one that the last step links to */
    AT_MANY,   /* a collection as a whole; `type` and `table` are those of its elements */
    AT_MIXED,
    AT_VALUE   /* a value of another type, `type`, where a path ends */
} walk_state;

typedef struct walk {
    st_resolver *resolver;
    const st_term *term;
    st_target *target;
    walk_state at;
    uint32_t table;
    strata_type type;
    strata_collection collection; /* AT_MANY; STRATA_SINGLE for the objects that link here */
    bool each;                    /* the text says of the last collection that each value in it is meant */
} walk;

static strata_step *add_step(walk *w, strata_step_kind kind) {
    strata_step *step = &w->target->steps[w->target->operand.path_length++];
    memset(step, 0, sizeof *step);
    step->kind = kind;
    return step;
}

/* The path leads to one value of a column or a collection. */
static void arrive(walk *w) {
    w->at = w->type == STRATA_LINK ? AT_OBJECT : w->type == STRATA_MIXED ? AT_MIXED : AT_VALUE;
    if (w->type == STRATA_MIXED) w->target->dynamic = true;
}

static const char *noun_of(const walk *w) {
    const st_target *target = w->target;
    if (w->at == AT_MANY && target->steps[target->operand.path_length - 1].kind == STRATA_STEP_KEYS)
        return "the keys of a map";
    return w->at == AT_MANY ? (w->collection == STRATA_SINGLE ? "what links to it" : st_collection_name(w->collection))
           : w->at == AT_OBJECT ? "object" : w->at == AT_MIXED ? "value of any type" : st_type_name(w->type);
}

static bool fail_at(walk *w, const st_component *c, const char *what) {
    const st_target *target = w->target;
    return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column, "'%.*s' of %s is %s (%s); %s",
                            st_shown(target->name), (const char *)target->name.data, target->owner,
                            w->at == AT_MANY ? "a collection" : w->at == AT_OBJECT ? "a link" : "a value", noun_of(w),
                            what);
}

/* ---- Names ------------------------------------------------------------ */

/* Goes on from each element of a collection. */
static bool enter_elements(walk *w, const st_component *c) {
    st_target *target = w->target;
    if (target->operand.aggregate != STRATA_EACH_VALUE) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column,
                                "behind @%s no collection can follow; use SUBQUERY",
                                st_aggregate_text(target->operand.aggregate));
    }
    target->many = target->nested = true;
    arrive(w);
    return true;
}

static bool walk_name(walk *w, const st_component *c) {
    strata_step step;
    st_target *target = w->target;
    if (w->at == AT_MANY && w->type == STRATA_LINK && !enter_elements(w, c)) return false;
    if (w->at != AT_OBJECT) {
        bool map = w->at == AT_MANY && w->collection == STRATA_MAP;
        return fail_at(w, c, w->at == AT_MIXED ? "in brackets stands what to look at in it, such as ['name'] or [0]"
                             : map             ? "in brackets stands one of its keys, such as ['name']"
                                               : "a path goes on only through links");
    }
    if (!st_find_property(w->resolver, w->table, c->text, c->column, &step)) return false;
    bool backlinks = step.kind == STRATA_STEP_BACKLINKS;
    const st_column *column = &w->resolver->tables[backlinks ? step.table : w->table].columns[step.column];
    *add_step(w, step.kind) = step;
    target->name = c->text;
    target->owner = w->resolver->tables[w->table].name;
    target->column = c->column;
    w->type = backlinks ? STRATA_LINK : column->type;
    w->table = backlinks ? step.table : column->target;
    w->collection = backlinks ? STRATA_SINGLE : column->collection;
    w->each = false;
    if (backlinks || column->collection != STRATA_SINGLE) w->at = AT_MANY;
    else arrive(w);
    return true;
}

/* ---- Collections ------------------------------------------------------ */

static bool walk_map_component(walk *w, const st_component *c) {
    if (w->at != AT_MANY || w->collection != STRATA_MAP) return fail_at(w, c, "only a map has keys and values");
    w->target->spread = true;
    w->each = c->kind == ST_COMPONENT_VALUES;
    if (w->each) return true;
    add_step(w, STRATA_STEP_KEYS);
    w->type = STRATA_STRING;
    w->collection = STRATA_SET; /* which the keys of a map are */
    return true;
}

/* Goes on from each element of a collection, because the text says so. Brackets that follow are about what lies inside
 * of an element. */
static bool enter_each(walk *w, const st_component *c) {
    bool mixed = w->type == STRATA_MIXED;
    if (!enter_elements(w, c)) return false;
    if (mixed) add_step(w, STRATA_STEP_ELEMENTS);
    w->each = true;
    return true;
}

static bool walk_bracket(walk *w, const st_component *c) {
    bool inside = w->type == STRATA_MIXED || c->kind != ST_COMPONENT_EACH;
    if (w->at == AT_MANY && w->each && inside && !enter_each(w, c)) return false;
    bool map = w->at == AT_MANY && w->collection == STRATA_MAP, list = w->at == AT_MANY && w->collection == STRATA_LIST;
    strata_step *step;
    w->target->spread |= c->kind == ST_COMPONENT_EACH;
    if (w->target->operand.aggregate != STRATA_EACH_VALUE) return fail_at(w, c, "nothing in brackets can follow");
    if (w->at == AT_MANY && c->kind == ST_COMPONENT_EACH) return enter_each(w, c);
    if (w->at != AT_MIXED && !(map && c->kind == ST_COMPONENT_KEY) && !(list && c->kind == ST_COMPONENT_POSITION)) {
        return fail_at(w, c, map    ? "in brackets stands one of its keys, such as ['name']"
                             : list ? "in brackets stands a position, such as [0]"
                                    : "only maps, lists and values of any type can be looked into with brackets");
    }
    if (c->kind == ST_COMPONENT_KEY) {
        step = add_step(w, STRATA_STEP_KEY);
        step->key = c->text;
        if (!st_resolver_copy_bytes(w->resolver, &step->key)) return false;
    } else {
        step = add_step(w, c->kind == ST_COMPONENT_EACH ? STRATA_STEP_EACH : STRATA_STEP_POSITION);
        step->position = c->position;
    }
    w->each = false;
    arrive(w);
    return true;
}

/* ---- Aggregates ------------------------------------------------------- */

static bool walk_aggregate(walk *w, const st_component *c) {
    st_target *target = w->target;
    const char *name = st_aggregate_text(c->aggregate);
    if (target->operand.aggregate != STRATA_EACH_VALUE) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column, "a path has only one aggregate");
    }
    if (w->at != AT_MANY && target->many && w->each) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column,
                                "@%s stands behind the collection: leave [#any] out, as in %.*s.@%s", name,
                                st_shown(target->name), (const char *)target->name.data, name);
    }
    if (w->at != AT_MANY && target->many) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column,
                                "@%s stands behind the collection: list.@%s.%.*s", name, name, st_shown(target->name),
                                (const char *)target->name.data);
    }
    if (w->at != AT_MANY) return fail_at(w, c, "only a collection has aggregates");
    if (target->many) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column,
                                "@%s of collections in a collection; use SUBQUERY", name);
    }
    /* Counting keys is counting values. */
    strata_step_kind last = w->target->steps[target->operand.path_length - 1].kind;
    if (last == STRATA_STEP_KEYS && c->aggregate == STRATA_COUNT) target->operand.path_length--;
    target->operand.aggregate = c->aggregate;
    target->operand.aggregate_length = target->operand.path_length;
    arrive(w);
    return true;
}

/* ---- The whole -------------------------------------------------------- */

static bool walk_component(walk *w, uint32_t number) {
    const st_component *c = &w->term->components[number];
    if (w->target->operand.aggregate == STRATA_COUNT) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column, "nothing can follow @count");
    }
    if (w->target->operand.path_length == 0 && c->kind != ST_COMPONENT_NAME && c->kind != ST_COMPONENT_SELF) {
        return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column, "a path begins with the name of a property");
    }
    switch (c->kind) {
    case ST_COMPONENT_NAME: return walk_name(w, c);
    case ST_COMPONENT_AGGREGATE: return walk_aggregate(w, c);
    case ST_COMPONENT_KEYS:
    case ST_COMPONENT_VALUES: return walk_map_component(w, c);
    case ST_COMPONENT_KEY:
    case ST_COMPONENT_POSITION:
    case ST_COMPONENT_EACH: return walk_bracket(w, c);
    case ST_COMPONENT_SELF: break;
    }
    if (number == 0 && w->term->variable.size == 0) return true;
    return st_resolver_fail(w->resolver, STRATA_MISUSE, c->column, "SELF stands at the beginning of a path");
}

static bool check_variable(st_resolver *resolver, const st_origin *origin, const st_term *term) {
    strata_bytes wanted = origin->variable, found = term->variable;
    bool same = wanted.size == found.size && (wanted.size == 0 || memcmp(wanted.data, found.data, wanted.size) == 0);
    if (same) return true;
    return st_resolver_fail(resolver, STRATA_MISUSE, term->column,
                            "inside of this SUBQUERY every path begins with its variable $%.*s", st_shown(wanted),
                            (const char *)wanted.data);
}

/* The end of the path: notes what it leads to. */
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

/* The path begins at a value of a collection, which every path of the condition names first. */
static void begin_at_value(walk *w, const st_column *column) {
    add_step(w, STRATA_STEP_SELF);
    w->target->name = (strata_bytes){ column->name, strlen(column->name) };
    w->type = column->type;
    w->table = column->target;
    arrive(w);
}

bool st_target_find(st_resolver *resolver, const st_origin *origin, const st_term *term, st_target *out) {
    *out = (st_target){ .column = term->column, .name = { "SELF", 4 }, .owner = resolver->tables[origin->table].name };
    strata_step *steps = st_arena_alloc(resolver->memory, (term->component_count + 2) * sizeof *steps);
    if (steps == NULL) return st_resolver_no_memory(resolver);
    out->operand.path = out->steps = steps;
    walk w = { .resolver = resolver, .term = term, .target = out, .table = origin->table,
               .type = STRATA_LINK };
    if (!check_variable(resolver, origin, term)) return false;
    if (origin->values != NULL) begin_at_value(&w, origin->values);
    for (uint32_t i = 0; i < term->component_count; i++) {
        if (!walk_component(&w, i)) return false;
    }
    return finish(&w);
}
