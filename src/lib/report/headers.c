// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* headers: says what the path did to the IP headers of packets, as text and as JSON. */
#include <netperf/result.h>

#include <inttypes.h>

/* The last two bits of the type of service (RFC 3168). */
enum { ECN_NOT_ECT, ECN_ECT1, ECN_ECT0, ECN_CE };

#define SAY(text, format, ...)                                                                     \
	np_text_append(text, NP_BLOCK_HEADERS, "%s" format, text[0] ? ", " : "", __VA_ARGS__)

/* What was just said is of @count of the @all packets whose header is known. */
static void say_share(char *text, uint64_t count, uint64_t all)
{
	if (count < all)
		np_text_append(text, NP_BLOCK_HEADERS, " on %.3g %%", np_loss_percent(count, all));
}

void np_headers_settle(struct np_headers *h)
{
	const uint64_t count = h->alike;

	h->alike = 0;
	if (!count || !h->hops)
		return;
	h->dscp[h->tos >> 2] += count;
	h->ecn[h->tos & 3] += count;
	if (h->hops < h->hops_min || !h->hops_min)
		h->hops_min = h->hops;
	if (h->hops > h->hops_max)
		h->hops_max = h->hops;
	h->fragmented += h->bytes > 0 ? count : 0;
	if (h->bytes > h->fragment_bytes)
		h->fragment_bytes = h->bytes;
}

void np_headers_format(const struct np_headers *headers, char text[NP_BLOCK_HEADERS])
{
	static const char *const names[] = {"not-ECT", "ECT(1)", "ECT(0)", "CE"};
	const unsigned sent = headers->sent.tos >> 2, sent_ecn = headers->sent.tos & 3;
	struct np_headers settled = *headers, *h = &settled;
	uint64_t all;
	char range[16];

	np_headers_settle(h);
	all = h->ecn[0] + h->ecn[1] + h->ecn[2] + h->ecn[3];
	text[0] = '\0';
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		const struct np_text name = np_units_format_dscp(dscp);

		if (!h->dscp[dscp] || dscp == (h->sent.known ? sent : 0))
			continue;
		if (h->sent.known)
			SAY(text, "DSCP %s arrived as %s", np_units_format_dscp(sent).text,
			    name.text);
		else
			SAY(text, "arrived with DSCP %s", name.text);
		say_share(text, h->dscp[dscp], all);
	}
	for (unsigned ecn = 0; ecn < 4; ecn++) {
		if (!h->ecn[ecn] || (h->sent.known ? ecn == sent_ecn : ecn == ECN_NOT_ECT))
			continue;
		if (ecn == ECN_CE)
			SAY(text, "CE%s", h->ecn[ecn] < all ? "" : " on all");
		else if (ecn == ECN_NOT_ECT)
			SAY(text, "ECN %s", "bleached");
		else if (h->sent.known)
			SAY(text, "%s arrived as %s", names[sent_ecn], names[ecn]);
		else
			SAY(text, "arrived with %s", names[ecn]);
		say_share(text, h->ecn[ecn], all);
	}
	snprintf(range, sizeof(range), h->hops_min < h->hops_max ? "%u to %u" : "%u", h->hops_min,
		 h->hops_max);
	if (h->sent.hops && all && (h->hops_min != h->sent.hops || h->hops_max != h->sent.hops))
		SAY(text, "TTL %u arrived as %s", h->sent.hops, range);
	else if (h->hops_min < h->hops_max)
		SAY(text, "arrived with TTL %s", range);
	if (h->fragmented)
		SAY(text, "%" PRIu64 " in fragments of up to %u bytes", h->fragmented,
		    h->fragment_bytes);
}

void np_headers_record(struct np_record *record, const struct np_headers *headers)
{
	static const char *const ecn[] = {"not_ect", "ect1", "ect0", "ce"};
	struct np_headers settled = *headers, *h = &settled;
	struct np_record *r, *value;
	char name[24];

	np_headers_settle(h);
	if (!h->hops_min)
		return;
	r = np_record_object(record, "headers");
	if (h->sent.known) {
		np_record_count(r, "sent_dscp", h->sent.tos >> 2);
		np_record_text(r, "sent_ecn", ecn[h->sent.tos & 3]);
	}
	if (h->sent.hops)
		np_record_count(r, "sent_hops", h->sent.hops);
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		if (!h->dscp[dscp])
			continue;
		value = np_record_append(r, "dscps");
		np_record_count(value, "dscp", dscp);
		np_record_count(value, "packets", h->dscp[dscp]);
	}
	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s_packets", ecn[i]);
		np_record_count(r, name, h->ecn[i]);
	}
	np_record_count(r, "hops_min", h->hops_min);
	np_record_count(r, "hops_max", h->hops_max);
	np_record_count(r, "fragmented_packets", h->fragmented);
	if (h->fragmented)
		np_record_count(r, "fragment_bytes", h->fragment_bytes);
}
