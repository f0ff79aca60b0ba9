/* SPDX-License-Identifier: MIT
 * query_model.h -- the same objects in a store and in plain C, and queries answered from the latter. */
#ifndef QUERY_MODEL_H
#define QUERY_MODEL_H

#include "strata_query.h"
#include "tests.h"

/* Person and Plain have the same columns and objects; only those of Person are indexed. */
enum { PERSON, PLAIN, DOG, TABLES };
enum { ID, AGE, COUNT, SCORE, RATIO, FLAG, NAME, NOTE, BLOB, BORN, UID, OID, PET, FRIENDS, COLUMNS };
enum { DOG_NAME, DOG_AGE, DOG_OWNER, DOG_COLUMNS };
enum { MOST_FRIENDS = 400 };

typedef struct model_row {
    uint64_t key;
    strata_value cells[COLUMNS];
    uint64_t *friends;
    uint32_t friend_count;
} model_row;

typedef struct model_table {
    model_row *rows;       /* ascending by key */
    uint32_t count;
} model_table;

typedef struct query_model {
    strata_store *store;
    strata_view *view;
    strata_error error;
    uint64_t random;
    model_table tables[TABLES];
} query_model;

/** Fails the test with the message of the error if the status is a failure. */
void model_must(query_model *m, strata_status status);

/** Makes a store with random objects, changed and deleted here and there. */
void model_make(query_model *m, uint64_t seed, uint32_t persons);
void model_free(query_model *m);

/** A random value for a column; null now and then, whether or not the column can be null. */
strata_value model_value(query_model *m, strata_type type);
strata_type model_type(uint32_t table, uint32_t column);

/** The first sort among the stages; without one, one of no keys. */
strata_stage model_sort(const strata_query *query);

/** The row with that key, or NULL. */
const model_row *model_find(const query_model *m, uint32_t table, uint64_t key);
/** The keys that the query gives; freed by the caller. */
uint64_t *model_answer(const query_model *m, const strata_query *query, size_t *out_count);

#endif
