// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* capture: writes frames to a pcap file. */
#include <netperf/capture.h>

#include <errno.h>
#include <netperf/output.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAPLEN 262144 /* tcpdump's default */

struct np_capture {
	pcap_t *format;
	FILE *stream;	       /* the dumper's, once it exists */
	pcap_dumper_t *dumper; /* its header is written with the first frame */
	bool never_began;      /* keep the file's content, and the frames in memory */
	struct np_clock_pair
		pair; /* one for the whole file, so that a stepped clock leaves no gap */
	int error;    /* of the first write that failed */
};

const char *np_capture_lacks(void)
{
	return NULL;
}

static int open_stream(struct np_capture *capture, const char *path)
{
	const struct np_output how = {.never_began = &capture->never_began, .hold = true};
	int rc;

	if (strcmp(path, "-"))
		return np_output_stream(path, &how, &capture->stream);
	rc = np_output_judge(STDOUT_FILENO);
	return rc ? rc : np_output_standard(STDOUT_FILENO, &capture->stream);
}

int np_capture_open(struct np_capture **capture, const char *path)
{
	struct np_capture *opened = calloc(1, sizeof(*opened));
	int error;

	*capture = NULL;
	if (!opened)
		return -ENOMEM;
	opened->pair = np_clock_pair_read();
	opened->never_began = true;
	error = open_stream(opened, path);
	if (!error) {
		opened->format = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAPLEN,
								      PCAP_TSTAMP_PRECISION_NANO);
		error = opened->format ? 0 : -ENOMEM;
	}
	if (error) {
		np_capture_abandon(opened);
		return error;
	}
	*capture = opened;
	return 0;
}

static void write_head(struct np_capture *capture)
{
	if (capture->dumper || capture->error)
		return;
	capture->dumper = pcap_dump_fopen(capture->format, capture->stream);
	if (capture->dumper)
		return;
	/*
	 * With this link type it fails only if the header cannot be written, and then closes the
	 * stream.
	 */
	capture->stream = NULL;
	capture->error = -EIO;
}

static void write_frame(struct np_capture *capture, const struct np_frame *frame)
{
	np_time realtime = frame->stamp - capture->pair.monotonic + capture->pair.realtime;
	struct pcap_pkthdr header = {
		/* A file of nanosecond precision has nanoseconds in the field for microseconds. */
		.ts = {.tv_sec = realtime / NP_SECOND, .tv_usec = realtime % NP_SECOND},
		.caplen = (bpf_u_int32)frame->length,
		.len = (bpf_u_int32)frame->length,
	};

	pcap_dump((unsigned char *)capture->dumper, &header, frame->data);
}

void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count)
{
	if (!capture || capture->error || !count)
		return;
	write_head(capture);
	if (capture->error)
		return;
	for (unsigned i = 0; i < count; i++)
		write_frame(capture, &frames[i]);
	if (ferror(pcap_dump_file(capture->dumper)))
		capture->error = np_output_flush(pcap_dump_file(capture->dumper));
}

static int finish(struct np_capture *capture)
{
	int error = capture->error;

	if (capture->dumper && !error)
		error = np_output_flush(capture->stream);
	if (capture->dumper)
		pcap_dump_close(capture->dumper);
	else
		np_output_close(capture->stream);
	if (capture->format)
		pcap_close(capture->format);
	free(capture);
	return error;
}

void np_capture_begin(struct np_capture *capture)
{
	if (capture)
		capture->never_began = false;
}

int np_capture_close(struct np_capture *capture)
{
	if (!capture)
		return 0;
	np_capture_begin(capture);
	write_head(capture);
	return finish(capture);
}

int np_capture_abandon(struct np_capture *capture)
{
	return capture ? finish(capture) : 0;
}
