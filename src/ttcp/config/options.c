// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: the option table of ttcp. */
#include "options.h"

#include "../wire/message.h"
#include "config.h"

#include <limits.h>
#include <netperf/datagram.h>
#include <netperf/loss.h>
#include <netperf/output.h>
#include <netperf/overlay.h>

#define AT(member) .offset = offsetof(struct options, member)
#define DAYS(n)	   ((n)*86400 * UINT64_C(1000000000))

/* Which task an option is for, and over what; one without is for all that use the network. */
#define SCOPE(...) .scope = {__VA_ARGS__}
#define WHEN(modes, otherwise)                                                                     \
	{                                                                                          \
		modes, otherwise                                                                   \
	}
#define ON_NETWORK     WHEN(MODE_NETWORK, "does not go with -s2d or -smd")
#define OF_SENDER      WHEN(MODE_SENDER, "goes with -t")
#define OF_RECEIVER    WHEN(MODE_RECEIVER, "goes with -r")
#define OF_MONITOR     WHEN(MODE_MONITOR, "does not go with -t")
#define OF_LISTENER    WHEN(MODE_RECEIVER | MODE_MONITOR, "goes with -r or -monitor")
#define OF_A_RUN       WHEN(MODE_SENDER | MODE_RECEIVER, "goes with -t or -r")
#define OF_CONVERSION  WHEN(MODE_CONVERSION, "goes with -s2d or -smd")
#define OVER_TCP       WHEN(MODE_TCP, "goes with TCP only")
#define OVER_DATAGRAMS WHEN(MODE_UDP | MODE_MULTICAST, "goes with -u or -m")
#define NOT_MULTICAST  WHEN(MODE_TCP | MODE_UDP | MODE_OVERLAY, "does not go with -m")
#define NOT_OVERLAY    WHEN(MODE_IP, "does not go with -o")
#define OVER_OVERLAY   WHEN(MODE_OVERLAY, "goes with -o")
#define OF_WHO_WAITS   WHEN(MODE_SENDER | MODE_OVERLAY, "goes with -t, or with -o")
#define TO_A_FILE                                                                                  \
	WHEN(MODE_CONVERSION | MODE_RECORDS, "needs -d, -s or -bw"),                               \
		WHEN(MODE_NETWORK | MODE_CONVERTED_FILE, "needs an output file")

/* What excludes an option, and why. */
#define CLASHES(...)                                                                               \
	.clashes = (const struct np_option_clash[])                                                \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

static const char *const rate_units[] = {"bit", "B", "pps", NULL};

/* In the order of enum no_delay. */
static const char *const no_delay_words[] = {"auto", "yes", "no", NULL};

static const struct np_option table[] = {
	{.name = "receive",
	 .lineage = "r",
	 AT(words.receive),
	 .help = "receive (the default)",
	 SCOPE(ON_NETWORK, OF_LISTENER)},
	{.name = "transmit",
	 .lineage = "t",
	 .kind = NP_OPTION_WORDS,
	 .argument = "[ADDRESS]",
	 .max = 1,
	 AT(words.transmit),
	 .help = "transmit to this host; with -o to this logical address, or to all nodes"},
	{.name = "udp",
	 .lineage = "u",
	 AT(words.udp),
	 .help = "UDP in place of TCP",
	 SCOPE(ON_NETWORK, NOT_OVERLAY)},
	{.name = "multicast",
	 .lineage = "m",
	 .kind = NP_OPTION_WORDS,
	 .argument = "[GROUP]",
	 .max = 1,
	 AT(words.multicast),
	 .help = "UDP multicast (default " OPTIONS_GROUP ")",
	 SCOPE(ON_NETWORK, NOT_OVERLAY)},
	{.name = "port",
	 .lineage = "p",
	 .kind = NP_OPTION_COUNT,
	 .argument = "PORT",
	 .initial = "5001",
	 .min = 1,
	 .max = UINT16_MAX,
	 AT(place.port),
	 .help = "port of the receiver",
	 SCOPE(ON_NETWORK, NOT_OVERLAY)},
	{.name = "length",
	 .group = NP_GROUP_LOAD,
	 .lineage = "l",
	 .kind = NP_OPTION_SIZE,
	 .argument = "BYTES",
	 .initial = "512",
	 .min = 1,
	 .max = MESSAGE_DATA_MAX,
	 AT(load.message_bytes),
	 .help = "bytes of a message; less than its header of 40 is raised to that"},
	{.name = "count",
	 .group = NP_GROUP_LOAD,
	 .lineage = "n",
	 .kind = NP_OPTION_COUNT,
	 .argument = "MESSAGES",
	 .initial = "1024",
	 .min = 1,
	 .max = UINT64_C(1) << 60,
	 AT(load.messages),
	 .help = "messages to send, by each stream"},
	{.name = "repeat",
	 .group = NP_GROUP_LOAD,
	 .lineage = "c",
	 .lineage_only = true,
	 .kind = NP_OPTION_WORDS,
	 .argument = "[RUNS]",
	 .max = 1,
	 .unrecorded = true,
	 AT(words.runs),
	 .help = "number of runs, or of senders to serve one after the other; without a number:\n"
		 "no limit (default 1)",
	 SCOPE(ON_NETWORK, OF_A_RUN)},
	{.name = "rate",
	 .group = NP_GROUP_LOAD,
	 .kind = NP_OPTION_UNIT_RATE,
	 .argument = "RATE",
	 .choices = rate_units,
	 AT(load.rate),
	 .help = "rate of all streams together: bits a second, or with the unit bit, B or pps,\n"
		 "as 100M, 12.5MB or 20kpps; without it: as fast as possible",
	 SCOPE(ON_NETWORK, OF_SENDER),
	 CLASHES({"rates", "give one of them", NULL})},
	{.name = "rates",
	 .group = NP_GROUP_LOAD,
	 .lineage = "R",
	 .lineage_only = true,
	 .kind = NP_OPTION_WORDS,
	 .argument = "START [END INCREMENT]",
	 .min = 1,
	 .max = 3,
	 .unrecorded = true,
	 AT(words.rate),
	 .help = "rate in kbps, or with k, M, G or T in bits a second; rises with each run up to\n"
		 "END; 0: as fast as possible (default 0)",
	 SCOPE(ON_NETWORK, OF_SENDER)},
	{.name = "acks",
	 .group = NP_GROUP_DATA,
	 .lineage = "d",
	 .kind = NP_OPTION_TEXT,
	 .argument = "FILE",
	 AT(files.delay),
	 .help = "have each message acknowledged, and record it in FILE",
	 SCOPE(ON_NETWORK, OF_SENDER)},
	{.name = "log",
	 .group = NP_GROUP_DATA,
	 .lineage = "f",
	 .kind = NP_OPTION_WORDS,
	 .argument = "[FILE]",
	 .max = 1,
	 AT(words.log),
	 .help = "append the results to FILE, or to ttcp_log_TIME.txt"},
	{.name = "sequence",
	 .group = NP_GROUP_DATA,
	 .lineage = "s",
	 .kind = NP_OPTION_WORDS,
	 .argument = "[FILE]",
	 .max = 1,
	 AT(words.sequence),
	 .help = "record the sequence numbers received in FILE, or in ttcp_seq_TIME.txt",
	 SCOPE(ON_NETWORK, OF_LISTENER)},
	{.name = "bandwidth",
	 .group = NP_GROUP_DATA,
	 .lineage = "bw",
	 .kind = NP_OPTION_WORDS,
	 .argument = "MS [FILE]",
	 .min = 1,
	 .max = 2,
	 .unrecorded = true,
	 AT(words.bandwidth),
	 .help = "record the bandwidth of each MS ms in FILE, or in ttcp_bw_TIME.txt"},
	{.name = "density",
	 .group = NP_GROUP_DATA,
	 .lineage = "s2d",
	 .kind = NP_OPTION_WORDS,
	 .argument = "INTERVAL SEQUENCE [FILE]",
	 .min = 2,
	 .max = 3,
	 AT(words.density),
	 .help = "convert a file of -s to the share received of each INTERVAL numbers",
	 SCOPE(OF_CONVERSION)},
	{.name = "smooth",
	 .group = NP_GROUP_DATA,
	 .lineage = "smd",
	 .kind = NP_OPTION_WORDS,
	 .argument = "INTERVAL RECEIVER DELAYS [FILE]",
	 .min = 3,
	 .max = 4,
	 AT(words.smooth),
	 .help = "convert a file of -d to a receiver's mean delay in each INTERVAL ms",
	 SCOPE(OF_CONVERSION)},
	{.name = "lenient",
	 .group = NP_GROUP_EXPERT,
	 AT(convert.lenient),
	 .help = "-s2d, -smd: use the lines before the first damaged one",
	 SCOPE(OF_CONVERSION)},
	{.name = "plot",
	 .group = NP_GROUP_DATA,
	 AT(files.plot),
	 .help = "write a gnuplot script beside each file, and its picture if gnuplot is "
		 "installed",
	 SCOPE(TO_A_FILE)},
	{.name = "monitor",
	 .group = NP_GROUP_DATA,
	 .lineage = "monitor",
	 AT(words.monitor),
	 .help = "only listen: no acknowledgements, a line for each window of -bw",
	 SCOPE(ON_NETWORK, OF_MONITOR)},
	{.name = "overlay",
	 .group = NP_GROUP_OVERLAY,
	 .lineage = "o",
	 AT(words.overlay),
	 .help = "be a node of a HyperCast overlay"},
	{.name = "properties",
	 .group = NP_GROUP_OVERLAY,
	 .lineage = "prop",
	 .kind = NP_OPTION_TEXT,
	 .argument = "FILE",
	 AT(words.overlay_file),
	 .help = "configuration file of the node (default " OPTIONS_PROPERTIES ")",
	 SCOPE(ON_NETWORK, OVER_OVERLAY)},
	{.name = "print-config",
	 .group = NP_GROUP_OVERLAY,
	 AT(words.print_config),
	 .help = "print a configuration file with comments and exit",
	 SCOPE(WHEN(NP_OPTION_ANY_MODE, ""))},
	{.name = "streams",
	 .group = NP_GROUP_LOAD,
	 .lineage = "P",
	 .kind = NP_OPTION_COUNT,
	 .argument = "STREAMS",
	 .initial = "1",
	 .min = 1,
	 .max = MESSAGE_STREAMS_MAX,
	 AT(load.streams),
	 .help = "parallel streams",
	 SCOPE(ON_NETWORK, OF_SENDER, NOT_MULTICAST, NOT_OVERLAY)},
	{.name = "duration",
	 .group = NP_GROUP_LOAD,
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .min = 1,
	 .max = DAYS(30),
	 AT(load.duration),
	 .help = "seconds to send, in place of -n; with both, whichever is reached first",
	 SCOPE(ON_NETWORK, OF_SENDER)},
	{.name = "ping-pong",
	 .group = NP_GROUP_LOAD,
	 AT(load.ping_pong),
	 .help = "send the next message only when the previous one is acknowledged",
	 SCOPE(ON_NETWORK, OF_SENDER, NOT_MULTICAST),
	 CLASHES({"batch-size", "it sends one message at a time", NULL})},
	{.name = "session",
	 .group = NP_GROUP_LOAD,
	 .kind = NP_OPTION_TEXT,
	 .argument = "NAME",
	 .initial = "TEST",
	 AT(load.session),
	 .help = "session name, part of the names of files of -d",
	 SCOPE(ON_NETWORK, OF_SENDER)},
	{.name = "classic",
	 .group = NP_GROUP_LOAD,
	 AT(load.classic),
	 .help = "send plain data as the classic ttcp does, without numbers and times",
	 SCOPE(ON_NETWORK, OF_A_RUN, NOT_MULTICAST, NOT_OVERLAY),
	 CLASHES({"acks", "a classic receiver does not answer", NULL},
		 {"ping-pong", "a classic receiver does not answer", NULL},
		 {"streams", "a classic receiver serves one stream", NULL},
		 {"drops", "classic data cannot be told from START and END", NULL},
		 {"sequence", "classic messages carry no numbers", NULL})},
	{.name = "stdin",
	 .group = NP_GROUP_LOAD,
	 AT(load.from_stdin),
	 .help = "send the bytes of stdin and nothing else",
	 SCOPE(ON_NETWORK, OF_SENDER, OVER_TCP),
	 CLASHES({"acks", "the bytes carry no numbers", NULL},
		 {"ping-pong", "the bytes carry no numbers", NULL},
		 {"streams", "stdin is sent as one stream", NULL},
		 {"repeat", "stdin can be read only once", NULL},
		 {"no-copy", "the bytes carry no message for the receiver", NULL},
		 {"classic", "stdin is sent as bytes, not as messages", NULL},
		 {"rate", "bytes are sent as soon as they can be read", NULL},
		 {"rates", "bytes are sent as soon as they can be read", NULL},
		 {"duration", "the end of stdin, or -n, ends the run", NULL},
		 {"interval", "the sender counts no messages; use it at the receiver", NULL},
		 {"bandwidth", "the sender counts no messages; use it at the receiver", NULL},
		 {"batch-size", "the sender counts no messages", NULL})},
	{.name = "stdout",
	 .group = NP_GROUP_LOAD,
	 AT(load.to_stdout),
	 .help = "write the bytes received to stdout, all text to stderr",
	 SCOPE(ON_NETWORK, OF_RECEIVER, OVER_TCP),
	 CLASHES({"sequence", "the bytes carry no numbers", NULL},
		 {"no-copy", "stdout needs the bytes", NULL},
		 {"repeat", "it would mix the bytes of several senders", NULL})},
	{.name = "no-copy",
	 .group = NP_GROUP_LOAD,
	 AT(load.no_copy),
	 .help = "let the receiver's kernel discard the data unread",
	 SCOPE(ON_NETWORK, OF_A_RUN, OVER_TCP),
	 CLASHES({"sequence", "discarded messages cannot be recorded", NULL},
		 {"acks", "discarded messages cannot be acknowledged", NULL},
		 {"bandwidth", "discarded messages cannot be recorded", NULL},
		 {"ping-pong", "discarded messages cannot be acknowledged", NULL})},
	{.name = "batch",
	 .group = NP_GROUP_NETWORK,
	 .kind = NP_OPTION_CHOICE,
	 .argument = "BATCH",
	 .initial = "auto",
	 .choices = np_datagram_variants,
	 AT(socket.batch),
	 .help = "how to hand datagrams to the kernel",
	 SCOPE(ON_NETWORK, OVER_DATAGRAMS)},
	{.name = "batch-size",
	 .group = NP_GROUP_NETWORK,
	 .kind = NP_OPTION_COUNT,
	 .argument = "NUMBER",
	 .min = 1,
	 .max = NP_DATAGRAM_BATCH_MAX,
	 AT(socket.batch_messages),
	 .help = "most messages to hand over in one call"},
	{.name = "sockbuf",
	 .group = NP_GROUP_NETWORK,
	 .kind = NP_OPTION_SIZE,
	 .argument = "BYTES",
	 .min = 1,
	 .max = INT_MAX / 2,
	 AT(socket.buffer_bytes),
	 .help = "size of the sockets' send and receive buffers"},
	{.name = "nodelay",
	 .group = NP_GROUP_NETWORK,
	 .kind = NP_OPTION_CHOICE,
	 .argument = "NODELAY",
	 .initial = "auto",
	 .bare = "yes",
	 .choices = no_delay_words,
	 AT(socket.no_delay),
	 .help = "set TCP_NODELAY; auto: if a rate is given",
	 SCOPE(ON_NETWORK, OVER_TCP)},
	{.name = "congestion",
	 .group = NP_GROUP_NETWORK,
	 .kind = NP_OPTION_TEXT,
	 .argument = "NAME",
	 AT(socket.congestion),
	 .help = "TCP's congestion control",
	 SCOPE(ON_NETWORK, OVER_TCP)},
	NP_SOCKET_MARKS(offsetof(struct options, socket.asked), 1, "; multicast: 1 unless given"),
	{.name = "bind",
	 .group = NP_GROUP_NETWORK,
	 .kind = NP_OPTION_TEXT,
	 .argument = "ADDRESS",
	 AT(place.bind),
	 .dashless = true,
	 .help = "local address to send from, or to receive at",
	 SCOPE(ON_NETWORK, NOT_OVERLAY)},
	{.name = "allow",
	 .group = NP_GROUP_NETWORK,
	 .kind = NP_OPTION_TEXT,
	 .argument = "CIDR,...",
	 AT(place.allow),
	 .dashless = true,
	 .help = "receive only from these networks, as 10.1.0.0/16",
	 SCOPE(ON_NETWORK, OF_LISTENER, NOT_OVERLAY)},
	NP_SOCKET_FAMILY(offsetof(struct options, socket.asked)),
	NP_SOCKET_DEVICE(offsetof(struct options, socket.asked), ""),
	{.name = "wait",
	 .group = NP_GROUP_LIMITS,
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .initial = "0",
	 .max = DAYS(1),
	 AT(wait.wait),
	 .help = "seconds to wait for the first sender (0: forever), or to keep trying to reach\n"
		 "the receiver"},
	{.name = "once",
	 .group = NP_GROUP_LIMITS,
	 AT(wait.once),
	 .help = "end with the first sender",
	 SCOPE(ON_NETWORK, OF_LISTENER),
	 CLASHES({"repeat", "--once means one sender, -c gives another number", NULL})},
	{.name = "no-wait",
	 .group = NP_GROUP_LIMITS,
	 AT(wait.no_wait),
	 .help = "leave out the pauses of 3 s before and 10 s between runs, with -o of 5 s before\n"
		 "and after them",
	 SCOPE(ON_NETWORK, OF_WHO_WAITS)},
	{.name = "drops",
	 .group = NP_GROUP_OUTPUT,
	 .kind = NP_OPTION_CHOICE,
	 .argument = "DROPS",
	 .initial = "auto",
	 .choices = np_drops_modes,
	 AT(drops),
	 .help = "count this host's drops by kernel reason; auto: if permitted",
	 SCOPE(ON_NETWORK, NOT_OVERLAY)},
	NP_REPORT_LAYOUT(offsetof(struct options, layout)),
	NP_REPORT_UNIT(offsetof(struct options, unit)),
	NP_LOSS_MAX(offsetof(struct options, max_loss_percent), "100", "loss exceeds PERCENT"),
	{.name = "require-report",
	 .group = NP_GROUP_LIMITS,
	 AT(require_report),
	 .help = "exit with 1 if no receiver reports what arrived",
	 SCOPE(ON_NETWORK, OF_SENDER)},
	NP_MESH_OPTIONS(offsetof(struct options, mesh), MODE_MESH, "measure between all ranks"),
	NP_REPORT_OPTIONS(offsetof(struct options, report), "0"),
};

static const struct np_option operands[] = {
	{.name = "ADDRESS",
	 .kind = NP_OPTION_TEXT,
	 .bare = "",
	 AT(words.address),
	 .help = "address for -t, if that is given without one"},
};

static const struct np_option_gone gone[] = {
	{"messages", "--count"},
	{"repeat", "-c"},
	{NULL, NULL},
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
	.gone = gone,
	.terse = true,
};

/* Returns the exit status. */
static int print_config(const struct np_log *log)
{
	const int rc = np_overlay_print_template(stdout);

	if (rc)
		np_log_error(log, "stdout", "%s", np_output_reason(rc));
	return rc ? 1 : 0;
}

int options_read(struct options *options, int argc, char **argv, struct np_log *log)
{
	int status;

	/* Fields without a row stay zero. */
	*options = (struct options){0};
	status = np_options_read(&ttcp_options, argc, argv, options, &options->parsed, log);
	if (status < 0 && options->words.print_config)
		status = print_config(log);
	if (status < 0)
		status = options_interpret(options, log);
	if (status < 0)
		status = options_check(options, log);
	return status;
}

void options_free(struct options *options)
{
	np_options_result_free(&options->parsed);
}

double options_rate_bits(const struct load_options *load, uint64_t run)
{
	const uint64_t start = load->rate_kbps[0], end = load->rate_kbps[1];
	const uint64_t increment = load->rate_kbps[2], steps = run - 1;

	if (load->rate_bits > 0)
		return load->rate_bits;
	if (!increment || steps == 0)
		return (double)start * 1000;
	return 1000 * (double)(steps >= (end - start + increment - 1) / increment
				       ? end
				       : start + steps * increment);
}

const char *options_transport_name(enum options_transport transport)
{
	static const char *const names[] = {"TCP", "UDP", "Multicast", "Overlay"};

	return names[transport];
}
