/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay-opened: overlay nodes for tests, opened by a configuration that is written for each.
 */
#pragma once

#include <err.h>
#include <netperf/address.h>
#include <netperf/overlay.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct overlay_wanted {
	const char *protocol;	 /* "DTBuddyList", "DTBroadcast", "SPT", "NONE" */
	const char *substrate;	 /* "udp", "tcp", "pair" */
	struct np_address local; /* length 0: 127.0.0.1:0 */
	bool no_other_port;
	const struct np_address *contact; /* buddies, or the neighbours of NONE */
	unsigned contacts;
	/* Further elements of Public, Adapter, the interface and the node; NULL: none. */
	const char *top, *adapter, *interface, *node;
};

static inline const char *overlay_piece(const char *text)
{
	return text ? text : "";
}

static inline void overlay_write_interface(FILE *out, const struct overlay_wanted *w)
{
	const bool pair = !strcmp(w->substrate, "pair"), tcp = !strcmp(w->substrate, "tcp");
	const char *name = tcp ? "TCPInterface" : "UDPInterface";

	fprintf(out, "<Interfaces><Interface><Type>%s<%s>",
		pair ? "<MulticastUnicastInterface><Unicast>" : "", name);
	fprintf(out, "<PhyAddr><INETV4AndOnePort>%s</INETV4AndOnePort></PhyAddr>",
		w->local.length ? np_address_literal(&w->local).text : "127.0.0.1:0");
	fprintf(out, "<AllowRandomPhyAddrPort>%s</AllowRandomPhyAddrPort>%s</%s>",
		w->no_other_port ? "No" : "Yes", overlay_piece(w->interface), name);
	if (pair)
		fputs("</Unicast><Multicast><UDPMulticastInterface/></Multicast>"
		      "</MulticastUnicastInterface>",
		      out);
	fputs("</Type></Interface></Interfaces>\n", out);
}

static inline void overlay_write_contacts(FILE *out, const struct overlay_wanted *w, bool list)
{
	for (unsigned i = 0; i < w->contacts; i++) {
		fprintf(out, list ? "<InterfaceAddress>0|%s</InterfaceAddress>" : "0|%s;",
			np_address_literal(&w->contact[i]).text);
	}
}

/* Its lines: 1 Public, 2 top, 3 Adapter with the interface, 4 the addresses, 5 the node. */
static inline void overlay_write(FILE *out, const struct overlay_wanted *w)
{
	const bool list = w->contacts && strcmp(w->protocol, "NONE") != 0;

	fprintf(out, "<Public>\n%s\n<Adapter>%s", overlay_piece(w->top), overlay_piece(w->adapter));
	overlay_write_interface(out, w);
	if (list) {
		fprintf(out,
			"<ConfiguredAddressListNum>1</ConfiguredAddressListNum>"
			"<ConfiguredAddressList><Name>DT_BUDDYLIST</Name>"
			"<InterfaceAddressNum>%u</InterfaceAddressNum>",
			w->contacts);
		overlay_write_contacts(out, w, true);
		fputs("</ConfiguredAddressList>", out);
	}
	fprintf(out, "</Adapter>\n<Node><%s>%s", w->protocol, overlay_piece(w->node));
	if (w->contacts && !list) {
		fputs("<Neighbors>", out);
		overlay_write_contacts(out, w, false);
		fputs("</Neighbors>", out);
	}
	fprintf(out, "</%s></Node></Public>\n", w->protocol);
}

/* As np_overlay_open_file does. */
static inline int overlay_try(struct np_overlay **overlay, const struct overlay_wanted *wanted,
			      const struct np_overlay_options *options,
			      const struct np_overlay_listener *listener, struct np_fault *fault)
{
	const int fd = memfd_create("overlay", MFD_CLOEXEC), copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	char name[40];
	int rc;

	if (!out)
		err(1, "memory for a configuration");
	overlay_write(out, wanted);
	if (fclose(out))
		err(1, "a configuration");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	rc = np_overlay_open_file(overlay, name, options, listener, fault);
	close(fd);
	return rc;
}

/* Ends the program when it cannot be opened. */
static inline struct np_overlay *overlay_opened(const struct overlay_wanted *wanted,
						const struct np_overlay_listener *listener)
{
	struct np_overlay *overlay;
	struct np_fault fault;

	if (overlay_try(&overlay, wanted, NULL, listener, &fault))
		errx(1, "%s: %s", fault.object, fault.reason);
	return overlay;
}
