import { createHash } from 'node:crypto';
import { invalidField } from '../../../platform/errors/app-error.js';
import { MAX_SUBSCRIBED } from '../subscriptions/subscription.entity.js';

/** Pairs of a mark of the channel and the number of its last message to base 36, joined by `-`. */
export const POSITION = /^[0-9a-f]{8}\.[0-9a-z]{1,11}(?:-[0-9a-f]{8}\.[0-9a-z]{1,11})*$/;
/** Of a mark, a dot, the longest number and a hyphen. */
const PAIR_LENGTH = 21;
export const MAX_POSITION_LENGTH = MAX_SUBSCRIBED * PAIR_LENGTH;

/** The ID of an event in a stream of several channels: the position of the client in each of them. */
export function positionText(readers: readonly { channel: string; lastSeq: number }[]): string {
  return readers.map(({ channel, lastSeq }) => `${markOf(channel)}.${lastSeq.toString(36)}`).join('-');
}

/** The positions in those of the channels that the text names. Throws 400 for a text of another form. */
export function positionsIn(text: string, channels: readonly string[]): Map<string, number> {
  if (text.length > MAX_POSITION_LENGTH || !POSITION.test(text)) {
    throw invalidField('sinceId', 'is not the ID of an event of this stream', 'unknown_message');
  }
  const seqs = new Map(
    text.split('-').map((pair): [string, number] => [pair.slice(0, 8), parseInt(pair.slice(9), 36)]),
  );
  return new Map(
    channels.flatMap((channel): [string, number][] => {
      const seq = seqs.get(markOf(channel));
      return seq === undefined ? [] : [[channel, seq]];
    }),
  );
}

/** Short, because each event repeats the marks of all channels; 20 names differ in them. */
function markOf(channel: string): string {
  return createHash('sha256').update(channel).digest('hex').slice(0, 8);
}
