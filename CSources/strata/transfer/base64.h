/* SPDX-License-Identifier: MIT
 * base64.h -- bytes as text: RFC 4648, section 4. */
#ifndef ST_TRANSFER_BASE64_H
#define ST_TRANSFER_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Characters that `size` bytes take. */
static inline size_t st_base64_length(size_t size) { return (size + 2) / 3 * 4; }
/** Writes that many characters. */
void st_base64_print(const uint8_t *bytes, size_t size, char *out);

/** Reads text into `out`, which has room for three bytes for every four characters. Padding may be missing. False if
 * the text is something else. */
bool st_base64_read(const char *text, size_t size, uint8_t *out, size_t *out_size);

#endif
