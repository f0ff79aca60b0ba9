/* SPDX-License-Identifier: MIT
 *
 * element_write.h -- elements that are put into collections, or taken out.
 *
 * The bytes of an element of an edit are in the memory of the write set, or are the reference to an overflow value.
 */
#ifndef ST_WRITE_ELEMENT_WRITE_H
#define ST_WRITE_ELEMENT_WRITE_H

#include "collection/element.h"

/** Makes elements of values that were checked. The bytes of values may be lent by the view: all short ones are copied
 * before an overflow value is stored, which moves trees. On failure only cancelling is left. */
strata_status st_elements_copy(strata_view *view, const st_column *column, uint64_t object,
                               const strata_value *values, size_t count, strata_value *out, strata_error *error);

/** Logs that the links of an element come or go. */
strata_status st_element_log(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                             bool added, strata_error *error);
/** Gives up an element that is removed: logs its links, and drops its overflow value. */
strata_status st_element_drop(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                              strata_error *error);
/** Drops the overflow value of an element, if it has one, and leaves its links to the caller. */
strata_status st_element_drop_overflow(strata_view *view, const st_column *column, const strata_value *element,
                                       uint64_t origin, strata_error *error);

#endif
