import { describe, expect, it } from '@jest/globals';
import { type Cutoff, cutoffOf } from '../../products/index.js';
import { cutoffInstant, latestNoticeInstant } from './departure-deadlines.js';

const BUCHAREST = 'Europe/Bucharest';
const schedule = (startsAt: string, endsAt = startsAt, timeZone = BUCHAREST) => ({
  startsAt: new Date(startsAt),
  endsAt: new Date(endsAt),
  timeZone,
});

describe('the cut-off of a departure', () => {
  it.each<[string, Cutoff, string]>([
    ['2027-05-12T06:00:00Z', { minutesBefore: 90 }, '2027-05-12T04:30:00.000Z'],
    ['2027-05-12T06:00:00Z', { minutesBefore: 0 }, '2027-05-12T06:00:00.000Z'],
    ['2027-05-12T06:00:00Z', { daysBefore: 1, at: '18:00' }, '2027-05-11T15:00:00.000Z'],
    // Half past midnight in Bucharest is the day before in UTC.
    ['2027-05-11T21:30:00Z', { daysBefore: 1, at: '18:00' }, '2027-05-11T15:00:00.000Z'],
    // The clocks go forward on 28 March.
    ['2027-03-29T06:00:00Z', { daysBefore: 2, at: '18:00' }, '2027-03-27T16:00:00.000Z'],
    // This local time does not exist; the result is an hour later by the clock.
    ['2027-03-29T06:00:00Z', { daysBefore: 1, at: '03:30' }, '2027-03-28T01:30:00.000Z'],
    // This local time exists twice; the first counts.
    ['2027-11-01T06:00:00Z', { daysBefore: 1, at: '03:30' }, '2027-10-31T00:30:00.000Z'],
  ])('sales for a start at %s with the cut-off %j end at %s', (startsAt, cutoff, expected) => {
    expect(cutoffInstant(cutoff, schedule(startsAt))?.toISOString()).toBe(expected);
  });

  it('a cut-off later on the day of the start is the start', () => {
    const { startsAt } = schedule('2027-05-12T06:00:00Z');
    expect(cutoffInstant({ daysBefore: 0, at: '18:00' }, schedule('2027-05-12T06:00:00Z'))).toEqual(startsAt);
  });

  it.each([
    {},
    { daysBefore: 1 },
    { at: '18:00' },
    { minutesBefore: 1, at: '18:00' },
    { minutesBefore: 1, daysBefore: 1, at: '18:00' },
  ])('the cut-off %j has neither of the two forms', (body) => {
    const issue = expect.objectContaining({ path: 'cutoff', code: 'exactly_one' });
    expect(() => cutoffOf(body)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ issues: [issue] }) }),
    );
  });

  it('a cut-off is accepted in the form of a response, and none stays none', () => {
    expect(cutoffOf({ minutesBefore: 5, daysBefore: null, at: null })).toEqual({ minutesBefore: 5 });
    expect(cutoffOf({ minutesBefore: null, daysBefore: 1, at: '18:00' })).toEqual({ daysBefore: 1, at: '18:00' });
    expect([cutoffOf(null), cutoffInstant(null, schedule('2027-05-12T06:00:00Z'))]).toEqual([null, null]);
  });
});

describe('the latest notice that a package does not take place', () => {
  it.each([
    ['a day trip', '2027-05-12T06:00:00Z', '2027-05-12T15:00:00Z', '2027-05-10T06:00:00.000Z'],
    ['a day trip until midnight', '2027-05-12T06:00:00Z', '2027-05-12T21:00:00Z', '2027-05-10T06:00:00.000Z'],
    ['a trip of two days', '2027-05-12T06:00:00Z', '2027-05-13T15:00:00Z', '2027-05-05T06:00:00.000Z'],
    ['a trip of six days', '2027-05-12T06:00:00Z', '2027-05-17T15:00:00Z', '2027-05-05T06:00:00.000Z'],
    ['a trip of seven days', '2027-05-12T06:00:00Z', '2027-05-18T15:00:00Z', '2027-04-22T06:00:00.000Z'],
    // Keeps the local time, although the clocks go forward on 28 March.
    ['a week at Easter', '2027-04-01T06:00:00Z', '2027-04-08T06:00:00Z', '2027-03-12T07:00:00.000Z'],
  ])('%s, from %s to %s, can be cancelled for lack of participants until %s', (...[, startsAt, endsAt, expected]) => {
    expect(latestNoticeInstant(schedule(startsAt, endsAt)).toISOString()).toBe(expected);
  });
});
