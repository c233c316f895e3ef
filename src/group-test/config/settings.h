/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * settings: what config.txt, -props and the options together ask for: each key with its meaning,
 * range and default, a table row for each. Options override properties, and these override the
 * file.
 *
 * The lines of config.txt and of properties files are KEY=VALUE as perf.Test reads them. A line
 * whose first character is # is a comment, blank lines are skipped, and leading and trailing blanks
 * are ignored; repeated = count as one, the key is in lower case, the value ends at the next =; a
 * line without a value is an error (the original aborts). Nothing else is trimmed, and there are no
 * other comments.
 */
#pragma once

#include "../member/member.h"

#include <limits.h>

/* options.c: what the user of group-test can ask for, and the checks that span options. */
struct role_options {
	bool sender, receiver; /* receiver if neither is set */
	const char *name;      /* no effect */
	uint64_t buddies;      /* no effect */
};

struct group_options {
	const char *config, *props;
	unsigned flow_control; /* 0: credit, 1: none */
	np_time join_timeout;
};

struct pace_options {
	struct np_rate rate; /* 0: none */
	uint64_t interval_ms, nanos;
	bool busy_sleep;
};

struct socket_options {
	const char *bind;
	const char *allow;
	struct np_address_networks *allowed; /* by that, set when the session opens; NULL: all */
	unsigned batch;			     /* index into np_datagram_variants */
	struct np_socket_options asked;
};

struct options {
	struct role_options role;
	struct group_options group;
	struct member_plan member; /* protocol, duration, runs, warm-up, lanes and pause */
	struct pace_options pace;
	struct socket_options socket;
	bool silent;
	const char *dump_stats; /* "UDP.num_msgs": which counters to print, or all; NULL: none */
	bool help;		/* -help, as --help */
	const char *log;	/* -f */
	double max_loss_percent;
	unsigned drops; /* enum np_drops_mode */
	struct np_report_options report;
	char config_example[PATH_MAX], props_example[PATH_MAX];
	const char *inputs[3]; /* the files that the run reads, for the report: config, and props if
				  any */
	struct np_mesh_options mesh; /* of these only mesh, interface and limit */
	uint64_t mesh_senders;	     /* ranks below this one send; 0: as the configuration says */
	const char *stack;	     /* -props is not a file but a stack itself; else NULL */
	const struct np_options_result *given; /* the run's */
};

extern const struct np_options group_test_options;

/* The meaning of -dump_stats without a value. */
#define OPTIONS_ALL_COUNTERS "all"

/* np_tool's check: the rules that no single row can express. */
int options_check(struct np_run *run);

/* The longest file that is read; a longer one is an error. */
#define CONFIG_FILE_BYTES_MAX (1u << 20)

struct config_line {
	char *key, *value;
	const char *file; /* its name, for error messages; not owned */
	unsigned line;	  /* from 1 on */
};

/* The lines of all files, in the order of reading: of equal keys the last one applies. */
struct config_file {
	struct config_line *entry;
	size_t count;
};

/* Appends the line @at with copies of @key and @value; returns 0 or -ENOMEM. */
int config_file_append(struct config_file *config, struct config_line at, const char *key,
		       const char *value);

/* "NAME:LINE", the object of an error, until the end of the block. */
#define config_line_place(at) np_xml_place((at)->file, (at)->line, (char[NP_XML_PLACE]){})

/* Sets the fault of that line: a format and its arguments. -EINVAL. */
#define config_line_wrong(at, fault, ...)                                                          \
	np_fault_set(fault, -EINVAL, config_line_place(at), __VA_ARGS__)

/* The last entry of @key, or NULL. */
const struct config_line *config_file_find(const struct config_file *config, const char *key);

/*
 * The path to read for @name. If it has no directory, does not exist in the current one, and is the
 * name of an example, that is the example: its path is written to @room and logged. Returns @room,
 * else @name.
 */
const char *config_file_example(const char *name, char room[PATH_MAX], const struct np_log *log);

/*
 * Options and keys are read into the plans of the member and the transport, where these have a
 * place for them; plan_make completes both. The texts belong to the configurations and the options,
 * NULL: not given.
 */
struct settings {
	struct config_file lines; /* of -config, then of -props, or what a JGroups stack says */
	const char *config;	  /* the name of the former */
	const char *stack;	  /* "udp" or "tcp": the stack's transport; NULL: none */
	/* The members are the ranks of a launcher: num_members, num_senders may be missing (0) */
	bool mesh;
	struct member_plan member;
	struct transport_plan transport; /* its variant: as given, then the name of @row */
	const struct transports_row *row;
	/* In use: "credit" or "none"; NULL: a transport without loss, and jgroups3, need none */
	const char *flow_control;
	const char *lineage; /* the Java class without its package, or NULL */
	const char *bind_addr;
	const char *mcast_addr; /* 239.3.4.5; 228.8.8.8 with JGroupsTransport and a stack of UDP */
	uint64_t mcast_port;	/* 7500; then 7600 */
	uint64_t ttl;		/* 1; then 8 */
	const char *cluster;
	uint64_t processing_delay_ms;
	uint64_t num_members, num_senders, first_port, receive_bytes, send_bytes;
	const char *props; /* from the file; the option overrides it */
	const char *name;  /* logical name; reported as without effect */
	bool dump_transport_stats;
	char example[PATH_MAX]; /* the path of such a file that the file's own props names */
};

/*
 * Reads -config, and -props, a stack or lines (with a Java JGroupsTransport also the file's own key
 * props), and applies them. Returns 0, or -errno with @fault. Call settings_free in any case.
 */
int settings_load(struct settings *settings, const struct options *options,
		  const struct np_log *log, struct np_fault *fault);
void settings_free(struct settings *settings);

enum settings_source {
	SETTINGS_CONFIG, /* lines */
	SETTINGS_PROPS,	 /* lines or an XML stack */
	SETTINGS_STACK,	 /* a stack as one string */
};

/*
 * A part of settings_load: reads @bytes of @text, NUL-terminated for SETTINGS_STACK, from the file
 * @name, which is not copied; logs what of a stack is not used. Returns 0, or -errno with @fault.
 */
int settings_read(struct settings *settings, enum settings_source source, const char *name,
		  const char *text, size_t bytes, const struct np_log *log, struct np_fault *fault);

/*
 * Its last part: sets all else from the file and the properties or the stack, which override it:
 * defaults, ranges, required keys. Logs lineage keys without effect and warns of unknown ones.
 * Returns 0, or -EINVAL with @fault ("FILE:LINE", the key, what would be right).
 */
int settings_apply(struct settings *settings, const struct np_log *log, struct np_fault *fault);

/*
 * Sets the fault of the line that gave @key its value: "FILE:LINE", "KEY 'VALUE': ...". Returns
 * -EINVAL.
 */
__attribute__((format(printf, 4, 5))) int settings_wrong(const struct settings *settings,
							 struct np_fault *fault, const char *key,
							 const char *format, ...);

/* True for the Java transports that take their addresses from a JGroups stack. */
bool settings_is_jgroups(const struct settings *settings);

/*
 * plan.c: completes what a transport and a member are opened with. Pure, except that host names are
 * resolved.
 */

/*
 * What the settings mean to a transport: its names, its addresses, what it cannot carry. A new
 * transport has a row of this in plan.c and its variant in ../transport/.
 */

struct transports_row {
	const char *name;	/* the name of a variant of transport_open */
	const char *classes[2]; /* of perf.Test, without their package */
	bool java;		/* members with --protocol=jgroups3 can use it */
	bool mesh;		/* ranks can use it */
	/*
	 * Fills this transport's own part of its plan, whose common fields are set: addresses, and
	 * checks the sizes, also for Java members. Returns 0, or -errno with @fault; NULL: nothing
	 * to do.
	 */
	int (*plan)(struct settings *settings, const struct np_log *log, struct np_fault *fault);
};

/* Finds it by its name or, setting *@class, by a class of perf.Test; NULL: there is none. */
const struct transports_row *transports_find(const char *text, const char **class);

/*
 * Completes the plans: resolves names and checks what depends on the transport and the protocol.
 * Returns 0, or -errno with @fault.
 */
int plan_make(struct settings *settings, const struct options *options, const struct np_log *log,
	      struct np_fault *fault);

/*
 * Completes the member's plan with what only the open transport knows. Returns 0, or -EINVAL with
 * @fault when it has no room for a message of each sender, so that no flow control can prevent
 * loss.
 */
int plan_complete(struct settings *settings, const struct options *options,
		  const struct transport_info *info, struct np_fault *fault);

/*
 * stack.c: reads addresses, ports and buffer sizes from a JGroups stack, either XML (fc-fast.xml,
 * udp.xml, tcp.xml) or a plain string; all else in it is logged as unused.
 *
 * These are read, in the spellings of all versions: of UDP mcast_addr, mcast_port, ip_ttl,
 * bind_addr, mcast_send_buf_size, mcast_recv_buf_size (else ucast_); of TCP, TCP_NIO and TCP1_4
 * bind_addr, bind_port (start_port), send_buf_size, recv_buf_size; of TCPPING initial_hosts
 * ("a[7800],b[7800]"). "${name:default}" stands for its default, "20M" for 20000000. Another
 * transport is an error; so is, in XML, a document type or an entity.
 */

/* True for XML: the first byte that is not blank is a <. */
bool stack_is_xml(const char *text, size_t bytes);

/*
 * True if @text itself is a stack, "UDP(mcast_port=45566;ip_ttl=32):PING:FD": it starts with a word
 * and a parenthesis, or with the name of a transport.
 */
bool stack_is_plain(const char *text);

/*
 * Appends what XML of @bytes, 0: a plain string, says, under our own keys: mcast_addr, ttl ...;
 * *@transport: "udp" or "tcp" by its bottom protocol; NULL: neither. Returns 0, or -EINVAL,
 * -ENOMEM, and for XML -E2BIG with @fault ("NAME:LINE"). @name is not copied.
 */
int stack_read(struct config_file *to, const char **transport, const char *name, const char *text,
	       size_t bytes, const struct np_log *log, struct np_fault *fault);
