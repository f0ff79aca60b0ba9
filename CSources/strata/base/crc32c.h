/* SPDX-License-Identifier: MIT
 * crc32c.h -- the CRC-32C checksum (Castagnoli), of records in files. */
#ifndef ST_BASE_CRC32C_H
#define ST_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/** Continues the checksum `crc` (0 at the start) over further bytes. */
uint32_t st_crc32c(uint32_t crc, const void *data, size_t size);
/** The same on any processor. */
uint32_t st_crc32c_by_table(uint32_t crc, const void *data, size_t size);

#endif
