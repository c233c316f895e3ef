// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* shaper: asks the kernel for the queueing disciplines, by rtnetlink(7). */
#include "shaper.h"

#include <linux/rtnetlink.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* More than the kernel puts into one answer. */
#define ANSWER_BYTES 32768

enum progress { MORE, ALL_WHOLE, SPLITS };

/* Others, such as tbf, cake, taprio and netem, split a buffer, or may do so. */
static bool takes_whole(const char *kind)
{
	static const char *const kinds[] = {
		"noqueue", "mq",  "mqprio",   "multiq", "pfifo_fast", "pfifo",	 "bfifo",  "prio",
		"fq",	   "sfq", "fq_codel", "codel",	"htb",	      "ingress", "clsact",
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kind, kinds[i]))
			return true;
	}
	return false;
}

/* One discipline of the answer. */
static bool is_whole(struct nlmsghdr *header)
{
	const struct tcmsg *message = NLMSG_DATA(header);
	struct rtattr *at = TCA_RTA(message);
	unsigned left = (unsigned)TCA_PAYLOAD(header);

	for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		const char *kind = RTA_DATA(at);
		const size_t bytes = RTA_PAYLOAD(at);

		if (at->rta_type == TCA_KIND)
			return bytes && !kind[bytes - 1] && takes_whole(kind);
	}
	return false;
}

static enum progress look(struct nlmsghdr *header, size_t bytes)
{
	for (; NLMSG_OK(header, bytes); header = NLMSG_NEXT(header, bytes)) {
		if (header->nlmsg_type == NLMSG_DONE)
			return ALL_WHOLE;
		if (header->nlmsg_type != RTM_NEWQDISC ||
		    header->nlmsg_len < NLMSG_LENGTH(sizeof(struct tcmsg)) || !is_whole(header))
			return SPLITS;
	}
	return MORE;
}

/* Also those that the kernel itself put below another one. */
static bool ask(int fd)
{
	const struct {
		struct nlmsghdr header;
		struct tcmsg message;
		struct rtattr hidden;
	} question = {
		.header = {.nlmsg_len = sizeof(question),
			   .nlmsg_type = RTM_GETQDISC,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.hidden = {.rta_len = RTA_LENGTH(0), .rta_type = TCA_DUMP_INVISIBLE},
	};

	return send(fd, &question, sizeof(question), 0) == sizeof(question);
}

bool overlay_shaper_splits(void)
{
	union {
		struct nlmsghdr header;
		uint8_t room[ANSWER_BYTES];
	} answer;
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	enum progress progress = fd >= 0 && ask(fd) ? MORE : SPLITS;

	while (progress == MORE) {
		/* The kernel has the answer ready. */
		const ssize_t bytes = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT | MSG_TRUNC);

		progress = bytes <= 0 || bytes > (ssize_t)sizeof(answer)
				   ? SPLITS
				   : look(&answer.header, (size_t)bytes);
	}
	if (fd >= 0)
		close(fd);
	return progress == SPLITS;
}
