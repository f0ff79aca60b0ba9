/* SPDX-License-Identifier: MIT
 * token.c -- names of commits. */
#include "changes/token.h"

#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "table/view.h"

enum { AT_EPOCH = 16, AT_VERSION = 24, BYTES = 32 };

void st_token_make(const uint8_t uuid[16], uint64_t epoch, uint64_t version, strata_token *out) {
    memcpy(out->bytes, uuid, 16);
    st_store64(out->bytes + AT_EPOCH, epoch);
    st_store64(out->bytes + AT_VERSION, version);
}

strata_status strata_view_token(const strata_view *view, strata_token *out, strata_error *error) {
    memset(out, 0, sizeof *out);
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (view->writes != NULL)
        return st_fail(error, STRATA_WRITING, 0, "a write has no token before its commit; ask the view afterwards");
    const st_header *header = st_txn_header(view->txn);
    st_token_make(header->uuid, header->epoch, header->version, out);
    return STRATA_OK;
}

uint64_t st_token_epoch(const strata_token *token) { return strata_load64(token->bytes + AT_EPOCH); }

uint64_t strata_token_version(const strata_token *token) {
    return token == NULL ? 0 : strata_load64(token->bytes + AT_VERSION);
}

void strata_token_text(const strata_token *token, char out[STRATA_TOKEN_TEXT]) {
    static const char digits[] = "0123456789abcdef";
    out[0] = 0;
    if (token == NULL) return;
    for (int i = 0; i < BYTES; i++) {
        out[2 * i] = digits[token->bytes[i] >> 4];
        out[2 * i + 1] = digits[token->bytes[i] & 15];
    }
    out[2 * BYTES] = 0;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

strata_status strata_token_parse(const char *text, size_t size, strata_token *out, strata_error *error) {
    bool sound = text != NULL && size == 2 * BYTES;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < BYTES && sound; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        sound = high >= 0 && low >= 0;
        if (sound) out->bytes[i] = (uint8_t)(high << 4 | low);
    }
    if (sound) return STRATA_OK;
    memset(out, 0, sizeof *out);
    return st_fail(error, STRATA_MISUSE, 0, "the text of a token has 64 digits from 0 to 9 and a to f");
}
