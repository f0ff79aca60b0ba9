/* SPDX-License-Identifier: MIT
 * utf8.h -- is it UTF-8? */
#ifndef ST_BASE_UTF8_H
#define ST_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** True if the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool st_utf8_valid(const void *data, size_t size);

#endif
