// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * drops_bpf: loads the BPF program of drops.bpf.c and reads what it counts, and beside it the
 * kernel's count of the softirqs that handle packets.
 */
#include "drops_bpf.h"
#include "config.h"
#include "drops_variant.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* With fewer descriptors than these all are for sockets and files, most of which come later. */
#define DESCRIPTORS 128

static const char *const names[] = {DROPS_LIBBPF(LATE_NAME) NULL};
static const struct late_library library = {LIBBPF_SONAME, names};

/*
 * The compiled BPF program of drops.bpf.c, an ELF file. The Makefile gives its path; without it, as
 * for analysers of the code, the object is empty, which libbpf refuses.
 */
#ifdef DROPS_OBJECT
#define INCLUDED ".incbin \"" DROPS_OBJECT "\"\n"
#else
#define INCLUDED ""
#endif

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".globl drops_object\n"
	".hidden drops_object\n"
	"drops_object:\n" INCLUDED ".globl drops_object_end\n"
	".hidden drops_object_end\n"
	"drops_object_end:\n"
	".popsection\n");

extern const char drops_object[] __attribute__((visibility("hidden")));
extern const char drops_object_end[] __attribute__((visibility("hidden")));

struct bpf_state {
	struct np_drops drops; /* first: the one is a pointer to the other */
	struct drops_libbpf lib;
	struct bpf_object *object;
	struct bpf_link *link, *witness_link;
	struct drops_witness witness;
	uint64_t missed;	     /* before the first watch */
	struct drops_shared *shared; /* in the kernel's memory, too */
	int counts_fd, names_fd, program_fd;
};

__attribute__((format(printf, 2, 3))) static void set_why(struct np_drops *drops,
							  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(drops->why, sizeof(drops->why), format, arguments);
	va_end(arguments);
}

static int refuse(struct np_drops *drops, const char *what, int status)
{
	if (status == -EPERM || status == -EACCES)
		set_why(drops, "not permitted without root, or CAP_BPF and CAP_PERFMON");
	else
		set_why(drops, "%s: %s", what, strerror(-status));
	return status;
}

static int share_address(const struct bpf_state *state, int fd, const struct sockaddr *address)
{
	struct drops_address key;
	uint16_t port;
	uint8_t one = 1;

	if (!address || !drops_address_of(address, &key, &port))
		return 0;
	return state->lib.bpf_map_update_elem(fd, &key, &one, BPF_ANY);
}

/* The addresses by which a wildcard is meant. */
static int share_addresses(const struct bpf_state *state)
{
	int fd = state->lib.bpf_object__find_map_fd_by_name(state->object, "hosts");
	struct ifaddrs *list;
	int status = 0;

	if (getifaddrs(&list))
		return -errno;
	for (const struct ifaddrs *i = list; i && !status; i = i->ifa_next) {
		status = share_address(state, fd, i->ifa_addr);
		if (!status && i->ifa_flags & IFF_BROADCAST && i->ifa_addr &&
		    i->ifa_addr->sa_family == AF_INET)
			status = share_address(state, fd, i->ifa_broadaddr);
	}
	freeifaddrs(list);
	return status;
}

/* Says why the kernel refused the program with @status. Returns that, or what is the reason. */
static int explain(struct np_drops *drops, int status)
{
	const struct drops_libbpf *bpf = &((struct bpf_state *)drops)->lib;
	struct btf *btf = bpf->btf__load_vmlinux_btf();
	const struct btf_type *type;
	bool reasons;
	int id;

	if (!btf) {
		status = errno ? -errno : -ENOENT;
		set_why(drops,
			"this kernel does not describe its types (/sys/kernel/btf/vmlinux): %s",
			strerror(-status));
		return status;
	}
	id = bpf->btf__find_by_name_kind(btf, "btf_trace_kfree_skb", BTF_KIND_TYPEDEF);
	type = bpf->btf__type_by_id(btf, id < 0 ? 0 : (uint32_t)id);
	if (type && btf_is_typedef(type))
		type = bpf->btf__type_by_id(btf, type->type);
	if (type && btf_is_ptr(type))
		type = bpf->btf__type_by_id(btf, type->type);
	/* The arguments of kfree_skb: the tracepoint's own, packet, place, reason, socket. */
	reasons = type && btf_is_func_proto(type) && btf_vlen(type) > 3;
	bpf->btf__free(btf);
	if (!reasons) {
		set_why(drops, "this kernel does not say why it drops packets (Linux 5.17 does)");
		return -EOPNOTSUPP;
	}
	/* The verifier's word for what it does not accept is EACCES, too. */
	return refuse(drops, "the kernel does not load the BPF program",
		      status == -EACCES ? -EINVAL : status);
}

static int load(struct np_drops *drops)
{
	struct bpf_state *state = (struct bpf_state *)drops;
	const struct drops_libbpf *bpf = &state->lib;
	struct bpf_program *program;
	int cpus = bpf->libbpf_num_possible_cpus(), status, last;

	/* Whether the kernel lets this process use BPF at all: the rest costs some 10 ms. */
	last = bpf->bpf_map_create(BPF_MAP_TYPE_ARRAY, "drops_try", sizeof(uint32_t),
				   sizeof(uint64_t), 1, NULL);
	if (last < 0)
		return refuse(drops, "the kernel has no BPF for this process", -errno);
	close(last);
	last = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, DESCRIPTORS);
	if (last < 0) {
		set_why(drops, "too few descriptors, see ulimit -n");
		return -EMFILE;
	}
	close(last);
	state->object = bpf->bpf_object__open_mem(drops_object,
						  (size_t)(drops_object_end - drops_object), NULL);
	if (!state->object)
		return refuse(drops, "the BPF program", -errno);
	program = bpf->bpf_object__find_program_by_name(state->object, "drop");
	if (!program)
		return refuse(drops, "the BPF program", -ENOENT);
	if (cpus < 0)
		return refuse(drops, "the number of processors", cpus);
	bpf->bpf_map__set_max_entries(bpf->bpf_object__find_map_by_name(state->object, "softirqs"),
				      (uint32_t)cpus);
	/* Reading the kernel's types takes some 10 ms: they are read again only if this fails. */
	status = bpf->bpf_object__load(state->object);
	if (status < 0)
		return explain(drops, status);
	state->program_fd = bpf->bpf_program__fd(program);
	state->counts_fd = bpf->bpf_object__find_map_fd_by_name(state->object, "counts");
	state->names_fd = bpf->bpf_object__find_map_fd_by_name(state->object, "names");
	status = share_addresses(state);
	if (status < 0)
		return refuse(drops, "the addresses of this host", status);
	state->link = bpf->bpf_program__attach(program);
	if (!state->link)
		return refuse(drops, "the tracepoint kfree_skb", -errno);
	/* Counts the softirqs that pass a tracepoint, to be compared with the kernel's own count.
	 */
	state->witness_link = bpf->bpf_program__attach(
		bpf->bpf_object__find_program_by_name(state->object, "softirq"));
	if (!state->witness_link)
		return refuse(drops, "the tracepoint softirq_entry", -errno);
	status = drops_softirqs_open(
		&state->witness, (size_t)cpus,
		bpf->bpf_object__find_map_fd_by_name(state->object, "softirqs"));
	return status < 0 ? refuse(drops, "/proc/softirqs", status) : 0;
}

static int bpf_variant_open(struct np_drops *drops)
{
	struct bpf_state *state = (struct bpf_state *)drops;
	libbpf_print_fn_t print;
	struct stat netns;
	void *shared;
	int status;

	state->witness.fd = -1;
	status = late_load(&library, &state->lib);
	if (status < 0) {
		set_why(drops, "%s", LATE_LACKS(LIBBPF_SONAME, "libbpf1"));
		return status;
	}
	/* libbpf writes to stderr unless told otherwise. */
	print = state->lib.libbpf_set_print(NULL);
	status = load(drops);
	state->lib.libbpf_set_print(print);
	if (status < 0)
		return status;
	shared = mmap(NULL, sizeof(*state->shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      state->lib.bpf_object__find_map_fd_by_name(state->object, "shared"), 0);
	if (shared == MAP_FAILED)
		return refuse(drops, "the memory of the BPF program", -errno);
	state->shared = shared;
	if (stat("/proc/thread-self/ns/net", &netns))
		return refuse(drops, "/proc/thread-self/ns/net", -errno);
	state->shared->netns = (uint32_t)netns.st_ino;
	return 0;
}

static void bpf_variant_close(struct np_drops *drops)
{
	struct bpf_state *state = (struct bpf_state *)drops;

	if (state->shared)
		munmap(state->shared, sizeof(*state->shared));
	drops_softirqs_close(&state->witness);
	if (state->object) {
		state->lib.bpf_link__destroy(state->witness_link);
		state->lib.bpf_link__destroy(state->link);
		state->lib.bpf_object__close(state->object);
	}
}

/* How many drops the kernel did not report, since it was handling another one. */
static int read_missed(const struct bpf_state *state, uint64_t *missed)
{
	struct bpf_prog_info info = {0};
	uint32_t length = sizeof(info);

	if (state->lib.bpf_obj_get_info_by_fd(state->program_fd, &info, &length))
		return -errno;
	*missed = info.recursion_misses;
	return 0;
}

static int bpf_variant_watch(struct np_drops *drops, const struct drops_rule *rule, unsigned number)
{
	struct bpf_state *state = (struct bpf_state *)drops;
	int status = number ? 0 : read_missed(state, &state->missed);

	if (!status && !number)
		status = drops_softirqs_begin(&state->witness);
	if (status)
		return status;
	state->shared->rule[number] = *rule;
	__atomic_store_n(&state->shared->rules, number + 1, __ATOMIC_RELEASE);
	return 0;
}

static int bpf_variant_update(struct np_drops *drops)
{
	struct bpf_state *state = (struct bpf_state *)drops;
	struct drops_key key, *before = NULL;
	unsigned count = 0;
	uint64_t missed;
	int status;

	while (count < DROPS_ENTRIES) {
		struct drops_seen *seen = &drops->seen[count];

		if (state->lib.bpf_map_get_next_key(state->counts_fd, before, &seen->key)) {
			if (errno != ENOENT)
				return -errno;
			break;
		}
		if (state->lib.bpf_map_lookup_elem(state->counts_fd, &seen->key, &seen->packets))
			return -errno;
		key = seen->key;
		before = &key;
		count++;
	}
	drops->seen_count = count;
	status = read_missed(state, &missed);
	if (!status && drops->rules)
		status = drops_softirqs_update(&state->witness);
	if (status < 0)
		return status;
	for (unsigned i = 0; i < DROPS_DOUBTS; i++)
		drops->doubts[i] = __atomic_load_n(&state->shared->doubts[i], __ATOMIC_RELAXED);
	drops->sockets = state->shared->sockets;
	drops->doubts[DROPS_MISSED] = missed - state->missed;
	drops->doubts[DROPS_UNSEEN] = state->witness.unseen;
	return 0;
}

/* The kernel's name of a reason or place. */
static bool look_up(const struct bpf_state *state, uint64_t number, struct drops_name *name)
{
	return !state->lib.bpf_map_lookup_elem(state->names_fd, &number, name);
}

static void bpf_variant_name(const struct np_drops *drops, const struct drops_key *key,
			     struct np_drops_entry *entry)
{
	const struct bpf_state *state = (const struct bpf_state *)drops;
	struct drops_name name;

	/* "nft_do_chain [nf_tables]" */
	if (look_up(state, key->place, &name))
		snprintf(entry->place, sizeof(entry->place), "%.*s", (int)strcspn(name.text, " "),
			 name.text);
	else
		snprintf(entry->place, sizeof(entry->place), "0x%" PRIx64, (uint64_t)key->place);
	if (!look_up(state, key->reason, &name))
		snprintf(entry->reason, sizeof(entry->reason), "%" PRIu32, key->reason);
	else if (!strncmp(name.text, "SKB_DROP_REASON_", 16))
		snprintf(entry->reason, sizeof(entry->reason), "%.47s", name.text + 16);
	else
		snprintf(entry->reason, sizeof(entry->reason), "%.47s",
			 name.text + (strncmp(name.text, "SKB_", 4) ? 0 : 4));
}

const struct drops_variant drops_bpf_variant = {
	.bytes = sizeof(struct bpf_state),
	.open = bpf_variant_open,
	.close = bpf_variant_close,
	.watch = bpf_variant_watch,
	.update = bpf_variant_update,
	.name_kind = bpf_variant_name,
};

/* How often the two counts are compared, in the hope that they agree. */
#define TRIES 8

static const struct timespec PAUSE = {.tv_nsec = 150000};

int drops_softirqs_parse(const char *text, struct drops_cpu *cpu, size_t cpus)
{
	static const char *const rows[] = {"NET_TX:", "NET_RX:"};

	for (size_t i = 0; i < cpus; i++)
		cpu[i].kernel = 0;
	for (size_t i = 0; i < 2; i++) {
		const char *row = strstr(text, rows[i]), *head = text;

		if (!row)
			return -EINVAL;
		row += strlen(rows[i]);
		/* A figure for each "CPUn" of the first line. */
		while (*(head += strspn(head, " \t")) == 'C') {
			char *end;
			unsigned long at = strtoul(head + strcspn(head, "0123456789\n"), &end, 10),
				      n;

			head = end;
			n = strtoul(row, &end, 10);
			if (end == row || at >= cpus)
				return -EINVAL;
			row = end;
			cpu[at].kernel += (uint32_t)n;
		}
	}
	return 0;
}

int drops_softirqs_open(struct drops_witness *witness, size_t cpus, int fd)
{
	void *map;

	*witness = (struct drops_witness){.fd = open("/proc/softirqs", O_RDONLY | O_CLOEXEC),
					  .cpus = cpus,
					  .bytes = 16 * 12 * (cpus + 2)};
	if (witness->fd < 0)
		return -errno;
	map = mmap(NULL, cpus * sizeof(*witness->map), PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	witness->map = map;
	witness->text = malloc(witness->bytes);
	witness->cpu = calloc(cpus, sizeof(*witness->cpu));
	return witness->text && witness->cpu ? 0 : -ENOMEM;
}

void drops_softirqs_close(struct drops_witness *witness)
{
	if (witness->map)
		munmap((void *)witness->map, witness->cpus * sizeof(*witness->map));
	if (witness->fd >= 0)
		close(witness->fd);
	free(witness->text);
	free(witness->cpu);
	*witness = (struct drops_witness){.fd = -1};
}

static int read_kernel(struct drops_witness *witness)
{
	ssize_t bytes = pread(witness->fd, witness->text, witness->bytes - 1, 0);

	if (bytes < 0)
		return -errno;
	witness->text[bytes] = '\0';
	return drops_softirqs_parse(witness->text, witness->cpu, witness->cpus);
}

static uint32_t passed(const struct drops_witness *witness, size_t cpu)
{
	return __atomic_load_n(&witness->map[cpu].passed, __ATOMIC_ACQUIRE);
}

static void read_seen(struct drops_witness *witness)
{
	for (size_t i = 0; i < witness->cpus; i++)
		witness->cpu[i].seen = passed(witness, i);
}

/*
 * What the program saw is read last: the difference is at most what was missing already, and less
 * if softirqs passed in between, which would then be missing for ever. So the highest of some
 * tries, of which the last finds the program's count as it was before.
 */
int drops_softirqs_begin(struct drops_witness *witness)
{
	bool still = false;

	for (int i = 0; i < TRIES && !still; i++) {
		int status;

		if (i > 1)
			nanosleep(&PAUSE, NULL);
		read_seen(witness);
		status = read_kernel(witness);
		if (status)
			return status;
		still = true;
		for (size_t k = 0; k < witness->cpus; k++) {
			struct drops_cpu *cpu = &witness->cpu[k];
			uint32_t seen = passed(witness, k), begin = cpu->kernel - seen;

			still = still && seen == cpu->seen;
			if (!i || (int32_t)(begin - cpu->begin) > 0)
				cpu->begin = begin;
		}
	}
	return 0;
}

/* What the program saw is read first: the difference is at least what is missing now. */
int drops_softirqs_update(struct drops_witness *witness)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t unseen = 0;
		int status;

		read_seen(witness);
		status = read_kernel(witness);
		if (status)
			return status;
		for (size_t k = 0; k < witness->cpus; k++) {
			struct drops_cpu *cpu = &witness->cpu[k];
			int32_t missing = (int32_t)(cpu->kernel - cpu->seen - cpu->begin);

			if (!i || missing < cpu->missing)
				cpu->missing = missing;
			unseen += cpu->missing > 0 ? (uint32_t)cpu->missing : 0;
		}
		/* It does not become less: as many as before is what is known already. */
		if (unseen <= witness->unseen)
			return 0;
		if (i == TRIES - 1)
			witness->unseen = unseen;
		else if (i > 1)
			nanosleep(&PAUSE, NULL);
	}
	return 0;
}
