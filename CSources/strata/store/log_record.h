/* SPDX-License-Identifier: MIT
 *
 * log_record.h -- what a log has of one commit. Its format is in log_file.h.
 */
#ifndef ST_STORE_LOG_RECORD_H
#define ST_STORE_LOG_RECORD_H

#include <sys/types.h>

#include "base/key_set.h"
#include "page/page_diff.h"
#include "store/log_file.h"

/** A record in memory. */
typedef struct st_log_record {
    uint8_t *bytes;
    size_t size, capacity;
    uint32_t runs;
    size_t pages_at; /* where what it has of the runs begins */
} st_log_record;

/** Pages of a record that follow each other in the data file. */
typedef struct st_log_run {
    uint64_t number; /* of the first */
    uint16_t count;
    uint16_t delta;          /* if not 0, there are so many bytes of the one page: its base and a delta */
    uint16_t hole, hole_end; /* bytes of the page that the record does not have; any may stand there */
} st_log_run;

/** Makes a record of pages in a map. Pages whose base is in `known` may become deltas: those that the records before it
 * have. False if there is no memory. Ownership: `bytes` is freed by the caller. */
bool st_log_record_make(st_log_record *record, const st_log_header *header, const st_page_file *file,
                        const st_page_runs *runs, const st_key_set *known);
/** Are the bases of all deltas of a record in `known`? */
bool st_log_record_has_bases(const st_log_record *record, uint32_t page_size, const st_key_set *known);
/** Adds the pages of a record to those that the log is known to have. False if there is no memory; then it is known of
 * none. */
bool st_log_record_add_pages(const st_log_record *record, st_key_set *known);
/** 0, or an errno. */
int st_log_record_write(int file, const st_log_record *record, uint64_t at);
/** Reads the record at `at`. 0, ENODATA if there is no intact one of that commit, or another errno. Ownership: `bytes`
 * is freed by the caller, and may be used again. */
int st_log_record_read(int file, uint64_t at, const st_log_header *header, uint64_t commit, st_log_record *out);
/** The meta page in a record. */
static inline const uint8_t *st_log_record_meta(const st_log_record *record) { return record->bytes + 32; }
/** One of its runs. */
st_log_run st_log_record_run(const st_log_record *record, uint32_t index);
/** The bytes of the pages of a run without their hole. */
static inline size_t st_log_run_used(const st_log_run *run, uint32_t page_size) {
    return (size_t)run->count * page_size - (size_t)(run->hole_end - run->hole);
}
/** How many bytes of a record there are of a run. */
static inline size_t st_log_run_size(const st_log_run *run, uint32_t page_size) {
    return run->delta != 0 ? run->delta : st_log_run_used(run, page_size);
}
/** The base of a run with a delta, of which the record has `bytes`. */
static inline uint64_t st_log_run_base(const uint8_t *bytes) { return strata_load64(bytes); }
/** Makes a page of what a record has of it, with zeros in the hole. A run with a delta needs its base, which is another
 * page than `out`, and room for one. False if that is not the page that the delta is to. */
bool st_log_page_fill(const st_log_run *run, uint32_t page_size, const uint8_t *bytes, const uint8_t *base,
                      uint8_t *room, uint8_t *out);
/** May that be the page of a run with a delta, as far as the delta alone says? There is room for a page. */
bool st_log_page_agrees(const st_log_run *run, uint32_t page_size, const uint8_t *bytes, const uint8_t *page,
                        uint8_t *room);

/** A snapshot that keeps pages: see deferral.h. */
typedef struct st_log_pin {
    struct MDB_txn *txn; /* or NULL */
    uint64_t commit;     /* that it shows; 0: none */
} st_log_pin;

/** The log as a store knows it: see page_log.h. */
typedef struct st_page_log {
    int file;      /* -1 until it is needed */
    dev_t device;  /* which file that is */
    ino_t inode;
    char *name;    /* NULL until then */
    bool denied;   /* it could not be made, and that is not tried again */
    bool in_use;   /* the current write goes to it */
    bool left;     /* nobody has the file open any more who used it */
    st_log_header header;
    bool defers;   /* the record of the current write is left to a thread: see deferral.h */
    uint64_t last; /* the number of the last commit that it is known to have */
    uint64_t end;  /* where the next record begins */
    uint64_t flushed, flushed_end; /* the same of what is known to be on the disk; not more than `last` */
    uint64_t waiting; /* pages of the records behind `flushed` */
    uint64_t size;
    st_log_pin pin, next; /* of the last flushed commit, and of one that is being flushed */
    st_key_set pages;     /* that its records are known to have */
    st_log_record record; /* its memory is used again */
    st_page_runs runs;    /* and so is this */
} st_page_log;

/** All records are known to be on the disk. */
static inline void st_page_log_is_flushed(st_page_log *log) {
    log->flushed = log->last;
    log->flushed_end = log->end;
    log->waiting = 0;
}

#endif
