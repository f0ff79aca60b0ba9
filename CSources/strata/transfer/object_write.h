/* SPDX-License-Identifier: MIT
 *
 * object_write.h -- writes objects that were read from records.
 */
#ifndef ST_TRANSFER_OBJECT_WRITE_H
#define ST_TRANSFER_OBJECT_WRITE_H

#include "transfer/known.h"
#include "transfer/object_read.h"

typedef struct st_object_writer {
    st_reading *reading;
    st_known known;
    st_buffer elsewhere; /* records that only refer to an object that was not met until then */
    bool update;      /* objects that were there before are updated */
    bool object_keys; /* what is not called anything may be an object key */
    uint64_t created, updated;
    uint64_t keyless; /* of both, objects of classes without a primary key */
    uint64_t last;    /* object key of what was written last, not of what is inside of it */
} st_object_writer;

/** Whether an object can be written. Nothing is written; links by name to what is in the record itself become links by
 * primary key. Fails: STRATA_DUPLICATE (it is there), STRATA_NOT_FOUND (a link
 * by a name that must have come before); and as reading does. */
strata_status st_object_check(st_object_writer *writer, const st_object *object, strata_error *error);
/** Notes a record that is only the name of an object, which another record brings or has brought. */
strata_status st_object_expect(st_object_writer *writer, uint32_t table, strata_bytes name, strata_error *error);
/** Writes an object that was checked. A failure ends the import. */
strata_status st_object_write(st_object_writer *writer, const st_object *object, strata_error *error);
/** Removes the objects that links named and no record brought: how many, and one of them, with those that were only
 * expected. `committed`: those that were committed so, since what came after the last commit is cancelled. */
strata_status st_object_writer_finish(st_object_writer *writer, bool committed, uint64_t *out_missing, char *out_first,
                                      size_t size, strata_error *error);
void st_object_writer_free(st_object_writer *writer);

#endif
