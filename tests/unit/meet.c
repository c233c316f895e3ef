// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* meet: where a rank receives, as it writes it, is what others read; anything else is refused. */
#include "../../src/lib/mesh/mesh_state.h"

#include "address_of.h"
#include "support/unit.h"

TEST(each_rank_has_its_port)
{
	static const char *const hosts[] = {"10.9.1.3:0", "[fd00::3]:0"};
	static const uint16_t ports[] = {5001, 0, 65535};
	static const char *const first[] = {"10.9.1.3:5001", "[fd00::3]:5001"};
	static const char *const last[] = {"10.9.1.3:65535", "[fd00::3]:65535"};
	uint8_t place[MESH_PLACE_BYTES_MAX];

	for (size_t i = 0; i < 2; i++) {
		const struct np_address at = address_of(hosts[i]), a = address_of(first[i]),
					b = address_of(last[i]);
		struct np_address read;
		const size_t bytes = mesh_place_write(&at, ports, 3, place);

		assert_int_equal(mesh_place_read(place, bytes, 0, &read), 0);
		assert_true(np_address_equal(&read, &a));
		assert_int_equal(mesh_place_read(place, bytes, 2, &read), 0);
		assert_true(np_address_equal(&read, &b));
		assert_int_equal(mesh_place_read(place, bytes, 1, &read), -ENOENT);
		assert_int_equal(mesh_place_read(place, bytes, 3, &read), -ENOENT);
	}
}

TEST(one_port_is_for_all)
{
	static const uint16_t port = 7;
	const struct np_address at = address_of("10.9.1.3:0"), told = address_of("10.9.1.3:7");
	uint8_t place[MESH_PLACE_BYTES_MAX];
	const size_t bytes = mesh_place_write(&at, &port, 1, place);
	struct np_address read;

	for (size_t slot = 0; slot < 1024; slot += 341) {
		assert_int_equal(mesh_place_read(place, bytes, slot, &read), 0);
		assert_true(np_address_equal(&read, &told));
	}
}

TEST(the_largest_fits)
{
	static uint16_t ports[NP_MESH_PORTS_MAX];
	const struct np_address at = address_of("[fd00:1111:2222:3333:4444:5555:6666:7777]:0");
	uint8_t place[MESH_PLACE_BYTES_MAX];
	struct np_address read;
	size_t bytes;

	memset(ports, 0xff, sizeof(ports));
	bytes = mesh_place_write(&at, ports, NP_MESH_PORTS_MAX, place);
	assert_in_range(bytes, 1, MESH_PLACE_BYTES_MAX);
	assert_int_equal(mesh_place_read(place, bytes, NP_MESH_PORTS_MAX - 1, &read), 0);
	assert_int_equal(np_address_port(&read), 65535);
}

TEST(what_is_no_place_is_refused)
{
	static const uint16_t port = 7;
	const struct np_address at = address_of("10.9.1.3:0");
	uint8_t place[MESH_PLACE_BYTES_MAX];
	struct np_address read;
	const size_t bytes = mesh_place_write(&at, &port, 1, place);

	/* Cut anywhere up to the address, with a count that is too large, with a name. */
	for (size_t cut = 0; cut <= 4; cut++)
		assert_int_equal(mesh_place_read(place, cut, 0, &read), -EBADMSG);
	place[0] = 0xff;
	assert_int_equal(mesh_place_read(place, bytes, 0, &read), -EBADMSG);
	place[0] = 0;
	memcpy(place + 4, "localhost", 9);
	assert_int_equal(mesh_place_read(place, 13, 0, &read), -EBADMSG);
	memset(place + 4, '1', NP_ADDRESS_TEXT + 8);
	assert_int_equal(mesh_place_read(place, 4 + NP_ADDRESS_TEXT + 8, 0, &read), -EBADMSG);
	memset(place + 4, 0, 8);
	assert_int_equal(mesh_place_read(place, 12, 0, &read), -EBADMSG);
}
