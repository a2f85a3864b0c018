import { toMessage } from '../messages/message.dto.js';
import type { Message } from '../messages/message.js';

/*
 * The bytes of Server-Sent Events, encoded once for all readers. JSON has no line breaks, so each `data` is one line.
 */

/** Starts every stream and tells the client how long to wait before it reconnects. */
export const OPENING = Buffer.from('retry: 2000\n\n');

/** Keeps proxies from closing an idle stream. */
export const HEARTBEAT = Buffer.from(':\n\n');

/** A message; clients remember its id and send it back as `Last-Event-ID`. */
export function frameOf(message: Message): Buffer {
  return Buffer.from(`id: ${message.id}\nevent: message\ndata: ${JSON.stringify(toMessage(message))}\n\n`);
}

/** Tells the client that it missed messages that are no longer kept; the kept ones follow. */
export function gapOf(channel: string): Buffer {
  return Buffer.from(`event: gap\ndata: ${JSON.stringify({ channel })}\n\n`);
}
