/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* libpcap: the functions of libpcap that are called; it is loaded when they are needed. */
#ifndef LIBPCAP_H
#define LIBPCAP_H

#include <pcap/pcap.h>

/* A list of them, each as ENTRY(name). All must be there for either use, frames or files. */
#define LIBPCAP(ENTRY)                                                                             \
	ENTRY(pcap_activate)                                                                       \
	ENTRY(pcap_close)                                                                          \
	ENTRY(pcap_create)                                                                         \
	ENTRY(pcap_datalink)                                                                       \
	ENTRY(pcap_dispatch)                                                                       \
	ENTRY(pcap_dump)                                                                           \
	ENTRY(pcap_dump_close)                                                                     \
	ENTRY(pcap_dump_file)                                                                      \
	ENTRY(pcap_dump_fopen)                                                                     \
	ENTRY(pcap_fileno)                                                                         \
	ENTRY(pcap_get_selectable_fd)                                                              \
	ENTRY(pcap_get_tstamp_precision)                                                           \
	ENTRY(pcap_inject)                                                                         \
	ENTRY(pcap_open_dead_with_tstamp_precision)                                                \
	ENTRY(pcap_set_buffer_size)                                                                \
	ENTRY(pcap_set_immediate_mode)                                                             \
	ENTRY(pcap_set_promisc)                                                                    \
	ENTRY(pcap_set_snaplen)                                                                    \
	ENTRY(pcap_set_tstamp_precision)                                                           \
	ENTRY(pcap_setdirection)                                                                   \
	ENTRY(pcap_setfilter)                                                                      \
	ENTRY(pcap_setnonblock)                                                                    \
	ENTRY(pcap_stats)

struct libpcap {
#define MEMBER(function) __typeof__(function) *function;
	LIBPCAP(MEMBER)
#undef MEMBER
};

/* Returns 0 or -EPROTONOSUPPORT: not installed. */
int libpcap_load(struct libpcap *pcap);

#endif
