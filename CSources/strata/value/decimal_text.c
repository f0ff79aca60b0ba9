/* SPDX-License-Identifier: MIT
 * decimal_text.c -- decimal numbers from text and to text. Independent of the locale. */
#include "value/decimal_text.h"

#include "base/status.h"
#include "value/decimal.h"

#include <stdio.h>

/* How many digits are kept while reading. Of further digits only one thing matters for rounding: is one of them not
 * 0? */
enum { KEPT_DIGITS = 37, MAX_QUOTED = 60 };

/* ---- Parsing ---------------------------------------------------------- */

typedef struct decimal_reader {
    const char *text;
    size_t size;
    size_t at;
} decimal_reader;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static char peek(const decimal_reader *in) { return in->at < in->size ? in->text[in->at] : 0; }

/* Skips a sign; true if it was a minus. */
static bool read_sign(decimal_reader *in) {
    char c = peek(in);
    if (c == '+' || c == '-') in->at++;
    return c == '-';
}

/* Skips a word, in upper or lower case, if it is the rest of the text. */
static bool read_last_word(decimal_reader *in, const char *word) {
    size_t length = strlen(word);
    if (in->size - in->at != length) return false;
    for (size_t i = 0; i < length; i++) {
        char c = in->text[in->at + i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != word[i]) return false;
    }
    in->at += length;
    return true;
}

/* The digits that were read: those that are kept, and what the others mean. */
typedef struct digits {
    st_u128 coefficient;
    int kept;         /* digits in the coefficient, leading zeros not counted */
    bool more;        /* one of the digits that were not kept is not 0 */
    int64_t exponent; /* the number is coefficient x 10^exponent */
} digits;

/* Reads the digits before or after the point. False if there are none. */
static bool read_digits(decimal_reader *in, bool after_point, digits *out) {
    size_t start = in->at;
    for (; is_digit(peek(in)); in->at++) {
        unsigned digit = (unsigned)(peek(in) - '0');
        if (out->kept < KEPT_DIGITS) {
            out->coefficient = out->coefficient * 10 + digit;
            if (out->coefficient != 0) out->kept++;
            if (after_point) out->exponent--;
        } else {
            if (digit != 0) out->more = true;
            if (!after_point) out->exponent++;
        }
    }
    return in->at > start;
}

/* Reads an exponent with its sign. One that is far out of range is limited, but stays out of range. False if there is
 * no digit. */
static bool read_exponent(decimal_reader *in, int64_t *out) {
    const int64_t limit = INT64_MAX / 4; /* no text is long enough to bring this back into range */
    bool negative = read_sign(in);
    if (!is_digit(peek(in))) return false;
    int64_t exponent = 0;
    for (; is_digit(peek(in)); in->at++) {
        exponent = exponent * 10 + (peek(in) - '0');
        if (exponent > limit / 10) exponent = limit / 10;
    }
    *out = negative ? -exponent : exponent;
    return true;
}

/* Reads a number. If that returns false, `in` is at the first wrong character. */
static bool read_number(decimal_reader *in, digits *out) {
    *out = (digits){ 0, 0, false, 0 };
    bool some = read_digits(in, false, out);
    if (peek(in) == '.') {
        in->at++;
        if (read_digits(in, true, out)) some = true;
    }
    if (!some) return false;
    if (peek(in) == 'e' || peek(in) == 'E') {
        in->at++;
        int64_t exponent;
        if (!read_exponent(in, &exponent)) return false;
        out->exponent += exponent;
    }
    return in->at == in->size;
}

static strata_decimal rounded(const digits *all, bool negative) {
    return st_decimal_round(negative, all->exponent, all->coefficient, all->more);
}

static strata_status refuse(const decimal_reader *in, strata_error *error) {
    size_t shown = in->size < MAX_QUOTED ? in->size : MAX_QUOTED;
    while (shown < in->size && shown > 0 && ((unsigned char)in->text[shown] & 0xC0) == 0x80) shown--;
    const char *rest = shown < in->size ? "..." : "";
    const char *text = shown == 0 ? "" : in->text;
    if (in->at >= in->size) {
        return st_fail(error, STRATA_TYPE, 0, "\"%.*s%s\" is not a decimal number: it ends where a digit should be",
                       (int)shown, text, rest);
    }
    return st_fail(error, STRATA_TYPE, 0, "\"%.*s%s\" is not a decimal number: byte %zu does not belong to one",
                   (int)shown, text, rest, in->at + 1);
}

strata_status strata_decimal_parse(const char *text, size_t size, strata_decimal *out, strata_error *error) {
    decimal_reader in = { text, size, 0 };
    *out = strata_decimal_from_int64(0);
    if (text == NULL && size != 0)
        return st_fail(error, STRATA_MISUSE, 0, "a decimal number: a text of %zu bytes without an address", size);
    bool negative = read_sign(&in);
    if (read_last_word(&in, "inf") || read_last_word(&in, "infinity")) {
        *out = st_decimal_infinity(negative);
        return STRATA_OK;
    }
    if (read_last_word(&in, "nan")) {
        *out = st_decimal_nan();
        return STRATA_OK;
    }
    digits all;
    if (!read_number(&in, &all)) return refuse(&in, error);
    *out = rounded(&all, negative);
    return STRATA_OK;
}

/* Makes equal numbers of digits with different exponents the same. */
static void strip_zeros(st_u128 *coefficient, int64_t *exponent) {
    if (*coefficient == 0) *exponent = 0;
    for (; *coefficient != 0 && *coefficient % 10 == 0; (*exponent)++) *coefficient /= 10;
}

bool st_decimal_read_exactly(const char *text, size_t size, strata_decimal *out) {
    decimal_reader in = { text, size, 0 };
    digits all;
    bool negative = read_sign(&in);
    if (!read_number(&in, &all)) return strata_decimal_parse(text, size, out, NULL) == STRATA_OK;
    *out = rounded(&all, negative);
    st_decimal_parts parts = st_decimal_unpack(*out);
    int64_t exponent = parts.exponent;
    strip_zeros(&all.coefficient, &all.exponent);
    strip_zeros(&parts.coefficient, &exponent);
    return parts.kind == ST_DECIMAL_FINITE && !all.more && parts.coefficient == all.coefficient &&
           exponent == all.exponent;
}

/* ---- Printing --------------------------------------------------------- */

static char *put_text(char *p, const char *text) {
    size_t length = strlen(text);
    memcpy(p, text, length + 1);
    return p + length;
}

/* Writes the digits of a coefficient, at least one; returns how many. */
static int put_coefficient(char out[40], st_u128 coefficient) {
    int count = st_decimal_digits(coefficient);
    if (count == 0) count = 1;
    for (int i = count - 1; i >= 0; i--) {
        out[i] = (char)('0' + (int)(coefficient % 10));
        coefficient /= 10;
    }
    return count;
}

/* Writes plain digits. The exponent, which is not positive, tells where the point goes. */
static char *put_plain(char *p, const char *all, int count, int exponent) {
    int before = count + exponent;
    if (before <= 0) {
        p = put_text(p, "0.");
        for (; before < 0; before++) *p++ = '0';
    } else {
        memcpy(p, all, (size_t)before);
        p += before;
        if (exponent == 0) return p;
        *p++ = '.';
        all += before;
        count -= before;
    }
    memcpy(p, all, (size_t)count);
    return p + count;
}

static char *put_scientific(char *p, const char *all, int count, int adjusted) {
    *p++ = all[0];
    if (count > 1) {
        *p++ = '.';
        memcpy(p, all + 1, (size_t)count - 1);
        p += count - 1;
    }
    return p + snprintf(p, 8, "E%+d", adjusted);
}

size_t strata_decimal_print(strata_decimal value, char out[STRATA_DECIMAL_TEXT]) {
    st_decimal_parts parts = st_decimal_unpack(value);
    char *p = out;
    if (parts.negative) *p++ = '-';
    if (parts.kind != ST_DECIMAL_FINITE) {
        p = put_text(p, parts.kind == ST_DECIMAL_NAN ? "NaN" : "Infinity");
        return (size_t)(p - out);
    }
    char all[40];
    int count = put_coefficient(all, parts.coefficient);
    int adjusted = parts.exponent + count - 1;
    bool plain = parts.exponent <= 0 && adjusted >= -6;
    p = plain ? put_plain(p, all, count, parts.exponent) : put_scientific(p, all, count, adjusted);
    *p = 0;
    return (size_t)(p - out);
}
