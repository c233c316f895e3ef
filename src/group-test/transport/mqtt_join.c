// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mqtt_join: connects to the broker, subscribes, and waits until messages come back. */
#include "mqtt.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

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

static int say_to_oneself(struct transport *t)
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
static int hear_oneself(struct transport *t, const struct transport_plan *plan, np_time deadline,
			struct np_fault *fault)
{
	struct mqtt_state *s = t->state;

	if (say_to_oneself(t))
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
	return rc ? -ENOTCONN : say_to_oneself(t);
}

int mqtt_try_batch(struct transport *t, const struct transport_plan *plan)
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

int mqtt_join(struct transport *t, const struct transport_plan *plan,
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
	return rc ? rc : hear_oneself(t, plan, deadline, fault);
}
