/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* datagram_kernel: parses the UDP counters in the text of /proc/net/snmp and snmp6. */
#ifndef DATAGRAM_KERNEL_H
#define DATAGRAM_KERNEL_H

#include <netperf/datagram.h>

/*
 * Adds the counters on the "Udp:" lines of /proc/net/snmp: a line of names, then a line of values.
 * A missing counter adds nothing. Modifies @text. Returns 0, or -ENODATA without such lines.
 */
int datagram_kernel_add_snmp(char *text, struct np_datagram_kernel *counts);

/* The same for the "Udp6NAME VALUE" lines of /proc/net/snmp6. */
int datagram_kernel_add_snmp6(char *text, struct np_datagram_kernel *counts);

#endif
