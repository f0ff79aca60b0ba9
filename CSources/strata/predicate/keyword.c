/* SPDX-License-Identifier: MIT
 * keyword.c -- names: what they are made of, and which of them are keywords. */
#include "predicate/keyword.h"

#include <string.h>

static const struct {
    const char *text;
    st_keyword word;
} keywords[] = {
    { "AND", ST_WORD_AND },           { "OR", ST_WORD_OR },           { "NOT", ST_WORD_NOT },
    { "ANY", ST_WORD_ANY },           { "SOME", ST_WORD_ANY },        { "NONE", ST_WORD_NO_ONE },
    { "ALL", ST_WORD_ALL },           { "IN", ST_WORD_IN },           { "BETWEEN", ST_WORD_BETWEEN },
    { "CONTAINS", ST_WORD_CONTAINS }, { "BEGINSWITH", ST_WORD_BEGINS }, { "ENDSWITH", ST_WORD_ENDS },
    { "LIKE", ST_WORD_LIKE },         { "MATCHES", ST_WORD_MATCHES }, { "SUBQUERY", ST_WORD_SUBQUERY },
    { "SELF", ST_WORD_SELF },         { "TRUE", ST_WORD_TRUE },       { "YES", ST_WORD_TRUE },
    { "FALSE", ST_WORD_FALSE },       { "NO", ST_WORD_FALSE },        { "NULL", ST_WORD_NULL },
    { "NIL", ST_WORD_NULL },          { "TRUEPREDICATE", ST_WORD_TRUE_PREDICATE },
    { "FALSEPREDICATE", ST_WORD_FALSE_PREDICATE },
};

st_keyword st_keyword_of(strata_bytes name) {
    enum { LONGEST = 14 };
    char upper[LONGEST + 1] = { 0 };
    if (name.size < 2 || name.size > LONGEST) return ST_WORD_NONE;
    for (size_t i = 0; i < name.size; i++) {
        uint8_t byte = ((const uint8_t *)name.data)[i];
        upper[i] = (char)(byte >= 'a' && byte <= 'z' ? byte - 32 : byte);
    }
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (keywords[i].text[0] == upper[0] && strcmp(keywords[i].text, upper) == 0) return keywords[i].word;
    }
    return ST_WORD_NONE;
}

bool st_is_identifier(strata_bytes name) {
    const uint8_t *bytes = name.data;
    if (name.size == 0 || !st_begins_name(bytes[0])) return false;
    for (size_t i = 1; i < name.size; i++) {
        if (!st_is_in_name(bytes[i])) return false;
    }
    return true;
}
