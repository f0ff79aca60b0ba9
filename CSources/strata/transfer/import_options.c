/* SPDX-License-Identifier: MIT
 * import_options.c -- the options of a program, checked. */
#include "transfer/import_options.h"

#include <stddef.h>

#include "base/sized.h"
#include "base/status.h"

strata_status st_import_options_read(strata_import_options *out, const strata_import_options *given,
                                     strata_error *error) {
    if (given == NULL || !st_sized_plausible(given->size, sizeof *given) ||
        !st_sized_read(out, sizeof *out, given, given->size))
        return st_fail(error, STRATA_MISUSE, 0, "the options of an import were not made with "
                                                "strata_import_options_blank()");
    if ((uint32_t)out->format > STRATA_TEXT_ARRAY || (out->flags & ~7u) != 0)
        return st_fail(error, STRATA_MISUSE, 0, "the options of an import have an unknown format or flag");
    if (out->columns == NULL && out->column_count != 0)
        return st_fail(error, STRATA_MISUSE, 0, "the options of an import have a count of columns and no columns");
    for (uint32_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == NULL)
            return st_fail(error, STRATA_MISUSE, 0, "the options of an import have a column without a name");
    if (out->format == STRATA_TEXT_ARRAY) out->format = STRATA_TEXT_DOCUMENT;
    if (out->separator == 0) out->separator = ',';
    if (out->separator == '"' || out->separator == '\n' || out->separator == '\r')
        return st_fail(error, STRATA_MISUSE, 0, "quotes and line ends cannot separate the fields of CSV");
    return STRATA_OK;
}
