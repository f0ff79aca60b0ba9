/* SPDX-License-Identifier: MIT
 *
 * fuzz_store.c -- files that were damaged, or made to do harm.
 *
 * The promise: however a file is opened, it is refused with a status, or can be read and written without leaving its
 * memory, without an abort, and without an endless loop.
 *
 * Input: changes to a sound file, see image.h.
 */
#include "image.h"
#include "support/hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int mode = 0; mode < HOSTILE_MODES; mode++) {
        fuzz_input input = { data, size };
        hostile_outcome outcome = { 0 };
        fuzz_write_changed(&input, "changed");
        hostile_use(ctest_path("changed"), (hostile_mode)mode, size, NULL, &outcome);
    }
    return 0;
}
