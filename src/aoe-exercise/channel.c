// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * channel: opens the link with a filter that passes only answers to us, and copies frames to a
 * capture file.
 */
#include "discover.h"

#include <errno.h>
#include <linux/filter.h>
#include <sys/random.h>
#include <sys/un.h>
#include <unistd.h>

static uint32_t random_number(void)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
		number = 0;
	return number;
}

/*
 * From a random one on: what the run before left behind is of another number. A number is taken by
 * a socket of its abstract name, which the kernel frees with the process.
 */
void tags_claim(struct tags *tags, const struct np_log *log)
{
	const uint32_t first = random_number();
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool claimed = false;

	tags->claim = fd;
	tags->run = NP_AOE_TAG_USER | first % TAGS_RUNS << 24;
	for (uint32_t i = 0; i < TAGS_RUNS && fd >= 0 && !claimed; i++) {
		const uint32_t number = (first + i) % TAGS_RUNS;
		struct sockaddr_un name = {.sun_family = AF_UNIX};
		const int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
					    "aoe-exercise/%u", (unsigned)number);
		const size_t bytes = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length;

		claimed = !bind(fd, (const struct sockaddr *)&name, (socklen_t)bytes);
		if (claimed)
			tags->run = NP_AOE_TAG_USER | number << 24;
		else if (errno != EADDRINUSE)
			break;
	}
	if (!claimed)
		tags_release(tags);
	if (!claimed)
		np_log_warning(log, NULL,
			       "cannot tell the answers to this run from those to %d others here; "
			       "they may count as stray",
			       TAGS_RUNS);
}

void tags_release(struct tags *tags)
{
	if (tags->claim >= 0)
		close(tags->claim);
	tags->claim = -1;
}

uint32_t tags_random(const struct tags *tags)
{
	return tags->run | (random_number() & TAGS_NUMBER);
}

/* Questions have the upper half of their numbers, the rounds of examinations the lower one. */
#define UPPER_HALF (TAGS_NUMBER / 2 + 1)
#define APART	   0x1000u

uint32_t tags_question(const struct tags *tags)
{
	return tags->run | TAGS_QUESTION | UPPER_HALF |
	       (random_number() & (UPPER_HALF - 1) & ~(APART - 1));
}

uint32_t tags_round(const struct tags *tags, uint32_t number)
{
	return tags->run | TAGS_QUESTION | (number * TAGS_ROUND & (UPPER_HALF - 1));
}

/* What a queued frame costs the kernel beside its bytes (struct sk_buff and rounding). */
#define QUEUED_FRAME_BYTES 2304
#define RECEIVE_BYTES_MIN  (4u << 20)
/* How many targets --all finds is not known yet. */
#define SEVERAL_GUESSED 16

static int refuse_link(const struct np_log *log, const char *interface, int rc)
{
	switch (rc) {
	case -EPERM: return np_log_refuse(log, interface, "raw frames need root or CAP_NET_RAW");
	case -ENODEV:
		return np_log_refuse(log, interface, "no such interface; 'ip link' lists them");
	case -ENETDOWN:
		return np_log_refuse(log, interface, "the interface is down; 'ip link set %s up'",
				     interface);
	case -EAFNOSUPPORT: return np_log_refuse(log, interface, "not an Ethernet interface");
	default: return np_log_refuse(log, interface, "%s", strerror(-rc));
	}
}

int channel_open(struct channel *channel, const struct options *options, const struct np_log *log)
{
	const struct target_options *o = &options->target;
	const char *interface = o->list ? o->list : o->interface;
	const uint64_t window = o->list ? LIST_TARGETS_MAX : options->traffic.sweep.to;
	const bool all = o->list || o->several;
	size_t frame = NP_AOE_ATA_BYTES + 255 * NP_AOE_SECTOR_BYTES + QUEUED_FRAME_BYTES;
	int rc;

	*channel = (struct channel){0};
	tags_claim(&channel->tags, log);

	/*
	 * Passes answers (flag R) with a tag of this run, from our target alone unless all are
	 * listed. A test that fails jumps over the rest, to the last step.
	 */
	const struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 14),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NP_AOE_FLAG_RESPONSE, 0, 7),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 20),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, channel->tags.run >> 24, 0, 5),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 16),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)o->shelf, 0, all ? 0 : 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 18),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)o->slot, 0, all ? 0 : 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	/* The MTU is not known yet; lo has the largest possible one. */
	struct np_link_options link = {
		.variant = np_link_variants[o->link],
		.ethertype = NP_AOE_ETHERTYPE,
		.frame_bytes = 65536 + 14,
		.batch = CHANNEL_BATCH,
		.filter = filter,
		.filter_count = sizeof(filter) / sizeof(*filter),
	};

	link.receive_bytes = window * frame;
	if (o->several)
		link.receive_bytes *= o->all ? SEVERAL_GUESSED : o->slot_last - o->slot + 1;
	if (link.receive_bytes < RECEIVE_BYTES_MIN)
		link.receive_bytes = RECEIVE_BYTES_MIN;
	if (o->capture) {
		rc = np_capture_open(&channel->capture, o->capture);
		if (rc)
			return np_log_refuse(log, o->capture, "%s", np_output_reason(rc));
	}
	rc = np_link_open(&channel->link, interface, &link);
	if (rc)
		return refuse_link(log, interface, rc);
	np_log_detail(log, "link %s, stamps by %s, receive buffer %zu bytes",
		      np_link_info(channel->link)->variant, np_link_info(channel->link)->stamps,
		      np_link_info(channel->link)->receive_granted);
	return 0;
}

int channel_close(struct channel *channel, bool begun)
{
	int rc = np_capture_close(channel->capture, begun);

	np_link_free(channel->link);
	tags_release(&channel->tags);
	*channel = (struct channel){0};
	return rc;
}

int channel_send(struct channel *channel, struct np_frame *frames, unsigned count)
{
	int sent = np_link_send(channel->link, frames, count);

	channel->sent += sent > 0 ? (uint64_t)sent : 0;
	if (channel->capture && sent > 0)
		np_capture_write(channel->capture, frames, (unsigned)sent);
	return sent;
}

int channel_receive(struct channel *channel, struct np_frame *frames, unsigned count)
{
	int received = np_link_receive(channel->link, frames, count);

	if (channel->capture && received > 0)
		np_capture_write(channel->capture, frames, (unsigned)received);
	return received;
}

int channel_wait(struct channel *channel, np_time deadline)
{
	int rc = np_link_wait(channel->link, np_signals_fd(channel->signals), deadline);

	if (!rc)
		channel_stopped(channel);
	return rc;
}

bool channel_stopped(struct channel *channel)
{
	if (channel->signals)
		channel->pending |= np_signals_take(channel->signals);
	return channel->pending & NP_SIGNALS_STOP;
}

int ask_send(struct channel *channel, const struct np_aoe_header *header,
	     const struct np_aoe_ata *ata)
{
	const struct np_aoe_config config = {.version = 1};
	uint8_t data[64];
	const int length = ata ? np_aoe_ata_encode(data, sizeof(data), header, ata)
			       : np_aoe_config_encode(data, sizeof(data), header, &config);
	struct np_frame frame = {.data = data, .length = (size_t)length, .stamp = np_clock_now()};
	const int rc = length < 0 ? length : channel_send(channel, &frame, 1);

	return rc < 0 ? rc : 0;
}

int ask_listen(struct channel *channel, ask_take *take, void *owner, const np_time *deadline)
{
	struct np_frame frame[CHANNEL_BATCH];
	struct np_aoe_header header;
	int rc;

	for (;;) {
		const int count = channel_receive(channel, frame, CHANNEL_BATCH);

		for (int i = 0; i < count; i++) {
			if (np_aoe_header_decode(frame[i].data, frame[i].length, &header) ||
			    !(header.flags & NP_AOE_FLAG_RESPONSE))
				continue;
			rc = take(owner, &header, &frame[i]);
			if (rc)
				return rc;
		}
		if (count < 0)
			return count;
		if (channel_stopped(channel))
			return -EINTR;
		if (np_clock_now() >= *deadline)
			return 0;
		rc = channel_wait(channel, *deadline);
		if (rc < 0)
			return rc;
	}
}
