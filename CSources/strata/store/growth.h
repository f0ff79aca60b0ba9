/* SPDX-License-Identifier: MIT
 *
 * growth.h -- a program is told, once, of each snapshot that makes a file grow.
 *
 * The pages that are held are counted when the file has grown by a part of its size since the last look, not at each
 * commit. A snapshot that is young is left alone: its owner may be about to move on.
 */
#ifndef ST_STORE_GROWTH_H
#define ST_STORE_GROWTH_H

#include "store/handle.h"

/** After a commit, while the writer has its turn: a message about the oldest snapshot, if one is due, or NULL. It is
 * told after the turn, because that may take long. Ownership: freed with free(). */
char *st_growth_look(const st_txn *writer);

#endif
