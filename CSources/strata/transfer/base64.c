/* SPDX-License-Identifier: MIT
 * base64.c -- bytes as text: RFC 4648, section 4. */
#include "transfer/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void st_base64_print(const uint8_t *bytes, size_t size, char *out) {
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16;
        if (i + 1 < size) word |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < size) word |= bytes[i + 2];
        *out++ = digits[word >> 18];
        *out++ = digits[word >> 12 & 63];
        *out++ = i + 1 < size ? digits[word >> 6 & 63] : '=';
        *out++ = i + 2 < size ? digits[word & 63] : '=';
    }
}

static int value_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool st_base64_read(const char *text, size_t size, uint8_t *out, size_t *out_size) {
    uint32_t word = 0, bits = 0;
    size_t length = 0;
    if (size % 4 == 0)
        for (int i = 0; i < 2 && size > 0 && text[size - 1] == '='; i++) size--;
    for (size_t i = 0; i < size; i++) {
        int value = value_of(text[i]);
        if (value < 0) return false;
        word = word << 6 | (uint32_t)value;
        if ((bits += 6) < 8) continue;
        bits -= 8;
        out[length++] = (uint8_t)(word >> bits);
    }
    *out_size = length;
    return size % 4 != 1 && (word & ((1u << bits) - 1)) == 0;
}
