/* SPDX-License-Identifier: MIT
 *
 * record.h -- the record of a commit, as bytes.
 *
 * ON-DISK: never renumber, reorder or resize; raise the format instead.
 *
 *   offset  size  field
 *   0       1     format: 1
 *   1       1     flags: STRATA_COMMIT_...; bit 7 is reserved for an extension behind the label
 *   2       1     size of the label
 *   3       1     zero
 *   4       4     CRC-32C of the record, taken with these four bytes zero
 *   8       8     version of the commit
 *   16      8     its epoch
 *   24      8     its time: microseconds since 1970
 *   32      8     number of the process
 *   40      16    uuid of the store
 *   56      8     epoch of the commit before it
 *   64      8     in the file: bytes of all records before it, also of those that are gone; otherwise 0
 *   72            the label, and then the changes
 *
 * A change is a byte with its kind, and numbers of 7 bits to a byte, the low ones first; bit 7 of a byte says that
 * another one follows. Bits 4 to 7 of the kind are zero: they are reserved for identities of elements, clocks and
 * origins, which take no byte while nobody needs them.
 *
 *   0 table           what follows is of this table
 *   1 step count      objects with `count` keys that follow each other were created. `step` is how far the first one
 *                     is behind the last key named in the table, or 0 behind nothing
 *   2 step            the object was deleted
 *   3                 the table was cleared
 *   4 column          the column of the object was assigned
 *   5 column position count, 6 column position, 7 column position count
 *                     elements were inserted, assigned, removed
 *   8 column table    a link to the object came or went, through a column of another table
 *
 * Kinds 4 to 8 belong to the object of the last step: kind 0 with a table of 0 introduces one. So `0 0 step` names an
 * object, and tables count from 1.
 */
#ifndef ST_CHANGES_RECORD_H
#define ST_CHANGES_RECORD_H

#include "base/buffer.h"
#include "strata.h"
#include "write/change_log.h"

enum { ST_RECORD_HEAD = 72 };

/** What is said of a commit beside its info. */
typedef struct st_record_origin {
    const uint8_t *uuid;
    uint64_t epoch, previous_epoch;
    uint64_t offset;
} st_record_origin;

/** Makes the record of a commit of its log, whose changes are put in order. `info` has everything but the size and the
 * token. False if there is no memory. */
bool st_record_make(st_change_log *log, const strata_commit_info *info, const st_record_origin *origin, st_buffer *out);

/** Reads a record. Its bytes are checked, and must stay while it is read. */
typedef struct st_record_reader {
    const uint8_t *at, *end;
    uint32_t table; /* the table, and the object, that were named last */
    uint64_t key;
    uint64_t created; /* how many of the objects before `key` are still to be told as created */
    bool damaged;
} st_record_reader;

/** Checks the head and the checksum of a record, and says what is known of the commit. Fails: STRATA_CORRUPT. */
strata_status st_record_open(strata_bytes record, strata_commit_info *info, st_record_reader *out,
                             strata_error *error);
/** Of a sound record. */
uint64_t st_record_previous_epoch(const uint8_t *record);
uint64_t st_record_offset(const uint8_t *record);
/** The next change. Returns STRATA_OK or STRATA_END. Fails: STRATA_CORRUPT. */
strata_status st_record_next(st_record_reader *reader, strata_delta *out, strata_error *error);

#endif
