/* SPDX-License-Identifier: MIT
 *
 * reader.h -- the cell at the end of a path of to-one links and a column: what objects are sorted and grouped by.
 */
#ifndef ST_CONDITION_KEY_READER_H
#define ST_CONDITION_KEY_READER_H

#include "block/vector.h"
#include "condition/comparison.h"
#include "condition/query.h"
#include "value/key.h"

typedef struct st_key_reader {
    const strata_step *path;
    uint32_t path_length;
    const st_column *column; /* the last one */
    st_field field;          /* and how it is packed */
    st_kind kind;            /* INT, REAL, or BYTES of everything else */
    bool may_be_null;        /* or not be reached */
    const uint8_t *block;    /* the block looked at last, and the column in it */
    st_vector vector;
} st_key_reader;

/** What is at the end, in ascending order. */
typedef enum st_key_read {
    ST_READ_NULL = 0,
    ST_READ_VALUE = 1,
    ST_READ_NOTHING = 2 /* a link on the way is null, or something failed */
} st_key_read;

enum { ST_KEY_READER_LINKS = 1 /* the path may end in a link */ };

/** Checks the path of a sort, a measure, ..., which `what` says in the message if it is refused. Lifetime: that of the
 * path. Fails: STRATA_MISUSE, STRATA_TYPE. */
strata_status st_key_reader_make(st_query *query, const char *what, const strata_step *path, uint32_t length,
                            uint32_t options, st_key_reader *out);

/** Finds the cell for a row of the query's table: `reader->vector` and `*slot`. A failure is noted in the query. */
st_key_read st_key_reader_find(st_query *query, st_key_reader *reader, const st_stored_row *row, uint32_t *slot);
/** Opens the column in a block of the query's table; the path is a single column. False after a failure. */
bool st_key_reader_open(st_query *query, st_key_reader *reader, const uint8_t *block, size_t size);

/** The value of a cell that is not null; its bytes lie in the block or the scratch buffer of the query. False after a
 * failure. */
bool st_key_reader_value(st_query *query, const st_key_reader *reader, uint32_t slot, strata_value *out);

/** A number whose unsigned order is that of the cell, which is INT or REAL and not null. */
static inline uint64_t st_key_reader_number(const st_key_reader *reader, uint32_t slot) {
    if (reader->kind == ST_KIND_REAL) return st_key_order_real(st_vector_real(&reader->vector, slot));
    return (uint64_t)st_vector_int(&reader->vector, slot) ^ UINT64_C(1) << 63;
}
/** The same of a value. */
uint64_t st_key_reader_number_of(const strata_value *value);

/**
 * Bytes whose order is that of the cell, which is of kind BYTES and not null: equal values give equal bytes. They lie
 * in the block, or in a buffer of the query until the next call; `*lasting` says which. False after a failure.
 */
bool st_key_reader_bytes(st_query *query, const st_key_reader *reader, uint32_t slot, strata_bytes *out, bool *lasting);
/** The same of a value. */
bool st_key_reader_bytes_of(st_query *query, const strata_value *value, bool mixed, strata_bytes *out);

#endif
