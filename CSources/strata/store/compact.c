/* SPDX-License-Identifier: MIT
 *
 * compact.c -- rewriting a file without its free space.
 *
 * Nobody may have the file open while it is copied, so that no commit is lost. Whoever opens it meanwhile waits, and
 * then finds the new file at the path. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sized.h"
#include "store/alone.h"
#include "store/copy.h"
#include "store/fork.h"
#include "store/lmdb_status.h"
#include "store/preflight.h"
#include "store/recovery.h"
#include "store/registry.h"

static strata_status rewrite(const char *path, const st_file *file, strata_compaction *out, strata_error *error) {
    enum { ROOM = 16 * 1024 * 1024 };
    st_temporary temporary = { NULL, -1 };
    MDB_env *env = NULL;
    struct stat info;
    strata_status status = st_recover(file->descriptor, path, false, error);
    if (status == STRATA_OK) status = st_preflight(file->descriptor, path, true, true, error);
    if (status == STRATA_OK) status = st_recovery_check(file->descriptor, path, error);
    if (status == STRATA_OK && fstat(file->descriptor, &info) != 0)
        status = st_errno_fail(error, errno, path, "compacting");
    if (status != STRATA_OK) return status;
    int code = st_copy_open(path, (uint64_t)info.st_size + ROOM, &env);
    if (code != 0) {
        strata_store named = { .file = -1, .path = (char *)(uintptr_t)path }; /* for the message */
        status = st_lmdb_fail(error, code, &named, "compacting");
    }
    if (status == STRATA_OK)
        status = st_temporary_make(path, file->info.st_mode & 0777, "compacting", &temporary, error);
    if (status == STRATA_OK && fchmod(temporary.descriptor, file->info.st_mode & 07777) != 0)
        status = st_errno_fail(error, errno, path, "compacting");
    if (status == STRATA_OK) status = st_copy_compact(env, path, "compacting", &temporary, error);
    if (status == STRATA_OK && fstat(temporary.descriptor, &info) != 0)
        status = st_errno_fail(error, errno, path, "compacting");
    if (status == STRATA_OK) status = st_temporary_put(&temporary, path, true, "compacting", error);
    if (status == STRATA_OK)
        *out = (strata_compaction){ (uint64_t)file->info.st_size, (uint64_t)info.st_size };
    if (env != NULL) mdb_env_close(env);
    st_temporary_end(&temporary);
    if (status == STRATA_OK)
        st_log(STRATA_LOG_INFO, "'%s' was compacted from %llu to %llu bytes", path, (unsigned long long)out->old_size,
               (unsigned long long)out->new_size);
    return status;
}

static strata_status compact_path(const char *path, bool allow_remote, strata_compaction *out, strata_error *error) {
    st_file file;
    strata_status status = st_file_open_alone(path, allow_remote, "compacting", &file, error);
    if (status != STRATA_OK) return status;
    status = rewrite(path, &file, out, error);
    close(file.descriptor); /* lets in those who wait */
    return status;
}

strata_status strata_compact_sized(const strata_config *config, strata_compaction *out, size_t size,
                                   strata_error *error) {
    strata_compaction sizes = { 0, 0 };
    char *path = NULL;
    if (out != NULL) memset(out, 0, size);
    if (config == NULL || !st_sized_plausible(config->size, offsetof(strata_config, memory_name)) ||
        config->path == NULL)
        return st_fail(error, STRATA_MISUSE, 0,
                       "compacting: set strata_config.size to sizeof(strata_config), and the path of a file");
    if ((config->flags & STRATA_OPEN_READ_ONLY) != 0)
        return st_fail(error, STRATA_READ_ONLY, 0, "compacting '%s': STRATA_OPEN_READ_ONLY was given", config->path);
    st_fork_prepare_once();
    st_registry_lock();
    strata_status status = st_file_resolve(config->path, &path, error);
    if (status == STRATA_OK)
        status = compact_path(path, (config->flags & STRATA_OPEN_ALLOW_REMOTE) != 0, &sizes, error);
    st_registry_unlock();
    if (out != NULL) st_sized_write(out, size, &sizes, sizeof sizes);
    free(path);
    return status;
}
