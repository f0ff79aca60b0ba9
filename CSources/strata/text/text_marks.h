/* SPDX-License-Identifier: MIT
 * text_marks.h -- letters without their marks, by tables of Unicode. */
#ifndef ST_TEXT_TEXT_MARKS_H
#define ST_TEXT_TEXT_MARKS_H

#include <stdint.h>

/** The letter under the marks of a code point: the code point itself if it has no marks, 0 if it is nothing but a
 * mark. */
uint32_t st_without_marks(uint32_t code);

#endif
