/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* message_body: what the two files of message share. */
#ifndef TTCP_WIRE_MESSAGE_BODY_H
#define TTCP_WIRE_MESSAGE_BODY_H

#include "message.h"

/* Writes what follows the header and returns the size of the whole message. */
size_t message_put_body(uint8_t *data, const struct message *message);

/*
 * Decodes what follows the header; @message->size bytes in all are present. Returns 0 or -EBADMSG.
 */
int message_get_body(const uint8_t *data, struct message *message);

#endif
