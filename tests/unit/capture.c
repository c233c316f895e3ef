// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of capture: what is written libpcap reads back, and failed writes are told. */
#include "support/unit.h"

#include <netperf/link.h>
#include <pcap/pcap.h>
#include <time.h>

static np_time realtime_of(const struct pcap_pkthdr *header)
{
	return header->ts.tv_sec * NP_SECOND + header->ts.tv_usec;
}

static pcap_t *open_again(const char *path)
{
	char message[PCAP_ERRBUF_SIZE];
	pcap_t *file =
		pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, message);

	assert_non_null(file);
	assert_int_equal(pcap_datalink(file), DLT_EN10MB);
	return file;
}

TEST(frames_come_back)
{
	char path[] = "/tmp/netperf-test.XXXXXX";
	uint8_t small[14] = {1, 2, 3};
	uint8_t large[9014];
	np_time now = np_clock_now();
	struct np_frame frames[] = {
		{.data = small, .length = sizeof(small), .stamp = now},
		{.data = large, .length = sizeof(large), .stamp = now + 1},
		{.data = small, .length = sizeof(small), .stamp = now + 3 * NP_SECOND},
	};
	struct np_capture *capture;
	struct pcap_pkthdr *header;
	const unsigned char *data;
	np_time first;
	pcap_t *file;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	memset(large, 0xa5, sizeof(large));
	assert_int_equal(np_capture_open(&capture, path), 0);
	np_capture_write(capture, frames, 2);
	np_capture_write(capture, frames, 0);
	np_capture_write(capture, frames + 2, 1);
	assert_int_equal(np_capture_close(capture, true), 0);

	file = open_again(path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(pcap_next_ex(file, &header, &data), 1);
	assert_int_equal(header->caplen, sizeof(small));
	assert_memory_equal(data, small, sizeof(small));
	first = realtime_of(header);
	assert_true(llabs(first / NP_SECOND - time(NULL)) <= 2);
	assert_int_equal(pcap_next_ex(file, &header, &data), 1);
	assert_int_equal(header->caplen, sizeof(large));
	assert_int_equal(header->len, sizeof(large));
	assert_memory_equal(data, large, sizeof(large));
	assert_int_equal(realtime_of(header) - first, 1);
	assert_int_equal(pcap_next_ex(file, &header, &data), 1);
	assert_int_equal(realtime_of(header) - first, 3 * NP_SECOND);
	assert_int_equal(pcap_next_ex(file, &header, &data), PCAP_ERROR_BREAK);
	pcap_close(file);
}

TEST_WITH(NULL, NULL, a_path_that_cannot_be_made_is_an_error)
{
	struct np_capture *capture = (struct np_capture *)state;

	assert_int_equal(np_capture_open(&capture, "/nowhere/at/all.pcap"), -ENOENT);
	assert_null(capture);
	assert_int_equal(np_capture_open(&capture, "/tmp"), -EISDIR);
	assert_null(capture);
}

TEST(a_full_disk_is_told_at_the_end)
{
	uint8_t data[1514] = {0};
	struct np_frame frame = {.data = data, .length = sizeof(data)};
	struct np_capture *capture;

	assert_int_equal(np_capture_open(&capture, "/dev/full"), 0);
	for (int i = 0; i < 100; i++)
		np_capture_write(capture, &frame, 1);
	assert_int_equal(np_capture_close(capture, true), -ENOSPC);
	/* Little enough to fail only when it is flushed. */
	assert_int_equal(np_capture_open(&capture, "/dev/full"), 0);
	np_capture_write(capture, &frame, 1);
	assert_int_equal(np_capture_close(capture, true), -ENOSPC);
}

/* Only a run that has begun ends what the file had. */
TEST(a_file_keeps_what_it_has_until_then)
{
	char path[] = "/tmp/netperf-test.XXXXXX";
	uint8_t data[14] = {0};
	const struct np_frame frame = {.data = data, .length = sizeof(data)};
	struct np_capture *capture;
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "old", 3), 3);
	assert_int_equal(np_capture_open(&capture, path), 0);
	np_capture_write(capture, &frame, 1);
	assert_int_equal(np_capture_close(capture, false), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 3);
	assert_int_equal(np_capture_open(&capture, path), 0);
	assert_int_equal(np_capture_close(capture, true), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 24); /* the header of a capture without frames */
	close(fd);
	assert_int_equal(unlink(path), 0);
}

TEST(no_capture_is_allowed)
{
	struct np_frame frame = {0};

	np_capture_write(NULL, &frame, 1);
	assert_int_equal(np_capture_close(NULL, true), 0);
}
