import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { earlier, instantOf, wallTimeOf } from './local-time.js';

const BUCHAREST = 'Europe/Bucharest';
const ZONES = [BUCHAREST, 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];

const wall = (text: string) => Date.parse(`${text}Z`);
const anInstant = fc.date({ min: new Date('1995-01-01'), max: new Date('2060-01-01'), noInvalidDate: true });

describe('the clocks of a zone', () => {
  it('show the local time', () => {
    expect(wallTimeOf(new Date('2026-05-12T06:00:00.123Z'), BUCHAREST)).toBe(wall('2026-05-12T09:00:00.123'));
    expect(wallTimeOf(new Date('2026-01-01T00:00:00Z'), 'America/New_York')).toBe(wall('2025-12-31T19:00:00'));
  });

  it('show an hour twice as they go back: the first is meant', () => {
    expect(instantOf(wall('2026-10-25T03:30:00'), BUCHAREST)).toEqual(new Date('2026-10-25T00:30:00Z'));
  });

  it('leave out an hour as they go forward: what they never show is as long after the jump', () => {
    expect(instantOf(wall('2026-03-29T03:30:00'), BUCHAREST)).toEqual(new Date('2026-03-29T01:30:00Z'));
  });

  it('and back again give the same local time', () => {
    fc.assert(
      fc.property(anInstant, fc.constantFrom(...ZONES), (instant, zone) => {
        const shown = wallTimeOf(instant, zone);
        const back = instantOf(shown, zone);
        expect(wallTimeOf(back, zone)).toBe(shown);
        expect(back.getTime()).toBeLessThanOrEqual(instant.getTime());
      }),
    );
  });
});

describe('so many days and hours earlier', () => {
  it('is the same local time on the day, less the elapsed hours', () => {
    const terms = fc.record({ days: fc.integer({ min: 1, max: 4_000 }), hours: fc.integer({ min: 0, max: 9_000 }) });
    fc.assert(
      fc.property(anInstant, terms, fc.constantFrom(...ZONES), (instant, { days, hours }, timeZone) => {
        const wanted = wallTimeOf(instant, timeZone) - days * 86_400_000;
        const onTheDay = earlier(instant, { days, hours: 0, timeZone });
        const jump = wallTimeOf(onTheDay, timeZone) - wanted;
        // Only a local time that the clocks leave out is another one; Samoa once left out a day.
        expect(jump === 0 || instantOf(wanted, timeZone).getTime() === onTheDay.getTime()).toBe(true);
        expect(Math.abs(jump)).toBeLessThanOrEqual(24 * 3_600_000);
        expect(earlier(instant, { days, hours, timeZone }).getTime()).toBe(onTheDay.getTime() - hours * 3_600_000);
      }),
    );
  });

  it('is the instant itself for none, also in an hour that comes twice', () => {
    fc.assert(
      fc.property(anInstant, fc.constantFrom(...ZONES), (instant, timeZone) => {
        expect(earlier(instant, { days: 0, hours: 0, timeZone })).toEqual(instant);
      }),
    );
    const second = new Date('2026-10-25T01:30:00Z');
    expect(earlier(second, { days: 0, hours: 0, timeZone: BUCHAREST })).toEqual(second);
  });

  it('is never later for more days or hours', () => {
    const few = fc.integer({ min: 0, max: 800 });
    fc.assert(
      fc.property(anInstant, fc.tuple(few, few), fc.constantFrom(...ZONES), (instant, [days, hours], timeZone) => {
        const at = earlier(instant, { days, hours, timeZone }).getTime();
        expect(earlier(instant, { days, hours: hours + 1, timeZone }).getTime()).toBeLessThan(at);
        // A day may be lost to a change of the clocks, never more.
        expect(earlier(instant, { days: days + 2, hours, timeZone }).getTime()).toBeLessThan(at);
      }),
    );
  });
});
