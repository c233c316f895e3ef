/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* counted_flow: a flow for the tests, at which messages arrive by a made-up clock. */
#pragma once

#include "unit.h"

#include <netperf/flow.h>

#define BYTES 100u
#define MS    NP_MILLISECOND
#define BEGIN (1000 * NP_SECOND)

/* Each test has a flow of 1024 numbers, the first of them 1. */
int create_flow(void **state);
int destroy_flow(void **state);
#define FLOW_TEST(name) TEST_OF(struct np_flow *flow, create_flow, destroy_flow, name)

/* Starts the flow anew. */
void start(struct np_flow *flow, const struct np_flow_plan *plan);

/*
 * Message n of BYTES leaves at n ms by its sender's clock, which is ours, and takes 1 ms. Returns
 * what np_flow_add() does. arrive_all() expects that each is new.
 */
uint64_t arrive(struct np_flow *flow, uint64_t number);
void arrive_all(struct np_flow *flow, uint64_t from, uint64_t to);

/*
 * Does what the words of @script say. "1-9n": these numbers arrive, and each is classed so: n, the
 * next one, or the first of all; g, beyond that; r, reordered; d, again; l, late; s, stray; without
 * a letter any class is right. "7@1000": at 1000 ms. "5+9": 9 numbers arrive at once. "E14": 14 was
 * the last one sent; "E14/3": of them 3 never left; "!E14": which is refused. "M8": a mark at 8 ms.
 * "D2", "S1": damaged, and stray ones.
 */
void play(struct np_flow *flow, const char *script);

/*
 * All counts that are not 0, as " sent 20 received 16", in the order of np_flow_columns; "at" what
 * times, in ms, messages arrived, "for" how long; "known": the end is; "exact". For one comparison.
 */
const char *text_of(const struct np_flow_counts *counts);

/* What the flow counted; each checks that sent = received + lost + late. */
struct np_flow_counts life_of(struct np_flow *flow);
struct np_flow_counts now_of(struct np_flow *flow);

/* Fails if any count of @x differs from that of @y. */
void assert_equal(struct np_flow_counts x, const struct np_flow_counts *y);
