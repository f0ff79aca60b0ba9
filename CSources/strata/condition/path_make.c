/* SPDX-License-Identifier: MIT
 * path_make.c -- checks paths and turns them into steps. */
#include "condition/path_make.h"

#include "base/status.h"
#include "collection/source.h"

/* A path, as far as it has been checked. */
typedef struct maker {
    st_query *query;
    st_operand *operand;
    uint32_t table;     /* of the object that it leads to; ST_NONE: to no object, as before a step from a value */
    strata_type type;   /* of the value that it leads to; STRATA_NULL before the first step */
    st_step *last;      /* NULL before the first step */
    bool fresh;         /* the last step is a column, and no step has said more about it yet */
} maker;

static const char *table_name(const maker *m, uint32_t table) { return st_query_root(m->query, table); }

static st_step *add_step(maker *m, st_step_kind kind) {
    st_step *step = &m->operand->steps[m->operand->step_count++];
    *step = (st_step){ .kind = kind, .target = ST_NONE };
    m->last = step;
    m->fresh = false;
    return step;
}

/* Notes what the last step leads to. */
static strata_status arrive(maker *m, strata_type type, uint32_t target) {
    m->type = type;
    m->table = m->last->target = type == STRATA_LINK ? target : ST_NONE;
    return STRATA_OK;
}

/* ---- Steps from an object --------------------------------------------- */

static strata_status need_object(const maker *m) {
    if (m->table != ST_NONE) return STRATA_OK;
    const st_step *last = m->last;
    strata_error *error = m->query->error;
    if (last == NULL) {
        return st_fail(error, STRATA_MISUSE, 0, "a path from a value of %s begins with SELF",
                       table_name(m, m->operand->table));
    }
    if (last->kind == ST_STEP_SELF) {
        return st_fail(error, STRATA_MISUSE, 0, "a path from %s goes on behind SELF, which is its last step",
                       table_name(m, m->operand->table));
    }
    if (last->kind == ST_STEP_KEYS) {
        return st_fail(error, STRATA_TYPE, 0, "the keys of %s of %s are strings; a path ends there",
                       last->column->name, table_name(m, last->table));
    }
    return st_fail(error, STRATA_TYPE, 0, "%s of %s holds %s values; a path goes on only through links",
                   last->column->name, table_name(m, last->table), st_type_name(m->type));
}

static strata_status add_column(maker *m, const strata_step *spec) {
    strata_status status = need_object(m);
    const st_column *column = status == STRATA_OK
                                  ? st_view_column(m->query->view, m->table, spec->column, m->query->error) : NULL;
    if (column == NULL) return status == STRATA_OK ? STRATA_MISUSE : status;
    st_step *step = add_step(m, column->collection == STRATA_SINGLE ? ST_STEP_CELL : ST_STEP_ELEMENTS);
    step->table = m->table;
    step->number = spec->column;
    step->column = column;
    m->fresh = true;
    return arrive(m, column->type, column->target);
}

static strata_status add_backlinks(maker *m, const strata_step *spec) {
    strata_error *error = m->query->error;
    strata_status status = need_object(m);
    if (status != STRATA_OK) return status;
    const st_column *column = st_view_column(m->query->view, spec->table, spec->column, error);
    if (column == NULL) return STRATA_MISUSE;
    if (column->link_id == 0 || (column->type != STRATA_MIXED && column->target != m->table)) {
        return st_fail(error, STRATA_MISUSE, 0, "%s of %s does not link to %s", column->name,
                       table_name(m, spec->table), table_name(m, m->table));
    }
    uint32_t linked = m->table;
    st_step *step = add_step(m, ST_STEP_BACKLINKS);
    step->table = spec->table;
    step->number = spec->column;
    step->column = column;
    step->linked = linked;
    return arrive(m, STRATA_LINK, spec->table);
}

/* The value that is tested. */
static strata_status add_value(maker *m) {
    const st_column *column = m->query->values;
    st_step *step = add_step(m, ST_STEP_VALUE);
    step->table = m->query->owner;
    step->column = column;
    return arrive(m, column->type, column->target);
}

static strata_status add_self(maker *m) {
    if (m->last == NULL && m->table == ST_NONE) return add_value(m);
    strata_status status = need_object(m);
    if (status != STRATA_OK) return status;
    uint32_t table = m->table;
    st_step *step = add_step(m, ST_STEP_SELF);
    step->table = step->target = table;
    m->type = STRATA_LINK;
    m->table = ST_NONE;
    return STRATA_OK;
}

/* ---- Steps into a collection or a mixed value ------------------------- */

/* A step that says more about a collection of this kind may follow. */
static bool is_behind(const maker *m, strata_collection kind) {
    return m->fresh && m->last->column->collection == kind;
}

static strata_status refuse_inside(const maker *m, const char *step, const char *what) {
    const char *root = table_name(m, m->operand->table);
    if (m->last == NULL || m->last->column == NULL) {
        return st_fail(m->query->error, STRATA_TYPE, 0, "a step of a path from %s, %s, only follows %s", root, step,
                       what);
    }
    const st_column *column = m->last->column;
    if (column->collection != STRATA_SINGLE && !m->fresh) {
        return st_fail(m->query->error, STRATA_TYPE, 0, "the step %s follows %s of %s behind a step that says already "
                       "which of its %s values are meant, and these are not %s", step, column->name,
                       table_name(m, m->last->table), st_type_name(column->type), what);
    }
    const char *kind = column->collection == STRATA_SINGLE ? "column" : st_collection_name(column->collection);
    return st_fail(m->query->error, STRATA_TYPE, 0, "the step %s follows %s of %s, a %s of %s values, and not %s", step,
                   column->name, table_name(m, m->last->table), kind, st_type_name(column->type), what);
}

static strata_status add_inner(maker *m, st_step_kind kind, const strata_step *spec) {
    const st_step *before = m->last;
    st_step *step = add_step(m, kind);
    step->table = before->table;
    step->column = before->column;
    step->position = spec->position;
    step->key = spec->key;
    return arrive(m, STRATA_MIXED, ST_NONE);
}

/* The step before, which is a collection, becomes a more precise one. */
static strata_status refine(maker *m, st_step_kind kind, const strata_step *spec) {
    m->last->kind = kind;
    m->last->position = spec->position;
    m->last->key = spec->key;
    m->fresh = false;
    return kind == ST_STEP_KEYS ? arrive(m, STRATA_STRING, ST_NONE) : STRATA_OK;
}

static strata_status add_inside(maker *m, const strata_step *spec) {
    bool mixed = m->type == STRATA_MIXED;
    switch (spec->kind) {
    case STRATA_STEP_KEYS:
        return is_behind(m, STRATA_MAP) ? refine(m, ST_STEP_KEYS, spec) : refuse_inside(m, "KEYS", "a map");
    case STRATA_STEP_KEY:
        if (spec->key.size != 0 && spec->key.data == NULL) {
            return st_fail(m->query->error, STRATA_MISUSE, 0, "a path from %s has a key without an address",
                           table_name(m, m->operand->table));
        }
        if (is_behind(m, STRATA_MAP)) return refine(m, ST_STEP_ENTRY, spec);
        if (mixed) return add_inner(m, ST_STEP_INNER_ENTRY, spec);
        return refuse_inside(m, "KEY", "a map or a mixed value");
    case STRATA_STEP_POSITION:
        if (is_behind(m, STRATA_LIST)) return refine(m, ST_STEP_ELEMENT, spec);
        if (mixed) return add_inner(m, ST_STEP_INNER_ELEMENT, spec);
        return refuse_inside(m, "POSITION", "a list or a mixed value");
    case STRATA_STEP_ELEMENTS:
        if (!m->fresh || is_behind(m, STRATA_SINGLE)) return refuse_inside(m, "ELEMENTS", "a collection");
        m->fresh = false;
        return STRATA_OK;
    default:
        if (mixed) return add_inner(m, ST_STEP_INNER_EACH, spec);
        return refuse_inside(m, "EACH", "a mixed value");
    }
}

/* ---- The whole -------------------------------------------------------- */

static strata_status add(maker *m, const strata_step *spec) {
    switch (spec->kind) {
    case STRATA_STEP_COLUMN: return add_column(m, spec);
    case STRATA_STEP_BACKLINKS: return add_backlinks(m, spec);
    case STRATA_STEP_SELF: return add_self(m);
    case STRATA_STEP_KEYS:
    case STRATA_STEP_KEY:
    case STRATA_STEP_POSITION:
    case STRATA_STEP_EACH:
    case STRATA_STEP_ELEMENTS: return add_inside(m, spec);
    }
    return st_fail(m->query->error, STRATA_MISUSE, 0, "%d is no kind of step in a path", (int)spec->kind);
}

/* Allocates the memory that walking a collection takes. */
static bool make_batch(st_query *query, st_step *step) {
    if (step->kind == ST_STEP_ELEMENTS || step->kind == ST_STEP_KEYS) {
        step->batch.values = st_arena_alloc(&query->memory, ST_SOURCE_BATCH * sizeof(strata_value));
        return step->batch.values != NULL;
    }
    if (step->kind != ST_STEP_BACKLINKS) return true;
    step->batch.keys = st_arena_alloc(&query->memory, ST_SOURCE_BATCH * sizeof(uint64_t));
    return step->batch.keys != NULL;
}

/* The first object of a path is another one each time. Others may be met again; walking on from them once is enough
 * unless that takes no more than a step or two. */
static void find_revisited(st_operand *operand) {
    bool many = false;
    for (uint32_t i = operand->step_count; i-- > 1;) {
        st_step *step = &operand->steps[i];
        many |= st_step_is_many(step);
        step->revisited = many && step->kind < ST_STEP_INNER_EACH;
    }
}

strata_status st_path_make(st_query *query, const strata_operand *spec, st_operand *out) {
    maker m = { .query = query, .operand = out, .table = out->table };
    uint32_t length = spec->path_length;
    if (length == 0) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a comparison on %s names no column",
                       table_name(&m, out->table));
    }
    if (spec->path == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a path from %s has %u steps without an address",
                       table_name(&m, out->table), length);
    }
    if (length > STRATA_MAX_STEPS) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a path from %s has %u steps; there may be %d",
                       table_name(&m, out->table), length, STRATA_MAX_STEPS);
    }
    out->steps = st_arena_alloc(&query->memory, length * sizeof *out->steps);
    if (out->steps == NULL) return st_no_memory(query->error, "compiling a query");
    for (uint32_t i = 0; i < length; i++) {
        uint32_t before = out->step_count;
        strata_status status = add(&m, spec->path + i);
        if (status != STRATA_OK) return status;
        bool refines = out->step_count == before && spec->path[i].kind != STRATA_STEP_ELEMENTS;
        if (i >= spec->aggregate_length && before == out->collected && refines) {
            m.fresh = false; /* a step belongs to the collection but stands behind it in the path */
            out->collected = 0;
        }
        if (i + 1 == spec->aggregate_length) out->collected = out->step_count;
    }
    for (uint32_t i = 0; i < out->step_count; i++) {
        out->many |= st_step_is_many(&out->steps[i]);
        if (!make_batch(query, &out->steps[i])) return st_no_memory(query->error, "compiling a query");
    }
    find_revisited(out);
    out->element = m.type;
    out->target = m.last->target;
    return STRATA_OK;
}
