/* SPDX-License-Identifier: MIT
 *
 * lexer.h -- the words of a predicate.
 *
 * A lexer stands on one token and looks at nothing behind it. The text is UTF-8, which has been checked.
 */
#ifndef ST_PREDICATE_LEXER_H
#define ST_PREDICATE_LEXER_H

#include "base/arena.h"
#include "predicate/tree.h"

typedef enum st_token_kind {
    ST_TOKEN_END,
    ST_TOKEN_NAME,      /* `text`; `escaped` if # stood before it */
    ST_TOKEN_VARIABLE,  /* `text`, without $ */
    ST_TOKEN_AT,        /* `text`, without @ */
    ST_TOKEN_STRING,    /* `text`, escapes resolved */
    ST_TOKEN_INT,       /* `integer` */
    ST_TOKEN_REAL,      /* `real` */
    ST_TOKEN_FORMAT,    /* `format`: '@', 'K', 'd' of whole numbers, 'f' of others */
    ST_TOKEN_NUMBERED,  /* $0: `integer` */
    ST_TOKEN_COMPARE,   /* `op` */
    ST_TOKEN_AND,       /* && */
    ST_TOKEN_OR,        /* || */
    ST_TOKEN_NOT,       /* ! */
    ST_TOKEN_MARK       /* `mark`: one of ( ) [ ] { } , . */
} st_token_kind;

typedef enum st_keyword {
    ST_WORD_NONE = 0, /* no keyword */
    ST_WORD_AND, ST_WORD_OR, ST_WORD_NOT, ST_WORD_TRUE_PREDICATE, ST_WORD_FALSE_PREDICATE,
    ST_WORD_ANY, ST_WORD_NO_ONE, ST_WORD_ALL, ST_WORD_IN, ST_WORD_BETWEEN, ST_WORD_CONTAINS, ST_WORD_BEGINS,
    ST_WORD_ENDS, ST_WORD_LIKE, ST_WORD_MATCHES, ST_WORD_SUBQUERY, ST_WORD_SELF, ST_WORD_TRUE, ST_WORD_FALSE,
    ST_WORD_NULL
} st_keyword;

typedef struct st_token {
    st_token_kind kind;
    uint32_t column;
    size_t start, end;  /* in the text */
    strata_bytes text;
    bool escaped;
    st_keyword word;    /* of a name that is not escaped */
    char format, mark;
    strata_operator op;
    int64_t integer;
    double real;
} st_token;

typedef struct st_lexer {
    const uint8_t *text;
    size_t size, at;
    size_t counted;    /* up to here, `column` is counted */
    uint32_t column;
    st_token token;
    st_arena *memory;  /* for strings with escapes */
    strata_error *error;
    strata_status status; /* the first failure; then every further call does nothing */
} st_lexer;

/** Stands on the first token. */
bool st_lexer_begin(st_lexer *lexer, const void *text, size_t size, st_arena *memory, strata_error *error);
/** Goes on to the next token. False after a failure, as with everything here. */
bool st_lexer_next(st_lexer *lexer);
/** Notes a failure "at column N: ...". Returns false. */
bool st_lexer_fail(st_lexer *lexer, uint32_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Notes "at column N: expected WHAT, found ...". Returns false. */
bool st_lexer_expected(st_lexer *lexer, const char *what);
bool st_lexer_no_memory(st_lexer *lexer);

static inline bool st_lexer_on_mark(const st_lexer *lexer, char mark) {
    return lexer->token.kind == ST_TOKEN_MARK && lexer->token.mark == mark;
}
static inline bool st_lexer_on_word(const st_lexer *lexer, st_keyword word) {
    return lexer->token.kind == ST_TOKEN_NAME && lexer->token.word == word;
}
/** The column of a place in the text that is not before the last one asked for. */
uint32_t st_lexer_column(st_lexer *lexer, size_t place);
/** Steps over a mark, or fails. */
bool st_lexer_take_mark(st_lexer *lexer, char mark);

/** The value of a hexadecimal digit; -1 if it is none. */
static inline int st_hex_value(int byte) {
    int letter = byte | 32;
    if (byte >= '0' && byte <= '9') return byte - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/** The keyword a name is; ST_WORD_NONE if it is none. */
st_keyword st_keyword_of(strata_bytes name);

/** predicate_string.c: the text of the token is what stands between two places, with escapes in it. */
bool st_unescape(st_lexer *lexer, size_t from, size_t to);

/** predicate_number.c: reads and prints numbers whatever the locale. */
bool st_number_read(const char *text, size_t size, double *out);
enum { ST_NUMBER_TEXT = 40 };
/** The shortest text that reads back as the same number, which is finite; with a point or an exponent in it. `single`:
 * as the same float. */
size_t st_number_print(double number, bool single, char out[ST_NUMBER_TEXT]);

#endif
