// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* capture: writes frames to a pcap file; keeps those of a run that has not begun in memory. */
#include <netperf/link.h>

#include <errno.h>
#include <netperf/report.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* pcap-savefile(5), all in this host's byte order. */
#define MAGIC_NS 0xa1b23c4d
#define SNAPLEN	 262144 /* tcpdump's default */
#define ETHERNET 1	/* LINKTYPE_ETHERNET */

struct file_head {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t reserved[2];
	uint32_t snaplen, linktype;
};

struct frame_head {
	uint32_t seconds, ns;
	uint32_t captured, length;
};

struct np_capture {
	FILE *stream;
	bool never_began;
	bool headed; /* the head goes out with the first frame */
	FILE *early; /* to memory: frames of a run that has not begun; NULL: none are kept */
	char *frames;
	size_t bytes;
	struct np_clock_pair pair; /* for the whole file: a stepped clock leaves no gap */
	int error;		   /* of the first write that failed */
};

int np_capture_open(struct np_capture **capture, const char *path)
{
	struct np_capture *opened = calloc(1, sizeof(*opened));
	struct np_output how = {.append = false};
	struct stat found;
	int error;

	*capture = NULL;
	if (!opened)
		return -ENOMEM;
	opened->pair = np_clock_pair_read();
	opened->never_began = true;
	how.never_began = &opened->never_began;
	if (!strcmp(path, "-")) {
		error = np_output_judge(STDOUT_FILENO);
		if (!error)
			error = np_output_standard(STDOUT_FILENO, NULL, &opened->stream);
	} else {
		error = np_output_stream(path, &how, &opened->stream);
		/* A pipe has no content to keep. */
		if (!error && !stat(path, &found) && S_ISREG(found.st_mode)) {
			opened->early = open_memstream(&opened->frames, &opened->bytes);
			error = opened->early ? 0 : -errno;
		}
	}
	if (error)
		np_capture_close(opened, false);
	else
		*capture = opened;
	return error;
}

static void write_head(struct np_capture *capture, FILE *out)
{
	const struct file_head head = {MAGIC_NS, 2, 4, {0, 0}, SNAPLEN, ETHERNET};

	if (!capture->headed)
		fwrite(&head, sizeof(head), 1, out);
	capture->headed = true;
}

void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count)
{
	FILE *out;

	if (!capture || capture->error || !count)
		return;
	out = capture->early ? capture->early : capture->stream;
	write_head(capture, out);
	for (const struct np_frame *frame = frames; frame < frames + count; frame++) {
		const np_time realtime =
			frame->stamp - capture->pair.monotonic + capture->pair.realtime;
		const struct frame_head head = {
			.seconds = (uint32_t)(realtime / NP_SECOND),
			.ns = (uint32_t)(realtime % NP_SECOND),
			.captured = (uint32_t)frame->length,
			.length = (uint32_t)frame->length,
		};

		fwrite(&head, sizeof(head), 1, out);
		fwrite(frame->data, 1, frame->length, out);
	}
	if (ferror(out))
		capture->error = capture->early ? -ENOMEM : np_output_flush(out);
}

void np_capture_begin(struct np_capture *capture)
{
	if (!capture)
		return;
	capture->never_began = false;
	if (!capture->early)
		return;
	if (fclose(capture->early))
		capture->error = -ENOMEM;
	capture->early = NULL;
	if (!capture->error &&
	    fwrite(capture->frames, 1, capture->bytes, capture->stream) != capture->bytes)
		capture->error = np_output_flush(capture->stream);
}

int np_capture_close(struct np_capture *capture, bool began)
{
	int error, rc;

	if (!capture)
		return 0;
	if (began) {
		np_capture_begin(capture);
		write_head(capture, capture->stream);
	}
	error = capture->error;
	rc = np_output_close(capture->stream);
	if (capture->early)
		fclose(capture->early);
	free(capture->frames);
	free(capture);
	return error ? error : rc;
}
