// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * link-exchange: sends numbered frames out of one interface, takes them in at another of the same
 * machine, checks every byte and prints what was counted as one line of key=value.
 *
 * usage: link-exchange [-v VARIANT] [-c COUNT] [-l BYTES] [-b BATCH] [-r RECEIVE_BYTES] [-w FILE]
 *                      [-f] [-o] [-d] [-a] FROM TO
 *	-w FILE	capture what comes in
 *	-f	filter: only even numbers
 *	-o	overflow: send all of them before the first is received
 *	-a	take in every EtherType
 *	-d	down: send nothing, print "ready", wait until TO goes down
 */
#include <errno.h>
#include <linux/filter.h>
#include <netperf/link.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ETHERTYPE    0x88b5 /* IEEE 802: for local experiments */
#define NUMBER_AT    14
#define BODY_AT	     22
#define BATCH_MAX    1024
#define QUIET	     (200 * NP_MILLISECOND)
#define DOWN_TIMEOUT (10 * NP_SECOND)

struct setting {
	const char *from;
	const char *to;
	const char *capture;
	struct np_link_options link;
	uint64_t count;
	bool filter;
	bool overflow;
	bool down;
};

struct exchange {
	const struct setting *setting;
	struct np_link *out;
	struct np_link *in;
	struct np_capture *capture;
	struct np_frame frames[BATCH_MAX];
	uint8_t *memory;
	uint64_t sent;
	uint64_t received;
	uint64_t wrong;
	uint64_t disordered;
	uint64_t stamped_wrong;
	unsigned largest_batch;
	uint64_t newest;
	np_time begun;
	np_time last_stamp;
};

static const struct sock_filter even_numbers[] = {
	{BPF_LD | BPF_B | BPF_ABS, 0, 0, NUMBER_AT + 7},
	{BPF_JMP | BPF_JSET | BPF_K, 0, 1, 1},
	{BPF_RET | BPF_K, 0, 0, 0},
	{BPF_RET | BPF_K, 0, 0, 0x40000},
};

static uint8_t body_byte(uint64_t number, size_t at)
{
	return (uint8_t)(number * 31 + at);
}

static void fill(const struct exchange *x, struct np_frame *frame, uint64_t number)
{
	memset(frame->data, 0xff, 6);
	memcpy(frame->data + 6, np_link_info(x->out)->mac, 6);
	frame->data[12] = ETHERTYPE >> 8;
	frame->data[13] = ETHERTYPE & 0xff;
	for (unsigned i = 0; i < 8; i++)
		frame->data[NUMBER_AT + i] = (uint8_t)(number >> (56 - 8 * i));
	for (size_t i = BODY_AT; i < frame->length; i++)
		frame->data[i] = body_byte(number, i);
}

static void check(struct exchange *x, const struct np_frame *frame, np_time now)
{
	bool good = frame->length == x->setting->link.frame_bytes;
	uint64_t number = 0;

	for (unsigned i = 0; good && i < 8; i++)
		number = number << 8 | frame->data[NUMBER_AT + i];
	for (size_t i = BODY_AT; good && i < frame->length; i++)
		good = frame->data[i] == body_byte(number, i);
	x->wrong += !good;
	x->disordered += x->received > 0 && number <= x->newest;
	x->stamped_wrong += frame->stamp < x->last_stamp || frame->stamp > now;
	x->newest = number;
	x->last_stamp = frame->stamp;
	x->received++;
}

/* One batch of numbered frames; 0 or -errno. */
static int send_batch(struct exchange *x)
{
	uint64_t rest = x->setting->count - x->sent;
	unsigned count = rest < x->setting->link.batch ? (unsigned)rest : x->setting->link.batch;
	int taken;

	for (unsigned i = 0; i < count; i++) {
		x->frames[i].data = x->memory + i * x->setting->link.frame_bytes;
		x->frames[i].length = x->setting->link.frame_bytes;
		fill(x, &x->frames[i], x->sent + i);
	}
	taken = np_link_send(x->out, x->frames, count);
	if (taken < 0)
		return taken;
	x->sent += (unsigned)taken;
	return 0;
}

/* Receives until @wanted frames are in or nothing comes any more; 0 or -errno. */
static int receive_all(struct exchange *x, uint64_t wanted)
{
	np_time quiet_at = np_clock_now() + QUIET;

	while (x->received < wanted) {
		/* More than the batch is asked for: the link has to cut it. */
		int taken = np_link_receive(x->in, x->frames, BATCH_MAX);
		np_time now = np_clock_now();

		if (taken < 0)
			return taken;
		if (taken > (int)x->largest_batch)
			x->largest_batch = (unsigned)taken;
		for (int i = 0; i < taken; i++)
			check(x, &x->frames[i], now);
		np_capture_write(x->capture, x->frames, (unsigned)taken);
		if (taken > 0)
			quiet_at = now + QUIET;
		else if (now >= quiet_at)
			return 0;
		else
			taken = np_link_wait(x->in, -1, quiet_at);
		if (taken < 0)
			return taken;
	}
	return 0;
}

static int exchange_frames(struct exchange *x)
{
	bool halved = x->setting->filter;
	int error = 0;

	while (!error && x->sent < x->setting->count) {
		error = send_batch(x);
		if (!error && !x->setting->overflow)
			error = receive_all(x, halved ? (x->sent + 1) / 2 : x->sent);
	}
	return error ? error : receive_all(x, UINT64_MAX);
}

static int wait_for_down(struct exchange *x)
{
	np_time deadline = np_clock_now() + DOWN_TIMEOUT;
	int status = 0;

	printf("ready\n");
	fflush(stdout);
	while (status >= 0 && np_clock_now() < deadline) {
		status = np_link_wait(x->in, -1, deadline);
		if (status > 0)
			status = np_link_receive(x->in, x->frames, BATCH_MAX);
	}
	return status;
}

static void print_counts(struct exchange *x)
{
	const struct np_link_info *info = np_link_info(x->in);
	struct np_link_stats out;
	struct np_link_stats in;

	np_link_stats(x->out, &out);
	np_link_stats(x->in, &in);
	printf("variant=%s stamps=%s sent=%ju refused=%ju received=%ju dropped=%ju wrong=%ju "
	       "disordered=%ju stamped_wrong=%ju largest_batch=%u granted=%zu mtu=%d ns=%jd\n",
	       info->variant, info->stamps, (uintmax_t)out.sent, (uintmax_t)out.send_refused,
	       (uintmax_t)x->received, (uintmax_t)in.dropped, (uintmax_t)x->wrong,
	       (uintmax_t)x->disordered, (uintmax_t)x->stamped_wrong, x->largest_batch,
	       info->receive_granted, np_link_info(x->in)->mtu,
	       (intmax_t)(x->last_stamp - x->begun));
}

static int run(struct exchange *x)
{
	int error;

	error = np_link_open(&x->in, x->setting->to, &x->setting->link);
	if (!error)
		error = np_link_open(&x->out, x->setting->from, &x->setting->link);
	if (!error && x->setting->capture)
		error = np_capture_open(&x->capture, x->setting->capture);
	if (error)
		return error;
	np_capture_begin(x->capture);
	x->begun = x->last_stamp = np_clock_now();
	error = x->setting->down ? wait_for_down(x) : exchange_frames(x);
	print_counts(x);
	return error;
}

static uint64_t number(const char *text, uint64_t max)
{
	uint64_t value;

	if (np_units_parse_count(text, 1, max, &value) < 0) {
		fprintf(stderr, "link-exchange: %s: not a number from 1 to %ju\n", text,
			(uintmax_t)max);
		exit(2);
	}
	return value;
}

static int parse(struct setting *setting, int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "v:c:l:b:r:w:foda")) != -1) {
		switch (letter) {
		case 'v': setting->link.variant = optarg; break;
		case 'c': setting->count = number(optarg, UINT32_MAX); break;
		case 'l': setting->link.frame_bytes = number(optarg, 65600); break;
		case 'b': setting->link.batch = (unsigned)number(optarg, BATCH_MAX); break;
		case 'r': setting->link.receive_bytes = number(optarg, INT32_MAX); break;
		case 'w': setting->capture = optarg; break;
		case 'f': setting->filter = true; break;
		case 'o': setting->overflow = true; break;
		case 'd': setting->down = true; break;
		case 'a': setting->link.ethertype = 0; break;
		default: return -EINVAL;
		}
	}
	if (argc - optind != 2 || setting->link.frame_bytes < BODY_AT)
		return -EINVAL;
	setting->from = argv[optind];
	setting->to = argv[optind + 1];
	if (setting->filter) {
		setting->link.filter = even_numbers;
		setting->link.filter_count = sizeof(even_numbers) / sizeof(even_numbers[0]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct setting setting = {
		.count = 10000,
		.link = {.ethertype = ETHERTYPE,
			 .frame_bytes = 1060,
			 .batch = 32,
			 .receive_bytes = 4 << 20},
	};
	struct exchange x = {.setting = &setting};
	int error;

	if (parse(&setting, argc, argv) < 0) {
		fprintf(stderr,
			"usage: link-exchange [-v VARIANT] [-c COUNT] [-l BYTES] [-b BATCH] "
			"[-r RECEIVE_BYTES] [-w FILE] [-f] [-o] [-d] [-a] FROM TO\n");
		return 2;
	}
	x.memory = calloc(setting.link.batch, setting.link.frame_bytes);
	error = x.memory ? run(&x) : -ENOMEM;
	np_link_free(x.in);
	np_link_free(x.out);
	free(x.memory);
	if (np_capture_close(x.capture, true) < 0)
		error = error ? error : -EIO;
	if (error < 0)
		fprintf(stderr, "link-exchange: %s: %s\n", setting.to, strerror(-error));
	return error < 0;
}
