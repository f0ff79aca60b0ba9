/* SPDX-License-Identifier: MIT
 * test_schema_history.c -- the tables of the schemas that a file has had. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "schema/history.h"
#include "store/tree.h"
#include "store/writer.h"
#include "strata_declaration.h"
#include "strata_migration.h"
#include "support/strata_support.h"

static void apply_text(fixture *f, const char *text, const strata_schema_change *changes, uint32_t change_count) {
    strata_declaration *declaration;
    uint32_t count;
    MUST(strata_declaration_parse(text, strlen(text), &declaration, &f->error));
    const strata_table_spec *tables = strata_declaration_tables(declaration, &count);
    MUST(strata_schema_migrate(f->view, changes, change_count, tables, count, strata_declaration_version(declaration),
                               &f->error));
    strata_declaration_free(declaration);
}

static void check_text_at(fixture *f, uint32_t position, const char *expected) {
    strata_declaration *declaration;
    char text[2000];
    MUST(strata_declaration_read_history(f->view, position, &declaration, &f->error));
    CHECK(strata_declaration_print(declaration, text, sizeof text) < sizeof text);
    CHECK_TEXT(text, expected);
    strata_declaration_free(declaration);
}

static strata_bytes record_key(uint8_t out[8], const char *kind, uint32_t position) {
    memcpy(out, kind, 4);
    st_store_big32(out + 4, position);
    return (strata_bytes){ out, 8 };
}

/* The records of classes that a file has up to a position. */
static uint32_t kept_classes(fixture *f, uint32_t end) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < end; i++) {
        uint8_t key[8];
        strata_bytes record;
        count += st_tree_get(f->view->txn, ST_META, record_key(key, "\0cls", i), &record, NULL) == STRATA_OK;
    }
    return count;
}

static const char first[] = "version 1\n\nclass A {\n    id: int primary\n    b: B?\n    tags: list<string?>\n"
                            "    other: map<any>\n    index(id, b)\n}\n\nembedded B {\n    x: double?\n}\n";
static const char second[] = "version 2\n\nclass A {\n    id: int primary\n    tags: list<string?>\n}\n";
static const char third[] = "version 3\n\nclass A {\n    id: int primary\n    tags: list<string?>\n    b: B?\n"
                            "    other: map<any>\n    index(id, b)\n}\n\nembedded B {\n    x: double?\n}\n";

static const strata_schema_change drops[] = { { STRATA_DROP_COLUMN, "A", "b", NULL },
                                              { STRATA_DROP_TABLE, "B", NULL, NULL } };

/* Each schema reads as it was declared, also after tables and columns went and came back; equal ones share a record. */
void test_schema_history_has_the_tables(void) {
    fixture *f = fixture_open("file");
    strata_declaration *declaration = (strata_declaration *)1;
    CHECK_EQ(strata_declaration_read_history(f->view, 0, &declaration, &f->error), STRATA_NOT_FOUND);
    CHECK(declaration == NULL);
    apply_text(f, first, NULL, 0);
    apply_text(f, second, drops, 2);
    apply_text(f, third, NULL, 0);
    apply_text(f, "version 4\nclass A { id: int primary, tags: list<string?> }", drops, 2);
    fixture_close(f);
    f = fixture_open("file");
    check_text_at(f, 0, first);
    check_text_at(f, 1, second);
    check_text_at(f, 2, third);
    char fourth[sizeof second];
    memcpy(fourth, second, sizeof second);
    fourth[8] = '4';
    check_text_at(f, 3, fourth);
    CHECK_EQ(strata_declaration_read_history(f->view, 4, &declaration, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(kept_classes(f, 4), 3); /* the last two share one */
    verify(f);
    REFUSED(strata_declaration_read_history(f->view, 0, NULL, &f->error), STRATA_MISUSE, "to nowhere");
    fixture_close(f);
}

/* A record of a library that kept no tables. */
void test_schema_history_without_tables(void) {
    fixture *f = fixture_open("file");
    strata_schema_record record;
    strata_declaration *declaration;
    uint8_t key[8], old[200];
    strata_bytes stored;
    st_txn *writer;
    apply_text(f, first, NULL, 0);
    fixture_close(f);
    f = fixture_open("file");
    MUST(st_writer_begin(f->store, &writer, &f->error));
    MUST(st_tree_get(writer, ST_META, record_key(key, "\0his", 0), &stored, &f->error));
    memcpy(old, stored.data, stored.size);
    CHECK_EQ(strata_load32(old + 4), 1);
    st_store32(old + 4, 0);
    MUST(st_tree_put(writer, ST_META, record_key(key, "\0his", 0), (strata_bytes){ old, stored.size }, &f->error));
    MUST(st_tree_delete(writer, ST_META, record_key(key, "\0cls", 0), &f->error));
    MUST(st_writer_commit(writer, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_schema_history(f->view, 0, &record, &f->error));
    CHECK_EQ(record.version, 1);
    CHECK_EQ(strata_declaration_read_history(f->view, 0, &declaration, &f->error), STRATA_NOT_FOUND);
    apply_text(f, second, drops, 2);
    check_text_at(f, 1, second);
    fixture_close(f);
}

/* So many different schemas, and none that is very large. */
void test_schema_history_is_bounded(void) {
    enum { MANY = STRATA_MAX_HISTORY_CLASSES + 3 };
    fixture *f = fixture_open_memory();
    char text[200];
    strata_declaration *declaration;
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "version %u\nclass A { x: int }\nclass B%u { x: int }", i, i);
        apply_text(f, text, NULL, 0);
    }
    CHECK_EQ(kept_classes(f, MANY), STRATA_MAX_HISTORY_CLASSES);
    MUST(strata_declaration_read_history(f->view, STRATA_MAX_HISTORY_CLASSES - 1, &declaration, &f->error));
    strata_declaration_free(declaration);
    CHECK_EQ(strata_declaration_read_history(f->view, MANY - 1, &declaration, &f->error), STRATA_NOT_FOUND);
    fixture_close(f);

    enum { WIDE = STRATA_MAX_COLUMNS, TABLES = 20 };
    f = fixture_open_memory();
    strata_column_spec *columns = malloc(WIDE * sizeof *columns);
    char (*names)[STRATA_MAX_COLUMN_NAME + 1] = malloc(WIDE * sizeof *names);
    strata_table_spec tables[TABLES];
    char table_names[TABLES][8];
    for (int c = 0; c < WIDE; c++) {
        snprintf(names[c], sizeof names[c], "%060d", c);
        columns[c] = column(names[c], STRATA_INT, 0);
    }
    for (int t = 0; t < TABLES; t++) {
        snprintf(table_names[t], sizeof table_names[t], "T%d", t);
        tables[t] = (strata_table_spec){ .name = table_names[t], .column_count = WIDE, .columns = columns };
    }
    MUST(apply(f, 1, tables, TABLES));
    CHECK_EQ(strata_declaration_read_history(f->view, 0, &declaration, &f->error), STRATA_NOT_FOUND);
    free(columns);
    free(names);
    fixture_close(f);
}

/* Damaged records are refused, or read as tables that can be printed. */
void test_schema_history_survives_damage(void) {
    uint64_t random = ctest_seed();
    uint32_t read = 0, refused_ = 0;
    unsigned rounds = ctest_rounds(1500);
    for (unsigned round = 0; round < rounds; round++) {
        fixture *f = fixture_open_memory();
        apply_text(f, first, NULL, 0);
        apply_text(f, "version 2\nclass A { id: int primary }\nclass C { x: int, c: C? }", NULL, 0);
        const char *kind = ctest_random(&random) % 4 == 0 ? "\0his" : "\0cls";
        uint32_t position = (uint32_t)(ctest_random(&random) % 2);
        uint8_t key[8];
        damage_record(f, (const char *)record_key(key, kind, position).data, &random);
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        for (uint32_t i = 0; i < 3; i++) {
            strata_declaration *declaration;
            char text[4000];
            strata_status status = strata_declaration_read_history(f->view, i, &declaration, &f->error);
            if (status == STRATA_OK) {
                (void)strata_declaration_print(declaration, text, sizeof text);
                strata_declaration_free(declaration);
                read++;
            } else {
                CHECK(status == STRATA_CORRUPT || status == STRATA_NOT_FOUND);
                if (status == STRATA_CORRUPT) CHECK(strstr(f->error.message, "history") != NULL);
                refused_ += status == STRATA_CORRUPT;
            }
        }
        /* And the history goes on. */
        apply_text(f, "version 3\nclass A { id: int primary }\nclass D { x: int }", NULL, 0);
        fixture_close(f);
    }
    CHECK(read > rounds / 15 && refused_ > rounds / 15);
}
