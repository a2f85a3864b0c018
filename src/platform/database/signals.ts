import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Env } from '../config/env.js';
import { Database } from './database.js';
import { Listening } from './listening.js';

const EVERY_MS = 20;
/** PostgreSQL takes less than 8,000 bytes at a time. */
const MAX_PAYLOAD_BYTES = 7_000;

/** How far something has come, by its name. */
type Figure = readonly [name: string, figure: number];

/**
 * Tells the processes on this database how far something has come. It is fast and may get lost: whoever must know asks
 * the database as well, now and then. NOTIFY locks the whole instance while its transaction commits, so it is never part
 * of another one: one statement, at most every 20 ms, tells everything that has come since.
 */
@Injectable()
export class Signals implements OnModuleInit, OnApplicationShutdown {
  private readonly untold = new Map<string, Map<string, number>>();
  private readonly listening: Listening[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly env: Env,
  ) {}

  /** The timer starts here and not with a signal: it would run in that request's context. */
  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.listening.map((listening) => listening.stop()));
  }

  /** To be called after the commit. Of several figures of one name the highest is told. */
  tell(topic: string, name: string, figure: number): void {
    const figures = this.untold.get(topic) ?? new Map<string, number>();
    this.untold.set(topic, figures);
    figures.set(name, Math.max(figure, figures.get(name) ?? 0));
  }

  /** Calls `hear` for what any process tells under this topic from now on, on a connection of its own. */
  listen(topic: string, hear: (name: string, figure: number) => void): void {
    const onPayload = (payload: string) => {
      for (const [name, figure] of JSON.parse(payload) as Figure[]) hear(name, figure);
    };
    this.listening.push(new Listening(this.env.databaseUrl, topic, onPayload));
  }

  private async flush(): Promise<void> {
    if (this.untold.size === 0) return;
    const messages = [...this.untold].flatMap(([topic, figures]) =>
      payloadsOf([...figures]).map((payload) => [topic, payload] as const),
    );
    this.untold.clear();
    // What does not get out is found by those who ask; that the database is away, others say.
    await this.database
      .query('select pg_notify(topic, payload) from unnest($1::text[], $2::text[]) as told (topic, payload)', [
        messages.map(([topic]) => topic),
        messages.map(([, payload]) => payload),
      ])
      .catch(() => undefined);
  }
}

/** The figures as JSON, in as many parts as it takes. */
function payloadsOf(figures: Figure[]): string[] {
  const payload = JSON.stringify(figures);
  if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES || figures.length === 1) return [payload];
  const half = Math.ceil(figures.length / 2);
  return [...payloadsOf(figures.slice(0, half)), ...payloadsOf(figures.slice(half))];
}
