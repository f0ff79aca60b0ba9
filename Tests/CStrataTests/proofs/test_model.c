/* SPDX-License-Identifier: MIT
 * test_model.c -- random operations on a file, compared with a model. */
#include "support/operations.h"
#include "tests.h"

void test_model_random_operations(void) {
    strata_config config = { .size = sizeof config, .path = ctest_path("model.strata") };
    operations_play((operations_source){ .seed = ctest_seed() }, &config, 150);
}
