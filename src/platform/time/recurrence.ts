import { isCalendarDay } from './calendar.js';

const DAY_MS = 86_400_000;
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const MAX_INTERVAL = 1_000;
const MAX_COUNT = 2_000;
const NUMBER = /^[+-]?\d{1,4}$/;

type Frequency = (typeof FREQUENCIES)[number];

/** `weekday` is 0 for Monday; `nth` counts within the month or the year, from its end if it is negative. */
interface RuleDay {
  weekday: number;
  nth: number | null;
}

/** A recurrence rule of RFC 5545 (3.3.10) for days. */
export interface Recurrence {
  frequency: Frequency;
  interval: number;
  count: number | null;
  /** Inclusive. */
  until: string | null;
  byDay: RuleDay[];
  byMonthDay: number[];
  byMonth: number[];
  bySetPosition: number[];
}

/**
 * Reads a rule with the parts FREQ (DAILY to YEARLY), INTERVAL (at most 1,000), BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, and COUNT (at
 * most 2,000) or UNTIL (`YYYYMMDD`). Weeks begin on Monday. Returns null for any other rule.
 */
export function parseRecurrence(text: string): Recurrence | null {
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value = '', ...more] = part.split('=');
    if (value === '' || more.length > 0 || parts.has(name) || !KNOWN.has(name)) return null;
    parts.set(name, value);
  }
  const frequency = FREQUENCIES.find((one) => one === parts.get('FREQ'));
  const until = parts.has('UNTIL') ? dayOf(parts.get('UNTIL') ?? '') : null;
  if (!frequency || until === undefined || (parts.has('COUNT') && parts.has('UNTIL'))) return null;
  const numbers = (name: string, fits: (value: number) => boolean): number[] | null => {
    const values = parts.get(name)?.split(',') ?? [];
    return values.every((value) => NUMBER.test(value) && fits(Number(value))) ? values.map(Number) : null;
  };
  const [interval] = numbers('INTERVAL', (value) => value >= 1 && value <= MAX_INTERVAL) ?? [NaN];
  const [count = null] = numbers('COUNT', (value) => value >= 1 && value <= MAX_COUNT) ?? [NaN];
  const byMonth = numbers('BYMONTH', (value) => value >= 1 && value <= 12);
  const byMonthDay = numbers('BYMONTHDAY', (value) => value !== 0 && Math.abs(value) <= 31);
  const bySetPosition = numbers('BYSETPOS', (value) => value !== 0 && Math.abs(value) <= 366);
  const byDay = ruleDays(parts.get('BYDAY'), frequency);
  if (!byMonth || !byMonthDay || !bySetPosition || !byDay) return null;
  if (Number.isNaN(interval) || Number.isNaN(count)) return null;
  // RFC 5545 forbids days of the month in weekly rules, and positions without a set.
  if (frequency === 'WEEKLY' && byMonthDay.length > 0) return null;
  if (bySetPosition.length > 0 && byDay.length + byMonthDay.length + byMonth.length === 0) return null;
  return { frequency, interval: interval ?? 1, count, until, byDay, byMonthDay, byMonth, bySetPosition };
}

/**
 * The days of a rule from its first day to the last one, both inclusive. The first day counts only if it matches. The cost depends on
 * the number of days between, also for a rule that never matches.
 */
export function recurrenceDays(rule: Recurrence, { first, last }: { first: string; last: string }): string[] {
  const [from, to] = [numberOf(first), numberOf(rule.until !== null && rule.until < last ? rule.until : last)];
  const days: string[] = [];
  for (let period = periodOf(from, rule.frequency); ; period = following(period, rule)) {
    const [start, end] = boundsOf(period, rule.frequency);
    if (start > to) return days;
    for (const day of matching(rule, { start, end, from })) {
      if (day < from) continue;
      if (day > to || days.length === rule.count) return days;
      days.push(textOf(day));
    }
  }
}

const KNOWN = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'BYSETPOS']);

function ruleDays(value: string | undefined, frequency: Frequency): RuleDay[] | null {
  const days = (value?.split(',') ?? []).map((text): RuleDay | null => {
    const [, nth = '', name = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(text) ?? [];
    const weekday = WEEKDAYS.indexOf(name);
    if (weekday === -1) return null;
    if (nth === '') return { weekday, nth: null };
    const isCounted = frequency === 'MONTHLY' || frequency === 'YEARLY';
    return isCounted && Number(nth) !== 0 && Math.abs(Number(nth)) <= 53 ? { weekday, nth: Number(nth) } : null;
  });
  return days.every((day) => day !== null) ? days : null;
}

/** Undefined for a text that is no day. */
function dayOf(text: string): string | undefined {
  const day = text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return isCalendarDay(day) ? day : undefined;
}

/** The number of a day, week (from Monday), month or year. */
function periodOf(day: number, frequency: Frequency): number {
  const date = new Date(day * DAY_MS);
  switch (frequency) {
    case 'DAILY':
      return day;
    case 'WEEKLY':
      return Math.floor((day + 3) / 7);
    case 'MONTHLY':
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    case 'YEARLY':
      return date.getUTCFullYear();
  }
}

function following(period: number, { interval }: Recurrence): number {
  return period + interval;
}

/** The first and the last day of a period. */
function boundsOf(period: number, frequency: Frequency): [number, number] {
  switch (frequency) {
    case 'DAILY':
      return [period, period];
    case 'WEEKLY':
      return [period * 7 - 3, period * 7 + 3];
    case 'MONTHLY':
      return [monthStart(period), monthStart(period + 1) - 1];
    case 'YEARLY':
      return [monthStart(period * 12), monthStart((period + 1) * 12) - 1];
  }
}

function monthStart(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12) / DAY_MS;
}

/** The days of a period that match the rule. What the rule does not name comes from its first day. */
function matching(rule: Recurrence, { start, end, from }: { start: number; end: number; from: number }): number[] {
  const { bySetPosition } = rule;
  const filled = withDefaults(rule, from);
  const set: number[] = [];
  for (let day = start; day <= end; day += 1) if (matches(filled, day)) set.push(day);
  if (bySetPosition.length === 0) return set;
  return set.filter((_, index) => bySetPosition.includes(index + 1) || bySetPosition.includes(index - set.length));
}

function withDefaults(rule: Recurrence, from: number): Recurrence {
  const { frequency, byDay, byMonthDay, byMonth } = rule;
  if (frequency === 'DAILY' || byDay.length > 0 || byMonthDay.length > 0) return rule;
  if (frequency === 'WEEKLY') return { ...rule, byDay: [{ weekday: weekdayOf(from), nth: null }] };
  const date = new Date(from * DAY_MS);
  const months = frequency === 'YEARLY' && byMonth.length === 0 ? [date.getUTCMonth() + 1] : byMonth;
  return { ...rule, byMonth: months, byMonthDay: [date.getUTCDate()] };
}

function matches({ frequency, byDay, byMonthDay, byMonth }: Recurrence, day: number): boolean {
  const date = new Date(day * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (byMonth.length > 0 && !byMonth.includes(month + 1)) return false;
  const [first, next] = [monthStart(year * 12 + month), monthStart(year * 12 + month + 1)];
  if (byMonthDay.length > 0 && !byMonthDay.includes(day - first + 1) && !byMonthDay.includes(day - next)) return false;
  if (byDay.length === 0) return true;
  const isByYear = frequency === 'YEARLY' && byMonth.length === 0;
  const [from, to] = isByYear ? [monthStart(year * 12), monthStart((year + 1) * 12)] : [first, next];
  const [fromStart, fromEnd] = [Math.floor((day - from) / 7) + 1, -Math.floor((to - 1 - day) / 7) - 1];
  return byDay.some(
    ({ weekday, nth }) => weekday === weekdayOf(day) && (nth === null || nth === fromStart || nth === fromEnd),
  );
}

/** 0 for Monday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function numberOf(day: string): number {
  return Date.parse(day) / DAY_MS;
}

function textOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
