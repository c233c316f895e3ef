// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of drops_softirqs: a made-up kernel's count beside what a made-up program saw. */
#include "src/lib/drops/drops_bpf.h"
#include "support/unit.h"

#include <sys/mman.h>

#define CPUS 3

static const char text[] = "                    CPU0       CPU2       \n"
			   "          HI:          9          9\n"
			   "       TIMER:   79065102   79065103\n"
			   "      NET_TX:         10         20\n"
			   "      NET_RX:        500 4294967295\n"
			   "         RCU:          7          7\n";

TEST(each_processor_has_its_sum)
{
	struct drops_cpu cpu[CPUS];

	assert_int_equal(drops_softirqs_parse(text, cpu, CPUS), 0);
	assert_int_equal(cpu[0].kernel, 510);
	assert_int_equal(cpu[1].kernel, 0);
	assert_int_equal(cpu[2].kernel, 19); /* as an unsigned int wraps */
}

TEST(other_text_is_refused)
{
	static const char *const others[] = {"", " CPU0\n NET_RX: 1\n",
					     " CPU0\n NET_TX: 1\n NET_RX:\n",
					     " CPU3\n NET_TX: 1\n NET_RX: 1\n"};
	struct drops_cpu cpu[CPUS];

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(drops_softirqs_parse(others[i], cpu, CPUS), -EINVAL);
}

struct kernel {
	struct drops_witness witness;
	struct drops_softirqs map[2];
	struct drops_cpu cpu[2];
	char text[1024];
};

static void says(struct kernel *kernel, unsigned first, unsigned second)
{
	char rows[256];
	int bytes =
		snprintf(rows, sizeof(rows),
			 "   CPU0  CPU1\n NET_TX:  0  5\n NET_RX:  %10u  %10u\n", first, second);

	assert_int_equal(pwrite(kernel->witness.fd, rows, (size_t)bytes, 0), bytes);
}

static void begin(struct kernel *kernel)
{
	*kernel = (struct kernel){0};
	kernel->witness = (struct drops_witness){.fd = memfd_create("softirqs", MFD_CLOEXEC),
						 .cpus = 2,
						 .map = kernel->map,
						 .text = kernel->text,
						 .bytes = sizeof(kernel->text),
						 .cpu = kernel->cpu};
	assert_true(kernel->witness.fd >= 0);
	says(kernel, 1000, 4294967200u);
	kernel->map[0].passed = 3;
	assert_int_equal(drops_softirqs_begin(&kernel->witness), 0);
	assert_int_equal(drops_softirqs_update(&kernel->witness), 0);
	assert_int_equal(kernel->witness.unseen, 0);
}

TEST(what_passed_is_not_missing)
{
	struct kernel kernel;

	begin(&kernel);
	says(&kernel, 1100, 100); /* the second has wrapped */
	kernel.map[0].passed += 100;
	kernel.map[1].passed += 196;
	assert_int_equal(drops_softirqs_update(&kernel.witness), 0);
	assert_int_equal(kernel.witness.unseen, 0);
	close(kernel.witness.fd);
}

TEST(what_did_not_pass_is_counted_once)
{
	struct kernel kernel;

	begin(&kernel);
	says(&kernel, 1100, 100);
	kernel.map[0].passed += 98;
	kernel.map[1].passed += 195;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(drops_softirqs_update(&kernel.witness), 0);
		assert_int_equal(kernel.witness.unseen, 3);
	}
	/* More on one processor is not less on another. */
	kernel.map[1].passed += 50;
	says(&kernel, 1101, 100);
	assert_int_equal(drops_softirqs_update(&kernel.witness), 0);
	assert_int_equal(kernel.witness.unseen, 3);
	close(kernel.witness.fd);
}

TEST(the_kernels_own_file)
{
	static struct drops_softirqs zeros[4096];
	struct drops_witness witness;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0 && cpus > 0 && cpus <= 4096);
	assert_int_equal(write(fd, zeros, (size_t)cpus * sizeof(zeros[0])),
			 cpus * (long)sizeof(zeros[0]));
	assert_int_equal(drops_softirqs_open(&witness, (size_t)cpus, fd), 0);
	assert_int_equal(drops_softirqs_begin(&witness), 0);
	assert_int_equal(drops_softirqs_update(&witness), 0);
	drops_softirqs_close(&witness);
	drops_softirqs_close(&witness);
	close(fd);
}
