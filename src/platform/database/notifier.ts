import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/**
 * Tells other processes, after the commit, that there is something new. Inside a transaction NOTIFY would take a lock of the
 * whole database, which commits would queue for. Nothing may rest on a notice: it is lost with a connection.
 */
@Injectable()
export class Notifier {
  private readonly waiting: { channel: string; payload: string }[] = [];
  private flushing = false;

  constructor(private readonly database: Database) {}

  /** Leaves after the running transaction's commit; at once where there is none. */
  send(channel: string, payload: string): void {
    this.database.afterCommit(() => {
      this.waiting.push({ channel, payload });
      if (!this.flushing) void this.flush();
    });
  }

  /** One statement for everything that has come up meanwhile. */
  private async flush(): Promise<void> {
    this.flushing = true;
    while (this.waiting.length > 0) {
      const notices = this.waiting.splice(0);
      await this.database
        .apart(() =>
          this.database.query('select pg_notify(c, p) from unnest($1::text[], $2::text[]) as n (c, p)', [
            notices.map(({ channel }) => channel),
            notices.map(({ payload }) => payload),
          ]),
        )
        .catch(() => undefined);
    }
    this.flushing = false;
  }
}
