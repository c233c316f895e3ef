// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* xml_none: in the place of xml in a build without expat: refuses every document. */
#include <netperf/xml.h>

#include <errno.h>

int np_xml_parse(struct np_xml **root, const struct np_xml_kind *kind, const char *file,
		 const char *text, size_t bytes, struct np_fault *fault)
{
	(void)text;
	(void)bytes;
	*root = NULL;
	return np_fault_set(fault, -ENOPKG, file, "%s", kind->none);
}
