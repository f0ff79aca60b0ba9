/* SPDX-License-Identifier: MIT
 *
 * find.h -- entries on the pages of a damaged file, told apart by what they look like.
 *
 * A page of a tree does not say to which tree it belongs. Keys and values do: rows have keys of 8 bytes and blocks,
 * directories of collections keys of 8 bytes, their blocks and the pieces of large values keys of 12 bytes, and records
 * of the main tree names. Entries of indexes, links and the journal are passed over, unless their keys happen to look
 * like those of large values: then nothing refers to them.
 */
#ifndef ST_UPKEEP_FIND_H
#define ST_UPKEEP_FIND_H

#include "base/buffer.h"
#include "page/remains.h"
#include "store/trees.h"

enum { ST_FIND_LONE = UINT16_MAX };

/** An entry. Its bytes live until the reader reads the next one. */
typedef struct st_find {
    st_tree tree;      /* ST_META, ST_ROWS, ST_COLLECTIONS or ST_BLOBS */
    st_page_rank rank; /* of its page */
    strata_bytes key, value;
    uint64_t page;
    uint32_t index;    /* in the page; ST_FIND_LONE: the value has pages of its own, and no entry leads to them */
    uint64_t version;  /* of the commit whose header record lies on the same page; 0: none does */
} st_find;

/** Reads the pages of a file, one after the other. */
typedef struct st_find_reader {
    st_remains *remains;
    uint8_t *page;   /* room for one */
    st_buffer value; /* one that has pages of its own */
    uint8_t *times;  /* for each page, how often a value was read that begins there, of one rank */
    uint64_t budget; /* bytes of large values that may still be read of that rank */
    strata_progress progress; /* told of pages that are looked at; may be NULL */
    void *context;            /* of it */
    uint64_t looked, to_look; /* pages, of all ranks; 0 to look at: not known */
} st_find_reader;

/** False if there is no memory. Ownership: freed with st_find_reader_free(). */
bool st_find_reader_make(st_find_reader *out, st_remains *remains);
void st_find_reader_free(st_find_reader *reader);

/** Tells how far it is. Fails with STRATA_CANCELLED if nobody wants to know the rest. */
strata_status st_find_tell(const st_find_reader *reader, strata_error *error);

/** Takes an entry. */
typedef strata_status st_find_taker(void *context, const st_find *find, strata_error *error);
/** Gives every entry on the pages of one rank to `take`, and claims the values that have pages of their own. Fails:
 * STRATA_NO_MEMORY, STRATA_CANCELLED, and as `take` does. */
strata_status st_find_each(st_find_reader *reader, st_page_rank rank, st_find_taker *take, void *context,
                           strata_error *error);
/** Gives to `take`, without keys, blocks of that rank to which no entry leads any more. Fails: as above. */
strata_status st_find_lone_blocks(st_find_reader *reader, st_page_rank rank, st_find_taker *take, void *context,
                                  strata_error *error);
/** Reads an entry once more. STRATA_OK, or STRATA_NOT_FOUND if it cannot be read now. Fails: STRATA_NO_MEMORY. */
strata_status st_find_again(st_find_reader *reader, uint64_t page, uint32_t index, strata_bytes *out_value,
                            strata_error *error);

#endif
