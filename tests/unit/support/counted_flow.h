/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* counted_flow: a flow for the tests, at which messages arrive by a made-up clock. */
#pragma once

#include "unit.h"

#include <netperf/flow.h>

#define BYTES 100u
#define MS    NP_MILLISECOND
#define BEGIN (1000 * NP_SECOND)

/* The state of each test is a struct np_flow of 1024 numbers, the first of them 1. */
int create_flow(void **state);
int destroy_flow(void **state);
#define FLOW_TEST(name) TEST_WITH(create_flow, destroy_flow, name)

/* Starts the flow anew. */
void start(struct np_flow *flow, const struct np_flow_plan *plan);

/*
 * Message n of BYTES leaves at n ms by its sender's clock, which is ours, and takes 1 ms. Returns
 * what np_flow_add() does. arrive_all() expects that each is new.
 */
uint64_t arrive(struct np_flow *flow, uint64_t number);
void arrive_all(struct np_flow *flow, uint64_t from, uint64_t to);

/* What the flow counted; each checks that sent = received + lost + late. */
struct np_flow_counts life_of(const struct np_flow *flow);
struct np_flow_counts final_of(const struct np_flow *flow);
struct np_flow_counts now_of(const struct np_flow *flow);

/* Fails if any count of @x differs from that of @y. */
void assert_equal(struct np_flow_counts x, const struct np_flow_counts *y);
