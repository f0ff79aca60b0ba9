/* SPDX-License-Identifier: MIT
 * disk_state.c -- states of a disk that a power cut could have left. */
#define _GNU_SOURCE 1
#include "support/disk_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR = 512 };

static void grow(image *it, size_t size) {
    if (size > it->room) {
        size_t room = size + size / 2 + 65536;
        it->bytes = realloc(it->bytes, room);
        CHECK(it->bytes != NULL);
        memset(it->bytes + it->room, 0, room - it->room);
        it->room = room;
    }
    if (size > it->size) it->size = size;
}

static void put(image *it, off_t offset, const uint8_t *bytes, size_t size) {
    grow(it, (size_t)offset + size);
    memcpy(it->bytes + offset, bytes, size);
}

/* A write that was not synced. The length of the file may have changed without its content. */
static void put_perhaps(image *it, const record_event *event, survival how, uint64_t *random) {
    if (how == NONE) return;
    if (how == ALL) {
        put(it, event->offset, event->bytes, event->size);
    } else if (how == SOME_WRITES) {
        if (ctest_random(random) % 2 == 0) put(it, event->offset, event->bytes, event->size);
    } else {
        for (size_t at = 0; at < event->size; at += SECTOR) {
            size_t part = event->size - at < SECTOR ? event->size - at : SECTOR;
            if (ctest_random(random) % 2 == 0) put(it, event->offset + (off_t)at, event->bytes + at, part);
        }
    }
    if (ctest_random(random) % 8 == 0) grow(it, (size_t)event->offset + event->size);
}

static void name_file(disk *d, const char *name, int file) {
    int i = 0;
    while (i < d->name_count && strcmp(d->names[i].name, name) != 0) i++;
    CHECK(i < MOST_NAMES);
    if (i == d->name_count) d->name_count++;
    d->names[i].name = name;
    d->names[i].file = file;
}

static void change_name(disk *d, const record_event *event) {
    if (event->kind == RECORD_CREATE) name_file(d, event->name, event->file);
    if (event->kind == RECORD_RENAME) name_file(d, event->to, event->file);
    if (event->kind != RECORD_CREATE) name_file(d, event->name, -1);
}

/* What of the record no sync brings to the disk: the writes before one that failed. Ownership: freed by the caller. */
static bool *find_dropped(const record *log, size_t cut) {
    bool *dropped = calloc(cut + 1, sizeof *dropped);
    size_t synced[MOST_FILES] = { 0 };
    CHECK(dropped != NULL);
    for (size_t i = 0; i < cut; i++) {
        const record_event *event = &log->events[i];
        if (event->kind != RECORD_SYNC && event->kind != RECORD_SYNC_FAILED) continue;
        for (size_t n = synced[event->file]; n < i && event->kind == RECORD_SYNC_FAILED; n++)
            dropped[n] = dropped[n] || (log->events[n].file == event->file && log->events[n].kind == RECORD_WRITE);
        synced[event->file] = i;
    }
    return dropped;
}

off_t disk_make_up(const record *log, size_t cut, survival how, survival names, uint64_t *random, disk *d) {
    size_t synced[MOST_FILES] = { 0 }, names_synced = 0;
    off_t acknowledged = 0;
    CHECK(log->file_count <= MOST_FILES);
    bool *dropped = find_dropped(log, cut);
    d->name_count = 0;
    for (int i = 0; i < log->file_count; i++) {
        image *file = &d->files[i];
        if (file->size > 0) memset(file->bytes, 0, file->size);
        file->size = 0;
        if (log->files[i].name == NULL) continue;
        put(file, 0, log->files[i].bytes, log->files[i].size);
        name_file(d, log->files[i].name, i);
    }
    for (size_t i = 0; i < cut; i++) {
        const record_event *event = &log->events[i];
        if (event->kind == RECORD_SYNC) synced[event->file] = i;
        if (event->kind == RECORD_SYNC_DIRECTORY) names_synced = i;
        if (event->kind == RECORD_NOTE) acknowledged = event->offset;
    }
    for (size_t i = 0; i < cut; i++) {
        const record_event *event = &log->events[i];
        bool last = i + 1 == cut;
        if (event->kind == RECORD_WRITE) {
            bool durable = (i < synced[event->file] && !dropped[i]) || (!last && event[1].kind == RECORD_WRITE_DURABLE);
            if (durable) put(&d->files[event->file], event->offset, event->bytes, event->size);
            else put_perhaps(&d->files[event->file], event, how, random);
        } else if (event->kind == RECORD_TRUNCATE) {
            if (i < synced[event->file] || how == ALL || (how != NONE && ctest_random(random) % 2 == 0)) {
                image *file = &d->files[event->file];
                if ((size_t)event->offset < file->size)
                    memset(file->bytes + event->offset, 0, file->size - (size_t)event->offset);
                grow(file, (size_t)event->offset);
                file->size = (size_t)event->offset;
            }
        } else if (event->kind == RECORD_CREATE || event->kind == RECORD_RENAME || event->kind == RECORD_UNLINK) {
            if (i < names_synced || names == ALL || (names != NONE && ctest_random(random) % 2 == 0))
                change_name(d, event);
        }
    }
    free(dropped);
    return acknowledged;
}

static void write_files(const disk *d, const site *at) {
    char path[500];
    for (int i = 0; i < d->name_count; i++) {
        const char *name = site_path(at, d->names[i].name, path);
        if (d->names[i].file < 0) {
            if (unlink(name) != 0) CHECK_EQ(errno, ENOENT);
            continue;
        }
        const image *content = &d->files[d->names[i].file];
        int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        CHECK(file >= 0);
        CHECK_EQ(write(file, content->bytes, content->size), (ssize_t)content->size);
        close(file);
    }
}

/* Nothing in a lock file has to survive; what does may be of any age. */
static void leave_lock_file(const site *at, uint64_t *random) {
    char path[500];
    switch (ctest_random(random) % 4) {
    case 0: unlink(site_path(at, "store-lock", path)); break;
    case 1: CHECK(truncate(site_path(at, "store-lock", path), 100) == 0 || errno == ENOENT); break;
    default: break; /* that of the state before */
    }
}

/* Removes what the state before has left. */
static void clean_up(const record *log, const site *at) {
    char path[500];
    for (size_t i = 0; i < log->event_count; i++) {
        const record_event *event = &log->events[i];
        if (event->kind == RECORD_CREATE) unlink(site_path(at, event->name, path));
        if (event->kind == RECORD_RENAME) unlink(site_path(at, event->to, path));
    }
}

void disk_write_out(const disk *d, const record *log, const site *at, uint64_t *random) {
    clean_up(log, at);
    write_files(d, at);
    leave_lock_file(at, random);
}

void disk_free(disk *d) {
    for (int i = 0; i < MOST_FILES; i++) free(d->files[i].bytes);
}
