// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mqtt_open: finds the broker and an identity, and creates the client. */
#include "mqtt.h"

#include <errno.h>
#include <netperf/stream.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

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
	bool told = false;
	int rc;

	for (;;) {
		rc = np_stream_connect(stream, options, broker, -1,
				       np_clock_now() + plan->connect_limit);
		if (rc != -ECONNREFUSED || np_clock_now() >= until)
			return rc;
		if (!told)
			transport_tell(t, &(struct transport_event){.kind = TRANSPORT_FAILED,
								    .text = plan->mqtt.broker,
								    .error = rc});
		told = true;
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
