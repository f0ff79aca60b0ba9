/* SPDX-License-Identifier: MIT
 * memory.c -- stores without a file.
 *
 * LMDB needs files. So a store in memory is a file in /dev/shm. As soon as it is open, its name and that of its lock
 * file are removed: nobody else can open it, and the memory is freed when the store is closed or the process ends.
 * Commits are not synced. */
#define _GNU_SOURCE 1
#include "store/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/status.h"
#include "store/close.h"
#include "store/env.h"
#include "store/lmdb_status.h"
#include "store/state.h"
/* Makes an empty file in `directory`; `*out_path` is freed by the caller. 0, or an errno. */
static int make_file(const char *directory, char **out_path, int *out_file) {
    uint64_t number[2] = { 0, 0 };
    *out_path = NULL;
    *out_file = -1;
    if (getentropy(number, sizeof number) != 0) return errno;
    if (asprintf(out_path, "%s/strata-%016llx%016llx", directory, (unsigned long long)number[0],
                 (unsigned long long)number[1]) < 0) {
        *out_path = NULL;
        return ENOMEM;
    }
    *out_file = open(*out_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return *out_file >= 0 ? 0 : errno;
}

static void remove_names(const char *path) {
    char lock[PATH_MAX]; /* not allocated: the names must be removed even if memory has run out */
    unlink(path);
    if (snprintf(lock, sizeof lock, "%s-lock", path) < (int)sizeof lock) unlink(lock);
}

static strata_status start(strata_store *store, const strata_config *config, strata_error *error) {
    const char *fallback = getenv("TMPDIR");
    int code = make_file("/dev/shm", &store->path, &store->file);
    if (code != 0) {
        free(store->path);
        code = make_file(fallback != NULL && *fallback != 0 ? fallback : "/tmp", &store->path, &store->file);
    }
    if (code != 0) return st_errno_fail(error, code, store->memory_name, "creating the store in memory");
    strata_status status = st_env_open(store, config->max_readers, 0600, error);
    if (status == STRATA_OK) status = st_env_create_trees(store->env, store, error);
    if (status == STRATA_OK) status = st_env_open_trees(store, error);
    remove_names(store->path);
    return status;
}

strata_status st_memory_open(const strata_config *config, strata_store **out, strata_error *error) {
    *out = NULL;
    strata_store *store = st_store_make();
    if (store == NULL || (store->memory_name = strdup(config->memory_name)) == NULL) {
        st_store_destroy(store);
        return st_no_memory(error, "opening a store in memory");
    }
    store->map_size = store->asked_map_size = config->map_size;
    if (config->wait != 0) store->wait = config->wait;
    strata_status status = start(store, config, error);
    if (status == STRATA_OK) *out = store;
    else st_store_destroy(store);
    return status;
}
