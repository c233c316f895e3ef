/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mqtt: the state that the parts of the mqtt transport share. Under the group's topic a member with
 * identity ID publishes to TOPIC/all/ID, for TO alone to TOPIC/one/TO/ID, and when it is gone it,
 * or the broker as its last will, publishes to TOPIC/end/ID. A broker is limited by messages per
 * second, not bytes: so several DATA messages, all of one size, go in one to TOPIC/many/ID, if the
 * broker accepts messages that long.
 */
#ifndef GROUP_TEST_TRANSPORT_MQTT_H
#define GROUP_TEST_TRANSPORT_MQTT_H

#include "variant.h"

#include <mosquitto.h>

#define MQTT_TOPIC_MAX 512

struct mqtt_state {
	struct mosquitto *client;
	int port_keeper; /* a socket that reserves the port of our identity; -1 */
	char base[MQTT_TOPIC_MAX - 2 * IDENTITY_TEXT - 8];
	char all[MQTT_TOPIC_MAX]; /* topics on which we publish one message, several, and our end */
	char many[MQTT_TOPIC_MAX];
	char end[MQTT_TOPIC_MAX];
	bool connected, subscribed;
	bool echoed;	   /* a message of ours came back */
	size_t echo_bytes; /* its length */
	int answer;	   /* to the connection: MQTT's code */
	bool denied;	   /* the broker denied a subscription */
	bool ready;	   /* open: messages that arrive are delivered */
	bool lost;	   /* the broker is gone */
	bool watching;	   /* the descriptor watches for room to write */
	np_time alive;	   /* when to maintain the connection next */
	np_time now;	   /* start of this turn's reading */
	uint64_t handed,
		written; /* messages handed to the library, and written by it to the socket */
	unsigned limit;	 /* DATA is sent only while fewer than this are between the two */
	unsigned batch;	 /* DATA messages in one; 1: each goes by itself */
	unsigned slot_count;
	uint8_t *slots; /* for @batch DATA messages */
	unsigned heard; /* messages received in this turn */
	struct transport_message messages[TRANSPORT_BATCH];
};

/* The limit for the DATA messages of one batch. */
#define MQTT_BATCH_BYTES ((size_t)64 << 10)

/* First byte of a trial batch, which is one byte longer than its messages. */
#define MQTT_TRIAL '?'

/* mqtt_open.c */
int mqtt_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault);
void mqtt_close(struct transport *t);

/*
 * mqtt.c: reads and handles packets of up to @most messages; the last one is handled completely.
 * True when there may be more.
 */
bool mqtt_hear(struct transport *t, unsigned most);

/* Makes the descriptor watch for room while something waits to be written. */
void mqtt_watch(struct transport *t);

/* Handles a message from the broker, by its topic; the library's callback. */
void mqtt_on_message(struct mosquitto *client, void *transport,
		     const struct mosquitto_message *message);

#endif
