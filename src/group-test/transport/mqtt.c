// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mqtt: through a broker. A message is a PUBLISH of QoS 0; the topic names its sender.
 * libmosquitto's connection is driven from transport_turn, without a thread.
 */
#include "mqtt.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>

#define ALIVE_INTERVAL NP_SECOND
#define CONTROL_SPARE  64

void mqtt_watch(struct transport *t)
{
	struct mqtt_state *s = t->state;
	bool wanted = !s->lost && mosquitto_want_write(s->client);
	struct epoll_event event = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0)};

	if (s->watching != wanted)
		epoll_ctl(t->fd, EPOLL_CTL_MOD, mosquitto_socket(s->client), &event);
	s->watching = wanted;
}

static void deliver(struct transport *t, const struct identity *source,
		    const struct mosquitto_message *message)
{
	struct mqtt_state *s = t->state;
	size_t length = (size_t)message->payloadlen;

	if (!length) {
		t->stats.bad_lengths++;
		return;
	}
	if (length > t->message_bytes) {
		t->stats.oversize++;
		return;
	}
	transport_deliver(t, source,
			  &(struct transport_message){message->payload, length, length, s->now}, 1,
			  0);
}

/* Delivers the messages of a batch of DATA. */
static void deliver_many(struct transport *t, const struct identity *source,
			 const struct mosquitto_message *message)
{
	struct mqtt_state *s = t->state;
	const uint8_t *at = message->payload;
	size_t left = (size_t)message->payloadlen / t->data_bytes;
	const size_t rest = (size_t)message->payloadlen % t->data_bytes;

	/* Another member's trial of the broker. */
	if (rest == 1 && *at == MQTT_TRIAL)
		return;
	if (!left || rest) {
		t->stats.bad_lengths++;
		return;
	}
	while (left) {
		unsigned count = left < TRANSPORT_BATCH ? (unsigned)left : TRANSPORT_BATCH;

		for (unsigned i = 0; i < count; i++, at += t->data_bytes)
			s->messages[i] = (struct transport_message){at, t->data_bytes,
								    t->data_bytes, s->now};
		transport_deliver(t, source, s->messages, count, 0);
		s->heard += count;
		left -= count;
	}
}

/* The part of the topic after the group's: "all/ID"; NULL when it is not of this group. */
static const char *read_topic(const struct mqtt_state *s, const char *topic,
			      struct identity *source)
{
	size_t bytes = strlen(s->base);
	const char *last = strrchr(topic, '/');

	if (strncmp(topic, s->base, bytes) || topic[bytes] != '/' ||
	    identity_parse(last + 1, source))
		return NULL;
	return topic + bytes + 1;
}

/* Anybody may publish anything under our topic, and have the broker retain it for later groups. */
void mqtt_on_message(struct mosquitto *client, void *transport,
		     const struct mosquitto_message *message)
{
	struct transport *t = transport;
	struct mqtt_state *s = t->state;
	struct identity source;
	const char *kind = read_topic(s, message->topic, &source);

	(void)client;
	if (!s->ready) {
		/* A client that the broker disconnects gets its own last will before it notices. */
		if (kind && strncmp(kind, "end/", 4) && identity_equal(&source, &t->info.self)) {
			s->echoed = true;
			s->echo_bytes = (size_t)message->payloadlen;
		}
		return;
	}
	if (!kind)
		t->stats.bad_handshakes++;
	else if (message->retain)
		t->stats.refused++;
	else if (!strncmp(kind, "many/", 5))
		deliver_many(t, &source, message);
	else if (strncmp(kind, "end/", 4))
		deliver(t, &source, message);
	else if (!identity_equal(&source, &t->info.self))
		transport_notify(t, &(struct transport_event){.kind = TRANSPORT_ENDED,
							      .peer = source,
							      .hearsay = true});
}

/*
 * Brokers leave Nagle's algorithm on (mosquitto does): they hold back data for us until we have
 * acknowledged the data before, which we would delay for 40 ms. The kernel resets this option.
 */
static void acknowledge(const struct mqtt_state *s)
{
	const int on = 1;

	setsockopt(mosquitto_socket(s->client), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

/* The library reads one packet per call, and reports only by errno that there was none. */
bool mqtt_hear(struct transport *t, unsigned most)
{
	struct mqtt_state *s = t->state;
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
	if (packets && !s->lost)
		acknowledge(s);
	return packets + s->heard >= most;
}

static int mqtt_turn(struct transport *t, unsigned most, np_time now)
{
	struct mqtt_state *s = t->state;
	bool more = mqtt_hear(t, most);

	if (!s->lost && mosquitto_want_write(s->client) && mosquitto_loop_write(s->client, 1))
		s->lost = true;
	if (!s->lost && now >= s->alive) {
		s->lost = mosquitto_loop_misc(s->client) != MOSQ_ERR_SUCCESS;
		s->alive = now + ALIVE_INTERVAL;
	}
	mqtt_watch(t);
	t->deadline = s->lost ? 0 : s->alive;
	if (s->lost)
		return -ENOTCONN;
	return more;
}

static int publish(struct transport *t, const char *topic, const void *message, size_t bytes)
{
	struct mqtt_state *s = t->state;
	int rc;

	if (s->lost)
		return -ENOTCONN;
	rc = mosquitto_publish(s->client, NULL, topic, (int)bytes, message, 0, false);
	switch (rc) {
	case MOSQ_ERR_SUCCESS: s->handed++; return 0;
	case MOSQ_ERR_NOMEM: return -ENOMEM;
	case MOSQ_ERR_PAYLOAD_SIZE:
	case MOSQ_ERR_OVERSIZE_PACKET: return -EMSGSIZE;
	default:
		/* The next turn reports that the broker is gone. */
		s->lost = true;
		t->deadline = 0;
		return -ENOTCONN;
	}
}

static int send_control(struct transport *t, const char *topic, const void *message, size_t bytes)
{
	struct mqtt_state *s = t->state;
	int rc = -EAGAIN;

	if (s->lost || s->handed - s->written < s->limit + CONTROL_SPARE)
		rc = publish(t, topic, message, bytes);
	mqtt_watch(t);
	return rc;
}

static int mqtt_send(struct transport *t, const void *message, size_t bytes)
{
	const struct mqtt_state *s = t->state;

	return send_control(t, s->all, message, bytes);
}

static int mqtt_send_to(struct transport *t, const struct identity *who, const void *message,
			size_t bytes)
{
	const struct mqtt_state *s = t->state;
	char to[IDENTITY_TEXT], self[IDENTITY_TEXT], topic[MQTT_TOPIC_MAX];

	snprintf(topic, sizeof(topic), "%s/one/%s/%s", s->base, identity_format(who, to),
		 identity_format(&t->info.self, self));
	return send_control(t, topic, message, bytes);
}

static unsigned mqtt_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	const struct mqtt_state *s = t->state;
	uint64_t used = s->handed - s->written;
	unsigned room = used < s->limit ? s->limit - (unsigned)used : 0;

	room = room < s->slot_count / s->batch ? room * s->batch : s->slot_count;
	t->stats.send_refused += !room;
	slots->data = s->slots;
	slots->stride = t->data_bytes;
	return wanted < room ? wanted : room;
}

static int mqtt_commit(struct transport *t, unsigned count)
{
	const struct mqtt_state *s = t->state;

	for (unsigned i = 0, some; i < count; i += some) {
		int rc;

		some = count - i < s->batch ? count - i : s->batch;
		rc = publish(t, some > 1 ? s->many : s->all, s->slots + i * t->data_bytes,
			     some * t->data_bytes);
		t->stats.send_errors += rc != 0;
	}
	mqtt_watch(t);
	return (int)count;
}

static bool mqtt_idle(const struct transport *t)
{
	const struct mqtt_state *s = t->state;

	return s->lost || !mosquitto_want_write(s->client);
}

const struct transport_variant transport_mqtt_variant = {
	.name = "mqtt",
	.open = mqtt_open,
	.connect_limit = 10 * NP_SECOND, /* a broker may be far, or still warm up */
	.close = mqtt_close,
	.turn = mqtt_turn,
	.send = mqtt_send,
	.send_to = mqtt_send_to,
	.reserve = mqtt_reserve,
	.commit = mqtt_commit,
	.idle = mqtt_idle,
};
