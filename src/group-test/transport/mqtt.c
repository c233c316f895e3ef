// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mqtt: through a broker. A message is a PUBLISH of QoS 0. Under the group's topic a member with
 * identity ID publishes to TOPIC/all/ID, for TO alone to TOPIC/one/TO/ID, and when it is gone it,
 * or the broker as its last will, publishes to TOPIC/end/ID. A broker is limited by messages per
 * second, not bytes: so several DATA messages, all of one size, go in one to TOPIC/many/ID.
 * libmosquitto's connection is driven from transport_turn, without a thread.
 */
#include "variant.h"

#include <errno.h>
#include <mosquitto.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define MQTT_PORT	 1883
#define KEEPALIVE_S	 10
#define CONNECT_LIMIT	 (10 * NP_SECOND) /* a broker may be far, or still warm up */
#define ALIVE_INTERVAL	 NP_SECOND
#define TRY_AGAIN_MS	 100
#define SUBSCRIPTIONS	 4
#define DENIED		 0x80 /* MQTT 3.1.1, 3.9.3 */
#define TOPIC_MAX	 512
#define BASE_MAX	 (TOPIC_MAX - 2 * IDENTITY_TEXT - 9)
#define PASSWORD_MAX	 1024
#define CONTROL_SPARE	 64
#define QUEUE_BYTES	 ((size_t)1 << 20)
#define BATCH_BYTES	 ((size_t)64 << 10) /* of the DATA messages in one */
#define WINDOW_BYTES_MAX ((size_t)8 << 20)
/*
 * A broker drops messages that a subscriber does not accept fast enough: mosquitto beyond 1000
 * (max_queued_messages). Half of these are for DATA.
 */
#define WINDOW_MESSAGES 500

struct mqtt_state {
	struct transport *t;
	const struct transport_plan *plan;
	struct mosquitto *client;
	struct np_address broker;
	int port_keeper;     /* a socket that reserves the port of our identity; -1 */
	const char *base;    /* what all topics begin with */
	char all[TOPIC_MAX]; /* topics on which we publish one message, several, and our end */
	char many[TOPIC_MAX];
	char end[TOPIC_MAX];
	/* While it opens: an answer came, MQTT's code, or our own message. */
	bool answered;
	int answer;
	bool ready;    /* open: messages that arrive are delivered */
	bool lost;     /* the broker is gone */
	bool watching; /* the descriptor watches for room to write */
	np_time alive; /* when to maintain the connection next */
	np_time now;   /* start of this turn's reading */
	uint64_t handed,
		written; /* messages handed to the library, and written by it to the socket */
	unsigned limit;	 /* DATA is sent only while fewer than this are between the two */
	unsigned batch;	 /* DATA messages in one; 1: each goes by itself */
	unsigned slot_count;
	uint8_t *slots; /* for @batch DATA messages */
	unsigned heard; /* messages of batches received in this turn */
	struct transport_message messages[TRANSPORT_BATCH];
};

/* Makes the descriptor watch for room while something waits to be written. */
static void watch(struct mqtt_state *s)
{
	bool wanted = !s->lost && mosquitto_want_write(s->client);
	struct epoll_event event = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0)};

	if (s->watching != wanted)
		epoll_ctl(s->t->fd, EPOLL_CTL_MOD, mosquitto_socket(s->client), &event);
	s->watching = wanted;
}

/* Delivers a message, or the messages of a batch of DATA. */
static void deliver(struct mqtt_state *s, const struct identity *source,
		    const struct mosquitto_message *message, bool batch)
{
	const uint8_t *at = message->payload;
	const size_t length = (size_t)message->payloadlen;
	const size_t each = batch ? s->plan->data_bytes : length;
	const bool bad = !length || length % each, longer = !bad && each > s->t->message_bytes;

	s->t->stats.bad_lengths += bad;
	s->t->stats.oversize += longer;
	for (size_t left = bad || longer ? 0 : length / each; left;) {
		unsigned count = left < TRANSPORT_BATCH ? (unsigned)left : TRANSPORT_BATCH;

		for (unsigned i = 0; i < count; i++, at += each)
			s->messages[i] = (struct transport_message){at, each, each, s->now};
		transport_deliver(s->t, source, s->messages, count, 0);
		s->heard += batch ? count : 0;
		left -= count;
	}
}

/* Anybody may publish anything under our topic, and have the broker retain it for later groups. */
static void on_message(struct mosquitto *client, void *state,
		       const struct mosquitto_message *message)
{
	struct mqtt_state *s = state;
	struct transport *t = s->t;
	const size_t bytes = strlen(s->base);
	const char *topic = message->topic, *kind = topic;
	struct identity source;
	/* Of this group: after its topic comes what is in the message, and at the end from whom. */
	const bool ours = !strncmp(topic, s->base, bytes) && topic[bytes] == '/' &&
			  !identity_parse(strrchr(topic, '/') + 1, &source);

	(void)client;
	if (ours)
		kind += bytes + 1;
	if (!s->ready) {
		/* A client that the broker disconnects gets its own last will before it notices. */
		s->answered |=
			ours && strncmp(kind, "end/", 4) && identity_equal(&source, &t->info.self);
		return;
	}
	if (!ours)
		t->stats.bad_handshakes++;
	else if (message->retain)
		t->stats.refused++;
	else if (strncmp(kind, "end/", 4))
		deliver(s, &source, message, !strncmp(kind, "many/", 5));
	else if (!identity_equal(&source, &t->info.self))
		t->listener.event(t->listener.context,
				  &(struct transport_event){.kind = TRANSPORT_ENDED,
							    .peer = source,
							    .hearsay = true});
}

/*
 * Reads and handles packets of up to @most messages; the last one is handled completely. True when
 * there may be more. The library reads one packet per call, and reports only by errno that there
 * was none.
 */
static bool hear(struct mqtt_state *s, unsigned most)
{
	const int on = 1;
	unsigned packets;

	s->now = np_clock_now();
	s->heard = 0;
	for (packets = 0; packets + s->heard < most && !s->lost; packets++) {
		errno = 0;
		if (mosquitto_loop_read(s->client, 1))
			s->lost = true;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
	}
	/*
	 * Brokers leave Nagle's algorithm on (mosquitto does): they hold back data for us until we
	 * have acknowledged the data before, which we would delay for 40 ms. The kernel resets this
	 * option.
	 */
	if (packets && !s->lost)
		setsockopt(mosquitto_socket(s->client), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
	return packets + s->heard >= most;
}

static int mqtt_turn(struct transport *t, unsigned most, np_time now)
{
	struct mqtt_state *s = t->state;
	bool more = hear(s, most);

	if (!s->lost && mosquitto_want_write(s->client) && mosquitto_loop_write(s->client, 1))
		s->lost = true;
	if (!s->lost && now >= s->alive) {
		s->lost = mosquitto_loop_misc(s->client) != MOSQ_ERR_SUCCESS;
		s->alive = now + ALIVE_INTERVAL;
	}
	watch(s);
	t->deadline = s->lost ? 0 : s->alive;
	if (s->lost)
		return -ENOTCONN;
	return more;
}

static int publish(struct mqtt_state *s, const char *topic, const void *message, size_t bytes)
{
	int rc = s->lost ? MOSQ_ERR_NO_CONN
			 : mosquitto_publish(s->client, NULL, topic, (int)bytes, message, 0, false);

	if (!rc) {
		s->handed++;
		watch(s);
		return 0;
	}
	if (rc == MOSQ_ERR_NOMEM)
		return -ENOMEM;
	if (rc == MOSQ_ERR_PAYLOAD_SIZE || rc == MOSQ_ERR_OVERSIZE_PACKET)
		return -EMSGSIZE;
	/* The next turn reports that the broker is gone. */
	s->lost = true;
	s->t->deadline = 0;
	return -ENOTCONN;
}

static int mqtt_send(struct transport *t, const struct identity *who, const void *message,
		     size_t bytes)
{
	struct mqtt_state *s = t->state;
	char topic[TOPIC_MAX];

	if (!s->lost && s->handed - s->written >= s->limit + CONTROL_SPARE)
		return -EAGAIN;
	if (!who)
		return publish(s, s->all, message, bytes);
	snprintf(topic, sizeof(topic), "%s/one/%s/%s", s->base, identity_text(who),
		 identity_text(&t->info.self));
	return publish(s, topic, message, bytes);
}

static unsigned mqtt_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	const struct mqtt_state *s = t->state;
	uint64_t used = s->handed - s->written;
	unsigned room = used < s->limit ? s->limit - (unsigned)used : 0;

	room = room < s->slot_count / s->batch ? room * s->batch : s->slot_count;
	t->stats.send_refused += !room;
	slots->data = s->slots;
	slots->stride = t->plan.data_bytes;
	return wanted < room ? wanted : room;
}

static int mqtt_commit(struct transport *t, unsigned count)
{
	struct mqtt_state *s = t->state;

	for (unsigned i = 0, some; i < count; i += some) {
		int rc;

		some = count - i < s->batch ? count - i : s->batch;
		rc = publish(s, some > 1 ? s->many : s->all, s->slots + i * t->plan.data_bytes,
			     some * t->plan.data_bytes);
		t->stats.send_errors += rc != 0;
	}
	return (int)count;
}

static bool mqtt_idle(const struct transport *t)
{
	const struct mqtt_state *s = t->state;

	return s->lost || !mosquitto_want_write(s->client);
}

static void on_connect(struct mosquitto *client, void *state, int answer)
{
	struct mqtt_state *s = state;

	(void)client;
	s->answered = true;
	s->answer = answer;
}

static void on_subscribe(struct mosquitto *client, void *state, int id, int count,
			 const int *granted)
{
	struct mqtt_state *s = state;

	(void)client;
	(void)id;
	s->answered = true;
	s->answer = 0;
	for (int i = 0; i < count; i++)
		s->answer |= granted[i] == DENIED ? DENIED : 0;
}

static void on_publish(struct mosquitto *client, void *state, int id)
{
	struct mqtt_state *s = state;

	(void)client;
	(void)id;
	s->written++;
}

static int connect_client(struct mqtt_state *s, struct np_fault *fault)
{
	const bool ipv6 = s->broker.any.sa_family == AF_INET6;
	const bool bound = s->plan->bind.any.sa_family != AF_UNSPEC;
	const struct {
		int value, level, name;
	} settings[] = {
		{s->plan->ip.tos, ipv6 ? SOL_IPV6 : SOL_IP, ipv6 ? IPV6_TCLASS : IP_TOS},
		{s->plan->ip.ttl, ipv6 ? SOL_IPV6 : SOL_IP, ipv6 ? IPV6_UNICAST_HOPS : IP_TTL},
		{s->plan->receive_bytes ? (int)s->plan->receive_bytes : -1, SOL_SOCKET, SO_RCVBUF},
		{s->plan->send_bytes ? (int)s->plan->send_bytes : -1, SOL_SOCKET, SO_SNDBUF},
	};
	struct epoll_event event = {.events = EPOLLIN};
	char host[NI_MAXHOST], own[NI_MAXHOST];
	int rc, fd;

	if (getnameinfo(&s->broker.any, s->broker.length, host, sizeof(host), NULL, 0,
			NI_NUMERICHOST) ||
	    (bound && getnameinfo(&s->plan->bind.any, s->plan->bind.length, own, sizeof(own), NULL,
				  0, NI_NUMERICHOST)))
		return np_fault_errno(fault, -EINVAL, s->plan->mqtt.broker);
	rc = mosquitto_connect_bind(s->client, host, np_address_port(&s->broker), KEEPALIVE_S,
				    bound ? own : NULL);
	if (rc)
		return np_fault_set(fault, -ENOTCONN, s->plan->mqtt.broker, "%s",
				    rc == MOSQ_ERR_ERRNO ? strerror(errno)
							 : mosquitto_strerror(rc));
	fd = mosquitto_socket(s->client);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		if (settings[i].value >= 0)
			(void)setsockopt(fd, settings[i].level, settings[i].name,
					 &settings[i].value, sizeof(settings[i].value));
	}
	if (epoll_ctl(s->t->fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return np_fault_errno(fault, -errno, s->plan->variant);
	return 0;
}

/* Waits for the next answer of the broker, which sets @s->answer. */
static int await(struct mqtt_state *s, np_time deadline)
{
	s->answered = false;
	while (!s->answered && !s->lost) {
		struct pollfd ready = {.fd = s->t->fd, .events = POLLIN};
		np_time now = np_clock_now();

		if (now >= deadline)
			return -ETIMEDOUT;
		watch(s);
		poll(&ready, 1, (int)((deadline - now) / NP_MILLISECOND) + 1);
		hear(s, 1);
		if (!s->lost && mosquitto_want_write(s->client))
			s->lost = mosquitto_loop_write(s->client, 1) != MOSQ_ERR_SUCCESS;
	}
	return s->answered ? 0 : -ENOTCONN;
}

/* Connects and subscribes; returns when our own messages come back. */
static int join(struct mqtt_state *s, struct np_fault *fault)
{
	const np_time deadline = np_clock_now() + s->plan->connect_limit;
	char topics[SUBSCRIPTIONS][TOPIC_MAX];
	char *list[SUBSCRIPTIONS] = {topics[0], topics[1], topics[2], topics[3]};
	const size_t bytes = s->batch * s->plan->data_bytes;
	int rc = connect_client(s, fault);

	if (rc)
		return rc;
	rc = await(s, deadline);
	/* A broker that refuses a client also disconnects it. */
	if (!rc && s->answer)
		return np_fault_set(fault, -EACCES, s->plan->mqtt.broker, "%s",
				    mosquitto_connack_string(s->answer));
	if (rc)
		return np_fault_set(fault, rc, s->plan->mqtt.broker,
				    "the server does not answer as an MQTT broker");
	snprintf(topics[0], TOPIC_MAX, "%s/all/+", s->base);
	snprintf(topics[1], TOPIC_MAX, "%s/one/%s/+", s->base, identity_text(&s->t->info.self));
	snprintf(topics[2], TOPIC_MAX, "%s/end/+", s->base);
	snprintf(topics[3], TOPIC_MAX, "%s/many/+", s->base);
	if (mosquitto_subscribe_multiple(s->client, NULL, SUBSCRIPTIONS, list, 0, 0, NULL))
		return np_fault_set(fault, -ENOTCONN, s->plan->mqtt.broker,
				    "the broker closed the connection");
	rc = await(s, deadline);
	if (rc)
		return np_fault_errno(fault, rc, s->plan->mqtt.broker);
	if (s->answer)
		return np_fault_set(fault, -EACCES, s->base, "the broker denies this topic");
	/*
	 * It may grant a subscription but send or accept nothing (mosquitto's acl_file), or have an
	 * unannounced limit: it drops longer messages, or disconnects. So one as long as a batch
	 * goes to this member alone.
	 */
	if (mqtt_send(s->t, &s->t->info.self, s->slots, bytes) || await(s, deadline))
		return np_fault_set(
			fault, -EACCES, s->base,
			"the broker delivers no message of %zu bytes: is this topic not "
			"permitted, or its limit lower?",
			bytes);
	return 0;
}

/*
 * Finds out in bounded time, unlike libmosquitto, whether the broker is there, which may be started
 * last, and the address of ours that reaches it. That address with a port that is reserved for us
 * is the identity, which the last will needs before the connection.
 */
static int find_self(struct mqtt_state *s, struct np_fault *fault)
{
	const np_time until = np_clock_now() + s->plan->mqtt.wait;
	struct np_stream_options options = {.ip.tos = -1};
	struct np_stream *stream;
	struct np_address self = s->plan->bind;
	const struct np_address_text name = np_address_format(&s->broker);
	bool reported = false;
	int rc;

	np_address_set_port(&self, 0);
	if (self.any.sa_family != AF_UNSPEC)
		options.local = &self;
	while ((rc = np_stream_connect(&stream, &options, &s->broker, -1,
				       np_clock_now() + s->plan->connect_limit)) == -ECONNREFUSED &&
	       np_clock_now() < until) {
		if (!reported)
			transport_notify(s->t, TRANSPORT_FAILED, (struct identity){},
					 s->plan->mqtt.broker, rc);
		reported = true;
		poll(NULL, 0, TRY_AGAIN_MS);
	}
	if (rc == -ECONNREFUSED)
		return np_fault_set(fault, rc, name.text + strspn(name.text, "/"),
				    "Connection refused; start the broker there, or name another");
	if (rc)
		return np_fault_errno(fault, rc, s->plan->mqtt.broker);
	self = np_stream_info(stream)->local;
	np_stream_free(stream);
	np_address_set_port(&self, 0);
	s->port_keeper = socket(self.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->port_keeper < 0 || bind(s->port_keeper, &self.any, self.length) < 0 ||
	    getsockname(s->port_keeper, &self.any, &self.length) < 0)
		return np_fault_errno(fault, -errno, s->plan->variant);
	s->t->info.self = identity_of(&self);
	return 0;
}

static int make_client(struct mqtt_state *s, struct np_fault *fault)
{
	const char *self = identity_text(&s->t->info.self), *path = s->plan->mqtt.password_file;
	char password[PASSWORD_MAX] = "";
	FILE *file;
	int rc = 0;

	s->base = s->plan->mqtt.topic ? s->plan->mqtt.topic : "group-test";
	if (!*s->base || strlen(s->base) > BASE_MAX ||
	    mosquitto_pub_topic_check(s->base) != MOSQ_ERR_SUCCESS)
		return np_fault_set(fault, -EINVAL, s->base,
				    "is not a topic; expected up to %d bytes without + and #",
				    BASE_MAX);
	snprintf(s->all, sizeof(s->all), "%s/all/%s", s->base, self);
	snprintf(s->many, sizeof(s->many), "%s/many/%s", s->base, self);
	snprintf(s->end, sizeof(s->end), "%s/end/%s", s->base, self);
	s->client = mosquitto_new(NULL, true, s);
	if (!s->client)
		return np_fault_errno(fault, -errno, s->plan->variant);
	if (path) {
		file = fopen(path, "re");
		if (!file)
			return np_fault_errno(fault, -errno, path);
		if (!fgets(password, PASSWORD_MAX, file))
			rc = np_fault_set(fault, -EINVAL, path,
					  "has no password in its first line");
		fclose(file);
		password[strcspn(password, "\r\n")] = '\0';
	}
	if (!rc && s->plan->mqtt.user &&
	    mosquitto_username_pw_set(s->client, s->plan->mqtt.user, *password ? password : NULL))
		rc = np_fault_set(fault, -EINVAL, s->plan->mqtt.user,
				  "is not a valid user name for a broker");
	explicit_bzero(password, sizeof(password));
	if (rc)
		return rc;
	mosquitto_connect_callback_set(s->client, on_connect);
	mosquitto_subscribe_callback_set(s->client, on_subscribe);
	mosquitto_publish_callback_set(s->client, on_publish);
	mosquitto_message_callback_set(s->client, on_message);
	if (mosquitto_will_set(s->client, s->end, 1, "-", 0, false) ||
	    mosquitto_int_option(s->client, MOSQ_OPT_TCP_NODELAY, 1))
		return np_fault_errno(fault, -ENOMEM, s->plan->variant);
	return 0;
}

/* How many of @bytes may wait: at least two. */
static unsigned fitting(size_t bytes)
{
	const size_t fit = QUEUE_BYTES / bytes;

	return fit < 2 ? 2 : fit > TRANSPORT_BATCH ? TRANSPORT_BATCH : (unsigned)fit;
}

static int mqtt_open(struct transport *t, struct np_fault *fault)
{
	struct mqtt_state *s = t->state;
	const char *broker = t->plan.mqtt.broker;
	size_t window = WINDOW_BYTES_MAX / t->plan.data_bytes;
	int rc;

	s->t = t;
	s->plan = &t->plan;
	if (!t->plan.connect_limit)
		t->plan.connect_limit = CONNECT_LIMIT;
	s->port_keeper = -1;
	mosquitto_lib_init();
	s->slot_count = fitting(t->plan.data_bytes);
	s->slots = malloc(s->slot_count * t->plan.data_bytes);
	if (!s->slots)
		return np_fault_errno(fault, -ENOMEM, t->plan.variant);
	memset(s->slots, TRANSPORT_FILL, s->slot_count * t->plan.data_bytes);
	s->batch = (unsigned)np_least(BATCH_BYTES / t->plan.data_bytes, s->slot_count);
	s->batch += !s->batch;
	s->limit = fitting(s->batch * t->plan.data_bytes);
	window = window > WINDOW_MESSAGES ? WINDOW_MESSAGES : window;
	/* The broker's memory is assumed unlimited: each sender may always have one. */
	if (window < t->plan.senders)
		window = t->plan.senders;
	t->info.window_bytes = (window < 2 ? 2 : window) * t->plan.data_bytes;
	t->info.lossy = true;
	if (t->plan.ip.device)
		return np_fault_set(fault, -EOPNOTSUPP, t->plan.ip.device, "mqtt takes no device");
	rc = np_address_parse(&s->broker, broker, MQTT_PORT, t->plan.family);
	if (rc == -EAFNOSUPPORT)
		return np_fault_set(fault, rc, broker, "is no %s address",
				    t->plan.family == AF_INET ? "IPv4" : "IPv6");
	if (rc)
		return np_fault_set(fault, rc == -ERANGE ? -EINVAL : rc, broker, "%s",
				    rc == -EINVAL || rc == -ERANGE ? "not HOST or HOST:PORT"
								   : "no such host");
	rc = find_self(s, fault);
	if (!rc)
		rc = make_client(s, fault);
	if (!rc)
		rc = join(s, fault);
	if (!rc)
		snprintf(t->info.detail, sizeof(t->info.detail),
			 "broker %.100s, topic %.50s, QoS 0, up to %u messages in one",
			 t->plan.mqtt.broker, s->base, s->batch);
	s->ready = !rc;
	t->deadline = 0;
	return rc;
}

static void mqtt_close(struct transport *t)
{
	struct mqtt_state *s = t->state;

	if (s->client) {
		/* What the last will says, since the broker discards that on DISCONNECT. */
		if (s->ready && !s->lost)
			mosquitto_publish(s->client, NULL, s->end, 1, "-", 0, false);
		mosquitto_disconnect(s->client);
		mosquitto_destroy(s->client);
	}
	if (s->port_keeper >= 0)
		close(s->port_keeper);
	free(s->slots);
	mosquitto_lib_cleanup();
}

const struct transport_variant transport_mqtt_variant = {
	.name = "mqtt",
	.state_bytes = sizeof(struct mqtt_state),
	.open = mqtt_open,
	.close = mqtt_close,
	.turn = mqtt_turn,
	.send = mqtt_send,
	.reserve = mqtt_reserve,
	.commit = mqtt_commit,
	.idle = mqtt_idle,
};
