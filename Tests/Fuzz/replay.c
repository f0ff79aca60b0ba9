/* SPDX-License-Identifier: MIT
 * replay.c -- runs a fuzz target on the files that are given, without a fuzzer. */
#include "fuzz.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
            perror(argv[i]);
            return 1;
        }
        long size = ftell(file);
        rewind(file);
        uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
        if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) return 1;
        fclose(file);
        fprintf(stderr, "%s\r", argv[i]);
        (void)LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
    }
    fprintf(stderr, "%d inputs replayed\n", argc - 1);
    return 0;
}
