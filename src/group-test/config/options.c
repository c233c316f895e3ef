// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: the option table of group-test and the checks that span options. */
#include "settings.h"

#include "config.h"

#include <unistd.h>

#define DAY (86400 * UINT64_C(1000000000))

static const char *const rates[] = {"bit", "B", "pps", NULL};
static const char *const protocols[] = {"native", "jgroups3", NULL};
static const char *const flow_controls[] = {"credit", "none", NULL};

/* A run's mode, beside that of its protocol: its members are the ranks of a launcher. */
#define MODE_MESH (1u << 2)

/* What the protocol of 3.0 has no messages for. */
#define NATIVE_ONLY                                                                                \
	.scope = {{1u << PROTOCOL_NATIVE,                                                          \
		   "is not possible with --protocol=jgroups3, only with native"}}

static const struct np_option table[] = {
	NP_FLAG(MAIN, "sender", "sender", role.sender,
		"send num_msgs messages to all members, and receive", .undoes = "receiver"),
	NP_FLAG(MAIN, "receiver", "receiver", role.receiver,
		"only receive (the default); of both the last one given counts",
		.undoes = "sender"),
	NP_VALUE(MAIN, TEXT, "config", "config", "FILE", group.config,
		 "what the group does: num_msgs, msg_size, num_members, num_senders,\n"
		 "transport ..., one KEY=VALUE a line; the same for all members"),
	NP_VALUE(MAIN, TEXT, "props", "props", "FILE", group.props,
		 "lines KEY=VALUE that override those of the configuration, or a JGroups\n"
		 "XML stack, or in place of FILE a stack itself, \"UDP(mcast_port=45566):PING\":\n"
		 "addresses, ports, ttl and buffers are read from it"),
	NP_VALUE(IGNORED, TEXT, "name", "name", "NAME", role.name,
		 "logical name, as in the original; no effect"),
	NP_VALUE(NETWORK, TEXT, "bind", "bind_addr", "ADDRESS", socket.bind,
		 "this member's own address; overrides bind_addr of the files", .dashless = true),
	NP_VALUE(OUTPUT, TEXT, "log", "f", "FILE", log,
		 "write the banner, a row of numbers every log_interval messages received,\n"
		 "and the results to FILE"),
	NP_VALUE(LOAD, UNIT_RATE, "rate", NULL, "RATE", pace.rate,
		 "rate of each sender, all its threads together, of payload in bit/s; with k,\n"
		 "M or G (1000), and B or pps: 100M, 12.5MB, 20kpps",
		 .choices = rates, NP_CLASHES({"send-interval nanos", "they are one rate", NULL})),
	NP_VALUE(LOAD, COUNT, "threads", "num_threads", "N", member.lanes, "threads that send",
		 .initial = "1", .min = 1, .max = LANES_MAX),
	NP_VALUE(LOAD, COUNT, "send-interval", "interval", "MS", pace.interval_ms,
		 "ms between two messages of a thread", .initial = "0", .max = 3600000),
	NP_VALUE(LOAD, COUNT, "nanos", "nanos", "NS", pace.nanos, "ns added to that interval",
		 .initial = "0", .max = 999999999),
	NP_FLAG(EXPERT, "busy-sleep", "busy_sleep", pace.busy_sleep,
		"poll the clock until the next message is due, instead of sleeping"),
	NP_VALUE(IGNORED, COUNT, "num-buddies", "num_buddies", "N", role.buddies,
		 "no effect, as in the original", .initial = "0", .max = MEMBERS_MAX),
	NP_VALUE(LOAD, COUNT, "warmup", "warmup", "MESSAGES", member.warmup,
		 "messages that each sender sends before the run and that are not counted",
		 .lineage_only = true, .initial = "0", .max = INT32_MAX),
	NP_VALUE(LOAD, TIME, "warm-up", NULL, "TIME", member.warm_up,
		 "seconds of the same load before the measured run", .initial = "0", .max = DAY,
		 NP_CLASHES({"warmup", "they are two warm-ups", NULL}), NATIVE_ONLY),
	NP_VALUE(OUTPUT, TEXT, "dump-stats", "dump_stats", "PROTOCOL[.NAME,...]", dump_stats,
		 "print the transport's counters at the end, or those whose names begin with NAME",
		 .bare = OPTIONS_ALL_COUNTERS),
	NP_FLAG(OUTPUT, "silent", "silent", silent, "print no banner"),
	NP_VALUE(MAIN, CHOICE, "protocol", NULL, "NAME", member.protocol,
		 "jgroups3: for a group with perf.Test of JGroups 3.0", .initial = "native",
		 .choices = protocols),
	NP_VALUE(LOAD, CHOICE, "flow-control", NULL, "HOW", group.flow_control,
		 "what keeps senders from filling receivers' buffers; tcp needs neither",
		 .initial = "credit", .choices = flow_controls, NATIVE_ONLY),
	NP_VALUE(LIMITS, TIME, "join-timeout", NULL, "TIME", group.join_timeout,
		 "seconds to wait for the members; 0: forever", .initial = "60", .max = DAY),
	NP_VALUE(LOAD, TIME, "duration", NULL, "TIME", member.duration,
		 "seconds to send, unless num_msgs are sent before; 0: until these are sent",
		 .initial = "0", .max = DAY, NATIVE_ONLY),
	NP_VALUE(LOAD, COUNT, "repeat", NULL, "RUNS", member.runs, "number of consecutive runs",
		 .initial = "1", .min = 1, .max = 255, NATIVE_ONLY),
	NP_VALUE(EXPERT, CHOICE, "batch", NULL, "BATCH", socket.batch,
		 "how udp hands messages to the kernel", .initial = "auto",
		 .choices = np_datagram_variants),
	NP_MESH_BASIC(mesh, MODE_MESH, "run a group of all ranks"),
	NP_VALUE(MESH, COUNT, "senders", NULL, "N", mesh_senders,
		 "with --mesh: the ranks below N send; not given: num_senders of the "
		 "configuration,\n"
		 "else all",
		 .min = 1, .max = MEMBERS_MAX, .scope = {{MODE_MESH, "goes with --mesh"}}),
	NP_REPORT_LAYOUT(report),
	NP_REPORT_UNIT(report, "bits"),
	NP_LOSS_MAX(max_loss_percent, "0", "a member's loss exceeds PERCENT"),
	NP_DROPS_OPTION(drops),
	NP_SOCKET_MARKS(socket.asked, 0, "; wins over ttl of the files"),
	NP_SOCKET_FAMILY(socket.asked),
	NP_SOCKET_ALLOW(socket.allow),
	NP_SOCKET_DEVICE(socket.asked, "; wins over bind_interface"),
	NP_FLAG(EXPERT, "usage", "help", help, "the same as --help", .action = NP_OPTIONS_HELP),
	NP_REPORT_ROWS(report, "0", "verbose"),
	NP_REPORT_METRICS(report),
};

const struct np_options group_test_options = {
	.program = "group-test",
	.version = PACKAGE_VERSION,
	.summary = "How many messages a second, when every member of a group hears every sender?",
	.grammar = NP_GRAMMAR_LINEAGE,
	.table = table,
	.count = sizeof(table) / sizeof(*table),
};

/* What is said of one member, or would be written by each rank. */
static const struct np_option_clash not_in_a_mesh[] = {
	{.other = "sender", .why = "--senders says how many ranks send"},
	{.other = "receiver", .why = "all ranks receive"},
	{.other = "dump-stats", .why = "each rank would print its own"},
	{.other = "silent", .why = "no rank prints a banner"},
	{.other = "repeat", .why = "one job of the launcher is one run"},
	{.other = "report unit", .why = "rank 0 prints one for all"},
	{0},
};

int options_check(struct np_run *run)
{
	struct options *o = run->options;
	const char *props = o->group.props;
	const struct np_log *log = run->log;
	int status;

	o->given = &run->given;
	if (!o->group.config)
		return np_log_refuse(log, "-config", "is missing; see group-test(8)");
	if (o->role.name)
		np_log_info(log, "-name has no effect: members are known by their addresses");
	if (o->role.buddies)
		np_log_info(log, "-num_buddies has no effect, as in the original");
	o->member.pause = (np_time)o->pace.interval_ms * NP_MILLISECOND + (np_time)o->pace.nanos;
	np_socket_settle(&o->socket.asked, o->given);
	/* The files that the run will read: no output overwrites them. */
	o->inputs[0] = config_file_example(o->group.config, o->config_example, log);
	if (props && stack_is_plain(props) && access(props, F_OK))
		o->stack = props;
	else if (props)
		o->inputs[1] = config_file_example(props + (strncmp(props, "file:", 5) ? 0 : 5),
						   o->props_example, log);
	o->report.inputs = o->inputs;
	status = np_options_check(o->given,
				  1u << o->member.protocol | (o->mesh.mesh ? MODE_MESH : 0));
	if (status >= 0 || !o->mesh.mesh)
		return status;
	if (o->member.protocol == PROTOCOL_JGROUPS3)
		return np_options_refuse(
			o->given, "protocol",
			"jgroups3 does not go with --mesh: Java members are no ranks");
	if (o->mesh.interface && o->socket.bind)
		return np_options_refuse(o->given, "interface", "does not go with -bind_addr");
	if (!o->group.join_timeout)
		return np_options_refuse(o->given, "join-timeout",
					 "0 (forever) does not go with --mesh; expected a time");
	return np_mesh_check(&o->mesh, &o->report, o->given, not_in_a_mesh);
}
