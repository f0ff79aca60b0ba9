/* SPDX-License-Identifier: MIT
 * assets.c -- files that are inside of the program. */
#include "assets.h"

#include <string.h>

static const unsigned char html[] = {
#embed "studio.html"
};
static const unsigned char css[] = {
#embed "studio.css"
};
static const unsigned char js[] = {
#embed "studio.js"
};
static const unsigned char page[] = {
#embed "page.js"
};
static const unsigned char fields[] = {
#embed "fields.js"
};
static const unsigned char changes[] = {
#embed "changes.js"
};
static const unsigned char icon[] = {
#embed "icon.svg"
};

const unsigned char *strata_asset(const char *name, size_t *out_size) {
    static const struct { const char *name; const unsigned char *bytes; size_t size; } files[] = {
        { "studio.html", html, sizeof html }, { "studio.css", css, sizeof css },
        { "studio.js", js, sizeof js }, { "page.js", page, sizeof page }, { "fields.js", fields, sizeof fields },
        { "changes.js", changes, sizeof changes }, { "icon.svg", icon, sizeof icon } };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].name, name) != 0) continue;
        *out_size = files[i].size;
        return files[i].bytes;
    }
    return NULL;
}
