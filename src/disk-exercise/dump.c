// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * dump: --dump: of each sector with a data error what it should have, what it has, and where the
 * two differ, as files LBA.wanted, LBA.got and LBA.diff. Files that exist are left alone.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR NP_PATTERN_SECTOR_BYTES
#define STAMP  8

int dump_open(struct dump *dump, const char *path, const struct np_log *log)
{
	dump->path = path;
	dump->made = !mkdir(path, 0777);
	dump->fd = -1;
	if (dump->made || errno == EEXIST)
		dump->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dump->fd < 0 ? np_log_refuse(log, "--dump", "%s: %s", path, strerror(errno)) : 0;
}

int dump_close(struct dump *dump, int status, const struct np_log *log)
{
	if (!dump->path)
		return status;
	if (dump->fd >= 0)
		close(dump->fd);
	/* It stays if there is anything in it. */
	if (dump->made)
		(void)rmdir(dump->path);
	if (dump->unwritten)
		np_log_info(log, "%s has the first %d sectors with data errors", dump->path,
			    DUMP_SECTORS);
	if (!dump->error)
		return status;
	np_log_error(log, "--dump", "%s: %s", dump->path, strerror(-dump->error));
	return status ? status : 1;
}

/*
 * Writes DIRECTORY/LBA.@kind: the sector @data, or, if @wanted is not NULL, a line for each byte
 * that was compared and differs from that.
 */
static void write_file(struct dump *dump, uint64_t lba, const char *kind, const uint8_t *data,
		       const uint8_t *wanted, bool full)
{
	char name[40];
	FILE *file = NULL;
	int fd;

	snprintf(name, sizeof(name), "%" PRIu64 ".%s", lba, kind);
	fd = openat(dump->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		file = fdopen(fd, "w");
	if (!file) {
		dump->error = dump->error ? dump->error : -errno;
		if (fd >= 0)
			close(fd);
		return;
	}
	if (wanted)
		fputs("# offset wanted got, in hexadecimal\n", file);
	else
		(void)fwrite(data, 1, SECTOR, file);
	for (unsigned i = 0; wanted && i < SECTOR; i++) {
		const bool stamp = i < STAMP || i >= SECTOR - STAMP;

		if ((full || stamp) && wanted[i] != data[i])
			fprintf(file, "%03x %02x %02x\n", i, wanted[i], data[i]);
	}
	if ((ferror(file) | fclose(file)) && !dump->error)
		dump->error = -(errno ? errno : EIO);
}

void dump_bad(struct dump *dump, const struct np_pattern *pattern, const uint8_t *data,
	      uint64_t lba, size_t sectors)
{
	struct np_damage damage = {0};
	uint8_t wanted[SECTOR];

	for (size_t i = 0; dump->path && i < sectors; i++, data += SECTOR) {
		unsigned at = 0;

		if (!np_pattern_check(pattern, data, lba + i, 1, &damage) || dump->error)
			continue;
		/* One that is bad in each pass is written once. */
		while (at < dump->sectors && dump->lba[at] != lba + i)
			at++;
		if (at < dump->sectors)
			continue;
		if (dump->sectors == DUMP_SECTORS) {
			dump->unwritten = true;
			return;
		}
		dump->lba[dump->sectors++] = lba + i;
		memset(wanted, 0, sizeof(wanted));
		np_pattern_write(pattern, wanted, lba + i, 1);
		write_file(dump, lba + i, "wanted", wanted, NULL, false);
		write_file(dump, lba + i, "got", data, NULL, false);
		write_file(dump, lba + i, "diff", data, wanted, pattern->full);
	}
}
