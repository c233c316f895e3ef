// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * votes: native: weighs what other members, and other groups, hold against this one: other
 * settings, refusals, another protocol. A member ends only when more members oppose it than are on
 * its side.
 */
#include "native.h"

#include <inttypes.h>
#include <stdio.h>

/* A voice counts when it is heard twice, some time apart: otherwise it may be an accident. */
#define MET_AGAIN (100 * NP_MILLISECOND)
/* How long the only other member present must refuse this one. */
#define SOLE_REFUSAL (3 * NP_SECOND)
/* A refusing member repeats that with every HELLO. */
#define REFUSAL_HOLDS (2 * NP_SECOND)

static const char *const refusals[] = {
	[REFUSAL_FULL] = "the group is complete without this member",
	[REFUSAL_LATE] = "the run has started without this member",
	[REFUSAL_SETTINGS] = "this member's settings differ from those of the group",
	[REFUSAL_SENDERS] = "the number of members that send is not num_senders",
	[REFUSAL_IDENTITY] = "another member has this member's address",
	[REFUSAL_DEAD] = "the other members have given up this member",
};

static bool is_lately(const struct member *m, const struct peer *peer)
{
	return peer->self || m->now - peer->heard < m->plan.limits.silent;
}

/* A member with other settings belongs to another group, and has no vote in this one. */
bool votes_is_refusing(const struct member *m, const struct peer *peer)
{
	return peer->known && peer->card.refusal && m->now - peer->card.denied < REFUSAL_HOLDS &&
	       votes_differ(m, peer->card.setting) == SETTINGS;
}

/* Counts the members on this member's side, including itself. */
static unsigned count_company(const struct member *m)
{
	unsigned count = 1;

	for (unsigned i = 0; i < m->peers; i++) {
		const struct peer *peer = &m->peer[i];

		count += !peer->self && join_is_there(peer) && !votes_is_refusing(m, peer) &&
			 is_lately(m, peer);
	}
	return count;
}

bool votes_are_open(const struct member *m)
{
	const struct native *n = native_of(m);

	return !m->outcome.failed &&
	       (n->phase == PHASE_JOINING || (n->phase == PHASE_READY && !m->run));
}

char *votes_setting_text(unsigned setting, uint64_t value, char out[32])
{
	if (setting == SETTING_CREDIT)
		snprintf(out, 32, "%s", value ? "credit" : "none");
	else if (setting == SETTING_DURATION)
		snprintf(out, 32, "%.3f s", (double)value / 1e9);
	else
		snprintf(out, 32, "%" PRIu64, value);
	return out;
}

unsigned votes_differ(const struct member *m, const uint64_t setting[SETTINGS])
{
	unsigned i = 0;

	while (i < SETTINGS && native_of(m)->setting[i] == setting[i])
		i++;
	return i;
}

static bool has_other_settings(const struct member *m, const struct peer *peer)
{
	return peer->role == PEER_REFUSED && peer->known && is_lately(m, peer) &&
	       peer->card.phase != PHASE_LEAVING && votes_differ(m, peer->card.setting) < SETTINGS;
}

/* Counts the members with the settings of @other; *@first is the one that was met first. */
static unsigned count_agreed(const struct member *m, const struct peer *other,
			     const struct peer **first)
{
	unsigned count = 0;

	*first = other;
	for (unsigned i = m->peers; i-- > 0;) {
		const struct peer *peer = &m->peer[i];

		if (!has_other_settings(m, peer) ||
		    memcmp(peer->card.setting, other->card.setting, sizeof(other->card.setting)))
			continue;
		count++;
		*first = peer;
	}
	return count;
}

/* Writes "21 here, 20 at 10.0.0.1:7800 and 2 more". */
static void describe(const struct member *m, const struct peer *other, char *out, size_t room)
{
	const unsigned setting = votes_differ(m, other->card.setting);
	const struct peer *first;
	const unsigned count = count_agreed(m, other, &first);
	char here[32], there[32], text[IDENTITY_TEXT];
	int used;

	votes_setting_text(setting, native_of(m)->setting[setting], here);
	votes_setting_text(setting, other->card.setting[setting], there);
	used = snprintf(out, room, "%s here, %s at %s", here, there,
			identity_format(member_who(m, first), text));
	if (count > 1 && (size_t)used < room)
		snprintf(out + used, room - (size_t)used, " and %u more", count - 1);
}

void votes_count_settings(struct member *m, const struct peer *other)
{
	const unsigned setting = votes_differ(m, other->card.setting);
	const struct peer *first;
	char text[200];

	if (native_of(m)->phase != PHASE_JOINING || setting == SETTINGS ||
	    count_agreed(m, other, &first) <= count_company(m))
		return;
	describe(m, other, text, sizeof(text));
	member_fail(m, message_setting_name((enum message_setting)setting), "%s", text);
}

bool votes_refused(struct member *m, struct peer *peer, enum message_refusal why)
{
	/* Its HELLO shows its settings. */
	if (why == REFUSAL_SETTINGS)
		return false;
	if (!votes_is_refusing(m, peer))
		peer->card.refuses = m->now;
	peer->card.refusal = why;
	peer->card.denied = m->now;
	return true;
}

static const struct peer *first_refuser(const struct member *m)
{
	const struct peer *first = NULL;

	for (unsigned i = 0; i < m->peers; i++) {
		const struct peer *peer = &m->peer[i];

		if (votes_is_refusing(m, peer) &&
		    (!first || peer->card.refuses < first->card.refuses))
			first = peer;
	}
	return first;
}

void votes_count_refusals(struct member *m)
{
	const struct peer *first = first_refuser(m);
	const unsigned company = count_company(m);
	unsigned count = 0;
	char text[IDENTITY_TEXT];

	if (!first || !votes_are_open(m))
		return;
	for (unsigned i = 0; i < m->peers; i++)
		count += votes_is_refusing(m, &m->peer[i]);
	if (count <= company && (company > 1 || m->now - first->card.refuses < SOLE_REFUSAL ||
				 first->card.phase == PHASE_LEAVING))
		return;
	member_fail(m, identity_format(member_who(m, first), text), "%s",
		    refusals[first->card.refusal]);
}

/* The entry of a voice, or the one that was heard least recently. */
static struct voice *find_voice(struct native *n, const struct identity *who)
{
	struct voice *least = &n->voice[0];

	for (unsigned i = 0; i < n->voices; i++) {
		if (identity_equal(&n->voice[i].who, who))
			return &n->voice[i];
		if (n->voice[i].last < least->last)
			least = &n->voice[i];
	}
	return n->voices < VOICES ? &n->voice[n->voices++] : least;
}

/*
 * A group ignores them; a member without one ends when it hears more of them than of its own
 * protocol.
 */
void votes_meet(struct member *m, const struct identity *who, const char *what, np_time at)
{
	struct native *n = native_of(m);
	struct voice *voice = find_voice(n, who);
	char text[IDENTITY_TEXT];
	unsigned count = 0;

	m->malformed++;
	if (!*n->foreign) {
		snprintf(n->foreign, sizeof(n->foreign), "%s", what);
		member_tell(m, (struct member_event){MEMBER_MET, .who = who, .text = what}, NULL);
	}
	if (!identity_equal(&voice->who, who) || at - voice->last > m->plan.limits.silent)
		*voice = (struct voice){.who = *who, .first = at};
	voice->last = at;
	for (unsigned i = 0; i < n->voices; i++)
		count += n->voice[i].last - n->voice[i].first >= MET_AGAIN &&
			 at - n->voice[i].last < m->plan.limits.silent;
	if (n->phase == PHASE_JOINING && count > count_company(m))
		member_fail(m, identity_format(who, text), "speaks %s", what);
}

void votes_remark(struct member *m, char *out, size_t room)
{
	const struct native *n = native_of(m);
	const struct peer *first = first_refuser(m);
	char text[200];

	*out = '\0';
	for (unsigned i = 0; i < m->peers; i++) {
		const struct peer *peer = &m->peer[i];

		if (!has_other_settings(m, peer))
			continue;
		describe(m, peer, text, sizeof(text));
		snprintf(out, room, " (%s: %s)",
			 message_setting_name(
				 (enum message_setting)votes_differ(m, peer->card.setting)),
			 text);
		return;
	}
	if (first)
		snprintf(out, room, " (%s: %s)", identity_format(member_who(m, first), text),
			 refusals[first->card.refusal]);
	else if (n->voices)
		snprintf(out, room, " (%s speaks %s)", identity_format(&n->voice[0].who, text),
			 n->foreign);
}
