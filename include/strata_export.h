/* SPDX-License-Identifier: MIT
 *
 * strata_export.h -- objects as text: lines of JSON, a JSON document or array, CSV, and plain columns.
 *
 * Nothing is lost: strata_import.h reads each of these forms back, JSON with its types, CSV and plain columns into
 * columns of the same types.
 *
 * Values in JSON, by the type of their column:
 *
 *   bool, int                true, 12
 *   float, double            1.5, and "NaN", "Infinity", "-Infinity"
 *   string                   "text"
 *   data                     base64, as a string
 *   date                     "2026-11-23T20:15:00Z", UTC, with as many digits behind the second as there are; outside of
 *                            the years 0 to 9999 "@" and the seconds since 2001
 *   uuid, object id          hexadecimal digits, as a string
 *   decimal                  "1.10": a string, which keeps all digits
 *   link                     the primary key of the object; {"$key": 12}, its object key, if it has none or that is null
 *   link to embedded         the object
 *   list, set                an array;  map: an object
 *   mixed                    null, bools, ints, strings, lists and maps as they are; a double always with a point or an
 *                            exponent; the others as an object with one member: {"$float": 1.5}, {"$double": "NaN"},
 *                            {"$decimal": "1"}, {"$date": "..."}, {"$data": "..."}, {"$uuid": "..."}, {"$oid": "..."},
 *                            {"$link": ["Dog", the key as above]}. A key of a map that begins with "$" gets another "$"
 *                            in front
 *
 * A line of JSON is an object: "$class" if that is asked for, "$key" if the object has no primary key, or it is null,
 * and then the properties in the order of their columns. The document is {"Class": [objects], ...}. The array has the
 * objects alone, without a space or a line feed, as a web server would answer with them.
 *
 * In CSV (RFC 4180, lines end with a line feed) a null is empty and an empty string is "", collections, mixed values and
 * embedded objects are JSON, and so is a link by a string that begins with { or a quote; everything else is the string
 * or number that it is in JSON. Plain columns are separated by tabs; a null is \N, and \t, \n, \r and \\ stand for a
 * tab, a line feed, a carriage return and a backslash. With one column alone a line may so be empty, and is an object
 * nevertheless; with several an import passes over empty lines.
 */
#ifndef STRATA_EXPORT_H
#define STRATA_EXPORT_H

#include "strata_value.h"
#include "strata_view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum STRATA_ENUM strata_text_format {
    STRATA_TEXT_LINES = 0,    /**< an object of JSON on each line */
    STRATA_TEXT_DOCUMENT = 1, /**< one object of JSON, with an array of objects for each class */
    STRATA_TEXT_CSV = 2,
    STRATA_TEXT_PLAIN = 3,
    STRATA_TEXT_ARRAY = 4     /**< an array of objects of JSON; an import reads it as a document */
} strata_text_format;

enum {
    STRATA_EXPORT_CLASS = 1,  /**< objects in lines and arrays name their class */
    STRATA_EXPORT_KEYS = 2,   /**< objects without a primary key have their object key in front, as "$key" */
    STRATA_EXPORT_HEADER = 4  /**< CSV and plain columns: the first line has the names */
};

struct strata_interrupt; /* strata_query.h */

/** Takes text; false ends the export with STRATA_CANCELLED. Must not use the view. */
typedef bool (*strata_text_sink)(void *context, const void *text, size_t size);

/** How to export: strata_export_options_blank(), then the fields that matter. */
typedef struct strata_export_options {
    uint32_t size;
    strata_text_format format;
    uint32_t flags;          /**< STRATA_EXPORT_... */
    uint32_t column_count;   /**< of `columns`; 0: all columns, but for those that were dropped */
    const uint32_t *columns; /**< numbers of columns, for exports of one table */
    uint32_t preview;        /**< 0; or how many bytes of a string or of data are written at most, and for every 8 of them
                                  an element of a collection. What is longer ends with an ellipsis, and cannot be read
                                  back; a link by a key that is longer is one by the object key */
    struct strata_interrupt *interrupt; /**< ends the export early: strata_query.h. A step is an object, or an element;
                                             needed until the export is closed. NULL: nothing does */
} strata_export_options;

/** Zeros, and the size. */
static inline strata_export_options strata_export_options_blank(void) {
    strata_export_options options;
    memset(&options, 0, sizeof options);
    options.size = (uint32_t)sizeof options;
    return options;
}

/** An export. Thread: that of the view. */
typedef struct strata_export strata_export;

/** Begins an export of what the view shows, which must not move meanwhile. The sink is given some hundred kilobytes at a
 * time. Ownership: the caller closes `*out` before the view. Fails: STRATA_MISUSE, STRATA_NO_MEMORY, and what reading
 * a view fails with. */
STRATA_CHECKED strata_status strata_export_open(strata_view *view, const strata_export_options *options,
                                                strata_text_sink sink, void *context, strata_export **out,
                                                strata_error *error);
/** Exports objects of a table, in this order; keys of no objects are left out. Fails: STRATA_CANCELLED,
 * STRATA_INTERRUPTED, STRATA_CORRUPT, STRATA_TOO_LARGE (more than 100 embedded objects inside each other), ... */
STRATA_CHECKED strata_status strata_export_keys(strata_export *to, uint32_t table, const uint64_t *keys,
                                                uint64_t count, strata_error *error);
/** Exports all objects of a table. Fails: as above. */
STRATA_CHECKED strata_status strata_export_table(strata_export *to, uint32_t table, strata_error *error);
/** Writes the line {"$schema": "..."} with the declaration of the file, which strata_import.h passes over, and a program
 * may read first. Of lines of JSON only. */
STRATA_CHECKED strata_status strata_export_schema(strata_export *to, strata_error *error);
/** Ends the text, and gives what is left to the sink. */
STRATA_CHECKED strata_status strata_export_end(strata_export *to, strata_error *error);
/** How many objects were written; embedded ones count with what they are in. */
uint64_t strata_export_count(const strata_export *to);
/** NULL is allowed. */
void strata_export_close(strata_export *to);

enum { STRATA_VALUE_TEXT = 64 /**< bytes that hold every text of strata_value_print() and its final zero */ };

/** Prints a bool, a number, a date, a uuid or an object id as an export does, for programs that write values that are
 * in no object. In JSON, bools, ints and finite floats and doubles stand there as they are, the others in quotes.
 * Returns the length; 0 for all other values. */
size_t strata_value_print(const strata_value *value, char out[STRATA_VALUE_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
