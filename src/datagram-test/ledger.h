/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* ledger: the file of -log, a row of figures for each publisher. */
#ifndef DATAGRAM_TEST_LEDGER_H
#define DATAGRAM_TEST_LEDGER_H

#include "flow.h"

#include <stdio.h>

#define LEDGER_NAME_BYTES 4352

/*
 * The name of the file: @name, or with @port put before its last part when there are several
 * listeners. "stdout" and "stderr" stay.
 */
const char *ledger_name(const char *name, uint16_t port, bool several, char out[LEDGER_NAME_BYTES]);

struct ledger;

/* Opens for appending and writes the heading where there is nothing yet. 0 or -errno. */
int ledger_open(struct ledger **ledger, const char *name);

/* A row for every flow, of the span since the last report. */
void ledger_interval(struct ledger *ledger, const struct flows *flows);

/* The row of a flow that is over, of its life. */
void ledger_life(struct ledger *ledger, const struct flow *flow);

/* Returns 0 or the -errno for which a row could not be written. NULL is allowed. */
int ledger_close(struct ledger *ledger);

#endif
