/* SPDX-License-Identifier: MIT
 * keyword.h -- names: what they are made of, and which of them are keywords. */
#ifndef ST_PREDICATE_KEYWORD_H
#define ST_PREDICATE_KEYWORD_H

#include "strata_query.h"

typedef enum st_keyword {
    ST_WORD_NONE = 0, /* no keyword */
    ST_WORD_AND, ST_WORD_OR, ST_WORD_NOT, ST_WORD_TRUE_PREDICATE, ST_WORD_FALSE_PREDICATE,
    ST_WORD_ANY, ST_WORD_NO_ONE, ST_WORD_ALL, ST_WORD_IN, ST_WORD_BETWEEN, ST_WORD_CONTAINS, ST_WORD_BEGINS,
    ST_WORD_ENDS, ST_WORD_LIKE, ST_WORD_MATCHES, ST_WORD_SUBQUERY, ST_WORD_SELF, ST_WORD_TRUE, ST_WORD_FALSE,
    ST_WORD_NULL
} st_keyword;

static inline bool st_is_digit(int byte) { return byte >= '0' && byte <= '9'; }
/** Can a name begin with this byte, or have it behind its first one? */
static inline bool st_begins_name(int byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte >= 0x80;
}
static inline bool st_is_in_name(int byte) { return st_begins_name(byte) || st_is_digit(byte); }

/** The keyword that a name is, in upper or lower case; ST_WORD_NONE if it is none. */
st_keyword st_keyword_of(strata_bytes name);
/** Can it be written without quotes? */
bool st_is_identifier(strata_bytes name);

#endif
