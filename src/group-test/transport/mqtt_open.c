// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mqtt_open: finds the broker and an identity, creates the client, connects it to the broker, and
 * subscribes; waits until messages come back.
 */
#include "mqtt.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netperf/stream.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define KEEPALIVE_S   10
#define SUBSCRIPTIONS 4
#define DENIED	      0x80 /* MQTT 3.1.1, 3.9.3 */

static void on_connect(struct mosquitto *client, void *transport, int answer)
{
	struct mqtt_state *s = ((struct transport *)transport)->state;

	(void)client;
	s->connected = true;
	s->answer = answer;
}

static void on_subscribe(struct mosquitto *client, void *transport, int id, int count,
			 const int *granted)
{
	struct mqtt_state *s = ((struct transport *)transport)->state;

	(void)client;
	(void)id;
	s->subscribed = true;
	for (int i = 0; i < count; i++)
		s->denied |= granted[i] == DENIED;
}

static void on_publish(struct mosquitto *client, void *transport, int id)
{
	struct mqtt_state *s = ((struct transport *)transport)->state;

	(void)client;
	(void)id;
	s->written++;
}

static void set_socket(int fd, const struct transport_plan *plan, bool ipv6)
{
	const int level = ipv6 ? SOL_IPV6 : SOL_IP;
	const int receive = (int)plan->receive_bytes, send = (int)plan->send_bytes;

	if (plan->tos >= 0)
		setsockopt(fd, level, ipv6 ? IPV6_TCLASS : IP_TOS, &plan->tos, sizeof(int));
	if (plan->ttl >= 0)
		setsockopt(fd, level, ipv6 ? IPV6_UNICAST_HOPS : IP_TTL, &plan->ttl, sizeof(int));
	if (receive)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof(receive));
	if (send)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send, sizeof(send));
}

static int connect_client(struct transport *t, const struct transport_plan *plan,
			  const struct np_address *broker, struct np_fault *fault)
{
	struct mqtt_state *s = t->state;
	struct epoll_event event = {.events = EPOLLIN};
	char host[NI_MAXHOST], own[NI_MAXHOST];
	bool bound = plan->bind.any.sa_family != AF_UNSPEC;
	int rc;

	if (getnameinfo(&broker->any, broker->length, host, sizeof(host), NULL, 0,
			NI_NUMERICHOST) ||
	    (bound && getnameinfo(&plan->bind.any, plan->bind.length, own, sizeof(own), NULL, 0,
				  NI_NUMERICHOST)))
		return np_fault_errno(fault, -EINVAL, plan->mqtt.broker);
	rc = mosquitto_connect_bind(s->client, host, np_address_port(broker), KEEPALIVE_S,
				    bound ? own : NULL);
	if (rc)
		return np_fault_set(fault, -ENOTCONN, plan->mqtt.broker, "%s",
				    rc == MOSQ_ERR_ERRNO ? strerror(errno)
							 : mosquitto_strerror(rc));
	set_socket(mosquitto_socket(s->client), plan, broker->any.sa_family == AF_INET6);
	if (epoll_ctl(t->fd, EPOLL_CTL_ADD, mosquitto_socket(s->client), &event) < 0)
		return np_fault_errno(fault, -errno, plan->variant);
	return 0;
}

/* Waits until the broker has answered, which sets *@answered. */
static int await(struct transport *t, const bool *answered, np_time deadline)
{
	struct mqtt_state *s = t->state;

	while (!*answered && !s->lost) {
		struct pollfd ready = {.fd = t->fd, .events = POLLIN};
		np_time now = np_clock_now();

		if (now >= deadline)
			return -ETIMEDOUT;
		mqtt_watch(t);
		poll(&ready, 1, (int)((deadline - now) / NP_MILLISECOND) + 1);
		mqtt_hear(t, 1);
		if (!s->lost && mosquitto_want_write(s->client))
			s->lost = mosquitto_loop_write(s->client, 1) != MOSQ_ERR_SUCCESS;
	}
	return *answered ? 0 : -ENOTCONN;
}

static int subscribe(struct transport *t, const struct transport_plan *plan, np_time deadline,
		     struct np_fault *fault)
{
	struct mqtt_state *s = t->state;
	char topics[SUBSCRIPTIONS][MQTT_TOPIC_MAX], self[IDENTITY_TEXT];
	char *list[SUBSCRIPTIONS] = {topics[0], topics[1], topics[2], topics[3]};
	int rc;

	snprintf(topics[0], sizeof(topics[0]), "%s/all/+", s->base);
	snprintf(topics[1], sizeof(topics[1]), "%s/one/%s/+", s->base,
		 identity_format(&t->info.self, self));
	snprintf(topics[2], sizeof(topics[2]), "%s/end/+", s->base);
	snprintf(topics[3], sizeof(topics[3]), "%s/many/+", s->base);
	if (mosquitto_subscribe_multiple(s->client, NULL, SUBSCRIPTIONS, list, 0, 0, NULL))
		return np_fault_set(fault, -ENOTCONN, plan->mqtt.broker,
				    "the broker closed the connection");
	rc = await(t, &s->subscribed, deadline);
	if (rc)
		return np_fault_errno(fault, rc, plan->mqtt.broker);
	return s->denied ? np_fault_set(fault, -EACCES, s->base, "the broker denies this topic")
			 : 0;
}

static int publish_to_self(struct transport *t)
{
	struct mqtt_state *s = t->state;
	char self[IDENTITY_TEXT], topic[MQTT_TOPIC_MAX];
	int rc;

	identity_format(&t->info.self, self);
	snprintf(topic, sizeof(topic), "%s/one/%s/%s", s->base, self, self);
	rc = mosquitto_publish(s->client, NULL, topic, 1, "?", 0, false);
	s->handed += !rc;
	return rc ? -ENOTCONN : 0;
}

/* A broker may grant a subscription but send or accept nothing: mosquitto's acl_file. */
static int await_own_message(struct transport *t, const struct transport_plan *plan,
			     np_time deadline, struct np_fault *fault)
{
	struct mqtt_state *s = t->state;

	if (publish_to_self(t))
		return np_fault_set(fault, -ENOTCONN, plan->mqtt.broker,
				    "the broker closed the connection");
	if (await(t, &s->echoed, deadline))
		return np_fault_set(fault, -EACCES, s->base,
				    "the broker delivers nothing: is this topic not permitted?");
	return 0;
}

/*
 * Publishes a trial batch and a short message after it, which comes back first if the trial does
 * not.
 */
static int send_trial(struct transport *t, size_t bytes)
{
	struct mqtt_state *s = t->state;
	uint8_t *trial = malloc(bytes);
	int rc;

	if (!trial)
		return -ENOMEM;
	memset(trial, MQTT_TRIAL, bytes);
	rc = mosquitto_publish(s->client, NULL, s->many, (int)bytes, trial, 0, false);
	free(trial);
	s->handed += !rc;
	if (rc == MOSQ_ERR_OVERSIZE_PACKET)
		return -EMSGSIZE;
	return rc ? -ENOTCONN : publish_to_self(t);
}

/*
 * Whether the broker forwards a message as long as a batch: 0, -EMSGSIZE when it drops it,
 * -ENOTCONN when it disconnects, as some brokers do, or another reason why nothing came back.
 */
static int mqtt_try_batch(struct transport *t, const struct transport_plan *plan)
{
	const np_time deadline = np_clock_now() + plan->connect_limit;
	struct mqtt_state *s = t->state;
	const size_t bytes = s->batch * t->data_bytes + 1;
	int rc = send_trial(t, bytes);

	s->echoed = false;
	if (!rc)
		rc = await(t, &s->echoed, deadline);
	if (rc)
		return rc;
	if (s->echo_bytes != bytes)
		return -EMSGSIZE;
	s->echoed = false;
	return await(t, &s->echoed, deadline);
}

/* mqtt_join.c: connects and subscribes; returns when our own messages come back. */
static int mqtt_join(struct transport *t, const struct transport_plan *plan,
		     const struct np_address *broker, struct np_fault *fault)
{
	struct mqtt_state *s = t->state;
	np_time deadline = np_clock_now() + plan->connect_limit;
	int rc;

	mosquitto_connect_callback_set(s->client, on_connect);
	mosquitto_subscribe_callback_set(s->client, on_subscribe);
	mosquitto_publish_callback_set(s->client, on_publish);
	mosquitto_message_callback_set(s->client, mqtt_on_message);
	rc = connect_client(t, plan, broker, fault);
	if (rc)
		return rc;
	rc = await(t, &s->connected, deadline);
	/* A broker that refuses a client also disconnects it. */
	if (s->connected && s->answer)
		return np_fault_set(fault, -EACCES, plan->mqtt.broker, "%s",
				    mosquitto_connack_string(s->answer));
	if (rc)
		return np_fault_set(fault, rc, plan->mqtt.broker,
				    "the server does not answer as an MQTT broker");
	rc = subscribe(t, plan, deadline, fault);
	return rc ? rc : await_own_message(t, plan, deadline, fault);
}

#define MQTT_PORT	 1883
#define QUEUE_BYTES	 ((size_t)1 << 20)
#define PASSWORD_MAX	 1024
#define TRY_AGAIN_MS	 100
#define WINDOW_BYTES_MAX ((size_t)8 << 20)
/*
 * A broker drops messages that a subscriber does not accept fast enough: mosquitto beyond 1000
 * (max_queued_messages). Half of these are for DATA.
 */
#define WINDOW_MESSAGES 500

/* Tries again while nobody listens at @broker: it may be started last. */
static int reach(struct transport *t, struct np_stream **stream,
		 const struct np_stream_options *options, const struct transport_plan *plan,
		 const struct np_address *broker)
{
	const np_time until = np_clock_now() + plan->mqtt.wait;
	bool reported = false;
	int rc;

	for (;;) {
		rc = np_stream_connect(stream, options, broker, -1,
				       np_clock_now() + plan->connect_limit);
		if (rc != -ECONNREFUSED || np_clock_now() >= until)
			return rc;
		if (!reported)
			transport_notify(t, &(struct transport_event){.kind = TRANSPORT_FAILED,
								      .text = plan->mqtt.broker,
								      .error = rc});
		reported = true;
		poll(NULL, 0, TRY_AGAIN_MS);
	}
}

/*
 * Finds out in bounded time, unlike libmosquitto, whether the broker is there, and the address of
 * ours that reaches it. That address with a port that is reserved for us is the identity, which the
 * last will needs before the connection.
 */
static int find_self(struct transport *t, const struct transport_plan *plan,
		     const struct np_address *broker, struct np_fault *fault)
{
	struct np_stream_options options = {.tos = -1};
	struct mqtt_state *s = t->state;
	struct np_stream *stream;
	struct np_address self = plan->bind;
	char name[NP_ADDRESS_TEXT];
	const char *at = np_address_format(broker, name);
	int rc;

	np_address_set_port(&self, 0);
	if (self.any.sa_family != AF_UNSPEC)
		options.local = &self;
	rc = reach(t, &stream, &options, plan, broker);
	if (rc == -ECONNREFUSED)
		return np_fault_set(fault, rc, at + strspn(at, "/"),
				    "Connection refused; start the broker there, or name another");
	if (rc)
		return np_fault_errno(fault, rc, plan->mqtt.broker);
	self = np_stream_info(stream)->local;
	np_stream_free(stream);
	np_address_set_port(&self, 0);
	s->port_keeper = socket(self.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->port_keeper < 0 || bind(s->port_keeper, &self.any, self.length) < 0 ||
	    getsockname(s->port_keeper, &self.any, &self.length) < 0)
		return np_fault_errno(fault, -errno, plan->variant);
	t->info.self = identity_of(&self);
	return 0;
}

static int name_topics(struct transport *t, const struct transport_plan *plan,
		       struct np_fault *fault)
{
	const char *base = plan->mqtt.topic ? plan->mqtt.topic : "group-test";
	struct mqtt_state *s = t->state;
	char self[IDENTITY_TEXT];

	if (!*base || strlen(base) >= sizeof(s->base) ||
	    mosquitto_pub_topic_check(base) != MOSQ_ERR_SUCCESS)
		return np_fault_set(fault, -EINVAL, base,
				    "is not a topic; expected up to %zu bytes without + and #",
				    sizeof(s->base) - 1);
	identity_format(&t->info.self, self);
	snprintf(s->base, sizeof(s->base), "%s", base);
	snprintf(s->all, sizeof(s->all), "%s/all/%s", s->base, self);
	snprintf(s->many, sizeof(s->many), "%s/many/%s", s->base, self);
	snprintf(s->end, sizeof(s->end), "%s/end/%s", s->base, self);
	return 0;
}

/* Reads the first line of the file. */
static int read_password(const char *path, char password[PASSWORD_MAX], struct np_fault *fault)
{
	FILE *file = fopen(path, "re");
	bool read;

	if (!file)
		return np_fault_errno(fault, -errno, path);
	read = fgets(password, PASSWORD_MAX, file);
	fclose(file);
	if (!read)
		return np_fault_set(fault, -EINVAL, path, "has no password in its first line");
	password[strcspn(password, "\r\n")] = '\0';
	return 0;
}

static int make_client(struct mqtt_state *s, struct transport *t, const struct transport_plan *plan,
		       struct np_fault *fault)
{
	char password[PASSWORD_MAX] = "";
	int rc = 0;

	s->client = mosquitto_new(NULL, true, t);
	if (!s->client)
		return np_fault_errno(fault, -errno, plan->variant);
	if (plan->mqtt.password_file)
		rc = read_password(plan->mqtt.password_file, password, fault);
	if (!rc && plan->mqtt.user &&
	    mosquitto_username_pw_set(s->client, plan->mqtt.user, *password ? password : NULL))
		rc = np_fault_set(fault, -EINVAL, plan->mqtt.user,
				  "is not a valid user name for a broker");
	explicit_bzero(password, sizeof(password));
	if (rc)
		return rc;
	if (mosquitto_will_set(s->client, s->end, 1, "-", 0, false) ||
	    mosquitto_int_option(s->client, MOSQ_OPT_TCP_NODELAY, 1))
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	return 0;
}

/* Sets how many DATA messages go in one, and how many of those may wait to be written. */
static void set_batch(struct transport *t, size_t batch)
{
	struct mqtt_state *s = t->state;
	size_t fit;

	s->batch = batch > s->slot_count ? s->slot_count : (unsigned)batch;
	s->batch += !s->batch;
	fit = QUEUE_BYTES / (s->batch * t->data_bytes);
	s->limit = fit < 2 ? 2 : fit > TRANSPORT_BATCH ? TRANSPORT_BATCH : (unsigned)fit;
}

static int make_slots(struct mqtt_state *s, struct transport *t, const struct transport_plan *plan)
{
	size_t fit = QUEUE_BYTES / t->data_bytes;
	size_t window = WINDOW_BYTES_MAX / t->data_bytes;

	s->slot_count = fit < 2 ? 2 : fit > TRANSPORT_BATCH ? TRANSPORT_BATCH : (unsigned)fit;
	s->slots = malloc(s->slot_count * t->data_bytes);
	if (!s->slots)
		return -ENOMEM;
	memset(s->slots, TRANSPORT_FILL, s->slot_count * t->data_bytes);
	set_batch(t, MQTT_BATCH_BYTES / t->data_bytes);
	window = window > WINDOW_MESSAGES ? WINDOW_MESSAGES : window;
	/* The broker's memory is assumed unlimited: each sender may always have one. */
	if (window < plan->senders)
		window = plan->senders;
	if (window < 2)
		window = 2;
	t->info.window_bytes = window * t->data_bytes;
	t->info.lossy = true;
	return 0;
}

static int find_broker(const struct transport_plan *plan, struct np_address *broker,
		       struct np_fault *fault)
{
	const char *name = plan->mqtt.broker;
	int rc;

	if (plan->device)
		return np_fault_set(fault, -EOPNOTSUPP, plan->device, "mqtt takes no device");
	if (!name)
		return np_fault_set(fault, -EINVAL, plan->variant, "no broker is named");
	rc = np_address_parse_family(broker, name, MQTT_PORT, plan->family);
	if (rc == -EAFNOSUPPORT)
		return np_fault_set(fault, rc, name, "is no %s address",
				    plan->family == AF_INET ? "IPv4" : "IPv6");
	if (rc == -EINVAL || rc == -ERANGE)
		return np_fault_set(fault, -EINVAL, name, "not HOST or HOST:PORT");
	return rc ? np_fault_set(fault, rc, name, "no such host") : 0;
}

/* A broker may have an unannounced limit: it drops longer messages, or disconnects. */
static int join_with_batch(struct transport *t, const struct transport_plan *plan,
			   const struct np_address *broker, struct np_fault *fault)
{
	struct mqtt_state *s = t->state;
	int rc = mqtt_join(t, plan, broker, fault), tried;

	if (rc || s->batch == 1)
		return rc;
	tried = mqtt_try_batch(t, plan);
	if (tried)
		set_batch(t, 1);
	/* It may disconnect while that is being written. */
	if (!s->lost && tried != -ENOTCONN)
		return 0;
	mosquitto_destroy(s->client);
	s->client = NULL;
	s->lost = s->connected = s->subscribed = s->echoed = s->watching = false;
	s->handed = s->written = 0;
	rc = make_client(s, t, plan, fault);
	return rc ? rc : mqtt_join(t, plan, broker, fault);
}

int mqtt_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct mqtt_state *s = calloc(1, sizeof(*s));
	struct np_address broker;
	int rc;

	t->state = s;
	t->fd = epoll_create1(EPOLL_CLOEXEC);
	if (!s || t->fd < 0)
		return np_fault_errno(fault, s ? -errno : -ENOMEM, plan->variant);
	s->port_keeper = -1;
	mosquitto_lib_init();
	rc = find_broker(plan, &broker, fault);
	if (!rc)
		rc = find_self(t, plan, &broker, fault);
	if (!rc)
		rc = name_topics(t, plan, fault);
	if (!rc)
		rc = make_slots(s, t, plan) ? np_fault_errno(fault, -ENOMEM, plan->variant) : 0;
	if (!rc)
		rc = make_client(s, t, plan, fault);
	if (!rc)
		rc = join_with_batch(t, plan, &broker, fault);
	snprintf(t->info.detail, sizeof(t->info.detail),
		 "broker %.100s, topic %.50s, QoS 0, up to %u messages in one",
		 rc ? "" : plan->mqtt.broker, s->base, s->batch);
	s->ready = !rc;
	t->deadline = 0;
	return rc;
}

/* Publishes what the last will says, since the broker discards that on DISCONNECT. */
void mqtt_close(struct transport *t)
{
	struct mqtt_state *s = t->state;

	if (s && s->client && s->subscribed && !s->lost)
		mosquitto_publish(s->client, NULL, s->end, 1, "-", 0, false);
	if (s && s->client) {
		mosquitto_disconnect(s->client);
		mosquitto_destroy(s->client);
	}
	if (t->fd >= 0)
		close(t->fd);
	if (!s)
		return;
	if (s->port_keeper >= 0)
		close(s->port_keeper);
	free(s->slots);
	free(s);
	mosquitto_lib_cleanup();
}
