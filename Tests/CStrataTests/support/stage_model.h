/* SPDX-License-Identifier: MIT
 * stage_model.h -- objects with a value of every type, and stages, groups and bookmarks answered from plain C. */
#ifndef STAGE_MODEL_H
#define STAGE_MODEL_H

#include "strata_decimal.h"
#include "strata_mixed.h"
#include "strata_query.h"
#include "support/strata_support.h"

enum { THING, MAKER, TABLES };
enum { ID, FLAG, COUNT, RATIO, SCORE, NAME, BLOB, BORN, UID, OID, PRICE, ANY, NEXT, MADE_BY, PARTS, COLUMNS };
enum { MAKER_NAME, MAKER_RANK, MAKER_ANY, MAKER_COLUMNS };
enum { MOST_PARTS = 12 };

typedef struct model_thing {
    uint64_t key;
    strata_value cells[COLUMNS]; /* of PARTS, null */
    uint64_t parts[MOST_PARTS];
    uint32_t part_count;
} model_thing;

typedef struct stage_model {
    fixture *f;
    uint64_t random;
    model_thing *tables[TABLES]; /* ascending by key */
    uint32_t counts[TABLES];
} stage_model;

/** The objects that a query is about, one after the other. */
typedef struct model_rows {
    const model_thing **rows;
    size_t count;
} model_rows;

uint64_t model_below(stage_model *m, uint64_t limit);

/** Makes a store with random objects. `indexed`: with indexes, compound ones too. */
void stage_model_make(stage_model *m, uint64_t seed, uint32_t things, bool indexed);
void stage_model_free(stage_model *m);
/** Deletes a thing, in the open write. */
void stage_model_delete(stage_model *m, uint32_t at);

strata_type model_column_type(uint32_t table, uint32_t column);
/** A random value of a column; null now and then. */
strata_value model_cell(stage_model *m, uint32_t table, uint32_t column);

/** What a path leads to; `*reached` is false if a link on the way is null. */
strata_value model_value_at(const stage_model *m, const model_thing *row, const strata_step *path, uint32_t length,
                            bool *reached);
/** Order of two values of a column, nulls first. */
int model_compare(const strata_value *a, const strata_value *b);

/** What the query finds; freed with free(). */
model_rows stage_model_answer(const stage_model *m, const strata_query *query);
const model_thing *model_thing_of(const stage_model *m, uint32_t table, uint64_t key);

#endif
