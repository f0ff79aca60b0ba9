/* SPDX-License-Identifier: MIT
 * type_name.c -- what types and collections are called in messages. */
#include "catalog/type_name.h"

#include <string.h>

const char *st_type_name(strata_type type) {
    switch (type) {
    case STRATA_NULL: return "null";
    case STRATA_BOOL: return "bool";
    case STRATA_INT: return "int";
    case STRATA_FLOAT: return "float";
    case STRATA_DOUBLE: return "double";
    case STRATA_STRING: return "string";
    case STRATA_DATA: return "data";
    case STRATA_DATE: return "date";
    case STRATA_UUID: return "uuid";
    case STRATA_OBJECT_ID: return "object id";
    case STRATA_DECIMAL: return "decimal";
    case STRATA_MIXED: return "mixed";
    case STRATA_LINK: return "link";
    case STRATA_NESTED: return "list or map";
    }
    return "unknown type";
}

const char *st_collection_name(strata_collection collection) {
    switch (collection) {
    case STRATA_SINGLE: return "single value";
    case STRATA_LIST: return "list";
    case STRATA_SET: return "set";
    case STRATA_MAP: return "map";
    }
    return "unknown collection";
}

/* "uuid" is spoken with a consonant. */
const char *st_article(const char *name) { return strchr("aeiou", name[0]) != NULL && name[1] != 'u' ? "an" : "a"; }
