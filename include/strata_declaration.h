/* SPDX-License-Identifier: MIT
 *
 * strata_declaration.h -- schemas as text.
 *
 * A declaration holds what strata_schema_apply() takes: tables with their columns and indexes. It is read from text, or
 * from a file, and printed as text:
 *
 *     version 3
 *
 *     class Person {
 *         id: uuid primary
 *         name: string indexed
 *         born: date?
 *         home: Address?               // a link; of an embedded class, the object itself
 *         friends: list<Person>
 *         tags: set<string>
 *         scores: map<double?>         // keys are strings
 *         notes: any
 *         index(name, born)
 *     }
 *
 *     embedded Address {
 *         street: string
 *     }
 *
 * Types are bool, int, float, double, string, data, date, uuid, objectId, decimal, any, and names of classes. Behind a
 * type, "?" lets the value be null; a single link always may be, with or without it. A name that is a type, has other
 * characters than letters of ASCII, digits and "_", or begins with a digit, stands in quotes: 'my name', with "\'" for
 * a quote and "\\" for a backslash. No property is called $class, $key, $ref, $refId or $schema, by which records of
 * text say other things (strata_export.h). Line ends, commas and semicolons separate properties; what follows "//" or "#" in a
 * line is a comment.
 *
 * Thread: a declaration is immutable and may be used from every thread.
 */
#ifndef STRATA_DECLARATION_H
#define STRATA_DECLARATION_H

#include "strata_schema.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STRATA_MAX_DECLARATION = 64 * 1024 * 1024 /**< bytes of text */ };

/** Tables, columns and indexes, and a version. */
typedef struct strata_declaration strata_declaration;

/**
 * Reads text. Whether the tables obey the rules of schemas, strata_schema_apply() checks; here only that each name of a
 * class that a link has is declared.
 *
 * Ownership: the caller frees `*out` with strata_declaration_free().
 * Fails: STRATA_INVALID_SCHEMA with line and column, counted in characters from 1, and what was expected there;
 *   STRATA_TOO_LARGE, STRATA_MISUSE, STRATA_NO_MEMORY.
 */
STRATA_CHECKED strata_status strata_declaration_parse(const char *text, size_t size, strata_declaration **out,
                                                      strata_error *error);

/** Reads what a file has, as the view shows it. Ownership: as above. Fails: STRATA_NO_MEMORY, and what reading a view
 * fails with. */
STRATA_CHECKED strata_status strata_declaration_read(strata_view *view, strata_declaration **out,
                                                     strata_error *error);

/** Reads the tables that a file had with a schema of its history, which strata_schema_history() counts. Returns STRATA_OK,
 * or STRATA_NOT_FOUND if there is no such schema, or if its tables are not kept: beyond STRATA_MAX_HISTORY_CLASSES, and
 * in files of libraries that did not keep them. Ownership: as above. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY, ... */
STRATA_CHECKED strata_status strata_declaration_read_history(strata_view *view, uint32_t position,
                                                             strata_declaration **out, strata_error *error);

/** The tables, for strata_schema_apply() and its like. Lifetime: that of the declaration. */
const strata_table_spec *strata_declaration_tables(const strata_declaration *declaration, uint32_t *out_count);

/** The version: of a text without one, 0; of a file that never got a schema, STRATA_NO_SCHEMA. */
uint64_t strata_declaration_version(const strata_declaration *declaration);

/** Writes the declaration as text, which reads back as an equal one. At most `size` bytes, the zero included, go to
 * `buffer`; returns the length of all of it, without the zero. */
size_t strata_declaration_print(const strata_declaration *declaration, char *buffer, size_t size);

/** NULL is allowed. */
void strata_declaration_free(strata_declaration *declaration);

#ifdef __cplusplus
}
#endif
#endif
