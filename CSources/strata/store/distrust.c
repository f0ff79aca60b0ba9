/* SPDX-License-Identifier: MIT
 * distrust.c -- what is left of a flush that failed. */
#define _GNU_SOURCE 1
#include "store/distrust.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/handle.h"

void st_distrust(strata_store *store, const char *why) {
    atomic_store(&store->distrusted, true);
    st_store_poison(store, why);
}

int st_distrust_newest(const strata_store *store) {
    uint8_t meta[ST_META_SIZE];
    const st_page_file file = { .map = store->map, .page_size = store->page_size };
    uint64_t at = (st_page_file_newest(&file) & 1) * store->page_size;
    memcpy(meta, store->map + at, sizeof meta);
    return st_write_at(store->file, meta, sizeof meta, at);
}

void st_distrust_tell(strata_store *store) {
    st_log_header header;
    int file = store->log.file;
    if (!atomic_load(&store->distrusted) || store->told || store->memory_name != NULL) return;
    store->told = true;
    (void)st_distrust_newest(store); /* the next flush of whoever opens the file has it */
    if (file < 0) (void)st_log_open(store->path, false, &file);
    if (file >= 0 && st_log_header_read(file, &header) == 0 && header.in_use)
        (void)st_log_header_distrust(file, &header);
    if (file >= 0 && file != store->log.file) close(file);
}

int st_log_flush(strata_store *store) {
    st_page_log *log = &store->log;
    if (fdatasync(log->file) != 0) {
        int code = errno;
        st_distrust(store, "its log could not be flushed");
        return code;
    }
    log->flushed = log->last;
    log->flushed_end = log->end;
    return 0;
}
