/* SPDX-License-Identifier: MIT
 *
 * sized.h -- structs of the interface that grow at their end.
 *
 * A program may have been built with older or newer headers than the library, so that it has less or more of a struct
 * than the library knows. It says how much: in the struct, or beside it.
 */
#ifndef ST_BASE_SIZED_H
#define ST_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Can a struct, of which at least so much is needed, be as large as a program says? What is larger than any will ever
 * be was never set. */
static inline bool st_sized_plausible(size_t size, size_t least) {
    enum { LARGEST = 4096 };
    return size >= least && size <= LARGEST;
}

/** Reads a struct of a program: what the program does not have is zero. False if the program asks for what the library
 * does not know: bytes behind the known ones that are not zero. */
static inline bool st_sized_read(void *known, size_t known_size, const void *given, size_t size) {
    const uint8_t *bytes = given;
    memset(known, 0, known_size);
    memcpy(known, given, size < known_size ? size : known_size);
    for (size_t i = known_size; i < size; i++)
        if (bytes[i] != 0) return false;
    return true;
}

/** Gives a struct to a program: as much as it has room for, and zeros for what the library does not know. */
static inline void st_sized_write(void *given, size_t size, const void *known, size_t known_size) {
    memset(given, 0, size);
    memcpy(given, known, size < known_size ? size : known_size);
}

#endif
