/* SPDX-License-Identifier: MIT
 *
 * fuzz_salvage.c -- files that were damaged, or made to do harm, and are salvaged.
 *
 * The promise: salvaging refuses a file with a status and leaves nothing behind, or makes a file that is sound from end
 * to end; it does not leave its memory, abort, or loop.
 *
 * Input: u8 flags, then changes to a sound file, see image.h.
 */
#include <unistd.h>

#include "image.h"
#include "strata.h"
#include "strata_salvage.h"
#include "strata_verify.h"

static void check_sound(const char *path, uint64_t saved) {
    strata_error error;
    strata_store *store;
    strata_view *view;
    strata_verify_report report;
    strata_config config = strata_config_blank();
    config.path = path;
    CHECK(strata_store_open(&config, &store, &error) == STRATA_OK);
    CHECK(strata_view_open(store, &view, &error) == STRATA_OK);
    CHECK(strata_verify(view, &report, &error) == STRATA_OK);
    CHECK(report.rows >= saved);
    strata_view_close(view);
    strata_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = { data, size };
    strata_error error;
    strata_salvage_report report;
    strata_salvage_options options = strata_salvage_options_blank();
    options.flags = fuzz_u8(&input) % 2;
    fuzz_write_changed(&input, "damaged");
    unlink(ctest_path("saved"));
    unlink(ctest_path("saved-lock"));
    strata_status status = strata_salvage(ctest_path("damaged"), ctest_path("saved"), &options, &report, &error);
    CHECK((access(ctest_path("saved"), F_OK) == 0) == (status == STRATA_OK));
    if (status == STRATA_OK) check_sound(ctest_path("saved"), report.saved);
    return 0;
}
