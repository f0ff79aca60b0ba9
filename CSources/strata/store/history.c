/* SPDX-License-Identifier: MIT
 * history.c -- the records of the last commits of this process. */
#include "store/history.h"

#include <stdlib.h>
#include <string.h>

/* Where the record of a number is. */
static st_history_record **place(st_history *h, uint64_t number) { return &h->records[number % ST_HISTORY_RECORDS]; }

static void forget_first(st_history *h) {
    st_history_record *first = *place(h, h->first_number++);
    h->count--;
    h->bytes -= first->size;
    free(first);
}

/* Numbers go on, so that a feed that comes later is not mistaken for an earlier one. */
static void forget_all(st_history *h) {
    while (h->count != 0) forget_first(h);
}

void st_history_drop_staged(st_history *h) {
    while (h->staged != NULL) {
        st_history_record *next = h->staged->next;
        free(h->staged);
        h->staged = next;
    }
    h->last_staged = NULL;
    h->lost = false;
}

void st_history_free(st_history *h) {
    forget_all(h);
    st_history_drop_staged(h);
    pthread_mutex_destroy(&h->lock);
}

/* ---- The writer ------------------------------------------------------- */

void st_history_stage(st_history *h, uint64_t version, const st_buffer *record) {
    st_history_record *staged = record == NULL ? NULL : malloc(sizeof *staged + record->size);
    if (staged == NULL) {
        h->lost = true;
        return;
    }
    staged->next = NULL;
    staged->version = version;
    staged->size = record->size;
    memcpy(staged->bytes, record->data, record->size);
    if (h->staged == NULL) h->staged = staged;
    else h->last_staged->next = staged;
    h->last_staged = staged;
}

void st_history_committing(st_history *h) {
    pthread_mutex_lock(&h->lock);
    h->committing = true;
    pthread_mutex_unlock(&h->lock);
}

static void publish(st_history *h) {
    while (h->staged != NULL) {
        st_history_record *record = h->staged;
        h->staged = record->next;
        if (h->count == ST_HISTORY_RECORDS) forget_first(h);
        *place(h, h->first_number + h->count++) = record;
        h->bytes += record->size;
        while (h->count > 1 && h->bytes > ST_HISTORY_BYTES) forget_first(h);
    }
}

void st_history_committed(st_history *h, bool done) {
    pthread_mutex_lock(&h->lock);
    if (done && h->lost) { /* nobody may take what is left for everything */
        forget_all(h);
        h->first_number++;
    } else if (done && st_history_wanted(h)) {
        publish(h);
    }
    h->committing = false;
    pthread_mutex_unlock(&h->lock);
    st_history_drop_staged(h);
}

/* ---- Feeds ------------------------------------------------------------ */

void st_history_enter(st_history *h, uint64_t *out_number) {
    pthread_mutex_lock(&h->lock);
    atomic_fetch_add(&h->feeds, 1);
    *out_number = h->first_number + h->count;
    pthread_mutex_unlock(&h->lock);
}

void st_history_leave(st_history *h) {
    pthread_mutex_lock(&h->lock);
    if (atomic_fetch_sub(&h->feeds, 1) == 1) forget_all(h);
    pthread_mutex_unlock(&h->lock);
}

uint64_t st_history_next(st_history *h) {
    pthread_mutex_lock(&h->lock);
    uint64_t number = h->first_number + h->count;
    pthread_mutex_unlock(&h->lock);
    return number;
}

strata_status st_history_get(st_history *h, uint64_t number, st_buffer *out, bool *out_quiet) {
    strata_status status = STRATA_OK;
    out->size = 0;
    pthread_mutex_lock(&h->lock);
    *out_quiet = !h->committing;
    if (number < h->first_number) {
        status = STRATA_EXPIRED;
    } else if (number - h->first_number >= h->count) {
        status = STRATA_END;
    } else {
        const st_history_record *record = *place(h, number);
        if (!st_buffer_append(out, record->bytes, record->size)) status = STRATA_NO_MEMORY;
    }
    pthread_mutex_unlock(&h->lock);
    return status;
}
