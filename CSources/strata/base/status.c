/* SPDX-License-Identifier: MIT
 * status.c -- reporting failures. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define ST_TEXT_(x) #x
#define ST_TEXT(x) ST_TEXT_(x)

const char *strata_version(void) {
    return ST_TEXT(STRATA_VERSION_MAJOR) "." ST_TEXT(STRATA_VERSION_MINOR) "." ST_TEXT(STRATA_VERSION_PATCH);
}

uint32_t strata_abi(void) { return STRATA_ABI; }

const char *strata_status_name(strata_status status) {
    switch (status) {
#define ST_STATUS(name) \
    case name: return #name;
#include "base/status.def"
#undef ST_STATUS
    }
    return "unknown status";
}

strata_status st_fail(strata_error *error, strata_status status, int system_code, const char *format, ...) {
    if (error == NULL) return status;
    error->status = status;
    error->system_code = system_code;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (length < 0) error->message[0] = 0;
    if (length >= (int)sizeof error->message) {
        /* Ends with a whole character, so that the message stays UTF-8. */
        size_t end = sizeof error->message - 1;
        while (end > 0 && ((unsigned char)error->message[end - 1] & 0xC0) == 0x80) end--;
        if (end > 0 && ((unsigned char)error->message[end - 1] & 0xC0) == 0xC0) end--;
        error->message[end] = 0;
    }
    return status;
}

strata_status st_no_memory(strata_error *error, const char *doing) {
    return st_fail(error, STRATA_NO_MEMORY, 0, "out of memory while %s", doing);
}

bool st_is_about_room(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG; }
