// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * examine: keeps a small window of questions in flight, and repeats each until it is answered;
 * judges who answers for the target and what its disk holds.
 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES_MAX (2 * (size_t)NP_GUARD_PLACES_MAX)

static int by_offset(const void *a, const void *b)
{
	const struct np_guard_place *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

int questions_list(struct question **questions, size_t *count, uint64_t bytes,
		   const struct np_guard_place *region, uint8_t most)
{
	struct np_guard_place place[PLACES_MAX] = {0};
	const size_t whole = np_guard_places(bytes, place);
	const size_t places = whole + np_guard_places(region->bytes, place + whole);
	size_t room = QUESTIONS_OF_IDENTITY, n = 0;
	uint64_t lba = 0;
	struct question *q;

	*questions = NULL;
	*count = 0;
	if (!most)
		return -EMSGSIZE;
	for (size_t i = 0; i < places; i++) {
		place[i].offset += i < whole ? 0 : region->offset;
		room += place[i].bytes / NP_AOE_SECTOR_BYTES / most + 1;
	}
	qsort(place, places, sizeof(*place), by_offset);
	q = calloc(room, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q[n++].kind = QUESTION_CONFIG;
	q[n++].kind = QUESTION_IDENTITY;
	for (size_t i = 0; i < places; i++) {
		const uint64_t begin = place[i].offset / NP_AOE_SECTOR_BYTES,
			       end = begin + place[i].bytes / NP_AOE_SECTOR_BYTES;

		/* Of those that overlap the rest. */
		for (lba = lba > begin ? lba : begin; lba < end; lba += q[n++].sectors) {
			q[n].kind = QUESTION_READ;
			q[n].lba = lba;
			q[n].sectors = (uint8_t)(end - lba < most ? end - lba : most);
		}
	}
	*questions = q;
	*count = n;
	return 0;
}

#define TRIES	     8
#define TRY_TIME_MIN (10 * NP_MILLISECOND)
#define TRY_TIME_MAX (500 * NP_MILLISECOND)
#define RTT_FIRST    (60 * NP_MILLISECOND) /* before the first answer */
#define QUIET_TIME   (100 * NP_MILLISECOND)
#define LISTEN_TIME  (2 * NP_SECOND)	    /* from the start of the discovery */
#define SILENCE_MIN  (100 * NP_MILLISECOND) /* a busy disk is silent for as long */
#define AT_ONCE	     16			    /* questions */
#define SECTORS_MOST 255

static bool is_again(const struct examination *x)
{
	return x->round > 1;
}

/*
 * Starts a round, and abandons one that is still running. The caller completes it by wait_for_all,
 * or by ask and take until all is answered. After the first round each sector must hold what it
 * held in that, or test data, which this run may have written since.
 */
static void begin_round(struct examination *x, np_time now)
{
	for (size_t i = 0; i < x->count; i++) {
		x->question[i].done = false;
		x->question[i].tries = 0;
	}
	x->tag = tags_round(&x->s->channel->tags, x->round++);
	x->sent = x->s->channel->sent;
	x->first = x->next = 0;
	x->in_flight = 0;
	x->answered = false;
	x->progress = now;
	x->deadline = now;
}

struct np_cursor guard_cursor(const struct session *s)
{
	const struct data_options *o = &s->options->data;
	const uint64_t begin = o->offset_bytes / NP_PATTERN_SECTOR_BYTES;
	const uint64_t length = o->size_bytes ? o->size_bytes / NP_PATTERN_SECTOR_BYTES
					      : s->target.identity.sectors - begin;
	struct np_cursor cursor;

	np_cursor_start(&cursor, begin, length, s->options->traffic.sector_count);
	return cursor;
}

/* That region. */
static struct np_guard_place guard_region(const struct session *s)
{
	const struct np_cursor cursor = guard_cursor(s);

	return (struct np_guard_place){
		.offset = cursor.begin * NP_AOE_SECTOR_BYTES,
		.bytes = cursor.length * NP_AOE_SECTOR_BYTES,
	};
}

int examination_create(struct session *s)
{
	struct examination *x = calloc(1, sizeof(*x));
	const struct target *target = &s->target;
	const struct np_guard_place region = guard_region(s);
	uint64_t bytes = target->identity.sectors * NP_AOE_SECTOR_BYTES;
	unsigned sectors = limits_sectors(np_link_info(s->channel->link)->mtu);
	int rc;

	s->examination = x;
	if (!x)
		return -ENOMEM;
	x->s = s;
	x->rtt = RTT_FIRST;
	x->window = target->buffer_count < AT_ONCE ? target->buffer_count : AT_ONCE;
	x->window += !x->window;
	target_header(s->channel, target, &x->header);
	x->image = memfd_create("aoe-target", MFD_CLOEXEC);
	if (x->image < 0)
		return -errno;
	if (ftruncate(x->image, (off_t)bytes))
		return -errno;
	/* At most what the target and the interface allow. */
	if (sectors > target->sector_count)
		sectors = target->sector_count;
	rc = questions_list(&x->question, &x->count, bytes, &region, (uint8_t)sectors);
	if (rc)
		return rc;
	begin_round(x, np_clock_now());
	return 0;
}

void examination_free(struct examination *x)
{
	if (!x)
		return;
	if (x->image >= 0)
		close(x->image);
	free(x->question);
	free(x);
}

static int send_question(struct examination *x, size_t number, np_time now)
{
	struct question *q = &x->question[number];
	struct np_aoe_ata ata = {.command = NP_ATA_IDENTIFY, .count = 1};
	/* Doubled for each earlier try: a single loss costs little time. */
	np_time patience = 4 * x->rtt < TRY_TIME_MIN ? TRY_TIME_MIN : 4 * x->rtt;
	int rc = 0;

	if (q->tries >= TRIES && !is_again(x))
		return -ETIMEDOUT;
	x->in_flight += !q->tries;
	x->done.questions += is_again(x);
	q->sent = now;
	for (unsigned i = 0; i < q->tries && patience < TRY_TIME_MAX; i++)
		patience *= 2;
	q->due = now + (patience < TRY_TIME_MAX ? patience : TRY_TIME_MAX);
	if (q->tries < UINT8_MAX)
		q->tries++;
	x->header.tag = tags_after(x->tag, (uint32_t)number);
	if (q->kind == QUESTION_READ)
		rc = np_aoe_ata_transfer(&ata, false, x->s->target.identity.extended, q->lba,
					 q->sectors);
	return rc ? rc
		  : ask_send(x->s->channel, &x->header, q->kind == QUESTION_CONFIG ? NULL : &ata);
}

/*
 * Sends the questions that are due at @now, with at most @room of them in flight. Returns 0 or
 * -errno.
 */
static int ask(struct examination *x, np_time now, unsigned room)
{
	size_t end = x->first + x->window < x->count ? x->first + x->window : x->count;
	int rc = 0;

	x->deadline = is_again(x) ? x->progress + x->s->options->traffic.give_up : NP_TIME_NEVER;
	if (now >= x->deadline)
		return -ETIMEDOUT;
	for (size_t i = x->first; i < end && !rc; i++) {
		if (x->question[i].done)
			continue;
		if (i == x->next && x->in_flight >= room)
			break;
		if (i == x->next || x->question[i].due <= now)
			rc = send_question(x, i, now);
		x->next += i == x->next;
		if (x->question[i].due < x->deadline)
			x->deadline = x->question[i].due;
	}
	return rc;
}

/* Notes that the answer to @q differs from an earlier one. Returns -ESTALE. */
static int differs(struct examination *x, const struct question *q, uint64_t lba)
{
	x->fault.kind = q->kind;
	x->fault.lba = lba;
	return -ESTALE;
}

/*
 * Stores the first answer to a read in the image; a later one must be equal. Returns 1, -ESTALE or
 * -errno; 0 if @frame is no answer to @q.
 */
static int settle(struct examination *x, const struct question *q,
		  const struct np_aoe_header *header, const struct np_frame *frame)
{
	const size_t bytes = (size_t)q->sectors * NP_AOE_SECTOR_BYTES;
	const off_t offset = (off_t)(q->lba * NP_AOE_SECTOR_BYTES);
	uint8_t before[SECTORS_MOST * NP_AOE_SECTOR_BYTES];
	const struct target *t = &x->s->target;
	struct np_ata_identity identity;
	struct np_aoe_config config;
	struct np_aoe_ata ata;
	int rc;

	if (q->kind == QUESTION_CONFIG) {
		if (header->command != NP_AOE_CONFIG)
			return 0;
		if (header->flags & NP_AOE_FLAG_ERROR)
			return -EIO;
		if (np_aoe_config_decode(frame->data, frame->length, &config))
			return 0;
		/* The number of sectors it takes may follow the MTU of its interface. */
		return config.firmware == t->firmware && config.buffer_count == t->buffer_count &&
				       target_mark_string(&config) == t->string_mark
			       ? 1
			       : differs(x, q, 0);
	}
	rc = target_decode(header, frame, q->kind == QUESTION_READ ? q->sectors : 1, &ata);
	if (rc <= 0)
		return rc;
	if (q->kind == QUESTION_IDENTITY) {
		np_ata_identity_decode(ata.data, &identity);
		return target_same_identity(&identity, &t->identity) ? 1 : differs(x, q, 0);
	}
	if (!is_again(x) && !q->done)
		return pwrite(x->image, ata.data, bytes, offset) == (ssize_t)bytes ? 1 : -errno;
	if (pread(x->image, before, bytes, offset) != (ssize_t)bytes)
		return -EIO;
	for (size_t i = 0; i < bytes; i += NP_AOE_SECTOR_BYTES) {
		const uint8_t *sector = ata.data + i;
		uint64_t lba = q->lba + i / NP_AOE_SECTOR_BYTES;

		/* In a later round it may hold test data, too. */
		if (memcmp(sector, before + i, NP_AOE_SECTOR_BYTES) &&
		    !(is_again(x) &&
		      np_pattern_ours(sector, lba, NP_AOE_SECTOR_BYTES) == NP_AOE_SECTOR_BYTES))
			return differs(x, q, lba);
	}
	return 1;
}

/* Takes a frame from the target. Returns 1 when it answers a question, 0 when not, or -errno. */
static int take(struct examination *x, const struct np_aoe_header *header,
		const struct np_frame *frame)
{
	const uint32_t number = tags_distance(header->tag, x->tag);
	struct question *q;
	np_time now;
	int rc;

	if (number >= x->next)
		return 0;
	/* What still comes of a round that could not read the disk says nothing new. */
	if (number >= x->count)
		return 1;
	q = &x->question[number];
	rc = settle(x, q, header, frame);
	if (rc <= 0 || q->done)
		return rc;
	now = np_clock_now();
	q->done = x->answered = true;
	x->in_flight--;
	x->progress = now;
	/* After a repeat it is unknown which request this answers. */
	if (q->tries == 1)
		x->rtt += (now - q->sent - x->rtt) / 8;
	while (x->first < x->count && x->question[x->first].done)
		x->first++;
	x->deadline = 0; /* a question may be sent now */
	return 1;
}

/* For ask_listen. */
static int take_from_any(void *owner, const struct np_aoe_header *header,
			 const struct np_frame *frame)
{
	struct examination *x = owner;
	struct target *target = &x->s->target;
	int rc;

	if (header->shelf != target->shelf || header->slot != target->slot ||
	    other_host_answers(&target->other, header->source, target->mac))
		return 0;
	rc = take(x, header, frame);
	return rc < 0 ? rc : 0;
}

/* Runs the round to its end. Returns as examination_first does; -ESTALE: the target has changed. */
static int wait_for_all(struct examination *x)
{
	int rc = 0;

	while (!rc && x->first < x->count) {
		rc = ask(x, np_clock_now(), x->window);
		if (!rc)
			rc = ask_listen(x->s->channel, take_from_any, x, &x->deadline);
	}
	return rc;
}

int examination_first(struct examination *x)
{
	const np_time least = x->s->target.discovered + LISTEN_TIME;
	int rc = wait_for_all(x);

	/* Where the disk could not be read, only the identity is asked from now on. */
	if (rc == -ETIMEDOUT || rc == -EIO)
		x->count = QUESTIONS_OF_IDENTITY;
	/* All questions are answered: listens for other hosts that answer later. */
	if (!rc) {
		x->deadline = np_clock_now() + QUIET_TIME;
		x->deadline = x->deadline > least ? x->deadline : least;
		rc = ask_listen(x->s->channel, take_from_any, x, &x->deadline);
	}
	x->heard = np_clock_now();
	return rc;
}

const char *examination_explain(const struct examination *x, int error, char out[EXAMINATION_TEXT])
{
	switch (error) {
	case -ETIMEDOUT: return "reads are not answered";
	case -EIO: return "it refuses reads";
	case -EINTR: return "interrupted";
	case -ESTALE: break;
	default: return strerror(-error);
	}
	if (x->fault.kind == QUESTION_CONFIG)
		return "its configuration has changed; two targets, or another one now";
	if (x->fault.kind == QUESTION_IDENTITY)
		return "its identity has changed; two targets, or another one now";
	if (!is_again(x))
		return "it answers one read in two ways; two targets, or another host writes to it";
	snprintf(out, EXAMINATION_TEXT,
		 "sector %" PRIu64 " holds neither its former content nor test data; another disk "
		 "answers now, or another host writes to it",
		 x->fault.lba);
	return out;
}

static bool is_needed(const struct examination *x, np_time now)
{
	const np_time timeout = x->s->options->traffic.timeout;

	return x->doubted || now - x->heard > (timeout > SILENCE_MIN ? timeout : SILENCE_MIN);
}

void examination_heard(struct examination *x, np_time at)
{
	x->doubted |= is_needed(x, at);
	if (at > x->heard)
		x->heard = at;
}

void examination_stop(struct examination *x, np_time now)
{
	if (x->holds)
		x->done.held += now - x->held_since;
	x->holds = false;
}

static void conclude(struct examination *x, np_time now)
{
	x->done.rounds++;
	x->doubted = false;
	x->heard = now;
	examination_stop(x, now);
}

int examination_before(struct examination *x)
{
	x->done = (struct rechecks){0};
	if (!is_needed(x, np_clock_now()))
		return 0;
	begin_round(x, np_clock_now());
	x->error = wait_for_all(x);
	conclude(x, np_clock_now());
	return x->error;
}

int examination_step(struct examination *x, np_time now, unsigned room)
{
	int rc;

	if (x->error)
		return 0;
	if (x->holds && x->first == x->count)
		conclude(x, now);
	if (!x->holds && is_needed(x, now)) {
		begin_round(x, now);
		x->holds = true;
		x->held_since = now;
	}
	if (!x->holds)
		return 0;
	/*
	 * Beside writes that may still be answered, no buffer may overflow. A silent target does
	 * not answer sooner when asked more.
	 */
	if (room < 1 || !x->answered)
		room = 1;
	rc = ask(x, now, room);
	if (rc == -ETIMEDOUT)
		x->error = rc;
	return x->error ? 0 : rc;
}

bool examination_take(struct examination *x, const struct np_aoe_header *header,
		      const struct np_frame *frame)
{
	int rc;

	if (x->error)
		return false;
	rc = take(x, header, frame);
	if (rc < 0)
		x->error = rc;
	return rc != 0;
}

#define DRIVER	      "/sys/module/aoe"
#define DRIVER_IFLIST DRIVER "/parameters/aoe_iflist"

unsigned limits_sectors(unsigned mtu)
{
	return mtu < NP_AOE_ATA_BYTES ? 0 : (mtu - NP_AOE_ATA_BYTES) / NP_AOE_SECTOR_BYTES;
}

/* Splits the list as is_aoe_netif in the kernel's drivers/block/aoe/aoenet.c does. */
bool limits_listed(const char *list, const char *interface)
{
	static const char separators[] = " \t\v\f\n,";
	bool empty = true;

	for (size_t length; *list; list += length + (list[length] != '\0')) {
		length = strcspn(list, separators);
		if (length == strlen(interface) && !memcmp(list, interface, length))
			return true;
		empty &= !length;
	}
	return empty;
}

int limits_check(const struct session *s)
{
	const struct target_options *o = &s->options->target;
	const uint32_t clients = s->options->clients;
	const struct sweep *sweep = &s->options->traffic.sweep;
	const unsigned buffers = s->target.buffer_count, each = buffers / clients;
	const uint64_t all = (uint64_t)sweep->to * clients;
	char whose[64] = "the window is";
	const struct data_options *data = &s->options->data;
	const uint64_t asked = s->options->traffic.sector_count;
	const uint64_t disk = s->target.identity.sectors, bytes = disk * NP_AOE_SECTOR_BYTES;
	const unsigned mtu = np_link_info(s->channel->link)->mtu, fits = limits_sectors(mtu);
	const char *name = s->target.name;
	char list[1024] = "";
	FILE *file;

	if (asked > fits)
		return np_log_refuse(
			s->log, o->interface,
			"%" PRIu64 " sectors need %" PRIu64 " bytes, the MTU is %u: at most "
			"%u sectors fit; --sector-count %u, or a larger MTU",
			asked, asked * NP_AOE_SECTOR_BYTES + NP_AOE_ATA_BYTES, mtu, fits, fits);
	if (asked > s->target.sector_count)
		return np_log_refuse(s->log, name,
				     "takes at most %u sectors in a request, %" PRIu64
				     " asked for; its own MTU may be smaller; --sector-count %u",
				     s->target.sector_count, asked, s->target.sector_count);
	if (!disk || disk >= NP_AOE_LBA48_LIMIT)
		return np_log_refuse(s->log, name, "claims to have %" PRIu64 " sectors", disk);
	if (data->offset_bytes >= bytes || data->size_bytes > bytes - data->offset_bytes)
		return np_log_refuse(s->log, data->offset_bytes >= bytes ? "--offset" : "--size",
				     "reaches beyond the end of %s, which has %" PRIu64 " bytes",
				     name, bytes);
	if (clients > 1)
		snprintf(whose, sizeof(whose), "the windows of %u clients are", (unsigned)clients);
	/* Of a mesh rank 0 alone speaks, for all of them. */
	if (!sweep->automatic && !s->options->mesh.rank && all > buffers)
		np_log_warning(s->log, name,
			       "can queue %u requests, %s %" PRIu64 ": expect loss when it falls "
			       "behind (vblade -b %" PRIu64 ", or --window-size %u)",
			       buffers, whose, all, all, each ? each : 1);
	file = fopen(DRIVER_IFLIST, "re");
	if (file && !fgets(list, sizeof(list), file))
		list[0] = '\0';
	if (file)
		fclose(file);
	if (!access(DRIVER, F_OK) && limits_listed(list, o->interface))
		np_log_warning(s->log, o->interface,
			       "the kernel's aoe driver listens here, too; it logs our answers, "
			       "and its traffic disturbs the figures");
	return 0;
}

/* An objection that --destroy overrides if it @is_named there. Returns 0 or the exit status 2. */
static int object(const struct np_guard_verdict *verdict, const char *what, const char *name,
		  bool is_named, const struct np_log *log)
{
	const char *anyway = verdict->reason == NP_GUARD_UNSEEN ? " all the same" : "";

	if (!verdict->destroyable)
		return np_log_refuse(log, what, "%s", verdict->text);
	if (!is_named)
		return np_log_refuse(log, what, "%s; --destroy=%s overwrites it%s", verdict->text,
				     name, anyway);
	np_log_warning(log, what, "%s; overwriting it, as --destroy says", verdict->text);
	return 0;
}

int guard_local(const struct session *s)
{
	const struct target_options *o = &s->options->target;
	struct np_guard_verdict verdict;
	char name[TARGET_NAME_BYTES], path[64];
	int error;

	/* By its address: the target itself has not been asked yet. */
	snprintf(name, sizeof(name), "e%" PRIu64 ".%" PRIu64, o->shelf, o->slot);
	snprintf(path, sizeof(path), "/dev/etherd/%s", name);
	error = np_guard_users(path, &verdict);
	if (error)
		return np_log_refuse(s->log, path, "cannot tell whether this host uses it: %s",
				     strerror(-error));
	if (verdict.reason == NP_GUARD_FREE)
		return 0;
	if (verdict.reason != NP_GUARD_UNSEEN)
		return np_log_refuse(s->log, path, "this host uses it: %s", verdict.text);
	return object(&verdict, path, name, o->destroy && !strcmp(o->destroy, name), s->log);
}

int guard_alone(const struct session *s, const struct target *answerers, unsigned count)
{
	char who[DISCOVER_ONE_ROOM * TARGET_DESCRIPTION_BYTES], what[64];
	char mac[TARGET_MAC_BYTES], one[TARGET_DESCRIPTION_BYTES];

	if (!answerers->ambiguous)
		return 0;
	snprintf(what, sizeof(what), "%s%u targets answer for it",
		 count == DISCOVER_ONE_ROOM ? "at least " : "", count);
	if (count == 1)
		snprintf(what, sizeof(what), "two targets with one MAC address answer for it");
	/* "A, B and C", as far as it fits. */
	snprintf(who, sizeof(who), "%s", target_describe(answerers, one));
	for (unsigned i = 1; i < count; i++)
		np_text_append(who, sizeof(who), "%s%s", i + 1 < count ? ", " : " and ",
			       target_describe(&answerers[i], one));
	if (s->options->operation == OPERATION_WRITE)
		return np_log_refuse(s->log, answerers->name, "%s: %s; either might be overwritten",
				     what, who);
	np_log_warning(s->log, answerers->name, "%s: %s; going on with %s", what, who,
		       target_mac(answerers->mac, mac));
	return 0;
}

/* libblkid searches the whole disk for signatures; the region has ends of its own. */
int guard_remote(const struct session *s)
{
	struct examination *x = s->examination;
	const struct target *target = &s->target;
	const uint64_t bytes = target->identity.sectors * NP_AOE_SECTOR_BYTES;
	const struct np_guard_place region = guard_region(s);
	const char *destroy = s->options->target.destroy;
	struct np_guard_verdict verdict = {0};
	char mac[TARGET_MAC_BYTES], why[EXAMINATION_TEXT];
	const char *name = target->name;
	int rc;

	if (destroy && strcmp(destroy, name))
		return np_log_refuse(s->log, "--destroy", "'%s' is not the target; expected %s",
				     destroy, name);
	rc = examination_first(x);
	if (!rc)
		rc = np_guard_content(x->image, bytes, &region, &verdict);
	if (rc) {
		snprintf(verdict.text, sizeof(verdict.text), "cannot be examined: %s",
			 examination_explain(x, rc, why));
		verdict.reason = NP_GUARD_UNREAD;
		/* Nobody can overrule that it is in doubt which target is written. */
		verdict.destroyable = rc == -ETIMEDOUT || rc == -EIO;
	}
	if (target->other.answers)
		return np_log_refuse(s->log, name, "%s answers for it, too",
				     target_mac(target->other.mac, mac));
	if (verdict.reason != NP_GUARD_FREE && object(&verdict, name, name, destroy, s->log))
		return 2;
	np_log_info(s->log,
		    "writing to %s: model '%s', serial '%s', %" PRIu64
		    " sectors, signatures: %s; mounts on other hosts cannot be seen from here",
		    name, target->identity.model, target->identity.serial, target->identity.sectors,
		    *verdict.signatures ? verdict.signatures : "none");
	return 0;
}
