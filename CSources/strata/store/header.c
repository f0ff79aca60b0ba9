/* SPDX-License-Identifier: MIT
 * header.c -- the header record. */
#define _GNU_SOURCE 1
#include "store/header.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/bits.h"
#include "base/crc32c.h"
#include "base/status.h"

const uint8_t st_header_key[ST_HEADER_KEY_SIZE] = { 0, 'h', 'e', 'a', 'd', 'e', 'r', 0 };

static const uint8_t magic[8] = { 'S', 't', 'r', 'a', 't', 'a', 'D', 'B' };

enum {
    AT_MAJOR = 8,
    AT_MINOR = 10,
    AT_CHECKSUM = 12,
    AT_COMPATIBLE = 16,
    AT_WRITE_FEATURES = 20,
    AT_READ_FEATURES = 24,
    AT_PAGE_SIZE = 28,
    AT_UUID = 32,
    AT_EPOCH = 48,
    AT_STAMP = 56,
    AT_VERSION = 64,
    AT_SCHEMA = 72,
    AT_CATALOG = 80,
    AT_CREATOR = 88,
    AT_CHANGES = 94,
    AT_HASH_KEY = 96
};

static uint32_t checksum(const uint8_t *record) {
    static const uint8_t zero[4] = { 0 };
    uint32_t crc = st_crc32c(0, record, AT_CHECKSUM);
    crc = st_crc32c(crc, zero, sizeof zero);
    return st_crc32c(crc, record + AT_COMPATIBLE, ST_HEADER_SIZE - AT_COMPATIBLE);
}

strata_status st_header_create(uint8_t record[ST_HEADER_SIZE], uint32_t page_size, strata_error *error) {
    memset(record, 0, ST_HEADER_SIZE);
    memcpy(record, magic, sizeof magic);
    st_store16(record + AT_MAJOR, ST_FORMAT_MAJOR);
    st_store16(record + AT_MINOR, ST_FORMAT_MINOR);
    st_store32(record + AT_COMPATIBLE, ST_FEATURES_COMPATIBLE);
    st_store32(record + AT_PAGE_SIZE, page_size);
    if (getentropy(record + AT_UUID, 16) != 0)
        return st_fail(error, STRATA_IO, errno, "the system gave no random numbers for the identity of a new store");
    record[AT_UUID + 6] = (uint8_t)(0x40 | (record[AT_UUID + 6] & 0x0F)); /* a UUID of version 4 */
    record[AT_UUID + 8] = (uint8_t)(0x80 | (record[AT_UUID + 8] & 0x3F));
    st_store16(record + AT_CREATOR, STRATA_VERSION_MAJOR);
    st_store16(record + AT_CREATOR + 2, STRATA_VERSION_MINOR);
    st_store16(record + AT_CREATOR + 4, STRATA_VERSION_PATCH);
    st_hash_key key;
    strata_status status = st_hash_key_draw(&key, error);
    st_store64(record + AT_HASH_KEY, key.low);
    st_store64(record + AT_HASH_KEY + 8, key.high);
    return status;
}

strata_status st_header_check(strata_bytes record, bool writing, const char *path, strata_error *error) {
    const uint8_t *bytes = record.data;
    if (record.size < AT_COMPATIBLE || memcmp(bytes, magic, sizeof magic) != 0)
        return st_fail(error, STRATA_NOT_A_STORE, 0,
                       "'%s' is an LMDB file of some other program, not a Strata store", path);
    /* The format comes before the size and the checksum: a newer format may have changed both. */
    uint32_t major = strata_load16(bytes + AT_MAJOR);
    if (major > ST_FORMAT_MAJOR)
        return st_fail(error, STRATA_NEWER_FORMAT, 0,
                       "'%s' has format %u.%u; this library (%s) reads up to %d: use a newer library", path,
                       (unsigned)major, (unsigned)strata_load16(bytes + AT_MINOR), strata_version(), ST_FORMAT_MAJOR);
    if (major == 0 || record.size != ST_HEADER_SIZE || strata_load32(bytes + AT_CHECKSUM) != checksum(bytes))
        return st_fail(error, STRATA_CORRUPT, 0, "the header record of '%s' is damaged: restore a backup", path);
    if (strata_load64(bytes + AT_HASH_KEY) == 0 && strata_load64(bytes + AT_HASH_KEY + 8) == 0)
        return st_fail(error, STRATA_CORRUPT, 0,
                       "the header record of '%s' has no hash key: the file was made by a development version that is "
                       "not supported", path);
    uint32_t unread = strata_load32(bytes + AT_READ_FEATURES) & ~(uint32_t)ST_FEATURES_READ;
    uint32_t unwritten = strata_load32(bytes + AT_WRITE_FEATURES) & ~(uint32_t)ST_FEATURES_WRITE;
    if (unread != 0 || (writing && unwritten != 0))
        return st_fail(error, STRATA_NEWER_FORMAT, 0,
                       "'%s' uses features (bits %x, %x) that this library (%s) does not know: use a newer library%s",
                       path, (unsigned)unread, (unsigned)unwritten, strata_version(),
                       unread == 0 ? ", or open it read-only" : "");
    return STRATA_OK;
}

strata_status st_header_foreign(const char *path, strata_error *error) {
    return st_fail(error, STRATA_REPLACED_FILE, 0,
                   "'%s' and its lock file do not belong together: another process still uses a file of this name "
                   "that was deleted or replaced, or committed to this one through another lock file; end that "
                   "process first", path);
}

void st_header_read(const uint8_t *record, st_header *out, uint64_t *out_stamp) {
    memcpy(out->uuid, record + AT_UUID, sizeof out->uuid);
    out->hash_key.low = strata_load64(record + AT_HASH_KEY);
    out->hash_key.high = strata_load64(record + AT_HASH_KEY + 8);
    out->epoch = out->previous_epoch = strata_load64(record + AT_EPOCH);
    out->logged = (strata_load32(record + AT_READ_FEATURES) & ST_FEATURE_LOG) != 0;
    out->has_changes = strata_load16(record + AT_CHANGES) != 0;
    out->version = strata_load64(record + AT_VERSION);
    out->schema_version = strata_load64(record + AT_SCHEMA);
    out->catalog_version = strata_load64(record + AT_CATALOG);
    *out_stamp = strata_load64(record + AT_STAMP);
}

strata_status st_header_new_epoch(uint64_t *out, strata_error *error) {
    if (getentropy(out, sizeof *out) == 0) return STRATA_OK;
    return st_fail(error, STRATA_IO, errno, "the system gave no random number for the epoch of a store");
}

void st_header_write(uint8_t record[ST_HEADER_SIZE], const st_header *header, uint64_t stamp) {
    uint32_t features = strata_load32(record + AT_READ_FEATURES) & ~(uint32_t)ST_FEATURE_LOG;
    st_store32(record + AT_READ_FEATURES, features | ST_FEATURE_TOTALS | (header->logged ? ST_FEATURE_LOG : 0));
    st_store64(record + AT_EPOCH, header->epoch);
    st_store64(record + AT_STAMP, stamp);
    st_store64(record + AT_VERSION, header->version);
    st_store64(record + AT_SCHEMA, header->schema_version);
    st_store64(record + AT_CATALOG, header->catalog_version);
    st_store64(record + AT_HASH_KEY, header->hash_key.low);
    st_store64(record + AT_HASH_KEY + 8, header->hash_key.high);
    st_store16(record + AT_CHANGES, header->has_changes);
    st_store32(record + AT_CHECKSUM, checksum(record));
}
