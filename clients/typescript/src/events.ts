import { apiError } from './errors.js';
import type { Fetch } from './credentials.js';
import { random } from './retries.js';
import type { MessageResponse } from './schema.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** A message of a channel, and the position after it, with which `sinceId` resumes. */
export interface LiveEvent extends MessageResponse {
  position: string;
}

export interface Following {
  /** Up to 20 names; those that the caller may not read are left out. */
  channels: readonly string[];
  /** The position of the last event that was seen. Without one, events from now on are delivered. */
  sinceId?: string;
  signal?: AbortSignal;
  /** Messages of the channel were missed that are no longer kept: read again what depends on them. */
  onGap?: (channel: string) => void;
}

interface Subscription {
  data: { token: string };
}

export interface Streams {
  baseUrl: string;
  /** Sends requests with the credential of the caller, and repeats them. */
  send: Fetch;
  fetch: Fetch;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Where this credential subscribes. */
  surface: 'staff' | 'connect';
}

const SUBSCRIPTIONS = { staff: '/v1/admin/realtime/subscriptions', connect: '/connect/v1/realtime/subscriptions' };

/**
 * The events of channels, in order per channel. Connects again after each end of the stream and first delivers what was missed. Ends
 * with the signal, and throws `ApiError` when the caller may no longer subscribe.
 */
export async function* eventsOf(streams: Streams, following: Following): AsyncGenerator<LiveEvent, void, undefined> {
  const { signal = new AbortController().signal, onGap } = following;
  let { sinceId: position } = following;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const { id, event, data } of framesOf(await open(streams, following, { position, signal }))) {
        if (signal.aborted) return;
        failures = 0;
        if (id !== '') position = id;
        if (event === 'gap') onGap?.((JSON.parse(data) as { channel: string }).channel);
        if (event === 'message') yield { ...(JSON.parse(data) as MessageResponse), position: id };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Error && error.name === 'ApiError') throw error;
    }
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + random() / 2);
    await streams.wait(ms, signal).catch(() => undefined);
  }
}

async function open(
  { baseUrl, send, fetch, surface }: Streams,
  { channels }: Following,
  { position, signal }: { position: string | undefined; signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
  const body = JSON.stringify({ channels });
  const headers = { 'Content-Type': 'application/json' };
  const subscribed = await send(
    new Request(baseUrl + SUBSCRIPTIONS[surface], { method: 'POST', body, headers, signal }),
  );
  if (!subscribed.ok) throw apiError(subscribed, await subscribed.json().catch(() => null));
  const { data } = (await subscribed.json()) as Subscription;
  const query = position === undefined ? '' : `?sinceId=${encodeURIComponent(position)}`;
  const authorized = { Authorization: `Bearer ${data.token}` };
  const stream = await fetch(new Request(`${baseUrl}/realtime/v1/events${query}`, { headers: authorized, signal }));
  if (stream.ok && stream.body) return stream.body;
  throw new Error(`The stream was not opened: ${stream.status}`);
}

interface Frame {
  id: string;
  event: string;
  data: string;
}

/** The events of a stream of Server-Sent Events, as the HTML standard defines it; each event of the service has one line of data. */
async function* framesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void, undefined> {
  const [reader, decoder] = [stream.getReader(), new TextDecoder()];
  let received = '';
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const frames = (received + decoder.decode(chunk.value, { stream: true })).split('\n\n');
      received = frames.pop() ?? '';
      for (const frame of frames) yield frameOf(frame);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function frameOf(text: string): Frame {
  const fields = new Map(
    text.split('\n').map((line): [string, string] => {
      const [name = '', ...value] = line.split(':');
      return [name, value.join(':').replace(/^ /, '')];
    }),
  );
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: fields.get('data') ?? '' };
}
