import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dueAt, isTooLate, runTime } from './run-time.js';
import { freeFrom, type SendingWindow } from './sending-window.js';

const window = (over: Partial<SendingWindow> = {}): SendingWindow => ({
  timeZone: 'Europe/Berlin',
  quietHours: null,
  blackoutDays: [],
  ...over,
});
const free = (instant: string, over: Partial<SendingWindow>) =>
  freeFrom(new Date(instant), window(over))?.toISOString() ?? null;

describe('the time of a run', () => {
  it.each([
    ['in winter', { anchorDate: '2027-01-10', offsetDays: -7, sendTime: '09:00' }, '2027-01-03T08:00:00.000Z'],
    ['in summer', { anchorDate: '2027-07-10', offsetDays: 0, sendTime: '09:00' }, '2027-07-10T07:00:00.000Z'],
    [
      'counted over the clock change',
      { anchorDate: '2027-03-30', offsetDays: -7, sendTime: '09:00' },
      '2027-03-23T08:00:00.000Z',
    ],
    [
      'at a time that the clocks leave out',
      { anchorDate: '2027-03-28', offsetDays: 0, sendTime: '02:30' },
      '2027-03-28T01:30:00.000Z',
    ],
    [
      'at a time that comes twice, the first',
      { anchorDate: '2027-10-31', offsetDays: 0, sendTime: '02:30' },
      '2027-10-31T00:30:00.000Z',
    ],
    [
      'over the end of a leap February',
      { anchorDate: '2028-03-01', offsetDays: -1, sendTime: '00:00' },
      '2028-02-28T23:00:00.000Z',
    ],
  ])('the time of a run is correct %s', (_, due, expected) => {
    expect(dueAt(due, 'Europe/Berlin').toISOString()).toBe(expected);
  });

  it('the time of a run on a Saturday before two blackout days is the Wednesday after the quiet hours', () => {
    const spared = window({ blackoutDays: ['sat', 'sun', '12-27', '2027-12-28'], quietHours: '21:00-10:00' });
    const due = { anchorDate: '2027-12-25', offsetDays: 0, sendTime: '09:00' };
    expect(runTime(due, spared)?.toISOString()).toBe('2027-12-29T09:00:00.000Z');
  });
});

describe('quiet hours and blackout days', () => {
  const night = { quietHours: '21:00-08:00' };
  const moves: [string, { at: string; over: Partial<SendingWindow> }, string | null][] = [
    ['before midnight', { at: '2027-01-10T21:30:00Z', over: night }, '2027-01-11T07:00:00.000Z'],
    ['after midnight', { at: '2027-01-10T03:00:00Z', over: night }, '2027-01-10T07:00:00.000Z'],
    ['to the second of their beginning', { at: '2027-01-10T20:00:00Z', over: night }, '2027-01-11T07:00:00.000Z'],
    ['not at their end', { at: '2027-01-10T07:00:00Z', over: night }, '2027-01-10T07:00:00.000Z'],
    ['at noon', { at: '2027-01-10T12:15:00Z', over: { quietHours: '13:00-14:00' } }, '2027-01-10T13:00:00.000Z'],
    [
      'over the night on which clocks go forward',
      { at: '2027-03-27T22:00:00Z', over: night },
      '2027-03-28T06:00:00.000Z',
    ],
    [
      'that end in the hour left out',
      { at: '2027-03-28T00:30:00Z', over: { quietHours: '01:00-02:30' } },
      '2027-03-28T01:30:00.000Z',
    ],
    [
      'in the hour that comes again',
      { at: '2027-10-31T01:15:00Z', over: { quietHours: '01:00-02:30' } },
      '2027-10-31T01:30:00.000Z',
    ],
    [
      'every day of the week',
      { at: '2027-01-10T12:00:00Z', over: { blackoutDays: 'mon,tue,wed,thu,fri,sat,sun'.split(',') } },
      null,
    ],
  ];
  it.each(moves)('quiet hours and blackout days move a run: %s', (_, { at, over }, expected) => {
    expect(free(at, over)).toBe(expected);
  });

  it('quiet hours and blackout days never move a run to an earlier instant, nor a second time', () => {
    const days = fc.subarray(['mon', 'tue', 'sat', 'sun', '10-31', '03-28', '2027-03-29']);
    const time = fc.integer({ min: 0, max: 95 }).map((quarter) => {
      const [hours, minutes] = [Math.floor(quarter / 4), (quarter % 4) * 15];
      return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
    });
    const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe');
    const instant = fc.date({ min: new Date('2027-01-01'), max: new Date('2028-01-01'), noInvalidDate: true });
    const spares = fc.record({
      timeZone: zone,
      blackoutDays: days,
      quietHours: fc.tuple(time, time).map((times) => times.join('-')),
    });
    fc.assert(
      fc.property(instant, spares, (wanted, spared) => {
        const moved = freeFrom(wanted, spared);
        expect(moved).not.toBeNull();
        if (moved) expect([moved >= wanted, freeFrom(moved, spared)?.getTime()]).toEqual([true, moved.getTime()]);
      }),
    );
  });
});

it('a run is too late after its grace period, and never within a quarter of an hour', () => {
  const runAt = new Date('2027-01-10T08:00:00Z');
  const late = (minutes: number, graceHours: number) =>
    isTooLate(new Date(runAt.getTime() + minutes * 60_000), { runAt, graceHours });
  expect([late(15, 0), late(16, 0), late(60, 1), late(61, 1)]).toEqual([false, true, false, true]);
});
