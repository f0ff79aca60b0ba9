/* SPDX-License-Identifier: MIT
 * feed.h -- feeds of commits: what a write leaves for them. */
#ifndef ST_CHANGES_FEED_H
#define ST_CHANGES_FEED_H

#include "table/view.h"

/** Lets a write that has just begun log what it does, if somebody wants to know. Without memory its record says that
 * anything may have changed. */
strata_status st_feed_begin(strata_view *view, strata_error *error);
/** Before the commit, when everything is flushed: makes the record of the write, if somebody wants it. Without memory
 * feeds of this process expire; a record that cannot be put into the file fails the write. */
strata_status st_feed_stage(strata_view *view, strata_error *error);

/** The version of the commit at which the feed began. */
uint64_t st_feed_version(const strata_feed *feed);

#endif
