/* SPDX-License-Identifier: MIT
 * flush_note.c -- a note that everything in a file is on the disk.
 *
 * What was read from a file must still be there after a power cut, but a writer that was killed may have left its last
 * commit in the page cache only. So a file is flushed when it is opened, unless nothing was written to it since it was
 * last flushed. The note proves that: somebody read the state of the file, then flushed the file, and then wrote the
 * state into the note. The note is right as long as the state is the same:
 *
 *   any write           changes the file's time of change, which programs cannot set: a commit that was made, failed
 *                       or was cut short by a kill, with whatever durability; a backup that is copied over the file
 *   another file        under the name, a copy or the file put back, has another inode or time of change
 *   a power cut         changes the number of the boot
 *   a failed flush      is not noted
 *   several processes   do not matter, because the note is about the file: whoever writes the note has flushed what
 *                       was there when the state was read, and what was written later has a later time
 *   a clock set back    can repeat a time, but not the number and epoch of a commit
 *
 * Two writes within one tick of the clock may get the same time of change. So a state is used only when its time of
 * change is well past: whatever is written from then on gets a later time.
 *
 * The note is an extended attribute of LMDB's lock file. There it does not change the data file, is not copied with it,
 * and is gone when the lock file is deleted. It is set by path, because closing a descriptor of the lock file would
 * drop LMDB's locks. A file is flushed at every opening where there is no lock file, where files have no attributes,
 * where the boot has no number, and where the file may be remote, since another machine keeps its times then. */
#define _GNU_SOURCE 1
#include "store/flush_note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/state.h"

static const char attribute[] = "user.strata"; /* short enough for most file systems to keep it with the inode */

/* A tick takes up to 10 ms, and some file systems also round to 10 ms. */
static const uint64_t grain = 20 * 1000 * 1000, second = 1000 * 1000 * 1000;

static uint64_t nanoseconds(struct timespec time) { return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec; }

/* A text of 32 hexadecimal digits and some dashes. */
static bool read_boot(uint8_t out[16]) {
    char text[64];
    size_t digits = 0;
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t size = read(file, text, sizeof text);
    close(file);
    memset(out, 0, 16);
    for (ssize_t i = 0; i < size && digits < 32; i++) {
        bool letter = text[i] >= 'a' && text[i] <= 'f';
        if (!letter && (text[i] < '0' || text[i] > '9')) continue;
        uint8_t digit = (uint8_t)(letter ? text[i] - 'a' + 10 : text[i] - '0');
        out[digits / 2] = (uint8_t)(out[digits / 2] << 4 | digit);
        digits++;
    }
    return digits == 32;
}

/* A process lives within one start of the system, so it reads the number of that once. Stores are opened and closed with
 * the lock of the registry held. */
static bool find_boot(uint8_t out[16]) {
    static uint8_t boot[16];
    static bool known;
    if (!known) known = read_boot(boot);
    memcpy(out, boot, sizeof boot);
    return known;
}

bool st_flush_note_now(const strata_store *store, uint64_t commit, uint64_t epoch, st_flush_note *out) {
    struct stat info;
    struct timespec now;
    if (store->remote || clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || fstat(store->file, &info) != 0)
        return false;
    /* Some file systems keep whole seconds only: there the time may be that of an earlier write. */
    if (info.st_ctim.tv_nsec == 0 || nanoseconds(now) < nanoseconds(info.st_ctim) + grain) return false;
    *out = (st_flush_note){ .device = (uint64_t)info.st_dev, .inode = (uint64_t)info.st_ino,
                            .changed = nanoseconds(info.st_ctim), .commit = commit, .epoch = epoch };
    return find_boot(out->boot);
}

bool st_flush_note_works(const strata_store *store) {
    char *name = st_lock_file_name(store);
    bool works = name != NULL && (getxattr(name, attribute, NULL, 0) >= 0 || errno == ENODATA);
    free(name);
    return works;
}

bool st_flush_note_holds(const strata_store *store, const st_flush_note *now) {
    st_flush_note noted;
    char *name = st_lock_file_name(store);
    ssize_t size = name == NULL ? -1 : getxattr(name, attribute, &noted, sizeof noted);
    free(name);
    return size == (ssize_t)sizeof noted && memcmp(&noted, now, sizeof noted) == 0;
}

void st_flush_note_write(const strata_store *store, const st_flush_note *flushed) {
    char *name = st_lock_file_name(store);
    if (name != NULL) (void)setxattr(name, attribute, flushed, sizeof *flushed, 0);
    free(name);
}
