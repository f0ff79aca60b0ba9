/* SPDX-License-Identifier: MIT
 * salvage_support.h -- files as bytes, and what is salvaged of them; for tests. */
#ifndef SALVAGE_SUPPORT_H
#define SALVAGE_SUPPORT_H

#include "page/page.h"
#include "strata.h"
#include "strata_salvage.h"

/** The bytes of a file with pages of 4096 bytes. */
typedef struct image {
    uint8_t *bytes;
    size_t size;
} image;

image image_read(const char *name);
/** Writes the image under a name, without a lock file beside it. */
void image_write(const image *it, const char *name);
uint8_t *image_page(const image *it, uint64_t number);
void image_wipe(const image *it, uint64_t number);
/** The newer meta page. */
st_page_file image_file(const image *it);
/** The root of a tree, by its name in the main tree, which is one page here. */
uint64_t image_root(const image *it, const char *name);
/** A leaf somewhere below a branch. */
uint64_t image_leaf(const image *it, uint64_t number);

/** The allocation that fails; 0: none. */
extern unsigned salvage_failing_allocation;
extern bool salvage_fault_was_met;
/** Salvages "saved" from "damaged", which is written from the image. Nothing else is left. */
strata_status salvage(const image *it, const strata_salvage_options *options, strata_salvage_report *out,
                      strata_error *error);
/** The same of an image from which something must come; it is verified. */
strata_salvage_report salvaged(const image *it, const strata_salvage_options *options);
/** How many folders of those who salvaged are left in the directory of the test. */
int salvage_folders(void);

#endif
