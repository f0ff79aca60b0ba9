/* SPDX-License-Identifier: MIT
 *
 * log_file.h -- the file beside a store that holds the pages of its last commits.
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
 *            32 salt (8)                     192 per run: first page (8), number of pages (4),
 *            40 commit (8)                       where its hole begins (2) and ends (2)
 *            48 UUID of the store (16)       then the pages of all runs, without holes,
 *            64 both meta pages (304), and zeros     and zeros up to a whole step
 *
 * A hole is what the page of a tree does not use, between the offsets of its nodes and the nodes; most of such pages is
 * one. A run that has one is that page alone. Where begin and end are the same, there is none.
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

#include "page/page_diff.h"

enum {
    ST_LOG_BEGIN = 8192,          /* where the records begin */
    ST_LOG_MARK_AT = 2048,        /* where pages 0 and 1 of the data file have a salt; LMDB does not use that part */
    ST_LOG_MOST_PAGES = 256,      /* a record has no more; larger commits flush the data file */
    ST_LOG_LEAST_SIZE = 1 << 22,  /* of a log: what a new one has, */
    ST_LOG_MOST_SIZE = 1 << 24,   /* and up to which it grows */
    ST_LOG_MOST_LEFT = 1 << 22    /* bytes of records that may wait to be flushed */
};

typedef struct st_log_header {
    uint64_t number; /* of the header */
    bool in_use;     /* if not, the data file is complete without the log */
    bool deferred;   /* records may be missing at its end */
    bool distrusted; /* a flush failed, and it is not known what is on the disk: see distrust.h */
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
/** Writes a header, and waits until it is on the disk, with everything written before it. 0, or an errno. */
int st_log_header_write(int file, const st_log_header *header);
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

/** A record in memory. */
typedef struct st_log_record {
    uint8_t *bytes;
    size_t size, capacity;
    uint32_t runs;
    size_t pages_at; /* where the pages begin */
} st_log_record;

/** Pages of a record that follow each other in the data file. */
typedef struct st_log_run {
    uint64_t number; /* of the first */
    uint32_t count;
    uint16_t hole, hole_end; /* bytes of the page that the record does not have; any may stand there */
} st_log_run;

/** Writes all of some bytes at an offset, to a log or to the file that it belongs to. 0, or an errno. */
int st_write_at(int file, const uint8_t *bytes, size_t size, uint64_t at);
/** Makes a record of pages in a map. False if there is no memory. Ownership: `bytes` is freed by the caller. */
bool st_log_record_make(st_log_record *record, const st_log_header *header, const st_page_file *file,
                        const st_page_runs *runs);
/** 0, or an errno. */
int st_log_record_write(int file, const st_log_record *record, uint64_t at);
/** Reads the record at `at`. 0, ENODATA if there is no intact one of that commit, or another errno. Ownership: `bytes`
 * is freed by the caller, and may be used again. */
int st_log_record_read(int file, uint64_t at, const st_log_header *header, uint64_t commit, st_log_record *out);
/** The meta page in a record. */
static inline const uint8_t *st_log_record_meta(const st_log_record *record) { return record->bytes + 32; }
/** One of its runs. */
st_log_run st_log_record_run(const st_log_record *record, uint32_t index);
/** How many bytes of a record the pages of a run take. */
static inline size_t st_log_run_size(const st_log_run *run, uint32_t page_size) {
    return (size_t)run->count * page_size - (run->hole_end - run->hole);
}
/** Makes a page of what a record has of it, with zeros in the hole. */
void st_log_page_fill(const st_log_run *run, uint32_t page_size, const uint8_t *bytes, uint8_t *out);

/** The log as a store knows it: see page_log.h. */
typedef struct st_page_log {
    int file;      /* -1 until it is needed */
    char *name;    /* NULL until then */
    bool denied;   /* it could not be made, and that is not tried again */
    bool in_use;   /* the current write goes to it */
    bool left;     /* nobody has the file open any more who used it */
    st_log_header header;
    bool defers;   /* the record of the current write is left to a thread: see deferral.h */
    uint64_t last; /* the number of the last commit that it is known to have */
    uint64_t end;  /* where the next record begins */
    uint64_t flushed, flushed_end; /* the same of what is known to be on the disk; not more than `last` */
    uint64_t size;
    struct MDB_txn *pin; /* a snapshot, or NULL: see deferral.h */
    uint64_t pinned;     /* the commit that it shows; 0: none */
    st_log_record record; /* its memory is used again */
    st_page_runs runs;    /* and so is this */
} st_page_log;

#endif
