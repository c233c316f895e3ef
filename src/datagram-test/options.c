// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: the option table of datagram-test and the checks that span options. */
#include "options.h"

#include "config.h"
#include "wire.h"

#include <limits.h>
#include <math.h>

#define COUNT_MAX   UINT64_C(1000000000000000)
#define MIB	    1048576.0
#define GIVE_UP_MAX ((uint64_t)INT_MAX * NP_MILLISECOND)

static const char *const widths[] = {"32", "64", NULL};
static const char *const providers[] = {"system", NULL};
static const char *const rates[] = {"bit", "B", "pps", NULL};

/* What a run can be, for the scopes of the options. */
enum { WAITS = 1, MESH = 2, PACED = 4, ONE_SIZE = 8, PUBLISHES = 16, MARKED = 32, LISTENS = 64 };

static const struct np_option table[] = {
	NP_VALUE(MAIN, TEXT, "bind", "local", "ADDRESS", local,
		 "address to bind to; several in one word, or a range, each get a\n"
		 "listener; localhost is the address others reach this host by",
		 .initial = "localhost:9999", .dashless = true),
	NP_VALUE(LOAD, SIZE, "length", "packetSize", "BYTES", packet.packet_bytes,
		 "bytes of a packet", .initial = "1468", .min = WIRE_HEADER_BYTES,
		 .max = NP_DATAGRAM_BYTES_MAX, .elsewhere = "len msg-size"),
	NP_VALUE(NETWORK, COUNT, "port", NULL, "PORT", port,
		 "port of addresses that name none, of this host and of peers", .initial = "9999",
		 .min = 1, .max = UINT16_MAX),
	NP_VALUE(LOAD, UNIT_RATE, "rate", NULL, "RATE", publish.rate,
		 "rate to all peers together, in bit/s; with k, M or G (1000), and B or pps:\n"
		 "100M, 12.5MB, 20kpps",
		 NP_CLASHES({"tx-rate", "they are one rate", NULL}), .choices = rates,
		 .elsewhere = "bitrate mps"),
	NP_VALUE(LOAD, COUNT, "burst", NULL, "PACKETS", publish.burst,
		 "packets to send back to back, at the same mean rate", .min = 1,
		 .max = NP_DATAGRAM_BATCH_MAX,
		 .scope = {{PACED, "goes with --rate or -txRate"},
			   {ONE_SIZE, "does not go with packets of random sizes"}}),
	NP_VALUE(LOAD, NUMBER, "find-rate", NULL, "PERCENT", publish.find_percent,
		 "find the highest rate that arrives with no more than PERCENT lost,\n"
		 "up to --rate, by trials of --duration",
		 .bare = "0", .max = 99,
		 .scope = {{PUBLISHES, "goes with a PEER"},
			   {MARKED,
			    "needs longer packets, which have room for this program's mark"}},
		 NP_CLASHES({"count tx-iterations", "a trial ends after --duration", NULL},
			    {"polite once", "trials follow one another", NULL},
			    {"max-loss", "it has a limit of its own", NULL},
			    {"mesh", "it is about one way at a time", NULL})),
	NP_VALUE(LOAD, TIME, "duration", NULL, "TIME", publish.duration,
		 "seconds to publish; 0: no limit", .initial = "0",
		 .max = 1000000000 * UINT64_C(1000000000),
		 NP_CLASHES({"tx-duration-ms", "they are one time", NULL}), .elsewhere = "time"),
	NP_VALUE(LOAD, COUNT, "count", NULL, "PACKETS", publish.iterations,
		 "packets to publish to each peer; 0: no limit", .initial = "0", .max = COUNT_MAX,
		 NP_CLASHES({"tx-iterations", "they are one number", NULL})),
	NP_VALUE(LIMITS, TIME, "give-up", NULL, "TIME", listen.give_up,
		 "silence after which publishers count as stopped, in seconds; 0: never",
		 .initial = "1", .max = GIVE_UP_MAX,
		 NP_CLASHES({"rx-timeout-ms", "they are one time", NULL})),
	NP_FLAG(LIMITS, "require-report", NULL, publish.require_report,
		"exit with 1 if a peer does not report what arrived"),
	NP_VALUE(LOAD, COUNT, "seed", NULL, "NUMBER", publish.seed,
		 "seed of random packet sizes; 0: a new one each time", .initial = "0"),
	NP_VALUE(LOAD, TEXT, "payload", "payload", "BYTES", packet.payload_text,
		 "bytes to count of each packet; 0: all; -N: random sizes, from the packet\n"
		 "size less N plus 1 up to the packet size",
		 .initial = "0", .negative = true),
	NP_VALUE(LOAD, SIZE, "process-bytes", "processBytes", "BYTES", packet.process_bytes,
		 "bytes of each packet to write and to check, in multiples of 4", .initial = "4",
		 .min = 4, .max = NP_DATAGRAM_BYTES_MAX),
	NP_VALUE(NETWORK, SIZE, "rx-buffer-size", "rxBufferSize", "PACKETS", listen.buffer_packets,
		 "receive buffer, in packets; with k, M, G or T in bytes", .initial = "1428",
		 .min = 1, .max = INT_MAX, .lineage_only = true),
	NP_VALUE(LIMITS, COUNT, "rx-timeout-ms", "rxTimeoutMs", "MS", listen.timeout_ms,
		 "as --give-up, in milliseconds", .initial = "1000", .max = INT_MAX,
		 .lineage_only = true),
	NP_VALUE(NETWORK, SIZE, "tx-buffer-size", "txBufferSize", "PACKETS", publish.buffer_packets,
		 "send buffer, in packets; with k, M, G or T in bytes", .initial = "16", .min = 1,
		 .max = INT_MAX, .lineage_only = true),
	NP_VALUE(LOAD, TEXT, "tx-rate", "txRate", "MB", publish.rate_text,
		 "rate to all peers together, in units of 2^20 bytes a second; with k, M,\n"
		 "G or T (1024) in bytes a second; 0 and below: no limit",
		 .negative = true, .lineage_only = true),
	NP_VALUE(LOAD, COUNT, "tx-iterations", "txIterations", "PACKETS", publish.iterations,
		 "as --count; 0 and below: no limit", .max = COUNT_MAX, .negative = true,
		 .lineage_only = true, .unrecorded = true),
	NP_VALUE(LOAD, COUNT, "tx-duration-ms", "txDurationMs", "MS", publish.duration_ms,
		 "as --duration, in milliseconds; 0 and below: no limit",
		 .max = UINT64_C(1000000000000), .negative = true, .lineage_only = true,
		 .unrecorded = true),
	NP_VALUE(OUTPUT, COUNT, "report-interval", "reportInterval", "PACKETS", report_packets,
		 "packets between reports; 0: none", .initial = "100000", .max = COUNT_MAX,
		 .lineage_only = true),
	NP_VALUE(OUTPUT, COUNT, "tick-interval", "tickInterval", "PACKETS", tick_packets,
		 "packets between tick marks; 0: none", .initial = "1000", .max = COUNT_MAX,
		 .lineage_only = true),
	NP_VALUE(OUTPUT, TEXT, "log", "log", "FILE", listen.log,
		 "append a row of figures for each publisher to FILE, stdout or stderr"),
	NP_VALUE(OUTPUT, COUNT, "log-interval", "logInterval", "PACKETS", listen.log_packets,
		 "packets between rows of the log; 0: only at the end", .initial = "100000",
		 .max = COUNT_MAX, .lineage_only = true),
	NP_FLAG(MAIN, "polite", "polite", publish.polite,
		"publish only while this program's own listener receives packets"),
	NP_FLAG(LOAD, "rand", "rand", packet.random, "random sizes: take the payload as negative"),
	NP_VALUE(IGNORED, CHOICE, "provider", "provider", "NAME", provider,
		 "kind of socket, as in the original; only one exists here", .initial = "system",
		 .choices = providers),
	NP_VALUE(IGNORED, TEXT, "options", "options", "URL", socket_file,
		 "file of socket options, as in the original; refused: see --tos, --ttl, --device",
		 .scope = {{0, "files of socket options are not supported; use --tos, --ttl or "
			       "--device"}}),
	NP_VALUE(NETWORK, TEXT, "group", NULL, "ADDR", listen.group,
		 "join this multicast group; peers may be multicast then", .dashless = true),
	NP_VALUE(EXPERT, CHOICE, "sequence-width", NULL, "BITS", packet.sequence_width,
		 "bits of the packet number; 64 for listeners of Coherence 22.06.10",
		 .initial = "32", .choices = widths),
	NP_VALUE(EXPERT, CHOICE, "batch", NULL, "BATCH", socket.batch,
		 "how to hand packets to the kernel", .initial = "auto",
		 .choices = np_datagram_variants),
	NP_VALUE(EXPERT, COUNT, "batch-size", NULL, "NUMBER", socket.batch_packets,
		 "most packets to hand over in one call", .initial = "128", .min = 1,
		 .max = NP_DATAGRAM_BATCH_MAX),
	NP_REPORT_LAYOUT(report),
	NP_REPORT_UNIT(report, "bits"),
	NP_VALUE(LIMITS, TIME, "wait", NULL, "TIME", listen.wait,
		 "seconds to wait for the first packet; 0: forever", .initial = "0",
		 .max = 86400 * UINT64_C(1000000000),
		 .scope = {{WAITS, "has no effect with peers, unless -polite or --once is given"}}),
	NP_VALUE(MAIN, COUNT, "sockets", NULL, "NUMBER", listen.sockets,
		 "listen by so many sockets on each local address, each in a thread",
		 .initial = "1", .min = 1, .max = 64,
		 .scope = {{LISTENS, "is for a listener alone; to publish from several sockets "
				     "name several addresses with --bind"}},
		 NP_CLASHES({"group", "a group's packets come to each socket", NULL},
			    {"log", "each thread would write it", NULL},
			    {"wait", "nobody may come to one of the sockets", NULL},
			    {"once", "the first to end may have come to any of them", NULL},
			    {"mesh", "a rank has a socket for each direction", NULL})),
	NP_FLAG(MAIN, "once", NULL, listen.once, "end when the first publisher has ended"),
	NP_LOSS_MAX(max_loss_percent, "100", "loss exceeds PERCENT"),
	NP_DROPS_OPTION(drops),
	NP_MESH_OPTIONS(mesh, MESH, "measure between all ranks"),
	NP_SOCKET_MARKS(socket.asked, 1, ""),
	NP_SOCKET_DEVICE(socket.asked, ""),
	NP_SOCKET_FAMILY(socket.asked),
	NP_SOCKET_ALLOW(socket.allow),
	NP_FLAG(OUTPUT, "usage", "?", usage, "the same as --help", .action = NP_OPTIONS_HELP),
	NP_REPORT_OPTIONS(report, "0"),
	NP_REPORT_METRICS(report),
};

static const struct np_option operands[] = {
	NP_VALUE(MAIN, LIST, "PEER", NULL, NULL, peers,
		 "address to publish to: HOST:PORT, HOST, IPV6, [IPV6]:PORT,\nHOST:FIRST..LAST"),
};

const struct np_options datagram_test_options = {
	.program = "datagram-test",
	.version = PACKAGE_VERSION,
	.summary = "What UDP rate do these machines sustain, with what loss and disorder?",
	.grammar = NP_GRAMMAR_LINEAGE,
	.table = table,
	.count = sizeof(table) / sizeof(*table),
	.operands = operands,
	.operand_count = sizeof(operands) / sizeof(*operands),
};

static const char *const bytes[] = {"B", "iB", NULL};

double options_mean_bytes(const struct packet_options *packet)
{
	return packet->random ? (double)(packet->shortest_bytes + packet->packet_bytes) / 2
			      : (double)packet->counted_bytes;
}

/*
 * The lineage's words for how much replace the common ones. Packets must be known: a rate may be of
 * them.
 */
static int check_publish(struct options *o)
{
	const struct np_units_scale megabytes = {.thousand = 1024, .bare = MIB, .units = bytes};
	struct publish_options *p = &o->publish;

	if (p->rate_text) {
		p->rate = (struct np_rate){.unit = NP_RATE_BYTES};
		if (strcmp(p->rate_text, "unlimited") &&
		    np_units_parse_scaled(p->rate_text, &megabytes, -1e6 * MIB, 1e6 * MIB,
					  &p->rate.per_s))
			return np_options_refuse(o->given, "tx-rate",
						 "not valid; expected megabytes a second, or bytes "
						 "a second with k, M, G or T");
		if (p->rate.per_s < 0)
			p->rate.per_s = 0;
	}
	p->rate_text = NULL;
	if (p->duration_ms)
		p->duration = (np_time)p->duration_ms * NP_MILLISECOND;
	p->rate_bytes_per_s = np_rate_bytes(&p->rate, options_mean_bytes(&o->packet));
	if (np_options_given(o->given, "rx-timeout-ms"))
		o->listen.give_up = (np_time)o->listen.timeout_ms * NP_MILLISECOND;
	o->listen.timeout_ms = (uint64_t)(o->listen.give_up / NP_MILLISECOND);
	return -1;
}

static int check_packet(struct options *o)
{
	const struct np_units_scale scale = {.thousand = 1024, .bare = 1, .units = bytes};
	struct packet_options *p = &o->packet;
	double payload;

	if (p->process_bytes % 4 || p->process_bytes + 8 > p->packet_bytes)
		return np_options_refuse(
			o->given, "process-bytes",
			"must be between 4 and the packet size less 8, in multiples of 4");
	if (np_units_parse_scaled(p->payload_text, &scale, -1e6, 1e6, &payload) ||
	    payload != (double)(int64_t)payload)
		return np_options_refuse(
			o->given, "payload",
			"not valid; expected a number of bytes, with k, M, G or T");
	if (fabs(payload) > (double)p->packet_bytes)
		return np_options_refuse(o->given, "payload", "cannot exceed the packet size, %llu",
					 (unsigned long long)p->packet_bytes);
	if (payload < 0)
		p->random = true;
	p->counted_bytes = payload != 0 ? (uint64_t)fabs(payload) : p->packet_bytes;
	/* The partner's packets may be longer than ours. */
	p->heard_bytes = payload > 0 ? p->counted_bytes : NP_DATAGRAM_BYTES_MAX;
	p->shortest_bytes = p->packet_bytes;
	if (p->random) {
		p->shortest_bytes = p->packet_bytes - p->counted_bytes + 1;
		p->counted_bytes = p->packet_bytes;
	}
	if (p->shortest_bytes < WIRE_HEADER_BYTES)
		p->shortest_bytes = WIRE_HEADER_BYTES;
	return -1;
}

/* A plain number is in packets; with a suffix it is in bytes. */
static int check_buffer(const struct options *o, const char *name, uint64_t *packets)
{
	const uint64_t most = INT_MAX / 2, packet = o->packet.packet_bytes;
	const char *typed = np_options_typed(o->given, name);

	if (typed && typed[strspn(typed, "0123456789")])
		*packets = (*packets + packet - 1) / packet;
	if (*packets * packet <= most)
		return -1;
	return np_options_refuse(o->given, name,
				 "more than a socket can have; at most %llu packets of %llu bytes",
				 (unsigned long long)(most / packet), (unsigned long long)packet);
}

/* What speaks of one publisher and one listener, or would be written by each rank. */
static const struct np_option_clash not_in_a_mesh[] = {
	{.other = "polite", .why = "no rank publishes before all listen"},
	{.other = "once", .why = "the ranks end together"},
	{.other = "wait", .why = "see --rank-timeout"},
	{.other = "log-interval", .why = "each rank would have a log"},
	{.other = "group", .why = "each pair is measured by itself"},
	{.other = "report", .why = "rank 0 has one report of all pairs"},
	{.other = "report-interval", .why = "results are collected after the run"},
	{.other = "tick-interval", .why = "each rank would draw its own"},
	{0},
};

static int check_mesh(struct options *o, const struct np_log *log)
{
	if (!o->mesh.mesh)
		return -1;
	if (o->peers.count)
		return np_log_refuse(log, o->peers.item[0],
				     "does not go with --mesh, whose peers are the other ranks");
	if (!strcmp(np_datagram_variants[o->socket.batch], "null"))
		return np_options_refuse(
			o->given, "batch",
			"null does not go with --mesh: no rank would receive anything");
	if (o->mesh.interface && np_options_given(o->given, "bind"))
		return np_options_refuse(o->given, "interface", "does not go with -local");
	if (!o->publish.duration)
		o->publish.duration = NP_MESH_DURATION;
	return np_mesh_check(&o->mesh, &o->report, o->given, not_in_a_mesh);
}

int options_check(struct np_run *run)
{
	struct options *o = run->options;
	/* Who does not wait at all may say so. */
	const bool waits =
		!o->peers.count || o->publish.polite || o->listen.once || !o->listen.wait;
	unsigned modes;

	o->given = &run->given;
	/* The default address has the default port in it. */
	if (np_options_given(o->given, "port") && !np_options_given(o->given, "bind"))
		o->local = "localhost";
	np_socket_settle(&o->socket.asked, o->given);
	if (check_packet(o) >= 0 || check_publish(o) >= 0 ||
	    check_buffer(o, "rx-buffer-size", &o->listen.buffer_packets) >= 0 ||
	    check_buffer(o, "tx-buffer-size", &o->publish.buffer_packets) >= 0)
		return 2;
	modes = (waits ? WAITS : 0) | (o->mesh.mesh ? MESH : 0) |
		(o->publish.rate_bytes_per_s > 0 ? PACED : 0) | (o->packet.random ? 0 : ONE_SIZE) |
		(o->peers.count ? PUBLISHES : 0) |
		(o->peers.count && o->listen.sockets > 1 ? 0 : LISTENS);
	if (wire_has_trailer(o->packet.shortest_bytes, o->packet.process_bytes))
		modes |= MARKED;
	if (np_options_check(o->given, modes) >= 0 || check_mesh(o, run->log) >= 0)
		return 2;
	o->publish.find = np_options_given(o->given, "find-rate");
	if (o->publish.find && !o->publish.duration)
		o->publish.duration = NP_FIND_TRIAL;
	if (o->listen.log && !strcmp(o->listen.log, "stdout") &&
	    ((o->report.json && !strcmp(o->report.json, "-")) ||
	     (o->report.csv && !strcmp(o->report.csv, "-"))))
		return np_options_refuse(o->given, "log",
					 "stdout carries JSON or CSV already; name a file");
	np_options_warn_slow(o->given, o->publish.rate_bytes_per_s / options_mean_bytes(&o->packet),
			     "packet");
	return -1;
}
