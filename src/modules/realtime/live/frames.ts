import { toMessage } from '../messages/message.dto.js';
import type { Message } from '../messages/message.js';

/*
 * What is sent over a stream of Server-Sent Events, as bytes, which are made once for all readers. JSON has no line breaks,
 * so each `data` is one line.
 */

/** The first thing on every stream: how long a client waits before it connects again. */
export const OPENING = Buffer.from('retry: 2000\n\n');

/** Keeps what stands between from taking a quiet stream for a dead one. */
export const PULSE = Buffer.from(':\n\n');

/** A message; clients remember its id and send it back as `Last-Event-ID`. */
export function frameOf(message: Message): Buffer {
  return Buffer.from(`id: ${message.id}\nevent: message\ndata: ${JSON.stringify(toMessage(message))}\n\n`);
}

/** Messages of this channel that the client has not seen are no longer kept; what follows is what still is. */
export function gapOf(channel: string): Buffer {
  return Buffer.from(`event: gap\ndata: ${JSON.stringify({ channel })}\n\n`);
}
