// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* capture: frames into a pcap file. */
#include <netperf/capture.h>

#include <errno.h>
#include <netperf/output.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAPLEN 262144 /* what tcpdump writes by default, too */

struct np_capture {
	pcap_t *format;
	pcap_dumper_t *dumper;
	struct np_clock_pair pair; /* one for the whole file: a clock that steps leaves no gap */
	int error;		   /* of the first write that failed */
};

const char *np_capture_lacks(void)
{
	return NULL;
}

static int open_stream(const char *path, FILE **stream)
{
	int rc;

	*stream = NULL;
	if (strcmp(path, "-"))
		return np_output_stream(path, NULL, stream);
	rc = np_output_judge(STDOUT_FILENO);
	return rc ? rc : np_output_standard(STDOUT_FILENO, stream);
}

static int start_file(struct np_capture *capture, const char *path)
{
	FILE *stream;
	int rc = open_stream(path, &stream);

	if (rc)
		return rc;
	capture->format = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAPLEN,
							       PCAP_TSTAMP_PRECISION_NANO);
	if (!capture->format) {
		fclose(stream);
		return -ENOMEM;
	}
	capture->dumper = pcap_dump_fopen(capture->format, stream);
	if (!capture->dumper) {
		fclose(stream);
		return -EIO;
	}
	return 0;
}

int np_capture_open(struct np_capture **capture, const char *path)
{
	struct np_capture *opened = calloc(1, sizeof(*opened));
	int error;

	*capture = NULL;
	if (!opened)
		return -ENOMEM;
	opened->pair = np_clock_pair_read();
	error = start_file(opened, path);
	if (error) {
		np_capture_close(opened);
		return error;
	}
	*capture = opened;
	return 0;
}

static void write_frame(struct np_capture *capture, const struct np_frame *frame)
{
	np_time realtime = frame->stamp - capture->pair.monotonic + capture->pair.realtime;
	struct pcap_pkthdr header = {
		/* With nanosecond precision the field for microseconds holds nanoseconds. */
		.ts = {.tv_sec = realtime / NP_SECOND, .tv_usec = realtime % NP_SECOND},
		.caplen = (bpf_u_int32)frame->length,
		.len = (bpf_u_int32)frame->length,
	};

	pcap_dump((unsigned char *)capture->dumper, &header, frame->data);
}

void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count)
{
	if (!capture || capture->error)
		return;
	for (unsigned i = 0; i < count; i++)
		write_frame(capture, &frames[i]);
	if (ferror(pcap_dump_file(capture->dumper)))
		capture->error = np_output_flush(pcap_dump_file(capture->dumper));
}

int np_capture_close(struct np_capture *capture)
{
	int error;

	if (!capture)
		return 0;
	if (capture->dumper && !capture->error)
		capture->error = np_output_flush(pcap_dump_file(capture->dumper));
	error = capture->error;
	if (capture->dumper)
		pcap_dump_close(capture->dumper);
	if (capture->format)
		pcap_close(capture->format);
	free(capture);
	return error;
}
