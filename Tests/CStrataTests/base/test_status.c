/* SPDX-License-Identifier: MIT
 * test_status.c -- statuses have names, and every code of LMDB and of the system has a status that is meant. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>

#include "base/status.h"
#include "base/utf8.h"
#include "store/lmdb_status.h"
#include "store/state.h"
#include "support/strata_support.h"

void test_status_names(void) {
    for (int status = STRATA_FILE_EXISTS; status <= STRATA_END; status++) {
        const char *name = strata_status_name((strata_status)status);
        CHECK(strncmp(name, "STRATA_", 7) == 0);
        for (int other = STRATA_FILE_EXISTS; other < status; other++)
            CHECK(strcmp(name, strata_status_name((strata_status)other)) != 0);
    }
    CHECK_TEXT(strata_status_name((strata_status)-1000), "unknown status");
    CHECK_TEXT(strata_status_name(STRATA_FILE_EXISTS), "STRATA_FILE_EXISTS");
}

/* A message too long for its room ends with a whole character. */
void test_status_long_messages(void) {
    char text[700];
    for (size_t shift = 0; shift < 5; shift++) {
        strata_error error;
        size_t size = 0;
        while (size < shift) text[size++] = 'x';
        while (size + 4 < sizeof text) size += (size_t)sprintf(text + size, "\xE2\x82\xAC"); /* a euro sign */
        CHECK_EQ(st_fail(&error, STRATA_IO, EIO, "%s", text), STRATA_IO);
        size = strlen(error.message);
        CHECK(size >= sizeof error.message - 4 && size < sizeof error.message);
        CHECK_EQ((size - shift) % 3, 0);
        CHECK(memcmp(error.message, text, size) == 0);
    }
    CHECK_EQ(st_fail(NULL, STRATA_IO, EIO, "nobody asks"), STRATA_IO);
}

void test_status_of_codes(void) {
    static const struct {
        int code;
        strata_status expected;
    } codes[] = {
        { MDB_MAP_FULL, STRATA_SIZE_LIMIT },        { MDB_MAP_RESIZED, STRATA_SIZE_LIMIT },
        { MDB_READERS_FULL, STRATA_READERS_FULL },  { MDB_TXN_FULL, STRATA_TOO_LARGE },
        { MDB_CORRUPTED, STRATA_CORRUPT },          { MDB_PAGE_NOTFOUND, STRATA_CORRUPT },
        { MDB_CURSOR_FULL, STRATA_CORRUPT },        { MDB_PAGE_FULL, STRATA_CORRUPT },
        { MDB_INCOMPATIBLE, STRATA_CORRUPT },       { MDB_INVALID, STRATA_NOT_A_STORE },
        { MDB_VERSION_MISMATCH, STRATA_NEWER_FORMAT }, { MDB_PANIC, STRATA_POISONED },
        { MDB_BAD_RSLOT, STRATA_MISUSE },           { MDB_BAD_TXN, STRATA_MISUSE },
        { MDB_BAD_DBI, STRATA_MISUSE },             { MDB_BAD_VALSIZE, STRATA_MISUSE },
        { MDB_KEYEXIST, STRATA_MISUSE },            { MDB_DBS_FULL, STRATA_MISUSE },
        { EAGAIN, STRATA_IN_USE },                  { ENOENT, STRATA_FILE_NOT_FOUND },
        { EACCES, STRATA_PERMISSION },              { EPERM, STRATA_PERMISSION },
        { EROFS, STRATA_PERMISSION },               { ENOTDIR, STRATA_NOT_A_FILE },
        { EISDIR, STRATA_NOT_A_FILE },              { ELOOP, STRATA_NOT_A_FILE },
        { ENOSPC, STRATA_DISK_FULL },               { EDQUOT, STRATA_DISK_FULL },
        { EFBIG, STRATA_DISK_FULL },                { ENOMEM, STRATA_NO_MEMORY },
        { ENAMETOOLONG, STRATA_NOT_A_FILE },        { EINVAL, STRATA_MISUSE },
        { EIO, STRATA_IO },                         { EMFILE, STRATA_IO },
    };
    char path[] = "the.strata";
    strata_store store = { .file = -1, .path = path };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        strata_error error = { .status = STRATA_OK };
        strata_status status = st_lmdb_fail(&error, codes[i].code, &store, "looking at");
        CHECK_TEXT(strata_status_name(status), strata_status_name(codes[i].expected));
        CHECK_EQ(error.status, status);
        CHECK(strncmp(error.message, "looking at 'the.strata': ", 25) == 0);
        CHECK_EQ(error.system_code, codes[i].code > 0 ? codes[i].code : 0);
    }
    CHECK_EQ(st_lmdb_fail(NULL, 0, &store, "looking at"), STRATA_OK);
    CHECK_EQ(st_lmdb_fail(NULL, MDB_NOTFOUND, &store, "looking at"), STRATA_NOT_FOUND);
    errno = EIO;
    CHECK_EQ(st_lmdb_write_code(EIO), EIO);
    errno = 0;
    CHECK_EQ(st_lmdb_write_code(EIO), ENOSPC); /* a short write */
    CHECK_EQ(st_lmdb_write_code(0), 0);
}

/* Objects with a primary key that is taken are told by name, whatever its type. */
void test_status_names_the_primary_key(void) {
    fixture *f = fixture_open_memory();
    static const struct {
        strata_type type;
        const char *text;
    } kinds[] = {
        { STRATA_INT, "id = 7 exists" },
        { STRATA_STRING, "id = \"seven\" exists" },
        { STRATA_UUID, "id = 07070707-0707-0707-0707-070707070707 exists" },
        { STRATA_OBJECT_ID, "id = 070707070707070707070707 exists" },
    };
    for (uint32_t i = 0; i < 4; i++) {
        char name[] = { 'T', (char)('a' + i), 0 };
        strata_column_spec id = column("id", kinds[i].type, STRATA_COLUMN_PRIMARY);
        strata_table_spec table = { name, 0, 1, &id };
        strata_value value = strata_int(7);
        uint64_t key, again;
        uint32_t number;
        MUST(apply(f, 0, &table, 1));
        MUST(strata_table_find(f->view, name, &number));
        if (kinds[i].type == STRATA_STRING) value = value_of("seven");
        if (kinds[i].type == STRATA_UUID || kinds[i].type == STRATA_OBJECT_ID) memset(value.as.fixed, 7, 16);
        value.type = kinds[i].type;
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_object_create(f->view, number, &value, 1, &key, &f->error));
        REFUSED(strata_object_create(f->view, number, &value, 1, &again, &f->error), STRATA_DUPLICATE, name,
                kinds[i].text);
        CHECK_EQ(again, key);
        MUST(strata_view_commit(f->view, &f->error));
    }
    /* What is not there is no failure. */
    strata_table_info table;
    strata_column_info info;
    uint32_t number;
    CHECK_EQ(strata_table_count(f->view), 4);
    CHECK_EQ(strata_table_find(f->view, "none", &number), STRATA_NOT_FOUND);
    CHECK_EQ(strata_table_get(f->view, 4, &table), STRATA_NOT_FOUND);
    CHECK_EQ(strata_column_find(f->view, 0, "none", &number), STRATA_NOT_FOUND);
    CHECK_EQ(strata_column_find(f->view, 9, "id", &number), STRATA_NOT_FOUND);
    CHECK_EQ(strata_column_get(f->view, 0, 1, &info), STRATA_NOT_FOUND);
    CHECK_EQ(strata_column_get(f->view, 9, 0, &info), STRATA_NOT_FOUND);
    CHECK_TEXT(info.name, "");
    /* A long key of characters is cut between two of them. */
    strata_column_spec id = column("id", STRATA_STRING, STRATA_COLUMN_PRIMARY);
    strata_table_spec spec = { "Long", 0, 1, &id };
    MUST(apply(f, 0, &spec, 1));
    char text[200] = "x";
    for (int i = 0; i < 60; i++) strcat(text, "\xC3\xA9");
    strata_value value = value_of(text);
    uint64_t key;
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_create(f->view, 4, &value, 1, &key, &f->error));
    REFUSED(strata_object_create(f->view, 4, &value, 1, &key, &f->error), STRATA_DUPLICATE, "Long", "\xC3\xA9...\"");
    CHECK(st_utf8_valid(f->error.message, strlen(f->error.message)));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}
