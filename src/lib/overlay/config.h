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

#include <errno.h>
#include <netperf/xml.h>

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

/*
 * What reads the elements by one table, with a row for each element: its name, its form, its range
 * and where its value is stored.
 */

/* The most lists of addresses. */
#define OVERLAY_LISTS_MAX 16

/* A list of addresses. */
struct overlay_list {
	unsigned count, number; /* addresses of it; what it says of that */
	char name[OVERLAY_NAME];
};

/* One reading of one file. */
struct overlay_taker {
	struct overlay_config *config;
	const char *file;
	const struct np_log *log; /* may be NULL */
	struct np_fault *fault;
	const struct overlay_rule *rules;
	const struct overlay_rule *rule;    /* of the element that its @take is called for */
	struct overlay_interface interface; /* the one that is being read */
	struct overlay_list list;	    /* the same */
	/* of an element with a @take, FORM_NAME or FORM_VALUE; any value that is checked only */
	_Alignas(np_time) char text[OVERLAY_NAME];
	int32_t value[4]; /* of FORM_INTEGERS */
	size_t hashed;	  /* bytes of what HashAttributes names */
	unsigned kept;	  /* contacts of the list that is kept, when another one is being read */
};

enum overlay_form {
	FORM_ELEMENTS, /* children by their rows */
	FORM_CHOICE,   /* exactly one child, with a row; @word: "UDPInterface or ..." */
	FORM_OTHER,    /* @take; NULL: read when all others are known */
	FORM_COUNT,    /* unsigned, @min..@max */
	FORM_TIME,     /* np_time, in the file milliseconds, @min..@max of them */
	FORM_BOOLEAN,  /* bool: yes, no, true or false, in either case */
	/* @min numbers of 32 bits, to the taker, 0: as many as an address has; @word: which */
	FORM_INTEGERS,
	FORM_NAME,  /* char[OVERLAY_NAME] of printable ASCII */
	FORM_VALUE, /* char[OVERLAY_NAME] of anything; @word: what it is */
	FORM_WORD,  /* only @word is allowed, in either case */
	FORM_TEXT,  /* any text, no elements, which is read later; @word: what it is */
};

struct overlay_rule {
	/* Of which elements it is a child, wherever these are: their names, between bars. */
	const char *in;
	const char *name; /* NULL ends the table */
	enum overlay_form form;
	/* Where the value is stored: in the configuration, or the taker's interface, list or text.
	 */
	enum { IN_CONFIG, IN_INTERFACE, IN_LIST, IN_TEXT } target;
	size_t offset;
	uint32_t min, max;
	const char *absent; /* what HyperCast takes for it in the hash when it is absent, or NULL */
	const char *word;
	/* Takes it, or checks what was stored, or its children together. */
	int (*take)(struct overlay_taker *t, const struct np_xml *element);
	bool many; /* may be repeated */
};

/* All return 0, or -errno with the fault set. */

/* Handles each child of @element by its row; one without a row causes a notice. */
int taker_children(struct overlay_taker *t, const struct np_xml *element);

/* "FILE:LINE" of an element, until the end of the block. */
#define taker_place(t, element) np_xml_place((t)->file, (element)->line, (char[NP_XML_PLACE]){})

/* Sets the fault of a wrong value in that element. */
#define taker_fault(t, element, error, format, ...)                                                \
	np_fault_set((t)->fault, error, taker_place(t, element), "<%.64s>: " format,               \
		     (element)->name, ##__VA_ARGS__)
#define taker_wrong(t, element, ...) taker_fault(t, element, -EINVAL, __VA_ARGS__)

/* What refers to other elements, called when these are read. */
#define OVERLAY_ADDRESS_FORM "interface ID|a.b.c.d:port or realm % a.b.c.d:port"
/* The buddies or neighbours, and every list of addresses. */
int taker_contacts(struct overlay_taker *t, const struct np_xml *root);
/* Takes one address of a list. */
int taker_list_address(struct overlay_taker *t, const struct np_xml *element);
/* The hash of what HashAttributes names. */
int taker_hash(struct overlay_taker *t, const struct np_xml *root);
