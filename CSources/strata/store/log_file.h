/* SPDX-License-Identifier: MIT
 *
 * log_file.h -- the file beside a store that holds the pages of its last commits.
 *
 * Version 5. Until version 4 records have what is behind values, too, and deltas may need it; in version 3 a record has
 * at most 256 pages.
 *
 *   at 0 and 4096   a header, 512 bytes, in turn, and once it is on the disk in the other place, too; the one with
 *                   the higher number counts
 *   from 8192 on    records, one for each commit, one behind the other, each of whole steps of 4096 bytes
 *
 *   header   0 "StrataLg"           record   0  salt (8)
 *            8 version (4)                   8  number of the commit (8)
 *            12 CRC-32C (4)                  16 CRC-32C of the whole record (4)
 *            16 number (8)                   20 number of runs (4)
 *            24 how it is used (4)           24 size of the record (8)
 *            28 page size (4)                32 meta page of the commit (152), 0 (8)
 *            32 salt (8)                     192 per run: first page (8), number of pages (2),
 *            40 commit (8)                       bytes of its delta (2),
 *            48 UUID of the store (16)           where its hole begins (2) and ends (2);
 *            64 both meta pages (304)            then what there is of all runs, and zeros up to
 *            368 1 if a flush failed (4), zeros  a whole step
 *
 * Of a run there are its pages, without the hole. A hole is what the page of a tree does not use, between the offsets of
 * its nodes and the nodes, or what is behind a value that has one page. A run that has one is that page alone. Where
 * begin and end are the same, there is none.
 *
 * Of one page there may be a delta instead: the number of another page (8), its base, and what the page has otherwise
 * than that, both without their holes (page_delta.h). Of a base that has a value nothing behind that is needed. The
 * base is in an earlier record, and is what the last one of these says. So a record needs those before it, and nothing
 * of the data file.
 *
 * A log is used in one of three ways: 0, not at all; 1, each record was flushed before the next one was written; 2, any
 * number of records may be missing at its end. In the last case the commits that the data file shows may all be newer
 * than those of the log. So the data file says whose log it is: the salt of header N stands in page N mod 2, behind the
 * meta page, at ST_LOG_MARK_AT (8). It was flushed before the header was written, and is wiped when another header
 * counts, so that an older copy of the log is not taken for that of the file.
 *
 * Checksums are taken with their own four bytes zero. Records that count have the salt of the header, and their commits
 * follow that of the header and each other. So what was there before means nothing once the header has another salt.
 *
 * ON-DISK: never renumber, reorder or resize; raise the version instead.
 */
#ifndef ST_STORE_LOG_FILE_H
#define ST_STORE_LOG_FILE_H

#include "page/meta.h"

enum {
    ST_LOG_BEGIN = 8192,          /* where the records begin */
    ST_LOG_MARK_AT = 2048,        /* where pages 0 and 1 of the data file have a salt; LMDB does not use that part */
    ST_LOG_MOST_PAGE_SIZE = 1 << 15, /* LMDB has no larger pages; offsets in them have 16 bits */
    ST_LOG_MOST_PAGES = 1024,     /* a record has no more; larger commits flush the data file */
    ST_LOG_LEAST_SIZE = 1 << 22,  /* of a log: what a new one has, */
    ST_LOG_MOST_SIZE = 1 << 24,   /* and up to which it grows */
    ST_LOG_MOST_LEFT = 1 << 11    /* pages of records that wait to be flushed, which is done before a write then */
};

typedef struct st_log_header {
    uint64_t number; /* of the header */
    bool in_use;     /* if not, the data file is complete without the log */
    bool deferred;   /* records may be missing at its end */
    bool distrusted; /* a flush failed, and it is not known what is on the disk: see distrust.h */
    bool alone;      /* when it was read: the other place did not have it, so nothing must be added to this log */
    bool older;      /* of an older version, which may know nothing of what this one would add */
    uint32_t page_size;
    uint64_t salt;
    uint64_t commit; /* all of it was on the disk in the data file before the header was written */
    uint8_t uuid[16];
    uint8_t metas[2][ST_META_SIZE]; /* of the data file then */
} st_log_header;

/** The path of the log of a file. NULL if there is no memory. Ownership: freed by the caller. */
char *st_log_path(const char *path);
/** Opens the log of a file; `*out` is -1 if there is none. 0, or an errno. */
int st_log_open(const char *path, bool read_only, int *out);
/** Flushes the log of a file, if there is one. 0, or an errno; `*out_failed` tells whether the flush itself failed, so
 * that what was written may be lost, and may be NULL. */
int st_log_flush_of(const char *path, bool *out_failed);
/** Reads the header that counts. 0, ENODATA if there is none, or another errno. */
int st_log_header_read(int file, st_log_header *out);
/** Does a file begin like a log, of whichever version, as far as that can be read? */
bool st_log_is_one(int file);
/** Writes a header, and waits until it is on the disk, with everything written before it. 0, or an errno; then
 * `*out_unsure` tells whether it is unknown which header is on the disk. It is known if there was no room: the one before
 * still counts, or this one does, without a copy. May be NULL. */
int st_log_header_write(int file, const st_log_header *header, bool *out_unsure);
/** Writes a header into both places, and says in it that a flush has failed; waits for nothing. 0, or an errno. */
int st_log_header_distrust(int file, const st_log_header *header);
/** Writes the salt of a header into the data file. 0, or an errno. */
int st_log_mark_write(int data_file, const st_log_header *header);
/** Wipes the salts of all other headers. If that fails, an older copy of the log may be taken for that of the file. */
void st_log_mark_wipe_others(int data_file, const st_log_header *header);
/** Has the data file the salt of a header? 0, ENODATA if not, or another errno. */
int st_log_mark_check(int data_file, const st_log_header *header);
/** Makes the file longer by zeros. 0, or an errno. */
int st_log_extend(int file, uint64_t from, uint64_t to);
/** Of bytes in which the checksum, at `at`, counts as zero. */
uint32_t st_log_checksum(const uint8_t *bytes, size_t size, size_t at);
/** Writes all of some bytes at an offset, to a log or to the file that it belongs to. 0, or an errno. */
int st_write_at(int file, const uint8_t *bytes, size_t size, uint64_t at);
/** Reads as many bytes. 0, ENODATA if the file ends before, or another errno. */
int st_read_at(int file, uint8_t *bytes, size_t size, uint64_t at);

#endif
