/* SPDX-License-Identifier: MIT
 *
 * page_delta.h -- the bytes of a page as what those of another one have of them, and what is new.
 *
 * A commit writes a page anew for each that it changes, and most of it stays as it was, in the same place or moved. A
 * delta is a row of pieces, which follow each other until the page is complete:
 *
 *   piece = u16 where in the other page it begins, u16 how many bytes are taken from there, u16 how many new bytes
 *           follow; these
 */
#ifndef ST_PAGE_PAGE_DELTA_H
#define ST_PAGE_PAGE_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Writes the delta of a page to `out`, which has room for `most` bytes. Sizes are in bytes, at most 32,768. Returns how
 * many it has; 0 if they would be more. */
size_t st_page_delta_make(const uint8_t *other, size_t other_size, const uint8_t *page, size_t size, uint8_t *out,
                          size_t most);
/** Is a delta of so many bytes one of a page of that size? Whether it is one to another page turns out when it is applied. */
bool st_page_delta_fits(const uint8_t *delta, size_t bytes, size_t size);
/** Makes the page of a delta that fits. False if the other page has not so many bytes. */
bool st_page_delta_apply(const uint8_t *other, size_t other_size, const uint8_t *delta, uint8_t *page, size_t size);
/** Has a page all the new bytes of a delta that fits? */
bool st_page_delta_agrees(const uint8_t *delta, const uint8_t *page, size_t size);

#endif
