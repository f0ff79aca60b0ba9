/* SPDX-License-Identifier: MIT
 *
 * json.h -- JSON (RFC 8259) as a tree.
 *
 * The tree lies in an arena. Its strings and numbers point into the text, or into the arena if they had escapes.
 */
#ifndef ST_TRANSFER_JSON_H
#define ST_TRANSFER_JSON_H

#include "base/arena.h"
#include "strata.h"

enum { ST_JSON_DEPTH = 200 /**< arrays and objects inside each other */ };

typedef enum st_json_kind {
    ST_JSON_NULL, ST_JSON_FALSE, ST_JSON_TRUE, ST_JSON_NUMBER, ST_JSON_STRING, ST_JSON_ARRAY, ST_JSON_OBJECT
} st_json_kind;

typedef struct st_json {
    st_json_kind kind;
    uint32_t column;       /* where it begins in the text, in bytes from 1 */
    uint32_t count;        /* of entries */
    strata_bytes text;     /* of a number as written; of a string decoded */
    strata_bytes name;     /* of a member of an object */
    struct st_json *first; /* entry; NULL if there is none */
    struct st_json *next;  /* entry of what it is in */
} st_json;

/** Reads a text, all of which is one value. The text is valid UTF-8. Fails: STRATA_TYPE, with the column;
 * STRATA_NO_MEMORY. */
strata_status st_json_parse(st_arena *memory, strata_bytes text, st_json **out, strata_error *error);

/** The member of that name; of equal ones the last. NULL if there is none, or it is no object. */
const st_json *st_json_member(const st_json *object, const char *name);

static inline bool st_bytes_are(strata_bytes bytes, const char *text) {
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

#endif
