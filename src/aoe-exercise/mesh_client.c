// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_client: a rank's result as a piece of bytes and as a pair of the mesh. */
#include "mesh_client.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

/* Larger numbers are refused, so that no sum can overflow. */
#define VALUE_MAX (UINT64_C(1) << 50)
#define VALUES	  (CLIENT_BYTES / sizeof(uint64_t))

struct client client_of(const struct result *result)
{
	const struct tally *t = &result->tally;
	struct client client = {
		.began = 1,
		.ending = result->ending,
		.sent = t->sent,
		.received = t->received,
		.late = t->late,
		.lost = t->lost,
		.outstanding = t->outstanding,
		.duplicates = t->duplicates,
		.stray = t->stray,
		.errors = t->errors,
		.retransmitted = t->retransmitted,
		.given_up = t->given_up,
		.refused = t->refused,
		.bytes = t->bytes,
		.damaged = result->damage.total,
		.is_test_data = !result_is_no_test_data(result),
		.lost_sender_host = result->loss.sender_host,
		.lost_receiver_host = result->loss.receiver_host,
		.lost_unattributed = result->loss.unattributed,
		.elapsed = result->elapsed > 0 ? (uint64_t)result->elapsed : 0,
		.rated = result_rate_known(result),
	};

	np_histogram_figures(result->rtt, &client.rtt);
	return client;
}

void client_pack(const struct client *client, void *piece)
{
	uint64_t value[VALUES];

	memcpy(value, client, sizeof(value));
	for (size_t i = 0; i < VALUES; i++)
		value[i] = htobe64(value[i]);
	memcpy(piece, value, sizeof(value));
}

/* Whether the counts of a client can be true. */
static bool is_sound(const struct client *c)
{
	return c->began <= 1 && c->rated <= 1 && c->is_test_data <= 1 &&
	       c->ending <= ENDING_CHANGED &&
	       c->sent == c->received + c->late + c->lost + c->outstanding &&
	       c->errors <= c->received && c->retransmitted <= c->sent &&
	       c->lost_sender_host + c->lost_receiver_host + c->lost_unattributed <= c->lost &&
	       c->rtt.count <= c->received && (!c->rated || c->elapsed);
}

int client_unpack(struct client *client, const void *piece, size_t bytes)
{
	uint64_t value[VALUES];

	if (bytes != sizeof(value))
		return -EBADMSG;
	memcpy(value, piece, sizeof(value));
	for (size_t i = 0; i < VALUES; i++) {
		value[i] = be64toh(value[i]);
		if (value[i] > VALUE_MAX)
			return -EBADMSG;
	}
	memcpy(client, value, sizeof(*client));
	return is_sound(client) ? 0 : -EBADMSG;
}

/* What a client's host dropped; not known if some of what is lost could not be attributed. */
static struct np_drops_total dropped(const struct client *client, uint64_t packets)
{
	const bool known = !client->lost_unattributed;

	return (struct np_drops_total){.known = known, .exact = known, .packets = packets};
}

struct np_mesh_pair client_pair(const struct client *client, uint32_t rank)
{
	return (struct np_mesh_pair){
		.from = rank,
		.to = NP_MESH_OUTSIDE,
		.parts = NP_MESH_FROM | NP_MESH_TO,
		.exact = true,
		.sent = client->sent - client->outstanding,
		.received = client->received + client->late,
		.lost = client->lost,
		.duplicates = client->duplicates,
		.bytes = client->bytes,
		.elapsed = client->rated ? (np_time)client->elapsed : 0,
		.last = client->rated ? (np_time)client->elapsed : 0,
		.delay_p50 = client->rtt.p50,
		.delay_p99 = client->rtt.p99,
		.delay_max = client->rtt.max,
		.delay_count = client->rtt.count,
		.dropped_from = dropped(client, client->lost_sender_host),
		.dropped_to = dropped(client, client->lost_receiver_host),
	};
}
