// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe_disk: the link and the disk that a test of exchanges simulates. */
#include "aoe_disk.h"

#include "../ata_identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Stands in for the C library's clock, by which the library reads it. */
np_time made_clock;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC || !made_clock)
		return (int)syscall(SYS_clock_gettime, clock, now);
	made_clock += NP_MICROSECOND;
	*now = (struct timespec){made_clock / NP_SECOND, made_clock % NP_SECOND};
	return 0;
}

const char *const np_link_variants[] = {"simulated", NULL};

const char *np_link_lacks(const char *variant)
{
	(void)variant;
	return NULL;
}

int np_link_open(struct np_link **link, const char *interface,
		 const struct np_link_options *options)
{
	(void)interface;
	(void)options;
	*link = NULL;
	return -ENODEV;
}

void np_link_free(struct np_link *link)
{
	(void)link;
}

const struct np_link_info *np_link_info(const struct np_link *link)
{
	return &link->info;
}

int np_link_fd(const struct np_link *link)
{
	(void)link;
	return -1;
}

int np_link_stats(struct np_link *link, struct np_link_stats *stats)
{
	*stats = (struct np_link_stats){
		.refused_error = link->refuses ? -ENOBUFS : 0,
		.dropped = link->dropped,
	};
	return 0;
}

/* What the variant pcap asks of a link, which is never opened here. */
int link_allocate(struct np_link *link);
int link_interface_check_up(const struct np_link *link);

int link_allocate(struct np_link *link)
{
	(void)link;
	return -ENOMEM;
}

int link_interface_check_up(const struct np_link *link)
{
	(void)link;
	return -ENETDOWN;
}

/* Returns the place of one more answer, which comes right after its request. */
static unsigned add_answer(struct np_link *link, const struct np_frame *request)
{
	const unsigned at = (link->first + link->count++) % ROOM;

	assert_true(link->count <= ROOM);
	link->stamp[at] = request->stamp + 1;
	return at;
}

static void answer(struct np_link *link, const struct np_frame *request, uint64_t lba)
{
	const unsigned at = add_answer(link, request);
	uint8_t *frame = link->frame[at];

	memcpy(frame, request->data, NP_AOE_ATA_BYTES);
	memcpy(frame, request->data + 6, 6);
	memcpy(frame + 6, request->data, 6);
	frame[14] |= NP_AOE_FLAG_RESPONSE;
	frame[25] = 0;
	frame[27] = 0x40;
	np_pattern_write(&(struct np_pattern){.fill = NP_PATTERN_LBA}, frame + NP_AOE_ATA_BYTES,
			 lba, SECTORS);
	link->length[at] = link->write ? NP_AOE_ATA_BYTES : sizeof(link->frame[at]);
	if (link->count > link->most)
		link->most = link->count;
}

static void keep_data(struct np_link *link, const struct np_frame *request, uint64_t lba)
{
	uint8_t expected[SECTORS * NP_AOE_SECTOR_BYTES];

	np_pattern_write(&(struct np_pattern){.fill = NP_PATTERN_LBA}, expected, lba, SECTORS);
	assert_int_equal(request->length, NP_AOE_ATA_BYTES + sizeof(expected));
	assert_memory_equal(request->data + NP_AOE_ATA_BYTES, expected, sizeof(expected));
	memcpy(link->content + lba * NP_AOE_SECTOR_BYTES, expected, sizeof(expected));
}

static struct np_aoe_ata read_for(struct np_link *link, const struct np_frame *question, bool again,
				  uint8_t data[SECTORS * NP_AOE_SECTOR_BYTES])
{
	struct np_aoe_ata ata, answer = {.command = 0x40};

	assert_int_equal(np_aoe_ata_decode(question->data, question->length, &ata), 0);
	if (ata.command == NP_ATA_IDENTIFY) {
		ata_identity_encode(data, &link->identity);
		answer.data = data;
		answer.data_bytes = NP_AOE_SECTOR_BYTES;
		return answer;
	}
	assert_int_equal(ata.command, NP_ATA_READ_EXT);
	assert_in_range(ata.count, 1, SECTORS);
	assert_true(ata.lba + ata.count <= link->identity.sectors);
	for (unsigned i = 0; i < ata.count && ata.lba + i < DISK; i++)
		link->asked_of[ata.lba + i] += !again;
	if (link->unreadable) {
		answer.command = 0x41;
		return answer;
	}
	memset(data, 0, SECTORS * NP_AOE_SECTOR_BYTES);
	for (unsigned i = 0; i < ata.count; i++) {
		if (ata.lba + i < DISK)
			memcpy(data + i * NP_AOE_SECTOR_BYTES,
			       link->content + (ata.lba + i) * NP_AOE_SECTOR_BYTES,
			       NP_AOE_SECTOR_BYTES);
		if (link->foreign && ata.lba + i == link->foreign)
			memcpy(data + i * NP_AOE_SECTOR_BYTES, "text", 4);
	}
	answer.data = data;
	answer.data_bytes = ata.count * (size_t)NP_AOE_SECTOR_BYTES;
	return answer;
}

/* Counts a question of this @tag. Returns true when it was asked before. */
static bool note_question(struct np_link *link, uint32_t tag)
{
	const uint32_t number = tag & (TAGS_ROUND - 1);

	if (link->round != tag - number)
		memset(link->asked, 0, sizeof(link->asked));
	link->round = tag - number;
	if (link->asked[number])
		return true;
	link->questions++;
	link->asked[number] = link->deaf && link->questions > link->deaf ? UNHEARD : ANSWERED;
	return false;
}

/* Adds the answer at @from once more, as that of another host. */
static void add_other_host(struct np_link *link, const struct np_frame *question, unsigned from)
{
	const unsigned at = add_answer(link, question);

	memcpy(link->frame[at], link->frame[from], link->length[from]);
	link->frame[at][11] = 0xee;
	link->length[at] = link->length[from];
}

static void take_question(struct np_link *link, const struct np_frame *question,
			  const struct np_aoe_header *header)
{
	struct np_aoe_header back = *header;
	uint8_t data[SECTORS * NP_AOE_SECTOR_BYTES];
	struct np_aoe_ata ata;
	unsigned at;
	int length;
	bool again;

	if (link->keeps && !link->keeps_all)
		release(link);
	again = note_question(link, header->tag);
	if (link->asked[header->tag & (TAGS_ROUND - 1)] == UNHEARD)
		return;
	memcpy(back.destination, header->source, 6);
	memcpy(back.source, header->destination, 6);
	back.flags |= NP_AOE_FLAG_RESPONSE;
	at = add_answer(link, question);
	if (header->command == NP_AOE_CONFIG) {
		length = np_aoe_config_encode(link->frame[at], sizeof(link->frame[at]), &back,
					      &link->config);
	} else {
		ata = read_for(link, question, again, data);
		length = np_aoe_ata_encode(link->frame[at], sizeof(link->frame[at]), &back, &ata);
	}
	assert_true(length > 0);
	link->length[at] = (size_t)length;
	if (link->strange && !again && link->count < ROOM)
		add_other_host(link, question, at);
}

void release(struct np_link *link)
{
	for (unsigned i = 0; i < ROOM; i++)
		link->stamp[i] = made_clock;
	link->keeps = link->keeps_all = false;
}

static void note_order(struct np_link *link, char kind)
{
	if (link->ordered + 1 < sizeof(link->order))
		link->order[link->ordered++] = kind;
}

static void take_request(struct np_link *link, const struct np_frame *request,
			 const struct np_aoe_header *header)
{
	struct np_aoe_ata ata;
	unsigned before = 0;
	bool lost;

	assert_int_equal(np_aoe_ata_decode(request->data, request->length, &ata), 0);
	assert_int_equal(ata.command, link->write ? NP_ATA_WRITE_EXT : NP_ATA_READ_EXT);
	assert_int_equal(ata.count, SECTORS);
	assert_true(ata.lba % SECTORS == 0 && ata.lba + SECTORS <= DISK);
	if (link->write)
		keep_data(link, request, ata.lba);
	else
		assert_int_equal(request->length, NP_AOE_ATA_BYTES);
	/* Each packet has a tag of its own, in the order of sending. */
	if (link->sent)
		assert_int_equal(tags_distance(header->tag, link->tag), 1);
	link->tag = header->tag;
	for (unsigned i = 0; i < link->sent && i < 1024; i++)
		before += link->lba[i] == ata.lba;
	lost = link->every && ata.lba / SECTORS % link->every == 0 && (!before || link->again);
	if (link->sent < 1024)
		link->lba[link->sent] = ata.lba;
	link->sent++;
	if (!lost && (!link->limit || link->sent <= link->limit))
		answer(link, request, ata.lba);
	if (link->raises && link->sent == link->limit) {
		np_signals_tell(link->signals, link->raises);
		link->raises = 0;
		link->limit = 0;
	}
	if (link->happens && link->sent == link->limit) {
		link->limit = 0;
		link->happens(link);
		link->happens = NULL;
	}
}

static void take(struct np_link *link, const struct np_frame *frame)
{
	struct np_aoe_header header;

	assert_int_equal(np_aoe_header_decode(frame->data, frame->length, &header), 0);
	assert_true(frame->stamp >= link->stamped && frame->stamp <= made_clock);
	link->stamped = frame->stamp;
	assert_int_equal(header.shelf, 4);
	assert_int_equal(header.slot, 1);
	assert_int_equal(header.destination[5], 9);
	assert_memory_equal(header.source, link->info.mac, 6);
	if (header.tag & TAGS_QUESTION) {
		note_order(link, 'q');
		take_question(link, frame, &header);
	} else {
		note_order(link, 'r');
		take_request(link, frame, &header);
	}
}

int np_link_send(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	if (link->refuses || (link->full && link->sent >= link->full))
		return 0;
	if (link->breaks && link->sent >= link->limit)
		return link->breaks;
	if (link->takes && count > link->takes)
		count = link->takes;
	for (unsigned i = 0; i < count; i++)
		take(link, &frames[i]);
	return (int)count;
}

int np_link_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	unsigned got = 0;

	link->receives++;
	for (; got < count && link->count && !link->keeps; got++, link->count--) {
		frames[got].data = link->frame[link->first];
		frames[got].length = link->length[link->first];
		frames[got].stamp = link->stamp[link->first];
		link->first = (link->first + 1) % ROOM;
	}
	return (int)got;
}

int np_link_wait(struct np_link *link, int other_fd, np_time deadline)
{
	(void)other_fd;
	link->deadline = deadline;
	link->waits++;
	/* Who just sent or received has no time to wait. */
	assert_true(!link->count || link->keeps || link->questions);
	if (link->waiting)
		link->waiting(link);
	if (link->count && !link->keeps)
		return 1;
	made_clock = deadline > made_clock ? deadline : made_clock;
	return 0;
}

static void observe(struct exchange *x, np_time length, enum moment moment)
{
	struct scene *s = (struct scene *)((char *)x->s - offsetof(struct scene, session));
	const uint64_t sent = x->result->tally.sent;

	s->intervals += moment != MOMENT_END;
	s->asked += moment == MOMENT_ASKED;
	s->rests += moment == MOMENT_END;
	s->length += length;
	assert_true(sent >= s->counted || moment == MOMENT_END);
	s->counted = sent;
}

int set(void **state)
{
	static const struct np_log silent = {.program = "test"};
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	made_clock = 1000 * NP_SECOND;
	s->link.info = (struct np_link_info){
		.variant = "simulated", .stamps = "kernel", .mtu = 1500, .mac = {2, 0, 0, 0, 0, 1}};
	s->link.stamped = np_clock_now();
	s->session.log = &silent;
	s->channel = (struct channel){.link = &s->link,
				      .tags = {.run = NP_AOE_TAG_USER | 5u << 24, .claim = -1}};
	assert_int_equal(np_signals_open_told(&s->channel.signals), 0);
	s->link.signals = s->channel.signals;
	s->session.target = (struct target){
		.name = "e4.1",
		.shelf = 4,
		.slot = 1,
		.mac = {2, 0, 0, 0, 0, 9},
		.buffer_count = 16,
		.sector_count = SECTORS,
		.identity = {.serial = "S1", .sectors = DISK, .extended = true},
	};
	s->link.config = (struct np_aoe_config){.buffer_count = 16, .version = 1};
	s->link.identity = s->session.target.identity;
	s->session.target.string_mark = target_mark_string(&s->link.config);
	s->options.target.interface = "lo";
	s->options.traffic = (struct traffic_options){.sector_count = SECTORS,
						      .packet_count = 100,
						      .timeout = 20 * MS,
						      .give_up = 100 * MS};
	s->options.data = (struct data_options){.fill = 1, .check = 1};
	s->session.channel = &s->channel;
	s->session.run = &s->run;
	s->session.options = &s->options;
	s->session.window = WINDOW;
	s->plan = (struct exchange){
		.s = &s->session,
		.observe = observe,
	};
	assert_int_equal(np_drops_begin(&s->run.drops, NP_DROPS_OFF, &silent), 0);
	assert_int_equal(result_create(&s->result), 0);
	*state = s;
	return 0;
}

int strike(void **state)
{
	struct scene *s = *state;

	result_free(s->result);
	examination_free(s->session.examination);
	np_drops_free(s->run.drops);
	np_signals_free(s->channel.signals);
	free(s);
	return 0;
}

void examine(struct scene *s)
{
	s->options.operation = OPERATION_WRITE;
	s->link.write = true;
	assert_int_equal(examination_create(&s->session), 0);
	assert_int_equal(examination_first(s->session.examination), 0);
}

int start_exchange(struct scene *s)
{
	struct exchange x = s->plan;

	x.result = s->result;
	return exchange_run(&x, 1);
}

const struct tally *run(struct scene *s, enum ending ending)
{
	const struct tally *t = &s->result->tally;

	assert_int_equal(start_exchange(s), 0);
	assert_int_equal(s->result->ending, ending);
	assert_int_equal(t->sent, s->link.sent);
	assert_int_equal(t->sent, t->received + t->late + t->lost + t->outstanding);
	assert_int_equal(t->stray + t->duplicates + t->errors, 0);
	assert_int_equal(t->bytes, t->received * SECTORS * NP_AOE_SECTOR_BYTES);
	assert_int_equal(s->result->damage.total, 0);
	assert_int_equal(s->result->window, WINDOW);
	assert_int_equal(s->rests, 1);
	assert_int_equal(s->counted, t->sent);
	assert_true(s->intervals ? s->length >= s->result->elapsed
				 : s->length == s->result->elapsed);
	return t;
}
