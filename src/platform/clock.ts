import { Injectable } from '@nestjs/common';
import { Env } from './config/env.js';

/**
 * The only place that asks the machine for the time. A day is `YYYY-MM-DD` text in the organization's zone
 * (`ORG_TIME_ZONE`), never UTC: around midnight the two differ.
 */
@Injectable()
export class Clock {
  private readonly days: Intl.DateTimeFormat;
  private offsetMs = 0;

  constructor(env: Env) {
    // en-CA writes a date as YYYY-MM-DD.
    this.days = new Intl.DateTimeFormat('en-CA', { timeZone: env.orgTimeZone, dateStyle: 'short' });
  }

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  /** Today in the organization's time zone, `YYYY-MM-DD`. */
  today(): string {
    return this.dayOf(this.now());
  }

  /** The organization's calendar day of an instant, `YYYY-MM-DD`. */
  dayOf(instant: Date): string {
    return this.days.format(instant);
  }

  /** `now` plus a number of seconds, which may be negative. */
  inSeconds(seconds: number): Date {
    return new Date(this.now().getTime() + seconds * 1000);
  }

  /** Moves this clock against the machine's, in milliseconds; rehearsals and tests travel in time with it. */
  travel(offsetMs: number): void {
    this.offsetMs += offsetMs;
  }
}
