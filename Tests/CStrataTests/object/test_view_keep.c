/* SPDX-License-Identifier: MIT
 *
 * test_view_keep.c -- a view that keeps its tables shows what it showed, when another program changes them. */
#include <string.h>

#include "support/strata_support.h"

enum { NOTE, TAG, OTHER };
enum { ID, TEXT, TAGGED };

static const strata_column_spec note[] = {
    { .name = "id", .type = STRATA_INT, .flags = STRATA_COLUMN_PRIMARY }, { .name = "text", .type = STRATA_STRING },
    { .name = "tag", .type = STRATA_LINK, .target = "Tag" },
};
static const strata_column_spec tag[] = { { .name = "name", .type = STRATA_STRING } };
static const strata_table_spec all[] = {
    { .name = "Note", .column_count = 3, .columns = note }, { .name = "Tag", .column_count = 1, .columns = tag },
    { .name = "Other", .column_count = 1, .columns = tag },
};

/* Two views of a store: what the second one does is done by another program. */
typedef struct stage {
    fixture *f;
    strata_view *other;
    uint64_t version;
} stage;

static stage make_stage(void) {
    stage s = { .f = fixture_open_memory(), .version = 1 };
    fixture *f = s.f;
    MUST(apply(f, 1, all, 3));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t one = ADD(TAG, value_of("red"));
    ADD(NOTE, strata_int(1), value_of("first"), strata_link(one));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_open(f->store, &s.other, &f->error));
    const uint32_t kept[] = { NOTE, TAG };
    MUST(strata_view_keep(f->view, kept, 2, &f->error));
    return s;
}

static void end_stage(stage *s) {
    strata_view_close(s->other);
    fixture_close(s->f);
}

/* Another program changes the schema. */
static void change(stage *s, strata_change_kind kind, const char *table, const char *column, const char *name) {
    fixture *f = s->f;
    const strata_schema_change change = { kind, table, column, name };
    MUST(strata_schema_migrate(s->other, &change, 1, NULL, 0, ++s->version, &f->error));
}

static void declare(stage *s, const strata_table_spec *table) {
    fixture *f = s->f;
    MUST(strata_schema_apply(s->other, table, 1, ++s->version, &f->error));
}

static void add_note(fixture *f, strata_view *view, int64_t id) {
    uint64_t key;
    MUST(strata_view_begin(view, &f->error));
    const strata_value values[] = { strata_int(id), value_of("more"), strata_null() };
    MUST(strata_object_create(view, NOTE, values, 3, &key, &f->error));
    MUST(strata_view_commit(view, &f->error));
}

static void check_shows(fixture *f, uint64_t notes) {
    CHECK_EQ(table_size(f, NOTE), notes);
    check_text(f, NOTE, 1, TEXT, "first");
    CHECK(strata_schema_version(f->view) == 1);
}

/* It neither moves nor writes, for as long as it lives; a view that keeps nothing moves. */
static void check_stays(stage *s, const char *what, const char *why) {
    fixture *f = s->f;
    bool changed = true;
    for (int i = 0; i < 3; i++) {
        REFUSED(strata_view_refresh(f->view, &changed, &f->error), STRATA_SCHEMA_MISMATCH, "somebody else changed",
                "to version 2", what, why, "open it with the new schema");
        CHECK(!changed && !strata_view_is_newest(f->view));
        check_shows(f, 1);
        REFUSED(strata_view_begin(f->view, &f->error), STRATA_SCHEMA_MISMATCH, what);
        check_shows(f, 1);
        MUST(strata_view_begin(s->other, &f->error));
        MUST(strata_view_commit(s->other, &f->error));
    }
    MUST(strata_view_keep(f->view, NULL, 0, &f->error));
    MUST(strata_view_refresh(f->view, &changed, &f->error));
    CHECK(strata_schema_version(f->view) == 2);
}

void test_view_keep_refuses_what_lacks_something(void) {
    static const struct {
        strata_change_kind kind;
        const char *table, *column, *name, *what, *why;
    } changes[] = {
        { STRATA_DROP_COLUMN, "Note", "text", NULL, "Note.text", "is gone or of another type" },
        { STRATA_DROP_COLUMN, "Note", "tag", NULL, "Note.tag", "is gone or of another type" },
        { STRATA_RENAME_COLUMN, "Tag", "name", "title", "Tag.name", "is gone or of another type" },
        { STRATA_RENAME_TABLE, "Tag", NULL, "Label", "Tag", "is gone" },
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        stage s = make_stage();
        change(&s, changes[i].kind, changes[i].table, changes[i].column, changes[i].name);
        check_stays(&s, changes[i].what, changes[i].why);
        end_stage(&s);
    }
}

void test_view_keep_refuses_another_primary_key(void) {
    stage s = make_stage();
    strata_column_spec columns[3];
    memcpy(columns, note, sizeof columns);
    columns[ID].flags = 0;
    declare(&s, &(strata_table_spec){ .name = "Note", .column_count = 3, .columns = columns });
    check_stays(&s, "Note", "has another primary key or none");
    end_stage(&s);
    s = make_stage();
    const strata_column_spec name = { .name = "name", .type = STRATA_STRING, .flags = STRATA_COLUMN_PRIMARY };
    declare(&s, &(strata_table_spec){ .name = "Tag", .column_count = 1, .columns = &name });
    check_stays(&s, "Tag", "has a primary key now");
    end_stage(&s);
}

void test_view_keep_refuses_nulls(void) {
    stage s = make_stage();
    strata_column_spec columns[3];
    memcpy(columns, note, sizeof columns);
    columns[TEXT].flags = STRATA_COLUMN_NULLABLE;
    declare(&s, &(strata_table_spec){ .name = "Note", .column_count = 3, .columns = columns });
    check_stays(&s, "Note.text", "is gone or of another type");
    end_stage(&s);
}

void test_view_keep_shows_nothing_after_a_rest(void) {
    stage s = make_stage();
    fixture *f = s.f;
    uint64_t size;
    change(&s, STRATA_DROP_COLUMN, "Note", "text", NULL);
    strata_view_rest(f->view);
    MUST(strata_view_adopt(f->view, &f->error));
    for (int i = 0; i < 2; i++) {
        REFUSED(strata_view_refresh(f->view, NULL, &f->error), STRATA_SCHEMA_MISMATCH, "Note.text");
        REFUSED(strata_view_begin(f->view, &f->error), STRATA_SCHEMA_MISMATCH, "Note.text");
        REFUSED(strata_table_size(f->view, NOTE, &size, &f->error), STRATA_CLOSED, "");
    }
    end_stage(&s);
}

void test_view_keep_moves_with_all_else(void) {
    stage s = make_stage();
    fixture *f = s.f;
    strata_column_spec columns[4];
    memcpy(columns, note, sizeof note);
    columns[3] = column("later", STRATA_INT, 0);
    declare(&s, &(strata_table_spec){ .name = "Note", .column_count = 4, .columns = columns });
    change(&s, STRATA_DROP_TABLE, "Other", NULL, NULL);
    add_note(f, s.other, 2);
    bool changed;
    MUST(strata_view_refresh(f->view, &changed, &f->error));
    CHECK(changed && table_size(f, NOTE) == 2 && strata_view_is_newest(f->view));
    declare(&s, &(strata_table_spec){ .name = "Note", .column_count = 3, .columns = note }); /* without what was added */
    add_note(f, f->view, 3);
    CHECK_EQ(table_size(f, NOTE), 3);
    MUST(strata_view_begin(f->view, &f->error));
    strata_view_cancel(f->view);
    CHECK(table_size(f, NOTE) == 3 && strata_view_is_newest(f->view));
    end_stage(&s);
}

void test_view_keep_lets_columns_go_that_it_does_not_use(void) {
    const uint32_t tables[] = { NOTE, TAG }, columns[] = { TEXT, 1 };
    stage s = make_stage();
    fixture *f = s.f;
    MUST(strata_view_keep_columns(f->view, tables, columns, 2, &f->error));
    change(&s, STRATA_DROP_COLUMN, "Note", "text", NULL);
    bool changed;
    MUST(strata_view_refresh(f->view, &changed, &f->error));
    CHECK(changed && strata_view_is_newest(f->view));
    uint64_t key;
    const strata_value id = strata_int(2);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_create(f->view, NOTE, &id, 1, &key, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(table_size(f, NOTE), 2);
    change(&s, STRATA_RENAME_COLUMN, "Note", "id", "number");
    REFUSED(strata_view_refresh(f->view, &changed, &f->error), STRATA_SCHEMA_MISMATCH, "Note.id");
    end_stage(&s);
}

/* What the view itself changes is no surprise to it. */
void test_view_keep_lets_the_view_change_its_tables(void) {
    stage s = make_stage();
    fixture *f = s.f;
    const strata_schema_change drop = { STRATA_DROP_COLUMN, "Tag", "name", NULL };
    MUST(strata_schema_migrate(f->view, &drop, 1, NULL, 0, 2, &f->error));
    add_note(f, s.other, 2);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    CHECK_EQ(table_size(f, NOTE), 2);
    end_stage(&s);
}

void test_view_keep_of_a_migration_that_is_cancelled(void) {
    stage s = make_stage();
    fixture *f = s.f;
    strata_column_spec columns[3];
    memcpy(columns, note, sizeof columns);
    columns[TEXT].type = STRATA_INT;
    const strata_table_spec table = { .name = "Note", .column_count = 3, .columns = columns };
    MUST(strata_migration_begin(f->view, &table, 1, 2, &f->error));
    strata_view_cancel(f->view);
    check_shows(f, 1);
    add_note(f, s.other, 2);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    check_shows(f, 2);
    end_stage(&s);
}

void test_view_keep_misused(void) {
    stage s = make_stage();
    fixture *f = s.f;
    const uint32_t none = 77;
    REFUSED(strata_view_keep(f->view, NULL, 1, &f->error), STRATA_MISUSE, "1 tables without an address");
    REFUSED(strata_view_keep(f->view, &none, 1, &f->error), STRATA_MISUSE, "77");
    REFUSED(strata_view_keep(NULL, NULL, 0, &f->error), STRATA_MISUSE, "the view is NULL");
    end_stage(&s);
}
