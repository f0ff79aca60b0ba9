/* SPDX-License-Identifier: MIT
 * decimal_arithmetic.c -- sums, products and quotients of decimal numbers, by Intel's decimal library.
 *
 * Only this file includes headers of that library. The library can be built in several forms; this file expects the one
 * whose functions get numbers by value and have rounding mode and flags in variables of the thread. libgcc has
 * functions of the same names in this form. With another form, a statically linked program that uses _Decimal128 would
 * call the functions of the library in place of libgcc's, with wrong parameters. Because the variables are shared with
 * libgcc, each operation sets the mode, and restores mode and flags afterwards. */
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
    /* The library keeps the sign and the payload of a NaN. Here all NaNs are the same. */
    return strata_decimal_is_nan(value) ? st_decimal_nan() : value;
}

strata_decimal strata_decimal_add(strata_decimal a, strata_decimal b) { return apply(bid128_add, a, b); }
strata_decimal strata_decimal_subtract(strata_decimal a, strata_decimal b) { return apply(bid128_sub, a, b); }
strata_decimal strata_decimal_multiply(strata_decimal a, strata_decimal b) { return apply(bid128_mul, a, b); }
strata_decimal strata_decimal_divide(strata_decimal a, strata_decimal b) { return apply(bid128_div, a, b); }
