/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay_stage: one node of an overlay, a made-up clock, and a script: what others say to the
 * node, from the station N, which is at address 10.0.0.1+N; what is then to be sent, told, counted.
 *
 * A script has statements of words, with semicolons between them. DT addresses are X,Y, those of
 * SPT numbers. Times are in ms, or have s or n (ns) behind them, and may be sums: 2s-1n.
 *
 *   N HELLO X,Y [to X,Y] [a X,Y@N] [b X,Y@N] [hash H] [realm+]   and the other types of DT; a type
 *                         may be a number; from any address; the hash of another overlay; another
 * realm N root R | child C R | view WHO ROOT PARENT COST TOLD [STAMP]   beacons of SPT: a root that
 * hears this node; a child of it; TOLD: what it heard of this node, T: as a neighbour N bye WHO |
 * asks WHO WANTED | replies WHO NEXT WANTED N all|one|flood SOURCE by PREVIOUS [to X] [hops N]
 * [route X...] [size N] [extensions N] [long N] [empty]: a payload N raw HEX             any bytes
 *   +T | >T | turn | tick | settle   time passes with all that is due; the clock alone; what is due
 *                         is done; the same at the next time; until the node is stable
 *   sendall TEXT | send X TEXT, [= ERROR]; join; leave; refuse ERROR, or 0: what the port returns;
 *   answer TEXT: what a delivery is answered by; unproven 0|1: pings are not answered; prove
 *   kN{ ... }             N times
 *
 *   sent N                so many messages since the last sent or quiet (which forgets them)
 *   said N|group TEXT     the latest of them to that station (to the group: of that type) begins
 * so;
 *                         -: there is none. As HELLO X,Y>X,Y a=X,Y@N; BEACON 5 root 5 parent 0 cost
 * 0 metric 10000 hears 7:T9; all X by X hops N route X: hello bytes N A..B          so many to that
 * station, with pings, since quiet got TEXT hops N all|one|own   the latest payload delivered near
 * X... | far X...  these are neighbours; are none hop X NEXT            the next hop to X, or - at
 * X                  this node's address due T | due never     its deadline, from now STABLE N, ...
 * events told; event TWIN X [@N]: its first node and its address NAME N                neighbours,
 * delivered, refused, pings, stable, heard (SPT: how many others); members of
 * np_overlay_node_counts
 */
#pragma once

#include "../../../src/lib/overlay/message.h"
#include "../../../src/lib/overlay/node.h"
#include "unit.h"

#define HASH	    0x35eb719f
#define SELF	    ((struct overlay_point){500, 500})
#define SELF_NUMBER 500
#define START	    (1000 * NP_SECOND)
#define P(x, y)	    ((struct overlay_point){x, y})

struct stage;

/* A plan of a node at SELF, SELF_NUMBER in SPT; with one buddy, station 9, for DT_BUDDIES. */
struct overlay_plan stage_plan(enum overlay_protocol protocol);
struct overlay_address station(unsigned number);

/* A node by that plan, which joins. The node opened before is freed. */
struct stage *stage_open(const struct overlay_plan *plan);
struct np_overlay *stage_node(const struct stage *s);
np_time stage_now(const struct stage *s);
/* Plays a script, which may have arguments as of printf. */
__attribute__((format(printf, 2, 3))) void stage_play(struct stage *s, const char *script, ...);
/* How many of a thing, as by NAME above. */
uint64_t stage_count(const struct stage *s, const char *name);
struct overlay_point stage_point(const struct stage *s);
int32_t stage_number(const struct stage *s);
/* The stamp of the latest beacon of SPT. */
int64_t stage_stamp(const struct stage *s);

/* Opens a node by a plan, and plays. */
struct stage *play_by(const struct overlay_plan *plan, const char *script);
struct stage *play(enum overlay_protocol protocol, const char *script);
