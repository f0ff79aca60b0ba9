/* SPDX-License-Identifier: MIT
 * test_transfer.c -- objects as text, out and in again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata_collection.h"
#include "strata_decimal.h"
#include "strata_import.h"
#include "strata_mixed.h"
#include "support/strata_support.h"
#include "transfer/guessed.h"

/* ---- Words ------------------------------------------------------------ */

typedef struct text {
    char *data;
    size_t size;
} text;

static bool append(void *context, const void *bytes, size_t size) {
    text *to = context;
    to->data = realloc(to->data, to->size + size + 1);
    memcpy(to->data + to->size, bytes, size);
    to->size += size;
    to->data[to->size] = 0;
    return true;
}

static void declare(fixture *f, const char *schema) {
    strata_declaration *d = NULL;
    uint32_t count;
    MUST(strata_declaration_parse(schema, strlen(schema), &d, &f->error));
    const strata_table_spec *tables = strata_declaration_tables(d, &count);
    MUST(strata_schema_apply(f->view, tables, count, 1, &f->error));
    strata_declaration_free(d);
}

static fixture *with(const char *schema) {
    fixture *f = fixture_open_memory();
    declare(f, schema);
    return f;
}

static text export_tables(fixture *f, strata_text_format format, uint32_t flags, const uint32_t *tables,
                          uint32_t count) {
    strata_export_options options = strata_export_options_blank();
    strata_export *to = NULL;
    text out = { NULL, 0 };
    options.format = format;
    options.flags = flags;
    (void)append(&out, "", 0);
    MUST(strata_export_open(f->view, &options, append, &out, &to, &f->error));
    for (uint32_t i = 0; i < count; i++) MUST(strata_export_table(to, tables[i], &f->error));
    MUST(strata_export_end(to, &f->error));
    strata_export_close(to);
    return out;
}

static text export_all(fixture *f, strata_text_format format) {
    uint32_t tables[8], count = 0;
    for (uint32_t t = 0; t < strata_table_count(f->view); t++) {
        strata_table_info info;
        MUST(strata_table_get(f->view, t, &info));
        if ((info.flags & STRATA_TABLE_EMBEDDED) == 0) tables[count++] = t;
    }
    return export_tables(f, format, STRATA_EXPORT_CLASS | STRATA_EXPORT_KEYS | STRATA_EXPORT_HEADER, tables, count);
}

typedef struct refusals {
    char words[2000];
    uint64_t lines[20], count;
} refusals;

static bool refused_record(void *context, uint64_t line, strata_bytes record, const strata_error *error) {
    refusals *r = context;
    CHECK(record.size > 0);
    if (r->count < 20) r->lines[r->count] = line;
    r->count++;
    size_t used = strlen(r->words);
    snprintf(r->words + used, sizeof r->words - used, "%llu: %s\n", (unsigned long long)line, error->message);
    return true;
}

/* Imports text in pieces of a random size. */
static strata_import_report import_pieces(fixture *f, strata_import_options options, strata_bytes from, uint64_t seed) {
    strata_import *import = NULL;
    strata_import_report report;
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_import_open(f->view, &options, &import, &f->error));
    for (size_t at = 0; at < from.size;) {
        size_t some = seed == 0 ? from.size : (size_t)((seed = seed * 6364136223846793005u + 1) >> 33) % 23 + 1;
        if (some > from.size - at) some = from.size - at;
        MUST(strata_import_feed(import, (const char *)from.data + at, some, &f->error));
        at += some;
    }
    MUST(strata_import_finish(import, &report, &f->error));
    strata_import_close(import);
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    return report;
}

static strata_import_report import_text(fixture *f, strata_text_format format, const char *table, uint32_t flags,
                                        const char *from, refusals *refusals) {
    strata_import_options options = strata_import_options_blank();
    options.format = format;
    options.table = table;
    options.flags = flags;
    options.refused = refusals == NULL ? NULL : refused_record;
    options.context = refusals;
    return import_pieces(f, options, (strata_bytes){ from, strlen(from) }, 0);
}

static void check_lines(fixture *f, const char *expected) {
    text found = export_all(f, STRATA_TEXT_LINES);
    CHECK_TEXT(found.data, expected);
    free(found.data);
}

/* ---- Forms ------------------------------------------------------------ */

/* Each type in the form that the header says, and in CSV and plain columns. */
void test_transfer_forms(void) {
    fixture *f = with("class A { id: int primary; b: bool; f: float; d: double?; s: string?; x: data; t: date\n"
                      "u: uuid; o: objectId; m: decimal; l: A?; e: E?; ls: list<string>; st: set<int>; mp: map<A?>\n"
                      "any: any }\nembedded E { n: int; e: E? }\nclass K { a: K? }");
    static const char lines[] =
        "{\"$class\":\"A\",\"id\":1,\"b\":true,\"f\":1.5,\"d\":null,\"s\":\"\",\"x\":\"AQID\","
        "\"t\":\"2001-01-01T00:00:00Z\",\"u\":\"00010203-0405-0607-0809-0a0b0c0d0e0f\","
        "\"o\":\"000102030405060708090a0b\",\"m\":\"1.10\",\"l\":2,\"e\":{\"n\":7,\"e\":{\"n\":8,\"e\":null}},"
        "\"ls\":[\"a\",\"b\\n\\\"\"],\"st\":[-1,3],\"mp\":{\"x\":1,\"y\":null},"
        "\"any\":{\"$$b\":{\"$decimal\":\"2\"},\"a\":[1,1.0,{\"$float\":0.5},{\"$date\":\"2026-11-23T20:15:00.5Z\"},{\"$link\":[\"A\",2]}]}}\n"
        "{\"$class\":\"A\",\"id\":2,\"b\":false,\"f\":\"NaN\",\"d\":\"-Infinity\",\"s\":\"a,\\\"b\\\"\",\"x\":\"\","
        "\"t\":\"@1e+300\",\"u\":\"00000000-0000-0000-0000-000000000000\",\"o\":\"000000000000000000000000\","
        "\"m\":\"0\",\"l\":null,\"e\":null,\"ls\":[],\"st\":[],\"mp\":{},\"any\":{\"$link\":[\"K\",{\"$key\":1}]}}\n"
        "{\"$class\":\"K\",\"$key\":1,\"a\":{\"$key\":2}}\n"
        "{\"$class\":\"K\",\"$key\":2,\"a\":null}\n";
    strata_import_report report = import_text(f, STRATA_TEXT_LINES, NULL, 0, lines, NULL);
    CHECK(report.records == 4 && report.created == 4 && report.updated == 0 && report.missing == 0);
    check_lines(f, lines);
    uint32_t a = 0;
    text csv = export_tables(f, STRATA_TEXT_CSV, STRATA_EXPORT_HEADER, &a, 1);
    CHECK_TEXT(csv.data,
              "id,b,f,d,s,x,t,u,o,m,l,e,ls,st,mp,any\n"
              "1,true,1.5,,\"\",AQID,2001-01-01T00:00:00Z,00010203-0405-0607-0809-0a0b0c0d0e0f,"
              "000102030405060708090a0b,1.10,2,\"{\"\"n\"\":7,\"\"e\"\":{\"\"n\"\":8,\"\"e\"\":null}}\","
              "\"[\"\"a\"\",\"\"b\\n\\\"\"\"\"]\",\"[-1,3]\",\"{\"\"x\"\":1,\"\"y\"\":null}\","
              "\"{\"\"$$b\"\":{\"\"$decimal\"\":\"\"2\"\"},\"\"a\"\":[1,1.0,{\"\"$float\"\":0.5},{\"\"$date\"\":\"\"2026-11-23T20:15:00.5Z\"\"},"
              "{\"\"$link\"\":[\"\"A\"\",2]}]}\"\n"
              "2,false,NaN,-Infinity,\"a,\"\"b\"\"\",\"\",@1e+300,00000000-0000-0000-0000-000000000000,"
              "000000000000000000000000,0,,,[],[],{},\"{\"\"$link\"\":[\"\"K\"\",{\"\"$key\"\":1}]}\"\n");
    free(csv.data);
    uint32_t k = 2;
    text plain = export_tables(f, STRATA_TEXT_PLAIN, STRATA_EXPORT_HEADER | STRATA_EXPORT_KEYS, &k, 1);
    CHECK_TEXT(plain.data, "$key\ta\n1\t{\"$key\":2}\n2\t\\N\n");
    free(plain.data);
    text document = export_tables(f, STRATA_TEXT_DOCUMENT, STRATA_EXPORT_KEYS, &k, 1);
    CHECK_TEXT(document.data, "{\n  \"K\": [\n    {\"$key\":1,\"a\":{\"$key\":2}},\n    {\"$key\":2,\"a\":null}\n  ]\n}\n");
    free(document.data);
    text array = export_tables(f, STRATA_TEXT_ARRAY, STRATA_EXPORT_KEYS | STRATA_EXPORT_CLASS, &k, 1);
    CHECK_TEXT(array.data, "[{\"$class\":\"K\",\"$key\":1,\"a\":{\"$key\":2}},{\"$class\":\"K\",\"$key\":2,\"a\":null}]");
    free(array.data);
    uint32_t e = 1;
    array = export_tables(f, STRATA_TEXT_ARRAY, 0, &e, 0);
    CHECK_TEXT(array.data, "[]");
    free(array.data);
    fixture_close(f);
}

/* Links may lead to what comes later; what never comes is told, and gone. */
void test_transfer_links_to_what_comes_later(void) {
    fixture *f = with("class P { name: string primary; boss: P?; team: list<P>; any: any }\nclass K { p: P?; k: K? }");
    strata_import_report report = import_text(
        f, STRATA_TEXT_LINES, "P", 0,
        "{\"name\":\"a\",\"boss\":\"b\",\"team\":[\"c\",\"a\",\"zz\"],\"any\":{\"$link\":[\"P\",\"zz\"]}}\n"
        "\n"
        "{\"name\":\"b\",\"boss\":\"b\"}\r\n"
        "{\"name\":\"c\"}\n"
        "{\"$class\":\"K\",\"p\":\"a\",\"k\":{\"$key\":\"other\"}}\n"
        "{\"$class\":\"K\",\"$key\":\"other\",\"k\":{\"$key\":\"lost\"}}", NULL);
    CHECK(report.records == 5 && report.created == 5 && report.updated == 0 && report.refused == 0);
    CHECK(report.missing == 2 && report.last == 2);
    CHECK_TEXT(report.first_missing, "P 'zz'");
    check_lines(f, "{\"$class\":\"P\",\"name\":\"a\",\"boss\":\"b\",\"team\":[\"c\",\"a\"],\"any\":null}\n"
                   "{\"$class\":\"P\",\"name\":\"b\",\"boss\":\"b\",\"team\":[],\"any\":null}\n"
                   "{\"$class\":\"P\",\"name\":\"c\",\"boss\":null,\"team\":[],\"any\":null}\n"
                   "{\"$class\":\"K\",\"$key\":1,\"p\":\"a\",\"k\":{\"$key\":2}}\n"
                   "{\"$class\":\"K\",\"$key\":2,\"p\":null,\"k\":null}\n");
    fixture_close(f);
}

/* With STRATA_IMPORT_UPDATE only what a record says is changed, and old embedded objects are deleted. */
void test_transfer_updates(void) {
    fixture *f = with("class P { id: int primary; a: int; e: E?; es: list<E>; em: map<E?>; l: list<int> }\n"
                      "embedded E { n: int; inner: E? }");
    static const char first[] = "{\"id\":1,\"a\":5,\"e\":{\"n\":1,\"inner\":{\"n\":2}},\"es\":[{\"n\":3},{\"n\":4}],"
                                "\"em\":{\"x\":{\"n\":5},\"y\":null},\"l\":[1,2]}\n";
    refusals told = { "", { 0 }, 0 };
    (void)import_text(f, STRATA_TEXT_LINES, "P", 0, first, NULL);
    CHECK_EQ(table_size(f, 1), 5);
    strata_import_report report = import_text(f, STRATA_TEXT_LINES, "P", 0, "{\"id\":1,\"a\":6}\n{\"id\":2}", &told);
    CHECK(report.refused == 1 && report.created == 1);
    CHECK_TEXT(told.words, "1: an object of P with the primary key 1 is there already\n");
    report = import_text(f, STRATA_TEXT_LINES, "P", STRATA_IMPORT_UPDATE,
                         "{\"id\":1,\"a\":6,\"e\":null,\"es\":[{\"n\":9}],\"em\":{\"z\":{\"n\":7}},\"l\":[]}\n{\"id\":2}",
                         NULL);
    CHECK(report.refused == 0 && report.updated == 2 && report.created == 0);
    CHECK_EQ(table_size(f, 1), 2);
    check_lines(f, "{\"$class\":\"P\",\"id\":1,\"a\":6,\"e\":null,\"es\":[{\"n\":9,\"inner\":null}],"
                   "\"em\":{\"z\":{\"n\":7,\"inner\":null}},\"l\":[]}\n"
                   "{\"$class\":\"P\",\"id\":2,\"a\":0,\"e\":null,\"es\":[],\"em\":{},\"l\":[]}\n");
    fixture_close(f);
}

/* Values that are in no object have the texts that they have in one. */
void test_transfer_prints_values(void) {
    fixture *f = with("class V { b: bool; i: int; f: float; d: double; n: double; t: date; far: date; u: uuid; "
                      "o: objectId; m: decimal }");
    (void)import_text(f, STRATA_TEXT_LINES, "V", 0,
                      "{\"b\":true,\"i\":-9223372036854775808,\"f\":1e10,\"d\":5e-324,\"n\":\"-Infinity\","
                      "\"t\":\"0001-01-01T00:00:00.25Z\",\"far\":\"@1e15\",\"u\":\"0F8FAD5B-d9cb-469f-a165-70867728950e\","
                      "\"o\":\"507f1f77bcf86cd799439011\",\"m\":\"-1.234567890123456789012345678901234E-6000\"}",
                      NULL);
    text out = export_all(f, STRATA_TEXT_PLAIN);
    strata_row row;
    MUST(strata_row_bind(f->view, 0, 1, &row, &f->error));
    char told[1000] = "", one[STRATA_VALUE_TEXT];
    for (uint32_t c = 0; c < 10; c++) {
        strata_value value;
        MUST(strata_row_get(&row, c, &value, &f->error));
        CHECK_EQ(strata_value_print(&value, one), strlen(one));
        strcat(strcat(told, c == 0 ? "" : "\t"), one);
    }
    const char *line = strchr(strchr(out.data, '\n'), '\t') + 1; /* behind the names, and the object key */
    CHECK(strncmp(line, told, strlen(told)) == 0 && strcmp(line + strlen(told), "\n") == 0);
    strata_value null = strata_null(), link = strata_link(7);
    CHECK(strata_value_print(&null, one) == 0 && strata_value_print(&link, one) == 0 && one[0] == 0);
    free(out.data);
    fixture_close(f);
}

/* A document as other programs write it: objects inside each other, references, and each object once more by itself. */
void test_transfer_reads_documents(void) {
    fixture *f = with("class Dog { id: int primary; owner: Person? }\nclass Person { name: string?; dogs: list<Dog> }");
    strata_import_report report = import_text(
        f, STRATA_TEXT_DOCUMENT, NULL, 0,
        "{\n  \"Person\": [\n    { \"name\": \"Ann [\\\"}\", \"$refId\": \"p1\",\n      \"dogs\": [ { \"id\": 1, \"owner\": "
        "{ \"$ref\": \"p1\" } }, { \"id\": 2, \"owner\": null } ] }\n  ],\n"
        "  \"Dog\": [ { \"id\": 1, \"owner\": { \"$ref\": \"p1\" } }, { \"id\": 2 }, { \"id\": 3 } ],\n  \"Empty\": []\n}\n",
        NULL);
    CHECK(report.records == 4 && report.created == 4 && report.refused == 0);
    check_lines(f, "{\"$class\":\"Dog\",\"id\":1,\"owner\":{\"$key\":1}}\n{\"$class\":\"Dog\",\"id\":2,\"owner\":null}\n"
                   "{\"$class\":\"Dog\",\"id\":3,\"owner\":null}\n"
                   "{\"$class\":\"Person\",\"$key\":1,\"name\":\"Ann [\\\"}\",\"dogs\":[1,2]}\n");
    report = import_text(f, STRATA_TEXT_DOCUMENT, "Person", 0, "[{\"name\":\"Bo\"},\n{\"name\":null}]", NULL);
    CHECK_EQ(report.created, 2);
    fixture_close(f);
}

/* What Realm's tools write of objects that link to each other in circles, and of types that JSON does not have. */
void test_transfer_reads_references(void) {
    fixture *f = with("class Dog { name: string; owner: Person?; weight: decimal?; oid: objectId?; uid: uuid?; born: date?\n"
                      "age: int; height: double; friends: list<Dog> }\nclass Person { name: string primary; boss: Person? }");
    strata_import_report report = import_text(
        f, STRATA_TEXT_DOCUMENT, NULL, 0,
        "{\"Person\":[{\"$refId\":\"Person_0\",\"name\":\"Ann\",\"boss\":{\"$refId\":\"Person_1\",\"name\":\"Bob\","
        "\"boss\":{\"$ref\":\"Person_0\"}}},\n{\"$ref\":\"Person_1\"}],\n"
        "\"Dog\":[{\"$refId\":\"Dog_0\",\"name\":\"Rex\",\"owner\":{\"$ref\":\"Person_1\"},"
        "\"weight\":{\"$numberDecimal\":\"1.50\"},\"oid\":{\"$oid\":\"507f1f77bcf86cd799439011\"},"
        "\"uid\":{\"$uuid\":\"0f8fad5b-d9cb-469f-a165-70867728950e\"},\"born\":{\"$date\":\"2020-01-01T00:00:00.000Z\"},"
        "\"age\":{\"$numberInt\":\"7\"},\"height\":{\"$numberDouble\":\"1.5\"},"
        "\"friends\":[{\"$ref\":\"Dog_0\"}]}]}",
        NULL);
    CHECK(report.created == 3 && report.refused == 0 && report.missing == 0);
    check_lines(f, "{\"$class\":\"Dog\",\"$key\":1,\"name\":\"Rex\",\"owner\":\"Bob\",\"weight\":\"1.50\","
                   "\"oid\":\"507f1f77bcf86cd799439011\",\"uid\":\"0f8fad5b-d9cb-469f-a165-70867728950e\","
                   "\"born\":\"2020-01-01T00:00:00Z\",\"age\":7,\"height\":1.5,\"friends\":[{\"$key\":1}]}\n"
                   "{\"$class\":\"Person\",\"name\":\"Ann\",\"boss\":\"Bob\"}\n"
                   "{\"$class\":\"Person\",\"name\":\"Bob\",\"boss\":\"Ann\"}\n");
    fixture_close(f);
}

/* ---- Refusals --------------------------------------------------------- */

/* A record that does not fit changes nothing, and is told with its line and the reason. */
void test_transfer_refuses_records(void) {
    fixture *f = with("class P { id: int primary; name: string; age: int?; born: date?; tags: list<string>; boss: P?\n"
                      "any: any; e: E? }\nembedded E { n: int }");
    refusals told = { "", { 0 }, 0 };
    static const char lines[] =
        "{\"id\":1,\"name\":\"ok\"}\n"
        "{\"id\":2,\"name\":7}\n"
        "\n"
        "{\"id\":3,\"naem\":\"x\"}\n"
        "{\"id\":4,\"age\":1.5}\n"
        "{\"id\":5,\"born\":\"yesterday\"}\n"
        "{\"id\":6,\"tags\":[\"a\",null],\"boss\":77}\n"
        "{\"id\":7,\"boss\":{\"id\":8,\"age\":\"x\"}}\n"
        "{\"id\":9,\"any\":{\"$date\":3}}\n"
        "{\"id\":10,\"tags\":\"a\"}\n"
        "{\"id\":11\n"
        "[1]\n"
        "{\"$class\":\"Q\"}\n"
        "{\"$class\":\"E\",\"n\":1}\n"
        "{\"id\":12,\"e\":4}\n"
        "{\"id\":13,\"name\":null}\n"
        "{\"id\":14,\"name\":\"\xFF\"}\n"
        "{\"id\":1,\"boss\":78}\n"
        "{\"id\":15,\"name\":\"\\ud800\"}\n"
        "{\"id\":16,\"boss\":{\"$ref\":\"nobody\"}}\n"
        "{\"name\":\"x\"}\n"
        "{\"id\":17,\"name\":\"last\"}";
    strata_import_report report = import_text(f, STRATA_TEXT_LINES, "P", 0, lines, &told);
    CHECK(report.records == 21 && report.created == 2 && report.missing == 0);
    CHECK_EQ(report.refused, 19);
    CHECK_EQ(table_size(f, 0), 2);
    CHECK_TEXT(told.words,
              "2: P.name: 7 is not a string\n"
              "4: P has no property 'naem'; did you mean 'name'?\n"
              "5: P.age: 1.5 is not a whole number of 64 bits\n"
              "6: P.born: \"yesterday\" is not a date, such as 2026-11-23T20:15:00Z\n"
              "7: P.tags: null, and a value is required\n"
              "8: P.boss: P.age: \"x\" is not a whole number of 64 bits\n"
              "9: P.any: 3 is not a date, such as 2026-11-23T20:15:00Z\n"
              "10: P.tags: \"a\" is not an array\n"
              "11: at column 9: expected ',' or '}'\n"
              "12: expected an object of JSON\n"
              "13: the file has no class 'Q'; did you mean 'P'?\n"
              "14: E is embedded: its objects live only inside of others\n"
              "15: P.e: expected an object of JSON, since E is embedded\n"
              "16: P.name: null, and a value is required\n"
              "17: the record is not valid UTF-8\n"
              "18: an object of P with the primary key 1 is there already\n"
              "19: at column 24: the first half of a character without the second\n"
              "20: no object of P is called \"nobody\" so far; a link to one that is there is its primary key\n"
              "21: P.id is missing, the primary key\n");
    fixture_close(f);
}

/* Names that nothing has are failures, too, whether the record is the last one or not: a status that is an answer
 * elsewhere would look like success. */
void test_transfer_fails_at_unknown_names(void) {
    fixture *f = with("class P { id: int primary; next: P?; any: any }");
    static const char *const records[] = {
        "{\"$class\":\"Pp\",\"id\":1}", "{\"id\":1,\"next\":{\"$key\":7}}", "{\"id\":1,\"any\":{\"$link\":[\"Pp\",1]}}" };
    strata_import_options options = strata_import_options_blank();
    options.table = "P";
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        for (int last = 0; last < 2; last++) {
            strata_import *import = NULL;
            MUST(strata_view_begin(f->view, &f->error));
            MUST(strata_import_open(f->view, &options, &import, &f->error));
            strata_status status = strata_import_feed(import, records[i], strlen(records[i]), &f->error);
            CHECK(status == STRATA_OK);
            status = last ? strata_import_finish(import, NULL, &f->error)
                          : strata_import_feed(import, "\n{\"id\":2}\n", 10, &f->error);
            REFUSED(status, STRATA_TYPE, "line 1: ");
            CHECK(f->error.status == STRATA_TYPE);
            REFUSED(strata_import_finish(import, NULL, &f->error), STRATA_MISUSE, "an import that failed");
            strata_import_close(import);
            strata_view_cancel(f->view);
        }
    }
    fixture_close(f);
}

/* An import that ends early after a commit leaves nothing but what its records say: neither what a link has named, nor
 * what a record brought that was not committed. */
void test_transfer_abandons(void) {
    static const char *const parts[] = {
        "{\"$class\":\"P\",\"id\":1,\"next\":2}\n{\"$class\":\"P\",\"id\":3,\"next\":4,\"all\":[5,1]}\n",
        "{\"$class\":\"P\",\"id\":2,\"next\":6}\n{\"$class\":\"K\",\"$key\":\"a\",\"k\":{\"$key\":\"b\"}}\n",
        "{\"$class\":\"P\",\"id\":4}\n{\"$class\":\"P\",\"id\":7,\"next\":8}\n{\"$class\":\"K\",\"$key\":\"b\"}\n" };
    fixture *f = with("class P { id: int primary; next: P?; all: list<P> }\nclass K { k: K? }");
    strata_import_options options = strata_import_options_blank();
    strata_import_report report;
    strata_import *import = NULL;
    MUST(strata_import_open(f->view, &options, &import, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 3; i++) {
        MUST(strata_import_feed(import, parts[i], strlen(parts[i]), &f->error));
        if (i < 2) MUST(strata_import_commit(import, &f->error));
    }
    REFUSED(strata_import_feed(import, "{}\n", 3, &f->error), STRATA_TYPE, "line 8: ");
    strata_view_cancel(f->view);
    REFUSED(strata_import_abandon(import, NULL, &f->error), STRATA_NOT_WRITING, "strata_view_begin()");
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_import_abandon(import, &report, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    strata_import_close(import);
    CHECK(report.records == 4 && report.created == 4 && report.missing == 4);
    CHECK(report.line == 5 && report.keyless == 1);
    CHECK_TEXT(report.first_missing, "P 4");
    check_lines(f, "{\"$class\":\"P\",\"id\":1,\"next\":2,\"all\":[]}\n{\"$class\":\"P\",\"id\":2,\"next\":null,\"all\":[]}\n"
                   "{\"$class\":\"P\",\"id\":3,\"next\":null,\"all\":[1]}\n{\"$class\":\"K\",\"$key\":1,\"k\":null}\n");
    verify(f);
    fixture_close(f);
}

/* Without somebody to tell, a record that does not fit ends the import. */
void test_transfer_ends_at_a_bad_record(void) {
    fixture *f = with("class P { id: int primary }");
    strata_import_options options = strata_import_options_blank();
    strata_import *import = NULL;
    options.table = "P";
    MUST(strata_import_open(f->view, &options, &import, &f->error));
    REFUSED(strata_import_feed(import, "{}", 2, &f->error), STRATA_NOT_WRITING, "strata_view_begin()");
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_import_feed(import, "{\"id\":1}\n{\"id\"", 14, &f->error));
    REFUSED(strata_import_feed(import, ":\"a\"}\n", 6, &f->error), STRATA_TYPE, "line 2: P.id: \"a\" is not a whole number");
    REFUSED(strata_import_feed(import, "{\"id\":2}\n", 9, &f->error), STRATA_MISUSE, "an import that failed");
    strata_import_close(import);
    strata_view_cancel(f->view);
    static const char *const frames[] = { "{\"P\": {", "[1]", "{P", "[{\"id\":1} {}]", "{\"P\":[]]", "[]x", "[{\"id\":1}" };
    options.format = STRATA_TEXT_DOCUMENT;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_import_open(f->view, &options, &import, &f->error));
        strata_status status = strata_import_feed(import, frames[i], strlen(frames[i]), &f->error);
        if (status == STRATA_OK) status = strata_import_finish(import, NULL, &f->error);
        REFUSED(status, STRATA_TYPE, "line 1: ", "JSON document");
        strata_import_close(import);
        strata_view_cancel(f->view);
    }
    options.table = "Q";
    REFUSED(strata_import_open(f->view, &options, &import, &f->error), STRATA_NOT_FOUND, "no class 'Q'");
    options.table = NULL;
    options.format = STRATA_TEXT_CSV;
    REFUSED(strata_import_open(f->view, &options, &import, &f->error), STRATA_MISUSE, "need a class");
    options.flags = 99;
    REFUSED(strata_import_open(f->view, &options, &import, &f->error), STRATA_MISUSE, "unknown format or flag");
    fixture_close(f);
}

/* ---- CSV -------------------------------------------------------------- */

void test_transfer_reads_csv(void) {
    fixture *f = with("class P { id: int primary; name: string?; score: double?; boss: P?; tags: list<int>; ok: bool }");
    refusals told = { "", { 0 }, 0 };
    strata_import_report report = import_text(
        f, STRATA_TEXT_CSV, "P", 0,
        "\xEF\xBB\xBFid,name,score,boss,tags,ok\r\n"
        "1,\"a \"\"quoted\"\"\nname, yes\",1.5,2,\"[1,2]\",true\r\n"
        "2,,,,,false\n"
        "3,\"\",1e3,,[],1\n"
        "4,x,y,,,0\n"
        "5,x,1\n"
        "6,\"x\"y,1,,,1\n"
        "7,x,1,,,\n", &told);
    CHECK(report.created == 3 && report.refused == 4);
    CHECK_TEXT(told.words,
              "6: P.score: \"y\" is not a number\n"
              "7: the line has 3 fields, and 6 are named\n"
              "8: at column 6: there is something behind the closing quote\n"
              "9: P.ok: null, and a value is required\n");
    check_lines(f, "{\"$class\":\"P\",\"id\":1,\"name\":\"a \\\"quoted\\\"\\nname, yes\",\"score\":1.5,\"boss\":2,"
                   "\"tags\":[1,2],\"ok\":true}\n"
                   "{\"$class\":\"P\",\"id\":2,\"name\":null,\"score\":null,\"boss\":null,\"tags\":[],\"ok\":false}\n"
                   "{\"$class\":\"P\",\"id\":3,\"name\":\"\",\"score\":1000.0,\"boss\":null,\"tags\":[],\"ok\":true}\n");
    strata_import_options options = strata_import_options_blank();
    static const char *const columns[] = { "name", "", "id" };
    static const char lines[] = "Zoe;passed over;9\n";
    options.format = STRATA_TEXT_CSV;
    options.table = "P";
    options.separator = ';';
    options.columns = columns;
    options.column_count = 3;
    report = import_pieces(f, options, (strata_bytes){ lines, strlen(lines) }, 0);
    CHECK_EQ(report.created, 1);
    static const char header[] = "id,nmae\n1,2\n";
    strata_import *import = NULL;
    options.columns = NULL;
    options.column_count = 0;
    options.separator = 0;
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_import_open(f->view, &options, &import, &f->error));
    REFUSED(strata_import_feed(import, header, strlen(header), &f->error), STRATA_TYPE,
            "line 1: P has no property 'nmae'; did you mean 'name'?");
    strata_import_close(import);
    strata_view_cancel(f->view);
    fixture_close(f);
}

/* What would be lost is refused: values of a column without a name, and objects of a class that is embedded. */
void test_transfer_loses_nothing_of_csv(void) {
    fixture *f = with("class P { id: int primary; a: string; e: E? }\nembedded E { n: int }");
    refusals told = { "", { 0 }, 0 };
    strata_import_report report = import_text(f, STRATA_TEXT_CSV, "P", 0, "id,,a\n1,,x\n2,lost,y\n", &told);
    CHECK(report.created == 1 && report.refused == 1 && report.last == 1);
    CHECK(strstr(told.words, "field 2 holds something, and its column has no name") != NULL);
    report = import_text(f, STRATA_TEXT_CSV, "P", STRATA_IMPORT_IGNORE_UNKNOWN, "id,,a\n3,lost,y\n", NULL);
    CHECK_EQ(report.created, 1);
    strata_import_options options = strata_import_options_blank();
    strata_import *import = NULL;
    options.format = STRATA_TEXT_CSV;
    options.table = "E";
    REFUSED(strata_import_open(f->view, &options, &import, &f->error), STRATA_TYPE, "E is embedded");
    fixture_close(f);
}

/* No number becomes another one without a word. */
void test_transfer_loses_nothing_of_numbers(void) {
    static const char *const refused[] = {
        "\"i\":1.00000000000000000001", "\"i\":0.99999999999999999999", "\"i\":9007199254740992.4", "\"i\":9223372036854775808",
        "\"i\":1e19", "\"i\":0.00000000000000000000000000000000000000001", "\"m\":1e7000", "\"m\":\"1e-7000\"", "\"m\":1.5e-6176",
        "\"m\":12345678901234567890123456789012345", "\"any\":12345678901234567890123456789012345",
        "\"any\":0.123456789012345678901234567890123456", "\"any\":1e7000", "\"f\":1e39", "\"d\":1e400" };
    fixture *f = with("class P { id: int primary; i: int?; m: decimal?; any: any; f: float?; d: double? }");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char line[200];
        refusals told = { "", { 0 }, 0 };
        snprintf(line, sizeof line, "{\"id\":1,%s}", refused[i]);
        CHECK_EQ(import_text(f, STRATA_TEXT_LINES, "P", 0, line, &told).refused, 1);
        if (strstr(line, "1e39") != NULL) CHECK(strstr(told.words, "P.f: \"1e39\" is more than a float holds") != NULL);
        if (strstr(line, "1e400") != NULL)
            CHECK(strstr(told.words, "P.d: \"1e400\" is more than a double holds") != NULL);
    }
    import_text(f, STRATA_TEXT_LINES, "P", 0,
                "{\"id\":1,\"i\":1e18,\"m\":1234567890123456789012345678901234,\"any\":18446744073709551615}\n"
                "{\"id\":2,\"i\":-9223372036854775808.0,\"m\":\"-1.50000000000000000000000000000000000000\",\"any\":1e20}\n"
                "{\"id\":3,\"i\":1.5e1,\"m\":\"Infinity\",\"any\":-12345678901234567890123}\n"
                "{\"id\":4,\"any\":[0.12345678901234567890123,9007199254740993.0,0.5,1e-400,9007199254740992.0]}\n",
                NULL);
    check_lines(f, "{\"$class\":\"P\",\"id\":1,\"i\":1000000000000000000,\"m\":\"1234567890123456789012345678901234\","
                   "\"any\":{\"$decimal\":\"18446744073709551615\"},\"f\":null,\"d\":null}\n"
                   "{\"$class\":\"P\",\"id\":2,\"i\":-9223372036854775808,\"m\":\"-1.500000000000000000000000000000000\","
                   "\"any\":1e+20,\"f\":null,\"d\":null}\n"
                   "{\"$class\":\"P\",\"id\":3,\"i\":15,\"m\":\"Infinity\","
                   "\"any\":{\"$decimal\":\"-12345678901234567890123\"},\"f\":null,\"d\":null}\n"
                   "{\"$class\":\"P\",\"id\":4,\"i\":null,\"m\":null,"
                   "\"any\":[{\"$decimal\":\"0.12345678901234567890123\"},"
                   "{\"$decimal\":\"9007199254740993.0\"},0.5,{\"$decimal\":\"1E-400\"},9007199254740992.0],"
                   "\"f\":null,\"d\":null}\n");
    fixture_close(f);
}

/* A line of P, made of a format and a value, is refused with these words. */
static void must_refuse(fixture *f, const char *format, const char *value, const char *words) {
    char line[200];
    refusals told = { "", { 0 }, 0 };
    snprintf(line, sizeof line, format, value);
    CHECK_EQ(import_text(f, STRATA_TEXT_LINES, "P", 0, line, &told).refused, 1);
    CHECK(strstr(told.words, words) != NULL);
}

/* What could be a type in a value of any type is one, or is refused; a key of a map is written so that it is none. */
void test_transfer_refuses_unknown_types(void) {
    fixture *f = with("class P { any: any }");
    static const char *const refused[] = {
        "{\"$nope\":1}", "{\"a\":{\"$key\":1}}", "[{\"$date\":1,\"b\":2}]", "{\"$\":1}" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        must_refuse(f, "{\"any\":%s}", refused[i], "does not say a type here; as a key of a map it is written \"$$");
    import_text(f, STRATA_TEXT_LINES, "P", 0, "{\"any\":{\"$$nope\":1,\"$$\":2}}\n", NULL);
    check_lines(f, "{\"$class\":\"P\",\"$key\":1,\"any\":{\"$$\":2,\"$$nope\":1}}\n");
    fixture_close(f);
}

/* An object or link of another program, inside of a value of any type, is refused and does not become a map. */
void test_transfer_refuses_references_in_any(void) {
    fixture *f = with("class P { any: any }");
    static const char *const refused[] = {
        "{\"$ref\":\"P#1\"}", "{\"a\":{\"b\":1,\"$refId\":\"1\"}}", "[1,{\"x\":[{\"$ref\":1}]}]" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        must_refuse(f, "{\"any\":%s}", refused[i], ", which a value of any type does not take; declare the class");
    (void)import_text(f, STRATA_TEXT_LINES, "P", 0, "{\"any\":{\"$$ref\":\"1\"}}", NULL);
    check_lines(f, "{\"$class\":\"P\",\"$key\":1,\"any\":{\"$$ref\":\"1\"}}\n");
    fixture_close(f);
}

/* A record that only names an object is told if none brings that, before it or behind it. */
void test_transfer_misses_what_records_refer_to(void) {
    fixture *f = with("class P { n: int }");
    strata_import_report report = import_text(
        f, STRATA_TEXT_DOCUMENT, NULL, 0,
        "{\"P\":[{\"$ref\":\"P#2\"},{\"n\":1,\"$refId\":\"P#1\"},{\"n\":2,\"$refId\":\"P#2\"},{\"$ref\":\"P#1\"},"
        "{\"$ref\":\"P#3\"},{\"$ref\":\"P#4\"}]}", NULL);
    CHECK(report.created == 2 && report.missing == 2 && report.records == 2);
    CHECK_TEXT(report.first_missing, "P \"P#3\"");
    static const char *const refused[] = { "\"\"", "null", "5", "[]", "{\"$ref\":\"P#1\"}" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        must_refuse(f, "{\"$ref\":%s}", refused[i], "\"$ref\" names no object");
    fixture_close(f);
}

/* A link leads there in each form, also by a key that looks like JSON. */
void test_transfer_links_by_odd_keys(void) {
    static const char lines[] = "{\"$class\":\"T\",\"id\":\"{a}\",\"next\":\"\\\"b\\\"\"}\n"
                                "{\"$class\":\"T\",\"id\":\"\\\"b\\\"\",\"next\":\"{\\\"$key\\\":1}\"}\n"
                                "{\"$class\":\"T\",\"id\":\"{\\\"$key\\\":1}\",\"next\":\"\"}\n"
                                "{\"$class\":\"T\",\"id\":\"\",\"next\":\"{a}\"}\n";
    const strata_text_format formats[] = { STRATA_TEXT_LINES, STRATA_TEXT_CSV, STRATA_TEXT_PLAIN };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        fixture *f = with("class T { id: string primary; next: T? }");
        uint32_t table = 0;
        import_text(f, STRATA_TEXT_LINES, NULL, 0, lines, NULL);
        text out = export_tables(f, formats[i], STRATA_EXPORT_HEADER, &table, 1);
        fixture_close(f);
        f = with("class T { id: string primary; next: T? }");
        CHECK_EQ(import_text(f, formats[i], "T", 0, out.data, NULL).created, 4);
        check_lines(f, lines);
        free(out.data);
        fixture_close(f);
    }
}

/* A line of names may be of any length. */
void test_transfer_many_fields(void) {
    enum { MANY = 300000 };
    fixture *f = with("class T { a: int?; b: int? }");
    char *line = malloc(MANY + 10);
    memset(line, ',', MANY);
    memcpy(line, "a,", 2);
    memcpy(line + MANY, "b\n", 3);
    CHECK_EQ(import_text(f, STRATA_TEXT_CSV, "T", 0, line, NULL).created, 0);
    strata_import_options options = strata_import_options_blank();
    strata_import *import = NULL;
    options.table = "T";
    options.format = STRATA_TEXT_CSV;
    static const char *const twice[] = { "a,b,a\n", "$key,a,$key\n" };
    for (size_t i = 0; i < 2; i++) {
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_import_open(f->view, &options, &import, &f->error));
        REFUSED(strata_import_feed(import, twice[i], strlen(twice[i]), &f->error), STRATA_TYPE, "two fields are called '");
        strata_import_close(import);
        strata_view_cancel(f->view);
    }
    free(line);
    fixture_close(f);
}

/* Quotes inside of a field that began without one are signs like others, and do not join lines. */
void test_transfer_quotes_in_fields(void) {
    fixture *f = with("class P { id: int primary; a: string; b: string? }");
    strata_import_report report = import_text(f, STRATA_TEXT_CSV, "P", 0,
                                              "id,a,b\n1,5\" pipe,x\n2,\"a\"\"\nb\",y\n3,\"\"\"\",\n4,\"\",\"a,\nb\"\n5,x\"\"y,\"z\"\n",
                                              NULL);
    CHECK_EQ(report.created, 5);
    check_lines(f, "{\"$class\":\"P\",\"id\":1,\"a\":\"5\\\" pipe\",\"b\":\"x\"}\n"
                   "{\"$class\":\"P\",\"id\":2,\"a\":\"a\\\"\\nb\",\"b\":\"y\"}\n"
                   "{\"$class\":\"P\",\"id\":3,\"a\":\"\\\"\",\"b\":null}\n"
                   "{\"$class\":\"P\",\"id\":4,\"a\":\"\",\"b\":\"a,\\nb\"}\n"
                   "{\"$class\":\"P\",\"id\":5,\"a\":\"x\\\"\\\"y\",\"b\":\"z\"}\n");
    fixture_close(f);
}

/* Whether a line is blank does not depend on how the text comes, and a zero is no space. */
void test_transfer_blank_lines(void) {
    static const char lines[] = "{\"id\":1}\n   \n \t \r\n\r\n{\"id\":2}\n  ";
    for (uint64_t seed = 0; seed < 20; seed++) {
        char file[24];
        snprintf(file, sizeof file, "blank-%llu", (unsigned long long)seed);
        fixture *f = fixture_open(file);
        declare(f, "class P { id: int primary }");
        strata_import_options options = strata_import_options_blank();
        options.table = "P";
        strata_import_report report = import_pieces(f, options, (strata_bytes){ lines, strlen(lines) }, seed);
        CHECK(report.records == 2 && report.created == 2);
        refusals told = { "", { 0 }, 0 };
        options.refused = refused_record;
        options.context = &told;
        report = import_pieces(f, options, (strata_bytes){ "\0\n \0", 4 }, seed);
        CHECK_EQ(report.refused, 2);
        fixture_close(f);
    }
}

/* Lines that look empty are records if an export writes them: fields that are all empty, or one field alone. */
void test_transfer_empty_fields(void) {
    static const struct { strata_text_format format; const char *text; uint64_t created; } texts[] = {
        { STRATA_TEXT_PLAIN, "\na\tb\n\t\nx\ty\n\n  \n \t ", 3 }, { STRATA_TEXT_PLAIN, "a\n\n\\N\n  \n", 3 },
        { STRATA_TEXT_CSV, "a,b\n,\n\n \n\r\n , ", 2 },     { STRATA_TEXT_CSV, "\na\n\n\"\"\n  \n\r\n", 4 } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            fixture *f = with("class T { a: string?; b: string? }");
            strata_import_options options = strata_import_options_blank();
            strata_bytes given = { texts[i].text, strlen(texts[i].text) };
            options.table = "T";
            options.format = texts[i].format;
            CHECK_EQ(import_pieces(f, options, given, seed).created, texts[i].created);
            const uint32_t table = 0;
            text out = export_tables(f, texts[i].format, STRATA_EXPORT_HEADER, &table, 1);
            given = (strata_bytes){ out.data, out.size };
            fixture_close(f);
            f = with("class T { a: string?; b: string? }");
            CHECK_EQ(import_pieces(f, options, given, seed).created, texts[i].created);
            text back = export_tables(f, texts[i].format, STRATA_EXPORT_HEADER, &table, 1);
            CHECK_TEXT(back.data, out.data);
            free(out.data);
            free(back.data);
            fixture_close(f);
        }
    }
}

/* An import that goes on after the schema was changed would write into columns that are others by now. */
void test_transfer_notices_another_schema(void) {
    fixture *f = with("class P { id: int primary }");
    strata_import_options options = strata_import_options_blank();
    strata_import *import = NULL;
    options.table = "P";
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_import_open(f->view, &options, &import, &f->error));
    MUST(strata_import_feed(import, "{\"id\":1}\n", 9, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    declare(f, "class P { id: int primary }\nclass Q { a: int }");
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_import_feed(import, "{\"id\":2}\n", 9, &f->error), STRATA_SCHEMA_MISMATCH, "changed the schema");
    strata_import_close(import);
    strata_view_cancel(f->view);
    CHECK_EQ(table_size(f, 0), 1);
    fixture_close(f);
}

/* ---- Everything, there and back --------------------------------------- */

static const char world[] =
    "class K { n: int; k: K? }\n"
    "class P { id: string primary; b: bool?; i: int?; f: float?; d: double?; s: string?; x: data?; t: date?; u: uuid?\n"
    "o: objectId?; m: decimal?; any: any; p: P?; k: K?; e: E?; li: list<int?>; ld: list<double>; ls: list<string?>\n"
    "sa: set<any>; sd: set<decimal>; ms: map<string?>; ma: map<any>; lp: list<P>; sk: set<K>; mp: map<P?>; le: list<E>\n"
    "me: map<E?>; la: list<any> }\n"
    "embedded E { n: int; e: E?; p: P? }";
enum { K = 0, P = 1, E = 2 };

#define MUST_IN(fixture, call) must(fixture, (call), __FILE__, __LINE__, #call)

typedef struct world_maker {
    fixture *f;
    uint64_t seed, people, keyless;
    char bytes[64];
    strata_nested *nested;
} world_maker;

static uint64_t below(world_maker *w, uint64_t limit) {
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (w->seed >> 33) % limit;
}

static double any_double(world_maker *w) {
    static const double odd[] = { 0.0, -0.0, 0.1, 1e300, -1e-300, 3.0, 123456789.123456789, -978307200.5, 1e15 + 0.5 };
    uint64_t pick = below(w, 14);
    if (pick == 9) return (double)NAN;
    if (pick == 10) return -(double)INFINITY;
    if (pick >= 11) return (double)(int64_t)below(w, 1u << 30) / 1024.0 * (pick == 12 ? -1 : 1);
    return odd[pick];
}

/* Bytes of a string, or of data. */
static strata_value any_bytes(world_maker *w, strata_type type) {
    static const char *const pieces[] = { "a", "\"", "\\", "\n", "\t", ",", "\xC3\xB6", "\xF0\x9F\x98\x80", "\x01", "$", "'",
                                          "\x7F", "/", " " };
    size_t size = 0;
    for (uint64_t i = below(w, 8); i > 0; i--) {
        const char *piece = pieces[below(w, sizeof pieces / sizeof *pieces)];
        memcpy(w->bytes + size, piece, strlen(piece));
        size += strlen(piece);
    }
    if (type == STRATA_STRING) return strata_string(w->bytes, size);
    for (size_t i = 0; i < size; i++) w->bytes[i] = (char)below(w, 256);
    return strata_data(w->bytes, size);
}

static strata_value any_value(world_maker *w, strata_type type) {
    strata_value v = strata_null();
    v.type = type;
    switch (type) {
    case STRATA_BOOL: v.as.boolean = below(w, 2) != 0; break;
    case STRATA_INT: return strata_int(below(w, 4) == 0 ? INT64_MIN + (int64_t)below(w, 2) : (int64_t)below(w, 1000) - 500);
    case STRATA_FLOAT: v.as.single = (float)any_double(w); break;
    case STRATA_DOUBLE: case STRATA_DATE: v.as.real = any_double(w); break;
    case STRATA_UUID: case STRATA_OBJECT_ID:
        for (int i = 0; i < (type == STRATA_UUID ? 16 : 12); i++) v.as.fixed[i] = (uint8_t)below(w, 256);
        break;
    case STRATA_DECIMAL: return strata_decimal_value(strata_decimal_from_double(any_double(w)));
    default: return any_bytes(w, type);
    }
    return v;
}

static strata_value any_mixed(world_maker *w, unsigned depth);

static strata_value any_list_or_map(world_maker *w) {
    static const char *const keys[] = { "a", "$date", "$$x", "\xC3\xB6 \"", "" };
    strata_value out;
    bool map = below(w, 2) != 0;
    strata_nested_reset(w->nested);
    if (map) MUST_IN(w->f, strata_nested_begin_map(w->nested, NULL, &w->f->error));
    else MUST_IN(w->f, strata_nested_begin_list(w->nested, NULL, &w->f->error));
    for (uint64_t i = below(w, 4); i > 0; i--) {
        strata_value value = any_mixed(w, 1);
        const char *key = keys[below(w, 5)];
        if (map) MUST_IN(w->f, strata_nested_put(w->nested, (strata_bytes){ key, strlen(key) }, &value, &w->f->error));
        else MUST_IN(w->f, strata_nested_append(w->nested, &value, &w->f->error));
    }
    MUST_IN(w->f, strata_nested_end(w->nested, &w->f->error));
    MUST_IN(w->f, strata_nested_finish(w->nested, &out, &w->f->error));
    return out;
}

static strata_value any_mixed(world_maker *w, unsigned depth) {
    uint64_t pick = below(w, depth == 0 ? 14 : 13);
    if (pick == 0 || pick == STRATA_MIXED) return strata_null();
    if (pick == 12) return below(w, 2) == 0 ? strata_mixed_link(K, 1 + below(w, w->keyless))
                                            : strata_mixed_link(P, 1 + below(w, w->people));
    return pick == 13 ? any_list_or_map(w) : any_value(w, (strata_type)pick);
}

static void fill_object(world_maker *w, uint32_t table, uint64_t key, unsigned depth);

static strata_value any_link(world_maker *w, uint32_t target, unsigned depth) {
    uint64_t key;
    if (target == P) return strata_link(1 + below(w, w->people));
    if (target == K) return strata_link(1 + below(w, w->keyless));
    MUST_IN(w->f, strata_object_create(w->f->view, E, NULL, 0, &key, &w->f->error));
    fill_object(w, E, key, depth + 1);
    return strata_link(key);
}

static strata_value any_of_column(world_maker *w, const strata_column_info *column, unsigned depth) {
    bool null = (column->flags & STRATA_COLUMN_NULLABLE) != 0 &&
                (column->type != STRATA_LINK || column->collection == STRATA_SINGLE || column->collection == STRATA_MAP);
    if (column->type == STRATA_MIXED) return any_mixed(w, column->collection == STRATA_SET);
    if (null && below(w, 3) == 0) return strata_null();
    return column->type == STRATA_LINK ? any_link(w, column->target, depth) : any_value(w, column->type);
}

static void add_element(world_maker *w, strata_row *row, uint32_t c, const strata_column_info *column, unsigned depth) {
    static const char *const keys[] = { "one", "$two", "", "thr\"ee", "\xC3\xB6" };
    strata_value value = any_of_column(w, column, depth);
    uint64_t size;
    if (column->collection == STRATA_SET) {
        MUST_IN(w->f, strata_set_insert(row, c, &value, NULL, NULL, &w->f->error));
    } else if (column->collection == STRATA_MAP) {
        const char *key = keys[below(w, 5)];
        strata_bytes bytes = { key, strlen(key) };
        uint64_t position;
        if (column->target == E && strata_map_find(row, c, bytes, &position, &w->f->error) == STRATA_OK) {
            if (value.type == STRATA_LINK) MUST_IN(w->f, strata_object_remove(w->f->view, E, value.as.link, &w->f->error));
            return;
        }
        MUST_IN(w->f, strata_map_set(row, c, bytes, &value, &w->f->error));
    } else {
        MUST_IN(w->f, strata_collection_size(row, c, &size, &w->f->error));
        MUST_IN(w->f, strata_list_insert(row, c, size, &value, 1, &w->f->error));
    }
}

static void fill_object(world_maker *w, uint32_t table, uint64_t key, unsigned depth) {
    strata_table_info info;
    MUST_IN(w->f, strata_table_get(w->f->view, table, &info));
    for (uint32_t c = 0; c < info.column_count; c++) {
        strata_column_info column;
        strata_row row;
        MUST_IN(w->f, strata_column_get(w->f->view, table, c, &column));
        MUST_IN(w->f, strata_row_bind(w->f->view, table, key, &row, &w->f->error));
        if (c == info.primary || (depth > 3 && column.target == E)) continue;
        if (column.collection == STRATA_SINGLE) {
            strata_value value = any_of_column(w, &column, depth);
            MUST_IN(w->f, strata_row_ready(&row));
            MUST_IN(w->f, strata_row_set(&row, c, &value, &w->f->error));
        }
        for (uint64_t i = column.collection == STRATA_SINGLE ? 0 : below(w, 4); i > 0; i--)
            add_element(w, &row, c, &column, depth);
    }
}

static fixture *any_world(uint64_t seed) {
    fixture *f = with(world);
    world_maker w = { f, seed, 6, 4, "", strata_nested_make() };
    uint64_t key;
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t i = 0; i < w.people; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", (int)i);
        if (i == 3) name[0] = 0;
        strata_value primary = strata_string(name, strlen(name));
        MUST(strata_object_create(f->view, P, &primary, 1, &key, &f->error));
    }
    for (uint64_t i = 0; i < w.keyless; i++) MUST(strata_object_create(f->view, K, NULL, 0, &key, &f->error));
    for (uint64_t i = 1; i <= w.people; i++) fill_object(&w, P, i, 0);
    /* Links that lead forward would change the order of objects. */
    for (w.keyless = 1; w.keyless <= 4; w.keyless++) fill_object(&w, K, w.keyless, 0);
    strata_nested_free(w.nested);
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    return f;
}

/* Objects that are named first, so that links do not change the order of the others. */
static void name_first(fixture *f) {
    static const char names[] = "{\"id\":\"p0\"}\n{\"id\":\"p1\"}\n{\"id\":\"p2\"}\n{\"id\":\"\"}\n{\"id\":\"p4\"}\n"
                                "{\"id\":\"p5\"}\n";
    (void)import_text(f, STRATA_TEXT_LINES, "P", 0, names, NULL);
}

/* Whatever there is, goes out and comes in again the same, in every form. */
void test_transfer_random(void) {
    uint64_t rounds = 60;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        fixture *f = any_world(seed);
        static const strata_text_format forms[] = { STRATA_TEXT_LINES, STRATA_TEXT_DOCUMENT, STRATA_TEXT_ARRAY };
        strata_text_format format = forms[seed % 3];
        text first = export_all(f, format), lines = export_all(f, STRATA_TEXT_LINES);
        char file[24];
        snprintf(file, sizeof file, "copy-%llu", (unsigned long long)seed);
        fixture *g = fixture_open(file);
        declare(g, world);
        name_first(g);
        strata_import_options options = strata_import_options_blank();
        options.format = format;
        options.flags = STRATA_IMPORT_UPDATE;
        strata_import_report report = import_pieces(g, options, (strata_bytes){ first.data, first.size }, seed);
        CHECK(report.refused == 0 && report.missing == 0);
        text second = export_all(g, STRATA_TEXT_LINES);
        if (strcmp(lines.data, second.data) != 0) fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
        CHECK_TEXT(second.data, lines.data);
        uint32_t people = P;
        for (strata_text_format columns = STRATA_TEXT_CSV; columns <= STRATA_TEXT_PLAIN; columns++) {
            text table = export_tables(g, columns, STRATA_EXPORT_HEADER, &people, 1);
            options.format = columns;
            options.table = "P";
            options.flags = STRATA_IMPORT_UPDATE | STRATA_IMPORT_KEYS;
            report = import_pieces(g, options, (strata_bytes){ table.data, table.size }, seed);
            CHECK_EQ(report.refused, 0);
            text again = export_all(g, STRATA_TEXT_LINES);
            CHECK_TEXT(again.data, lines.data);
            free(table.data);
            free(again.data);
        }
        free(first.data);
        free(lines.data);
        free(second.data);
        fixture_close(g);
        fixture_close(f);
    }
}

/* ---- Guessing --------------------------------------------------------- */

static bool pass_over(void *context, uint64_t line, strata_bytes record, const strata_error *reason) {
    (void)context, (void)line, (void)record, (void)reason;
    return true;
}

static void check_guess(strata_text_format format, const char *table, const char *primary, const char *from,
                        const char *expected) {
    fixture *f = fixture_open_memory();
    strata_import_options options = strata_import_options_blank();
    strata_guess *guess = NULL;
    strata_declaration *d = NULL;
    char printed[2000];
    options.format = format;
    options.table = table;
    options.refused = pass_over;
    MUST(strata_guess_open(&options, &guess, &f->error));
    MUST(strata_guess_feed(guess, from, strlen(from), &f->error));
    MUST(strata_guess_finish(guess, primary, &d, &f->error));
    strata_declaration_print(d, printed, sizeof printed);
    CHECK_TEXT(printed, expected);
    strata_guess_close(guess);
    strata_declaration_free(d);
    fixture_close(f);
}

void test_transfer_guesses(void) {
    check_guess(STRATA_TEXT_CSV, "P", "id",
                "id,name,plz,score,born,empty,flag,u\n"
                "1,x,01234,1,2020-01-02,,true,123e4567-e89b-12d3-a456-426614174000\n2,,9,1.5,2020-01-02T10:00:00Z,,false,\n",
                "version 0\n\nclass P {\n    id: int primary\n    name: string?\n    plz: string\n    score: double\n"
                "    born: date\n    empty: string?\n    flag: bool\n    u: uuid?\n}\n");
    check_guess(STRATA_TEXT_LINES, "P", NULL,
                "{\"a\":1,\"b\":[1,2],\"c\":{\"x\":1},\"d\":\"x\"}\nnonsense\n{\"a\":2.5,\"b\":[],\"c\":null,\"d\":true,"
                "\"e\":[\"x\",null]}\n{\"$class\":\"Q\",\"$key\":4,\"o\":\"0123456789abcdef01234567\"}",
                "version 0\n\nclass P {\n    a: double\n    b: list<int>\n    c: any\n    d: any\n    e: list<string?>\n}\n"
                "\nclass Q {\n    o: objectId\n}\n");
    check_guess(STRATA_TEXT_LINES, "P", NULL, "{\"$schema\":\"version 4\\nclass Z { a: int }\"}\n{\"x\":1}",
                "version 4\n\nclass Z {\n    a: int\n}\n");
    check_guess(STRATA_TEXT_LINES, "P", NULL,
                "{\"a\":{\"$numberDecimal\":\"1.50\"},\"b\":{\"$data\":\"AAEC\"},\"c\":{\"$oid\":\"0123456789abcdef01234567\"},"
                "\"d\":{\"$float\":1.5},\"e\":{\"x\":1,\"y\":2},\"f\":{\"x\":1,\"y\":null},\"g\":{\"x\":1,\"y\":\"z\"},\"h\":{},"
                "\"i\":[{\"x\":1}],\"j\":{\"$numberLong\":\"7\"}}",
                "version 0\n\nclass P {\n    a: decimal\n    b: data\n    c: objectId\n    d: float\n    e: map<int>\n"
                "    f: map<int?>\n    g: any\n    h: any\n    i: list<any>\n    j: int\n}\n");
    fixture *f = fixture_open_memory();
    strata_import_options options = strata_import_options_blank();
    strata_guess *guess = NULL;
    strata_declaration *d;
    REFUSED(strata_guess_open(NULL, &guess, &f->error), STRATA_MISUSE, "strata_import_options_blank()");
    options.table = "P";
    MUST(strata_guess_open(&options, &guess, &f->error));
    MUST(strata_guess_feed(guess, "{\"a\":1.5}\n", 10, &f->error));
    REFUSED(strata_guess_finish(guess, "b", &d, &f->error), STRATA_NOT_FOUND, "no record of P has a property 'b'");
    REFUSED(strata_guess_finish(guess, "aa", &d, &f->error), STRATA_NOT_FOUND, "did you mean 'a'?");
    REFUSED(strata_guess_finish(guess, "a", &d, &f->error), STRATA_TYPE, "'a' cannot be the primary key");
    strata_guess_close(guess);
    fixture_close(f);
}

/* Guessed types keep what there is: digits, links, and classes of which there is no object yet. */
void test_transfer_guesses_lose_nothing(void) {
    check_guess(STRATA_TEXT_CSV, "P", NULL, "id,name\n", "version 0\n\nclass P {\n    id: string\n    name: string\n}\n");
    check_guess(STRATA_TEXT_LINES, "P", NULL,
                "{\"a\":9007199254740993,\"b\":9007199254740993,\"c\":12345678901234567890,\"d\":0.12345678901234568}\n"
                "{\"a\":0.5,\"b\":1,\"c\":1,\"d\":2.50000000000000000000}",
                "version 0\n\nclass P {\n    a: decimal\n    b: int\n    c: decimal\n    d: double\n}\n");
    check_guess(STRATA_TEXT_LINES, "P", NULL,
                "{\"a\":0.12345678901234567,\"b\":9007199254740993.0,\"c\":1e400,\"d\":9007199254740992.0,"
                "\"e\":0.0,\"f\":1e-400}",
                "version 0\n\nclass P {\n    a: decimal\n    b: decimal\n    c: decimal\n    d: double\n    e: double\n"
                "    f: decimal\n}\n");
    check_guess(STRATA_TEXT_CSV, "P", NULL, "a,b\n18446744073709551615,1\n1,9007199254740993\n",
                "version 0\n\nclass P {\n    a: decimal\n    b: int\n}\n");
    check_guess(STRATA_TEXT_CSV, "P", NULL, "a,b\n1234567890123456789012345678901234567890,1234567890123456789012345678901234\n5,5\n",
                "version 0\n\nclass P {\n    a: string\n    b: decimal\n}\n");
    check_guess(STRATA_TEXT_LINES, "P", NULL, "\xEF\xBB\xBF{\"a\":1}", "version 0\n\nclass P {\n    a: int\n}\n");
    fixture *f = fixture_open_memory();
    strata_import_options options = strata_import_options_blank();
    strata_guess *guess = NULL;
    strata_declaration *d = NULL;
    options.table = "P";
    MUST(strata_guess_open(&options, &guess, &f->error));
    static const char text[] = "{\"next\":{\"$key\":2}}\n";
    MUST(strata_guess_feed(guess, text, sizeof text - 1, &f->error));
    REFUSED(strata_guess_finish(guess, NULL, &d, &f->error), STRATA_TYPE, "'next' of P links to objects by their keys");
    MUST(strata_guess_leave_out(guess, "P", &f->error));
    MUST(strata_guess_finish(guess, "nothing", &d, &f->error));
    strata_declaration_free(d);
    strata_guess_close(guess);
    fixture_close(f);
}

static void check_no_guess(strata_text_format format, const char *from, const char *reason) {
    fixture *f = fixture_open_memory();
    strata_import_options options = strata_import_options_blank();
    strata_guess *guess = NULL;
    strata_declaration *d = NULL;
    options.format = format;
    options.table = "P";
    MUST(strata_guess_open(&options, &guess, &f->error));
    strata_status status = strata_guess_feed(guess, from, strlen(from), &f->error);
    if (status == STRATA_OK) status = strata_guess_finish(guess, NULL, &d, &f->error);
    REFUSED(status, STRATA_TYPE, reason);
    strata_guess_close(guess);
    options.refused = pass_over;
    MUST(strata_guess_open(&options, &guess, &f->error));
    if (strstr(reason, "two fields") != NULL) {
        REFUSED(strata_guess_feed(guess, from, strlen(from), &f->error), STRATA_TYPE, reason);
    } else {
        MUST(strata_guess_feed(guess, from, strlen(from), &f->error));
        MUST(strata_guess_finish(guess, NULL, &d, &f->error));
    }
    strata_guess_close(guess);
    strata_declaration_free(d);
    fixture_close(f);
}

/* What no import takes, whatever the classes are like, is told before there are any. */
void test_transfer_guesses_refuse(void) {
    check_no_guess(STRATA_TEXT_CSV, "a,b,a\n1,2,3\n", "line 1: two fields are called 'a'");
    check_no_guess(STRATA_TEXT_CSV, "a,,b\n1,,3\n1,2,3\n",
                   "line 3: field 2 holds something, and its column has no name");
    check_no_guess(STRATA_TEXT_PLAIN, "a\tb\n1\n", "line 2: the line has 1 fields, and 2 are named");
    check_no_guess(STRATA_TEXT_CSV, "a,b\n\xFF,1\n", "line 2: the record is not valid UTF-8");
    check_no_guess(STRATA_TEXT_LINES, "{\"a\":1}\n{\"a\":}\n", "line 2: at column 6: expected a value");
    check_no_guess(STRATA_TEXT_LINES, "[1]\n", "line 1: expected an object of JSON");
    check_no_guess(STRATA_TEXT_LINES, "{\"a\":1,\"a\":2}\n", "line 1: P.a: the record has it twice");
    check_no_guess(STRATA_TEXT_LINES, "{\"a\":[1,12345678901234567890123456789012345678901]}\n",
                   "line 1: P.a: \"1234567890123456789012345678901234567890...\" has more digits than a decimal");
    check_no_guess(STRATA_TEXT_LINES, "{\"a\":1}\n{\"a\":2,\"\":1}\n", "line 2: P gets no property '' from a text");
    check_no_guess(STRATA_TEXT_LINES, "{\"$x\":1}\n", "line 1: P gets no property '$x' from a text: the name is empty, or");
    static const char *const references[] = {
        "{\"id\":1,\"a\":null}\n{\"id\":2,\"a\":{\"$ref\":\"1\"}}\n", "{\"id\":1,\"a\":{\"$ref\":\"1\"}}\n",
        "{\"id\":1,\"a\":[{\"$ref\":\"1\"}]}\n", "{\"id\":1,\"a\":{\"b\":[{\"$refId\":\"1\",\"c\":2}]}}\n",
        "{\"id\":1,\"a\":{\"$ref\":\"Gone#0\"}}\n", "{\"id\":1,\"a\":[2,[{\"$ref\":\"Gone#0\"}]]}\n",
        "{\"id\":1,\"a\":{\"$ref\":\"P#0\"}}\n{\"id\":2,\"a\":{\"$ref\":\"R#0\"}}\n{\"$class\":\"R\",\"x\":1}\n" };
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        check_no_guess(STRATA_TEXT_LINES, references[i], "'a' of P has references (\"$ref\", \"$refId\"), and the text");
    check_guess(STRATA_TEXT_LINES, "P", NULL, references[0], "version 0\n\nclass P {\n    id: int\n    a: any\n}\n");
    check_guess(STRATA_TEXT_LINES, "P", NULL, references[1], "version 0\n\nclass P {\n    id: int\n    a: any\n}\n");
    /* Fields without a name are passed over, wherever they stand. */
    check_guess(STRATA_TEXT_CSV, "P", NULL, "a,,,b,$class\n1,,,x,P\n",
                "version 0\n\nclass P {\n    a: int\n    b: string\n}\n");
    /* What any links to by a primary key has one. */
    check_guess(STRATA_TEXT_LINES, "P", NULL,
                "{\"e\":{\"$link\":[\"E\",1]}}\n{\"e\":2}\n{\"$class\":\"E\",\"id\":1}\n{\"$class\":\"E\",\"id\":2}",
                "version 0\n\nclass P {\n    e: any\n}\n\nclass E {\n    id: int primary\n}\n");
    static const char unkeyed[] = "{\"e\":{\"$link\":[\"E\",1]}}\n{\"$class\":\"E\",\"no\":1}\n";
    check_guess(STRATA_TEXT_LINES, "P", NULL, unkeyed,
                "version 0\n\nclass P {\n    e: any\n}\n\nclass E {\n    no: int\n}\n");
    fixture *f = fixture_open_memory();
    strata_import_options options = strata_import_options_blank();
    strata_guess *guess = NULL;
    strata_declaration *d = NULL;
    options.table = "P";
    MUST(strata_guess_open(&options, &guess, &f->error));
    MUST(strata_guess_feed(guess, unkeyed, sizeof unkeyed - 1, &f->error));
    REFUSED(strata_guess_finish(guess, NULL, &d, &f->error), STRATA_NOT_FOUND, "link to objects of E by a primary key");
    MUST(strata_guess_leave_out(guess, "P", &f->error));
    MUST(strata_guess_finish(guess, "no", &d, &f->error));
    strata_declaration_free(d);
    strata_guess_close(guess);
    fixture_close(f);
}

static void check_guess_beside(const char *known, const char *from, const char *expected) {
    fixture *f = fixture_open_memory();
    strata_import_options options = strata_import_options_blank();
    strata_guess *guess = NULL;
    strata_declaration *d = NULL;
    char printed[2000];
    MUST(strata_guess_open(&options, &guess, &f->error));
    MUST(strata_guess_leave_out(guess, known, &f->error));
    MUST(strata_guess_feed(guess, from, strlen(from), &f->error));
    MUST(strata_guess_finish(guess, NULL, &d, &f->error));
    strata_declaration_print(d, printed, sizeof printed);
    CHECK_TEXT(printed, expected);
    strata_guess_close(guess);
    strata_declaration_free(d);
    fixture_close(f);
}

/* Of a class that is there nothing is guessed, also if it could not be; others may link to it. */
void test_transfer_guesses_leave_out_what_is_there(void) {
    check_guess_beside("A", "{\"$class\":\"B\",\"$key\":1,\"m\":\"x\"}\n{\"$class\":\"A\",\"o\":{\"$key\":1}}",
                       "version 0\n\nclass B {\n    m: string\n}\n");
    check_guess_beside("A", "{\"$class\":\"A\",\"n\":1,\"$key\":1}\n{\"$class\":\"B\",\"a\":{\"$ref\":\"A#1\"}}",
                       "version 0\n\nclass B {\n    a: A?\n}\n");
    check_guess_beside("A", "{\"$schema\":\"version 4\\nclass A { b: B }\\nclass B { a: A }\"}",
                       "version 4\n\nclass B {\n    a: A?\n}\n");
    check_guess_beside("A", "{\"$class\":\"A\",\"n\":1}", "version 0\n");
}

/* Where links lead is told by references, and else by the properties of the objects inside of others. */
void test_transfer_guesses_links(void) {
    static const char studio[] =
        "{\"Person\":[{\"name\":\"Jane\",\"born\":\"2001-02-03T04:05:06.000Z\",\"height\":1.8,\"home\":{\"street\":\"High\","
        "\"at\":{\"x\":1,\"y\":2},\"$refId\":\"Address#1\"},\"dogs\":[{\"_id\":7,\"name\":\"Rex\",\"owner\":{\"$ref\":\"Person#0\"},"
        "\"tags\":[\"a\"]}],\"best\":null,\"pet\":{\"_id\":7,\"name\":\"Rex\",\"owner\":{\"$ref\":\"Person#0\"},\"tags\":[\"a\"]},"
        "\"$refId\":\"Person#0\"},"
        "{\"name\":\"Joe\",\"born\":\"2001-02-03T04:05:06.000Z\",\"height\":2,\"home\":null,\"dogs\":[],\"best\":{\"$ref\":\"Person#0\"},"
        "\"pet\":null,\"$refId\":\"Person#1\"},{\"$ref\":\"Person#0\"}],"
        "\"Dog\":[{\"_id\":7,\"name\":\"Rex\",\"owner\":{\"$ref\":\"Person#0\"},\"tags\":[\"a\"]},"
        "{\"_id\":8,\"name\":\"Max\",\"owner\":null,\"tags\":[]}]}";
    static const char classes[] =
        "version 0\n\nclass Person {\n    name: string\n    born: date\n    height: double\n    home: Address?\n"
        "    dogs: list<Dog>\n    best: Person?\n    pet: Dog?\n}\n\n"
        "embedded Address {\n    street: string\n    at: map<int>\n}\n\n"
        "class Dog {\n    _id: int primary\n    name: string\n    owner: Person?\n    tags: list<string>\n}\n";
    check_guess(STRATA_TEXT_DOCUMENT, NULL, NULL, studio, classes);
    fixture *f = with(classes); /* and what was guessed takes the text */
    strata_import_report report = import_text(f, STRATA_TEXT_DOCUMENT, NULL, 0, studio, NULL);
    CHECK(report.created == 4 && report.refused == 0 && report.missing == 0);
    CHECK(table_size(f, 0) == 2 && table_size(f, 1) == 1 && table_size(f, 2) == 2);
    fixture_close(f);
    /* Without a key the objects inside could not be told from those outside, and so it is if two classes are alike. */
    check_guess(STRATA_TEXT_DOCUMENT, NULL, NULL,
                "{\"A\":[{\"b\":{\"id\":1}},{\"b\":null}],\"B\":[{\"id\":1},{\"id\":1}]}",
                "version 0\n\nclass A {\n    b: any\n}\n\nclass B {\n    id: int\n}\n");
    check_guess(STRATA_TEXT_DOCUMENT, NULL, NULL,
                "{\"A\":[{\"b\":{\"id\":1,\"s\":\"\"}}],\"B\":[{\"id\":1,\"s\":\"\"}],\"C\":[{\"s\":\"\",\"id\":1}]}",
                "version 0\n\nclass A {\n    b: any\n}\n\nclass B {\n    id: int\n    s: string\n}\n\n"
                "class C {\n    s: string\n    id: int\n}\n");
    /* Several classes are none, and neither is one that the text does not bring. */
    check_guess(STRATA_TEXT_DOCUMENT, NULL, NULL,
                "{\"A\":[{\"b\":{\"$ref\":\"B#1\"},\"c\":{\"$ref\":\"B#1\"},\"d\":{\"$ref\":\"Gone#1\"},\"e\":[{\"$ref\":\"B#1\"}],"
                "\"f\":{\"x\":{\"$ref\":\"B#1\"}}},{\"b\":{\"$ref\":\"A#1\"},\"c\":null,\"d\":null,\"e\":[],\"f\":{},"
                "\"$refId\":\"A#1\"}],\"B\":[{\"x\":true,\"$refId\":\"B#1\"}]}",
                "version 0\n\nclass A {\n    b: any\n    c: B?\n    d: any\n    e: list<B>\n    f: map<B?>\n}\n\n"
                "class B {\n    x: bool\n}\n");
}

/* What is remembered of values that may be keys has a bound, however many records there are; a class with more of them
 * has no key. */
void test_transfer_guesses_with_few_keys(void) {
    static const size_t counts[] = { 3, ST_GUESSED_KEYS, ST_GUESSED_KEYS + 7 };
    for (size_t i = 0; i < 3; i++) {
        st_guessed guessed = { 0 };
        strata_declaration *declaration;
        strata_error error;
        st_guessed_table *a = st_guessed_table_of(&guessed, (strata_bytes){ "A", 1 });
        st_guessed_table *b = st_guessed_table_of(&guessed, (strata_bytes){ "B", 1 });
        st_guessed_column *id = st_guessed_column_of(&guessed, b, (strata_bytes){ "id", 2 });
        id->values.seen = ST_SEEN_INT;
        for (uint64_t n = 0; n < counts[i]; n++) CHECK(st_guessed_note_key(id, (strata_bytes){ &n, sizeof n }));
        CHECK(id->hash_count <= ST_GUESSED_KEYS && id->hash_capacity <= ST_GUESSED_KEYS);
        b->records = b->outer = id->count = counts[i];
        st_guessed_column *link = st_guessed_column_of(&guessed, a, (strata_bytes){ "b", 1 });
        a->records = a->outer = link->count = 1;
        link->values.seen = ST_SEEN_OBJECT;
        st_guessed_table *shape = st_guessed_shape_of(&guessed, &link->values);
        CHECK(st_guessed_column_of(&guessed, shape, (strata_bytes){ "id", 2 }) != NULL);
        CHECK_EQ(st_guessed_declare(&guessed, true, NULL, &declaration, &error), STRATA_OK);
        char printed[200];
        strata_declaration_print(declaration, printed, sizeof printed);
        CHECK((strstr(printed, "b: B?") != NULL) == (counts[i] <= ST_GUESSED_KEYS));
        CHECK((strstr(printed, "id: int primary") != NULL) == (counts[i] <= ST_GUESSED_KEYS));
        strata_declaration_free(declaration);
        st_guessed_free(&guessed);
    }
}

/* What JSON makes of a byte of a string. */
static size_t escaped_byte(uint8_t byte, char out[7]) {
    for (const char *form = "\nn\rr\tt\"\"\\\\"; *form != 0; form += 2)
        if (byte == (uint8_t)*form) return (size_t)snprintf(out, 7, "\\%c", form[1]);
    if (byte < 0x20 || byte == 0x7F) return (size_t)snprintf(out, 7, "\\u%04x", byte);
    return (size_t)snprintf(out, 7, "%c", byte);
}

/* Each byte of ASCII at each place of strings around the length of a word, beside others that have to be escaped and
 * beside those that only just need not. */
void test_transfer_escapes(void) {
    static const char others[] = { 'x', '~', ' ', '!', '#', '[', 0x1F, '"', '\\', 0x7F, 0 };
    fixture *f = with("class A { s: string }");
    enum { LONGEST = 44 };
    char expected[128 * (6 * LONGEST + 16)] = "[", *end = expected + 1;
    for (size_t size = 1; size <= LONGEST; size++) {
        for (size_t at = 0; at < size; at++) {
            MUST(strata_view_begin(f->view, &f->error));
            for (unsigned byte = 0; byte < 0x80; byte++) {
                char string[LONGEST];
                uint64_t key;
                memset(string, others[(size + byte) % sizeof others], size);
                string[at] = (char)byte;
                end += sprintf(end, "%s{\"s\":\"", byte == 0 ? "" : ",");
                for (size_t i = 0; i < size; i++) end += escaped_byte((uint8_t)string[i], end);
                end += sprintf(end, "\"}");
                strata_value value = strata_string(string, size);
                MUST(strata_object_create(f->view, 0, &value, 1, &key, &f->error));
            }
            sprintf(end, "]");
            uint32_t table = 0;
            text out = export_tables(f, STRATA_TEXT_ARRAY, 0, &table, 1);
            CHECK_TEXT(out.data, expected);
            free(out.data);
            strata_view_cancel(f->view);
            end = expected + 1;
        }
    }
    fixture_close(f);
}

/* A preview has the beginning of what is long. */
void test_transfer_previews(void) {
    fixture *f = with("class P { id: int primary; s: string; x: data; l: list<int>; m: map<int>; any: any; k: list<K> }\n"
                      "class K { id: string primary }");
    (void)import_text(f, STRATA_TEXT_LINES, "P", 0,
                      "{\"id\":1,\"k\":[{\"id\":\"0123456789abcdef\"},{\"id\":\"0123456789abcdefg\"}],\"s\":\"0123456789abcde\xC3\xB6 and so on\",\"x\":\"AAECAwQFBgcICQoLDA0ODxAREg==\",\"l\":[1,2,3],"
                      "\"m\":{\"a\":1,\"b\":2,\"c\":3},\"any\":[1,2,{\"x\":\"0123456789abcdefgh\"}]}\n"
                      "{\"id\":2,\"s\":\"0123456789abcdef\",\"x\":\"AAEC\",\"l\":[1,2],\"m\":{},\"any\":\"0123456789abcdefg\"}\n",
                      NULL);
    strata_export_options options = strata_export_options_blank();
    strata_export *to = NULL;
    text out = { NULL, 0 };
    options.preview = 16;
    MUST(strata_export_open(f->view, &options, append, &out, &to, &f->error));
    MUST(strata_export_table(to, 0, &f->error));
    MUST(strata_export_end(to, &f->error));
    CHECK_EQ(strata_export_count(to), 2);
    strata_export_close(to);
    CHECK_TEXT(out.data, /* a link leads there also if the key is too long */
               "{\"id\":1,\"s\":\"0123456789abcde\xE2\x80\xA6\",\"x\":\"AAECAwQFBgcICQoLDA0ODw==\xE2\x80\xA6\","
               "\"l\":[1,2,\"\xE2\x80\xA6\"],\"m\":{\"a\":1,\"b\":2,\"\xE2\x80\xA6\":null},\"any\":[1,2,\"\xE2\x80\xA6\"],"
               "\"k\":[\"0123456789abcdef\",{\"$key\":2}]}\n"
               "{\"id\":2,\"s\":\"0123456789abcdef\",\"x\":\"AAEC\",\"l\":[1,2],\"m\":{},"
               "\"any\":\"0123456789abcdef\xE2\x80\xA6\",\"k\":[]}\n");
    free(out.data);
    fixture_close(f);
}
