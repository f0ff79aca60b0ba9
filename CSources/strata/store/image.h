/* SPDX-License-Identifier: MIT
 *
 * image.h -- exact copies of a commit, page by page.
 *
 * LMDB can make them, too, but waits for the writer first. An image is read through a snapshot, which waits for nobody.
 */
#ifndef ST_STORE_IMAGE_H
#define ST_STORE_IMAGE_H

#include "strata.h"

/** Writes an image of the newest commit to a descriptor. `path` and `doing` are for messages. */
strata_status st_image_write(strata_store *store, int descriptor, const char *path, const char *doing,
                             strata_error *error);
/** Makes an empty regular file an image of the newest commit. Where the file system offers it, the two share their
 * blocks, which takes neither time nor room; otherwise the pages are copied, if there is room for them. Fails:
 * STRATA_DISK_FULL, ... */
strata_status st_image_make(strata_store *store, int descriptor, const char *path, const char *doing,
                            strata_error *error);

#endif
