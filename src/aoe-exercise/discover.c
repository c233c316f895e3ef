// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * discover: opens the link with a filter that passes only answers to us, and copies frames to a
 * capture file; rounds of broadcast questions, each with a tag of its own; what a target is called
 * and how it is addressed.
 */
#include "discover.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <stdlib.h>
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

/* The sender's entry, or a new one; NULL: no room. Others of its address are ambiguous. */
static struct target *entry(struct answerers *a, const struct np_aoe_header *header)
{
	bool several = false;
	struct target *t;

	for (t = a->list; t < a->list + a->count; t++) {
		if (t->shelf != header->shelf || t->slot != header->slot)
			continue;
		if (!memcmp(t->mac, header->source, 6))
			return t;
		t->ambiguous = several = true;
	}
	if (a->count == a->room)
		return NULL;
	a->count++;
	*t = (struct target){.shelf = header->shelf, .slot = header->slot, .ambiguous = several};
	snprintf(t->name, sizeof(t->name), "e%u.%u", t->shelf, t->slot);
	memcpy(t->mac, header->source, 6);
	return t;
}

bool target_same_identity(const struct np_ata_identity *a, const struct np_ata_identity *b)
{
	return a->sectors == b->sectors && a->extended == b->extended &&
	       !strcmp(a->serial, b->serial) && !strcmp(a->model, b->model) &&
	       !strcmp(a->firmware, b->firmware);
}

void answerers_take(struct answerers *answerers, const struct np_aoe_header *header,
		    const struct np_frame *frame)
{
	const bool any = answerers->shelf == NP_AOE_SHELF_ALL;
	struct np_aoe_config config;
	struct np_ata_identity identity;
	struct np_aoe_ata ata;
	struct target *t;
	bool configures;

	if (tags_distance(header->tag, answerers->tag) >= answerers->asked)
		return;
	if (!any && (header->shelf != answerers->shelf || header->slot != answerers->slot))
		return;
	configures = header->command == NP_AOE_CONFIG && !(header->flags & NP_AOE_FLAG_ERROR) &&
		     !np_aoe_config_decode(frame->data, frame->length, &config);
	/* Whatever is wrong with its answer, somebody is at the address that was asked. */
	t = configures || !any ? entry(answerers, header) : NULL;
	if (!t)
		return;
	if (configures) {
		t->configured = true;
		t->firmware = config.firmware;
		t->buffer_count = config.buffer_count;
		/* AoEr11: a target that reports 0 takes 2 sectors. */
		t->sector_count = config.sector_count ? config.sector_count : 2;
		t->string_mark = target_mark_string(&config);
	} else if (target_decode(header, frame, 1, &ata) == 1) {
		np_ata_identity_decode(ata.data, &identity);
		/* Two hosts with one address. */
		t->ambiguous |= t->identified && !target_same_identity(&identity, &t->identity);
		t->identified = true;
		t->identity = identity;
	}
}

#define ROUNDS		3
#define ROUND_TIME	(500 * NP_MILLISECOND)
#define STRAGGLER_TIME	(100 * NP_MILLISECOND)
#define FULL_ROUND_TIME (250 * NP_MILLISECOND)
#define FULL_TIME	NP_SECOND

bool discover_is_usable(const struct target *target)
{
	/* No host sends from a multicast or broadcast address. */
	return target->configured && !(target->mac[0] & 1);
}

/* Puts a usable target first. Returns false when there is none. */
static bool put_usable_first(struct answerers *a)
{
	for (unsigned i = 0; i < a->count; i++) {
		if (discover_is_usable(&a->list[i])) {
			struct target first = a->list[i];

			a->list[i] = a->list[0];
			a->list[0] = first;
			return true;
		}
	}
	return false;
}

/* The listener of a discovery. */
static int take(void *owner, const struct np_aoe_header *header, const struct np_frame *frame)
{
	struct answerers *a = owner;
	np_time soon = np_clock_now() + STRAGGLER_TIME;

	answerers_take(a, header, frame);
	if (a->to_the_first && soon < a->deadline && put_usable_first(a)) {
		a->deadline = soon;
		a->found = true;
	}
	return 0;
}

static const struct np_aoe_ata identify = {.command = NP_ATA_IDENTIFY, .count = 1};

static int compare(const void *one, const void *other)
{
	const struct target *a = one, *b = other;

	if (a->shelf != b->shelf)
		return a->shelf < b->shelf ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return memcmp(a->mac, b->mac, sizeof(a->mac));
}

int discover(struct channel *channel, uint16_t shelf, uint8_t slot, enum discover_mode mode,
	     struct target *targets, unsigned room)
{
	const struct target everybody = {
		.shelf = shelf,
		.slot = slot,
		.mac = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	};
	struct answerers d = {
		.shelf = shelf,
		.slot = slot,
		.tag = tags_question(&channel->tags),
		.list = targets,
		.room = room,
		.to_the_first = mode == DISCOVER_FIRST,
	};
	/* For the configuration, and for the identity. */
	const struct np_aoe_ata *const questions[] = {NULL, &identify};
	const unsigned asked = mode == DISCOVER_LIST ? 1 : 2;
	const np_time begin = np_clock_now();
	struct np_aoe_header header;

	target_header(channel, &everybody, &header);
	for (int round = 1; round <= ROUNDS && !d.found; round++) {
		int rc = 0;

		for (unsigned i = 0; i < asked && !rc; i++) {
			header.tag = tags_after(d.tag, d.asked++);
			rc = ask_send(channel, &header, questions[i]);
		}
		d.deadline = np_clock_now() + ROUND_TIME;
		if (mode == DISCOVER_ALL)
			d.deadline = begin + (round < ROUNDS ? round * FULL_ROUND_TIME : FULL_TIME);
		if (!rc)
			rc = ask_listen(channel, take, &d, &d.deadline);
		if (rc)
			return rc;
	}
	for (unsigned i = 0; i < d.count; i++)
		targets[i].discovered = begin;
	if (mode == DISCOVER_LIST)
		qsort(targets, d.count, sizeof(*targets), compare);
	else
		put_usable_first(&d);
	return (int)d.count;
}

/* Questions sent before the next look at the answers: no buffer must hold all of them. */
#define BURST 32

/* Targets that are asked for their identity, all at the same time. */
struct listing {
	struct target *targets;
	unsigned count;
	unsigned left; /* neither answered nor refused: their @identity_error is -ETIMEDOUT */
	uint32_t tag;  /* of the first target's question; the others' follow */
};

/* Returns 1 when every target has answered. */
static int take_identity(void *owner, const struct np_aoe_header *header,
			 const struct np_frame *frame)
{
	struct listing *list = owner;
	const uint32_t number = tags_distance(header->tag, list->tag);
	struct target *target = &list->targets[number < list->count ? number : 0];
	struct np_aoe_ata ata;
	int rc;

	if (header->shelf != target->shelf || header->slot != target->slot ||
	    other_host_answers(&target->other, header->source, target->mac))
		return 0;
	if (number >= list->count || target->identity_error != -ETIMEDOUT)
		return 0;
	rc = target_decode(header, frame, 1, &ata);
	if (!rc)
		return 0;
	target->identity_error = rc < 0 ? rc : 0;
	if (rc > 0) {
		np_ata_identity_decode(ata.data, &target->identity);
		target->identified = true;
	}
	return --list->left == 0;
}

int discover_identities(struct channel *channel, struct target *targets, unsigned count)
{
	struct listing list = {
		.targets = targets, .count = count, .tag = tags_question(&channel->tags)};
	struct np_aoe_header header;
	unsigned sent = 0;
	int rc = 0;

	for (unsigned i = 0; i < count; i++) {
		targets[i].identity_error = targets[i].mac[0] & 1 ? 0 : -ETIMEDOUT;
		list.left += targets[i].identity_error != 0;
	}
	for (int round = 0; round < ROUNDS && list.left && !rc; round++) {
		np_time deadline = np_clock_now() + ROUND_TIME;

		for (unsigned i = 0; i < count && !rc; i++) {
			np_time now = np_clock_now();

			if (targets[i].identity_error != -ETIMEDOUT)
				continue;
			target_header(channel, &targets[i], &header);
			header.tag = tags_after(list.tag, i);
			rc = ask_send(channel, &header, &identify);
			if (!rc && ++sent % BURST == 0)
				rc = ask_listen(channel, take_identity, &list, &now);
		}
		if (!rc)
			rc = ask_listen(channel, take_identity, &list, &deadline);
		sent = 0;
	}
	return rc < 0 ? rc : 0;
}

char *target_mac(const uint8_t mac[6], char out[TARGET_MAC_BYTES])
{
	snprintf(out, TARGET_MAC_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	return out;
}

char *target_describe(const struct target *target, char out[TARGET_DESCRIPTION_BYTES])
{
	char mac[TARGET_MAC_BYTES], firmware[16] = "unknown", disk[100] = "no identity";

	if (target->configured)
		snprintf(firmware, sizeof(firmware), "%04x", target->firmware);
	if (target->identified)
		snprintf(disk, sizeof(disk), "%" PRIu64 " sectors, serial '%s'",
			 target->identity.sectors, target->identity.serial);
	snprintf(out, TARGET_DESCRIPTION_BYTES, "%s (firmware %s, %s)",
		 target_mac(target->mac, mac), firmware, disk);
	return out;
}

/* FNV-1a */
uint64_t target_mark_string(const struct np_aoe_config *config)
{
	uint64_t mark = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < config->string_bytes; i++)
		mark = (mark ^ config->string[i]) * UINT64_C(1099511628211);
	return mark;
}

int target_decode(const struct np_aoe_header *header, const struct np_frame *frame, size_t sectors,
		  struct np_aoe_ata *ata)
{
	*ata = (struct np_aoe_ata){0};
	if (header->command != NP_AOE_ATA)
		return 0;
	if (header->flags & NP_AOE_FLAG_ERROR)
		return -EIO;
	if (np_aoe_ata_decode(frame->data, frame->length, ata))
		return 0;
	if (ata->command & NP_ATA_STATUS_BAD)
		return -EIO;
	return ata->data_bytes >= sectors * NP_AOE_SECTOR_BYTES;
}

void target_header(const struct channel *channel, const struct target *target,
		   struct np_aoe_header *header)
{
	*header = (struct np_aoe_header){
		.version = 1,
		.shelf = target->shelf,
		.slot = target->slot,
	};
	memcpy(header->destination, target->mac, 6);
	memcpy(header->source, np_link_info(channel->link)->mac, 6);
}
