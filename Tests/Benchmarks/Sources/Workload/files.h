/* SPDX-License-Identifier: MIT
 *
 * files.h -- folders of files without folders in them. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>

bool files_exist(const char *folder);
/** Makes an empty folder, whatever was there before. */
void files_clear(const char *folder);
void files_remove(const char *folder);
/** Copies a folder, lock files left out, and waits until the copy is on the disk. */
void files_copy(const char *from, const char *to);
/** Bytes that the files take on the disk. */
double files_size(const char *folder);

#endif
