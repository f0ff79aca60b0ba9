/* SPDX-License-Identifier: MIT
 *
 * strata_observer.h -- what changed in the result of a query, in a collection, or in an object.
 *
 * An observer remembers what the program saw last, and tells how to get from there to what its view shows now: which
 * positions were deleted, inserted and modified. The cost follows what was changed and not how much there is, as far
 * as strata_observer_explain() says so.
 *
 * All observers of a view belong to one group. When the view has moved, the group reads the commits since, finds the
 * observers that they may concern, and asks nobody else. These are found by class, by the properties that matter to
 * them, and then by the object, or by the value of a condition `property == value`: of a thousand observers of a
 * thousand objects, or of the objects of a thousand owners, a commit that changes one object asks one, or two if the
 * object got another owner.
 *
 * Observers of equal queries share one result, whatever their key paths are: it is kept once, and what a commit changes
 * in it is found once. Each of them is told what it would be told alone, whenever it was made and is asked. Those who
 * are not asked while others are have a result of their own from the next change on, until they are asked as well.
 *
 *     strata_view_refresh(view, &moved, &error);
 *     strata_observers_advance(observers, &error);
 *     while (strata_observers_next(observers, &observer, &changes, &error) == STRATA_OK)
 *         tell(strata_observer_context(observer), &changes);
 *
 * What fails for one observer keeps no other from being told: such failures come behind all that there is to tell, and
 * name their observer. See strata_observers_next().
 *
 * Thread: a group and its observers belong to the thread that owns the view, at each call.
 */
#ifndef STRATA_OBSERVER_H
#define STRATA_OBSERVER_H

#include "strata_changes.h"
#include "strata_query.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All observers of a view. */
typedef struct strata_observers strata_observers;
/** What the program saw last of a result, a collection or an object. */
typedef struct strata_observer strata_observer;

/** Steps from an object to a property: when that is assigned, or one before it, the object counts as modified. Columns
 * and STRATA_STEP_BACKLINKS only; what stands behind the last step does not count, unless that is a collection: then its
 * elements and their number do, but not the properties of objects in it. */
typedef struct strata_key_path {
    const strata_step *steps;
    uint32_t length;
} strata_key_path;

/** Which properties of an object count. */
typedef struct strata_key_paths {
    const strata_key_path *paths; /**< NULL and `all`: see there. Without any path no modification is told */
    uint32_t count;
    bool all; /**< all properties of the object, and of the objects that its links lead to: of a query or a collection
                   up to three links away, of a single object none */
} strata_key_paths;

enum { STRATA_MAX_KEY_PATHS = 1000 /**< of one observer */ };

/**
 * Makes a group for a view.
 *
 * Ownership: the caller closes `*out` before the view. Fails: as strata_feed_open().
 */
STRATA_CHECKED strata_status strata_observers_open(strata_view *view, strata_observers **out, strata_error *error);
/** Closes a group with all of its observers. */
void strata_observers_close(strata_observers *observers);

/* ---- Observers -------------------------------------------------------- */

/**
 * Observes the result of a query, from what the view shows now. The positions are those in the result of
 * strata_query_run(). The query must not have `after`.
 *
 * `context` is returned by strata_observer_context(). Ownership: the caller removes `*out`, or closes the group; the
 *   query and the paths are copied.
 * Fails: STRATA_WRITING, while the view writes and has changed something, or in a queued write, which may share its
 *   transaction with others; STRATA_MISUSE; as strata_query_run().
 */
STRATA_CHECKED strata_status strata_observe_query(strata_observers *observers, const strata_query *query,
                                                  const strata_key_paths *paths, void *context,
                                                  strata_observer **out, strata_error *error);
/**
 * Observes a list, a set or a map of an object. The positions are those of strata_collection_get(). Of a list they are
 * those of the operations that changed it: an element that was set is modified, even if it holds the same value.
 * Elements of sets and entries of maps are recognised by their values and keys.
 * Fails: as strata_observe_query(); STRATA_NOT_FOUND, if there is no such object.
 */
STRATA_CHECKED strata_status strata_observe_collection(strata_observers *observers, uint32_t table, uint64_t key,
                                                       uint32_t column, const strata_key_paths *paths, void *context,
                                                       strata_observer **out, strata_error *error);
/** Observes an object. Fails: as strata_observe_collection(). */
STRATA_CHECKED strata_status strata_observe_object(strata_observers *observers, uint32_t table, uint64_t key,
                                                   const strata_key_paths *paths, void *context,
                                                   strata_observer **out, strata_error *error);

void *strata_observer_context(const strata_observer *observer);
/** Takes an observer out of its group, and frees it. It may be one that strata_observers_next() has just told of, or
 * that it would tell of next. */
void strata_observer_remove(strata_observer *observer);

/* ---- Changes ---------------------------------------------------------- */

enum {
    STRATA_CHANGES_GONE = 1,  /**< the object is gone: that was observed, or that had the observed collection. All
                                   elements are deleted, and nothing will follow */
    STRATA_CHANGES_ANEW = 2,  /**< there was no record of the changes: everything that is still there counts as
                                   modified */
    STRATA_CHANGES_HELD = 4   /**< the observer is held, and commits may have changed something for it: nothing else
                                   is told, see strata_observer_hold() */
};

/** How to get from what the program saw last to what the view shows: delete, insert, modify. Positions ascend. May get
 * fields at its end. Lifetime: until the next call with a function of this header that moves
 * or removes an observer: those that tell of a result, of costs and of the context do not. */
typedef struct strata_changes {
    uint32_t size; /**< sizeof(strata_changes), set by the caller */
    uint32_t flags;
    const uint64_t *deletions;           /**< positions before */
    uint64_t deletion_count;
    const uint64_t *insertions;          /**< positions after */
    uint64_t insertion_count;
    const uint64_t *modifications;       /**< positions before. What moved is deleted and inserted, not modified */
    uint64_t modification_count;
    const uint64_t *modifications_after; /**< the same ones, where they are now: not in ascending order, perhaps */
    const strata_bytes *deleted_keys;    /**< of a map: one for each deletion */
    const uint32_t *columns;             /**< of an object: the columns that count, and were assigned, or from which a
                                              path leads on to one that was; each once, ascending */
    uint32_t column_count;
    uint32_t path_count;
    const uint32_t *paths;               /**< of an object observed by key paths: the numbers of those that led to what
                                              was assigned; each once, ascending */
} strata_changes;

/** Zeros, and the size. */
static inline strata_changes strata_changes_blank(void) {
    strata_changes changes;
    memset(&changes, 0, sizeof changes);
    changes.size = (uint32_t)sizeof changes;
    return changes;
}

/**
 * Reads what was committed up to what the view shows now, and begins to tell about it. A view that writes must not have
 * changed anything yet. What is not asked for with strata_observers_next() until the next call is told then, together
 * with what comes; if that are more than a thousand commits, or 16 MiB of records, with STRATA_CHANGES_ANEW.
 *
 * Fails: STRATA_WRITING, STRATA_NO_MEMORY, STRATA_CORRUPT, ...; nothing is lost, and the next call tells it.
 */
STRATA_CHECKED strata_status strata_observers_advance(strata_observers *observers, strata_error *error);
/**
 * The next observer for which something changed, in the order in which they were made. Returns STRATA_OK or STRATA_END.
 * Observers that were made since the last strata_observers_advance() are not among them. If the view has moved since
 * then, it is told up to what the view shows, and those who were told before that are told the rest with the next
 * advance.
 *
 * Fails: as strata_query_run(), for one observer: `*out` is that one, and not NULL. It is told with the next advance.
 *   Until everybody else has been told the failure waits, then the observer is asked once more; if that fails, too, the
 *   call does. The next call goes on behind it, to other observers that fail or to STRATA_END. One whose query has lost
 *   a column or its class to a migration (STRATA_MISUSE) fails with each advance that concerns it, until it is removed.
 *   With `*out` NULL it is the group that fails: as strata_observers_advance(); STRATA_MISUSE.
 */
STRATA_CHECKED strata_status strata_observers_next(strata_observers *observers, strata_observer **out,
                                                   strata_changes *changes, strata_error *error);
/** Counts what the view shows now as seen by an observer, so that it is not told. For a program that knows what it has
 * just written: everything before the write must have been told. Fails: as strata_observers_next(). */
STRATA_CHECKED strata_status strata_observer_skip(strata_observer *observer, strata_error *error);
/** Whether an observer may still have to be told of what came before the last strata_observers_advance(), so that
 * strata_observer_skip() would lose it; false for NULL. */
bool strata_observer_is_behind(const strata_observer *observer);

/* ---- Holding ---------------------------------------------------------- */

/**
 * Holds an observer for a program that is told when it is ready, such as a loop that does something else meanwhile:
 * strata_observers_next() tells of it only that there may be changes (STRATA_CHANGES_HELD), with each advance until it
 * is asked. Then strata_observer_ask() tells how to get from what the program saw last to what the view shows, in one
 * step, however many commits lie between.
 *
 * Meanwhile the commits are remembered. If they are more than a thousand, or their records more than 16 MiB,
 * STRATA_CHANGES_ANEW is told.
 */
void strata_observer_hold(strata_observer *observer);
/** What changed for one observer, held or not, up to what the view shows. Returns STRATA_OK, or STRATA_END if nothing
 * did. Fails: as strata_observers_next(); nothing is lost, and the next call tells it. */
STRATA_CHECKED strata_status strata_observer_ask(strata_observer *observer, strata_changes *changes,
                                                 strata_error *error);

/* ---- Results ---------------------------------------------------------- */

/**
 * How many objects the result of an observed query has now, without running it: for a program that shows the objects of
 * which it was told.
 *
 * An observer knows its result when it has told of all that the view shows. Returns STRATA_OK, or STRATA_END if it does
 * not know it: there are commits that may concern it and of which it has not told yet, or the view has changed something
 * since its last commit or is in a queued write, or the observer is not of a query. Then strata_query_run() finds the result. Fails:
 * STRATA_MISUSE.
 */
STRATA_CHECKED strata_status strata_observer_size(const strata_observer *observer, uint64_t *out, strata_error *error);
/** The keys of objects in the result of an observed query: so many from a position on, into `out`. Returns as
 * strata_observer_size(). Fails: STRATA_MISUSE; STRATA_RANGE if there are fewer. */
STRATA_CHECKED strata_status strata_observer_keys(const strata_observer *observer, uint64_t position, uint64_t count,
                                                  uint64_t *out, strata_error *error);
/** The position of an object in the result of an observed query. Returns as strata_observer_size(); STRATA_NOT_FOUND if
 * the object is not in the result. Fails: STRATA_MISUSE. */
STRATA_CHECKED strata_status strata_observer_find(const strata_observer *observer, uint64_t key, uint64_t *out,
                                                  strata_error *error);

/* ---- Costs ------------------------------------------------------------ */

/** What observing takes. May get fields at its end. */
typedef struct strata_observer_stats {
    uint32_t size;          /**< sizeof(strata_observer_stats), set by the caller */
    uint32_t zero;
    uint64_t memory;        /**< bytes that the observer has now, and its part of those that it shares */
    uint64_t rows_visited;  /**< rows whose values were looked at for it, since it was made. What is shared counts for
                                 the one that was asked first */
    uint64_t deliveries;    /**< how often strata_observers_next() told of it */
    uint64_t reruns;        /**< how often the whole query was run for that */
    char plan[200];         /**< one line, such as "in the order of keys; each changed object is tested" */
    uint64_t sharers;       /**< observers that have the same result, with this one */
    uint64_t links_read;    /**< links of a collection that were looked at to find where changed objects are in it */
} strata_observer_stats;

/** Tells what an observer takes, and what each delivery will cost. Fails: STRATA_MISUSE. */
STRATA_CHECKED strata_status strata_observer_explain(const strata_observer *observer, strata_observer_stats *out,
                                                     strata_error *error);

/** What a group takes, and whom it asked. May get fields at its end. */
typedef struct strata_observers_stats {
    uint32_t size;          /**< sizeof(strata_observers_stats), set by the caller */
    uint32_t zero;
    uint64_t observers;     /**< how many there are */
    uint64_t commits;       /**< how many were read */
    uint64_t asked;         /**< how often an observer was asked what commits changed for it */
    uint64_t rows_visited;  /**< rows that were looked at to find whom to ask; the observers count theirs themselves */
    uint64_t memory;        /**< bytes of what finds observers; theirs are in strata_observer_stats */
    uint64_t results;       /**< results of queries that are kept: one for all observers of equal queries, but for
                                 those that were not asked when others were */
    uint64_t sharers;       /**< observers whose result another one has, too */
    uint64_t steps;         /**< how often a result was moved on, or found anew */
    uint64_t records;       /**< bytes of the records of commits of which somebody was not told yet */
} strata_observers_stats;

/** Tells what a group takes, and whom it asked since it was opened. Fails: STRATA_MISUSE. */
STRATA_CHECKED strata_status strata_observers_explain(const strata_observers *observers, strata_observers_stats *out,
                                                      strata_error *error);

#ifdef __cplusplus
}
#endif
#endif
