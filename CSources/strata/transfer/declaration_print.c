/* SPDX-License-Identifier: MIT
 * declaration_print.c -- a declaration as text. */
#include <stdio.h>

#include "transfer/declaration.h"

/* Where the text goes. What does not fit is only counted. */
typedef struct declaration_text {
    char *buffer;
    size_t size, length;
} declaration_text;

static void put(declaration_text *to, const char *text, size_t size) {
    if (to->length < to->size) {
        size_t room = to->size - to->length;
        memcpy(to->buffer + to->length, text, size < room ? size : room);
    }
    to->length += size;
}

static void put_text(declaration_text *to, const char *text) { put(to, text, strlen(text)); }

static bool is_plain(const char *name) {
    for (const char *c = name; *c != 0; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool digit = *c >= '0' && *c <= '9';
        if (!letter && !(digit && c != name)) return false;
    }
    return name[0] != 0;
}

/* A name in a place where a word of the language may stand, too, is in quotes if it is one. */
static void put_name(declaration_text *to, const char *name) {
    static const char *const words[] = { "list", "set", "map", "index", "version", "class", "embedded" };
    bool plain = is_plain(name) && st_declared_type((strata_bytes){ name, strlen(name) }) == STRATA_NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) plain = plain && strcmp(name, words[i]) != 0;
    if (plain) {
        put_text(to, name);
        return;
    }
    put_text(to, "'");
    for (const char *c = name; *c != 0; c++) {
        if (*c == '\'' || *c == '\\') put_text(to, "\\");
        put(to, c, 1);
    }
    put_text(to, "'");
}

static void put_type(declaration_text *to, const strata_column_spec *column) {
    static const char *const kinds[] = { "", "list<", "set<", "map<" };
    const char *name = st_declared_type_name(column->type);
    put_text(to, kinds[column->collection]);
    if (name != NULL) put_text(to, name);
    else put_name(to, column->target);
    bool always = column->type == STRATA_MIXED;
    bool link = column->type == STRATA_LINK;
    bool null = (column->flags & STRATA_COLUMN_NULLABLE) != 0;
    if (link) null = column->collection == STRATA_SINGLE || column->collection == STRATA_MAP;
    if (null && !always) put_text(to, "?");
    if (column->collection != STRATA_SINGLE) put_text(to, ">");
}

static void put_column(declaration_text *to, const strata_column_spec *column) {
    put_text(to, "    ");
    put_name(to, column->name);
    put_text(to, ": ");
    put_type(to, column);
    if ((column->flags & STRATA_COLUMN_PRIMARY) != 0) put_text(to, " primary");
    else if ((column->flags & STRATA_COLUMN_INDEXED) != 0) put_text(to, " indexed");
    put_text(to, "\n");
}

static void put_index(declaration_text *to, const strata_index_spec *index) {
    put_text(to, "    index(");
    for (uint32_t i = 0; i < index->column_count; i++) {
        if (i > 0) put_text(to, ", ");
        put_name(to, index->columns[i]);
    }
    put_text(to, ")\n");
}

static void put_table(declaration_text *to, const strata_table_spec *table) {
    put_text(to, (table->flags & STRATA_TABLE_EMBEDDED) != 0 ? "\nembedded " : "\nclass ");
    put_name(to, table->name);
    put_text(to, " {\n");
    for (uint32_t i = 0; i < table->column_count; i++) put_column(to, &table->columns[i]);
    for (uint32_t i = 0; i < table->index_count; i++) put_index(to, &table->indexes[i]);
    put_text(to, "}\n");
}

size_t strata_declaration_print(const strata_declaration *declaration, char *buffer, size_t size) {
    declaration_text to = { buffer, buffer == NULL ? 0 : size, 0 };
    char version[40];
    if (declaration == NULL) return 0;
    uint64_t number = declaration->version == STRATA_NO_SCHEMA ? 0 : declaration->version;
    snprintf(version, sizeof version, "version %llu\n", (unsigned long long)number);
    put_text(&to, version);
    for (uint32_t i = 0; i < declaration->table_count; i++) put_table(&to, &declaration->tables[i]);
    if (to.size > 0) to.buffer[to.length < to.size ? to.length : to.size - 1] = 0;
    return to.length;
}
