/* SPDX-License-Identifier: MIT */
/* mutex_order.h -- nothing is called from here: the functions of mutex_order.c stand before those of the library. */
