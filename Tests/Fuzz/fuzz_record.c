/* SPDX-License-Identifier: MIT
 * fuzz_record.c
 *
 * Promise: any bytes behind the head of a record are read to an end, and either refused or told as changes that are in
 * order: tables ascend, and within one the keys of created and deleted objects do; no number is outside of its range. A
 * record whose checksum is not right is refused. */
#include "fuzz.h"

#include "base/bits.h"
#include "base/crc32c.h"
#include "changes/record.h"

enum { MOST = 4096, AT_CHECKSUM = 4, LABEL = 2 };

static void check_delta(const strata_delta *d, const strata_delta *last) {
    CHECK(d->kind >= STRATA_DELTA_CREATE && d->kind <= STRATA_DELTA_LINKED);
    CHECK(d->key <= ST_KEY_MAX && (d->key == 0) == (d->kind == STRATA_DELTA_CLEAR));
    CHECK(d->kind < STRATA_DELTA_INSERT || d->kind == STRATA_DELTA_LINKED || d->count != 0);
    CHECK(last == NULL || d->table >= last->table);
    CHECK(last == NULL || d->table != last->table || d->kind == STRATA_DELTA_CLEAR || d->key >= last->key);
}

static void read_all(strata_bytes record) {
    strata_commit_info info;
    st_record_reader reader;
    strata_delta delta, last;
    strata_error error;
    bool first = true;
    strata_status status = st_record_open(record, &info, &reader, &error);
    CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
    /* One byte may stand for 2^48 objects that were created. */
    for (int most = 100000; status == STRATA_OK && most > 0; most--) {
        status = st_record_next(&reader, &delta, &error);
        if (status != STRATA_OK) break;
        check_delta(&delta, first ? NULL : &last);
        last = delta;
        first = false;
    }
    CHECK(status == STRATA_OK || status == STRATA_END || status == STRATA_CORRUPT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t record[ST_RECORD_HEAD + MOST] = { 1 };
    if (size > MOST) return 0;
    if (size != 0) memcpy(record + ST_RECORD_HEAD, data, size);
    record[LABEL] = size != 0 && data[0] >= 128 ? data[0] & 63 : 0;
    strata_bytes bytes = { record, ST_RECORD_HEAD + size };
    st_store32(record + AT_CHECKSUM, st_crc32c(0, record, bytes.size));
    read_all(bytes);
    if (size == 0) return 0;
    record[ST_RECORD_HEAD + size - 1] ^= 1;
    strata_commit_info info;
    st_record_reader reader;
    CHECK(st_record_open(bytes, &info, &reader, NULL) == STRATA_CORRUPT);
    return 0;
}
