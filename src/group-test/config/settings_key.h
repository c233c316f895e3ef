/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * settings_key: the table of the keys that a configuration may have, with meaning, range and
 * default.
 */
#ifndef GROUP_TEST_CONFIG_SETTINGS_KEY_H
#define GROUP_TEST_CONFIG_SETTINGS_KEY_H

#include "settings.h"

enum settings_kind {
	KEY_TEXT,  /* const char * */
	KEY_COUNT, /* uint64_t, a whole number */
	KEY_SIZE,  /* uint64_t, bytes, with k, M, G or T */
	KEY_FLAG,  /* bool, true or false */
	KEY_NOTE,  /* no effect; the note says why */
};

struct settings_key {
	const char *name;
	enum settings_kind kind;
	uint64_t min, max; /* of counts and sizes, both included */
	uint64_t initial;  /* of counts and sizes */
	size_t offset;	   /* in struct settings */
	const char *note;
};

extern const struct settings_key settings_keys[];
extern const size_t settings_key_count;

/* Returns NULL for an unknown name. */
const struct settings_key *settings_key_find(const char *name);

/* Stores the value in @settings; returns 0, -EINVAL or -ERANGE. */
int settings_key_set(const struct settings_key *key, const char *value, struct settings *settings);

/* Describes valid values: "a whole number, 1 to 256". Returns @out. */
char *settings_key_expected(const struct settings_key *key, char *out, size_t room);

#endif
