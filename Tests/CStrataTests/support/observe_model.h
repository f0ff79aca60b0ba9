/* SPDX-License-Identifier: MIT
 *
 * observe_model.h -- random changes of a small world, and what observers have to tell of them.
 *
 * The model notes which properties were assigned, and walks forward from each object to find what concerns it: the
 * engine walks backward. Results are found by running the queries. */
#ifndef OBSERVE_MODEL_H
#define OBSERVE_MODEL_H

#include "strata_observer.h"
#include "strata_support.h"

enum { NODE, OWNER, OBSERVED_TABLES };
enum { NUMBER, TEXT, LINK, LIST, SET, MAP, OWNED_BY, NODE_COLUMNS };
enum { OWNER_NAME, OWNER_AGE, OWNER_BOSS, OWNER_COLUMNS };

enum { MOST_KEYS = 4000 };

typedef struct observed_world {
    fixture *f;
    strata_view *writer;  /* the view that writes at the moment: that of the fixture, or another one */
    strata_view *other;
    uint64_t random;
    bool short_of_memory; /* changes may be told as new */
    uint64_t newest[OBSERVED_TABLES]; /* the greatest keys that were given out */
    /* What was assigned since the changes were told last: by table, key and column. */
    uint8_t assigned[OBSERVED_TABLES][MOST_KEYS][NODE_COLUMNS];
    uint8_t linked[OBSERVED_TABLES][MOST_KEYS][OBSERVED_TABLES][NODE_COLUMNS];
} observed_world;

/** A world in memory, or in a file of the test's directory, which other processes can change, too. */
observed_world *observed_world_make(uint64_t seed);
observed_world *observed_world_make_in(uint64_t seed, const char *file);
void observed_world_free(observed_world *w);
static inline uint64_t observed_pick(observed_world *w, uint64_t limit) { return ctest_random(&w->random) % limit; }

/** An object that is there; 0 if there is none. */
uint64_t observed_key(observed_world *w, uint32_t table);
/** Commits a few random changes, through one view or the other. */
void observed_change(observed_world *w);
/** The same, in another process. */
void observed_change_elsewhere(observed_world *w);
/** Forgets what was assigned. */
void observed_forget(observed_world *w);

/** Whether a change concerns an object: one of the properties to which its paths lead was assigned. */
bool observed_concerns(observed_world *w, uint32_t table, uint64_t key, const strata_key_paths *paths, int deep);

/** Compares what an observer knows of the result of its query, in whole and in parts, with what the query finds. Returns
 * whether it knows it. */
bool observed_check_result(observed_world *world, const strata_observer *observer, const strata_query *query);

#endif
