/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * config: the configuration of an overlay node, from an XML file as HyperCast 4 reads it (root
 * element Public): its interfaces, the overlay, the node's protocol, its times, coordinates and
 * buddies. Missing elements have HyperCast's own defaults.
 *
 * An unknown element, or one without effect here, causes a notice; a wrong value, a repeated
 * element, and what is not supported (DTServer, HC, Pastry, CT, BC, CSA, SSL, Bluetooth, IPv6,
 * security, enhanced delivery, an overlay server) is an error, which names file, line, element and
 * what would be right. One thread at a time.
 */
#pragma once

#include "node.h"
#include "substrate.h"

#include <netperf/log.h>

/* Room for an interface's ID and an AddressRealm. */
#define OVERLAY_NAME 64

struct overlay_interface {
	char id[OVERLAY_NAME]; /* "0"; local, for address lists */
	bool active;	       /* true; others are checked only */
	unsigned line;	       /* of the file */
	/* AddressRealm, "public_internet"; that of a pair's group must be the same. */
	char realm[OVERLAY_NAME], group_realm[OVERLAY_NAME];
	/*
	 * PhyAddr, 0.0.0.0:0 (the address by which others reach this host; any port);
	 * AllowRandomPhyAddrPort, yes; MaximumPacketLength, 8192 bytes; TCP: Timeout, 3 s,
	 * MaxIdleTime, 10 s, MaxBacklog, 50; pair: MulticastAddress, 224.228.19.78:9472,
	 * NetworkInterface, none.
	 */
	struct overlay_substrate_plan plan;
};

/* How the node gets its coordinates. */
struct overlay_coords {
	bool fixed;		    /* they are @point; else anywhere in the frame but 0,0 */
	struct overlay_point point; /* SPT: x is the address, y is 0 */
	/*
	 * The corner of the frame, and how many values each coordinate has: all within 32 bits.
	 * RANDOM/base N means 0,0,N,N; SPT: x only.
	 */
	struct overlay_point corner;
	uint32_t width, height;
};

struct overlay_config {
	/*
	 * The hash, from HashAttributes, 0: there are none; HopLimit, 255; RouteRecordSize, 0; of
	 * the protocol: FastHeartbeatTime, SlowHeartbeatTime, TimeoutTime (SPT: NeighborTimeout),
	 * IAmHereTime or BeaconTime, AdjacencyTimeout, MsgMaxAge, RootHistoryTimeout,
	 * RouteCacheTimeout, JumpThreshold, Verification; BuddyCacheSize, 0 unless
	 * UsingDynamicBuddyList. What no element says is as in overlay_plan_default. TopologyPolicy
	 * is Cost.
	 */
	struct overlay_plan node;
	/* DT: RANDOM base 10000; broadcast: FIXED 500,500; SPT: RANDOM base 600. */
	struct overlay_coords coords;
	bool static_buddies, dynamic_buddies; /* Using...BuddyList, true and false */
	unsigned message_buffer; /* MessageBufferSize, 100 that wait to be read, to be sent */
	struct overlay_interface interface; /* the active one */
	unsigned lists;			    /* ConfiguredAddressListNum, 0 */
	/*
	 * DT: the static buddies, in the order of their list, which may include this node; NONE:
	 * the neighbours. At most OVERLAY_CONTACTS_MAX (node.h).
	 */
	struct overlay_address *contact;
	unsigned contact_count;
};

/*
 * Parses the document @text; @file names it in errors and notices, which @log is warned of; NULL:
 * nobody is. Returns 0, -EINVAL, -EOPNOTSUPP (something that is not supported), -E2BIG or -ENOMEM
 * with @fault. Call overlay_config_free in any case.
 */
int overlay_config_parse(struct overlay_config *config, const char *file, const char *text,
			 size_t bytes, const struct np_log *log, struct np_fault *fault);

/* The same from the file @file; also returns errors of open and read. */
int overlay_config_read(struct overlay_config *config, const char *file, const struct np_log *log,
			struct np_fault *fault);

void overlay_config_free(struct overlay_config *config);
