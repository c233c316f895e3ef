/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mqtt: what the parts of the mqtt transport share. Under the group's topic a member with
 * identity ID publishes to TOPIC/all/ID, for TO alone to TOPIC/one/TO/ID, and when it is gone it,
 * or the broker as its last will, to TOPIC/end/ID. What a broker can do a second are messages, not
 * bytes: several of DATA, all of one size, go in one to TOPIC/many/ID, as far as the broker takes
 * such long ones.
 */
#ifndef GROUP_TEST_TRANSPORT_MQTT_H
#define GROUP_TEST_TRANSPORT_MQTT_H

#include "variant.h"

#include <mosquitto.h>

#define MQTT_TOPIC_MAX 512

struct mqtt_state {
	struct mosquitto *client;
	int port_keeper; /* a socket that keeps our identity's port ours; -1 */
	char base[MQTT_TOPIC_MAX - 2 * IDENTITY_TEXT - 8];
	char all[MQTT_TOPIC_MAX]; /* where we publish one, and several, and where it ends */
	char many[MQTT_TOPIC_MAX];
	char end[MQTT_TOPIC_MAX];
	bool connected, subscribed;
	bool echoed;		  /* something of ours came back */
	size_t echo_bytes;	  /* how long it was */
	int answer;		  /* to connecting: MQTT's code */
	bool denied;		  /* a subscription */
	bool ready;		  /* open: what comes is delivered */
	bool lost;		  /* the broker is gone */
	bool watching;		  /* for room to write */
	np_time alive;		  /* when to look after the connection again */
	np_time now;		  /* when this turn began to read */
	uint64_t handed, written; /* messages, to the library, and by it to the socket */
	unsigned limit;		  /* most of them between both, for DATA to follow */
	unsigned batch;		  /* DATA messages in one of them; 1: each goes by itself */
	unsigned slot_count;
	uint8_t *slots; /* of DATA, so many */
	unsigned heard; /* messages in this turn */
	struct transport_message messages[TRANSPORT_BATCH];
};

/* What several messages of DATA take together, at most. */
#define MQTT_BATCH_BYTES ((size_t)64 << 10)

/* What a batch that is none begins with; it is one byte longer than its messages. */
#define MQTT_TRIAL '?'

/* transport_mqtt_open.c */
int mqtt_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault);
void mqtt_close(struct transport *t);

/* transport_mqtt_join.c: connects and subscribes; returns when our own messages come back. */
int mqtt_join(struct transport *t, const struct transport_plan *plan,
	      const struct np_address *broker, struct np_fault *fault);

/*
 * Whether the broker hands on what is as long as a batch: 0, -EMSGSIZE when it drops it, -ENOTCONN
 * when it has hung up, which is how some refuse it, or another reason why nothing came back.
 */
int mqtt_try_batch(struct transport *t, const struct transport_plan *plan);

/*
 * transport_mqtt.c: reads and handles packets of up to @most messages; the last one is handled
 * whole. True when there may be more.
 */
bool mqtt_hear(struct transport *t, unsigned most);

/* Has the descriptor watch for room while something waits to be written. */
void mqtt_watch(struct transport *t);

/* A message from the broker, by its topic; the library's callback. */
void mqtt_on_message(struct mosquitto *client, void *transport,
		     const struct mosquitto_message *message);

#endif
