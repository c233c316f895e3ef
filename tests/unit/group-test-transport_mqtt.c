// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-transport_mqtt: members at a broker of the test's own: mosquitto, a child of ours. */
#include "address_of.h"
#include "group_transports.h"
#include "support/unit.h"

#include <fcntl.h>
#include <mosquitto.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define BROKER "/usr/sbin/mosquitto"

struct broker {
	pid_t pid;
	uint16_t port;
	char directory[64];
	char name[64]; /* as --broker takes it */
};

/* A listener of our own, at a port that was free. */
static struct np_stream *listen_anywhere(uint16_t *port)
{
	struct np_address local = address_of("127.0.0.1:0");
	const struct np_stream_options options = {.local = &local, .ip.tos = -1};
	struct np_stream *listener;

	assert_int_equal(np_stream_listen(&listener, &options, 8), 0);
	*port = np_address_port(&np_stream_info(listener)->local);
	return listener;
}

static void write_file(const struct broker *broker, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", broker->directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void run_broker(const struct broker *broker)
{
	int null = open("/dev/null", O_WRONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDERR_FILENO);
	if (chdir(broker->directory) == 0)
		execl(BROKER, BROKER, "-c", "config", NULL);
	_exit(127);
}

static void broker_make(struct broker *broker)
{
	snprintf(broker->directory, sizeof(broker->directory), "/tmp/group-mqtt.XXXXXX");
	assert_non_null(mkdtemp(broker->directory));
}

static void broker_start(struct broker *broker, const char *more)
{
	struct np_address address;
	struct np_stream *stream;
	char config[512];

	if (!broker->directory[0])
		broker_make(broker);
	np_stream_free(listen_anywhere(&broker->port));
	snprintf(broker->name, sizeof(broker->name), "127.0.0.1:%u", broker->port);
	snprintf(config, sizeof(config), "user root\nlistener %u 127.0.0.1\n%s\n", broker->port,
		 more);
	write_file(broker, "config", config);
	broker->pid = fork();
	if (broker->pid == 0)
		run_broker(broker);
	address = address_of(broker->name);
	AWAIT(!np_stream_connect(&stream, &(struct np_stream_options){.ip.tos = -1}, &address, -1,
				 np_clock_now() + PARTIES_LIMIT),
	      usleep(10000));
	np_stream_free(stream);
}

static void broker_stop(struct broker *broker)
{
	static const char *const files[] = {"config", "passwords", "right", "wrong", "rights"};
	char path[128];

	if (broker->pid > 0) {
		kill(broker->pid, SIGKILL);
		waitpid(broker->pid, NULL, 0);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", broker->directory, files[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(broker->directory), 0);
}

/* For all tests that do not ask for another one. */
static struct broker shared;

static int start_shared(void **state)
{
	(void)state;
	if (access(BROKER, X_OK)) {
		printf("SKIP: mosquitto is not installed (./bootstrap --tests does)\n");
		exit(77);
	}
	broker_start(&shared, "allow_anonymous true");
	return 0;
}

static int stop_shared(void **state)
{
	(void)state;
	broker_stop(&shared);
	return 0;
}

ALL_TESTS_WITH(start_shared, stop_shared)

static struct transport_plan mqtt_plan(const struct broker *broker, unsigned count,
				       size_t data_bytes)
{
	struct transport_plan plan = {
		.variant = "mqtt",
		.mqtt = {.broker = broker->name, .topic = "tests/group"},
	};

	parties_plan(&plan, count, data_bytes);
	plan.connect_limit = PARTIES_LIMIT;
	return plan;
}

TEST(a_message_to_one_reaches_one)
{
	PARTIES p = {};

	parties_open_all(&p, mqtt_plan(&shared, 3, 1000), 3);
	assert_int_equal(transport_info(p.party[0].transport)->window_bytes, 500 * 1000);
	parties_one_hears_one(&p);
}

/* Who closes says so. */
TEST(who_goes_is_told_of)
{
	PARTIES p = {};

	parties_open_all(&p, mqtt_plan(&shared, 2, 1000), 2);
	transport_free(p.party[1].transport);
	p.count = 1;
	PARTIES_AWAIT(&p, p.party[0].events[TRANSPORT_ENDED] > 0);
}

/* A client of the shared broker that is no member. */
static struct mosquitto *stranger(void)
{
	struct mosquitto *client = mosquitto_new(NULL, true, NULL);

	assert_int_equal(mosquitto_connect(client, "127.0.0.1", shared.port, 60), 0);
	while (mosquitto_loop(client, 10, 1) == 0 && mosquitto_want_write(client))
		;
	return client;
}

/* Under the group's topic, at once. */
static void publish(struct mosquitto *client, const char *to, const void *data, int bytes,
		    bool retain)
{
	char topic[64];

	snprintf(topic, sizeof(topic), "tests/group/%s", to);
	assert_int_equal(mosquitto_publish(client, NULL, topic, bytes, data, 0, retain), 0);
	while (mosquitto_want_write(client))
		mosquitto_loop(client, 10, 1);
}

/* Batches that are none cost a count, too. */
TEST(what_strangers_publish_costs_a_count)
{
	static char many[10001] = "?";
	static const struct {
		const char *to, *data;
		int bytes;
	} said[] = {
		{"all/10.0.0.1:5", "", 0},	     {"all/nonsense", "x", 1},
		{"all/10.0.0.1:5", many, 1001},	     {"end/10.0.0.2:5", "", 0},
		{"many/10.0.0.1:5", "", 0},	     {"many/10.0.0.1:5", many + 1, 999},
		{"many/10.0.0.1:5", many + 1, 1001}, {"many/10.0.0.1:5", many, 10001},
		{"many/10.0.0.1:5", many, 10000}, /* ten */
	};
	struct mosquitto *client = stranger();
	PARTIES p = {};

	publish(client, "all/10.0.0.1:5", "old", 3, true);
	parties_open_all(&p, mqtt_plan(&shared, 1, 1000), 1);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		publish(client, said[i].to, said[i].data, said[i].bytes, false);
	publish(client, "all/10.0.0.1:5", "", 0, true); /* forget the old one */
	publish(client, "all/10.0.0.1:5", "x", 1, false);
	PARTIES_AWAIT(&p, p.party[0].strange > 10);
	assert_int_equal(p.party[0].strange, 11);
	assert_int_equal(p.party[0].events[TRANSPORT_ENDED], 1);
	assert_int_equal(parties_stats(&p, 0).bad_lengths, 6);
	assert_int_equal(parties_stats(&p, 0).bad_handshakes, 1);
	assert_int_equal(parties_stats(&p, 0).oversize, 1);
	p.party[0].strange = 0;
	parties_all_hear_all(&p);
	mosquitto_destroy(client);
}

/* All messages come, many at once. A broker that has a limit does not say so: it drops what is
 * longer, or hangs up. */
TEST(as_many_at_once_as_fit)
{
	static const char *const limits[] = {"message_size_limit 20000", "max_packet_size 20000"};
	static const struct {
		size_t bytes;
		const char *detail;
	} sizes[] = {
		{1000, "QoS 0, up to 65 messages in one"},
		{60000, "QoS 0, up to 1 messages in one"},
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct parties p = {};

		parties_open_all(&p, mqtt_plan(&shared, 2, sizes[i].bytes), 2);
		assert_non_null(
			strstr(transport_info(p.party[0].transport)->detail, sizes[i].detail));
		parties_stream(&p, 0, 2000, parties_window(&p));
		parties_close(&p);
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct broker broker = {};
		struct transport_plan plan;
		char config[100];

		snprintf(config, sizeof(config), "allow_anonymous true\n%s", limits[i]);
		broker_start(&broker, config);
		plan = mqtt_plan(&broker, 1, 1000);
		plan.connect_limit = 2 * NP_SECOND;
		parties_refused(&plan, -EACCES, "tests/group",
				"the broker delivers no message of 65000 bytes: is this topic not "
				"permitted, or its limit lower?");
		broker_stop(&broker);
	}
}

TEST(a_broker_that_stops_is_not_waited_for)
{
	struct broker broker = {};
	PARTIES p = {};
	uint32_t sent = 0;
	unsigned went, idle = 0;
	int rc = 0;

	broker_start(&broker, "allow_anonymous true");
	parties_open_all(&p, mqtt_plan(&broker, 1, 1000), 1);
	kill(broker.pid, SIGSTOP);
	for (; idle < 10; idle += !went) {
		went = parties_data(&p, 0, sent, TRANSPORT_BATCH);
		sent += went;
		parties_turn(&p);
	}
	assert_false(transport_idle(p.party[0].transport));
	/* The network may take more than ten turns to fill: what counts is that it ends. */
	AWAIT(rc, rc = transport_send(p.party[0].transport, NULL, "x", 1));
	assert_int_equal(rc, -EAGAIN);
	broker_stop(&broker);
}

TEST(faults_say_what_would_be_right)
{
	struct transport_plan plan = mqtt_plan(&shared, 1, 1000);
	struct np_stream *silent;
	char name[64];
	uint16_t port;

	plan.mqtt.topic = "tests/#";
	parties_refused(&plan, -EINVAL, "tests/#",
			"is not a topic; expected up to 391 bytes without + and #");
	plan.mqtt.topic = NULL;
	plan.ip.device = "lo";
	parties_refused(&plan, -EOPNOTSUPP, "lo", "mqtt takes no device");
	plan.ip.device = NULL;
	plan.mqtt.broker = "127.0.0.1:99999";
	parties_refused(&plan, -EINVAL, "127.0.0.1:99999", "not HOST or HOST:PORT");
	silent = listen_anywhere(&port);
	snprintf(name, sizeof(name), "127.0.0.1:%u", port);
	plan.mqtt.broker = name;
	plan.connect_limit = 100 * NP_MILLISECOND;
	parties_refused(&plan, -ETIMEDOUT, name, "the server does not answer as an MQTT broker");
	np_stream_free(silent);
	parties_refused(&plan, -ECONNREFUSED, name,
			"Connection refused; start the broker there, or name another");
	plan = mqtt_plan(&shared, 1, 1000);
	plan.mqtt.password_file = "/nonexistent";
	parties_refused(&plan, -ENOENT, "/nonexistent", "No such file or directory");
	plan.mqtt.password_file = "/dev/null";
	parties_refused(&plan, -EINVAL, "/dev/null", "has no password in its first line");
}

/* The broker's file, as mosquitto_passwd writes it: tester has the password "secret". */
#define PASSWORDS                                                                                  \
	"tester:$7$101$kaCA5KsKGWpGeb/f$HTCivnNIop6Fxen+0ZuCZCibI5FaqGR/"                          \
	"QBO9oChiRYhPvxIVdMr783sYHWuDh"                                                            \
	"YY31YfuXYs9qRPs5wDpLBwGgQ==\n"

TEST(a_broker_may_ask_for_a_password)
{
	const char *refusal = mosquitto_connack_string(5); /* not authorised */
	struct broker broker = {};
	struct transport_plan plan;
	PARTIES p = {};
	char right[128], wrong[128];

	broker_make(&broker);
	write_file(&broker, "passwords", PASSWORDS);
	write_file(&broker, "right", "secret\n");
	write_file(&broker, "wrong", "guess\n");
	snprintf(right, sizeof(right), "%s/right", broker.directory);
	snprintf(wrong, sizeof(wrong), "%s/wrong", broker.directory);
	broker_start(&broker, "allow_anonymous false\npassword_file passwords");
	plan = mqtt_plan(&broker, 1, 1000);
	parties_refused(&plan, -EACCES, broker.name, refusal);
	plan.mqtt.user = "tester";
	parties_refused(&plan, -EACCES, broker.name, refusal);
	plan.mqtt.password_file = wrong;
	parties_refused(&plan, -EACCES, broker.name, refusal);
	plan.mqtt.password_file = right;
	parties_open_all(&p, plan, 1);
	parties_all_hear_all(&p);
	broker_stop(&broker);
}

static bool is_too_slow(const struct transport_plan *plan)
{
	const struct transport_listener listener = {NULL, parties_deliver, parties_event};
	struct np_fault fault = {};
	struct transport *t;

	return transport_open(&t, plan, &listener, &fault) == -ETIMEDOUT;
}

/* Nothing of the group may be read: mosquitto grants the subscription, and sends nothing. */
TEST(a_broker_may_deny_the_topic)
{
	struct broker broker = {};
	struct transport_plan plan;

	broker_make(&broker);
	write_file(&broker, "rights", "topic read other/#\n");
	broker_start(&broker, "allow_anonymous true\nacl_file rights");
	plan = mqtt_plan(&broker, 1, 1000);
	plan.connect_limit = 500 * NP_MILLISECOND;
	/* A broker that is slow has not even connected it by then. */
	while (is_too_slow(&plan)) {
		plan.connect_limit *= 4;
		assert_true(plan.connect_limit < PARTIES_LIMIT);
	}
	parties_refused(&plan, -EACCES, "tests/group",
			"the broker delivers no message of 65000 bytes: is this topic not "
			"permitted, or its limit lower?");
	broker_stop(&broker);
}
