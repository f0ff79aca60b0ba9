/* SPDX-License-Identifier: MIT
 * declaration_parse.c -- reads the text of a declaration. */
#include <stdio.h>

#include "base/status.h"
#include "base/utf8.h"
#include "predicate/suggestion.h"
#include "transfer/declaration.h"
#include "transfer/json.h"

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_SIGN, TOKEN_SEPARATOR } token_kind;

/* The token that is looked at. A line end is a separator, as are "," and ";". */
typedef struct token {
    token_kind kind;
    strata_bytes text; /* of a quoted name without quotes and backslashes */
    const char *at;
} token;

typedef struct parser {
    const char *begin, *next, *end;
    token now;
    st_arena memory; /* of quoted names */
    st_declaring declaring;
    strata_error *error;
} parser;

/* ---- Messages --------------------------------------------------------- */

static strata_status fail_at(parser *p, const char *at, const char *message, strata_bytes found) {
    unsigned line = 1, column = 1;
    for (const char *c = p->begin; c < at; c++) {
        if (*c == '\n') line++, column = 1;
        else if (((unsigned char)*c & 0xC0) != 0x80) column++;
    }
    int size = (int)st_utf8_fit(found.data, found.size, 60);
    return st_fail(p->error, STRATA_INVALID_SCHEMA, 0, "schema, line %u, column %u: %s%s%.*s%s", line, column, message,
                   size == 0 ? "" : ", not '", size, size == 0 ? "" : (const char *)found.data, size == 0 ? "" : "'");
}

static strata_status expected(parser *p, const char *what) {
    strata_bytes found = p->now.text;
    char message[120];
    snprintf(message, sizeof message, "expected %s", what);
    if (p->now.kind == TOKEN_END) {
        strncat(message, ", and the text ends", sizeof message - strlen(message) - 1);
        found = (strata_bytes){ NULL, 0 };
    }
    if (p->now.kind == TOKEN_SEPARATOR && *p->now.at == '\n') {
        strncat(message, ", and the line ends", sizeof message - strlen(message) - 1);
        found = (strata_bytes){ NULL, 0 };
    }
    return fail_at(p, p->now.at, message, found);
}

/* ---- Tokens ----------------------------------------------------------- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool starts_comment(const parser *p) {
    return *p->next == '#' || (*p->next == '/' && p->end - p->next > 1 && p->next[1] == '/');
}

static void skip_space(parser *p) {
    while (p->next < p->end) {
        if (starts_comment(p)) {
            while (p->next < p->end && *p->next != '\n') p->next++;
        } else if (*p->next == ' ' || *p->next == '\t' || *p->next == '\r') {
            p->next++;
        } else {
            return;
        }
    }
}

static strata_status quoted(parser *p) {
    const char *from = ++p->next;
    char *copy = st_arena_alloc(&p->memory, (size_t)(p->end - from) < 300 ? (size_t)(p->end - from) + 1 : 300);
    size_t size = 0;
    if (copy == NULL) return st_no_memory(p->error, "reading a schema");
    for (; p->next < p->end && *p->next != '\'' && *p->next != '\n'; p->next++) {
        if (*p->next == '\\' && p->end - p->next > 1) p->next++;
        if (size == 299) return fail_at(p, p->now.at, "this name is too long", (strata_bytes){ NULL, 0 });
        copy[size++] = *p->next;
    }
    if (p->next == p->end || *p->next != '\'')
        return fail_at(p, p->now.at, "this quote is not closed", (strata_bytes){ NULL, 0 });
    p->next++;
    p->now.kind = TOKEN_QUOTED;
    p->now.text = (strata_bytes){ copy, size };
    return STRATA_OK;
}

static strata_status advance(parser *p) {
    skip_space(p);
    p->now = (token){ TOKEN_END, { p->next, 0 }, p->next };
    if (p->next == p->end) return STRATA_OK;
    if (*p->next == '\'') return quoted(p);
    if (is_word(*p->next)) {
        p->now.kind = TOKEN_WORD;
        while (p->next < p->end && is_word(*p->next)) p->next++;
    } else {
        p->now.kind = strchr("\n,;", *p->next) != NULL && *p->next != 0 ? TOKEN_SEPARATOR : TOKEN_SIGN;
        do p->next++;
        while (p->next < p->end && ((unsigned char)*p->next & 0xC0) == 0x80);
    }
    p->now.text.size = (size_t)(p->next - p->now.at);
    return STRATA_OK;
}

static bool is_at(const parser *p, const char *text) {
    return (p->now.kind == TOKEN_WORD || p->now.kind == TOKEN_SIGN) && p->now.text.size == strlen(text) &&
           memcmp(p->now.text.data, text, p->now.text.size) == 0;
}

/* Takes the token if it is this one; `*out_taken` tells. */
static strata_status take(parser *p, const char *text, bool *out_taken) {
    *out_taken = is_at(p, text);
    return *out_taken ? advance(p) : STRATA_OK;
}

static strata_status must(parser *p, const char *text, const char *what) {
    return is_at(p, text) ? advance(p) : expected(p, what);
}

static strata_status take_name(parser *p, const char *what, strata_bytes *out) {
    if (p->now.kind != TOKEN_WORD && p->now.kind != TOKEN_QUOTED) return expected(p, what);
    *out = p->now.text;
    return advance(p);
}

static strata_status skip_separators(parser *p) {
    strata_status status = STRATA_OK;
    while (p->now.kind == TOKEN_SEPARATOR && status == STRATA_OK) status = advance(p);
    return status;
}

/* ---- Types ------------------------------------------------------------ */

static strata_status element_type(parser *p, strata_column_spec *column, strata_bytes *target) {
    bool is_quoted = p->now.kind == TOKEN_QUOTED, null;
    strata_status status = take_name(p, "a type, such as string, or the name of a class", target);
    if (status != STRATA_OK) return status;
    column->type = is_quoted ? STRATA_NULL : st_declared_type(*target);
    if (column->type == STRATA_NULL) column->type = STRATA_LINK;
    status = take(p, "?", &null);
    if (null || column->type == STRATA_MIXED) column->flags |= STRATA_COLUMN_NULLABLE;
    return status;
}

static strata_status type(parser *p, strata_column_spec *column, strata_bytes *target) {
    static const struct { const char *name; strata_collection kind; } kinds[] = {
        { "list", STRATA_LIST }, { "set", STRATA_SET }, { "map", STRATA_MAP } };
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < 3 && status == STRATA_OK && column->collection == STRATA_SINGLE; i++) {
        if (!is_at(p, kinds[i].name)) continue;
        column->collection = kinds[i].kind;
        status = advance(p);
        if (status == STRATA_OK) status = must(p, "<", "< and the type of the elements");
    }
    if (status == STRATA_OK) status = element_type(p, column, target);
    if (status == STRATA_OK && column->collection != STRATA_SINGLE) status = must(p, ">", ">");
    bool link = column->type == STRATA_LINK;
    if (link && (column->collection == STRATA_SINGLE || column->collection == STRATA_MAP))
        column->flags |= STRATA_COLUMN_NULLABLE;
    return status;
}

/* ---- Members ---------------------------------------------------------- */

static strata_status marks(parser *p, strata_column_spec *column) {
    strata_status status = STRATA_OK;
    while (p->now.kind == TOKEN_WORD && status == STRATA_OK) {
        if (is_at(p, "primary")) column->flags |= STRATA_COLUMN_PRIMARY;
        else if (is_at(p, "indexed")) column->flags |= STRATA_COLUMN_INDEXED;
        else return expected(p, "'primary', 'indexed', or the end of the line");
        status = advance(p);
    }
    return status;
}

static strata_status property(parser *p, strata_bytes name) {
    strata_column_spec column = { NULL, STRATA_NULL, STRATA_SINGLE, 0, NULL };
    strata_bytes target;
    strata_status status = must(p, ":", "':' and a type");
    if (status == STRATA_OK) status = type(p, &column, &target);
    if (status == STRATA_OK) status = marks(p, &column);
    return status == STRATA_OK ? st_declaring_column(&p->declaring, name, target, &column, p->error) : status;
}

static strata_status compound_index(parser *p) {
    strata_bytes names[STRATA_MAX_INDEX_COLUMNS];
    uint32_t count = 0;
    strata_status status = advance(p);
    while (status == STRATA_OK) {
        bool closed;
        if (count == STRATA_MAX_INDEX_COLUMNS) return expected(p, "')': an index has at most 8 properties");
        status = take_name(p, "the name of a property", &names[count++]);
        if (status == STRATA_OK) status = take(p, ")", &closed);
        if (status == STRATA_OK && closed) return st_declaring_index(&p->declaring, names, count, p->error);
        if (status == STRATA_OK && !(p->now.kind == TOKEN_SEPARATOR && *p->now.at == ','))
            return expected(p, "',' or ')'");
        if (status == STRATA_OK) status = advance(p);
    }
    return status;
}

/* Whether a record says something else by a member of that name: see strata_export.h and strata_import.h. */
static bool is_reserved(strata_bytes name) {
    static const char *const names[] = { "$class", "$key", "$ref", "$refId", "$schema" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (st_bytes_are(name, names[i])) return true;
    return false;
}

static strata_status member(parser *p) {
    bool is_index = is_at(p, "index");
    const char *at = p->now.at;
    strata_bytes name;
    strata_status status = take_name(p, "a property, such as 'name: string', or '}'", &name);
    if (status != STRATA_OK) return status;
    if (is_reserved(name))
        return fail_at(p, at, "expected a name by which records say nothing else", name);
    return is_index && is_at(p, "(") ? compound_index(p) : property(p, name);
}

static strata_status table(parser *p, uint32_t flags) {
    strata_bytes name;
    strata_status status = advance(p);
    if (status == STRATA_OK) status = take_name(p, "the name of the class", &name);
    if (status == STRATA_OK) status = st_declaring_table(&p->declaring, name, flags, p->error);
    if (status == STRATA_OK) status = skip_separators(p);
    if (status == STRATA_OK) status = must(p, "{", "'{' and the properties");
    while (status == STRATA_OK) {
        bool closed;
        status = skip_separators(p);
        if (status == STRATA_OK) status = take(p, "}", &closed);
        if (status != STRATA_OK || closed) return status;
        status = member(p);
        if (status == STRATA_OK && p->now.kind != TOKEN_SEPARATOR && !is_at(p, "}"))
            return expected(p, "the end of the line");
    }
    return status;
}

/* ---- The whole -------------------------------------------------------- */

static strata_status version(parser *p, uint64_t *out) {
    strata_status status = advance(p);
    if (status != STRATA_OK) return status;
    *out = 0;
    if (p->now.kind != TOKEN_WORD) return expected(p, "a number");
    for (size_t i = 0; i < p->now.text.size; i++) {
        char digit = ((const char *)p->now.text.data)[i];
        if (digit < '0' || digit > '9') return expected(p, "a number");
        if (*out > STRATA_MAX_SCHEMA_VERSION / 10 - 1) return expected(p, "a smaller number");
        *out = *out * 10 + (uint64_t)(digit - '0');
    }
    return advance(p);
}

static strata_status items(parser *p, uint64_t *out_version) {
    bool versioned = false;
    strata_status status = advance(p);
    while (status == STRATA_OK) {
        status = skip_separators(p);
        if (status != STRATA_OK || p->now.kind == TOKEN_END) return status;
        if (is_at(p, "class")) status = table(p, 0);
        else if (is_at(p, "embedded")) status = table(p, STRATA_TABLE_EMBEDDED);
        else if (is_at(p, "version") && !versioned) versioned = true, status = version(p, out_version);
        else return expected(p, "'class', 'embedded' or one 'version'");
    }
    return status;
}

static strata_status check_targets(parser *p, const strata_declaration *declaration) {
    for (uint32_t t = 0; t < declaration->table_count; t++) {
        const strata_table_spec *from = &declaration->tables[t];
        for (uint32_t c = 0; c < from->column_count; c++) {
            const char *target = from->columns[c].target;
            if (target == NULL) continue;
            st_suggestion similar = st_suggestion_begin((strata_bytes){ target, strlen(target) });
            bool found = false;
            for (uint32_t i = 0; i < declaration->table_count && !found; i++) {
                found = strcmp(declaration->tables[i].name, target) == 0;
                st_suggestion_consider(&similar, declaration->tables[i].name);
            }
            if (found) continue;
            return st_fail(p->error, STRATA_INVALID_SCHEMA, 0,
                           "schema: the type of %s.%s is '%s', which is neither a type nor a class that is declared%s%s%s",
                           from->name, from->columns[c].name, target, similar.best == NULL ? "" : "; did you mean '",
                           similar.best == NULL ? "" : similar.best, similar.best == NULL ? "" : "'?");
        }
    }
    return STRATA_OK;
}

strata_status strata_declaration_parse(const char *text, size_t size, strata_declaration **out, strata_error *error) {
    uint64_t number = 0;
    if (out == NULL || (text == NULL && size != 0))
        return st_fail(error, STRATA_MISUSE, 0, "a schema is read without text, or to nowhere");
    if (size > STRATA_MAX_DECLARATION)
        return st_fail(error, STRATA_TOO_LARGE, 0, "a schema has at most 64 MiB of text");
    if (!st_utf8_valid(text, size)) return st_fail(error, STRATA_INVALID_SCHEMA, 0, "the schema is not valid UTF-8");
    if (size == 0) text = "";
    parser p = { .begin = text, .next = text, .end = text + size, .error = error };
    strata_status status = st_declaring_begin(&p.declaring, error);
    if (status == STRATA_OK) status = items(&p, &number);
    if (status == STRATA_OK) status = st_declaring_end(&p.declaring, number, out, error);
    if (status == STRATA_OK && (status = check_targets(&p, *out)) != STRATA_OK) {
        strata_declaration_free(*out);
        *out = NULL;
    }
    st_declaring_free(&p.declaring);
    st_arena_free(&p.memory);
    return status;
}
