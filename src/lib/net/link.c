// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * link: opens, sends and receives by the chosen variant of Ethernet links,
 * of which null is here, too.
 */
#include "link_variant.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <net/if_arp.h>
#include <netperf/link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const np_link_variants[] = {"auto", "socket", "ring", "pcap", "null", NULL};

/* Sends into nothing. */
static int null_send(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (frames[i].length > link->info.mtu + ETH_HLEN)
			return i > 0 ? (int)i : -EMSGSIZE;
	return (int)count;
}

static const struct link_variant null_variant = {
	.name = "null",
	.send = null_send,
};

/*
 * In the order in which "auto" tries them. Windows are small, and for these plain send and receive
 * are fastest; null is never tried.
 */
static const struct link_variant *const variants[] = {
	&link_socket_variant,
	&link_ring_variant,
	&link_pcap_variant,
	&null_variant,
};
#define VARIANT_COUNT (sizeof(variants) / sizeof(variants[0]))

const char *np_link_lacks(const char *variant)
{
	for (unsigned i = 0; i < VARIANT_COUNT; i++)
		if (!strcmp(variant, variants[i]->name) && variants[i]->lacks)
			return variants[i]->lacks();
	return NULL;
}

int link_allocate(struct np_link *link)
{
	link->stride = (link->frame_bytes + NP_CACHE_LINE - 1) / NP_CACHE_LINE * NP_CACHE_LINE;
	link->memory = aligned_alloc(NP_CACHE_LINE, link->stride * link->batch);
	if (!link->memory)
		return -ENOMEM;
	memset(link->memory, 0, link->stride * link->batch);
	return 0;
}

/* Frees what a variant has allocated, so that the next one can be tried. */
static void release(struct np_link *link)
{
	if (link->variant && link->variant->close)
		link->variant->close(link);
	if (link->fd >= 0)
		close(link->fd);
	free(link->memory);
	free(link->burst.message);
	free(link->state);
	link->variant = NULL;
	link->fd = -1;
	link->memory = NULL;
	link->burst.message = NULL;
	link->state = NULL;
	link->info.block_ns = 0;
}

static int choose_variant(struct np_link *link, const struct np_link_options *options)
{
	const bool automatic = !options->variant || !strcmp(options->variant, "auto");
	int error = -EPROTONOSUPPORT;

	for (unsigned i = 0; i < VARIANT_COUNT && error == -EPROTONOSUPPORT; i++) {
		if (automatic ? variants[i] == &null_variant
			      : strcmp(options->variant, variants[i]->name))
			continue;
		link->variant = variants[i];
		link->info.variant = link->variant->name;
		link->info.stamps = "user";
		error = np_link_lacks(link->variant->name) ? -EPROTONOSUPPORT : 0;
		if (!error && link->variant->state_bytes) {
			link->state = calloc(1, link->variant->state_bytes);
			error = link->state ? 0 : -ENOMEM;
		}
		if (!error && link->variant->open)
			error = link->variant->open(link, options);
		if (error)
			release(link);
	}
	return error;
}

static int ask(const struct np_link *link, unsigned long request, struct ifreq *answer)
{
	memset(answer, 0, sizeof(*answer));
	memcpy(answer->ifr_name, link->interface, sizeof(answer->ifr_name));
	return ioctl(link->control_fd, request, answer) < 0 ? -errno : 0;
}

int link_interface_check_up(const struct np_link *link)
{
	struct ifreq answer;

	if (ask(link, SIOCGIFFLAGS, &answer) < 0 || !(answer.ifr_flags & IFF_UP))
		return -ENETDOWN;
	return 0;
}

int np_link_open(struct np_link **link, const char *interface,
		 const struct np_link_options *options)
{
	struct ifreq index = {0}, hardware = {0}, mtu = {0}, flags = {0};
	const size_t length = strlen(interface);
	struct np_link *opened;
	int error;

	*link = NULL;
	if ((options->ethertype && options->ethertype < ETH_P_802_3_MIN) ||
	    options->frame_bytes < ETH_HLEN || options->frame_bytes > LINK_FRAME_MAX ||
	    options->batch < 1 || options->batch > LINK_BATCH_MAX ||
	    options->filter_count > BPF_MAXINSNS || (options->filter_count && !options->filter))
		return -EINVAL;
	if (length == 0 || length >= sizeof(opened->interface))
		return -ENODEV;
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return -ENOMEM;
	opened->fd = -1;
	opened->frame_bytes = options->frame_bytes;
	opened->batch = options->batch;
	memcpy(opened->interface, interface, length + 1);
	opened->control_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	error = opened->control_fd < 0 ? -errno : ask(opened, SIOCGIFINDEX, &index);
	if (!error)
		error = ask(opened, SIOCGIFHWADDR, &hardware);
	if (!error)
		error = ask(opened, SIOCGIFMTU, &mtu);
	if (!error)
		error = ask(opened, SIOCGIFFLAGS, &flags);
	if (!error && hardware.ifr_hwaddr.sa_family != ARPHRD_ETHER &&
	    hardware.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)
		error = -EAFNOSUPPORT;
	else if (!error && !(flags.ifr_flags & IFF_UP))
		error = -ENETDOWN;
	if (!error) {
		opened->info.index = (unsigned)index.ifr_ifindex;
		opened->info.mtu = (unsigned)mtu.ifr_mtu;
		memcpy(opened->info.mac, hardware.ifr_hwaddr.sa_data, sizeof(opened->info.mac));
		error = choose_variant(opened, options);
	}
	if (error) {
		np_link_free(opened);
		return error;
	}
	*link = opened;
	return 0;
}

void np_link_free(struct np_link *link)
{
	if (!link)
		return;
	release(link);
	if (link->control_fd >= 0)
		close(link->control_fd);
	free(link);
}

const struct np_link_info *np_link_info(const struct np_link *link)
{
	return &link->info;
}

int np_link_fd(const struct np_link *link)
{
	return link->fd;
}

int np_link_send(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	int taken;

	if (count > link->batch)
		count = link->batch;
	if (count == 0)
		return 0;
	taken = link->variant->send(link, frames, count);
	if (taken > 0)
		link->stats.sent += (unsigned)taken;
	return taken;
}

int np_link_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	const int error = link->pending_error;

	link->pending_error = 0;
	if (error)
		return -error;
	if (count > link->batch)
		count = link->batch;
	if (count == 0 || !link->variant->receive)
		return 0;
	return link->variant->receive(link, frames, count);
}

int np_link_wait(struct np_link *link, int other_fd, np_time deadline)
{
	struct pollfd fds[] = {
		{.fd = link->fd, .events = POLLIN},
		{.fd = other_fd, .events = POLLIN},
	};
	int error;

	if (link->pending_error)
		return 1;
	error = np_wait_ready(fds, 2, deadline);
	if (error < 0)
		return error;
	error = fds[0].revents & POLLERR ? socket_error(link->fd) : 0;
	return error ? error : fds[0].revents != 0;
}

int np_link_stats(struct np_link *link, struct np_link_stats *stats)
{
	int error = link->variant->count_dropped ? link->variant->count_dropped(link) : 0;

	*stats = link->stats;
	return error;
}
