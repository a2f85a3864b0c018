import { toMessage } from '../messages/message.dto.js';
import type { Message } from '../messages/message.js';

/*
 * The bytes of Server-Sent Events, encoded once for all readers. JSON has no line breaks, so each `data` is one line.
 */

/** A message as an event. Clients remember the ID of the event and send it back as `Last-Event-ID`. */
export interface Frame {
  /** With the ID of the message as the ID of the event. */
  readonly bytes: Buffer;
  /** Without an ID. */
  readonly anonymous: Buffer;
}

/** Starts every stream and tells the client how long to wait before it reconnects. */
export const OPENING = Buffer.from('retry: 2000\n\n');

/** Keeps proxies from closing an idle stream. */
export const HEARTBEAT = Buffer.from(':\n\n');

export function frameOf(message: Message): Frame {
  const id = idLine(message.id);
  const bytes = Buffer.from(`${id}event: message\ndata: ${JSON.stringify(toMessage(message))}\n\n`);
  return { bytes, anonymous: bytes.subarray(id.length) };
}

/** The line of an event with its ID, which has ASCII characters only. */
export function idLine(id: string): string {
  return `id: ${id}\n`;
}

/** Starts a stream of several channels, so that a client can resume that has received no message yet. */
export const POSITION_EVENT = 'event: position\ndata: {}\n\n';

/** Tells the client that it missed messages that are no longer kept; the kept ones follow. */
export function gapOf(channel: string): Buffer {
  return Buffer.from(`event: gap\ndata: ${JSON.stringify({ channel })}\n\n`);
}
