/* SPDX-License-Identifier: MIT
 * link_scan.h -- links side by side in the block of a chunk. */
#ifndef ST_COLLECTION_LINK_SCAN_H
#define ST_COLLECTION_LINK_SCAN_H

#include <stdint.h>

/** The first slot from `from` on, of `count`, that links to an object, whose key is not 0; `count` if there is none.
 * `entry` is that of a column of links. */
uint32_t st_link_scan(const uint8_t *block, uint32_t entry, uint32_t from, uint32_t count, uint64_t key);

#endif
