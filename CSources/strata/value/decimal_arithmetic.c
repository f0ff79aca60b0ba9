/* SPDX-License-Identifier: MIT
 * decimal_arithmetic.c -- sums, products and quotients of decimal numbers, by Intel's decimal library.
 *
 * The only file that includes its headers. Of the forms in which the library exists, this is the one whose
 * functions take numbers by value and find rounding mode and flags in variables of the thread. libgcc has functions
 * of the same names in that form; with any other form, a program linked statically that also uses _Decimal128 would
 * call ours where it means libgcc's, with other parameters. It also means that the mode may be somebody else's:
 * each operation sets it, and gives mode and flags back as they were. */
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 1
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 1
#include <bid_conf.h>
#include <bid_functions.h>

#include "value/decimal.h"

typedef BID_UINT128 operation(BID_UINT128, BID_UINT128);

static BID_UINT128 foreign(strata_decimal value) {
    BID_UINT128 result;
    result.w[0] = value.low;
    result.w[1] = value.high;
    return result;
}

static strata_decimal apply(operation *operate, strata_decimal a, strata_decimal b) {
    _IDEC_round mode = _IDEC_glbround;
    _IDEC_flags flags = _IDEC_glbflags;
    _IDEC_glbround = BID_ROUNDING_TO_NEAREST;
    BID_UINT128 result = operate(foreign(a), foreign(b));
    _IDEC_glbround = mode;
    _IDEC_glbflags = flags;
    strata_decimal value = { result.w[0], result.w[1] };
    /* The library keeps sign and payload of a NaN; here there is one NaN. */
    return strata_decimal_is_nan(value) ? st_decimal_nan() : value;
}

strata_decimal strata_decimal_add(strata_decimal a, strata_decimal b) { return apply(bid128_add, a, b); }
strata_decimal strata_decimal_subtract(strata_decimal a, strata_decimal b) { return apply(bid128_sub, a, b); }
strata_decimal strata_decimal_multiply(strata_decimal a, strata_decimal b) { return apply(bid128_mul, a, b); }
strata_decimal strata_decimal_divide(strata_decimal a, strata_decimal b) { return apply(bid128_div, a, b); }
