/* SPDX-License-Identifier: MIT
 * number.c -- numbers as text, whatever the locale. */
#define _GNU_SOURCE 1
#include "predicate/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plain locale. Asking for it takes no memory, so that it need not be given back. */
static locale_t plain_locale(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

enum { LONGEST = 400, DIGITS_KEPT = 15 }; /* so many digits every double has */

bool st_number_read(const char *text, size_t size, double *out) {
    char copy[LONGEST + 1], *end;
    *out = 0;
    if (size > LONGEST) return false;
    memcpy(copy, text, size);
    copy[size] = 0;
    *out = strtod_l(copy, &end, plain_locale());
    return end == copy + size && isfinite(*out);
}

bool st_number_is_whole(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (text[i] == '.' || text[i] == 'e' || text[i] == 'E') return false;
    return true;
}

/* The digits of a number without its sign, point and exponent, and without zeros around them. */
static size_t significant(const char *text, size_t size, char *out) {
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < size && text[i] != 'e' && text[i] != 'E'; i++) {
        char c = text[i];
        if (c < '0' || c > '9' || (count == 0 && c == '0')) continue;
        out[count++] = c;
        if (c != '0') kept = count;
    }
    return kept;
}

bool st_number_is_kept(const char *text, size_t size) {
    char digits[LONGEST], printed[LONGEST + 16], again[LONGEST + 16];
    double number;
    if (!st_number_read(text, size, &number)) return false;
    bool has_exponent = memchr(text, 'e', size) != NULL || memchr(text, 'E', size) != NULL;
    if (size <= DIGITS_KEPT && !has_exponent) return true;
    size_t count = significant(text, size, digits);
    if (count == 0) return true;
    locale_t before = uselocale(plain_locale());
    int length = snprintf(printed, sizeof printed, "%.*e", (int)count - 1, number);
    uselocale(before);
    return significant(printed, (size_t)length, again) == count && memcmp(digits, again, count) == 0;
}

size_t st_number_print(double number, bool single, char out[ST_NUMBER_TEXT]) {
    locale_t before = uselocale(plain_locale());
    int length = 0;
    for (int digits = single ? 6 : 15; digits <= 17; digits++) {
        double read;
        length = snprintf(out, ST_NUMBER_TEXT, "%.*g", digits, number);
        if (!st_number_read(out, (size_t)length, &read)) continue;
        if (single) read = (double)(float)read;
        if (memcmp(&read, &number, sizeof read) == 0) break;
    }
    uselocale(before);
    if (strpbrk(out, ".e") == NULL) length += snprintf(out + length, ST_NUMBER_TEXT - (size_t)length, ".0");
    return (size_t)length;
}
