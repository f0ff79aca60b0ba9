/* SPDX-License-Identifier: MIT
 *
 * fuzz.h -- what fuzz targets share.
 *
 * A target is fuzz_<noun>.c with its promise in its first comment, and a folder corpus/<noun> with the inputs it is
 * tried on in every test run. `make fuzz-<noun>` looks for new ones. */
#ifndef FUZZ_H
#define FUZZ_H

#include "ctest.h"

/** The one function that libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
