// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* xml_none: in the place of xml in a build without expat: refuses every document. */
#include "xml.h"

#include <errno.h>

int overlay_xml_parse(struct overlay_xml **root, const char *file, const char *text, size_t bytes,
		      struct np_fault *fault)
{
	(void)text;
	(void)bytes;
	*root = NULL;
	return np_fault_set(fault, -ENOPKG, file,
			    "built without expat: no configuration of an overlay can be read; "
			    "build with expat (./configure)");
}
