/* SPDX-License-Identifier: MIT
 *
 * strata_version.h -- the version of the library, and of its binary interface.
 */
#ifndef STRATA_VERSION_H
#define STRATA_VERSION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_VERSION_MAJOR 0
#define STRATA_VERSION_MINOR 1
#define STRATA_VERSION_PATCH 0

/** The number of the binary interface that these headers describe. It is raised when a program that was built with
 * older headers cannot run with a newer library. */
#define STRATA_ABI 1

/** The version of the library, such as "0.1.0". */
const char *strata_version(void);
/** The STRATA_ABI that the library was built with. A program that loads the library by itself compares it with its
 * own. */
uint32_t strata_abi(void);

#ifdef __cplusplus
}
#endif
#endif
