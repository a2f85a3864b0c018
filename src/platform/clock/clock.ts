import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';

const MINUTE_MS = 60_000;

/**
 * The only source of the current time. A day is `YYYY-MM-DD` text in the organization's zone (`ORG_TIME_ZONE`), never
 * UTC: around midnight the two differ.
 */
@Injectable()
export class Clock {
  private readonly days: Intl.DateTimeFormat;
  private offsetMs = 0;
  private known = { minute: NaN, day: '' };

  constructor(env: Env) {
    // The locale en-CA formats a date as YYYY-MM-DD.
    this.days = new Intl.DateTimeFormat('en-CA', { timeZone: env.orgTimeZone, dateStyle: 'short' });
  }

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  /**
   * Milliseconds since an arbitrary start. Measure durations with it: `now` jumps when the system time is set, which would empty
   * rate limits or keep a revoked credential.
   */
  elapsedMs(): number {
    return performance.now() + this.offsetMs;
  }

  /** Today in the organization's time zone, `YYYY-MM-DD`. */
  today(): string {
    const now = this.now();
    // Days begin at whole minutes in every time zone, and formatting a day takes as long as a small statement.
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (minute !== this.known.minute) this.known = { minute, day: this.dayOf(now) };
    return this.known.day;
  }

  /** The organization's calendar day of an instant, `YYYY-MM-DD`. */
  dayOf(instant: Date): string {
    return this.days.format(instant);
  }

  /** `now` plus a number of seconds, which may be negative. */
  inSeconds(seconds: number): Date {
    return new Date(this.now().getTime() + seconds * 1000);
  }

  /** Lets this many milliseconds pass, which may be negative; for tests. */
  travel(offsetMs: number): void {
    this.offsetMs += offsetMs;
  }
}
