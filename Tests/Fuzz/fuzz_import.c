/* SPDX-License-Identifier: MIT
 *
 * fuzz_import.c -- no text makes an import, a guess or the reader of schemas crash, read outside of it, lose memory or
 * take a write along. An import ends well, or is refused with a status for text; each record that it refuses has left
 * nothing. What it brought in can be verified, goes out in every form, and comes in again so that it goes out the same.
 * Text that comes in two pieces gives what it gives in one.
 *
 * The first byte says the format and the flags, the second where the text is cut.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "strata_import.h"
#include "strata_verify.h"

static const char schema[] =
    "class K { n: int; k: K? }\n"
    "class P { id: int primary; s: string?; b: bool; d: double?; t: date?; u: uuid?; m: decimal; x: data; p: P?; k: K?\n"
    "e: E?; l: list<string>; st: set<any>; mp: map<P?>; le: list<E>; any: any }\n"
    "embedded E { n: int; e: E?; p: P? }\n";

typedef struct text {
    char *data;
    size_t size;
} text;

static bool append(void *context, const void *bytes, size_t size) {
    text *to = context;
    to->data = realloc(to->data, to->size + size + 1);
    CHECK(to->data != NULL);
    memcpy(to->data + to->size, bytes, size);
    to->size += size;
    to->data[to->size] = 0;
    return true;
}

static strata_view *open_store(strata_store **store) {
    strata_view *view;
    strata_error error;
    strata_declaration *declaration;
    uint32_t count;
    strata_config config = { .size = sizeof config, .memory_name = "import" };
    CHECK(strata_store_open(&config, store, &error) == STRATA_OK);
    CHECK(strata_view_open(*store, &view, &error) == STRATA_OK);
    CHECK(strata_declaration_parse(schema, strlen(schema), &declaration, &error) == STRATA_OK);
    const strata_table_spec *tables = strata_declaration_tables(declaration, &count);
    CHECK(strata_schema_apply(view, tables, count, 1, &error) == STRATA_OK);
    strata_declaration_free(declaration);
    return view;
}

static text export_all(strata_view *view, strata_text_format format) {
    strata_export_options options = strata_export_options_blank();
    strata_export *to;
    strata_error error;
    text out = { NULL, 0 };
    (void)append(&out, "", 0);
    options.format = format;
    options.flags = STRATA_EXPORT_CLASS | STRATA_EXPORT_KEYS | STRATA_EXPORT_HEADER;
    CHECK(strata_export_open(view, &options, append, &out, &to, &error) == STRATA_OK);
    for (uint32_t table = 0; table < 2; table++) {
        strata_status status = strata_export_table(to, table, &error);
        CHECK(status == STRATA_OK || status == STRATA_TOO_LARGE);
    }
    CHECK(strata_export_end(to, &error) == STRATA_OK);
    strata_export_close(to);
    return out;
}

/* A record may be an empty line, where that is the value of the only field; documents have no such. */
static bool refused(void *context, uint64_t line, strata_bytes record, const strata_error *error) {
    const strata_text_format *format = context;
    CHECK(line >= 1 && strlen(error->message) >= 10);
    CHECK(record.size >= 1 || *format == STRATA_TEXT_CSV || *format == STRATA_TEXT_PLAIN);
    return true;
}

static bool is_for_text(strata_status status) { return status == STRATA_OK || status == STRATA_TYPE; }

static strata_status import_text(strata_view *view, strata_import_options options, const char *from, size_t size,
                                 size_t cut, strata_import_report *report) {
    strata_import *import;
    strata_error error;
    options.refused = refused;
    options.context = &options.format;
    CHECK(strata_view_begin(view, &error) == STRATA_OK);
    CHECK(strata_import_open(view, &options, &import, &error) == STRATA_OK);
    strata_status status = strata_import_feed(import, from, cut, &error);
    if (status == STRATA_OK) status = strata_import_feed(import, from + cut, size - cut, &error);
    if (status == STRATA_OK) status = strata_import_finish(import, report, &error);
    if (!is_for_text(status)) fprintf(stderr, "%s: %s\n", strata_status_name(status), error.message);
    CHECK(is_for_text(status));
    strata_import_close(import);
    CHECK(strata_view_commit(view, &error) == STRATA_OK);
    CHECK(strata_verify(view, NULL, &error) == STRATA_OK);
    return status;
}

static void guess(strata_import_options options, const char *from, size_t size) {
    strata_guess *guess;
    strata_declaration *declaration;
    strata_error error;
    CHECK(strata_guess_open(&options, &guess, &error) == STRATA_OK);
    if (strata_guess_feed(guess, from, size, &error) == STRATA_OK &&
        strata_guess_finish(guess, NULL, &declaration, &error) == STRATA_OK)
        strata_declaration_free(declaration);
    strata_guess_close(guess);
}

/* Text of a schema that is read prints as text that reads as the same. */
static void declare(const char *from, size_t size) {
    strata_declaration *first, *second;
    strata_error error;
    char one[4096], two[4096];
    if (strata_declaration_parse(from, size, &first, &error) != STRATA_OK) return;
    size_t length = strata_declaration_print(first, one, sizeof one);
    if (length < sizeof one) {
        CHECK(strata_declaration_parse(one, length, &second, &error) == STRATA_OK);
        CHECK(strata_declaration_print(second, two, sizeof two) == length && memcmp(one, two, length) == 0);
        strata_declaration_free(second);
    }
    strata_declaration_free(first);
}

static void in_again(strata_view *view, strata_text_format format) {
    strata_import_options options = strata_import_options_blank();
    strata_import_report report;
    text before = export_all(view, STRATA_TEXT_LINES), between = export_all(view, format);
    options.format = format;
    options.flags = STRATA_IMPORT_UPDATE | STRATA_IMPORT_KEYS;
    CHECK(import_text(view, options, between.data, between.size, between.size / 2, &report) == STRATA_OK);
    CHECK(report.refused == 0 && report.missing == 0);
    text after = export_all(view, STRATA_TEXT_LINES);
    CHECK(before.size == after.size && memcmp(before.data, after.data, before.size) == 0);
    free(before.data);
    free(between.data);
    free(after.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    strata_import_options options = strata_import_options_blank();
    strata_store *one, *two;
    strata_import_report first, second;
    if (size < 2) return 0;
    const char *from = (const char *)data + 2;
    size_t length = size - 2, cut = length == 0 ? 0 : data[1] % (length + 1);
    options.format = (strata_text_format)(data[0] & 3);
    options.flags = data[0] >> 2 & 7u;
    options.table = "P";
    strata_view *view = open_store(&one);
    strata_status status = import_text(view, options, from, length, 0, &first);
    text whole = export_all(view, STRATA_TEXT_LINES);
    if (status == STRATA_OK) {
        in_again(view, STRATA_TEXT_LINES);
        in_again(view, STRATA_TEXT_DOCUMENT);
    }
    strata_view_close(view);
    strata_store_close(one);
    view = open_store(&two);
    CHECK(import_text(view, options, from, length, cut, &second) == status);
    text pieces = export_all(view, STRATA_TEXT_LINES);
    CHECK(whole.size == pieces.size && memcmp(whole.data, pieces.data, whole.size) == 0);
    if (status == STRATA_OK) CHECK(first.refused == second.refused && first.created == second.created);
    strata_view_close(view);
    strata_store_close(two);
    free(whole.data);
    free(pieces.data);
    guess(options, from, length);
    options.refused = refused; /* then what does not fit is passed over */
    guess(options, from, length);
    declare(from, length);
    return 0;
}
