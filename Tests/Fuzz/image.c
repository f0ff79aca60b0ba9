/* SPDX-License-Identifier: MIT
 * image.c -- a sound file with everything in it, which fuzz targets change. */
#define _GNU_SOURCE 1
#include "image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/hostile.h"

enum { PAGE = 4096, PERSONS = 60, CHANGES = 12 };

static uint8_t *image;
static size_t image_size;

static void make_image(void) {
    struct stat info;
    hostile_make_file("sound", PERSONS);
    int file = open(ctest_path("sound"), O_RDONLY);
    CHECK(file >= 0 && fstat(file, &info) == 0);
    image_size = (size_t)info.st_size;
    image = malloc(image_size);
    CHECK(image != NULL && read(file, image, image_size) == info.st_size);
    close(file);
}

static void change(fuzz_input *input, uint8_t *bytes) {
    static const uint16_t fields[] = { 0, 8, 10, 12, 14, 16, 18, 20, 24, 32, 40, 44, 48, 56, 64, 72, 80, 88, 92, 96, 104,
                                       112, 120, 128, 136, 144 };
    size_t page = fuzz_u16(input) % (image_size / PAGE) * PAGE, at = fuzz_u16(input);
    uint8_t kind = fuzz_u8(input);
    at = kind % 2 == 0 ? fields[at % (sizeof fields / sizeof *fields)] : at % PAGE;
    size_t size = 1u << kind / 2 % 4;
    if (at + size > PAGE) at = PAGE - size;
    if (kind / 8 % 4 == 0) { /* a piece of another page */
        size_t from = fuzz_u16(input) % (image_size / PAGE) * PAGE;
        memmove(bytes + page + at, bytes + from + at, size);
    } else {
        fuzz_bytes(input, bytes + page + at, size);
    }
}

void fuzz_write_changed(fuzz_input *input, const char *name) {
    if (image == NULL) make_image();
    uint8_t *bytes = fuzz_copy(image, image_size);
    for (int i = 0; i < CHANGES && input->size != 0; i++) change(input, bytes);
    int file = open(ctest_path(name), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(file >= 0 && write(file, bytes, image_size) == (ssize_t)image_size && close(file) == 0);
    free(bytes);
}
