/* SPDX-License-Identifier: MIT
 * operand.c -- what is compared: checked, named and estimated. */
#include "condition/operand.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/status.h"
#include "condition/path_make.h"
#include "value/total.h"

/* ---- Making ----------------------------------------------------------- */

static const char *aggregate_name(strata_aggregate aggregate) {
    static const char *const names[] = { "value", "count", "minimum", "maximum", "sum", "average" };
    return names[aggregate];
}

/* Checks the collection that an aggregate is taken of, and the steps that lead on from its elements. */
static strata_status check_aggregate(st_query *query, const strata_operand *spec, const st_operand *operand) {
    const char *root = st_query_root(query, operand->table);
    const char *name = aggregate_name(spec->aggregate);
    uint32_t collected = operand->collected;
    if (collected == 0 || !st_step_is_many(&operand->steps[collected - 1])) {
        return st_fail(query->error, STRATA_TYPE, 0,
                       "the first %u of %u steps from %s lead to no collection that a %s could be taken of",
                       spec->aggregate_length, spec->path_length, root, name);
    }
    if (spec->aggregate == STRATA_COUNT && operand->step_count != collected) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a path from %s goes on behind the collection that is counted",
                       root);
    }
    for (uint32_t i = collected; i < operand->step_count; i++) {
        if (!st_step_is_many(&operand->steps[i])) continue;
        return st_fail(query->error, STRATA_TYPE, 0, "a path from %s meets another collection behind the one that a "
                       "%s is taken of", root, name);
    }
    if (st_total_fits(operand->element, spec->aggregate)) return STRATA_OK;
    char text[ST_OPERAND_NAME];
    st_operand values = *operand;
    values.aggregate = STRATA_EACH_VALUE;
    const char *type = st_type_name(operand->element);
    return st_fail(query->error, STRATA_TYPE, 0, "%s is %s %s, of which there is no %s",
                   st_operand_name(query, &values, text), st_article(type), type, name);
}

strata_status st_operand_make(st_query *query, uint32_t table, const strata_operand *spec, st_operand **out) {
    st_operand *operand = st_arena_alloc(&query->memory, sizeof *operand);
    *out = operand;
    if (operand == NULL) return st_no_memory(query->error, "compiling a query");
    *operand = (st_operand){ .next = query->operands, .table = table };
    query->operands = operand;
    if ((unsigned)spec->aggregate > STRATA_AVERAGE) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%d is no aggregate", (int)spec->aggregate);
    }
    strata_status status = st_path_make(query, spec, operand);
    if (status != STRATA_OK) return status;
    operand->aggregate = spec->aggregate;
    operand->type = st_total_type(operand->element, spec->aggregate);
    return spec->aggregate == STRATA_EACH_VALUE ? STRATA_OK : check_aggregate(query, spec, operand);
}

void st_operand_free(st_operand *operand) {
    for (uint32_t i = 0; i < operand->step_count; i++) {
        st_step *step = &operand->steps[i];
        st_posting_cursor_close(step->cursor);
        st_answers_free(&step->answers);
        step->cursor = NULL;
        step->block = NULL;
    }
    st_answers_free(&operand->counted);
    st_buffer_free(&operand->scratch);
}

/* ---- Names ------------------------------------------------------------ */

const char *st_operand_name(const st_query *query, const st_operand *operand, char out[ST_OPERAND_NAME]) {
    const st_step *last = &operand->steps[operand->step_count - 1];
    const char *table = query->view->catalog->tables[last->table].name, *before = "";
    char total[32] = "";
    if (operand->aggregate != STRATA_EACH_VALUE) {
        (void)snprintf(total, sizeof total, "the %s of ", aggregate_name(operand->aggregate));
    }
    if (last->kind == ST_STEP_SELF) {
        (void)snprintf(out, ST_OPERAND_NAME, "an object of %s", table);
        return out;
    }
    if (last->kind == ST_STEP_KEYS) before = "keys of ";
    else if (last->kind == ST_STEP_BACKLINKS) before = "links by ";
    else if (last->kind >= ST_STEP_INNER_EACH) before = "values in ";
    (void)snprintf(out, ST_OPERAND_NAME, "%s%s%s of %s", total, before, last->column->name, table);
    return out;
}

/* ---- Costs ------------------------------------------------------------ */

uint32_t st_operand_cost(const st_operand *operand) {
    uint32_t cost = 0;
    for (uint32_t i = 0; i < operand->step_count; i++) {
        const st_step *step = &operand->steps[i];
        uint32_t each = step->kind == ST_STEP_CELL ? 5 : step->kind == ST_STEP_BACKLINKS ? 100 : 40;
        if (i > 0) each += step->kind >= ST_STEP_INNER_EACH ? 0 : 60; /* another object has to be found */
        cost += each;
    }
    if (operand->aggregate == STRATA_COUNT && operand->step_count == 1) cost /= 2;
    return cost;
}
