/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * proof: whether a sender of datagrams is at the address that it claims. A receiver gives each a
 * number that only a host which receives there can return; it stores none of them. Pure.
 */
#ifndef TTCP_WIRE_PROOF_H
#define TTCP_WIRE_PROOF_H

#include <netperf/address.h>
#include <stdint.h>

/* Random; new for each receiver. */
struct proof_secret {
	uint64_t word[2];
};

/* The number for the sender of @session at @from, whatever its port; never 0. */
uint32_t proof_of(const struct proof_secret *secret, const struct np_address *from,
		  uint32_t session);

#endif
