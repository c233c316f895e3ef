// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* settings_key: the meaning of each key, and how its value is read. */
#include "settings_key.h"

#include "../member/member.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct settings, member)

#define COUNT(key, low, high, standard, member)                                                    \
	{                                                                                          \
		.name = (key), .kind = KEY_COUNT, .min = (low), .max = (high),                     \
		.initial = (standard), .offset = AT(member)                                        \
	}

/* The longest payload of any transport; udp allows less, see its plan. */
#define PAYLOAD_MAX (UINT64_C(16) << 20)

const struct settings_key settings_keys[] = {
	{"transport", KEY_TEXT, .offset = AT(transport.transport)},
	COUNT("num_msgs", 1, INT32_MAX, 0, group.num_msgs),
	{"msg_size", KEY_SIZE, .max = PAYLOAD_MAX, .offset = AT(group.msg_size)},
	COUNT("num_members", 1, MEMBERS_MAX, 0, group.num_members),
	COUNT("num_senders", 1, MEMBERS_MAX, 0, group.num_senders),
	COUNT("log_interval", 0, INT32_MAX, 0, log_interval),
	COUNT("processing_delay", 0, 60000, 0, processing_delay_ms),
	{"dump_transport_stats", KEY_FLAG, .offset = AT(dump_transport_stats)},
	{"props", KEY_TEXT, .offset = AT(props)},
	{"name", KEY_TEXT, .offset = AT(name)},
	{"bind_addr", KEY_TEXT, .offset = AT(transport.bind_addr)},
	{"bind_interface", KEY_TEXT, .offset = AT(transport.bind_interface)},
	{"mcast_addr", KEY_TEXT, .offset = AT(transport.mcast_addr)},
	COUNT("mcast_port", 1, UINT16_MAX, 7500, transport.mcast_port),
	COUNT("ttl", 0, 255, 1, transport.ttl),
	{"cluster", KEY_TEXT, .offset = AT(transport.cluster)},
	COUNT("start_port", 0, UINT16_MAX, 7800, transport.start_port),
	COUNT("srv_port", 0, UINT16_MAX, 7800, transport.start_port),
	{"broker", KEY_TEXT, .offset = AT(transport.broker)},
	{"topic", KEY_TEXT, .offset = AT(transport.topic)},
	{"user", KEY_TEXT, .offset = AT(transport.user)},
	{"password_file", KEY_TEXT, .offset = AT(transport.password_file)},
	{"overlay_file", KEY_TEXT, .offset = AT(transport.overlay_file)},
	{"overlay_group", KEY_TEXT, .offset = AT(transport.overlay_group)},
	{"recv_buf_size", KEY_SIZE, .min = 1, .max = INT_MAX / 2,
	 .offset = AT(transport.receive_bytes)},
	{"send_buf_size", KEY_SIZE, .min = 1, .max = INT_MAX / 2,
	 .offset = AT(transport.send_bytes)},
	{"sender", KEY_NOTE, .note = "the option -sender or -receiver says it"},
	{"config", KEY_NOTE, .note = "the option -config says it"},
	{"jmx", KEY_NOTE, .note = "there is no JMX here"},
	{"num_buddies", KEY_NOTE, .note = "as in the original"},
	{"gnuplot_output", KEY_NOTE, .note = "see --csv"},
};

const size_t settings_key_count = sizeof(settings_keys) / sizeof(*settings_keys);

const struct settings_key *settings_key_find(const char *name)
{
	for (size_t i = 0; i < settings_key_count; i++) {
		if (!strcmp(settings_keys[i].name, name))
			return &settings_keys[i];
	}
	return NULL;
}

static int set_flag(const char *value, bool *flag)
{
	*flag = !strcasecmp(value, "true");
	return *flag || !strcasecmp(value, "false") ? 0 : -EINVAL;
}

int settings_key_set(const struct settings_key *key, const char *value, struct settings *settings)
{
	void *at = (char *)settings + key->offset;

	switch (key->kind) {
	case KEY_TEXT: *(const char **)at = value; return 0;
	case KEY_COUNT: return np_units_parse_count(value, key->min, key->max, at);
	case KEY_SIZE: return np_units_parse_size(value, key->min, key->max, at);
	case KEY_FLAG: return set_flag(value, at);
	case KEY_NOTE: break;
	}
	return 0;
}

char *settings_key_expected(const struct settings_key *key, char *out, size_t room)
{
	if (key->kind == KEY_COUNT)
		snprintf(out, room, "a whole number, %" PRIu64 " to %" PRIu64, key->min, key->max);
	else if (key->kind == KEY_SIZE)
		snprintf(out, room, "bytes, with k, M, G or T, %" PRIu64 " to %" PRIu64, key->min,
			 key->max);
	else
		snprintf(out, room, "%s", key->kind == KEY_FLAG ? "true or false" : "text");
	return out;
}
