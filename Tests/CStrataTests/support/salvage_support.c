/* SPDX-License-Identifier: MIT
 * salvage_support.c -- files as bytes, and what is salvaged of them; for tests. */
#define _GNU_SOURCE 1
#include "support/salvage_support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "support/damage.h"
#include "support/faults.h"
#include "support/strata_support.h"

enum { PAGE = DAMAGE_PAGE };

/* ---- Files as bytes --------------------------------------------------- */

image image_read(const char *name) {
    image it = { 0 };
    FILE *file = fopen(ctest_path(name), "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    it.size = (size_t)ftell(file);
    it.bytes = malloc(it.size + 1);
    rewind(file);
    CHECK(fread(it.bytes, 1, it.size, file) == it.size);
    fclose(file);
    return it;
}

/* Writes the image under another name, without a lock file beside it. */
void image_write(const image *it, const char *name) {
    char lock[40];
    snprintf(lock, sizeof lock, "%s-lock", name);
    unlink(ctest_path(lock));
    FILE *file = fopen(ctest_path(name), "wb");
    CHECK(file != NULL && fwrite(it->bytes, 1, it->size, file) == it->size && fclose(file) == 0);
}

uint8_t *image_page(const image *it, uint64_t number) {
    CHECK((number + 1) * PAGE <= it->size);
    return it->bytes + number * PAGE;
}

void image_wipe(const image *it, uint64_t number) { memset(image_page(it, number), 0, PAGE); }

/* The newer meta page. */
st_page_file image_file(const image *it) {
    st_page_file file, other;
    image_write(it, "metas");
    int descriptor = open(ctest_path("metas"), O_RDONLY | O_CLOEXEC);
    CHECK(st_page_file_read_meta(descriptor, "metas", PAGE, 0, &file));
    CHECK(st_page_file_read_meta(descriptor, "metas", PAGE, 1, &other));
    close(descriptor);
    return other.txnid > file.txnid ? other : file;
}

/* The root of a tree, by its name in the main tree, which is one page here. */
uint64_t image_root(const image *it, const char *name) {
    st_page page;
    st_page_node node;
    uint64_t main_root = image_file(it).main_tree.root, root = 0;
    CHECK(st_page_open(image_page(it, main_root), main_root, PAGE, &page) == NULL && page.leaf);
    for (uint32_t i = 0; i < page.nodes && root == 0; i++) {
        st_page_tree tree;
        CHECK(st_page_node_read(&page, i, &node));
        if (node.key.size != strlen(name) || memcmp(node.key.data, name, node.key.size) != 0) continue;
        st_page_tree_read(node.value, &tree);
        root = tree.root;
    }
    CHECK(root != 0);
    return root;
}

/* A leaf somewhere below a branch. */
uint64_t image_leaf(const image *it, uint64_t number) {
    st_page page;
    st_page_node node;
    CHECK(st_page_open(image_page(it, number), number, PAGE, &page) == NULL);
    if (page.leaf) return number;
    CHECK(st_page_node_read(&page, page.nodes / 2, &node));
    return image_leaf(it, node.child);
}

/* ---- Salvaging -------------------------------------------------------- */

unsigned salvage_failing_allocation;
bool salvage_fault_was_met;

/* How many folders of somebody who salvaged are left. */
int salvage_folders(void) {
    int found = 0;
    DIR *entries = opendir(ctest_directory());
    CHECK(entries != NULL);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        found += strncmp(entry->d_name, ".strata-salvage-", 16) == 0;
    closedir(entries);
    return found;
}

strata_status salvage(const image *it, const strata_salvage_options *options, strata_salvage_report *out,
                      strata_error *error) {
    const char *damaged = ctest_path("damaged"), *saved = ctest_path("saved");
    image_write(it, "damaged");
    unlink(ctest_path("saved"));
    unlink(ctest_path("saved-lock"));
    if (salvage_failing_allocation != 0) fault_set(FAULT_ALLOCATION, salvage_failing_allocation, 1, ENOMEM);
    strata_status status = strata_salvage(damaged, saved, options, out, error);
    salvage_fault_was_met = fault_clear();
    CHECK_EQ(salvage_folders(), 0);
    bool rehearsed = options != NULL && (options->flags & STRATA_SALVAGE_DRY_RUN) != 0;
    CHECK((access(ctest_path("saved"), F_OK) == 0) == (status == STRATA_OK && !rehearsed));
    return status;
}

/* The same, of an image from which something must come. */
strata_salvage_report salvaged(const image *it, const strata_salvage_options *options) {
    strata_salvage_report report;
    strata_error error;
    strata_status status = salvage(it, options, &report, &error);
    if (status != STRATA_OK) fprintf(stderr, "%s\n", error.message);
    CHECK_EQ(status, STRATA_OK);
    fixture *f = fixture_open("saved");
    verify(f);
    fixture_close(f);
    return report;
}
