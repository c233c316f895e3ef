// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transport: checks and counts for all variants, and does what a variant need not provide. */
#include "drops.h"
#include "variant.h"

#include <errno.h>
#include <stdlib.h>

#define CONNECT_LIMIT (2 * NP_SECOND)

static const struct transport_variant *const variants[] = {
	&transport_udp_variant,	    &transport_tcp_variant,  &transport_mqtt_variant,
	&transport_overlay_variant, &transport_null_variant,
};

#define COUNTER(member) .offset = offsetof(struct transport_stats, member)

const struct transport_counter transport_counters[] = {
	{"sent_messages", "sent messages", "num_msgs_sent", COUNTER(sent_messages)},
	{"sent_bytes", "sent bytes", "num_bytes_sent", COUNTER(sent_bytes)},
	{"received_messages", "received messages", "num_msgs_received", COUNTER(received_messages)},
	{"received_bytes", "received bytes", "num_bytes_received", COUNTER(received_bytes)},
	{"send_calls", "send calls", COUNTER(send_calls)},
	{"receive_calls", "receive calls", COUNTER(receive_calls)},
	{"send_refused", "send refused", COUNTER(send_refused)},
	{"send_errors", "send errors", COUNTER(send_errors)},
	{"oversize", "oversize", COUNTER(oversize)},
	{"bad_lengths", "bad lengths", COUNTER(bad_lengths)},
	{"bad_handshakes", "bad hand-shakes", COUNTER(bad_handshakes)},
	{"silent", "silent connections", COUNTER(silent)},
	{"refused", "refused connections", COUNTER(refused)},
	{"truncated", "truncated", COUNTER(truncated)},
	{"not_allowed", "connections not allowed", COUNTER(not_allowed)},
	{"rcvbuf", NULL, COUNTER(dropped), .drops = true},
	{"sndbuf", "refused by the transmit queue", COUNTER(queue_refused), .drops = true},
	{.offset = SIZE_MAX},
};

static const struct transport_variant *find(const char *name)
{
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		if (!strcmp(variants[i]->name, name))
			return variants[i];
	}
	return NULL;
}

static bool plan_is_sound(const struct transport_plan *plan)
{
	size_t longest = plan->data_bytes + 32;

	if (longest < TRANSPORT_HEAD)
		longest = TRANSPORT_HEAD;
	return plan->data_bytes && plan->data_bytes < SIZE_MAX / TRANSPORT_BATCH &&
	       plan->data_header_bytes <= plan->data_bytes && plan->control_bytes &&
	       plan->control_bytes <= longest && plan->members && plan->senders <= plan->members;
}

static int open_variant(struct transport *t, const struct transport_plan *plan,
			struct np_fault *fault)
{
	struct transport_plan complete = *plan;
	int rc;

	if (!complete.connect_limit)
		complete.connect_limit =
			t->variant->connect_limit ? t->variant->connect_limit : CONNECT_LIMIT;
	t->fd = -1;
	t->deadline = NP_TIME_NEVER;
	t->data_bytes = plan->data_bytes;
	t->data_header_bytes = plan->data_header_bytes;
	t->control_bytes = plan->control_bytes;
	t->message_bytes =
		plan->data_bytes > plan->control_bytes ? plan->data_bytes : plan->control_bytes;
	t->info.stamps = "user";
	rc = t->variant->open(t, &complete, fault);
	t->info.variant = t->variant->name;
	t->info.unicast = t->variant->send_to;
	return rc;
}

int transport_open(struct transport **transport, const struct transport_plan *plan,
		   const struct transport_listener *listener, struct np_fault *fault)
{
	const struct transport_variant *variant = find(plan->variant);
	struct transport *t;
	int rc;

	*transport = NULL;
	if (!variant)
		return np_fault_set(fault, -EPROTONOSUPPORT, plan->variant, "no such transport");
	if (variant->refusal)
		return np_fault_set(fault, -EPROTONOSUPPORT, plan->variant, "%s", variant->refusal);
	if (!plan_is_sound(plan))
		return np_fault_set(fault, -EINVAL, plan->variant, "sizes out of range");
	t = calloc(1, sizeof(*t));
	if (!t)
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	t->variant = variant;
	t->listener = *listener;
	rc = transport_drops_open(t, &plan->drops);
	rc = rc ? np_fault_errno(fault, rc, plan->variant) : open_variant(t, plan, fault);
	if (rc) {
		transport_free(t);
		return rc;
	}
	*transport = t;
	return 0;
}

int transport_enlist(struct transport *transport, const struct np_address *addresses, size_t count)
{
	return transport->variant->enlist ? transport->variant->enlist(transport, addresses, count)
					  : 0;
}

void transport_free(struct transport *transport)
{
	if (!transport)
		return;
	transport->variant->close(transport);
	transport_drops_close(transport);
	free(transport);
}

const struct transport_info *transport_info(const struct transport *transport)
{
	return &transport->info;
}

int transport_fd(const struct transport *transport)
{
	return transport->fd;
}

np_time transport_deadline(const struct transport *transport)
{
	return transport->deadline;
}

int transport_turn(struct transport *transport, unsigned most, np_time now)
{
	transport->reserved = 0;
	return transport->variant->turn(transport, most, now);
}

static int count_sent(struct transport *t, int rc, size_t bytes)
{
	if (rc == -EAGAIN) {
		t->stats.send_refused++;
	} else if (rc) {
		t->stats.send_errors++;
		t->stats.last_error = rc;
	} else {
		t->stats.sent_messages++;
		t->stats.sent_bytes += bytes;
	}
	return rc;
}

int transport_send(struct transport *transport, const void *message, size_t bytes)
{
	transport->reserved = 0;
	if (!bytes || bytes > transport->control_bytes)
		return -EMSGSIZE;
	return count_sent(transport, transport->variant->send(transport, message, bytes), bytes);
}

int transport_send_to(struct transport *transport, const struct identity *who, const void *message,
		      size_t bytes)
{
	int rc;

	if (!transport->variant->send_to)
		return transport_send(transport, message, bytes);
	transport->reserved = 0;
	if (!bytes || bytes > transport->control_bytes)
		return -EMSGSIZE;
	rc = transport->variant->send_to(transport, who, message, bytes);
	return count_sent(transport, rc, bytes);
}

unsigned transport_reserve(struct transport *transport, unsigned wanted,
			   struct transport_slots *slots)
{
	if (wanted > TRANSPORT_BATCH)
		wanted = TRANSPORT_BATCH;
	*slots = (struct transport_slots){};
	transport->reserved = wanted ? transport->variant->reserve(transport, wanted, slots) : 0;
	slots->count = transport->reserved;
	return transport->reserved;
}

int transport_commit(struct transport *transport, unsigned count)
{
	const unsigned most = count < transport->reserved ? count : transport->reserved;
	int taken;

	transport->reserved = 0;
	if (!most)
		return 0;
	taken = transport->variant->commit(transport, most);
	if (taken < 0) {
		transport->stats.send_errors++;
		transport->stats.last_error = taken;
		return taken;
	}
	transport->stats.sent_messages += (unsigned)taken;
	transport->stats.sent_bytes += (uint64_t)(unsigned)taken * transport->data_bytes;
	return taken;
}

void transport_drop(struct transport *transport, const struct identity *who)
{
	if (transport->variant->drop)
		transport->variant->drop(transport, who);
}

void transport_trust(struct transport *transport, const struct identity *who, unsigned way)
{
	if (transport->variant->trust)
		transport->variant->trust(transport, who, way);
}

bool transport_idle(const struct transport *transport)
{
	return !transport->variant->idle || transport->variant->idle(transport);
}

int transport_stats(struct transport *transport, struct transport_stats *stats)
{
	int rc = transport->variant->stats ? transport->variant->stats(transport) : 0;

	*stats = transport->stats;
	return rc;
}

void transport_describe(const struct transport *transport, struct np_record *record)
{
	if (transport->variant->describe)
		transport->variant->describe(transport, record);
}

void transport_sum_up(struct transport *transport, struct np_record *summary)
{
	if (transport->variant->sum_up)
		transport->variant->sum_up(transport, summary);
}
