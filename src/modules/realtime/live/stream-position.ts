import { createHash } from 'node:crypto';
import { invalidField } from '../../../platform/errors/app-error.js';

/** Channels of one stream. */
export const MAX_FOLLOWED = 20;
/** Pairs of a mark of the channel and the number of its last message to base 36, joined by `-`. */
export const POSITION = /^[0-9a-f]{8}\.[0-9a-z]{1,11}(?:-[0-9a-f]{8}\.[0-9a-z]{1,11})*$/;
/** Of a mark, a dot, the longest number and a hyphen. */
const PAIR_LENGTH = 21;
export const MAX_POSITION_LENGTH = MAX_FOLLOWED * PAIR_LENGTH;

/** The ID of an event in a stream of several channels: the position of the client in each of them. */
export function positionText(readers: readonly { mark: string; lastSeq: number }[]): string {
  return readers.map(({ mark, lastSeq }) => `${mark}.${lastSeq.toString(36)}`).join('-');
}

/** The numbers of the last messages by the marks of their channels. Throws 400 for a text of another form. */
export function positionsIn(text: string): Map<string, number> {
  if (text.length > MAX_POSITION_LENGTH || !POSITION.test(text)) {
    throw invalidField('sinceId', 'is not the ID of an event of this stream', 'unknown_message');
  }
  return new Map(text.split('-').map((pair): [string, number] => [pair.slice(0, 8), parseInt(pair.slice(9), 36)]));
}

/** Short, because each event repeats the marks of all channels; 20 names differ in them. */
export function markOf(channel: string): string {
  return createHash('sha256').update(channel).digest('hex').slice(0, 8);
}
