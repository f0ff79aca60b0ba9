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

int st_distrust_write_newest(const strata_store *store) {
    uint8_t meta[ST_META_SIZE];
    const st_page_file file = { .map = store->map, .page_size = store->page_size };
    uint64_t at = (st_page_file_newest(&file) & 1) * store->page_size;
    memcpy(meta, store->map + at, sizeof meta);
    return st_write_at(store->file, meta, sizeof meta, at);
}

/* 0, also if nothing has to be marked, or an errno. */
static int mark_log(const strata_store *store) {
    st_log_header header;
    int file = store->log.file, code = file < 0 ? st_log_open(store->path, false, &file) : 0;
    if (file < 0) return code;
    code = st_log_header_read(file, &header);
    if (code == 0 && header.in_use) code = st_log_header_distrust(file, &header);
    if (file != store->log.file) close(file);
    return code == ENODATA ? 0 : code;
}

void st_distrust_tell(strata_store *store) {
    if (!atomic_load(&store->distrusted) || store->told || store->memory_name != NULL) return;
    int code = st_distrust_write_newest(store); /* the next flush of whoever opens the file has it */
    if (code == 0) code = mark_log(store);
    store->told = code == 0; /* or else it is tried again at the end of the next turn */
}

int st_log_flush(strata_store *store) {
    st_page_log *log = &store->log;
    if (fdatasync(log->file) != 0) {
        int code = errno;
        st_distrust(store, "its log could not be flushed");
        return code;
    }
    st_page_log_is_flushed(log);
    return 0;
}
