/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transport_mqtt: what the parts of the mqtt transport share. Under the group's topic a member with
 * identity ID publishes to TOPIC/all/ID, for TO alone to TOPIC/one/TO/ID, and when it is gone it,
 * or the broker as its last will, to TOPIC/end/ID.
 */
#ifndef GROUP_TEST_TRANSPORT_MQTT_H
#define GROUP_TEST_TRANSPORT_MQTT_H

#include "transport_variant.h"

#include <mosquitto.h>

#define MQTT_TOPIC_MAX 512

struct mqtt_state {
	struct mosquitto *client;
	int port_keeper; /* a socket that keeps our identity's port ours; -1 */
	char base[MQTT_TOPIC_MAX - 2 * IDENTITY_TEXT - 8];
	char all[MQTT_TOPIC_MAX]; /* where we publish, and where it ends */
	char end[MQTT_TOPIC_MAX];
	bool connected, subscribed;
	bool echoed;		  /* something of ours came back */
	int answer;		  /* to connecting: MQTT's code */
	bool denied;		  /* a subscription */
	bool ready;		  /* open: what comes is delivered */
	bool lost;		  /* the broker is gone */
	bool watching;		  /* for room to write */
	np_time alive;		  /* when to look after the connection again */
	np_time now;		  /* when this turn began to read */
	uint64_t handed, written; /* messages, to the library, and by it to the socket */
	unsigned limit;		  /* most DATA messages between both */
	uint8_t *slots;		  /* so many */
};

/* transport_mqtt_open.c */
int mqtt_open(struct transport *t, const struct transport_plan *plan, struct fault *fault);
void mqtt_close(struct transport *t);

/* transport_mqtt_join.c: connects and subscribes; returns when our own messages come back. */
int mqtt_join(struct transport *t, const struct transport_plan *plan,
	      const struct np_address *broker, struct fault *fault);

/* transport_mqtt.c: reads and handles up to @most packets. True when there may be more. */
bool mqtt_hear(struct transport *t, unsigned most);

/* Has the descriptor watch for room while something waits to be written. */
void mqtt_watch(struct transport *t);

/* A message from the broker, by its topic; the library's callback. */
void mqtt_on_message(struct mosquitto *client, void *transport,
		     const struct mosquitto_message *message);

#endif
