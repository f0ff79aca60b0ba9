/* SPDX-License-Identifier: MIT
 *
 * strata_import.h -- objects from text: lines of JSON, a JSON document, CSV, and plain columns.
 *
 * The forms are those of strata_export.h, and what other programs write of them:
 *
 *   - A record is an object of JSON, or a line of CSV or plain columns. The class of an object is its "$class", the name
 *     in the document {"Class": [...]}, or the default of the options.
 *   - An object with a primary key is found by it. One without can be named by "$key", a number or a string, which means
 *     something only within one import. "$refId" is the same, as other programs write it.
 *   - A link is the primary key of an object; null; {"$key": ...} or {"$ref": ...}; or an object of JSON, which is then
 *     imported, too. It may lead to an object that comes later, which is then created at once: so the order of objects
 *     is not always that of their records.
 *     A record that is {"$ref": ...} alone says nothing: another one brings the object. A mixed value has no "$ref" and
 *     no "$refId", since these do not say of which class the object is.
 *   - A value of a column with one type may say it: {"$date": ...}, {"$data": ...}, {"$uuid": ...}, {"$oid": ...},
 *     {"$float": ...}, {"$double": ...}, {"$decimal": ...}, and as others write it {"$numberInt": ...},
 *     {"$numberLong": ...}, {"$numberDouble": ...}, {"$numberDecimal": ...}.
 *   - A number that its type cannot hold does not fit: a decimal with more than 34 digits, a fraction in an int. Doubles
 *     and floats are rounded. In a mixed value a number of which neither 64 bits nor a double keep the digits is a
 *     decimal. In a map there, a key that begins with "$" is written with another one in front.
 *   - A record has each property once.
 *   - Properties that a record does not have stay as they are; in a new object they are null, zero or empty. A
 *     collection is replaced.
 *
 * A record that does not fit changes nothing: it is given to the program, with its line and the reason, and the import
 * goes on.
 */
#ifndef STRATA_IMPORT_H
#define STRATA_IMPORT_H

#include "strata_declaration.h"
#include "strata_export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STRATA_IMPORT_UPDATE = 1,        /**< objects whose primary key is there are updated; otherwise refused */
    STRATA_IMPORT_IGNORE_UNKNOWN = 2, /**< properties that the class does not have are passed over; otherwise the record
                                           is refused */
    STRATA_IMPORT_KEYS = 4            /**< a "$key" that nothing in the import is called is an object key: for text that
                                           was exported from this very file */
};

enum { STRATA_MAX_RECORD = 256 * 1024 * 1024 /**< bytes of one record */ };

/** Told of a record that was refused: the line on which it begins, counted from 1, its text, and why. The text is empty where
 * an empty line is the value of the only field. Lifetime: that of the call. False ends the import with STRATA_CANCELLED. Must not use the view. */
typedef bool (*strata_import_refused)(void *context, uint64_t line, strata_bytes record, const strata_error *error);

/** How to import: strata_import_options_blank(), then the fields that matter. */
typedef struct strata_import_options {
    uint32_t size;
    strata_text_format format;
    const char *table;            /**< the class of records that do not name theirs; NULL: they must */
    uint32_t flags;               /**< STRATA_IMPORT_... */
    char separator;               /**< of CSV; 0: a comma */
    const char *const *columns;   /**< CSV and plain columns: the properties of the fields, "" for those to pass over.
                                       NULL: the first line names them */
    uint32_t column_count;
    strata_import_refused refused; /**< NULL: a record that does not fit ends the import */
    void *context;                /**< of `refused` */
} strata_import_options;

/** Zeros, and the size. */
static inline strata_import_options strata_import_options_blank(void) {
    strata_import_options options;
    memset(&options, 0, sizeof options);
    options.size = (uint32_t)sizeof options;
    return options;
}

/** What an import did. May get fields at its end. */
typedef struct strata_import_report {
    uint64_t records;  /**< that were read, those that were refused among them */
    uint64_t created;  /**< objects, embedded ones not counted */
    uint64_t updated;
    uint64_t refused;  /**< records */
    uint64_t missing;  /**< objects that links named and no record brought; the links are null, or gone from their list */
    char first_missing[120]; /**< one of them, such as "Person 'Jane'" */
    uint64_t last;     /**< object key of what the last record made or updated, those that were refused not counted; 0:
                        * no record did */
    uint64_t line;     /**< on which the next record begins at the earliest, counted from 1: where the text goes on
                        * behind those that were read */
    uint64_t keyless;  /**< of what was created or updated, the objects of classes without a primary key */
} strata_import_report;

/** An import. Thread: that of the view. */
typedef struct strata_import strata_import;

/**
 * Begins an import into the tables that the view shows.
 *
 * Ownership: the caller closes `*out` before the view; what the options point to is needed until then.
 * Fails: STRATA_MISUSE, STRATA_NOT_FOUND (no class of that name), STRATA_NO_MEMORY, STRATA_WRONG_THREAD,
 *   STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_import_open(strata_view *view, const strata_import_options *options,
                                                strata_import **out, strata_error *error);
/**
 * Imports the records that end in some text, and keeps the beginning of the next one. The view must be writing; between
 * two calls strata_import_commit() bounds the memory of the write.
 *
 * Fails: STRATA_TYPE and the like, if a record is refused and nobody is told; STRATA_TYPE, if what is around the records
 *   is not what the format says; STRATA_TOO_LARGE; STRATA_CANCELLED; STRATA_SCHEMA_MISMATCH, if the schema was changed
 *   since the import was opened; what creating objects fails with; and STRATA_MISUSE after it failed for its text.
 */
STRATA_CHECKED strata_status strata_import_feed(strata_import *import, const void *text, size_t size,
                                                strata_error *error);
/** Imports the last record, and removes what links named and no record brought. The view must be writing. `report` may
 * be NULL. Compiled into the program. Fails: as above. */
STRATA_CHECKED strata_status strata_import_finish_sized(strata_import *import, strata_import_report *report,
                                                        size_t size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_import_finish(strata_import *import, strata_import_report *report,
                                                                strata_error *error) {
    return strata_import_finish_sized(import, report, sizeof *report, error);
}
/**
 * Commits the write, and begins the next one, between two calls of strata_import_feed(). What was imported then stays,
 * even if the import ends early; among it are objects that links have named and that a later record brings, empty until
 * then. Fails: as strata_view_commit(), after which the program must begin a write; as strata_view_begin(); STRATA_MISUSE,
 * STRATA_NOT_WRITING.
 */
STRATA_CHECKED strata_status strata_import_commit(strata_import *import, strata_error *error);
/**
 * Removes, if an import ends early, those objects of what strata_import_commit() has kept that no record has brought until
 * then: nothing is left but what records say. Links to them become null, or leave their list. The view must be writing,
 * again: the write that was not committed is cancelled before. Then the program commits and closes the import.
 *
 * @param report  may be NULL: what was done until the last commit, with the objects that are removed as `missing`
 * Compiled into the program. Fails: STRATA_MISUSE, STRATA_NOT_WRITING, and what removing objects fails with.
 */
STRATA_CHECKED strata_status strata_import_abandon_sized(strata_import *import, strata_import_report *report,
                                                         size_t size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_import_abandon(strata_import *import, strata_import_report *report,
                                                                 strata_error *error) {
    return strata_import_abandon_sized(import, report, sizeof *report, error);
}
/** What was done until now. */
void strata_import_get_report(const strata_import *import, strata_import_report *report, size_t size);
/** NULL is allowed. */
void strata_import_close(strata_import *import);

/* ---- Guessing --------------------------------------------------------- */

/** Finds out what classes some text is of. */
typedef struct strata_guess strata_guess;

/** Begins. The options are those of the import that is to follow; `refused` is not called. Ownership: the
 * caller closes `*out`. Fails: as strata_import_open(). */
STRATA_CHECKED strata_status strata_guess_open(const strata_import_options *options, strata_guess **out,
                                               strata_error *error);
/** Leaves out a class that the program has already: it is not declared, whatever the text says of it, and its links
 * need not tell where they lead. Links to it may be declared. Fails: STRATA_MISUSE, STRATA_NO_MEMORY. */
STRATA_CHECKED strata_status strata_guess_leave_out(strata_guess *guess, const char *name, strata_error *error);
/** Looks at the records that end in some text. Fails: STRATA_NO_MEMORY; STRATA_TYPE for what is around the records, for
 * names of fields that are equal, and for a record that would be refused whatever its class is like, such as text that
 * is not JSON, or with a field whose name is empty or begins with "$" and means nothing. With `refused` in the options
 * it goes on behind such a record, of which counts what stands before the mistake. */
STRATA_CHECKED strata_status strata_guess_feed(strata_guess *guess, const void *text, size_t size,
                                               strata_error *error);
/**
 * Declares classes into which all records fit: the narrowest of bool, int, double, decimal (where a double would
 * lose digits), date, uuid, objectId and string, of JSON also the types that values say, lists, maps, and `any`
 * where there are several types. A property that some record lacks, or has as null, may be null. If the text has a
 * line of strata_export_schema(), that is the declaration.
 *
 * An object inside of another one, whose "$refId" or "$ref" is "Class#...", is a link to that class; if no record
 * outside is of the class and no "$ref" names it, the class is embedded. An object without a reference is a link if the
 * records of only one class have the same properties, and this has `primary`, or a property "_id" or "id" with another
 * value in each record, of a million at most, which becomes the primary key. So it does in a class that values of any
 * type link to by a primary key. Where a "$ref" or "$refId" does not tell one class of the text, and the properties do
 * not either, the text is refused.
 *
 * @param primary  the property that is to be the primary key; NULL for none but those
 * Ownership: the caller frees `*out`. Fails: STRATA_NOT_FOUND (no such property, or no primary key where values of any
 *   type link by one), STRATA_TYPE (it cannot be a key, or references tell no class, or several),
 *   STRATA_INVALID_SCHEMA (the line with the declaration).
 */
STRATA_CHECKED strata_status strata_guess_finish(strata_guess *guess, const char *primary, strata_declaration **out,
                                                 strata_error *error);
/** NULL is allowed. */
void strata_guess_close(strata_guess *guess);

#ifdef __cplusplus
}
#endif
#endif
