// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp_framing: splits a byte stream into the handshake and messages; and for what goes out a ring
 * of cells for DATA, a ring of pieces over it, and the peers' places in that.
 */
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>

void tcp_framing_end(struct tcp_framing *framing)
{
	free(framing->part);
	framing->part = NULL;
}

/* Moves bytes into the head until it has @wanted of them; false if there are too few. */
static bool fill_head(struct tcp_framing *f, struct tcp_framing_input *input, size_t wanted)
{
	for (; f->head_bytes < wanted && input->bytes; input->bytes--)
		f->head[f->head_bytes++] = *input->data++;
	return f->head_bytes == wanted;
}

/* Assembles a message that arrives in parts; of a long one only the beginning is kept. */
static int collect(struct tcp_framing *f, struct tcp_framing_input *input,
		   struct transport_message *message)
{
	size_t part, room, length;

	if (!f->length) {
		if (!fill_head(f, input, FRAME_LENGTH_BYTES))
			return 0;
		length = np_field_get32(f->head);
		f->head_bytes = 0;
		/* JGroups 2.12 sends one more zero after its handshake: its first length is 0. */
		if (!length || length > INT32_MAX)
			return length || f->begun ? -EBADMSG : -ENOTSUP;
		if (length > f->longest)
			return -EMSGSIZE;
		if (!f->part)
			f->part = malloc(f->longest < TRANSPORT_HEAD ? f->longest : TRANSPORT_HEAD);
		if (!f->part)
			return -ENOMEM;
		f->begun = true;
		f->length = length;
		f->came = 0;
	}
	part = f->length - f->came;
	if (part > input->bytes)
		part = input->bytes;
	room = f->came < TRANSPORT_HEAD ? TRANSPORT_HEAD - f->came : 0;
	if (room)
		memcpy(f->part + f->came, input->data, part < room ? part : room);
	f->came += part;
	input->data += part;
	input->bytes -= part;
	if (f->came < f->length)
		return 0;
	*message = (struct transport_message){
		f->part, f->length < TRANSPORT_HEAD ? f->length : TRANSPORT_HEAD, f->length,
		input->at};
	f->length = 0;
	return 1;
}

int tcp_framing_take(struct tcp_framing *framing, struct tcp_framing_input *input,
		     struct transport_message *messages, unsigned room)
{
	struct tcp_framing *f = framing;
	const uint8_t *at = input->data, *end = at + input->bytes;
	unsigned count = 0;
	int length = 0;

	/* The handshake byte by byte, since only the bytes so far show how long it is. */
	while (!f->shaken && !length && f->head_bytes < sizeof(f->head) &&
	       fill_head(f, input, f->head_bytes + 1))
		length = jgroups_handshake_decode(f->head, f->head_bytes, &f->peer);
	if (!f->shaken && length <= 0)
		return length || f->head_bytes < sizeof(f->head) ? length : -EPROTO;
	if (!f->shaken) {
		f->shaken = true;
		f->head_bytes = 0;
		return 0;
	}
	if (f->head_bytes || f->length)
		return collect(f, input, messages);
	/* The complete messages. A bad length is left to collect(). */
	while (count < room && end - at >= FRAME_LENGTH_BYTES) {
		const size_t bytes = np_field_get32(at);

		if (!bytes || bytes > f->longest || (size_t)(end - at) - FRAME_LENGTH_BYTES < bytes)
			break;
		messages[count++] = (struct transport_message){at + FRAME_LENGTH_BYTES, bytes,
							       bytes, input->at};
		at += FRAME_LENGTH_BYTES + bytes;
	}
	input->data = at;
	input->bytes = (size_t)(end - at);
	f->begun |= count > 0;
	return count ? (int)count : collect(f, input, messages);
}

bool tcp_framing_unfinished(const struct tcp_framing *framing)
{
	return !framing->shaken || framing->head_bytes || framing->length;
}

const char *tcp_framing_generation(const struct tcp_framing *framing)
{
	return framing->shaken ? "JGroups 2.12" : "JGroups 2.7 or older";
}

#define QUEUE_BYTES ((size_t)1 << 20)
#define CELLS_MAX   4096
/*
 * The rest of the pieces, a power of two, are for control messages: up to twenty a second, which
 * must reach all others while one peer, at a slow link, has not taken those of half an hour.
 */
#define PIECES	      32768
#define PIECES_DATA   768
#define CONTROL_BYTES ((size_t)4 << 20)
/* per reservation: what goes to one peer after another should stay in the cache. */
#define BATCH_BYTES ((size_t)64 << 10)
/* Payloads from this length on are not in the cells: all share one. */
#define LONG_BYTES   ((size_t)1 << 20)
#define FILLER_BYTES ((size_t)256 << 10)

/* A control message, or adjacent DATA messages. */
struct piece {
	uint8_t *data;
	size_t bytes;
	size_t fill;	/* followed by this many bytes of TRANSPORT_FILL */
	unsigned cells; /* 0: the piece has its own memory */
	int peer;
};

struct queue {
	struct piece pieces[PIECES];
	uint64_t begin, end; /* never reduced */
	uint8_t *cells;
	size_t cell_bytes;
	size_t fill; /* of each DATA message, outside its cell */
	uint8_t *filler;
	unsigned cell_count, cells_used, cell_next;
	unsigned batch; /* the most cells in one reservation */
	size_t control_bytes, control_limit;
};

static size_t limited(size_t number, size_t least, size_t most)
{
	return number < least ? least : number < most ? number : most;
}

int queue_create(struct queue **queue, size_t data_bytes, size_t header_bytes, size_t control_bytes)
{
	struct queue *q = calloc(1, sizeof(*q));

	*queue = q;
	if (!q)
		return -ENOMEM;
	q->fill = data_bytes > LONG_BYTES ? data_bytes - header_bytes : 0;
	q->cell_bytes = FRAME_LENGTH_BYTES + data_bytes - q->fill;
	q->cell_count = (unsigned)limited(QUEUE_BYTES / data_bytes, 2, CELLS_MAX);
	q->batch = (unsigned)limited(BATCH_BYTES / data_bytes, 1, TRANSPORT_BATCH);
	q->control_limit = limited(2 * control_bytes, CONTROL_BYTES, SIZE_MAX);
	q->cells = malloc(q->cell_count * q->cell_bytes);
	q->filler = malloc(FILLER_BYTES);
	if (!q->cells || !q->filler) {
		queue_free(q);
		*queue = NULL;
		return -ENOMEM;
	}
	memset(q->filler, TRANSPORT_FILL, FILLER_BYTES);
	memset(q->cells, TRANSPORT_FILL, q->cell_count * q->cell_bytes);
	for (unsigned i = 0; i < q->cell_count; i++)
		np_field_put32(q->cells + i * q->cell_bytes, (uint32_t)data_bytes);
	return 0;
}

void queue_free(struct queue *queue)
{
	if (!queue)
		return;
	queue_release(queue, queue->end);
	free(queue->cells);
	free(queue->filler);
	free(queue);
}

static struct piece *piece_at(const struct queue *q, uint64_t index)
{
	return (struct piece *)&q->pieces[index % PIECES];
}

int queue_put(struct queue *queue, const void *message, size_t bytes, int peer)
{
	struct piece *piece = piece_at(queue, queue->end);
	uint8_t *data;

	if (queue->end - queue->begin == PIECES ||
	    queue->control_bytes + bytes > queue->control_limit)
		return -EAGAIN;
	data = malloc(FRAME_LENGTH_BYTES + bytes);
	if (!data)
		return -ENOMEM;
	np_field_put32(data, (uint32_t)bytes);
	memcpy(data + FRAME_LENGTH_BYTES, message, bytes);
	*piece = (struct piece){.data = data, .bytes = FRAME_LENGTH_BYTES + bytes, .peer = peer};
	queue->control_bytes += bytes;
	queue->end++;
	return 0;
}

unsigned queue_reserve(struct queue *queue, unsigned wanted, struct transport_slots *slots)
{
	size_t used = queue->end - queue->begin;
	size_t pieces = used < PIECES_DATA ? PIECES_DATA - used : 0;
	unsigned room = queue->cell_count - queue->cells_used;
	unsigned straight = queue->cell_count - queue->cell_next;

	room = room < straight ? room : straight;
	room = room < queue->batch ? room : queue->batch;
	if (queue->fill && room > pieces)
		room = (unsigned)pieces;
	slots->data = queue->cells + queue->cell_next * queue->cell_bytes + FRAME_LENGTH_BYTES;
	slots->stride = queue->cell_bytes;
	if (!pieces)
		return 0;
	return wanted < room ? wanted : room;
}

/* With a long, shared payload each message is a piece. */
void queue_commit(struct queue *queue, unsigned count)
{
	const unsigned cells = queue->fill ? 1 : count;

	for (unsigned done = 0; done < count; done += cells) {
		*piece_at(queue, queue->end++) = (struct piece){
			.data = queue->cells + queue->cell_next * queue->cell_bytes,
			.bytes = cells * queue->cell_bytes,
			.fill = queue->fill,
			.cells = cells,
			.peer = QUEUE_ALL,
		};
		queue->cell_next = (queue->cell_next + cells) % queue->cell_count;
	}
	queue->cells_used += count;
}

struct queue_place queue_end(const struct queue *queue)
{
	return (struct queue_place){.piece = queue->end};
}

/* Skips the pieces for other peers. */
static void pass(const struct queue *q, struct queue_place *place, int peer)
{
	while (place->piece != q->end) {
		int only = piece_at(q, place->piece)->peer;

		if (only == peer || (only == QUEUE_ALL && !place->sole))
			return;
		place->piece++;
	}
}

unsigned queue_gather(const struct queue *queue, struct queue_place *place, int peer,
		      struct iovec *pieces, unsigned room, size_t *bytes)
{
	struct queue_place at;
	unsigned count = 0;

	pass(queue, place, peer);
	for (at = *place; at.piece != queue->end && count < room; pass(queue, &at, peer)) {
		const struct piece *piece = piece_at(queue, at.piece++);
		const size_t rest = at.offset < piece->bytes ? piece->bytes - at.offset : 0;
		size_t fill = piece->bytes + piece->fill - at.offset - rest;

		if (rest)
			pieces[count++] = (struct iovec){piece->data + at.offset, rest};
		for (; fill && count < room; fill -= pieces[count++].iov_len)
			pieces[count] = (struct iovec){queue->filler,
						       fill < FILLER_BYTES ? fill : FILLER_BYTES};
		at.offset = 0;
	}
	*bytes = 0;
	for (unsigned i = 0; i < count; i++)
		*bytes += pieces[i].iov_len;
	return count;
}

void queue_advance(const struct queue *queue, struct queue_place *place, int peer, size_t bytes)
{
	place->offset += bytes;
	while (place->piece != queue->end) {
		const struct piece *piece = piece_at(queue, place->piece);

		if (place->offset < piece->bytes + piece->fill)
			return;
		place->offset -= piece->bytes + piece->fill;
		place->piece++;
		pass(queue, place, peer);
	}
}

void queue_release(struct queue *queue, uint64_t oldest)
{
	for (; queue->begin != oldest; queue->begin++) {
		struct piece *piece = piece_at(queue, queue->begin);

		queue->cells_used -= piece->cells;
		if (!piece->cells) {
			queue->control_bytes -= piece->bytes - FRAME_LENGTH_BYTES;
			free(piece->data);
		}
	}
}
