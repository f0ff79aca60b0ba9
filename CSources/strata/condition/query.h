/* SPDX-License-Identifier: MIT
 *
 * query.h -- what the files that run queries share.
 *
 * A query is compiled into tests, chosen a way to reach its rows, and run over whole blocks where that is
 * possible: a test fills a mask with a byte per row, and AND, OR and NOT combine masks. Rows reached one by one
 * are tested one by one. Nothing is pending while a query runs, so stored blocks are all there is.
 */
#ifndef ST_CONDITION_QUERY_H
#define ST_CONDITION_QUERY_H

#include "base/buffer.h"
#include "value/operator.h"
#include "block/vector.h"
#include "strata_query.h"
#include "collection/source.h"
#include "posting/postings.h"
#include "write/write_set.h"

/* ---- Tests ------------------------------------------------------------ */

typedef enum st_kind {
    ST_KIND_INT,     /* bool, int, link */
    ST_KIND_REAL,    /* float, double, date */
    ST_KIND_BYTES,   /* string, data, uuid, object id */
    ST_KIND_DECIMAL, /* compared as the bytes of its key */
    ST_KIND_MIXED
} st_kind;

/** What a comparison demands of a value that is not null; a NOT_EQUAL demands the opposite of an EQUAL. */
typedef struct st_comparison {
    st_kind kind;
    strata_operator op; /* of bytes and mixed; IN: one of the set; otherwise a range of numbers */
    bool negate;        /* the answer is turned round, also that for null */
    bool null_matches;  /* the answer for null, before that */
    bool code_points;   /* of LIKE: the bytes are a string */
    uint32_t fold;      /* bytes and mixed: options by which letters are folded, and so are the operands */
    int64_t low, high;            /* ints: both included */
    double real_low, real_high;   /* reals: both included */
    strata_bytes bytes;           /* the operand; of IN, none; of BETWEEN, the lower one */
    strata_bytes bytes_high;      /* of BETWEEN */
    strata_value mixed, mixed_high; /* the same of mixed values */
    size_t set_size;
    uint8_t *bits;                  /* of a set of ints near each other: a bit for each from the least one on, */
    uint64_t span;                  /* up to this distance */
    union {
        int64_t *ints;
        double *reals;
        strata_bytes *bytes;
        strata_value *mixed;
    } set; /* ascending */
} st_comparison;

struct st_operand;
struct st_within;

/** A node of the condition. */
typedef struct st_test {
    strata_operator op;      /* any comparison; NOT of one; AND and OR of at least two others; TRUE or FALSE alone */
    uint32_t child_count;
    struct st_test **children; /* those that cost least first */
    uint32_t cost;
    const strata_node *node;   /* of comparisons */
    struct st_operand *left, *right; /* of comparisons; `right` NULL: with the comparison, or the region */
    struct st_test *counted;         /* of a count: the condition on what is counted, or NULL */
    const struct st_within *within;  /* of WITHIN */
    st_kind kind;                    /* of the values compared */
    st_comparison comparison;
    /* What an index may know of: set if one column, or the elements of one of links, is compared with constants. */
    const st_column *column;
    st_field field;          /* how it is packed */
} st_test;

/* ---- Queries ---------------------------------------------------------- */

enum { ST_FEW = 12 /* of a set: it is as fast to look at all */ };
enum { ST_QUERY_DEPTH = 200 /* of conditions inside conditions */ };

typedef struct st_query {
    strata_view *view;
    const strata_query *spec;
    const st_table *table;
    strata_error *error;
    strata_status status;  /* the first failure; whoever loops over rows looks at it */
    strata_query_stats stats;
    bool explained;        /* somebody wants to read the plan */
    st_arena memory;
    st_test *condition;    /* NULL: every row */
    uint32_t next_node;    /* while compiling */
    struct st_operand *operands; /* all of them, to be freed */
    st_buffer scratch;     /* a large value */
    st_buffer folded;      /* a value compared, and what it is compared with if that is no constant */
    st_buffer folded_right;
    struct st_known_block *known; /* blocks in which rows were found; NULL before there were many */
    uint32_t finds;        /* rows looked for before that */
    uint8_t *keep;        /* for one block: as many as the condition needs at a time */
    size_t keep_size;
    uint32_t keep_count;
} st_query;

/** A row in a stored block. */
typedef struct st_stored_row {
    const uint8_t *block;
    size_t size;
    uint32_t slot;
} st_stored_row;

/** Notes a failure, unless there was one before. */
void st_query_fail(st_query *query, strata_status status);

/* compile.c */

/** Checks the whole query and compiles its condition. */
strata_status st_query_compile(st_query *query);
/** Frees what the query holds. */
void st_query_free(st_query *query);

/* demand_check.c */

/** Checks the operator of a comparison, and its options, against the type of the left operand. */
strata_status st_comparison_check(st_query *query, const struct st_operand *left, const strata_node *node);
/** Checks its constants. */
strata_status st_comparison_check_constants(st_query *query, const struct st_operand *left, const strata_node *node);
/** "a" string, "an" int. */
const char *st_article(const char *noun);

/* demand_make.c */

st_kind st_kind_of(strata_type type);
/** Turns the constants of a comparison into a comparison; checks them. */
strata_status st_comparison_make(st_query *query, const struct st_operand *left, const strata_node *node, st_comparison *out);

/* comparison.c */

bool st_comparison_int(const st_comparison *comparison, int64_t value);
bool st_comparison_real(const st_comparison *comparison, double value);
bool st_comparison_bytes(const st_comparison *comparison, strata_bytes value, st_buffer *folded, bool *no_memory);
/** `value` is the 16 bytes of a decimal. */
bool st_comparison_decimal(const st_comparison *comparison, const void *value);
/** A value of any type but null. Types that do not compare do not match. */
bool st_comparison_mixed(const st_comparison *comparison, const strata_value *value, st_buffer *folded, bool *no_memory);
static inline bool st_comparison_null(const st_comparison *comparison) { return comparison->null_matches != comparison->negate; }
/** A value of the demand's kind, or null. */
bool st_comparison_value(const st_comparison *comparison, const strata_value *value, st_buffer *folded, bool *no_memory);
/** True if bytes of that size may meet the comparison. */
bool st_comparison_size_fits(const st_comparison *comparison, size_t size);
/** Folds ASCII and Latin-1 letters to lower case; as many bytes as before. */
void st_fold(const uint8_t *from, size_t size, uint8_t *to);
/** Does a search, LIKE included, find the operand in the bytes? Both are folded already. */
bool st_search(strata_operator op, strata_bytes value, strata_bytes operand, bool code_points);
/** The first place of `needle`, not empty, in `hay`; NULL if there is none. */
const uint8_t *st_find_bytes(const uint8_t *hay, size_t size, strata_bytes needle);

/* match.c */

/** Finds a row. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_query_find(st_query *query, uint32_t table, uint64_t key, st_stored_row *out);
/** Finds a row of the query's table that an index leads to: if there is none, the store is damaged. */
strata_status st_query_find_indexed(st_query *query, uint64_t key, st_stored_row *out);
/** The value of a mixed cell that is not null; bytes stored elsewhere are read into the scratch buffer. */
bool st_query_mixed(st_query *query, const st_vector *vector, uint32_t slot, strata_value *out);
/** Opens the vector of a column in a block; notes a failure if it is damaged. */
bool st_query_vector(st_query *query, const uint8_t *block, size_t size, st_field field, uint32_t column,
                     st_vector *out);
/** The value of a cell, or null. Bytes stored elsewhere are read into `scratch`. False after a failure. */
bool st_query_value(st_query *query, const st_column *column, const st_vector *vector, uint32_t slot,
                    st_buffer *scratch, strata_value *out);
/** The bytes of a cell that is not null; those stored elsewhere are read into the scratch buffer. */
bool st_query_bytes(st_query *query, const st_vector *vector, uint32_t slot, strata_bytes *out);
/** Opens the collection of `table` in a cell, which `vector` has. Notes a failure. */
bool st_query_collection(st_query *query, const st_table *table, const st_stored_row *row, const st_vector *vector,
                         uint32_t column, st_source *out);
/** Does the row meet the test? */
bool st_query_match(st_query *query, const st_test *test, const st_stored_row *row);
/** The same for a cell of a single column. */
bool st_query_match_cell(st_query *query, const st_test *test, const st_vector *vector, uint32_t slot);

/* mask.c */

/** Sets a byte per row of the block to 1 where the condition holds, otherwise 0. NULL after a failure. Lifetime: until
 * the next call. */
const uint8_t *st_query_select(st_query *query, const uint8_t *block, size_t size);

#endif
