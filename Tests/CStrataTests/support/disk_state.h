/* SPDX-License-Identifier: MIT
 *
 * disk_state.h -- states of a disk that a power cut could have left.
 *
 * All that a record has before some moment, of which what had been synced is kept, and of the rest nothing, all of it,
 * some writes, or some sectors of 512 bytes; files of any length in between; names that have changed, or not yet. What a
 * sync did not write that failed, no later one does. */
#ifndef DISK_STATE_H
#define DISK_STATE_H

#include "support/record.h"
#include "support/workload.h"

enum { MOST_FILES = 32, MOST_NAMES = 16 };

typedef enum survival { NONE, ALL, SOME_WRITES, SOME_SECTORS } survival;

typedef struct image {
    uint8_t *bytes;
    size_t size, room;
} image;

/** The files of a folder. Empty when it is zero. */
typedef struct disk {
    image files[MOST_FILES];
    struct {
        const char *name;
        int file;
    } names[MOST_NAMES];
    int name_count;
} disk;

/** The disk after the first `cut` events. Returns the last note among them. */
off_t disk_make_up(const record *log, size_t cut, survival how, survival names, uint64_t *random, disk *d);
/** Writes its files into a folder, from which it first removes what the state before has left. */
void disk_write_out(const disk *d, const record *log, const site *at, uint64_t *random);
void disk_free(disk *d);

#endif
