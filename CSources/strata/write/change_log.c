/* SPDX-License-Identifier: MIT
 * change_log.c -- what a write did. */
#include "write/change_log.h"

#include <stdlib.h>

#include "base/array.h"

enum { MOST_CHANGES = 1 << 20 /* 48 MiB */ };

bool st_change_log_start(st_change_log *log, uint32_t table_count) {
    log->created = calloc((size_t)table_count + 1, sizeof *log->created);
    log->table_count = table_count;
    log->on = log->created != NULL;
    return log->on;
}

void st_change_log_free(st_change_log *log) {
    free(log->changes);
    free(log->created);
    *log = (st_change_log){ .on = false };
}

/* Makes the change a part of the one before it. False if it is none. */
static bool join(strata_delta *last, const strata_delta *change) {
    if (last->kind != change->kind || last->table != change->table) return false;
    if (change->kind == STRATA_DELTA_CREATE && last->key + last->count == change->key) {
        last->count++;
        return true;
    }
    if (last->key != change->key || last->column != change->column) return false;
    if (change->kind == STRATA_DELTA_ASSIGN) return true;
    if (change->kind == STRATA_DELTA_SET || change->kind == STRATA_DELTA_LINKED)
        return last->position == change->position;
    bool follows = change->kind == STRATA_DELTA_INSERT ? change->position == last->position + last->count
                                                        : change->position == last->position;
    if ((change->kind != STRATA_DELTA_INSERT && change->kind != STRATA_DELTA_REMOVE) || !follows) return false;
    last->count += change->count;
    return true;
}

void st_change_log_append(st_change_log *log, const strata_delta *change) {
    if (log->whole || change->table >= log->table_count) return;
    if (change->kind == STRATA_DELTA_CREATE) {
        if (log->created[change->table] == 0) log->created[change->table] = change->key;
    } else if (change->kind != STRATA_DELTA_DELETE && change->kind != STRATA_DELTA_CLEAR &&
               st_change_log_created(log, change->table, change->key)) {
        return;
    }
    bool links = change->kind == STRATA_DELTA_LINKED;
    size_t last = links ? log->count : log->last; /* links come between the elements that are added one by one */
    if (last != 0 && join(&log->changes[last - 1], change)) return;
    bool fits = log->count < MOST_CHANGES &&
                st_array_grow((void **)&log->changes, &log->capacity, log->count, sizeof *log->changes);
    if (fits) log->changes[log->count++] = *change;
    else log->whole = true;
    if (!links) log->last = log->count;
}
