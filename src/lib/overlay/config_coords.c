// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_coords: the coordinates of a node: fixed, or anywhere within a frame. */
#include "config_take.h"

#include <errno.h>

#define VALUE_MAX 64

static int integers(struct overlay_taker *t, const struct overlay_xml *element, int32_t *value,
		    unsigned count, const char *expected)
{
	char text[VALUE_MAX];
	int rc = overlay_take_text(t, element, text, sizeof(text), expected);

	if (!rc && overlay_parse_integers(text, value, count))
		rc = overlay_take_fault(t, element, -EINVAL,
					"\"%s\"; expected %s, of 32 bits with a sign", text,
					expected);
	return rc;
}

static int take_point(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	int32_t value[2];
	const int rc = integers(t, element, value, 2, "x,y");

	if (rc)
		return rc;
	if (!value[0] && !value[1])
		return overlay_take_fault(
			t, element, -EINVAL,
			"0,0 means no address in HyperCast; expected another x,y");
	*(struct overlay_coords *)coords =
		(struct overlay_coords){.fixed = true, .point = {value[0], value[1]}};
	return 0;
}

static int take_address(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	int32_t value;
	const int rc = integers(t, element, &value, 1, "a number");

	if (rc)
		return rc;
	if (!value)
		return overlay_take_fault(
			t, element, -EINVAL,
			"0 means no address in HyperCast; expected another number");
	*(struct overlay_coords *)coords =
		(struct overlay_coords){.fixed = true, .point = {value, 0}};
	return 0;
}

/* A frame of one value would be 0 alone. */
static int base(struct overlay_taker *t, const struct overlay_xml *element, uint32_t *base)
{
	int32_t value;
	const int rc = integers(t, element, &value, 1, "a number from 2 up");

	if (!rc && value < 2)
		return overlay_take_fault(t, element, -EINVAL, "%d; expected a number from 2 up",
					  value);
	*base = rc ? 0 : (uint32_t)value;
	return rc;
}

static int take_base(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	struct overlay_coords *made = coords;

	int rc;

	*made = (struct overlay_coords){};
	rc = base(t, element, &made->width);
	made->height = made->width;
	return rc;
}

static int take_base_spt(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	struct overlay_coords *made = coords;

	*made = (struct overlay_coords){.height = 1};
	return base(t, element, &made->width);
}

static int take_frame(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	int32_t value[4];
	const int rc = integers(t, element, value, 4, "x,y,width,height");

	if (rc)
		return rc;
	if (value[2] < 1 || value[3] < 1 || (int64_t)value[0] + value[2] - 1 > INT32_MAX ||
	    (int64_t)value[1] + value[3] - 1 > INT32_MAX)
		return overlay_take_fault(t, element, -EINVAL,
					  "%d,%d,%d,%d; expected x,y,width,height with at least 1 "
					  "of each, all of it below 2147483648",
					  value[0], value[1], value[2], value[3]);
	if (value[2] == 1 && value[3] == 1 && !value[0] && !value[1])
		return overlay_take_fault(t, element, -EINVAL,
					  "holds only 0,0, which means no address; expected more");
	*(struct overlay_coords *)coords = (struct overlay_coords){.corner = {value[0], value[1]},
								   .width = (uint32_t)value[2],
								   .height = (uint32_t)value[3]};
	return 0;
}

static int take_random(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	static const struct overlay_rule rules[] = {
		{.name = "base", .form = OVERLAY_FORM_OTHER, .take = take_base},
		{.name = "frame", .form = OVERLAY_FORM_OTHER, .take = take_frame},
		{},
	};

	return overlay_take_choice(t, element, coords, rules,
				   "<base>number</base> or <frame>x,y,width,height</frame>");
}

static int take_random_spt(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	static const struct overlay_rule rules[] = {
		{.name = "base", .form = OVERLAY_FORM_OTHER, .take = take_base_spt},
		{.name = "frame", .form = OVERLAY_FORM_REFUSED, .word = "<base>number</base>"},
		{},
	};

	return overlay_take_choice(t, element, coords, rules, "<base>number</base>");
}

static int take_fixed(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	static const struct overlay_rule rules[] = {
		{.name = "coordinate", .form = OVERLAY_FORM_OTHER, .take = take_point},
		{},
	};

	return overlay_take_choice(t, element, coords, rules, "<coordinate>x,y</coordinate>");
}

static int take_fixed_spt(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	static const struct overlay_rule rules[] = {
		{.name = "coordinate", .form = OVERLAY_FORM_OTHER, .take = take_address},
		{},
	};

	return overlay_take_choice(t, element, coords, rules, "<coordinate>number</coordinate>");
}

int overlay_take_coords(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	static const char expected[] = "FIXED or RANDOM";
	static const struct overlay_rule rules[] = {
		{.name = "FIXED", .form = OVERLAY_FORM_OTHER, .take = take_fixed},
		{.name = "RANDOM", .form = OVERLAY_FORM_OTHER, .take = take_random},
		{.name = "USE_GEO", .form = OVERLAY_FORM_REFUSED, .word = expected},
		{},
	};

	return overlay_take_choice(t, element, coords, rules, expected);
}

int overlay_take_coords_spt(struct overlay_taker *t, const struct overlay_xml *element,
			    void *coords)
{
	static const char expected[] = "FIXED or RANDOM";
	static const struct overlay_rule rules[] = {
		{.name = "FIXED", .form = OVERLAY_FORM_OTHER, .take = take_fixed_spt},
		{.name = "RANDOM", .form = OVERLAY_FORM_OTHER, .take = take_random_spt},
		{.name = "USE_GEO", .form = OVERLAY_FORM_REFUSED, .word = expected},
		{},
	};

	return overlay_take_choice(t, element, coords, rules, expected);
}
