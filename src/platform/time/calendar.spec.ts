import { describe, expect, it } from '@jest/globals';
import { daysAfter, daysBetween, isCalendarDay, isInstant, isTimeZone } from './calendar.js';

describe('a calendar day', () => {
  it.each(['2024-02-29', '1900-01-01', '2199-12-31'])('the calendar day %s exists', (day) =>
    expect(isCalendarDay(day)).toBe(true),
  );
  it.each([
    '2026-02-30',
    '2025-02-29',
    '1900-02-29',
    '0000-01-01',
    '1899-12-31',
    '2200-01-01',
    '10000-01-01',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    'today',
    'infinity',
    '',
    20260101,
    null,
  ])('the calendar day %s does not exist', (day) => expect(isCalendarDay(day)).toBe(false));
});

describe('an instant', () => {
  it.each(['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123456+05:30', '2026-11-21T23:59:59-08:00'])(
    '%s is an instant',
    (text) => expect(isInstant(text)).toBe(true),
  );
  it.each([
    '2026-11-21T10:00:00',
    '2026-11-21',
    '2026-02-30T10:00:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T10:00:00+99:99',
    '2026-11-21 10:00:00Z',
    1,
    null,
  ])('%s is not an instant', (text) => expect(isInstant(text)).toBe(false));
});

describe('a time zone', () => {
  it.each(['Europe/Bucharest', 'UTC', 'GMT', 'America/Argentina/Ushuaia', 'Etc/GMT+5'])(
    'a time zone may be %s',
    (name) => expect(isTimeZone(name)).toBe(true),
  );
  it.each([
    '+02:00',
    'IST',
    'CET',
    'EST5EDT',
    'Europe/',
    'Europe/Atlantis',
    '',
    'Europe/Bucharest\u0000',
    ' UTC',
    2,
    null,
  ])('a time zone must not be %j', (name) => expect(isTimeZone(name)).toBe(false));
});

describe('calculation with calendar days', () => {
  it.each([
    ['2028-02-28', 1, '2028-02-29'],
    ['2027-02-28', 1, '2027-03-01'],
    // The clocks change on this day in Europe.
    ['2027-03-28', 1, '2027-03-29'],
    ['2027-01-01', -1, '2026-12-31'],
  ])('%s and %i days are %s', (day, count, other) => {
    expect(daysAfter(day, count)).toBe(other);
    expect(daysBetween(day, other)).toBe(count);
  });
});
