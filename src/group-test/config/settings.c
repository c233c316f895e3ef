// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * settings: finds and reads the files, as perf.Test's reader does, the examples relative to the
 * program, which may have been moved, where make or make install put them; the table of the keys
 * that they may have; applies defaults, file and properties in this order, and checks what spans
 * keys.
 */
#include "settings.h"

#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int config_file_append(struct config_file *config, struct config_line at, const char *key,
		       const char *value)
{
	struct config_line *entry = config->entry;
	const size_t count = config->count;

	/* Doubled at each power of two. */
	if (!(count & (count - 1)))
		entry = realloc(entry, (count ? 2 * count : 1) * sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	config->entry = entry;
	at.key = strdup(key);
	at.value = strdup(value);
	if (!at.key || !at.value) {
		free(at.key);
		free(at.value);
		return -ENOMEM;
	}
	config->entry[config->count++] = at;
	return 0;
}

/* Key and value are what is between the first signs of =, however many stand together. */
static int parse_line(struct config_file *config, const struct config_line *at, char *line,
		      struct np_fault *fault)
{
	char *end = line + strlen(line), *key, *value;
	int rc;

	if (*line == '#')
		return 0;
	/* Like Java's trim: removes everything up to and including the blank at both ends. */
	while (end > line && (unsigned char)end[-1] <= ' ')
		*--end = '\0';
	while (*line && (unsigned char)*line <= ' ')
		line++;
	if (!*line)
		return 0;
	key = line + strspn(line, "=");
	end = key + strcspn(key, "=");
	value = end + strspn(end, "=");
	if (!*value && *line == '#')
		return config_line_wrong(
			at, fault,
			"is not KEY=VALUE; the # of a comment must be in the first column");
	if (!*value)
		return config_line_wrong(at, fault, "'%.80s': expected KEY=VALUE, with a value",
					 line);
	*end = '\0';
	value[strcspn(value, "=")] = '\0';
	for (char *c = key; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	rc = config_file_append(config, *at, key, value);
	return rc ? np_fault_errno(fault, rc, at->file) : 0;
}

/*
 * Parses @bytes of @text (NULs are an error; a leading byte-order mark is skipped), and appends its
 * lines. Returns 0, -EINVAL with @fault ("NAME:LINE", what is wrong and what would be right), or
 * -ENOMEM. The lines before the error are kept.
 */
static int parse(struct config_file *config, const char *name, const char *text, size_t bytes,
		 struct np_fault *fault)
{
	const char *end = text + bytes, *stop;
	struct config_line at = {.file = name, .line = 1};
	int rc = 0;

	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	for (; !rc && text < end; at.line++) {
		char *line;

		/* As for Java's reader, a line ends with LF, CR LF, or CR. */
		for (stop = text; stop < end && *stop != '\n' && *stop != '\r'; stop++)
			;
		if (memchr(text, '\0', (size_t)(stop - text)))
			return config_line_wrong(&at, fault,
						 "a NUL byte; expected lines KEY=VALUE");
		line = strndup(text, (size_t)(stop - text));
		rc = line ? parse_line(config, &at, line, fault)
			  : np_fault_errno(fault, -ENOMEM, name);
		free(line);
		text = stop + (stop < end);
		text += text < end && *stop == '\r' && *text == '\n';
	}
	return rc;
}

const struct config_line *config_file_find(const struct config_file *config, const char *key)
{
	for (size_t i = config->count; i--;) {
		if (!strcmp(config->entry[i].key, key))
			return &config->entry[i];
	}
	return NULL;
}

/* The longest payload of any transport; udp allows less, see its plan. */
#define PAYLOAD_MAX (UINT64_C(16) << 20)

#define KEY(kind_, name_, member, ...)                                                             \
	{                                                                                          \
		.name = name_, .kind = NP_OPTION_##kind_,                                          \
		.offset = offsetof(struct settings, member), __VA_ARGS__                           \
	}

/* What a key's value is, as of an option. With a help it has no effect, and that says why. */
static const struct np_option keys[] = {
	KEY(TEXT, "transport", transport.variant),
	KEY(COUNT, "num_msgs", member.messages, .min = 1, .max = INT32_MAX),
	KEY(SIZE, "msg_size", member.payload, .max = PAYLOAD_MAX),
	KEY(COUNT, "num_members", num_members, .min = 1, .max = MEMBERS_MAX),
	KEY(COUNT, "num_senders", num_senders, .min = 1, .max = MEMBERS_MAX),
	KEY(COUNT, "log_interval", member.log_interval, .max = INT32_MAX),
	KEY(COUNT, "processing_delay", processing_delay_ms, .max = 60000),
	KEY(FLAG, "dump_transport_stats", dump_transport_stats, .argument = "true or false"),
	KEY(TEXT, "props", props),
	KEY(TEXT, "name", name),
	KEY(TEXT, "bind_addr", bind_addr),
	KEY(TEXT, "bind_interface", transport.ip.device),
	KEY(TEXT, "mcast_addr", mcast_addr, .initial = "239.3.4.5"),
	KEY(COUNT, "mcast_port", mcast_port, .initial = "7500", .min = 1, .max = UINT16_MAX),
	KEY(COUNT, "ttl", ttl, .initial = "1", .max = 255),
	KEY(TEXT, "cluster", cluster),
	KEY(COUNT, "start_port", first_port, .initial = "7800", .max = UINT16_MAX),
	KEY(COUNT, "srv_port", first_port, .initial = "7800", .max = UINT16_MAX),
	KEY(TEXT, "broker", transport.mqtt.broker),
	KEY(TEXT, "topic", transport.mqtt.topic),
	KEY(TEXT, "user", transport.mqtt.user),
	KEY(TEXT, "password_file", transport.mqtt.password_file),
	KEY(TEXT, "overlay_file", transport.overlay.file, .initial = "RunServerSocket.xml"),
	KEY(TEXT, "overlay_group", transport.overlay.group, .initial = "group-test"),
	KEY(SIZE, "recv_buf_size", receive_bytes, .min = 1, .max = INT_MAX / 2),
	KEY(SIZE, "send_buf_size", send_bytes, .min = 1, .max = INT_MAX / 2),
	{.name = "sender", .help = "the option -sender or -receiver says it"},
	{.name = "config", .help = "the option -config says it"},
	{.name = "jmx", .help = "there is no JMX here"},
	{.name = "num_buddies", .help = "as in the original"},
	{.name = "gnuplot_output", .help = "see --csv"},
};

#define KEYS (sizeof(keys) / sizeof(*keys))

/* NULL: there is none. */
static const struct np_option *find_key(const char *name)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	}
	return NULL;
}

int settings_wrong(const struct settings *settings, struct np_fault *fault, const char *key,
		   const char *format, ...)
{
	const struct config_line *line = config_file_find(&settings->lines, key);
	char reason[sizeof(fault->reason)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (!line)
		return np_fault_set(fault, -EINVAL, settings->config, "%s: %s", key, reason);
	return config_line_wrong(line, fault, "%s '%.80s': %s", key, line->value, reason);
}

bool settings_is_jgroups(const struct settings *settings)
{
	return settings->lineage && !strncmp(settings->lineage, "JGroups", 7);
}

static int apply_line(struct settings *s, const struct config_line *line, const struct np_log *log,
		      struct np_fault *fault)
{
	const struct np_option *key = find_key(line->key);
	const size_t length = strlen(line->key);
	const char *place = config_line_place(line), *value = line->value;
	char expected[100];
	int rc = 0;

	if (!key) {
		np_log_warning(log, place, "unknown key '%.80s', ignored%s", line->key,
			       length && (unsigned char)line->key[length - 1] <= ' '
				       ? "; there must be no blank before the ="
				       : "");
	} else if (key->help) {
		np_log_info(log, "%s: %s has no effect: %s", place, key->name, key->help);
	} else if (key->kind != NP_OPTION_FLAG) {
		rc = np_option_convert(key, value, s);
	} else {
		s->dump_transport_stats = !strcasecmp(value, "true");
		rc = s->dump_transport_stats || !strcasecmp(value, "false") ? 0 : -EINVAL;
	}
	if (!rc)
		return 0;
	return np_fault_set(fault, -EINVAL, place, "%s '%.80s': %s; expected %s", key->name, value,
			    rc == -ERANGE ? "out of range" : "not valid",
			    np_option_expected(key, expected, sizeof(expected)));
}

/* What a file must have. */
static int require_all(const struct settings *s, struct np_fault *fault)
{
	const struct {
		const char *key;
		bool needed;
	} needs[] = {
		{"num_msgs", !s->member.duration},
		{"msg_size", true},
		{"num_members", !s->mesh},
		{"num_senders", !s->mesh},
	};
	char expected[100];

	if (!config_file_find(&s->lines, "transport"))
		return np_fault_set(fault, -EINVAL, s->config,
				    "transport is missing; expected a line transport=udp, tcp, "
				    "mqtt or overlay");
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		if (needs[i].needed && !config_file_find(&s->lines, needs[i].key))
			return np_fault_set(fault, -EINVAL, s->config,
					    "%s is missing; expected a line %s=..., %s",
					    needs[i].key, needs[i].key,
					    np_option_expected(find_key(needs[i].key), expected,
							       sizeof(expected)));
	}
	return 0;
}

/*
 * What JGroups' stack leaves out has the defaults of its UDP: equal in 2.2.7, except for a ttl of
 * 64, and in 3.0.16. JGroupsTransport never reads bind_addr: the localhost in perf.Test's own
 * configuration had no effect.
 */
static void apply_stack(struct settings *s, const struct np_log *log)
{
	const struct config_line *line = config_file_find(&s->lines, "bind_addr");

	if (line && line->file == s->config) {
		s->bind_addr = NULL;
		np_log_info(log,
			    "%s: bind_addr has no effect: with %s only that of the stack or the "
			    "option -bind_addr",
			    config_line_place(line), s->lineage);
	}
	if (!config_file_find(&s->lines, "mcast_addr"))
		s->mcast_addr = "228.8.8.8";
	if (!config_file_find(&s->lines, "mcast_port"))
		s->mcast_port = 7600;
	if (!config_file_find(&s->lines, "ttl"))
		s->ttl = 8;
}

int settings_apply(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	const struct config_line *port = config_file_find(&s->lines, "srv_port"),
				 *start = config_file_find(&s->lines, "start_port");
	struct member_plan *m = &s->member;
	const char *class;
	int rc = 0;

	for (size_t i = 0; i < KEYS; i++) {
		if (keys[i].initial)
			(void)np_option_convert(&keys[i], keys[i].initial, s);
	}
	for (size_t i = 0; !rc && i < s->lines.count; i++)
		rc = apply_line(s, &s->lines.entry[i], log, fault);
	/* srv_port overrides start_port of the same file, whichever comes first. */
	if (!rc && port && start && port->file == start->file)
		rc = apply_line(s, port, log, fault);
	if (!rc)
		rc = require_all(s, fault);
	if (rc)
		return rc;
	s->row = transports_find(s->transport.variant, &s->lineage);
	if (!s->row)
		return settings_wrong(
			s, fault, "transport",
			"no such transport; expected udp, tcp, mqtt, overlay, null, or a class of "
			"perf.Test");
	/* Replaces Java's class by the transport that takes its place. */
	if (s->lineage && s->stack && !strcmp(s->lineage, "JGroupsTransport"))
		s->row = transports_find(s->stack, &class);
	s->transport.variant = s->row->name;
	if (s->lineage && (settings_is_jgroups(s) || !s->row->java))
		np_log_info(log, "%s means %s here", s->lineage, s->row->name);
	m->members = (unsigned)s->num_members;
	m->senders = (unsigned)s->num_senders;
	s->transport.tcp.first_port = (uint16_t)s->first_port;
	s->transport.receive_bytes = (size_t)s->receive_bytes;
	s->transport.send_bytes = (size_t)s->send_bytes;
	if (settings_is_jgroups(s) && s->stack)
		apply_stack(s, log);
	if (s->mesh && !s->row->mesh)
		return settings_wrong(s, fault, "transport",
				      "does not go with --mesh; expected udp, tcp or overlay");
	if (s->mesh && s->cluster)
		return settings_wrong(s, fault, "cluster",
				      "does not go with --mesh, whose members are the ranks; "
				      "remove the line");
	if (!s->mesh && m->senders > m->members)
		return settings_wrong(s, fault, "num_senders",
				      "more than num_members; expected 1 to %u", m->members);
	if (!config_file_find(&s->lines, "log_interval")) {
		m->log_interval = m->messages / 10;
		m->log_interval += m->messages && !m->log_interval;
		/* With --duration alone the number of messages is unknown, and so is its tenth. */
		m->log_doubling = !m->messages;
	}
	if (s->name)
		np_log_info(log, "name has no effect: members are known by their addresses");
	return 0;
}

int settings_read(struct settings *s, enum settings_source source, const char *name,
		  const char *text, size_t bytes, const struct np_log *log, struct np_fault *fault)
{
	if (source == SETTINGS_CONFIG)
		s->config = name;
	if (source != SETTINGS_STACK && !stack_is_xml(text, bytes))
		return parse(&s->lines, name, text, bytes, fault);
	if (source == SETTINGS_CONFIG)
		return np_fault_set(fault, -EINVAL, name,
				    "is a JGroups stack; expected lines KEY=VALUE, and the stack "
				    "by -props");
	return stack_read(&s->lines, &s->stack, name, text, source == SETTINGS_STACK ? 0 : bytes,
			  log, fault);
}

/* Reads a whole file. */
static int read_file(struct settings *s, enum settings_source source, const char *path,
		     const struct np_log *log, struct np_fault *fault)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t bytes = 0;
	int rc;

	if (!file)
		return np_fault_errno(fault, -errno, path);
	text = malloc(CONFIG_FILE_BYTES_MAX + 1);
	if (text)
		bytes = fread(text, 1, CONFIG_FILE_BYTES_MAX + 1, file);
	if (!text || ferror(file))
		rc = np_fault_errno(fault, text ? -errno : -ENOMEM, path);
	else if (bytes > CONFIG_FILE_BYTES_MAX)
		rc = np_fault_set(fault, -EFBIG, path,
				  "is longer than %u bytes, too long for a configuration",
				  CONFIG_FILE_BYTES_MAX);
	else
		rc = settings_read(s, source, path, text, bytes, log, fault);
	fclose(file);
	free(text);
	return rc;
}

const char *config_file_example(const char *name, char room[PATH_MAX], const struct np_log *log)
{
	static const char *const paths[] = {EXAMPLES_PATH, EXAMPLES_USUAL_PATH};
	char folder[PATH_MAX] = "", *slash;
	struct stat status;

	if (!*name || strchr(name, '/') || !lstat(name, &status) ||
	    readlink("/proc/self/exe", folder, sizeof(folder) - 1) <= 0)
		return name;
	/* Relative to the running program. */
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		if (snprintf(room, PATH_MAX, "%s/%s/%s", folder, paths[i], name) >= PATH_MAX ||
		    stat(room, &status) || !S_ISREG(status.st_mode))
			continue;
		np_log_info(log, "%s: no such file in this folder; reading the example %s", name,
			    room);
		return room;
	}
	return name;
}

int settings_load(struct settings *s, const struct options *o, const struct np_log *log,
		  struct np_fault *fault)
{
	const char *props = o->stack ? "-props" : o->inputs[1];
	const struct config_line *transport, *own;
	int rc;

	*s = (struct settings){.member = o->member, .mesh = o->mesh.mesh};
	rc = read_file(s, SETTINGS_CONFIG, o->inputs[0], log, fault);
	if (rc)
		return rc;
	transport = config_file_find(&s->lines, "transport");
	own = config_file_find(&s->lines, "props");
	if (own && props)
		np_log_info(log, "%s: props '%.80s' is not read: -props is given",
			    config_line_place(own), own->value);
	if (o->stack)
		rc = settings_read(s, SETTINGS_STACK, props, o->stack, strlen(o->stack), log,
				   fault);
	else if (props)
		rc = read_file(s, SETTINGS_PROPS, props, log, fault);
	if (rc)
		return rc;
	/* The file's own key props, which only Java's classes that take a stack use. */
	if (!props && own && transport && strstr(transport->value, "JGroups")) {
		const char *value = own->value, *why = NULL;

		if (stack_is_plain(value) && access(value, F_OK))
			why = "a value ends at its next =; expected a file, or a stack by the "
			      "option -props";
		value += strncmp(value, "file:", 5) ? 0 : 5;
		/* "c:\\udp.xml", as in the configuration that comes with perf.Test. */
		if (!why && strchr(value, '\\') && access(value, F_OK))
			why = "is a Windows path; expected a stack by the option -props";
		if (why)
			return config_line_wrong(own, fault, "props '%.80s': %s", own->value, why);
		value = config_file_example(value, s->example, log);
		rc = read_file(s, SETTINGS_PROPS, value, log, fault);
	}
	return rc ? rc : settings_apply(s, log, fault);
}

void settings_free(struct settings *s)
{
	for (size_t i = 0; i < s->lines.count; i++) {
		free(s->lines.entry[i].key);
		free(s->lines.entry[i].value);
	}
	free(s->lines.entry);
	s->lines = (struct config_file){};
	np_address_list_clear(&s->transport.tcp.cluster);
}
