// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * publisher_open: opens the sending socket of one local address, and describes it for the banner.
 */
#include "publisher_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/*
 * If packets are due less often than this, each is sent alone; else those due within it together.
 */
#define TURN_SHORTEST (60 * NP_MICROSECOND)
/* How long a send may block on a full buffer before the time limits are checked. */
#define SEND_TIMEOUT (5 * NP_MILLISECOND)

static unsigned rounds_of_a_batch(const struct publisher_plan *plan)
{
	const struct options *o = plan->options;
	double gap;

	if (o->packet.random)
		return 1;
	if (plan->rate_bytes_per_s <= 0)
		return (unsigned)o->socket.batch_packets;
	gap = options_mean_bytes(&o->packet) / plan->rate_bytes_per_s * (double)NP_SECOND;
	if (gap >= (double)TURN_SHORTEST)
		return 1;
	gap = (double)TURN_SHORTEST / gap + 1;
	return gap < (double)o->socket.batch_packets ? (unsigned)gap
						     : (unsigned)o->socket.batch_packets;
}

/* GSO segments cannot be fragmented: packets beyond the MTU are sent one by one. */
static const char *variant_for(const struct publisher_plan *plan, const struct np_log *log)
{
	const char *variant = np_datagram_variants[plan->options->socket.batch];

	if (np_datagram_fits(plan->options->packet.packet_bytes, np_address_mtu(plan->local),
			     plan->local, log))
		return variant;
	return strcmp(variant, "auto") && strcmp(variant, "gso") ? variant : "mmsg";
}

static void prepare_slots(struct publisher *p)
{
	const struct packet_options *o = &p->plan.options->packet;

	p->layout = (struct wire_layout){
		.packet_bytes = o->packet_bytes,
		.process_bytes = o->process_bytes,
		.sequence_width = o->sequence_width ? 64 : 32,
		.trailer = wire_has_trailer(o->shortest_bytes, o->process_bytes),
	};
	if (!p->layout.trailer)
		np_log_warning(
			p->plan.reporter->log, o->random ? "-rand" : "-packetSize",
			"packets of %llu bytes have no room for this program's mark: nothing is "
			"confirmed, and losses at the start and the end are not seen",
			(unsigned long long)o->shortest_bytes);
	for (unsigned i = 0; i < p->plan.options->socket.batch_packets; i++)
		wire_prepare(&p->layout, np_datagram_slot(p->socket, i),
			     p->plan.shared->return_port);
}

static int open_socket(struct publisher *p)
{
	const struct publisher_plan *plan = &p->plan;
	const struct options *o = plan->options;
	struct np_address local = *plan->local;
	const struct np_datagram_options how = {
		.variant = variant_for(plan, plan->reporter->log),
		.local = &local,
		.packet_bytes = o->packet.packet_bytes,
		.batch = (unsigned)o->socket.batch_packets,
		.send_timeout = SEND_TIMEOUT,
		.send_bytes = o->publish.buffer_packets * o->packet.packet_bytes,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl,
		.device = o->socket.asked.device,
		.peer = plan->peers->count == 1 ? &plan->peers->item[0] : NULL,
	};

	np_address_set_port(&local, 0);
	return np_datagram_open(&p->socket, &how);
}

/* What is known of the result before the first packet. */
static void begin_result(struct publisher *p)
{
	const struct np_datagram_info *info = np_datagram_info(p->socket);

	p->result.at = *p->plan.local;
	np_address_set_port(&p->result.at, p->plan.shared->return_port);
	p->result.variant = info->variant;
	p->result.send_buffer_bytes = info->send_granted;
	p->result.rate_bytes_per_s = p->plan.rate_bytes_per_s;
}

int publisher_open(struct publisher **publisher, const struct publisher_plan *plan)
{
	const struct options *o = plan->options;
	struct publisher *p = calloc(1, sizeof(*p));
	int rc = -ENOMEM;

	*publisher = NULL;
	if (!p)
		return -ENOMEM;
	p->plan = *plan;
	p->heard = calloc(plan->peers->count, sizeof(*p->heard));
	if (!p->heard)
		goto fail;
	rc = open_socket(p);
	if (rc)
		goto fail;
	prepare_slots(p);
	p->drops_watch = host_drops_watch(plan->drops, NP_DROPS_OUT,
					  &np_datagram_info(p->socket)->local, -1);
	(void)np_datagram_kernel_counts(&p->kernel);
	begin_result(p);
	p->counted_bytes = o->packet.counted_bytes;
	p->batch_rounds = rounds_of_a_batch(plan);
	p->portion = (unsigned)o->socket.batch_packets;
	p->random = o->publish.seed;
	if (!p->random && getrandom(&p->random, sizeof(p->random), 0) != sizeof(p->random))
		p->random = (uint64_t)np_clock_now();
	*publisher = p;
	return 0;
fail:
	publisher_free(p);
	return rc;
}

void publisher_free(struct publisher *publisher)
{
	if (!publisher)
		return;
	np_datagram_free(publisher->socket);
	free(publisher->heard);
	free(publisher);
}

const struct publisher_result *publisher_result(const struct publisher *publisher)
{
	return &publisher->result;
}

struct console_publisher publisher_about(const struct publisher *p)
{
	const struct options *o = p->plan.options;
	double packets_per_s = p->plan.rate_bytes_per_s / options_mean_bytes(&o->packet);

	return (struct console_publisher){
		.at = &p->result.at,
		.peers = p->plan.peers,
		.packet_bytes = o->packet.packet_bytes,
		.buffer_packets = o->publish.buffer_packets,
		.report_packets = o->report_packets,
		.process_bytes = o->packet.process_bytes,
		.rate_mb_per_s = o->publish.rate_bytes_per_s / 1048576,
		.burst = (uint64_t)(packets_per_s + 0.5) / 100,
	};
}

void publisher_banner(const struct publisher *publisher)
{
	struct reporter *r = publisher->plan.reporter;
	struct console_publisher banner = publisher_about(publisher);
	FILE *text = report_text_begin(r);

	if (!text)
		return;
	console_publisher_banner(text, &banner);
	report_text_end(r);
}
