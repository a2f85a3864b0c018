import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { earlier, instantOf, wallTimeOf, localTimeText } from './local-time.js';

const BUCHAREST = 'Europe/Bucharest';
const ZONES = [BUCHAREST, 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];

const wall = (text: string) => Date.parse(`${text}Z`);
const anInstant = fc.date({ min: new Date('1995-01-01'), max: new Date('2060-01-01'), noInvalidDate: true });

describe('the local time of a time zone', () => {
  it('the local time of a time zone is correct', () => {
    expect(wallTimeOf(new Date('2026-05-12T06:00:00.123Z'), BUCHAREST)).toBe(wall('2026-05-12T09:00:00.123'));
    expect(wallTimeOf(new Date('2026-01-01T00:00:00Z'), 'America/New_York')).toBe(wall('2025-12-31T19:00:00'));
  });

  it('a repeated local hour at the end of summer time means the first one', () => {
    expect(instantOf(wall('2026-10-25T03:30:00'), BUCHAREST)).toEqual(new Date('2026-10-25T00:30:00Z'));
  });

  it('a local time skipped at the start of summer time is the same duration after the change', () => {
    expect(instantOf(wall('2026-03-29T03:30:00'), BUCHAREST)).toEqual(new Date('2026-03-29T01:30:00Z'));
  });

  it('an instant converted to local time and back has the same local time', () => {
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

describe('a time that is days and hours earlier', () => {
  it('a time that is days and hours earlier is the same local time on the day, minus the elapsed hours', () => {
    const terms = fc.record({ days: fc.integer({ min: 1, max: 4_000 }), hours: fc.integer({ min: 0, max: 9_000 }) });
    fc.assert(
      fc.property(anInstant, terms, fc.constantFrom(...ZONES), (instant, { days, hours }, timeZone) => {
        const wanted = wallTimeOf(instant, timeZone) - days * 86_400_000;
        const onTheDay = earlier(instant, { days, hours: 0, timeZone });
        const jump = wallTimeOf(onTheDay, timeZone) - wanted;
        // Only a skipped local time is another one; Samoa once skipped a day.
        expect(jump === 0 || instantOf(wanted, timeZone).getTime() === onTheDay.getTime()).toBe(true);
        expect(Math.abs(jump)).toBeLessThanOrEqual(24 * 3_600_000);
        expect(earlier(instant, { days, hours, timeZone }).getTime()).toBe(onTheDay.getTime() - hours * 3_600_000);
      }),
    );
  });

  it('a time that is no days and hours earlier is the instant itself, also in a repeated hour', () => {
    fc.assert(
      fc.property(anInstant, fc.constantFrom(...ZONES), (instant, timeZone) => {
        expect(earlier(instant, { days: 0, hours: 0, timeZone })).toEqual(instant);
      }),
    );
    const second = new Date('2026-10-25T01:30:00Z');
    expect(earlier(second, { days: 0, hours: 0, timeZone: BUCHAREST })).toEqual(second);
  });

  it('a time that is more days or hours earlier is never later', () => {
    const few = fc.integer({ min: 0, max: 800 });
    fc.assert(
      fc.property(anInstant, fc.tuple(few, few), fc.constantFrom(...ZONES), (instant, [days, hours], timeZone) => {
        const at = earlier(instant, { days, hours, timeZone }).getTime();
        expect(earlier(instant, { days, hours: hours + 1, timeZone }).getTime()).toBeLessThan(at);
        // At most one day can be lost to a change of the clocks.
        expect(earlier(instant, { days: days + 2, hours, timeZone }).getTime()).toBeLessThan(at);
      }),
    );
  });
});

it.each([
  ['2026-03-28T07:00:00.500Z', 'Europe/Bucharest', '2026-03-28T09:00:00+02:00'],
  ['2026-03-29T06:00:00Z', 'Europe/Bucharest', '2026-03-29T09:00:00+03:00'],
  ['2026-10-25T00:30:00Z', 'Europe/Bucharest', '2026-10-25T03:30:00+03:00'],
  ['2026-10-25T01:30:00Z', 'Europe/Bucharest', '2026-10-25T03:30:00+02:00'],
  ['2026-01-01T03:00:00Z', 'America/St_Johns', '2025-12-31T23:30:00-03:30'],
])('the instant %s in %s is %s', (instant, zone, text) => {
  expect(localTimeText(new Date(instant), zone)).toBe(text);
});
