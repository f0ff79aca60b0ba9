/* SPDX-License-Identifier: MIT
 * operator.c -- which types have which comparisons. */
#include "value/operator.h"

bool st_type_has_operator(strata_type type, strata_operator op) {
    if (st_is_equality(op)) return true;
    switch (type) {
    case STRATA_INT:
    case STRATA_FLOAT:
    case STRATA_DOUBLE:
    case STRATA_DECIMAL:
    case STRATA_DATE: return st_is_order(op) || op == STRATA_BETWEEN;
    case STRATA_MIXED: return st_is_order(op) || st_is_textual(op) || op == STRATA_BETWEEN;
    case STRATA_STRING: return st_is_order(op) || st_is_textual(op);
    case STRATA_DATA: return st_is_textual(op);
    case STRATA_UUID:
    case STRATA_OBJECT_ID: return st_is_order(op);
    default: return false;
    }
}
