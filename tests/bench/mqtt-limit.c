// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mqtt-limit: what a broker forwards to a subscriber that only counts: messages of one size, one a
 * PUBLISH of QoS 0, by libmosquitto's own loops, with so many on their way at most. Prints
 * messages/s. usage: mqtt-limit HOST PORT BYTES WINDOW SECONDS
 */
#include <mosquitto.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_uint_fast64_t came;
static atomic_bool ready;

static void on_message(struct mosquitto *client, void *context,
		       const struct mosquitto_message *message)
{
	(void)client;
	(void)context;
	(void)message;
	atomic_fetch_add_explicit(&came, 1, memory_order_relaxed);
}

static void on_subscribe(struct mosquitto *client, void *context, int id, int count,
			 const int *granted)
{
	(void)client;
	(void)context;
	(void)id;
	(void)count;
	(void)granted;
	atomic_store(&ready, true);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct mosquitto *open_client(const char *host, int port)
{
	struct mosquitto *client = mosquitto_new(NULL, true, NULL);

	if (!client)
		exit(1);
	mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
	mosquitto_message_callback_set(client, on_message);
	mosquitto_subscribe_callback_set(client, on_subscribe);
	if (mosquitto_connect(client, host, port, 60) || mosquitto_loop_start(client)) {
		fprintf(stderr, "mqtt-limit: no broker at %s:%d\n", host, port);
		exit(1);
	}
	return client;
}

/* Messages that came within the time, a second. */
static double run(struct mosquitto *from, int bytes, uint64_t window, double seconds)
{
	void *payload = calloc(1, (size_t)bytes);
	const double begin = now();
	uint64_t sent = 0;
	double took;

	if (!payload)
		exit(1);
	while ((took = now() - begin) < seconds) {
		while (sent - atomic_load_explicit(&came, memory_order_relaxed) < window &&
		       !mosquitto_publish(from, NULL, "mqtt-limit", bytes, payload, 0, false))
			sent++;
		usleep(50);
	}
	free(payload);
	return (double)atomic_load(&came) / took;
}

int main(int argc, char **argv)
{
	struct mosquitto *to, *from;

	if (argc != 6) {
		fputs("usage: mqtt-limit HOST PORT BYTES WINDOW SECONDS\n", stderr);
		return 2;
	}
	mosquitto_lib_init();
	to = open_client(argv[1], atoi(argv[2]));
	mosquitto_subscribe(to, NULL, "mqtt-limit", 0);
	for (unsigned tries = 0; tries < 1000 && !atomic_load(&ready); tries++)
		usleep(10000);
	from = open_client(argv[1], atoi(argv[2]));
	printf("%.0f\n", run(from, atoi(argv[3]), (uint64_t)atoll(argv[4]), atof(argv[5])));
	mosquitto_loop_stop(from, true);
	mosquitto_loop_stop(to, true);
	mosquitto_destroy(from);
	mosquitto_destroy(to);
	return 0;
}
