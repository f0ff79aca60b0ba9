/* SPDX-License-Identifier: MIT
 * journal.c -- the records of commits in the file. */
#include "changes/journal.h"

#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "changes/record.h"
#include "changes/token.h"
#include "store/tree.h"

enum { CONSUMER = 'c', RECORD = 'r', STATE = 's', RECORD_KEY = 12, NAME_KEY = 2 + STRATA_MAX_LABEL + 1, FIELD = 8,
       STATE_FIELDS = 7, CONSUMER_FIELDS = 5, TRIMMED = 8 /* at each commit */ };

static strata_status damaged(const st_txn *txn, const char *what, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "the journal of '%s' is damaged (%s): restore a backup",
                   strata_store_path(st_txn_store(txn)), what);
}

/* ---- Keys ------------------------------------------------------------- */

static const uint8_t state_key[2] = { STATE, 0 };

static strata_bytes record_key(uint8_t out[RECORD_KEY], uint64_t version, uint64_t number) {
    out[0] = RECORD;
    out[1] = 0;
    st_store_big64(out + 2, version);
    st_store_big16(out + 10, (uint16_t)number);
    return (strata_bytes){ out, RECORD_KEY };
}

static bool is_record(strata_bytes key) { return key.size == RECORD_KEY && ((const uint8_t *)key.data)[0] == RECORD; }
static uint64_t version_of(strata_bytes key) { return st_load_big64((const uint8_t *)key.data + 2); }
static uint64_t number_of(strata_bytes key) { return st_load_big16((const uint8_t *)key.data + 10); }

/* Keys have an even length. */
static strata_bytes name_key(uint8_t out[NAME_KEY], const char *name) {
    size_t size = strlen(name);
    memset(out, 0, NAME_KEY);
    out[0] = CONSUMER;
    memcpy(out + 2, name, size);
    return (strata_bytes){ out, (2 + size + 1) & ~(size_t)1 };
}

static bool is_name(strata_bytes key) {
    return key.size > 2 && key.size <= NAME_KEY && ((const uint8_t *)key.data)[0] == CONSUMER;
}

/* ---- The state -------------------------------------------------------- */

/* A journal that is empty. */
static void clear(st_journal *j) {
    j->end = j->version = j->number = j->consumers = j->kept = 0;
    j->needed = j->limit = UINT64_MAX;
}

strata_status st_journal_open(st_journal *j, st_txn *txn, strata_error *error) {
    strata_bytes value;
    *j = (st_journal){ .txn = txn };
    clear(j);
    j->in_use = st_txn_header(txn)->has_changes || (st_txn_touched(txn) >> ST_CHANGES & 1) != 0;
    if (!j->in_use) return STRATA_OK;
    strata_status status = st_tree_get(txn, ST_CHANGES, (strata_bytes){ state_key, sizeof state_key }, &value, error);
    if (status == STRATA_NOT_FOUND) return STRATA_OK;
    if (status != STRATA_OK) return status;
    if (value.size != STATE_FIELDS * FIELD) return damaged(txn, "its state", error);
    uint64_t *fields[STATE_FIELDS] = { &j->end, &j->version, &j->number, &j->consumers, &j->kept, &j->needed,
                                       &j->limit };
    for (int i = 0; i < STATE_FIELDS; i++) *fields[i] = strata_load64((const uint8_t *)value.data + i * FIELD);
    return STRATA_OK;
}

static strata_status is_empty(const st_journal *j, bool *out, strata_error *error) {
    uint8_t key[RECORD_KEY];
    strata_bytes found, value;
    *out = false;
    if (j->consumers != 0 || j->kept != 0) return STRATA_OK;
    strata_status status = st_tree_seek(j->txn, ST_CHANGES, record_key(key, 0, 0), &found, &value, error);
    if (status == STRATA_OK && is_record(found)) return STRATA_OK;
    if (status < 0) return status;
    st_journal_consumer consumer;
    status = st_journal_consumer_after(j->txn, "", &consumer, error); /* one that has expired is told so */
    *out = status == STRATA_NOT_FOUND;
    return status < 0 ? status : STRATA_OK;
}

strata_status st_journal_store(st_journal *j, strata_error *error) {
    bool empty;
    const strata_bytes key = { state_key, sizeof state_key };
    if (!j->changed) return STRATA_OK;
    strata_status status = is_empty(j, &empty, error);
    if (status == STRATA_OK && empty) {
        status = st_tree_delete(j->txn, ST_CHANGES, key, error);
        return status == STRATA_NOT_FOUND ? STRATA_OK : status;
    }
    const uint64_t fields[STATE_FIELDS] = { j->end, j->version, j->number, j->consumers, j->kept, j->needed,
                                            j->limit };
    uint8_t value[STATE_FIELDS * FIELD];
    for (int i = 0; i < STATE_FIELDS; i++) st_store64(value + i * FIELD, fields[i]);
    if (status == STRATA_OK)
        status = st_tree_put(j->txn, ST_CHANGES, key, (strata_bytes){ value, sizeof value }, error);
    j->changed = false;
    return status;
}

bool st_journal_wanted(const st_journal *j) {
    return st_txn_is_followed(j->txn) || j->consumers != 0 || j->kept != 0;
}

/* ---- Records ---------------------------------------------------------- */

strata_status st_journal_add(st_journal *j, uint64_t version, strata_bytes record, strata_error *error) {
    uint8_t key[RECORD_KEY];
    uint64_t number = j->version == version ? j->number + 1 : 0;
    strata_status status = st_tree_put(j->txn, ST_CHANGES, record_key(key, version, number), record, error);
    j->version = version;
    j->number = number;
    j->end += record.size;
    j->changed = j->in_use = true;
    return status;
}

strata_status st_journal_find(st_txn *txn, uint64_t version, uint64_t number, uint64_t *out_version,
                              uint64_t *out_number, strata_bytes *out, strata_error *error) {
    uint8_t key[RECORD_KEY];
    strata_bytes found;
    *out = (strata_bytes){ NULL, 0 };
    *out_version = *out_number = 0;
    strata_bytes from = record_key(key, number < ST_JOURNAL_LAST ? version : version + 1,
                                   number < ST_JOURNAL_LAST ? number + 1 : 0);
    strata_status status = st_tree_seek(txn, ST_CHANGES, from, &found, out, error);
    if (status != STRATA_OK) return status;
    if (!is_record(found)) return STRATA_NOT_FOUND;
    strata_commit_info info;
    st_record_reader reader;
    if (st_record_open(*out, &info, &reader, NULL) != STRATA_OK || info.version != version_of(found) ||
        memcmp(info.token.bytes, st_txn_header(txn)->uuid, sizeof st_txn_header(txn)->uuid) != 0)
        return damaged(txn, "a record", error);
    *out_version = info.version;
    *out_number = number_of(found);
    return STRATA_OK;
}

uint64_t st_journal_newest(st_txn *txn) { return st_txn_header(txn)->version - st_txn_is_writing(txn); }

strata_status st_journal_check_token(st_txn *txn, const strata_token *token, strata_error *error) {
    const st_header *header = st_txn_header(txn);
    const char *path = strata_store_path(st_txn_store(txn));
    uint64_t version = strata_token_version(token), newest = st_journal_newest(txn), next, number;
    uint64_t epoch = header->previous_epoch; /* of the newest commit */
    if (memcmp(header->uuid, token->bytes, sizeof header->uuid) != 0)
        return st_fail(error, STRATA_OTHER_HISTORY, 0, "the token is of another store than '%s'", path);
    if (version < newest) {
        strata_bytes record;
        strata_status status = st_journal_find(txn, version, ST_JOURNAL_LAST, &next, &number, &record, error);
        if (status < 0) return status;
        if (status != STRATA_OK || next != version + 1)
            return st_fail(error, STRATA_EXPIRED, 0, "'%s' does not have the records of the commits after version %llu "
                           "of the token any more: read everything anew", path, (unsigned long long)version);
        epoch = st_record_previous_epoch(record.data);
    }
    if (version <= newest && st_token_epoch(token) == epoch) return STRATA_OK;
    return st_fail(error, STRATA_OTHER_HISTORY, 0, "'%s' does not have version %llu of the token, as after an older "
                   "copy was put back: read everything anew", path, (unsigned long long)version);
}

strata_status st_journal_reach(st_txn *txn, uint64_t *out_version, uint64_t *out_epoch, bool *out_any,
                               strata_error *error) {
    uint64_t version = 0, number = ST_JOURNAL_LAST, next, next_number;
    strata_bytes record;
    strata_status status;
    *out_any = false;
    while ((status = st_journal_find(txn, version, number, &next, &next_number, &record, error)) == STRATA_OK) {
        bool follows = next == version ? next_number == number + 1 : next == version + 1 && next_number == 0;
        if (!follows || !*out_any) {
            *out_any = next_number == 0; /* the first ones of a group may be gone */
            *out_version = next - 1;
            *out_epoch = st_record_previous_epoch(record.data);
        }
        version = next;
        number = next_number;
    }
    if (version != st_journal_newest(txn)) *out_any = false;
    return status < 0 ? status : STRATA_OK;
}

strata_status st_journal_position(const st_journal *j, uint64_t version, uint64_t *out, strata_error *error) {
    uint64_t next, number;
    strata_bytes record;
    strata_status status = st_journal_find(j->txn, version, ST_JOURNAL_LAST, &next, &number, &record, error);
    *out = status == STRATA_OK ? st_record_offset(record.data) : j->end;
    return status < 0 ? status : STRATA_OK;
}

/* How many bytes stay, whatever consumers need. */
static uint64_t bytes_to_keep(const st_journal *j) {
    uint64_t followed = st_txn_is_read(j->txn) ? ST_JOURNAL_FOLLOWED : 0;
    return j->kept > followed ? j->kept : followed;
}

/* Removes the oldest record, if nobody needs it. `*out_more` says whether there may be another one. */
static strata_status remove_oldest(st_journal *j, bool *out_more, strata_error *error) {
    uint8_t key[RECORD_KEY];
    strata_bytes found, record;
    *out_more = false;
    strata_status status = st_tree_seek(j->txn, ST_CHANGES, record_key(key, 0, 0), &found, &record, error);
    if (status != STRATA_OK || !is_record(found)) return status < 0 ? status : STRATA_OK;
    if (record.size < ST_RECORD_HEAD) return damaged(j->txn, "a record", error);
    uint64_t version = version_of(found), number = number_of(found);
    bool last = version == j->version && st_journal_wanted(j);
    if (last || version > j->needed || j->end - st_record_offset(record.data) <= bytes_to_keep(j)) return STRATA_OK;
    *out_more = true;
    j->changed = true;
    return st_tree_delete(j->txn, ST_CHANGES, record_key(key, version, number), error);
}

/* ---- Consumers -------------------------------------------------------- */

static strata_status read_consumer(const st_txn *txn, strata_bytes key, strata_bytes value, st_journal_consumer *out,
                                   strata_error *error) {
    *out = (st_journal_consumer){ .version = 0 };
    if (!is_name(key) || value.size != CONSUMER_FIELDS * FIELD) return damaged(txn, "a consumer", error);
    memcpy(out->name, (const uint8_t *)key.data + 2, key.size - 2);
    out->name[STRATA_MAX_LABEL] = 0;
    const uint8_t *fields = value.data;
    out->version = strata_load64(fields);
    out->epoch = strata_load64(fields + FIELD);
    out->position = strata_load64(fields + 2 * FIELD);
    out->limit = strata_load64(fields + 3 * FIELD);
    out->expired = strata_load64(fields + 4 * FIELD) != 0;
    return STRATA_OK;
}

strata_status st_journal_consumer_get(st_txn *txn, const char *name, st_journal_consumer *out, strata_error *error) {
    uint8_t bytes[NAME_KEY];
    strata_bytes key = name_key(bytes, name), value;
    *out = (st_journal_consumer){ .version = 0 };
    strata_status status = st_tree_get(txn, ST_CHANGES, key, &value, error);
    return status == STRATA_OK ? read_consumer(txn, key, value, out, error) : status;
}

strata_status st_journal_consumer_after(st_txn *txn, const char *name, st_journal_consumer *out,
                                        strata_error *error) {
    uint8_t bytes[NAME_KEY + 2];
    strata_bytes key = name_key(bytes, name), found, value;
    *out = (st_journal_consumer){ .version = 0 };
    bytes[key.size] = bytes[key.size + 1] = 0;
    strata_status status =
        st_tree_seek(txn, ST_CHANGES, (strata_bytes){ bytes, key.size + 2 }, &found, &value, error);
    if (status != STRATA_OK) return status;
    return is_name(found) ? read_consumer(txn, found, value, out, error) : STRATA_NOT_FOUND;
}

/* Stores a consumer alone. */
static strata_status put(st_journal *j, const st_journal_consumer *c, strata_error *error) {
    const uint64_t fields[CONSUMER_FIELDS] = { c->version, c->epoch, c->position, c->limit, c->expired };
    uint8_t bytes[NAME_KEY], value[CONSUMER_FIELDS * FIELD];
    for (int i = 0; i < CONSUMER_FIELDS; i++) st_store64(value + i * FIELD, fields[i]);
    j->changed = j->in_use = true;
    return st_tree_put(j->txn, ST_CHANGES, name_key(bytes, c->name), (strata_bytes){ value, sizeof value }, error);
}

/* Is the consumer further behind than it may be? Positions of a damaged file may be anything. */
static bool is_behind(const st_journal *j, const st_journal_consumer *c) {
    return c->position > j->end || j->end - c->position > c->limit;
}

/* Lets consumers expire, and computes what the state says of the others. */
static strata_status survey(st_journal *j, strata_error *error) {
    st_journal_consumer c;
    j->consumers = 0;
    j->needed = j->limit = UINT64_MAX;
    j->changed = true;
    strata_status status = st_journal_consumer_after(j->txn, "", &c, error);
    for (; status == STRATA_OK; status = st_journal_consumer_after(j->txn, c.name, &c, error)) {
        if (!c.expired && is_behind(j, &c)) {
            c.expired = true;
            status = put(j, &c, error);
            if (status != STRATA_OK) return status;
        }
        if (c.expired) continue;
        uint64_t limit = c.limit > UINT64_MAX - c.position ? UINT64_MAX : c.position + c.limit;
        j->consumers++;
        if (c.version < j->needed) j->needed = c.version;
        if (limit < j->limit) j->limit = limit;
    }
    return status < 0 ? status : STRATA_OK;
}

strata_status st_journal_consumer_put(st_journal *j, const st_journal_consumer *consumer, strata_error *error) {
    strata_status status = put(j, consumer, error);
    return status == STRATA_OK ? survey(j, error) : status;
}

strata_status st_journal_consumer_delete(st_journal *j, const char *name, strata_error *error) {
    uint8_t bytes[NAME_KEY];
    strata_status status = st_tree_delete(j->txn, ST_CHANGES, name_key(bytes, name), error);
    return status == STRATA_OK ? survey(j, error) : status;
}

strata_status st_journal_trim(st_journal *j, strata_error *error) {
    strata_status status = j->end > j->limit ? survey(j, error) : STRATA_OK;
    bool more = j->in_use;
    for (int i = 0; i < TRIMMED && more && status == STRATA_OK; i++) status = remove_oldest(j, &more, error);
    return status;
}

/* ---- Checking --------------------------------------------------------- */

typedef struct journal_checker {
    st_txn *txn;
    uint64_t version, number, position; /* of the last record, and behind it */
    uint64_t records;
} journal_checker;

static strata_status check_record(journal_checker *c, strata_bytes key, strata_bytes value, strata_error *error) {
    strata_commit_info info;
    st_record_reader reader;
    strata_delta delta;
    strata_status status = st_record_open(value, &info, &reader, NULL);
    while (status == STRATA_OK) status = st_record_next(&reader, &delta, NULL);
    bool follows = c->records == 0 || (version_of(key) > c->version && number_of(key) == 0) ||
                   (version_of(key) == c->version && number_of(key) == c->number + 1);
    if (status != STRATA_END || info.version != version_of(key) || !follows ||
        (c->records != 0 && st_record_offset(value.data) != c->position))
        return damaged(c->txn, "a record", error);
    c->version = version_of(key);
    c->number = number_of(key);
    c->position = st_record_offset(value.data) + value.size;
    c->records++;
    return STRATA_OK;
}

static strata_status check_entry(journal_checker *c, strata_bytes key, strata_bytes value, strata_error *error) {
    st_journal_consumer consumer;
    if (is_record(key)) return check_record(c, key, value, error);
    if (is_name(key)) return read_consumer(c->txn, key, value, &consumer, error);
    if (key.size == sizeof state_key && memcmp(key.data, state_key, sizeof state_key) == 0) return STRATA_OK;
    return damaged(c->txn, "an entry of an unknown kind", error);
}

strata_status st_journal_check(st_txn *snapshot, strata_error *error) {
    static const uint8_t first[2] = { 0, 0 };
    journal_checker c = { .txn = snapshot };
    strata_bytes key, value;
    uint64_t entries;
    st_journal j;
    strata_status status = st_tree_count(snapshot, ST_CHANGES, &entries, error);
    if (status != STRATA_OK) return status;
    if (st_txn_header(snapshot)->has_changes != (entries != 0)) return damaged(snapshot, "its mark", error);
    status = st_tree_seek(snapshot, ST_CHANGES, (strata_bytes){ first, sizeof first }, &key, &value, error);
    while (status == STRATA_OK) {
        status = check_entry(&c, key, value, error);
        if (status == STRATA_OK) status = st_tree_next(snapshot, ST_CHANGES, &key, &value, error);
    }
    if (status < 0) return status;
    status = st_journal_open(&j, snapshot, error);
    if (status != STRATA_OK) return status;
    bool agrees = c.records == 0 || (c.position == j.end && c.version == j.version && c.number == j.number);
    return agrees ? STRATA_OK : damaged(snapshot, "its state", error);
}
