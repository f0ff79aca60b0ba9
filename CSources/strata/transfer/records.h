/* SPDX-License-Identifier: MIT
 *
 * records.h -- text that comes in pieces, cut into records.
 *
 * Of lines, a record is a line that is not blank. Of CSV it is a line, too, but line ends in quotes belong to it. Of a
 * JSON document it is an object in an array: of [ {...} ], or of { "Class": [ {...} ] }.
 */
#ifndef ST_TRANSFER_RECORDS_H
#define ST_TRANSFER_RECORDS_H

#include "base/buffer.h"
#include "strata_export.h"

/** A record. Lifetime: the call. */
typedef struct st_record {
    strata_bytes text;
    strata_bytes table; /* of a document: the name of the class, as it stands between its quotes; else empty */
    uint64_t line;      /* on which it begins, from 1 */
} st_record;

/** Puts the line of a record in front of a message. Returns the status. */
strata_status st_at_line(const st_record *record, strata_status status, strata_error *error);

typedef strata_status (*st_record_call)(void *context, const st_record *record, strata_error *error);

typedef struct st_records {
    strata_text_format format;
    st_record_call call;
    void *context;
    st_buffer pending;  /* the beginning of a record */
    uint64_t line;      /* of the next byte */
    uint64_t begun;     /* the line on which the pending record begins */
    size_t fields;      /* of CSV and plain columns, how many a record has; 0: that is not known, or it is JSON */
    char separator;     /* of these fields */
    /* Of CSV. */
    bool inside;        /* the next byte is inside of a field that began without a quote */
    bool quoted;        /* the next byte is in quotes */
    bool closed;        /* the byte before was a quote that ended them */
    /* Of a document. */
    uint8_t place;      /* see records.c */
    bool classes;       /* arrays have names */
    bool in_string, escaped;
    uint32_t depth;     /* inside of a record */
    st_buffer table;
    uint8_t mark;       /* how many bytes of a byte order mark the text has begun with */
    bool begins;        /* nothing else has come yet */
} st_records;

/** `separator` is that of CSV. Lines without anything are passed over, unless they are a record: see `fields`. */
void st_records_begin(st_records *records, strata_text_format format, char separator, st_record_call call,
                      void *context);
/** Fails: as the call does; STRATA_TYPE, for a document that is none; STRATA_TOO_LARGE; STRATA_NO_MEMORY. */
strata_status st_records_feed(st_records *records, strata_bytes text, strata_error *error);
/** The line on which the record after the last one begins at the earliest, from 1. */
uint64_t st_records_next_line(const st_records *records);
/** The last record, and whether the document is complete. */
strata_status st_records_end(st_records *records, strata_error *error);
void st_records_free(st_records *records);

#endif
