/* SPDX-License-Identifier: MIT
 *
 * fuzz.h -- what fuzz targets share.
 *
 * A target is fuzz_<noun>.c with its promise in its first comment, and a folder corpus/<noun> with the inputs it is
 * tried on in every test run. `make fuzz-<noun>` looks for new ones. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "ctest.h"

/** The one function that libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** What is left of an input. Reading past its end gives zeros. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline void fuzz_bytes(fuzz_input *input, void *out, size_t size) {
    size_t there = size < input->size ? size : input->size;
    memset(out, 0, size);
    if (there == 0) return;
    memcpy(out, input->data, there);
    input->data += there;
    input->size -= there;
}
static inline uint8_t fuzz_u8(fuzz_input *input) {
    uint8_t value;
    fuzz_bytes(input, &value, sizeof value);
    return value;
}
static inline uint16_t fuzz_u16(fuzz_input *input) {
    uint16_t value;
    fuzz_bytes(input, &value, sizeof value);
    return value;
}
static inline uint64_t fuzz_u64(fuzz_input *input) {
    uint64_t value;
    fuzz_bytes(input, &value, sizeof value);
    return value;
}
/** Bytes of its own, of exactly that size, so that a read past their end is noticed. Freed by the caller. */
static inline uint8_t *fuzz_copy(const void *data, size_t size) {
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) abort();
    if (size != 0) memcpy(copy, data, size);
    return copy;
}

#endif
