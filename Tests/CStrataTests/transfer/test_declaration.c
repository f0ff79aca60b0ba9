/* SPDX-License-Identifier: MIT
 * test_declaration.c -- schemas as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata_declaration.h"
#include "strata_migration.h"
#include "support/strata_support.h"

static const char everything[] =
    "version 7\n"
    "\n"
    "class Person {\n"
    "    id: uuid primary\n"
    "    name: string indexed\n"
    "    nick: string?\n"
    "    home: Address?\n"
    "    friends: list<Person>\n"
    "    tags: set<string?>\n"
    "    scores: map<double?>\n"
    "    favourites: map<Person?>\n"
    "    notes: any\n"
    "    all: list<any>\n"
    "    index(name, id)\n"
    "}\n"
    "\n"
    "embedded Address {\n"
    "    street: string\n"
    "    moved: date?\n"
    "}\n"
    "\n"
    "class 'int' {\n"
    "    a: bool\n"
    "    b: int\n"
    "    c: float\n"
    "    d: double\n"
    "    e: data\n"
    "    f: objectId?\n"
    "    g: decimal\n"
    "    'list': 'int'?\n"
    "    'gr\xC3\xB6\xC3\x9F\x65, it\\'s': int?\n"
    "    '2nd': int\n"
    "}\n";

static char *text_of(const strata_declaration *declaration) {
    size_t length = strata_declaration_print(declaration, NULL, 0);
    char *text = malloc(length + 1);
    CHECK_EQ(strata_declaration_print(declaration, text, length + 1), length);
    CHECK_EQ(strlen(text), length);
    return text;
}

static strata_declaration *parse(fixture *f, const char *text) {
    strata_declaration *out = NULL;
    MUST(strata_declaration_parse(text, strlen(text), &out, &f->error));
    return out;
}

static void check_prints(const strata_declaration *declaration, const char *expected) {
    char *text = text_of(declaration);
    CHECK_TEXT(text, expected);
    free(text);
}

/* What is printed reads back, is applied, and comes out of the file as it went in. */
void test_declaration_goes_around(void) {
    fixture *f = fixture_open_memory();
    uint32_t count;
    strata_declaration *first = parse(f, everything), *second;
    check_prints(first, everything);
    CHECK_EQ(strata_declaration_version(first), 7);
    const strata_table_spec *tables = strata_declaration_tables(first, &count);
    CHECK_EQ(count, 3);
    MUST(strata_schema_apply(f->view, tables, count, strata_declaration_version(first), &f->error));
    MUST(strata_declaration_read(f->view, &second, &f->error));
    check_prints(second, everything);
    strata_differences *differences;
    tables = strata_declaration_tables(second, &count);
    MUST(strata_differences_find(f->view, tables, count, &differences, &f->error));
    CHECK_EQ(strata_differences_count(differences), 0);
    strata_differences_free(differences);
    strata_declaration_free(second);
    strata_declaration_free(first);
    fixture_close(f);
}

/* What was dropped is not part of it, and a file without a schema has none. */
void test_declaration_of_a_file(void) {
    fixture *f = fixture_open_memory();
    strata_declaration *d;
    uint32_t count;
    MUST(strata_declaration_read(f->view, &d, &f->error));
    CHECK(strata_declaration_version(d) == STRATA_NO_SCHEMA);
    check_prints(d, "version 0\n");
    strata_declaration_free(d);
    d = parse(f, "class A { a: int, b: B?; c: int }\nclass B { x: int }");
    const strata_table_spec *tables = strata_declaration_tables(d, &count);
    MUST(strata_schema_apply(f->view, tables, count, 1, &f->error));
    strata_declaration_free(d);
    strata_schema_change changes[] = { { STRATA_DROP_COLUMN, "A", "b", NULL }, { STRATA_DROP_TABLE, "B", NULL, NULL } };
    d = parse(f, "class A { a: int\n c: int }");
    tables = strata_declaration_tables(d, &count);
    MUST(strata_schema_migrate(f->view, changes, 2, tables, count, 2, &f->error));
    strata_declaration_free(d);
    MUST(strata_declaration_read(f->view, &d, &f->error));
    check_prints(d, "version 2\n\nclass A {\n    a: int\n    c: int\n}\n");
    strata_declaration_free(d);
    fixture_close(f);
}

void test_declaration_takes_comments_and_spaces(void) {
    fixture *f = fixture_open_memory();
    strata_declaration *d = parse(f, "# a file\r\nversion 3 // the third\r\n\r\nclass\tA{a:int?indexed;b:A\n"
                                     "index ( a , b )\n}\n\n");
    check_prints(d, "version 3\n\nclass A {\n    a: int? indexed\n    b: A?\n    index(a, b)\n}\n");
    strata_declaration_free(d);
    d = parse(f, "");
    check_prints(d, "version 0\n");
    strata_declaration_free(d);
    char little[6];
    d = parse(f, "version 12");
    CHECK_EQ(strata_declaration_print(d, little, sizeof little), 11);
    CHECK_TEXT(little, "versi");
    strata_declaration_free(d);
    strata_declaration_free(NULL);
    fixture_close(f);
}

static void refuse(fixture *f, const char *text, const char *one, const char *two) {
    strata_declaration *d = NULL;
    REFUSED(strata_declaration_parse(text, strlen(text), &d, &f->error), STRATA_INVALID_SCHEMA, one, two);
    CHECK(d == NULL);
}

/* Each mistake is told with its place and what was expected. */
void test_declaration_names_mistakes(void) {
    fixture *f = fixture_open_memory();
    strata_declaration *d;
    refuse(f, "class A {\n  a int\n}", "line 2, column 5", "expected ':' and a type, not 'int'");
    refuse(f, "class A {\n  a: strin\n}", "A.a is 'strin'", "neither a type nor a class");
    refuse(f, "class Person { a: Persn? }", "did you mean 'Person'?", "Persn");
    refuse(f, "class A {\n  a: list<int\n}", "line 2, column 14", "expected >, and the line ends");
    refuse(f, "class A {\n  a: int secret\n}", "column 10", "'primary', 'indexed', or the end of the line");
    refuse(f, "class A {\n  a: int", "line 2, column 9", "the text ends");
    refuse(f, "klass A { }", "line 1, column 1", "expected 'class', 'embedded' or one 'version', not 'klass'");
    refuse(f, "class A { '\xC3\xA4\xC3\xB6: int }", "column 11", "not closed");
    refuse(f, "class A { index(a, b", "expected ',' or ')'", "the text ends");
    refuse(f, "version 1\nversion 2", "line 2, column 1", "one 'version'");
    refuse(f, "version x", "expected a number", "'x'");
    refuse(f, "version 99999999999999999999", "expected a smaller number", "column");
    refuse(f, "class A { a: int b: int }", "'primary', 'indexed', or the end of the line", "not 'b'");
    refuse(f, "class A { a: 'x\xFF' }", "not valid UTF-8", "schema");
    static const char *const reserved[] = { "$class", "$key", "$ref", "$refId", "$schema" };
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        char text[60];
        snprintf(text, sizeof text, "class A { a: int; '%s': int }", reserved[i]);
        refuse(f, text, "column 19: expected a name by which records say nothing else, not '", reserved[i]);
    }
    REFUSED(strata_declaration_parse(NULL, 4, &d, &f->error), STRATA_MISUSE, "without text");
    REFUSED(strata_declaration_parse("", STRATA_MAX_DECLARATION + (size_t)1, &d, &f->error), STRATA_TOO_LARGE, "64 MiB");
    REFUSED(strata_declaration_read(NULL, &d, &f->error), STRATA_MISUSE, "the view is NULL");
    fixture_close(f);
}
