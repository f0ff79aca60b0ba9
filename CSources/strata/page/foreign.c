/* SPDX-License-Identifier: MIT
 * foreign.c -- files of others, told apart by their first bytes. */
#include "page/foreign.h"

#include <string.h>

/* Realm's files begin with two references of 8 bytes, then its mark. */
static bool is_realm(const uint8_t *bytes, size_t size) { return size >= 24 && memcmp(bytes + 16, "T-DB", 4) == 0; }

/* An encrypted Realm file is made of whole pages and begins with the number and the checksum of the first one: a small
 * count of four bytes, and 28 bytes without order. It has no mark, so that this can only be a guess. */
static bool may_be_encrypted_realm(const uint8_t *bytes, size_t size, uint64_t file_size) {
    enum { PAGE = 4096, COUNT = 4, CHECKSUM = 28, LEAST_DIFFERENT = 18, LARGEST_COUNT = 1 << 20 };
    bool seen[256] = { false };
    int different = 0;
    if (size < COUNT + CHECKSUM || file_size < 2 * PAGE || file_size % PAGE != 0) return false;
    uint32_t count = strata_load32(bytes);
    for (int i = COUNT; i < COUNT + CHECKSUM; i++) {
        different += !seen[bytes[i]];
        seen[bytes[i]] = true;
    }
    return count != 0 && count < LARGEST_COUNT && different >= LEAST_DIFFERENT;
}

static bool is_sqlite(const uint8_t *bytes, size_t size) {
    static const char mark[16] = "SQLite format 3";
    return size >= sizeof mark && memcmp(bytes, mark, sizeof mark) == 0;
}

bool st_foreign_has_mark(const uint8_t *bytes, size_t size) { return is_sqlite(bytes, size) || is_realm(bytes, size); }

const char *st_foreign_name(const uint8_t *bytes, size_t size, uint64_t file_size) {
    if (is_sqlite(bytes, size))
        return "but an SQLite database; choose another name";
    if (is_realm(bytes, size))
        return "but a file of Realm, whose classes are understood and whose files are not; choose another name, and "
               "copy the objects there, from JSON that Realm Studio exports";
    if (may_be_encrypted_realm(bytes, size, file_size))
        return "but some other file, perhaps an encrypted one of Realm; choose another name";
    return "but some other file; choose another name";
}
