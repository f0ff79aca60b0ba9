/* SPDX-License-Identifier: MIT
 *
 * date_text.h -- dates as text: ISO 8601, in UTC.
 *
 * "2026-11-23T20:15:00Z", with as many digits behind the second as it takes to read back the same date. What has no such
 * text, because it lies outside of the years 0 to 9999 or is no number, is "@" and the seconds since 2001, as "@1e+300".
 */
#ifndef ST_PREDICATE_DATE_TEXT_H
#define ST_PREDICATE_DATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { ST_DATE_TEXT = 64 };

/** Prints seconds since 2001. Returns the length. */
size_t st_date_print(double seconds, char out[ST_DATE_TEXT]);

/** Reads "2026-11-23", "2026-11-23T20:15", the same with seconds, with a fraction of them, with a space instead of the
 * T, with Z or an offset such as +02:00 behind it; or what st_date_print() prints. Without an offset it is UTC. False if
 * the text is no date. */
bool st_date_read(const char *text, size_t size, double *out);

#endif
