/* SPDX-License-Identifier: MIT
 *
 * log_pages.h -- the pages that a log has for a file that is damaged, and which is not changed.
 *
 * Recovery writes them into the file (recovery.h). Here they only stand before the pages of the file, and what is
 * damaged in the log is no reason to go without the rest of it.
 */
#ifndef ST_STORE_LOG_PAGES_H
#define ST_STORE_LOG_PAGES_H

#include "page/overlay.h"
#include "store/log_file.h"

/** Freed with st_log_pages_free(). */
typedef struct st_log_pages {
    bool readable;    /* there is a log, and its header can be read */
    bool in_use;      /* it has commits for a file */
    bool known;       /* the file says itself that the log is its own */
    bool another;     /* the header record of the file says that it is not */
    bool gap;         /* there are commits behind one that cannot be read */
    uint64_t commits; /* that the pages are of */
    st_log_header header;
    st_page_overlay overlay;
    uint8_t **pages; /* of the overlay */
    size_t count, capacity;
} st_log_pages;

/** Reads the log of a file, if it has one. Ownership: `out` is freed by the caller, also after a failure. Fails:
 * STRATA_IO, STRATA_PERMISSION, STRATA_NO_MEMORY. */
strata_status st_log_pages_read(int file, const char *path, st_log_pages *out, strata_error *error);
void st_log_pages_free(st_log_pages *log);

#endif
