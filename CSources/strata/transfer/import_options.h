/* SPDX-License-Identifier: MIT
 * import_options.h -- the options of a program, checked. */
#ifndef ST_TRANSFER_IMPORT_OPTIONS_H
#define ST_TRANSFER_IMPORT_OPTIONS_H

#include "strata_import.h"

/** Fails: STRATA_MISUSE. */
strata_status st_import_options_read(strata_import_options *out, const strata_import_options *given,
                                     strata_error *error);

#endif
