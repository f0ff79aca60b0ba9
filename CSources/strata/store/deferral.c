/* SPDX-License-Identifier: MIT
 * deferral.c -- commits that go to the log without waiting for it to be flushed. */
#define _GNU_SOURCE 1
#include "store/deferral.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/thread.h"
#include "store/distrust.h"
#include "store/handle.h"
#include "store/lmdb_status.h"
#include "store/room.h"
#include "store/slots.h"
#include "store/turn.h"

st_time st_deferral_window = 1000 * ST_MILLISECOND;
uint64_t st_deferral_soon = ST_LOG_MOST_LEFT / 2;

/* How often the thread looks again for the turn when others have it. */
static const st_time again = 50 * (st_time)ST_MILLISECOND;

static void distrust(strata_store *store) { st_distrust(store, "its log could not be flushed"); }

/* ---- The pins --------------------------------------------------------- */

static void let_go(st_log_pin *pin) {
    if (pin->commit == 0) return;
    st_lmdb_calls++;
    mdb_txn_reset(pin->txn);
    pin->commit = 0;
}

/* A snapshot of a commit, if that is the newest one. Without a pin nothing is deferred. Inside the turn. */
static void take_hold(strata_store *store, st_log_pin *pin, uint64_t commit) {
    enum { MILLISECONDS = 10 };
    const st_deadline soon = st_deadline_in(MILLISECONDS);
    let_go(pin);
    int code = pin->txn != NULL ? st_called(mdb_txn_renew(pin->txn)) : st_slots_begin(store, &soon, &pin->txn);
    if (code != 0) return;
    pin->commit = mdb_txn_id(pin->txn);
    if (pin->commit != commit) let_go(pin);
}

static bool is_held(const st_page_log *log) { return log->pin.commit != 0 && log->pin.commit == log->flushed; }

bool st_deferral_holds(const st_page_log *log) { return log->flushed == log->last || is_held(log); }

static void end_pin(st_log_pin *pin) {
    if (pin->txn != NULL) mdb_txn_abort(pin->txn);
    *pin = (st_log_pin){ NULL, 0 };
}

/* After a commit failed for another reason, those before it still are to be flushed. */
void st_deferral_settle(strata_store *store) {
    st_page_log *log = &store->log;
    if (log->flushed != log->last && !atomic_load(&store->distrusted)) (void)st_log_flush(store);
}

void st_deferral_end(strata_store *store) {
    if (store->log.file >= 0) st_deferral_settle(store);
    end_pin(&store->log.pin);
    end_pin(&store->log.next);
}

/* ---- The thread ------------------------------------------------------- */

/* Says whether a record was left, and returns what was said before. */
static bool set_left(st_deferral *deferral, bool left) {
    pthread_mutex_lock(&deferral->lock);
    bool before = deferral->left;
    deferral->left = left;
    pthread_mutex_unlock(&deferral->lock);
    return before;
}

/* Somebody writes, perhaps for long. What the store knows of its log is theirs meanwhile, so the file is opened once
 * more. If it cannot be opened, perhaps for want of descriptors, nothing is lost: that is tried again soon, and the write
 * itself flushes what is left when it has to. */
static void flush_beside_a_write(strata_store *store) {
    bool failed;
    if (!set_left(&store->deferral, false) || atomic_load(&store->distrusted)) return;
    if (st_log_flush_of(store->path, &failed) == 0) return;
    if (failed) distrust(store);
    else (void)set_left(&store->deferral, true);
}

enum { PATIENCE = 20 /* milliseconds that the thread waits for the turn */ };

/* How far the log had come when it was looked at. */
typedef struct st_reach {
    int file; /* the log once more, or -1 */
    st_time at;
    uint64_t number, last, end, waiting;
} st_reach;

/* False if others have the turn. What the log has by now is pinned, if it will be flushed. */
static bool look_at_log(strata_store *store, st_reach *out) {
    const st_deadline soon = st_deadline_in(PATIENCE);
    st_page_log *log = &store->log;
    if (st_turn_take(store, &soon, NULL) != STRATA_OK) return false;
    bool wanted = log->flushed != log->last && !atomic_load(&store->distrusted);
    *out = (st_reach){ .file = wanted ? fcntl(log->file, F_DUPFD_CLOEXEC, 0) : -1, .at = st_time_now(),
                       .number = log->header.number, .last = log->last, .end = log->end, .waiting = log->waiting };
    if (out->file >= 0) take_hold(store, &log->next, log->last);
    st_turn_end(store);
    return true;
}

/* What was there when the log was looked at is on the disk, unless others have flushed more. */
static void note_flushed_to(st_page_log *log, const st_reach *reach) {
    if (log->header.number != reach->number || log->flushed >= reach->last) return;
    log->flushed = reach->last;
    log->flushed_end = reach->end;
    log->waiting -= reach->waiting;
    if (log->next.commit != log->flushed) return;
    const st_log_pin before = log->pin;
    log->pin = log->next;
    log->next = before;
}

/* Nothing is left then that has to be kept. */
static void settle(strata_store *store) {
    st_deferral_settle(store);
    let_go(&store->log.pin);
}

/* The log is on the disk as far as it was looked at. Goes on with what was written meanwhile when that is due. */
static void go_on(strata_store *store, const st_reach *reach) {
    const st_deadline soon = st_deadline_in(PATIENCE);
    st_page_log *log = &store->log;
    if (st_turn_take(store, &soon, NULL) != STRATA_OK) return;
    bool flushed = reach->file >= 0 && !atomic_load(&store->distrusted);
    if (flushed) note_flushed_to(log, reach);
    bool left = flushed && log->flushed != log->last && is_held(log);
    if (!left) settle(store);
    let_go(&log->next);
    pthread_mutex_lock(&store->deferral.lock);
    store->deferral.due = left ? reach->at + (log->waiting < st_deferral_soon ? st_deferral_window : 0) : 0;
    store->deferral.left = left;
    pthread_mutex_unlock(&store->deferral.lock);
    st_turn_end(store);
}

/* Flushes what there is, while others may write, unless somebody does, for whom the thread does not wait for long. */
static void flush(strata_store *store) {
    st_reach reach;
    if (!look_at_log(store, &reach)) {
        flush_beside_a_write(store);
        return;
    }
    if (reach.file >= 0 && fdatasync(reach.file) != 0) distrust(store);
    go_on(store, &reach);
    if (reach.file >= 0) close(reach.file);
}

static void sleep_until(st_deferral *deferral, st_time time) {
    const st_deadline end = { .end = time };
    const struct timespec spec = st_deadline_spec(&end);
    if (time == 0) (void)pthread_cond_wait(&deferral->changed, &deferral->lock);
    else (void)pthread_cond_clockwait(&deferral->changed, &deferral->lock, CLOCK_MONOTONIC, &spec);
}

static void *flush_when_due(void *argument) {
    strata_store *store = argument;
    st_deferral *deferral = &store->deferral;
    pthread_mutex_lock(&deferral->lock);
    while (!deferral->closed) {
        if (deferral->due == 0 || st_time_now() < deferral->due) {
            sleep_until(deferral, deferral->due);
            continue;
        }
        deferral->due = st_time_now() + again;
        pthread_mutex_unlock(&deferral->lock);
        flush(store);
        pthread_mutex_lock(&deferral->lock);
    }
    pthread_mutex_unlock(&deferral->lock);
    return NULL;
}

/* Inside the turn, so nobody else starts it. While the store is closed there is a last write, but no thread any
 * more. */
static bool has_thread(strata_store *store) {
    st_deferral *deferral = &store->deferral;
    if (!deferral->running && !deferral->closed)
        deferral->running = st_thread_start(&deferral->thread, flush_when_due, store) == 0;
    return deferral->running;
}

/* The thread has to look at the log within a time, whatever becomes of the write. */
static void be_due(strata_store *store, bool left, st_time within) {
    st_deferral *deferral = &store->deferral;
    const st_time due = st_time_now() + within;
    pthread_mutex_lock(&deferral->lock);
    if (left) deferral->left = true;
    if (deferral->due == 0 || due + again < deferral->due) {
        deferral->due = due;
        pthread_cond_signal(&deferral->changed);
    }
    pthread_mutex_unlock(&deferral->lock);
}

/* If much is left, the thread flushes it while others write, before a write has to wait for that. */
void st_deferral_left(strata_store *store) {
    be_due(store, true, store->log.waiting < st_deferral_soon ? st_deferral_window : 0);
}

void st_deferral_end_thread(strata_store *store) {
    st_deferral *deferral = &store->deferral;
    pthread_mutex_lock(&deferral->lock);
    deferral->closed = true;
    pthread_cond_signal(&deferral->changed);
    pthread_mutex_unlock(&deferral->lock);
    if (deferral->running) pthread_join(deferral->thread, NULL);
    deferral->running = false;
}

/* ---- Writes ----------------------------------------------------------- */

/* Pages that the pin keeps make the file grow. */
static bool keeps_too_much(const strata_store *store) {
    const st_page_log *log = &store->log;
    return log->waiting >= ST_LOG_MOST_LEFT || store->full || st_room_is_tight(store);
}

int st_deferral_begin(st_txn *writer, bool *out) {
    strata_store *store = writer->store;
    st_page_log *log = &store->log;
    *out = false;
    if (!has_thread(store)) return 0;
    if (keeps_too_much(store)) {
        int code = log->flushed != log->last ? st_log_flush(store) : 0;
        let_go(&log->next); /* if the thread flushes at the moment, what it flushes is on the disk already */
        if (code != 0) return code;
    }
    if (log->flushed == log->last && !is_held(log)) take_hold(store, &log->pin, writer->stamp);
    *out = is_held(log);
    if (*out) be_due(store, false, st_deferral_window);
    return 0;
}
