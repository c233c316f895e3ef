// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay_open: opens the node by its file, checks what it can carry, and leaves in the end. */
#include "overlay.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define OWN_BYTES   ((size_t)4 << 20)
#define OWN_LEAST   8
#define LEAVE_LIMIT NP_SECOND
/* What the overlay adds to a payload, at most, except what its nodes remember of the way. */
#define COVER 128
/* The queues of a node on the way hold copies for several others, and control messages. */
#define QUEUE_SHARE 4

static int open_node(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct overlay_state *s = t->state;
	const struct np_overlay_options how = {
		.receive_bytes = plan->receive_bytes,
		.send_bytes = plan->send_bytes,
		.tos = plan->tos,
		.ttl = plan->ttl,
		.device = plan->device,
		.log = plan->overlay.log,
	};
	const struct np_overlay_listener listener = {
		.context = t,
		.deliver = overlay_on_message,
		.event = overlay_on_event,
	};

	return np_overlay_open_file(&s->overlay, s->file, &how, &listener, fault);
}

/* A message is a payload, whole. */
static int check_length(const struct transport *t, struct np_fault *fault)
{
	const struct overlay_state *s = t->state;
	const struct np_overlay_info *info = np_overlay_info(s->overlay);
	const size_t room = info->payload_max_all - OVERLAY_HEAD_BYTES;

	if (info->payload_max_all < OVERLAY_HEAD_BYTES + t->control_bytes)
		return np_fault_set(fault, -EMSGSIZE, s->file,
				    "MaximumPacketLength leaves %zu bytes for a message; at least "
				    "%zu are needed",
				    info->payload_max_all, OVERLAY_HEAD_BYTES + t->control_bytes);
	if (t->data_bytes > room)
		return np_fault_set(fault, -EMSGSIZE, "msg_size",
				    "%zu bytes: a message has at most %zu in this overlay; see "
				    "MaximumPacketLength in %s",
				    t->data_bytes - t->data_header_bytes,
				    room - t->data_header_bytes, s->file);
	return 0;
}

/* Its cost in a receive buffer: see udp_open.c. */
static size_t message_cost(size_t bytes)
{
	return 768 * (1 + bytes / 1400) + 2 * bytes;
}

/* How much may be on the way to a member, and so in a queue of each node before it. */
static int set_window(struct transport *t, const struct transport_plan *plan,
		      struct np_fault *fault)
{
	const struct overlay_state *s = t->state;
	const struct np_overlay_info *info = np_overlay_info(s->overlay);
	const size_t queue = 2 * info->message_max > OWN_BYTES ? 2 * info->message_max : OWN_BYTES;
	size_t window = info->message_buffer / QUEUE_SHARE;

	if (plan->senders > info->message_buffer)
		return np_fault_set(fault, -EINVAL, s->file,
				    "MessageBufferSize of %u messages has no room for one of each "
				    "of %u senders; expected at least %u",
				    info->message_buffer, plan->senders,
				    QUEUE_SHARE * plan->senders);
	if (window > queue / (t->data_bytes + COVER))
		window = queue / (t->data_bytes + COVER);
	if (window < plan->senders)
		window = plan->senders;
	if (info->drop_unit && info->receive_granted) {
		t->info.message_cost = message_cost(t->data_bytes + COVER);
		if (window > info->receive_granted / t->info.message_cost)
			window = info->receive_granted / t->info.message_cost;
	}
	t->info.lossy = true;
	t->info.window_bytes = window * t->data_bytes;
	return 0;
}

static void tell(struct transport *t, const struct transport_plan *plan)
{
	const struct overlay_state *s = t->state;
	const struct np_overlay_info *info = np_overlay_info(s->overlay);
	const struct np_overlay_logical own = np_overlay_logical(s->overlay);
	char text[NP_OVERLAY_LOGICAL_TEXT];

	t->info.self = identity_of(&info->local);
	t->info.receive_granted = info->receive_granted;
	t->info.send_granted = info->send_granted;
	t->info.stamps = info->stamps;
	t->info.drop_unit = info->drop_unit;
	t->info.relays = true;
	t->info.outage = info->timeout;
	snprintf(t->info.detail, sizeof(t->info.detail),
		 "%s over %s by %.60s, group %.40s, logical address %s", info->protocol,
		 info->substrate, s->file, plan->overlay.group, np_overlay_format(&own, text));
}

static int make_own(struct overlay_state *s, const struct transport *t,
		    const struct transport_plan *plan, struct np_fault *fault)
{
	struct overlay_own own = {.count = TRANSPORT_BATCH,
				  .cell_bytes = OVERLAY_HEAD_BYTES + t->message_bytes};
	uint8_t *out = malloc(OVERLAY_HEAD_BYTES + t->control_bytes);

	while (own.count > OWN_LEAST && own.count * own.cell_bytes > OWN_BYTES)
		own.count /= 2;
	own.cells = malloc(own.count * own.cell_bytes);
	own.message = calloc(own.count, sizeof(*own.message));
	if (!own.cells || !own.message || !out) {
		free(own.cells);
		free(own.message);
		free(out);
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	}
	overlay_head_encode(s->head, plan->overlay.group, &t->info.self);
	memset(own.cells, TRANSPORT_FILL, own.count * own.cell_bytes);
	for (unsigned i = 0; i < own.count; i++)
		memcpy(own.cells + i * own.cell_bytes, s->head, OVERLAY_HEAD_BYTES);
	s->own = own;
	s->out = out;
	return 0;
}

static int watch(const struct transport *t, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(t->fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int watch_all(struct transport *t)
{
	struct overlay_state *s = t->state;
	int rc;

	t->fd = epoll_create1(EPOLL_CLOEXEC);
	s->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (t->fd < 0 || s->wake < 0)
		return -errno;
	rc = watch(t, np_overlay_fd(s->overlay));
	return rc ? rc : watch(t, s->wake);
}

int overlay_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct overlay_state *s = calloc(1, sizeof(*s));
	int rc;

	t->state = s;
	if (!s)
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	s->wake = -1;
	s->log = plan->overlay.log;
	s->alone = plan->members == 1;
	s->paused = NP_TIME_NEVER;
	s->file = strdup(plan->overlay.file);
	if (!s->file)
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	rc = open_node(t, plan, fault);
	if (!rc)
		rc = check_length(t, fault);
	if (!rc)
		rc = set_window(t, plan, fault);
	if (rc)
		return rc;
	tell(t, plan);
	rc = make_own(s, t, plan, fault);
	if (rc)
		return rc;
	rc = watch_all(t);
	t->deadline = 0;
	return rc ? np_fault_errno(fault, rc, plan->variant) : 0;
}

/* Its neighbours are told, so that they need not wait for its silence. */
static void leave(struct overlay_state *s)
{
	const np_time limit = np_clock_now() + LEAVE_LIMIT;
	np_time now = np_clock_now();

	(void)np_overlay_leave(s->overlay, now);
	for (; now < limit && !np_overlay_idle(s->overlay); now = np_clock_now()) {
		if (np_overlay_turn(s->overlay, TRANSPORT_BATCH, now) < 0)
			return;
		(void)np_overlay_wait(s->overlay, -1, limit);
	}
}

void overlay_close(struct transport *t)
{
	struct overlay_state *s = t->state;

	if (t->fd >= 0)
		close(t->fd);
	if (!s)
		return;
	s->closing = true;
	if (s->overlay && s->settling.joined)
		leave(s);
	np_overlay_free(s->overlay);
	if (s->wake >= 0)
		close(s->wake);
	free(s->own.cells);
	free(s->own.message);
	free(s->out);
	free(s->file);
	free(s);
}

void overlay_describe(const struct transport *t, struct np_record *record)
{
	const struct overlay_state *s = t->state;
	const struct np_overlay_info *info = np_overlay_info(s->overlay);
	const struct np_overlay_logical own = np_overlay_logical(s->overlay);
	char text[NP_OVERLAY_LOGICAL_TEXT];

	np_record_text(record, "overlay", info->protocol);
	np_record_text(record, "substrate", info->substrate);
	np_record_text(record, "logical", np_overlay_format(&own, text));
}

void overlay_sum_up(struct transport *t, struct np_record *summary)
{
	struct overlay_state *s = t->state;
	struct np_overlay_stats stats;

	if (np_overlay_stats(s->overlay, &stats))
		return;
	np_record_count(
		np_record_overlay(summary, &stats, np_overlay_neighbours(s->overlay, NULL, 0)),
		"outside_messages", s->outside);
}
