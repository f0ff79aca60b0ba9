/* SPDX-License-Identifier: MIT
 * record.h -- what was written to the files of a folder, in which order, and when it was made durable.
 *
 * The functions of faults.c report here while `recording`. Lock files are left out: nothing in them has to survive. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum record_kind {
    RECORD_WRITE,          /* `size` bytes at `offset` of `file` */
    RECORD_WRITE_DURABLE,  /* the write before it, of the same file, has reached the disk */
    RECORD_SYNC,           /* everything before it in `file` has */
    RECORD_SYNC_FAILED,    /* what is not on the disk of `file` counts as if it was */
    RECORD_TRUNCATE,       /* `file` has `offset` bytes */
    RECORD_CREATE,         /* `name` leads to `file` */
    RECORD_RENAME,         /* `to` leads to what `name` led to, which is gone */
    RECORD_UNLINK,         /* `name` is gone */
    RECORD_SYNC_DIRECTORY, /* all changes of names before it have reached the disk */
    RECORD_NOTE            /* something the test wants to know, in `offset` */
} record_kind;

typedef struct record_event {
    record_kind kind;
    int file;
    off_t offset;
    size_t size;
    uint8_t *bytes;
    char *name, *to;
} record_event;

/** A file that was there at first, or was created later. */
typedef struct record_file {
    dev_t device;
    ino_t inode;
    char *name;     /* at first; NULL if it was created later */
    uint8_t *bytes; /* at first */
    size_t size;
} record_file;

typedef struct record {
    char *directory;
    record_event *events;
    size_t event_count, event_capacity;
    record_file *files;
    int file_count;
} record;

extern bool recording;

/** Records all threads from here on. One at a time, in a process that has no other tests beside this. */
void record_start(record *into, const char *directory);
/** When it returns, no call is being recorded any more. */
void record_stop(void);
void record_note(off_t what);
void record_free(record *it);

/** Writes a record to a file, so that another process can go on with it. */
void record_save(const record *it, const char *path);
/** Goes on with a record that was saved, in the same folder. */
void record_continue(record *into, const char *path, const char *directory);

/* ---- For faults.c ----------------------------------------------------- */

/** While something is recorded, each call of the system and its record are one step, and so is the end of the process
 * in such a call. What is returned goes to record_end(). */
bool record_begin(void);
void record_end(bool begun);

void record_write(int file, const void *bytes, size_t size, off_t offset);
void record_sync(int file, bool failed);
void record_truncate(int file, off_t size);
void record_create(int file, const char *path);
void record_rename(const char *from, const char *to);
void record_unlink(const char *path);

#endif
