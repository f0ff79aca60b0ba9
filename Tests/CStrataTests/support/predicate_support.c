/* SPDX-License-Identifier: MIT
 * predicate_support.c -- a schema with a column of every kind, and conditions as text. */
#include "support/predicate_support.h"

#include <stdarg.h>
#include <stdio.h>

#include "strata_decimal.h"

static const strata_column_spec person[] = {
    { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED, NULL },
    { "age", STRATA_INT, STRATA_SINGLE, 0, NULL },
    { "height", STRATA_DOUBLE, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
    { "weight", STRATA_FLOAT, STRATA_SINGLE, 0, NULL },
    { "born", STRATA_DATE, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
    { "id", STRATA_UUID, STRATA_SINGLE, 0, NULL },
    { "oid", STRATA_OBJECT_ID, STRATA_SINGLE, 0, NULL },
    { "photo", STRATA_DATA, STRATA_SINGLE, 0, NULL },
    { "balance", STRATA_DECIMAL, STRATA_SINGLE, 0, NULL },
    { "flag", STRATA_BOOL, STRATA_SINGLE, 0, NULL },
    { "any", STRATA_MIXED, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
    { "dog", STRATA_LINK, STRATA_SINGLE, 0, "Dog" },
    { "dogs", STRATA_LINK, STRATA_LIST, 0, "Dog" },
    { "friends", STRATA_LINK, STRATA_SET, 0, "Person" },
    { "scores", STRATA_INT, STRATA_LIST, 0, NULL },
    { "tags", STRATA_STRING, STRATA_SET, 0, NULL },
    { "prices", STRATA_DOUBLE, STRATA_MAP, 0, NULL },
    { "pets", STRATA_LINK, STRATA_MAP, 0, "Dog" },
    { "anys", STRATA_MIXED, STRATA_LIST, STRATA_COLUMN_NULLABLE, NULL },
    { "home", STRATA_LINK, STRATA_SINGLE, 0, "Place" },
    { "places", STRATA_LINK, STRATA_LIST, 0, "Place" },
    { "like", STRATA_STRING, STRATA_SINGLE, 0, NULL },
};
static const strata_column_spec dog[] = {
    { "name", STRATA_STRING, STRATA_SINGLE, 0, NULL },
    { "age", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
    { "owner", STRATA_LINK, STRATA_SINGLE, 0, "Person" },
    { "toys", STRATA_LINK, STRATA_LIST, 0, "Toy" },
};
static const strata_column_spec toy[] = {
    { "name", STRATA_STRING, STRATA_SINGLE, 0, NULL },
    { "weight", STRATA_DOUBLE, STRATA_SINGLE, 0, NULL },
};
static const strata_column_spec place[] = {
    { "type", STRATA_STRING, STRATA_SINGLE, 0, NULL },
    { "coordinates", STRATA_DOUBLE, STRATA_LIST, 0, NULL },
};

const strata_table_spec zoo_tables[ZOO_TABLES] = {
    { .name = "Person", .column_count = sizeof person / sizeof person[0], .columns = person },
    { .name = "Dog", .column_count = sizeof dog / sizeof dog[0], .columns = dog },
    { .name = "Toy", .column_count = sizeof toy / sizeof toy[0], .columns = toy },
    { .name = "Place", .flags = STRATA_TABLE_EMBEDDED, .column_count = sizeof place / sizeof place[0],
      .columns = place },
};

const strata_alias zoo_aliases[] = {
    { DOG, "owners", { .kind = STRATA_STEP_BACKLINKS, .table = PERSON, .column = P_DOGS } },
    { PERSON, "puppies", { .kind = STRATA_STEP_COLUMN, .column = P_DOGS } },
};
const uint32_t zoo_alias_count = sizeof zoo_aliases / sizeof zoo_aliases[0];

/* ---- Conditions as text ----------------------------------------------- */

typedef struct writer {
    strata_view *view;
    const strata_condition *condition;
    uint32_t next;
    size_t length;
} writer;

static char text[4000];

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + w->length, sizeof text - w->length, format, arguments);
    va_end(arguments);
    w->length += (size_t)length;
    if (w->length >= sizeof text) w->length = sizeof text - 1;
}

static void put_value(writer *w, const strata_value *value) {
    char digits[STRATA_DECIMAL_TEXT];
    switch (value->type) {
    case STRATA_NULL: put(w, "null"); break;
    case STRATA_BOOL: put(w, "%s", value->as.boolean ? "true" : "false"); break;
    case STRATA_INT: put(w, "%lld", (long long)value->as.integer); break;
    case STRATA_FLOAT: put(w, "%gf", (double)value->as.single); break;
    case STRATA_DOUBLE: put(w, "%gd", value->as.real); break;
    case STRATA_DATE: put(w, "date %g", value->as.real); break;
    case STRATA_STRING: put(w, "'%.*s'", (int)value->as.bytes.size, (const char *)value->as.bytes.data); break;
    case STRATA_DATA: put(w, "%zu bytes", value->as.bytes.size); break;
    case STRATA_DECIMAL:
        strata_decimal_print(strata_decimal_load(value->as.fixed), digits);
        put(w, "%sm", digits);
        break;
    case STRATA_LINK:
        if (value->table != 0) put(w, "%u:", value->table);
        put(w, "#%llu", (unsigned long long)value->as.link);
        break;
    default: put(w, "a value of type %d", (int)value->type); break;
    }
}

/* Writes the name of a column and goes on to the table behind it. */
static void put_column(writer *w, uint32_t *table, uint32_t number) {
    strata_column_info info;
    CHECK(strata_column_get(w->view, *table, number, &info) == STRATA_OK);
    put(w, "%s", info.name);
    *table = info.target;
}

static void put_operand(writer *w, uint32_t table, const strata_operand *operand) {
    static const char *const aggregates[] = { "", "@count", "@min", "@max", "@sum", "@avg" };
    CHECK(operand->aggregate_length <= operand->path_length);
    for (uint32_t i = 0; i < operand->path_length; i++) {
        const strata_step *step = &operand->path[i];
        if (i != 0) put(w, ".");
        switch (step->kind) {
        case STRATA_STEP_COLUMN: put_column(w, &table, step->column); break;
        case STRATA_STEP_BACKLINKS:
            table = step->table;
            put(w, "<-%u:%u", step->table, step->column);
            break;
        case STRATA_STEP_KEYS: put(w, "keys"); break;
        case STRATA_STEP_KEY: put(w, "['%.*s']", (int)step->key.size, (const char *)step->key.data); break;
        case STRATA_STEP_POSITION: put(w, "[%lld]", (long long)step->position); break;
        case STRATA_STEP_EACH: put(w, "each"); break;
        case STRATA_STEP_SELF: put(w, "self"); break;
        case STRATA_STEP_ELEMENTS: put(w, "elements"); break;
        }
        if (operand->aggregate != STRATA_EACH_VALUE && i + 1 == operand->aggregate_length) {
            put(w, ".%s", aggregates[operand->aggregate]);
        }
    }
}

static uint32_t table_behind(strata_view *view, uint32_t table, const strata_operand *operand) {
    for (uint32_t i = 0; i < operand->path_length; i++) {
        const strata_step *step = &operand->path[i];
        strata_column_info info;
        if (step->kind == STRATA_STEP_BACKLINKS) table = step->table;
        if (step->kind != STRATA_STEP_COLUMN) continue;
        CHECK(strata_column_get(view, table, step->column, &info) == STRATA_OK);
        table = info.target;
    }
    return table;
}

static void put_node(writer *w, uint32_t table);

static void put_children(writer *w, uint32_t table, uint32_t count) {
    put(w, "(");
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0) put(w, ", ");
        put_node(w, table);
    }
    put(w, ")");
}

static void put_comparison(writer *w, uint32_t table, const strata_node *node) {
    static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=", "in", "begins", "ends", "contains",
                                             "between", "like", "within" };
    static const char *const options[] = { "", "[c]", "[d]", "[cd]" };
    put_operand(w, table, &node->left);
    if (node->children != 0) put_children(w, table_behind(w->view, table, &node->left), node->children);
    put(w, " %s%s ", operators[node->op - STRATA_EQUAL], options[node->options]);
    if (node->right != NULL) put_operand(w, table, node->right);
    if (node->shape != NULL) put(w, "shape %d", (int)node->shape->kind);
    for (uint32_t i = 0; i < node->value_count; i++) {
        if (i != 0) put(w, " ");
        put_value(w, &node->values[i]);
    }
}

static void put_node(writer *w, uint32_t table) {
    static const char *const words[] = { "TRUE", "FALSE", "AND", "OR", "NOT" };
    CHECK(w->next < w->condition->node_count);
    const strata_node *node = &w->condition->nodes[w->next++];
    if (node->op >= STRATA_EQUAL) {
        put_comparison(w, table, node);
        return;
    }
    put(w, "%s", words[node->op]);
    if (node->op >= STRATA_AND) put_children(w, table, node->op == STRATA_NOT ? 1 : node->children);
}

const char *condition_text(strata_view *view, uint32_t table, const strata_condition *condition) {
    writer w = { view, condition, 0, 0 };
    text[0] = 0;
    put_node(&w, table);
    CHECK_EQ(w.next, condition->node_count);
    return text;
}
