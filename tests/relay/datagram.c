// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram: UDP (RFC 768) in IPv4 and IPv6 in Ethernet frames. */
#include "datagram.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <string.h>

#define CHECKSUM_AT 6

static unsigned word_at(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static bool find_udp(struct datagram *datagram, uint8_t *udp, size_t room)
{
	size_t length;

	if (room < sizeof(struct udphdr))
		return false;
	length = word_at(udp + 4);
	if (length < sizeof(struct udphdr) || length > room)
		return false;
	datagram->ends.source_port = (uint16_t)word_at(udp);
	datagram->ends.destination_port = (uint16_t)word_at(udp + 2);
	datagram->udp = udp;
	datagram->payload = udp + sizeof(struct udphdr);
	datagram->payload_bytes = length - sizeof(struct udphdr);
	return true;
}

static bool find_in_ipv4(struct datagram *datagram, uint8_t *ip, size_t room)
{
	size_t header, total;

	if (room < sizeof(struct iphdr))
		return false;
	header = (size_t)(ip[0] & 15) * 4;
	total = word_at(ip + 2);
	if (ip[0] >> 4 != 4 || header < sizeof(struct iphdr) || total < header || total > room ||
	    word_at(ip + 6) & (IP_MF | IP_OFFMASK) || ip[9] != IPPROTO_UDP)
		return false;
	datagram->ends.version = 4;
	memcpy(datagram->ends.source, ip + 12, 4);
	memcpy(datagram->ends.destination, ip + 16, 4);
	return find_udp(datagram, ip + header, total - header);
}

static bool find_in_ipv6(struct datagram *datagram, uint8_t *ip, size_t room)
{
	size_t header = sizeof(struct ip6_hdr), length;

	if (room < header)
		return false;
	length = word_at(ip + 4);
	if (ip[0] >> 4 != 6 || length > room - header || ip[6] != IPPROTO_UDP)
		return false;
	datagram->ends.version = 6;
	memcpy(datagram->ends.source, ip + 8, 16);
	memcpy(datagram->ends.destination, ip + 24, 16);
	return find_udp(datagram, ip + header, length);
}

bool datagram_find(struct datagram *datagram, uint8_t *frame, size_t length)
{
	memset(datagram, 0, sizeof(*datagram));
	if (length < ETH_HLEN)
		return false;
	switch (word_at(frame + 12)) {
	case ETH_P_IP: return find_in_ipv4(datagram, frame + ETH_HLEN, length - ETH_HLEN);
	case ETH_P_IPV6: return find_in_ipv6(datagram, frame + ETH_HLEN, length - ETH_HLEN);
	default: return false;
	}
}

static uint64_t add_words(uint64_t sum, const uint8_t *at, size_t length)
{
	for (; length > 1; at += 2, length -= 2)
		sum += word_at(at);
	return length ? sum + (uint64_t)(at[0] << 8) : sum;
}

/* The one's complement sum with the pseudo header (RFC 768, RFC 8200 section 8.1). */
static unsigned sum_of(const struct datagram *datagram)
{
	size_t length = datagram->payload_bytes + sizeof(struct udphdr);
	uint64_t sum = IPPROTO_UDP + length;

	sum = add_words(sum, datagram->ends.source, sizeof(datagram->ends.source));
	sum = add_words(sum, datagram->ends.destination, sizeof(datagram->ends.destination));
	sum = add_words(sum, datagram->udp, length);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (unsigned)sum;
}

bool datagram_has_checksum(const struct datagram *datagram)
{
	return word_at(datagram->udp + CHECKSUM_AT) != 0;
}

bool datagram_checksum_right(const struct datagram *datagram)
{
	if (datagram->ends.version == 4 && !datagram_has_checksum(datagram))
		return true;
	return sum_of(datagram) == 0xffff;
}

bool datagram_damage(struct datagram *datagram, size_t at)
{
	if (datagram->payload_bytes == 0)
		return false;
	if (at >= datagram->payload_bytes)
		at = datagram->payload_bytes - 1;
	datagram->payload[at] ^= 0xff;
	return true;
}

void datagram_mend_checksum(struct datagram *datagram)
{
	uint8_t *at = datagram->udp + CHECKSUM_AT;
	unsigned checksum;

	if (!datagram_has_checksum(datagram))
		return;
	at[0] = at[1] = 0;
	checksum = ~sum_of(datagram) & 0xffff;
	if (checksum == 0) /* zero would mean: none */
		checksum = 0xffff;
	at[0] = (uint8_t)(checksum >> 8);
	at[1] = (uint8_t)checksum;
}

bool datagram_number(const struct datagram *datagram, size_t at, unsigned bytes, uint64_t *number)
{
	*number = 0;
	if (datagram->payload_bytes < bytes || at > datagram->payload_bytes - bytes)
		return false;
	for (unsigned i = 0; i < bytes; i++)
		*number = *number << 8 | datagram->payload[at + i];
	return true;
}
