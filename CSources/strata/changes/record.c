/* SPDX-License-Identifier: MIT
 * record.c -- the record of a commit, as bytes. */
#include "changes/record.h"

#include <string.h>

#include "base/bits.h"
#include "base/crc32c.h"
#include "base/sort.h"
#include "base/status.h"
#include "changes/token.h"

enum { FORMAT = 1, AT_FLAGS = 1, AT_LABEL = 2, AT_CHECKSUM = 4, AT_VERSION = 8, AT_EPOCH = 16, AT_TIME = 24,
       AT_PROCESS = 32, AT_UUID = 40, AT_PREVIOUS = 56, AT_OFFSET = 64, TABLE = 0,
       MOST_CHANGE = 1 + 3 * 10, LARGEST = 16 << 20 };

static uint32_t checksum(const uint8_t *record, size_t size) {
    static const uint8_t zero[4] = { 0 };
    uint32_t crc = st_crc32c(0, record, AT_CHECKSUM);
    crc = st_crc32c(crc, zero, sizeof zero);
    return st_crc32c(crc, record + AT_VERSION, size - AT_VERSION);
}

/* ---- Writing ---------------------------------------------------------- */

typedef struct writer {
    st_buffer *out;
    uint32_t table; /* UINT32_MAX: none yet */
    uint64_t key;   /* named last */
    uint64_t object; /* what changes of columns belong to; 0: none */
} writer;

static void put(writer *w, uint64_t number) {
    for (; number >= 128; number >>= 7) w->out->data[w->out->size++] = (uint8_t)(number | 128);
    w->out->data[w->out->size++] = (uint8_t)number;
}

static void put_step(writer *w, uint64_t key) {
    put(w, key - w->key);
    w->key = w->object = key;
}

/* False if there is no memory. */
static bool put_change(writer *w, const strata_delta *change) {
    if (!st_buffer_reserve(w->out, 3 * MOST_CHANGE)) return false;
    if (change->table != w->table) {
        put(w, TABLE);
        put(w, (uint64_t)change->table + 1);
        w->table = change->table;
        w->key = w->object = 0;
    }
    if (change->kind >= STRATA_DELTA_ASSIGN && change->key != w->object) {
        put(w, TABLE);
        put(w, 0);
        put_step(w, change->key);
    }
    put(w, (uint64_t)change->kind);
    if (change->kind == STRATA_DELTA_CREATE || change->kind == STRATA_DELTA_DELETE) put_step(w, change->key);
    if (change->kind == STRATA_DELTA_CREATE) {
        put(w, change->count);
        w->key = w->object = change->key + change->count - 1;
    }
    if (change->kind < STRATA_DELTA_ASSIGN) return true;
    put(w, change->column);
    if (change->kind == STRATA_DELTA_ASSIGN) return true;
    put(w, change->position);
    if (change->kind != STRATA_DELTA_SET && change->kind != STRATA_DELTA_LINKED) put(w, change->count);
    return true;
}

static bool comes_before(const void *context, uint64_t a, uint64_t b) {
    const strata_delta *changes = context, *x = &changes[a], *y = &changes[b];
    bool x_clears = x->kind == STRATA_DELTA_CLEAR, y_clears = y->kind == STRATA_DELTA_CLEAR;
    if (x->table != y->table) return x->table < y->table;
    if (x_clears != y_clears) return x_clears;
    return x->key < y->key;
}

typedef struct sorted {
    const strata_delta *changes;
    const st_sort_item *items;
    size_t count;
    uint64_t cleared; /* the index of the last clearing of the table plus 1; what comes before it does not count */
} sorted;

static const strata_delta *at(const sorted *s, size_t i) { return &s->changes[s->items[i].index]; }
static bool counts(const sorted *s, size_t i) { return s->items[i].index >= s->cleared; }

/* The objects of a run that were created and are still there. Deletions of some of them follow; `*i` moves behind. */
static bool put_created(const sorted *s, writer *w, size_t *i) {
    strata_delta run = *at(s, *i);
    uint64_t end = run.key + run.count;
    for (bool kept = counts(s, (*i)++);; (*i)++) {
        const strata_delta *next = *i < s->count ? at(s, *i) : NULL;
        bool deletes = next != NULL && next->table == run.table && next->key < end;
        run.count = (deletes ? next->key : end) - run.key;
        if (kept && run.count != 0 && !put_change(w, &run)) return false;
        if (!deletes) return true;
        run.key = next->key + 1;
    }
}

/* The changes of one object that was there before: if it was deleted, only that. */
static bool put_object(const sorted *s, writer *w, size_t *i) {
    const strata_delta *first = at(s, *i), *deleted = NULL;
    size_t from = *i;
    while (*i < s->count && at(s, *i)->table == first->table && at(s, *i)->key == first->key) {
        if (at(s, *i)->kind == STRATA_DELTA_DELETE) deleted = at(s, *i);
        (*i)++;
    }
    if (!counts(s, *i - 1)) return true;
    if (deleted != NULL) return put_change(w, deleted);
    for (size_t j = from; j < *i; j++) {
        const strata_delta *change = at(s, j);
        bool again = false; /* assigned before: few columns are, of one object */
        bool repeats = change->kind == STRATA_DELTA_ASSIGN || change->kind == STRATA_DELTA_LINKED;
        for (size_t k = from; repeats && k < j && k < from + 64; k++)
            again = again || (at(s, k)->kind == change->kind && at(s, k)->column == change->column &&
                              at(s, k)->position == change->position);
        if (!again && !put_change(w, change)) return false;
    }
    return true;
}

static bool put_changes(sorted *s, st_buffer *out) {
    writer w = { out, UINT32_MAX, 0, 0 };
    for (size_t i = 0; i < s->count;) {
        const strata_delta *change = at(s, i);
        if (i == 0 || at(s, i - 1)->table != change->table) s->cleared = 0;
        bool done = true;
        if (change->kind == STRATA_DELTA_CLEAR) {
            size_t last = i;
            while (last + 1 < s->count && at(s, last + 1)->table == change->table &&
                   at(s, last + 1)->kind == STRATA_DELTA_CLEAR)
                last++;
            s->cleared = s->items[last].index;
            done = put_change(&w, change);
            i = last + 1;
        } else if (change->kind == STRATA_DELTA_CREATE) {
            done = put_created(s, &w, &i);
        } else {
            done = put_object(s, &w, &i);
        }
        if (!done) return false;
    }
    return true;
}

static bool put_log(const st_change_log *log, st_buffer *out) {
    if (log->count == 0) return true;
    st_sort_item *items = malloc(log->count * 2 * sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < log->count; i++) items[i] = (st_sort_item){ 0, i };
    st_sort_stretch(items, items + log->count, log->count, comes_before, log->changes);
    sorted s = { log->changes, items, log->count, 0 };
    bool done = put_changes(&s, out);
    free(items);
    return done;
}

bool st_record_make(st_change_log *log, const strata_commit_info *info, const st_record_origin *origin,
                    st_buffer *out) {
    size_t label = strlen(info->label);
    if (!st_buffer_reserve(out, ST_RECORD_HEAD + sizeof info->label)) return false;
    memset(out->data, 0, ST_RECORD_HEAD);
    out->data[0] = FORMAT;
    out->data[AT_LABEL] = (uint8_t)label;
    st_store64(out->data + AT_VERSION, info->version);
    st_store64(out->data + AT_EPOCH, origin->epoch);
    st_store64(out->data + AT_TIME, (uint64_t)info->time);
    st_store64(out->data + AT_PROCESS, (uint64_t)info->process);
    memcpy(out->data + AT_UUID, origin->uuid, 16);
    st_store64(out->data + AT_PREVIOUS, origin->previous_epoch);
    st_store64(out->data + AT_OFFSET, origin->offset);
    memcpy(out->data + ST_RECORD_HEAD, info->label, label);
    out->size = ST_RECORD_HEAD + label;
    uint32_t flags = info->flags;
    if (log->whole || !log->on) flags |= STRATA_COMMIT_WHOLE;
    else if (!put_log(log, out)) return false;
    if (out->size > LARGEST || (flags & STRATA_COMMIT_WHOLE) != 0) {
        flags |= STRATA_COMMIT_WHOLE;
        out->size = ST_RECORD_HEAD + label;
    }
    out->data[AT_FLAGS] = (uint8_t)flags;
    st_store32(out->data + AT_CHECKSUM, checksum(out->data, out->size));
    return true;
}

/* ---- Reading ---------------------------------------------------------- */

strata_status st_record_open(strata_bytes record, strata_commit_info *info, st_record_reader *out,
                             strata_error *error) {
    const uint8_t *bytes = record.data;
    *out = (st_record_reader){ .damaged = true };
    *info = strata_commit_info_blank();
    bool sound = record.size >= ST_RECORD_HEAD && bytes[0] == FORMAT && bytes[AT_LABEL] <= STRATA_MAX_LABEL &&
                 ST_RECORD_HEAD + (size_t)bytes[AT_LABEL] <= record.size && bytes[AT_FLAGS] < 128 &&
                 strata_load32(bytes + AT_CHECKSUM) == checksum(bytes, record.size);
    if (!sound) return st_fail(error, STRATA_CORRUPT, 0, "the record of a commit is damaged");
    info->flags = bytes[AT_FLAGS];
    info->version = strata_load64(bytes + AT_VERSION);
    info->time = (int64_t)strata_load64(bytes + AT_TIME);
    info->process = (int64_t)strata_load64(bytes + AT_PROCESS);
    memcpy(info->label, bytes + ST_RECORD_HEAD, bytes[AT_LABEL]);
    st_token_make(bytes + AT_UUID, strata_load64(bytes + AT_EPOCH), info->version, &info->token);
    *out = (st_record_reader){ .at = bytes + ST_RECORD_HEAD + bytes[AT_LABEL], .end = bytes + record.size };
    return STRATA_OK;
}

uint64_t st_record_previous_epoch(const uint8_t *record) { return strata_load64(record + AT_PREVIOUS); }
uint64_t st_record_offset(const uint8_t *record) { return strata_load64(record + AT_OFFSET); }

/* A number that is at most `most`. Marks the record as damaged if there is none. */
static uint64_t take(st_record_reader *r, uint64_t most) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 63 && r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte >= 128) continue;
        if (number <= most) return number;
        break;
    }
    r->damaged = true;
    return 0;
}

enum { KEY_BITS = 48 };
static const uint64_t last_key = ((uint64_t)1 << KEY_BITS) - 1, most_count = (uint64_t)1 << 62;

static void take_step(st_record_reader *r) {
    r->key += take(r, last_key - r->key);
    if (r->key == 0) r->damaged = true;
}

static void take_table(st_record_reader *r) {
    uint64_t table = take(r, UINT32_MAX);
    if (table == 0) {
        if (r->table == 0) r->damaged = true;
        take_step(r);
    } else {
        if (table <= r->table) r->damaged = true;
        r->table = (uint32_t)table;
        r->key = 0;
    }
}

static void take_created(st_record_reader *r) {
    take_step(r);
    r->created = take(r, last_key - r->key + 1);
    if (r->created == 0) r->damaged = true;
    r->key += r->created - (r->created != 0);
}

static void take_elements(st_record_reader *r, strata_delta *out) {
    out->column = (uint32_t)take(r, UINT32_MAX);
    if (r->key == 0) r->damaged = true;
    if (out->kind == STRATA_DELTA_ASSIGN) return;
    out->position = take(r, most_count);
    if (out->kind == STRATA_DELTA_LINKED) return;
    out->count = out->kind == STRATA_DELTA_SET ? 1 : take(r, most_count);
    if (out->count == 0) r->damaged = true;
}

strata_status st_record_next(st_record_reader *r, strata_delta *out, strata_error *error) {
    *out = (strata_delta){ .kind = STRATA_DELTA_CREATE };
    while (!r->damaged && r->created == 0 && r->at < r->end) {
        uint8_t kind = *r->at++;
        if (kind == TABLE) {
            take_table(r);
            continue;
        }
        out->kind = (strata_delta_kind)kind;
        if (kind > STRATA_DELTA_LINKED || r->table == 0) r->damaged = true;
        else if (kind == STRATA_DELTA_CREATE) take_created(r);
        else if (kind == STRATA_DELTA_DELETE) take_step(r);
        else if (kind >= STRATA_DELTA_ASSIGN) take_elements(r, out);
        if (r->damaged || r->created != 0) break;
        out->table = r->table - 1;
        out->key = kind == STRATA_DELTA_CLEAR ? 0 : r->key;
        return STRATA_OK;
    }
    if (r->damaged) {
        *out = (strata_delta){ .kind = STRATA_DELTA_CREATE };
        return st_fail(error, STRATA_CORRUPT, 0, "the record of a commit is damaged");
    }
    if (r->created == 0) return STRATA_END;
    out->table = r->table - 1;
    out->key = r->key - --r->created;
    return STRATA_OK;
}
