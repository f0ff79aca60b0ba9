/* SPDX-License-Identifier: MIT
 * fit.c -- may this be compared with that? */
#include "predicate/fit.h"

#include <math.h>
#include <stdio.h>

#include "value/operator.h"
#include "value/scalar.h"

/* ---- Words ------------------------------------------------------------ */

static const char *noun_of(strata_type type) {
    switch (type) {
    case STRATA_BOOL: return "a bool";
    case STRATA_INT: return "an int";
    case STRATA_FLOAT: return "a float";
    case STRATA_DOUBLE: return "a double";
    case STRATA_STRING: return "a string";
    case STRATA_DATA: return "data";
    case STRATA_DATE: return "a date";
    case STRATA_UUID: return "a UUID";
    case STRATA_OBJECT_ID: return "an ObjectId";
    case STRATA_DECIMAL: return "a decimal";
    case STRATA_LINK: return "an object";
    case STRATA_MIXED: return "a value of any type";
    case STRATA_NESTED: return "a list or map of values";
    default: return "null";
    }
}

static bool fail_type(st_resolver *resolver, const st_target *target, uint32_t column, const char *what) {
    strata_aggregate aggregate = target->operand.aggregate;
    if (aggregate != STRATA_EACH_VALUE) {
        return st_resolver_fail(resolver, STRATA_TYPE, column, "@%s of '%.*s' of %s is %s; %s",
                                st_aggregate_text(aggregate), st_shown(target->name), (const char *)target->name.data,
                                target->owner, noun_of(target->type), what);
    }
    return st_resolver_fail(resolver, STRATA_TYPE, column, "'%.*s' of %s is %s; %s", st_shown(target->name),
                            (const char *)target->name.data, target->owner, noun_of(target->type), what);
}

/* ---- Operators -------------------------------------------------------- */

bool st_check_operator(st_resolver *resolver, const st_target *target, strata_operator op, uint32_t options,
                       uint32_t column) {
    char what[160];
    bool letters = target->type == STRATA_STRING || target->type == STRATA_DATA || target->type == STRATA_MIXED;
    if (!st_type_has_operator(target->type, op)) {
        bool collection = op == STRATA_CONTAINS && target->many;
        snprintf(what, sizeof what, "it cannot be compared with %s%s", st_operator_text(op),
                 collection ? "; what is in a collection is found with IN, such as 5 IN numbers" : "");
        return fail_type(resolver, target, column, what);
    }
    if (options == 0 || letters) return true;
    return fail_type(resolver, target, column, "the options [c] and [d] are for strings");
}

/* ---- Numbers ---------------------------------------------------------- */

/* A number as a whole number. False if it is none. */
static bool whole_of(const strata_value *value, int64_t *out) {
    if (value->type == STRATA_DECIMAL) return strata_decimal_to_int64(strata_decimal_load(value->as.fixed), out);
    *out = value->as.integer;
    if (value->type == STRATA_INT) return true;
    double real = st_real_of(value);
    if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0) || floor(real) != real) return false;
    *out = (int64_t)real;
    return true;
}

/* Numbers become what the column would store: 1.1 for a float column is the float nearest to 1.1. Only an int column
 * takes no other numbers than whole ones, as comparing it with 2.5 is probably a mistake. */
static bool fit_number(st_resolver *resolver, const st_target *target, const strata_value *value, uint32_t column,
                       strata_value *out) {
    int64_t whole;
    char what[120], text[STRATA_DECIMAL_TEXT];
    switch (target->type) {
    case STRATA_FLOAT: *out = strata_float((float)st_real_of(value)); return true;
    case STRATA_DOUBLE: *out = strata_double(st_real_of(value)); return true;
    case STRATA_DECIMAL: *out = strata_decimal_value(st_decimal_of(value)); return true;
    default: break;
    }
    *out = strata_null();
    if (!whole_of(value, &whole)) {
        strata_decimal_print(st_decimal_of(value), text);
        snprintf(what, sizeof what, "it is compared with whole numbers of 64 bits, not with %s", text);
        return fail_type(resolver, target, column, what);
    }
    *out = strata_int(whole);
    return true;
}

/* ---- Values ----------------------------------------------------------- */

static bool fit_link(st_resolver *resolver, const st_target *target, uint32_t column, strata_value *out) {
    char what[200];
    uint32_t count = resolver->view->catalog->table_count;
    if (out->table >= count || out->as.link >= ST_KEY_MAX) {
        return st_resolver_fail(resolver, STRATA_MISUSE, column, "no object %llu in table %u is possible in this store",
                                (unsigned long long)out->as.link, out->table);
    }
    if (target->type == STRATA_MIXED) return true;
    if (out->table == target->table) {
        out->table = 0; /* the column says it */
        return true;
    }
    snprintf(what, sizeof what, "it is an object of %s, not of %s", resolver->tables[target->table].name,
             resolver->tables[out->table].name);
    return fail_type(resolver, target, column, what);
}

static const char *hint_for(strata_type type, strata_type value) {
    bool text = value == STRATA_STRING;
    if (type == STRATA_DATE) return "; a date is date('2000-01-31T12:00:00Z'), or an argument for %@";
    if (type == STRATA_UUID && text) return "; a UUID is uuid('...'), or an argument for %@";
    if (type == STRATA_OBJECT_ID && text) return "; an ObjectId is objectId('...'), or an argument for %@";
    if (st_is_number(type) && text) return "; numbers are written without quotes";
    if (type == STRATA_STRING && st_is_number(value)) return "; strings are written in quotes";
    if (type == STRATA_BOOL) return "; it is true or false";
    return "";
}

bool st_fit_value(st_resolver *resolver, const st_target *target, const strata_value *value, uint32_t column,
                  strata_value *out) {
    char what[200];
    strata_aggregate aggregate = target->operand.aggregate;
    strata_type type = target->type;
    *out = *value;
    if (value->type == STRATA_NULL) {
        if (aggregate != STRATA_COUNT && aggregate != STRATA_SUM) return true;
        return fail_type(resolver, target, column, "it is never null");
    }
    if (value->type == STRATA_LINK && (type == STRATA_LINK || type == STRATA_MIXED)) {
        return fit_link(resolver, target, column, out);
    }
    if (type == STRATA_MIXED || type == value->type) {
        bool bytes = value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED;
        return !bytes || st_resolver_copy_bytes(resolver, &out->as.bytes);
    }
    if (st_is_number(type) && st_is_number(value->type)) return fit_number(resolver, target, value, column, out);
    if (type == STRATA_BOOL && value->type == STRATA_INT && (value->as.integer == 0 || value->as.integer == 1)) {
        *out = strata_bool(value->as.integer == 1);
        return true;
    }
    snprintf(what, sizeof what, "it cannot be compared with %s%s", noun_of(value->type), hint_for(type, value->type));
    return fail_type(resolver, target, column, what);
}

/* ---- Points ----------------------------------------------------------- */

static const st_column *column_named(const st_table *table, const char *name) {
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].name, name) == 0) return &table->columns[i];
    }
    return NULL;
}

bool st_check_points(st_resolver *resolver, const st_target *target, uint32_t column) {
    bool link = target->type == STRATA_LINK && target->operand.aggregate == STRATA_EACH_VALUE;
    if (!link) return fail_type(resolver, target, column, "only links to embedded objects with a point lie in shapes");
    const st_table *table = &resolver->tables[target->table];
    if ((table->flags & STRATA_TABLE_EMBEDDED) == 0) {
        return st_resolver_fail(resolver, STRATA_TYPE, column, "%s is no embedded class; only those lie in shapes",
                                table->name);
    }
    const st_column *type = column_named(table, "type"), *coordinates = column_named(table, "coordinates");
    bool typed = type != NULL && type->type == STRATA_STRING && type->collection == STRATA_SINGLE;
    bool placed = coordinates != NULL && coordinates->type == STRATA_DOUBLE && coordinates->collection == STRATA_LIST;
    if (typed && placed) return true;
    return st_resolver_fail(resolver, STRATA_TYPE, column,
                            "%s needs a property 'type', a string, and 'coordinates', a list of doubles, to lie in a "
                            "shape", table->name);
}
