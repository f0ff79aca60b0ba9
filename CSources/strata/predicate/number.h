/* SPDX-License-Identifier: MIT
 * number.h -- numbers as text, whatever the locale. */
#ifndef ST_PREDICATE_NUMBER_H
#define ST_PREDICATE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/** Reads a finite number that all of the text is. False if it is none. */
bool st_number_read(const char *text, size_t size, double *out);

/** Whether the text of a number has neither a point nor an exponent. */
bool st_number_is_whole(const char *text, size_t size);
/** Whether a double has all digits of a number, which is read without a loss then. False if it is none. */
bool st_number_is_kept(const char *text, size_t size);

enum { ST_NUMBER_TEXT = 40 };
/** The shortest text that reads back as the same number, which is finite; with a point or an exponent in it. `single`:
 * as the same float. */
size_t st_number_print(double number, bool single, char out[ST_NUMBER_TEXT]);

#endif
