/* SPDX-License-Identifier: MIT
 *
 * key_reader.h -- reads what rows are sorted, grouped and told apart by: the cell at the end of a path.
 *
 * The path is any number of to-one links, and then a column. A reader is used in two steps: one of its functions finds
 * the cell, or opens the column in a whole block; the others then read the cell in `slot`. What they read may be null
 * only if `may_be_null`.
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
    const st_column *column; /* the column at the end of the path, */
    st_field field;          /* and how it is packed */
    st_kind kind;            /* INT, REAL, or BYTES for everything else */
    bool may_be_null;        /* rows may have a null there, or nothing at all */
    const uint8_t *block;    /* the block of the cell that was found last, */
    st_vector vector;        /* and the column in it */
} st_key_reader;

/** What a row has at the end of the path, in ascending order. */
typedef enum st_key_read {
    ST_READ_NULL = 0,
    ST_READ_VALUE = 1,
    ST_READ_NOTHING = 2 /* a link on the path is null, or something failed */
} st_key_read;

enum { ST_KEY_READER_LINKS = 1 /* option: the path may end in a link */ };

/** Checks a path; `what` it is for, such as "sort", is said in messages. Lifetime: that of the path. Fails:
 * STRATA_MISUSE, STRATA_TYPE. */
strata_status st_key_reader_make(st_query *query, const char *what, const strata_step *path, uint32_t length,
                                 uint32_t options, st_key_reader *out);

/** Finds the cell for a row of the query's table; `*slot` is set if there is one. A failure is noted in the query. */
st_key_read st_key_reader_find(st_query *query, st_key_reader *reader, const st_stored_row *row, uint32_t *slot);
/** Opens the column in a block of the query's table; the path is a single column. False after a failure. */
bool st_key_reader_open(st_query *query, st_key_reader *reader, const uint8_t *block, size_t size);

/** The value of a cell that is not null; its bytes lie in the block or the scratch buffer of the query. False after a
 * failure. */
bool st_key_reader_value(st_query *query, const st_key_reader *reader, uint32_t slot, strata_value *out);

/** For kind INT and REAL: a number whose unsigned order is that of the cells, which are not null. */
static inline uint64_t st_key_reader_number(const st_key_reader *reader, uint32_t slot) {
    if (reader->kind == ST_KIND_REAL) return st_key_order_real(st_vector_real(&reader->vector, slot));
    return (uint64_t)st_vector_int(&reader->vector, slot) ^ UINT64_C(1) << 63;
}
/** The number of a value that did not come from a cell. */
uint64_t st_key_reader_number_of(const strata_value *value);

/**
 * For kind BYTES: bytes whose order is that of the cells, which are not null; equal values have equal bytes. They lie
 * in the block if `*lasting`, otherwise in a buffer of the query until the next call. False after a failure.
 */
bool st_key_reader_bytes(st_query *query, const st_key_reader *reader, uint32_t slot, strata_bytes *out,
                         bool *lasting);
/** The bytes of a value that did not come from a cell; `mixed` if its column is of mixed values. */
bool st_key_reader_bytes_of(st_query *query, const strata_value *value, bool mixed, strata_bytes *out);

#endif
