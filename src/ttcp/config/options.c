// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: the option table of ttcp. */
#include "options.h"

#include "../wire/message.h"
#include "config.h"

#include <limits.h>

#define DAYS(n) ((n)*86400 * UINT64_C(1000000000))

/* Which task an option is for, and over what; one without is for all that use the network. */
#define SCOPE(...) .scope = {__VA_ARGS__}
#define FOR(...)   SCOPE(ON_NETWORK, __VA_ARGS__)
#define WHEN(modes, otherwise)                                                                     \
	{                                                                                          \
		modes, otherwise                                                                   \
	}
#define ON_NETWORK	WHEN(MODE_NETWORK, "does not go with -s2d or -smd")
#define OF_SENDER	WHEN(MODE_SENDER, "goes with -t")
#define OF_RECEIVER	WHEN(MODE_RECEIVER, "goes with -r")
#define OF_MONITOR	WHEN(MODE_MONITOR, "does not go with -t")
#define OF_LISTENER	WHEN(MODE_RECEIVER | MODE_MONITOR, "goes with -r or -monitor")
#define OF_A_RUN	WHEN(MODE_SENDER | MODE_RECEIVER, "goes with -t or -r")
#define OF_CONVERSION	WHEN(MODE_CONVERSION, "goes with -s2d or -smd")
#define OVER_TCP	WHEN(MODE_TCP, "goes with TCP only")
#define OVER_UDP	WHEN(MODE_UDP, "goes with -u")
#define OVER_DATAGRAMS	WHEN(MODE_UDP | MODE_MULTICAST, "goes with -u or -m")
#define NOT_MULTICAST	WHEN(MODE_TCP | MODE_UDP | MODE_OVERLAY, "does not go with -m")
#define NOT_OVERLAY	WHEN(MODE_IP, "does not go with -o")
#define AT_A_RATE	WHEN(MODE_PACED, "goes with --rate or -R")
#define OF_TRANSACTIONS WHEN(MODE_TRANSACTIONS, "goes with --rr or --crr")
#define OVER_OVERLAY	WHEN(MODE_OVERLAY, "goes with -o")
/* Of many receivers each would have to answer. */
#define ONE_ANSWERS                                                                                \
	WHEN(MODE_IP | MODE_ADDRESSED, "needs a logical address after -t: one receiver must "      \
				       "answer")
#define OF_WHO_RECEIVES                                                                            \
	WHEN(MODE_RECEIVER | MODE_MONITOR | MODE_REVERSE, "goes with -r, -monitor or --reverse")
#define OF_WHO_WAITS WHEN(MODE_SENDER | MODE_OVERLAY, "goes with -t, or with -o")

static const char *const rate_units[] = {"bit", "B", "pps", NULL};
static const char *const byte_units[] = {"bit", "B", NULL};

/* In the order of enum no_delay. */
static const char *const no_delay_words[] = {"auto", "yes", "no", NULL};

/* In the order of enum pacing. */
static const char *const pacing_words[] = {"user", "kernel", NULL};

/* What the other end decides when it is to send, and what needs more than one run or a mark. */
#define NOT_REVERSED(...)                                                                          \
	NP_CLASHES({"repeat", "the other end sends once", NULL},                                   \
		   {"rates", "the other end sends once; give --rate", NULL},                       \
		   {"classic multicast", "one ttcp must be asked, and answer", NULL},              \
		   {"stdin", "its bytes go one way", NULL},                                        \
		   {"no-copy dont-fragment", "each end would have to be asked", NULL},             \
		   {"acks", "the other end would have to record them", NULL},                      \
		   {"burst warm-up pacing zero-copy", "the other end is not told of it", NULL},    \
		   ##__VA_ARGS__)

/* Requests and responses are bare bytes, and one waits for the other. */
#define NOT_A_LOAD(...)                                                                            \
	NP_CLASHES({"length", "give --request and --response", NULL},                              \
		   {"rate rates", "a request waits for the response before", NULL},                \
		   {"ping-pong latency-under-load", "give one of them", NULL},                     \
		   {"acks", "responses are not recorded one by one", NULL},                        \
		   {"bandwidth", "use it at the receiver", NULL},                                  \
		   {"warm-up", "nothing marks what is not measured", NULL},                        \
		   {"classic", "a classic receiver does not answer", NULL},                        \
		   {"stdin", "its bytes are no requests", NULL},                                   \
		   {"no-copy", "a request is read before it is answered", NULL},                   \
		   {"zero-copy", "it pays for large messages only", NULL},                         \
		   {"batch-size", "one request is sent at a time", NULL},                          \
		   {"reverse bidir", "this end must ask", NULL}, ##__VA_ARGS__)

static const struct np_option table[] = {
	NP_FLAG(MAIN, "receive", "r", words.receive, "receive (the default)", FOR(OF_LISTENER),
		.elsewhere = "server"),
	NP_VALUE(MAIN, WORDS, "transmit", "t", "[ADDRESS]", words.transmit,
		 "transmit to this host; with -o to this logical address, or to all nodes",
		 .max = 1, .elsewhere = "client"),
	NP_FLAG(MAIN, "udp", "u", words.udp, "UDP in place of TCP", FOR(NOT_OVERLAY)),
	NP_VALUE(MAIN, WORDS, "multicast", "m", "[GROUP]", words.multicast,
		 "UDP multicast (default " OPTIONS_GROUP ")", .max = 1, FOR(NOT_OVERLAY)),
	NP_VALUE(MAIN, COUNT, "port", "p", "PORT", place.port, "port of the receiver",
		 .initial = "5001", .min = 1, .max = UINT16_MAX, FOR(NOT_OVERLAY)),
	NP_FLAG(MAIN, "reverse", NULL, place.reverse, "have the other end send, and receive here",
		FOR(OF_SENDER, ONE_ANSWERS),
		NOT_REVERSED({"bidir", "give one of them", NULL},
			     {"nodelay congestion batch-size", "the other end sends: give it there",
			      NULL},
			     {"require-report", "this end receives", NULL})),
	NP_FLAG(MAIN, "bidir", NULL, place.both_ways,
		"have the other end send, too, at the same time", FOR(OF_SENDER, ONE_ANSWERS),
		NOT_REVERSED()),
	NP_FLAG(LIMITS, "no-reverse", NULL, place.no_reverse,
		"refuse to send to those who ask for it with --reverse or --bidir",
		FOR(OF_RECEIVER, NOT_MULTICAST)),
	NP_VALUE(LOAD, SIZE, "length", "l", "BYTES", load.message_bytes,
		 "bytes of a message; less than its header of 40 is raised to that",
		 .initial = "512", .min = 1, .max = MESSAGE_DATA_MAX, .elsewhere = "len"),
	NP_VALUE(LOAD, COUNT, "count", "n", "MESSAGES", load.messages,
		 "messages to send, by each stream", .initial = "1024", .min = 1,
		 .max = UINT64_C(1) << 60, .elsewhere = "blockcount"),
	NP_VALUE(LOAD, SIZE, "total", NULL, "BYTES", load.total_bytes,
		 "bytes to send, by all streams together, in whole messages, in place of -n",
		 .min = 1, .max = UINT64_C(1) << 60, FOR(OF_SENDER),
		 NP_CLASHES({"count rr crr", "give one of them", NULL}), .elsewhere = "bytes num"),
	NP_VALUE(LOAD, WORDS, "repeat", "c", "[RUNS]", words.runs,
		 "number of runs, or of senders to serve one after the other; without a number:\n"
		 "no limit (default 1)",
		 .lineage_only = true, .max = 1, .unrecorded = true, FOR(OF_A_RUN)),
	NP_VALUE(MAIN, COUNT, "clients", NULL, "NUMBER", load.clients,
		 "serve so many senders at the same time (64 without a number)", .bare = "64",
		 .min = 1, .max = OPTIONS_CLIENTS, FOR(OF_RECEIVER, NOT_MULTICAST, NOT_OVERLAY),
		 NP_CLASHES({"once", "-c says after how many runs to end", NULL},
			    {"classic", "its data do not say whose they are", NULL},
			    {"stdout", "it would mix the bytes of several senders", NULL},
			    {"sequence bandwidth log", "it is a file of one sender", NULL},
			    {"drops", "they are not told apart by sender", NULL})),
	NP_VALUE(LOAD, UNIT_RATE, "rate", NULL, "RATE", load.rate,
		 "rate of all streams together: bits a second, or with the unit bit, B or pps,\n"
		 "as 100M, 12.5MB or 20kpps; without it: as fast as possible",
		 .choices = rate_units, FOR(OF_SENDER),
		 NP_CLASHES({"rates", "give one of them", NULL}), .elsewhere = "bitrate"),
	NP_VALUE(LOAD, NUMBER, "find-rate", NULL, "PERCENT", load.find_percent,
		 "find the highest rate that arrives with no more than PERCENT lost,\n"
		 "up to --rate, by trials of --duration",
		 .bare = "0", .max = 99, FOR(OF_SENDER, OVER_UDP),
		 NP_CLASHES({"count total", "a trial ends after --duration", NULL},
			    {"repeat", "trials follow one another", NULL},
			    {"rates", "it finds the rate; give --rate", NULL},
			    {"ping-pong acks", "a trial is not acknowledged", NULL},
			    {"classic", "a classic receiver does not report", NULL},
			    {"reverse bidir", "this end must send alone", NULL},
			    {"latency-under-load", "there is one load", NULL},
			    {"max-loss", "it has a limit of its own", NULL})),
	NP_VALUE(LOAD, COUNT, "burst", NULL, "MESSAGES", load.burst,
		 "messages to send back to back, at the same mean rate", .min = 1,
		 .max = NP_DATAGRAM_BATCH_MAX, FOR(OF_SENDER, OVER_DATAGRAMS, AT_A_RATE),
		 NP_CLASHES({"ping-pong", "it sends one message at a time", NULL})),
	NP_VALUE(LOAD, WORDS, "rates", "R", "START [END INCREMENT]", words.rate,
		 "rate in kbps, or with k, M, G or T in bits a second; rises with each run up to\n"
		 "END; 0: as fast as possible (default 0)",
		 .lineage_only = true, .min = 1, .max = 3, .unrecorded = true, FOR(OF_SENDER)),
	NP_VALUE(DATA, TEXT, "acks", "d", "FILE", files.delay,
		 "have each message acknowledged, and record it in FILE", FOR(OF_SENDER)),
	NP_VALUE(DATA, WORDS, "log", "f", "[FILE]", words.log,
		 "append the results to FILE, or to ttcp_log_TIME.txt", .max = 1),
	NP_VALUE(DATA, WORDS, "sequence", "s", "[FILE]", words.sequence,
		 "record the sequence numbers received in FILE, or in ttcp_seq_TIME.txt", .max = 1,
		 FOR(OF_WHO_RECEIVES)),
	NP_VALUE(DATA, WORDS, "bandwidth", "bw", "MS [FILE]", words.bandwidth,
		 "record the bandwidth of each MS ms in FILE, or in ttcp_bw_TIME.txt", .min = 1,
		 .max = 2, .unrecorded = true),
	NP_VALUE(DATA, WORDS, "density", "s2d", "INTERVAL SEQUENCE [FILE]", words.density,
		 "convert a file of -s to the share received of each INTERVAL numbers", .min = 2,
		 .max = 3, SCOPE(OF_CONVERSION)),
	NP_VALUE(DATA, WORDS, "smooth", "smd", "INTERVAL RECEIVER DELAYS [FILE]", words.smooth,
		 "convert a file of -d to a receiver's mean delay in each INTERVAL ms", .min = 3,
		 .max = 4, SCOPE(OF_CONVERSION)),
	NP_FLAG(EXPERT, "lenient", NULL, words.lenient,
		"-s2d, -smd: use the lines before the first damaged one", SCOPE(OF_CONVERSION)),
	NP_FLAG(DATA, "monitor", "monitor", words.monitor,
		"only listen: no acknowledgements, a line for each window of -bw", FOR(OF_MONITOR)),
	NP_FLAG(OVERLAY, "overlay", "o", words.overlay, "be a node of a HyperCast overlay"),
	NP_VALUE(OVERLAY, TEXT, "properties", "prop", "FILE", words.overlay_file,
		 "configuration file of the node (default " OPTIONS_PROPERTIES ")",
		 FOR(OVER_OVERLAY)),
	NP_FLAG(OVERLAY, "print-config", NULL, words.print_config,
		"print a configuration file with comments and exit",
		SCOPE(WHEN(NP_OPTION_ANY_MODE, ""))),
	NP_VALUE(LOAD, COUNT, "streams", "P", "STREAMS", load.streams, "parallel streams",
		 .initial = "1", .min = 1, .max = MESSAGE_STREAMS_MAX,
		 FOR(OF_SENDER, NOT_MULTICAST, NOT_OVERLAY), .elsewhere = "parallel num-flows"),
	NP_VALUE(LOAD, COUNT, "threads", NULL, "N", threads.most,
		 "threads that send or receive the streams (default: one for each, but no more\n"
		 "than processors; at a rate, one that sends); of UDP, that send (default: 1)",
		 .min = 1, .max = MESSAGE_STREAMS_MAX, FOR(OF_A_RUN, NOT_MULTICAST, NOT_OVERLAY),
		 NP_CLASHES({"ping-pong acks", "its streams wait for answers", NULL},
			    {"burst", "bursts of two threads are not back to back", NULL},
			    {"bandwidth", "the windows of a sender are of one thread", NULL},
			    {"classic stdin", "what is sent so is one stream", NULL},
			    {"rr crr", "each stream has a thread of its own", NULL},
			    {"clients", "each sender has a thread of its own", NULL}),
		 .elsewhere = "num-threads"),
	NP_VALUE(LOAD, TEXT, "affinity", NULL, "LIST", threads.pin,
		 "processors for these threads, one for each in turn, as 0,2-3", .dashless = true,
		 FOR(OF_A_RUN, NOT_MULTICAST, NOT_OVERLAY),
		 NP_CLASHES({"rr crr", "each stream has a thread of its own", NULL},
			    {"clients", "each sender has a thread of its own", NULL})),
	NP_VALUE(LOAD, TIME, "duration", NULL, "TIME", load.duration,
		 "seconds to send, in place of -n; with both, whichever is reached first", .min = 1,
		 .max = DAYS(30), FOR(OF_SENDER), .elsewhere = "time test-length"),
	NP_VALUE(LOAD, TIME, "warm-up", NULL, "TIME", load.warm_up,
		 "seconds of the same load before each run, not measured", .max = DAYS(1),
		 FOR(OF_SENDER, NOT_MULTICAST, NOT_OVERLAY),
		 NP_CLASHES({"acks ping-pong", "a warm-up is not acknowledged", NULL},
			    {"classic", "its data cannot be told from a warm-up's", NULL},
			    {"stdin", "there is nothing else to send", NULL},
			    {"no-copy", "the receiver must look at what is not measured", NULL}),
		 .elsewhere = "omit"),
	NP_FLAG(LOAD, "ping-pong", NULL, load.ping_pong,
		"send the next message only when the previous one is acknowledged",
		FOR(OF_SENDER, NOT_MULTICAST, ONE_ANSWERS),
		NP_CLASHES({"batch-size", "it sends one message at a time", NULL})),
	NP_FLAG(LOAD, "rr", NULL, load.rr,
		"send a request and wait for the response, again and again, on each stream",
		FOR(OF_SENDER, WHEN(MODE_TCP, "goes with TCP only; over UDP, --ping-pong measures "
					      "round trips")),
		NOT_A_LOAD()),
	NP_FLAG(LOAD, "crr", NULL, load.crr, "the same, with a new connection for each request",
		FOR(OF_SENDER, OVER_TCP),
		NOT_A_LOAD({"rr", "give one of them", NULL},
			   {"source-port", "each connection needs another port", NULL})),
	NP_VALUE(LOAD, SIZE, "request", NULL, "BYTES", load.request_bytes, "bytes of a request",
		 .initial = "1", .min = 1, .max = MESSAGE_DATA_MAX, FOR(OF_SENDER, OF_TRANSACTIONS),
		 .elsewhere = "request-size"),
	NP_VALUE(LOAD, SIZE, "response", NULL, "BYTES", load.response_bytes, "bytes of a response",
		 .initial = "1", .min = 1, .max = MESSAGE_DATA_MAX, FOR(OF_SENDER, OF_TRANSACTIONS),
		 .elsewhere = "response-size"),
	NP_FLAG(LOAD, "latency-under-load", NULL, load.latency,
		"measure round trips, too: before the load, and beside it",
		FOR(OF_SENDER, NOT_MULTICAST, NOT_OVERLAY),
		NP_CLASHES({"ping-pong", "it measures round trips itself", NULL},
			   {"acks", "the load is not acknowledged", NULL},
			   {"classic", "a classic receiver does not answer", NULL},
			   {"stdin", "its bytes are no load", NULL},
			   {"repeat", "there is one load", NULL},
			   {"rates", "there is one load; give --rate", NULL},
			   {"reverse bidir", "this end must send alone", NULL})),
	NP_VALUE(LOAD, TEXT, "session", NULL, "NAME", load.session,
		 "session name, part of the names of files of -d", .initial = "TEST",
		 FOR(OF_SENDER)),
	NP_FLAG(LOAD, "classic", NULL, load.classic,
		"send plain data as the classic ttcp does, without numbers and times",
		FOR(OF_A_RUN, NOT_MULTICAST, NOT_OVERLAY),
		NP_CLASHES({"acks ping-pong", "a classic receiver does not answer", NULL},
			   {"streams", "a classic receiver serves one stream", NULL},
			   {"drops", "classic data cannot be told from START and END", NULL},
			   {"sequence", "classic messages carry no numbers", NULL})),
	NP_FLAG(LOAD, "stdin", NULL, load.from_stdin, "send the bytes of stdin and nothing else",
		FOR(OF_SENDER, OVER_TCP),
		NP_CLASHES({"acks ping-pong", "the bytes carry no numbers", NULL},
			   {"streams", "stdin is sent as one stream", NULL},
			   {"repeat", "stdin can be read only once", NULL},
			   {"no-copy classic", "stdin is sent as bytes, not as messages", NULL},
			   {"rate rates", "bytes are sent as soon as they can be read", NULL},
			   {"duration", "the end of stdin, or -n, ends the run", NULL},
			   {"interval bandwidth",
			    "the sender counts no messages; use it at the receiver", NULL},
			   {"batch-size", "the sender counts no messages", NULL})),
	NP_FLAG(LOAD, "stdout", NULL, load.to_stdout,
		"write the bytes received to stdout, all text to stderr",
		FOR(OF_RECEIVER, OVER_TCP),
		NP_CLASHES({"sequence", "the bytes carry no numbers", NULL},
			   {"no-copy", "stdout needs the bytes", NULL},
			   {"repeat", "it would mix the bytes of several senders", NULL})),
	NP_FLAG(LOAD, "no-copy", NULL, load.no_copy,
		"let the receiver's kernel discard the data unread", FOR(OF_A_RUN, OVER_TCP),
		NP_CLASHES({"sequence bandwidth", "discarded messages cannot be recorded", NULL},
			   {"acks ping-pong", "discarded messages cannot be acknowledged", NULL})),
	NP_VALUE(NETWORK, CHOICE, "batch", NULL, "BATCH", socket.batch,
		 "how to hand datagrams to the kernel", .initial = "auto",
		 .choices = np_datagram_variants, FOR(OVER_DATAGRAMS)),
	NP_VALUE(NETWORK, COUNT, "batch-size", NULL, "NUMBER", socket.batch_messages,
		 "most messages to hand over in one call", .min = 1, .max = NP_DATAGRAM_BATCH_MAX),
	NP_VALUE(NETWORK, SIZE, "sockbuf", NULL, "BYTES", socket.buffer_bytes,
		 "size of the sockets' send and receive buffers", .min = 1, .max = INT_MAX / 2,
		 .elsewhere = "window"),
	NP_VALUE(NETWORK, CHOICE, "nodelay", NULL, "NODELAY", socket.no_delay,
		 "set TCP_NODELAY; auto: if a rate is given", .initial = "auto", .bare = "yes",
		 .choices = no_delay_words, FOR(OVER_TCP)),
	NP_VALUE(NETWORK, TEXT, "congestion", NULL, "NAME", socket.congestion,
		 "TCP's congestion control", FOR(OVER_TCP)),
	NP_VALUE(NETWORK, SIZE, "mss", NULL, "BYTES", socket.mss,
		 "most payload of a TCP segment, in both directions", .min = 88, .max = 32767,
		 FOR(OVER_TCP), .elsewhere = "set-mss"),
	NP_VALUE(NETWORK, CHOICE, "pacing", NULL, "PACING", socket.pacing,
		 "who keeps the rate: ttcp, message by message, or the kernel, by segments",
		 .initial = "user", .choices = pacing_words, FOR(OF_SENDER, OVER_TCP, AT_A_RATE),
		 NP_CLASHES({"mptcp", "the kernel paces a connection of one path", NULL})),
	NP_FLAG(NETWORK, "zero-copy", NULL, socket.zero_copy,
		"have the kernel send from the program's memory, without a copy",
		FOR(OF_SENDER, OVER_TCP),
		NP_CLASHES({"mptcp", "the kernel can do it over one path only", NULL},
			   {"stdin", "its bytes are sent as soon as they can be read", NULL})),
	NP_FLAG(NETWORK, "mptcp", NULL, socket.mptcp,
		"Multipath TCP, which is TCP where the other end or the path cannot do it",
		FOR(OVER_TCP), NP_CLASHES({"ttl", "its sockets have no such option", NULL})),
	NP_FLAG(NETWORK, "dont-fragment", NULL, socket.dont_fragment,
		"send no datagram in fragments: what the path MTU has no room for is an error",
		FOR(OF_SENDER, OVER_DATAGRAMS)),
	NP_SOCKET_MARKS(socket.asked, 1, "; multicast: 1 unless given"),
	NP_VALUE(NETWORK, TEXT, "bind", NULL, "ADDRESS", place.bind,
		 "local address to send from, or to receive at", .dashless = true,
		 FOR(NOT_OVERLAY)),
	NP_VALUE(NETWORK, COUNT, "source-port", NULL, "PORT", place.source_port,
		 "local port of a sender; of several streams the first, others have the next ones",
		 .min = 1, .max = UINT16_MAX, FOR(OF_SENDER, NOT_OVERLAY), .elsewhere = "cport"),
	NP_SOCKET_ALLOW(place.allow, .dashless = true, FOR(OF_LISTENER, NOT_OVERLAY)),
	NP_SOCKET_FAMILY(socket.asked),
	NP_SOCKET_DEVICE(socket.asked, ""),
	NP_VALUE(LIMITS, TIME, "wait", NULL, "TIME", wait.wait,
		 "seconds to wait for the first sender (0: forever), or to keep trying to reach\n"
		 "the receiver",
		 .initial = "0", .max = DAYS(1)),
	NP_VALUE(LIMITS, TIME, "max-duration", NULL, "TIME", wait.max_duration,
		 "refuse runs of more seconds, and end those that last longer", .min = 1,
		 .max = DAYS(30), FOR(OF_RECEIVER, NOT_MULTICAST, NOT_OVERLAY)),
	NP_VALUE(LIMITS, UNIT_RATE, "max-rate", NULL, "RATE", wait.max_rate,
		 "refuse runs at a higher rate, or at none: bits a second, or with the unit\n"
		 "bit or B",
		 .choices = byte_units, FOR(OF_RECEIVER, NOT_MULTICAST, NOT_OVERLAY),
		 NP_CLASHES({"classic", "classic data announce no rate", NULL},
			    {"stdout", "bytes announce no rate", NULL})),
	NP_FLAG(LIMITS, "once", NULL, wait.once, "end with the first sender", FOR(OF_LISTENER),
		NP_CLASHES({"repeat", "--once means one sender, -c gives another number", NULL}),
		.elsewhere = "one-off"),
	NP_FLAG(LIMITS, "no-wait", NULL, wait.no_wait,
		"leave out the pauses of 3 s before and 10 s between runs, with -o of 5 s before\n"
		"and after them",
		FOR(OF_WHO_WAITS)),
	NP_DROPS_OPTION(drops, FOR(NOT_OVERLAY)),
	NP_FLAG(OUTPUT, "per-stream", NULL, per_stream, "report each stream of -P, too",
		FOR(OF_WHO_RECEIVES, NOT_MULTICAST, NOT_OVERLAY),
		NP_CLASHES({"classic", "a classic sender has one stream", NULL})),
	NP_REPORT_LAYOUT(report),
	NP_REPORT_UNIT(report, "bits"),
	NP_LOSS_MAX(max_loss_percent, "100", "loss exceeds PERCENT"),
	NP_FLAG(LIMITS, "require-report", NULL, require_report,
		"exit with 1 if no receiver reports what arrived", FOR(OF_SENDER)),
	NP_MESH_OPTIONS(mesh, MODE_MESH, "measure between all ranks"),
	NP_REPORT_OPTIONS(report, "0"),
	NP_REPORT_METRICS(report),
};

static const struct np_option operands[] = {
	NP_VALUE(MAIN, TEXT, "ADDRESS", NULL, NULL, words.address,
		 "address for -t, if that is given without one", .bare = ""),
};

const struct np_options ttcp_options = {
	.program = "ttcp",
	.version = PACKAGE_VERSION,
	.summary = "Throughput and delay of TCP, UDP, multicast and overlays between machines.",
	.grammar = NP_GRAMMAR_LINEAGE,
	.table = table,
	.count = sizeof(table) / sizeof(*table),
	.operands = operands,
	.operand_count = sizeof(operands) / sizeof(*operands),
	SCOPE(ON_NETWORK),
	.terse = true,
};

double options_rate_bits(const struct load_options *load, uint64_t run)
{
	const uint64_t *kbps = load->rate_kbps;

	if (load->rate_bits > 0)
		return load->rate_bits;
	/* Of 32 bits each, as the number of runs. */
	return 1000 * (double)np_least(kbps[1], kbps[0] + (run - 1) * kbps[2]);
}

const struct options_transport_words options_transports[] = {
	[TRANSPORT_TCP] = {"TCP", "TCP", "TCP", "TCP"},
	[TRANSPORT_UDP] = {"UDP", "udp", "Unicast", "UDP"},
	[TRANSPORT_MULTICAST] = {"Multicast", "multicast", "Multicast", "multicast"},
	[TRANSPORT_OVERLAY] = {"Overlay", "overlay", "Overlay", "overlay"},
	{.name = NULL},
};
