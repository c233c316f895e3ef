// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* capture: loads libpcap; writes frames to a pcap file. */
#include <netperf/link.h>

#include "../base/late.h"
#include "config.h"
#include "libpcap.h"

#include <errno.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SNAPLEN	      262144 /* tcpdump's default */

#define ROW(function) LATE_SYMBOL(libpcap, function),
static const struct late_symbol symbols[] = {LIBPCAP(ROW){NULL, 0}};

int libpcap_load(struct libpcap *pcap)
{
	static const struct late_library library = {LIBPCAP_SONAME, symbols};

	return late_load(&library, pcap);
}

const char *np_capture_lacks(void)
{
	struct libpcap lib;

	return libpcap_load(&lib) ? LATE_LACKS(LIBPCAP_SONAME, "libpcap0.8") : NULL;
}

struct np_capture {
	struct libpcap lib;
	pcap_t *format;
	FILE *stream;	       /* the dumper's, once it exists */
	pcap_dumper_t *dumper; /* its header is written with the first frame */
	bool never_began;
	FILE *early; /* to memory: frames of a run that has not begun; NULL: none are kept */
	char *frames;
	size_t bytes;
	struct np_clock_pair pair; /* for the whole file: a stepped clock leaves no gap */
	int error;		   /* of the first write that failed */
};

static int open_stream(struct np_capture *capture, const char *path)
{
	const struct np_output how = {.never_began = &capture->never_began};
	struct stat found;
	int rc;

	if (!strcmp(path, "-")) {
		rc = np_output_judge(STDOUT_FILENO);
		return rc ? rc : np_output_standard(STDOUT_FILENO, &capture->stream);
	}
	rc = np_output_stream(path, &how, &capture->stream);
	/* A pipe has no content to keep. */
	if (rc || stat(path, &found) || !S_ISREG(found.st_mode))
		return rc;
	capture->early = open_memstream(&capture->frames, &capture->bytes);
	return capture->early ? 0 : -errno;
}

int np_capture_open(struct np_capture **capture, const char *path)
{
	struct np_capture *opened = calloc(1, sizeof(*opened));
	int error;

	*capture = NULL;
	if (!opened)
		return -ENOMEM;
	error = libpcap_load(&opened->lib);
	if (error) {
		free(opened);
		return error;
	}
	opened->pair = np_clock_pair_read();
	opened->never_began = true;
	error = open_stream(opened, path);
	if (!error) {
		opened->format = opened->lib.pcap_open_dead_with_tstamp_precision(
			DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
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
	capture->dumper = capture->lib.pcap_dump_fopen(capture->format, capture->stream);
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

	capture->lib.pcap_dump((unsigned char *)capture->dumper, &header, frame->data);
}

static void keep(struct np_capture *capture, const struct np_frame *frame)
{
	fwrite(frame, sizeof(*frame), 1, capture->early);
	fwrite(frame->data, 1, frame->length, capture->early);
}

void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count)
{
	if (!capture || capture->error || !count)
		return;
	if (capture->early) {
		for (unsigned i = 0; i < count; i++)
			keep(capture, &frames[i]);
		return;
	}
	write_head(capture);
	if (capture->error)
		return;
	for (unsigned i = 0; i < count; i++)
		write_frame(capture, &frames[i]);
	if (ferror(capture->lib.pcap_dump_file(capture->dumper)))
		capture->error = np_output_flush(capture->lib.pcap_dump_file(capture->dumper));
}

static int finish(struct np_capture *capture)
{
	int error = capture->error;

	if (capture->dumper && !error)
		error = np_output_flush(capture->stream);
	if (capture->dumper)
		capture->lib.pcap_dump_close(capture->dumper);
	else
		np_output_close(capture->stream);
	if (capture->format)
		capture->lib.pcap_close(capture->format);
	if (capture->early)
		fclose(capture->early);
	free(capture->frames);
	free(capture);
	return error;
}

void np_capture_begin(struct np_capture *capture)
{
	struct np_frame frame;

	if (!capture)
		return;
	capture->never_began = false;
	if (!capture->early)
		return;
	if (fclose(capture->early))
		capture->error = -ENOMEM;
	capture->early = NULL;
	for (size_t at = 0; at < capture->bytes && !capture->error; at += frame.length) {
		memcpy(&frame, capture->frames + at, sizeof(frame));
		at += sizeof(frame);
		frame.data = (uint8_t *)capture->frames + at;
		np_capture_write(capture, &frame, 1);
	}
	free(capture->frames);
	capture->frames = NULL;
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
