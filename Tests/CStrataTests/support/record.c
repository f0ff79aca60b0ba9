/* SPDX-License-Identifier: MIT
 * record.c -- what was written to the files of a folder, in which order, and when it was made durable. */
#define _GNU_SOURCE 1
#include "support/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool recording;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static record *current;

bool record_begin(void) {
    if (!recording) return false;
    pthread_mutex_lock(&lock);
    if (recording) return true;
    pthread_mutex_unlock(&lock);
    return false;
}

void record_end(bool begun) {
    if (begun) pthread_mutex_unlock(&lock);
}

static void *must_have(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

/* The name in the folder, if the path leads into it and the file counts; else NULL. */
static const char *name_in(const char *path) {
    size_t length = strlen(current->directory), size = strlen(path);
    if (strncmp(path, current->directory, length) != 0 || path[length] != '/') return NULL;
    return size > 5 && strcmp(path + size - 5, "-lock") == 0 ? NULL : path + length + 1;
}

static bool identify(int descriptor, struct stat *info) { return syscall(SYS_fstat, descriptor, info) == 0; }

/* The newest one first: numbers of files are used again. */
static int find(const struct stat *info) {
    int i = current->file_count - 1;
    while (i >= 0 && (current->files[i].device != info->st_dev || current->files[i].inode != info->st_ino)) i--;
    return i;
}

static int add_file(const struct stat *info) {
    size_t count = (size_t)current->file_count + 1;
    current->files = must_have(realloc(current->files, count * sizeof *current->files));
    current->files[count - 1] = (record_file){ .device = info->st_dev, .inode = info->st_ino };
    return current->file_count++;
}

static record_event *add(record_kind kind, int file) {
    if (current->event_count == current->event_capacity) {
        current->event_capacity = current->event_capacity == 0 ? 256 : 2 * current->event_capacity;
        current->events = must_have(realloc(current->events, current->event_capacity * sizeof *current->events));
    }
    record_event *event = &current->events[current->event_count++];
    *event = (record_event){ .kind = kind, .file = file };
    return event;
}

static char *copy_of(const char *name) { return must_have(strdup(name)); }

void record_write(int descriptor, const void *bytes, size_t size, off_t offset) {
    struct stat info;
    if (!identify(descriptor, &info) || !S_ISREG(info.st_mode)) return;
    pthread_mutex_lock(&lock);
    int file = find(&info);
    if (file >= 0 && recording) {
        record_event *event = add(RECORD_WRITE, file);
        event->offset = offset;
        event->size = size;
        event->bytes = must_have(malloc(size));
        memcpy(event->bytes, bytes, size);
        if ((syscall(SYS_fcntl, descriptor, F_GETFL) & O_DSYNC) != 0) add(RECORD_WRITE_DURABLE, file);
    }
    pthread_mutex_unlock(&lock);
}

void record_sync(int descriptor, bool failed) {
    struct stat info, folder;
    if (!identify(descriptor, &info)) return;
    pthread_mutex_lock(&lock);
    int file = find(&info);
    if (S_ISDIR(info.st_mode)) {
        if (!failed && fstatat(AT_FDCWD, current->directory, &folder, 0) == 0 && folder.st_ino == info.st_ino)
            add(RECORD_SYNC_DIRECTORY, -1);
    } else if (file >= 0) {
        add(failed ? RECORD_SYNC_FAILED : RECORD_SYNC, file);
    }
    pthread_mutex_unlock(&lock);
}

void record_truncate(int descriptor, off_t size) {
    struct stat info;
    if (!identify(descriptor, &info)) return;
    pthread_mutex_lock(&lock);
    int file = find(&info);
    if (file >= 0) add(RECORD_TRUNCATE, file)->offset = size;
    pthread_mutex_unlock(&lock);
}

/* Opened with O_CREAT; it may have been there. */
void record_create(int descriptor, const char *path) {
    struct stat info;
    pthread_mutex_lock(&lock);
    const char *name = name_in(path);
    if (name != NULL && identify(descriptor, &info) && info.st_size == 0) {
        int file = find(&info);
        bool named = false; /* by an event that still holds */
        for (size_t i = 0; i < current->event_count && file >= 0; i++) {
            const record_event *event = &current->events[i];
            if (event->kind == RECORD_CREATE && event->file == file) named = true;
            if (event->kind == RECORD_UNLINK && event->file == file) named = false;
        }
        if (!named) {
            record_event *event = add(RECORD_CREATE, add_file(&info));
            event->name = copy_of(name);
        }
    }
    pthread_mutex_unlock(&lock);
}

void record_rename(const char *from, const char *to) {
    struct stat info;
    pthread_mutex_lock(&lock);
    const char *name = name_in(from), *target = name_in(to);
    if (name != NULL && target != NULL && fstatat(AT_FDCWD, to, &info, AT_SYMLINK_NOFOLLOW) == 0) {
        record_event *event = add(RECORD_RENAME, find(&info));
        event->name = copy_of(name);
        event->to = copy_of(target);
    }
    pthread_mutex_unlock(&lock);
}

void record_unlink(const char *path) {
    pthread_mutex_lock(&lock);
    const char *name = name_in(path);
    if (name != NULL) {
        int file = -1;
        for (size_t i = 0; i < current->event_count; i++)
            if (current->events[i].kind == RECORD_CREATE && strcmp(current->events[i].name, name) == 0)
                file = current->events[i].file;
        add(RECORD_UNLINK, file)->name = copy_of(name);
    }
    pthread_mutex_unlock(&lock);
}

void record_note(off_t what) {
    pthread_mutex_lock(&lock);
    if (recording) add(RECORD_NOTE, -1)->offset = what;
    pthread_mutex_unlock(&lock);
}

static void load(const char *name) {
    struct stat info;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", current->directory, name);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || !identify(descriptor, &info) || !S_ISREG(info.st_mode) || name_in(path) == NULL) {
        if (descriptor >= 0) close(descriptor);
        return;
    }
    int number = add_file(&info); /* which may move the others */
    record_file *file = &current->files[number];
    file->name = copy_of(name);
    file->size = (size_t)info.st_size;
    file->bytes = must_have(malloc(file->size + 1));
    if (pread(descriptor, file->bytes, file->size, 0) != (ssize_t)file->size) abort();
    close(descriptor);
}

void record_start(record *into, const char *directory) {
    *into = (record){ .directory = must_have(realpath(directory, NULL)) };
    current = into;
    DIR *entries = must_have(opendir(directory));
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) load(entry->d_name);
    closedir(entries);
    recording = true;
}

void record_stop(void) {
    pthread_mutex_lock(&lock);
    recording = false;
    pthread_mutex_unlock(&lock);
}

void record_free(record *it) {
    for (size_t i = 0; i < it->event_count; i++) {
        free(it->events[i].bytes);
        free(it->events[i].name);
        free(it->events[i].to);
    }
    for (int i = 0; i < it->file_count; i++) {
        free(it->files[i].name);
        free(it->files[i].bytes);
    }
    free(it->events);
    free(it->files);
    free(it->directory);
}

/* ---- From one process to another ------------------------------------------ */

static void put_bytes(FILE *to, const void *bytes, size_t size) {
    if (size > 0 && fwrite(bytes, 1, size, to) != size) abort();
}

static void get_bytes(FILE *from, void *bytes, size_t size) {
    if (size > 0 && fread(bytes, 1, size, from) != size) abort();
}

/* A text or bytes; NULL stays NULL. */
static void put_block(FILE *to, const void *bytes, size_t size) {
    uint64_t header = bytes == NULL ? UINT64_MAX : size;
    put_bytes(to, &header, sizeof header);
    if (bytes != NULL) put_bytes(to, bytes, size);
}

static void *get_block(FILE *from) {
    uint64_t size;
    get_bytes(from, &size, sizeof size);
    if (size == UINT64_MAX) return NULL;
    uint8_t *bytes = must_have(malloc(size + 1));
    get_bytes(from, bytes, size);
    return bytes;
}

static void put_text(FILE *to, const char *text) { put_block(to, text, text == NULL ? 0 : strlen(text) + 1); }

void record_save(const record *it, const char *path) {
    pthread_mutex_lock(&lock);
    FILE *to = must_have(fopen(path, "wb"));
    put_bytes(to, &it->event_count, sizeof it->event_count);
    put_bytes(to, &it->file_count, sizeof it->file_count);
    for (size_t i = 0; i < it->event_count; i++) {
        const record_event *event = &it->events[i];
        put_bytes(to, event, sizeof *event);
        put_block(to, event->bytes, event->size);
        put_text(to, event->name);
        put_text(to, event->to);
    }
    for (int i = 0; i < it->file_count; i++) {
        put_bytes(to, &it->files[i], sizeof it->files[i]);
        put_text(to, it->files[i].name);
        put_block(to, it->files[i].bytes, it->files[i].size);
    }
    fclose(to);
    pthread_mutex_unlock(&lock);
}

void record_continue(record *into, const char *path, const char *directory) {
    FILE *from = must_have(fopen(path, "rb"));
    *into = (record){ .directory = must_have(realpath(directory, NULL)) };
    get_bytes(from, &into->event_count, sizeof into->event_count);
    get_bytes(from, &into->file_count, sizeof into->file_count);
    into->event_capacity = into->event_count + 1;
    into->events = must_have(calloc(into->event_capacity, sizeof *into->events));
    into->files = must_have(calloc((size_t)into->file_count + 1, sizeof *into->files));
    for (size_t i = 0; i < into->event_count; i++) {
        record_event *event = &into->events[i];
        get_bytes(from, event, sizeof *event);
        event->bytes = get_block(from);
        event->name = get_block(from);
        event->to = get_block(from);
    }
    for (int i = 0; i < into->file_count; i++) {
        get_bytes(from, &into->files[i], sizeof into->files[i]);
        into->files[i].name = get_block(from);
        into->files[i].bytes = get_block(from);
    }
    fclose(from);
    current = into;
    recording = true;
}
