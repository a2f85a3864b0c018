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
    ['in winter', '2027-01-10', -7, '09:00', '2027-01-03T08:00:00.000Z'],
    ['in summer', '2027-07-10', 0, '09:00', '2027-07-10T07:00:00.000Z'],
    ['counted over the clock change', '2027-03-30', -7, '09:00', '2027-03-23T08:00:00.000Z'],
    ['at a time that the clocks leave out', '2027-03-28', 0, '02:30', '2027-03-28T01:30:00.000Z'],
    ['at a time that comes twice, the first', '2027-10-31', 0, '02:30', '2027-10-31T00:30:00.000Z'],
    ['over the end of a leap February', '2028-03-01', -1, '00:00', '2028-02-28T23:00:00.000Z'],
  ])('%s', (_, anchorDate, offsetDays, sendTime, expected) => {
    expect(dueAt({ anchorDate, offsetDays, sendTime }, 'Europe/Berlin').toISOString()).toBe(expected);
  });

  it('of a Saturday before two blackout days is the Wednesday, after the quiet hours', () => {
    const spared = window({ blackoutDays: ['sat', 'sun', '12-27', '2027-12-28'], quietHours: '21:00-10:00' });
    const due = { anchorDate: '2027-12-25', offsetDays: 0, sendTime: '09:00' };
    expect(runTime(due, spared)?.toISOString()).toBe('2027-12-29T09:00:00.000Z');
  });
});

describe('quiet hours and blackout days', () => {
  const night = { quietHours: '21:00-08:00' };
  it.each([
    ['before midnight', '2027-01-10T21:30:00Z', night, '2027-01-11T07:00:00.000Z'],
    ['after midnight', '2027-01-10T03:00:00Z', night, '2027-01-10T07:00:00.000Z'],
    ['to the second of their beginning', '2027-01-10T20:00:00Z', night, '2027-01-11T07:00:00.000Z'],
    ['not at their end', '2027-01-10T07:00:00Z', night, '2027-01-10T07:00:00.000Z'],
    ['at noon', '2027-01-10T12:15:00Z', { quietHours: '13:00-14:00' }, '2027-01-10T13:00:00.000Z'],
    ['over the night on which clocks go forward', '2027-03-27T22:00:00Z', night, '2027-03-28T06:00:00.000Z'],
    [
      'that end in the hour left out',
      '2027-03-28T00:30:00Z',
      { quietHours: '01:00-02:30' },
      '2027-03-28T01:30:00.000Z',
    ],
    ['in the hour that comes again', '2027-10-31T01:15:00Z', { quietHours: '01:00-02:30' }, '2027-10-31T01:30:00.000Z'],
    ['every day of the week', '2027-01-10T12:00:00Z', { blackoutDays: 'mon,tue,wed,thu,fri,sat,sun'.split(',') }, null],
  ])('%s', (_, instant, over, expected) => {
    expect(free(instant, over)).toBe(expected);
  });

  it('move nobody to an earlier moment, and whom they moved they leave where he is', () => {
    const days = fc.subarray(['mon', 'tue', 'sat', 'sun', '10-31', '03-28', '2027-03-29']);
    const time = fc.integer({ min: 0, max: 95 }).map((quarter) => {
      const [hours, minutes] = [Math.floor(quarter / 4), (quarter % 4) * 15];
      return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
    });
    const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe');
    const instant = fc.date({ min: new Date('2027-01-01'), max: new Date('2028-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, zone, days, time, time, (wanted, timeZone, blackoutDays, from, to) => {
        const spared = window({ timeZone, blackoutDays, quietHours: `${from}-${to}` });
        const moved = freeFrom(wanted, spared);
        expect(moved).not.toBeNull();
        if (moved) expect([moved >= wanted, freeFrom(moved, spared)?.getTime()]).toEqual([true, moved.getTime()]);
      }),
    );
  });
});

it('is too late after its grace, and never within a quarter of an hour', () => {
  const runAt = new Date('2027-01-10T08:00:00Z');
  const late = (minutes: number, graceHours: number) =>
    isTooLate(new Date(runAt.getTime() + minutes * 60_000), { runAt, graceHours });
  expect([late(15, 0), late(16, 0), late(60, 1), late(61, 1)]).toEqual([false, true, false, true]);
});
