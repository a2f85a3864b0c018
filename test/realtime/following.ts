import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { EventSource } from 'eventsource';
import { eventually } from '../launcher/wait.js';
import type { TestApp } from '../setup/app.js';
import type { Message } from './channel.js';

export const eventsOf = (channel: string) => `/realtime/v1/channels/${channel}/events`;

const open = new Set<() => void>();

/** Closes the streams that a test has opened after its end. */
export function closeStreams(): void {
  for (const close of open) close();
  open.clear();
}

interface Place {
  url: string;
  token: string;
  channel: string;
  sinceId?: string;
}

/** The stream of a path; without a token only the path permits it. */
interface Followed {
  url: string;
  path: string;
  token?: string;
  sinceId?: string;
}

function followed(place: Place | Followed): Followed {
  return 'path' in place ? place : { ...place, path: eventsOf(place.channel) };
}

/** A standard EventSource client that subscribes to a channel and records its messages. */
export class StreamClient {
  readonly messages: Message[] = [];
  gaps = 0;
  opened = 0;
  lastEventId = '';
  /** Statuses of responses that were not a stream. */
  readonly rejectedStatuses: number[] = [];
  private readonly source: EventSource;

  private constructor({ url, path, token, sinceId }: Followed) {
    const query = sinceId === undefined ? '' : `?sinceId=${sinceId}`;
    const credential: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.source = new EventSource(`${url}${path}${query}`, {
      fetch: (address, init) => fetch(address, { ...init, headers: { ...init.headers, ...credential } }),
    });
    this.source.addEventListener('open', () => (this.opened += 1));
    this.source.addEventListener('message', ({ data }) => this.messages.push(JSON.parse(String(data)) as Message));
    for (const event of ['message', 'position']) {
      this.source.addEventListener(
        event,
        ({ lastEventId }: { lastEventId?: string }) => (this.lastEventId = lastEventId ?? ''),
      );
    }
    this.source.addEventListener('gap', () => (this.gaps += 1));
    this.source.addEventListener('error', ({ code }) => {
      if (code !== undefined) this.rejectedStatuses.push(code);
    });
    open.add(() => this.close());
  }

  /** Resolves when the stream is open. */
  static async open(place: Place | Followed): Promise<StreamClient> {
    const follower = new StreamClient(followed(place));
    await eventually(async () => (follower.opened > 0 ? true : null));
    return follower;
  }

  get data(): unknown[] {
    return this.messages.map(({ data }) => data);
  }

  /** Waits until there are `count` messages. */
  async until(count: number): Promise<void> {
    await eventually(async () => (this.messages.length >= count ? true : null));
  }

  close(): void {
    this.source.close();
  }
}

/** The raw response to a request for a stream, for details that EventSource hides. It reads nothing unless requested. */
export async function rawStream(
  place: Place | Followed,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ response: IncomingMessage; call: ClientRequest }> {
  const { url, path, token, sinceId } = followed(place);
  const query = sinceId === undefined ? '' : `?sinceId=${sinceId}`;
  const credential = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const call = request(`${url}${path}${query}`, { method, agent: false, headers: { ...credential, ...headers } });
  call.on('error', () => undefined);
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  open.add(() => call.destroy());
  return { response, call };
}

/** Everything that arrived before the stream was closed. */
export async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch {
    // It was closed in the middle of a message.
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the messages that arrived completely. */
export function idsIn(received: string): string[] {
  const whole = received.split('\n\n').slice(0, -1);
  return whole.flatMap((frame) => {
    const line = frame.split('\n').find((one) => one.startsWith('data: '));
    return line ? [(JSON.parse(line.slice(6)) as Message).id] : [];
  });
}

/** The number of processes that listen for notifications. */
export async function listenersOf(app: TestApp): Promise<number> {
  const rows = await app.sql(
    `select from pg_stat_activity
     where application_name = 'travel-operations-notifier' and datname = current_database() and query like 'listen%'`,
  );
  return rows.length;
}

/** The number of live streams according to the service. */
export async function streamsOf(app: TestApp): Promise<number> {
  const { text: metrics } = await app.get('/metrics');
  return Number(/^realtime_streams (\d+)$/m.exec(metrics)?.[1]);
}
