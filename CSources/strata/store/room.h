/* SPDX-License-Identifier: MIT
 *
 * room.h -- the room that a file has to grow, in its map and on the disk.
 *
 * A write that deletes needs pages, too, because those that it frees are free when it is committed; and the block from
 * which it takes an object may need more bytes, because then it has to say which objects are left. If others could use
 * the last pages, a full file would stay full. So a part of the room is kept for writes that make the file hold less.
 */
#ifndef ST_STORE_ROOM_H
#define ST_STORE_ROOM_H

#include "store/handle.h"

/** Before a commit: would it use room that is kept for deleting? Returns 0, or what there is too little of, as LMDB
 * would say it. */
int st_room_check(const st_txn *txn);
/** Tells of how many objects there are more, or less, in a write. */
void st_room_note_objects(st_txn *txn, int64_t more);
/** After a commit: has it left holes in the file, for which the disk has room? They come from what writes replaced or
 * deleted again themselves. Once the disk is full, a write that deletes would have none to fill them. Never in files of
 * other machines. */
bool st_room_has_holes(strata_store *store);
/** Gives blocks to the holes that were found. Only free pages can be holes: if more is missing, it was never there. A
 * damaged file says that it is larger than it is, or the file system packs what it stores; then nothing is done. */
void st_room_fill_holes(strata_store *store, uint64_t free_pages);
/** After a write that failed for want of room: gives back what it wrote behind the end of the file, which would take
 * the room of the disk from everybody until the file grows. Inside the turn, without a transaction; LMDB's own lock is
 * held meanwhile, since others may write where locks of files do not work. */
void st_room_give_back(const strata_store *store);
/** After a commit: did it free so much, compared with the size of the file, that the next one should find it? What it
 * put took the place of something, for the most part. It is not worth waiting for writers of other processes for that,
 * unless the file cannot grow. */
bool st_room_is_freed(const st_txn *txn);

/** Has the file hardly room to grow? Inside the turn. */
bool st_room_is_tight(const strata_store *store);

#endif
