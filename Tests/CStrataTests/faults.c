/* SPDX-License-Identifier: MIT
 * faults.c -- makes system calls of the storage library fail. */
#define _GNU_SOURCE 1
#include "faults.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static _Thread_local struct {
    unsigned before; /* calls that still pass */
    unsigned times;  /* calls that then fail */
    int code;
} faults[FAULT_CALLS];
static _Thread_local bool met;

void fault_set(fault_call call, unsigned nth, unsigned times, int code) {
    faults[call].before = nth - 1;
    faults[call].times = times;
    faults[call].code = code;
}

bool fault_clear(void) {
    bool result = met;
    memset(faults, 0, sizeof faults);
    met = false;
    return result;
}

static bool fails(fault_call call) {
    if (faults[call].times == 0) return false;
    if (faults[call].before > 0) {
        faults[call].before--;
        return false;
    }
    faults[call].times--;
    met = true;
    errno = faults[call].code;
    return true;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    return fails(FAULT_PWRITE) ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    return fails(FAULT_WRITEV) ? -1 : syscall(SYS_writev, file, parts, count);
}

int fdatasync(int file) { return fails(FAULT_FDATASYNC) ? -1 : (int)syscall(SYS_fdatasync, file); }
