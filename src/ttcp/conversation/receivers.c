// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receivers: the receivers that answered, and their answers. */
#include "../report/report.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

char *peer_name(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	const struct sockaddr_in6 *six = (const void *)&address->storage;
	const struct sockaddr_in *four = (const void *)&address->storage;
	const bool is_six =
		address->any.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
	char ip[INET6_ADDRSTRLEN] = "?", interface[1 + IF_NAMESIZE] = "%";
	const void *bytes = &four->sin_addr;

	if (address->any.sa_family == AF_INET6)
		bytes = &six->sin6_addr.s6_addr[is_six ? 0 : 12]; /* IPv4 ends its mapped form */
	inet_ntop(is_six ? AF_INET6 : AF_INET, bytes, ip, sizeof(ip));
	if (!is_six || !six->sin6_scope_id || !if_indextoname(six->sin6_scope_id, interface + 1))
		interface[0] = '\0';
	snprintf(out, NP_ADDRESS_TEXT, is_six ? "[%s%s]:%u" : "%s%s:%u", ip, interface,
		 np_address_port(address));
	return out;
}

void receivers_forget(struct receivers *receivers)
{
	receivers_begin(receivers);
	while (receivers->count)
		np_flow_free(receivers->receiver[--receivers->count].acked);
}

void receivers_begin(struct receivers *receivers)
{
	for (size_t i = 0; i < receivers->count; i++) {
		struct receivers_receiver *receiver = &receivers->receiver[i];

		receiver->ready = false;
		receiver->joined_late = false;
		receiver->acks = 0;
		receiver->reported = false;
		receiver->report = (struct message_report){0};
		if (receiver->acked)
			(void)np_flow_start(receiver->acked, &(struct np_flow_plan){0});
	}
	receivers->acks = 0;
	receivers->rtt_sum = 0;
	np_histogram_clear(receivers->rtt);
}

struct receivers_receiver *receivers_at(struct receivers *receivers,
					const struct np_address *address)
{
	struct receivers_receiver *receiver = receivers->receiver;
	size_t i = 0;

	while (i < receivers->count && !np_address_equal(&receiver[i].address, address))
		i++;
	if (i < receivers->count)
		return &receiver[i];
	if (i == RECEIVERS_MAX)
		return NULL;
	receiver[i] = (struct receivers_receiver){.address = *address};
	(receivers->name ? receivers->name : peer_name)(address, receiver[i].name);
	receivers->count++;
	return &receiver[i];
}

bool receivers_ack(struct receivers *receivers, struct receivers_receiver *receiver,
		   uint64_t number, np_time sent, np_time acked)
{
	np_time rtt;

	if (sent <= 0 || __builtin_sub_overflow(acked, sent, &rtt) || rtt < 0)
		return false;
	if (!receiver->acked) {
		if (np_flow_create(&receiver->acked, NP_FLOW_WINDOW))
			return false;
		(void)np_flow_start(receiver->acked, &(struct np_flow_plan){0});
	}
	/* An ACK that comes again is none. */
	if (!np_flow_add(receiver->acked, number, 1, 0, sent, acked))
		return false;
	receiver->acks++;
	receivers->acks++;
	receivers->rtt_sum += rtt;
	np_histogram_add(receivers->rtt, rtt);
	return true;
}

size_t receivers_number(const struct receivers *receivers, bool reported)
{
	size_t n = 0;

	for (size_t i = 0; i < receivers->count; i++)
		n += receivers->receiver[i].ready && (receivers->receiver[i].reported || !reported);
	return n;
}

const struct receivers_receiver *receivers_only(const struct receivers *receivers)
{
	const struct receivers_receiver *only = NULL;

	for (size_t i = 0; i < receivers->count; i++) {
		if (!receivers->receiver[i].reported)
			continue;
		if (only)
			return NULL;
		only = &receivers->receiver[i];
	}
	return only;
}
