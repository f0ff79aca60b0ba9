/* SPDX-License-Identifier: MIT
 *
 * lexer.h -- the tokens of a predicate.
 *
 * A lexer stands on one token and looks at nothing behind it. Its text is UTF-8, which is checked at the beginning. All
 * functions return false after a failure, of which the first one stays; then they do nothing more.
 */
#ifndef ST_PREDICATE_LEXER_H
#define ST_PREDICATE_LEXER_H

#include "base/arena.h"
#include "base/buffer.h"
#include "predicate/keyword.h"

enum { ST_PREDICATE_TEXT = 64 * 1024 * 1024 /* bytes of text */ };

typedef enum st_token_kind {
    ST_TOKEN_END,
    ST_TOKEN_NAME,      /* `text`; `escaped` if # stood before it */
    ST_TOKEN_VARIABLE,  /* `text`, without $ */
    ST_TOKEN_AT,        /* `text`, without @ */
    ST_TOKEN_STRING,    /* `text`, with its escapes replaced */
    ST_TOKEN_INT,       /* `integer` */
    ST_TOKEN_REAL,      /* `real` */
    ST_TOKEN_FORMAT,    /* `format`: '@', 'K', 'd' for whole numbers, 'f' for others */
    ST_TOKEN_NUMBERED,  /* $0: `integer` */
    ST_TOKEN_COMPARE,   /* `op` */
    ST_TOKEN_AND,       /* && */
    ST_TOKEN_OR,        /* || */
    ST_TOKEN_NOT,       /* ! */
    ST_TOKEN_MARK       /* `mark`: one of ( ) [ ] { } , . */
} st_token_kind;

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
    size_t counted;    /* `column` is that of this byte of the text */
    uint32_t column;
    st_token token;
    st_arena *memory;  /* for strings with escapes */
    strata_error *error;
    strata_status status; /* the first failure */
} st_lexer;

/** Stands on the first token. The text is lent until the lexer is done with. */
bool st_lexer_begin(st_lexer *lexer, const void *text, size_t size, st_arena *memory, strata_error *error);
/** Goes on to the next token. */
bool st_lexer_next(st_lexer *lexer);
/** Goes on behind a mark; fails if the token is another one. */
bool st_lexer_consume_mark(st_lexer *lexer, char mark);

/** Notes a failure "at column N: ...". Returns false. */
bool st_lexer_fail(st_lexer *lexer, uint32_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Notes "at column N: expected WHAT, found ...". Returns false. */
bool st_lexer_expected(st_lexer *lexer, const char *what);
/** Notes that there is no memory. Returns false. */
bool st_lexer_no_memory(st_lexer *lexer);

static inline bool st_lexer_on_mark(const st_lexer *lexer, char mark) {
    return lexer->token.kind == ST_TOKEN_MARK && lexer->token.mark == mark;
}
static inline bool st_lexer_on_word(const st_lexer *lexer, st_keyword word) {
    return lexer->token.kind == ST_TOKEN_NAME && lexer->token.word == word;
}

#endif
