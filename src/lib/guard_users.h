/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_users: who uses the operand or its kin at this moment. Each function returns 1 and says
 * in @text who it is, 0 for nobody, or -errno. @path is where the operand can be opened; NULL: it
 * is open already, exclusively.
 */
#ifndef GUARD_USERS_H
#define GUARD_USERS_H

#include "guard_kin.h"

#define GUARD_TEXT_BYTES 256

int guard_users_mounted(const struct guard_kin *kin, char text[GUARD_TEXT_BYTES]);
int guard_users_swap(const struct guard_kin *kin, char text[GUARD_TEXT_BYTES]);
int guard_users_held(const struct guard_kin *kin, const char *path, char text[GUARD_TEXT_BYTES]);
int guard_users_loop(const struct guard_kin *kin, char text[GUARD_TEXT_BYTES]);

#endif
