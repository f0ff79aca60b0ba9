/* SPDX-License-Identifier: MIT
 * date_text.c -- dates as text: ISO 8601, in UTC. */
#include "predicate/date_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "predicate/number.h"

/* Days are counted from 1 March of year 0, so that a leap day is the last one of its year. */
enum { DAYS_TO_2001 = 730791, DAYS_OF_400_YEARS = 146097, SECONDS_OF_DAY = 86400 };

static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    if (month <= 2) year--, month += 12;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    return era * DAYS_OF_400_YEARS + of_era * 365 + of_era / 4 - of_era / 100 + (153 * (month - 3) + 2) / 5 + day - 1;
}

static void date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day) {
    int64_t era = (days >= 0 ? days : days - DAYS_OF_400_YEARS + 1) / DAYS_OF_400_YEARS;
    int64_t of_era = days - era * DAYS_OF_400_YEARS;
    int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * years + years / 4 - years / 100), number = (5 * of_year + 2) / 153;
    *day = of_year - (153 * number + 2) / 5 + 1;
    *month = number < 10 ? number + 3 : number - 9;
    *year = years + era * 400 + (*month <= 2);
}

/* ---- Printing --------------------------------------------------------- */

static size_t print_number(double seconds, char out[ST_DATE_TEXT]) {
    out[0] = '@';
    if (isfinite(seconds)) return 1 + st_number_print(seconds, false, out + 1);
    return (size_t)snprintf(out, ST_DATE_TEXT, "@%s", isnan(seconds) ? "NaN" : seconds < 0 ? "-Infinity" : "Infinity");
}

/* Digits behind the second, ".5" for example; 0 if no number of them says it all. */
static size_t print_fraction(double seconds, double whole, char *out) {
    double fraction = seconds - whole;
    char digits[32];
    for (int count = 3; count <= 21; count += 3) {
        double read;
        int length = snprintf(digits, sizeof digits, "%.*f", count, fraction);
        if (digits[0] != '0') return 0;
        digits[1] = '.'; /* whatever the locale has there */
        if (!st_number_read(digits, (size_t)length, &read) || whole + read != seconds) continue;
        while (digits[length - 1] == '0') length--;
        memcpy(out, digits + 1, (size_t)length - 1);
        return (size_t)length - 1;
    }
    return 0;
}

size_t st_date_print(double seconds, char out[ST_DATE_TEXT]) {
    static const double first = -63145526400.0, last = 252423993600.0; /* years 0 to 9999 */
    if (!(seconds >= first && seconds < last)) return print_number(seconds, out);
    double whole = floor(seconds);
    int64_t number = (int64_t)whole, year, month, day;
    int64_t days = (number >= 0 ? number : number - SECONDS_OF_DAY + 1) / SECONDS_OF_DAY;
    int64_t rest = number - days * SECONDS_OF_DAY;
    date_of(days + DAYS_TO_2001, &year, &month, &day);
    size_t length = (size_t)snprintf(out, ST_DATE_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d", (int)year, (int)month,
                                     (int)day, (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
    if (whole != seconds) {
        size_t fraction = print_fraction(seconds, whole, out + length);
        if (fraction == 0) return print_number(seconds, out);
        length += fraction;
    } else if (seconds == 0 && signbit(seconds)) {
        return print_number(seconds, out);
    }
    out[length++] = 'Z';
    return length;
}

/* ---- Reading ---------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static bool digits(cursor *c, int count, int64_t *out) {
    *out = 0;
    for (int i = 0; i < count; i++, c->at++) {
        if (c->at == c->end || *c->at < '0' || *c->at > '9') return false;
        *out = *out * 10 + (*c->at - '0');
    }
    return true;
}

static bool sign(cursor *c, char wanted) {
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

/* Seconds east of Greenwich; of nothing, 0. */
static bool read_zone(cursor *c, int64_t *out) {
    int64_t hours, minutes = 0;
    *out = 0;
    if (c->at == c->end || sign(c, 'Z') || sign(c, 'z')) return c->at == c->end;
    bool west = *c->at == '-';
    if (!sign(c, '+') && !sign(c, '-')) return false;
    if (!digits(c, 2, &hours)) return false;
    (void)sign(c, ':');
    if (c->at < c->end && !digits(c, 2, &minutes)) return false;
    *out = (hours * 60 + minutes) * (west ? -60 : 60);
    return c->at == c->end && hours <= 23 && minutes <= 59;
}

static bool read_fraction(cursor *c, double *out) {
    char text[40] = "0.";
    size_t length = 2;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (length < sizeof text) text[length++] = *c->at;
    return length > 2 && st_number_read(text, length, out);
}

static bool read_time(cursor *c, int64_t *seconds, double *fraction) {
    int64_t hour, minute, second = 0;
    if (!digits(c, 2, &hour) || !sign(c, ':') || !digits(c, 2, &minute)) return false;
    if (sign(c, ':')) {
        if (!digits(c, 2, &second)) return false;
        if (sign(c, '.') && !read_fraction(c, fraction)) return false;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return (hour <= 23 || (hour == 24 && minute == 0 && second == 0)) && minute <= 59 && second <= 59;
}

static bool read_seconds(const char *text, size_t size, double *out) {
    if (size == 3 && memcmp(text, "NaN", 3) == 0) return *out = NAN, true;
    if (size == 8 && memcmp(text, "Infinity", 8) == 0) return *out = INFINITY, true;
    if (size == 9 && memcmp(text, "-Infinity", 9) == 0) return *out = -INFINITY, true;
    return size > 0 && st_number_read(text, size, out);
}

static int64_t days_of_month(int64_t year, int64_t month) {
    return month == 12 ? 31 : days_of(year, month + 1, 1) - days_of(year, month, 1);
}

bool st_date_read(const char *text, size_t size, double *out) {
    cursor c = { text, text + size };
    int64_t year, month, day, seconds = 0, zone = 0;
    double fraction = 0;
    if (size > 0 && text[0] == '@') return read_seconds(text + 1, size - 1, out);
    if (!digits(&c, 4, &year) || !sign(&c, '-') || !digits(&c, 2, &month) || !sign(&c, '-') || !digits(&c, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) return false;
    if (c.at < c.end) {
        if (!sign(&c, 'T') && !sign(&c, 't') && !sign(&c, ' ')) return false;
        if (!read_time(&c, &seconds, &fraction) || !read_zone(&c, &zone)) return false;
    }
    int64_t whole = (days_of(year, month, day) - DAYS_TO_2001) * SECONDS_OF_DAY + seconds - zone;
    *out = (double)whole + fraction;
    return true;
}
