/* SPDX-License-Identifier: MIT
 *
 * guessed.h -- which kinds of values the properties in some text have had, and the narrowest types that take them.
 *
 * A table that only objects inside of others were of, by the references in them, is embedded. An object inside of
 * another one that no reference names is of the one class that has the same properties, if an object of that can be
 * told by a key; so that it is not made twice.
 */
#ifndef ST_TRANSFER_GUESSED_H
#define ST_TRANSFER_GUESSED_H

#include "base/arena.h"
#include "transfer/declaration.h"

/** Kinds of values, as bits. */
enum {
    ST_SEEN_NULL = 1, ST_SEEN_BOOL = 2, ST_SEEN_INT = 4, ST_SEEN_REAL = 8, ST_SEEN_DATE = 16, ST_SEEN_UUID = 32,
    ST_SEEN_OBJECT_ID = 64, ST_SEEN_STRING = 128, ST_SEEN_LIST = 256, ST_SEEN_OBJECT = 512, ST_SEEN_LINK = 1024,
    ST_SEEN_DATA = 2048, ST_SEEN_DECIMAL = 4096, ST_SEEN_FLOAT = 8192,
    ST_SEEN_LONG = 16384, /* a number, with more digits than a double keeps */
    ST_SEEN_KEY = 32768   /* a link that says the key of an object, and not its class */
};

/** As many values that may be keys are remembered of a property at most, 8 MiB; with more records nothing is a key. */
enum { ST_GUESSED_KEYS = 1 << 20 };

/** Values of a property, or what is in its lists, or in its objects. */
typedef struct st_guessed_values {
    uint32_t seen;
    bool several;                   /* classes were named */
    strata_bytes target;            /* the class that references name; or nothing */
    struct st_guessed_table *shape; /* the properties of objects that no reference names; or NULL */
} st_guessed_values;

typedef struct st_guessed_column {
    strata_bytes name;
    st_guessed_values values, elements, entries;
    uint64_t count;   /* of records that have it */
    uint64_t last;    /* the number of the last of these, among those of the table */
    bool nameless;    /* it is a field without a name */
    bool refers;      /* there are references in it, or objects that some may lead to */
    uint64_t *hashes; /* of values that may be keys, of records that are not inside of others */
    size_t hash_count, hash_capacity;
} st_guessed_column;

typedef struct st_guessed_table {
    strata_bytes name;
    st_guessed_column *columns;
    size_t count, capacity;
    size_t hint;      /* the column that the next property probably names */
    uint64_t records; /* those inside of others among them */
    uint64_t outer;   /* records that are not */
    bool referenced;  /* by something that is not the object itself */
    bool asked_for;   /* it is the class of the lines, of which there may be none */
    bool known;       /* to the program, and so is not declared */
    bool keyed;       /* values of any type link to it by a primary key */
    size_t primary;   /* a column; SIZE_MAX for none */
    struct st_guessed_table *made_before;
} st_guessed_table;

/** Everything that was seen. Zero-initialised it is empty. */
typedef struct st_guessed {
    st_guessed_table **tables;
    size_t count, capacity;
    st_guessed_table *made; /* the last of all, shapes among them */
    st_arena names;         /* and tables */
    bool passes_over;       /* values that no import takes: these are refused then, one by one */
} st_guessed;

/** A copy, with a zero behind it. False if there is no memory. */
bool st_guessed_copy(st_guessed *guessed, strata_bytes name, strata_bytes *out);
/** The table of a name; a new one if there is none. NULL if there is no memory, or there are too many. */
st_guessed_table *st_guessed_table_of(st_guessed *guessed, strata_bytes name);
/** The column of a name, alike. Lifetime: to the next new column of the table. */
st_guessed_column *st_guessed_column_of(st_guessed *guessed, st_guessed_table *table, strata_bytes name);
/** Where the properties of objects that no reference names are noted. NULL if there is no memory. */
st_guessed_table *st_guessed_shape_of(st_guessed *guessed, st_guessed_values *values);
/** Notes a value, as text, of a column that may be a key, up to ST_GUESSED_KEYS of them. False if there is no memory. */
bool st_guessed_note_key(st_guessed_column *column, strata_bytes text);

/** Declares all of it. `json`: what does not fit one type is any; otherwise it is a string. `primary` may be NULL. Fails:
 * as strata_guess_finish() does. */
strata_status st_guessed_declare(st_guessed *guessed, bool json, const char *primary, strata_declaration **out,
                                 strata_error *error);
void st_guessed_free(st_guessed *guessed);

#endif
