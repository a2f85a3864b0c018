import rrule from 'rrule';
import { describe, expect, it } from '@jest/globals';
import { parseRecurrence, recurrenceDays } from './recurrence.js';

const { RRule } = rrule;
const DAY_MS = 86_400_000;

/** The days by the library, which takes seconds for a rule that never matches and is no input for a service. */
function expected(text: string, first: string, last: string): string[] {
  const options = RRule.parseString(text);
  const rule = new RRule({ ...options, dtstart: new Date(first), until: options.until ?? new Date(last) });
  return rule
    .all()
    .map((date) => date.toISOString().slice(0, 10))
    .filter((day) => day <= last);
}

const days = (text: string, first: string, last: string): string[] => {
  const rule = parseRecurrence(text);
  if (!rule) throw new Error(`${text} is rejected`);
  return recurrenceDays(rule, { first, last });
};

const RULES = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3;COUNT=40',
  'FREQ=DAILY;BYMONTH=6,7,8;BYDAY=SA,SU',
  'FREQ=WEEKLY',
  'FREQ=WEEKLY;BYDAY=TU,TH,SA',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU',
  'FREQ=WEEKLY;BYDAY=SU;UNTIL=20270630',
  'FREQ=MONTHLY',
  'FREQ=MONTHLY;BYDAY=2MO,-1FR',
  'FREQ=MONTHLY;BYMONTHDAY=1,15,-1',
  'FREQ=MONTHLY;BYMONTHDAY=31',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR',
  'FREQ=MONTHLY;INTERVAL=5;BYDAY=SA',
  'FREQ=YEARLY',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYMONTH=5;BYDAY=1SU,-1SU',
  'FREQ=YEARLY;BYDAY=20MO',
  'FREQ=YEARLY;BYMONTHDAY=10',
  'FREQ=YEARLY;BYMONTH=3,9',
];

describe('the days of a recurrence rule', () => {
  it.each(RULES)('%s has the days of the library, from any first day', (text) => {
    for (const offset of [0, 3, 17, 58, 59, 364]) {
      const first = new Date(Date.UTC(2027, 0, 1) + offset * DAY_MS).toISOString().slice(0, 10);
      expect([first, days(text, first, '2031-12-31')]).toEqual([first, expected(text, first, '2031-12-31')]);
    }
  });

  it('positions count in the whole week, also before the first day', () => {
    // 2027-01-01 is a Friday.
    const week = days('FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1,-1', '2027-01-01', '2027-01-11');
    expect(week).toEqual(['2027-01-01', '2027-01-04', '2027-01-08', '2027-01-11']);
  });

  it('a rule that never matches ends with its last day', () => {
    expect(days('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', '2027-01-01', '2029-01-01')).toEqual([]);
    expect(days('FREQ=DAILY;BYDAY=MO;BYSETPOS=2', '2027-01-01', '2029-01-01')).toEqual([]);
  });

  it.each([
    ...[
      '',
      'FREQ=HOURLY',
      'DAILY',
      'FREQ=DAILY;FREQ=DAILY',
      'FREQ=DAILY;WKST=SU',
      'INTERVAL=2',
      'FREQ=DAILY;INTERVAL=0',
    ],
    ...[
      'FREQ=DAILY;INTERVAL=1001',
      'FREQ=DAILY;COUNT=2001',
      'FREQ=DAILY;COUNT=2;UNTIL=20270101',
      'FREQ=DAILY;UNTIL=20270230',
    ],
    ...['FREQ=WEEKLY;BYDAY=1MO', 'FREQ=WEEKLY;BYMONTHDAY=1', 'FREQ=MONTHLY;BYDAY=XX', 'FREQ=MONTHLY;BYMONTHDAY=0'],
    ...['FREQ=MONTHLY;BYMONTHDAY=32', 'FREQ=YEARLY;BYMONTH=13', 'FREQ=MONTHLY;BYSETPOS=1', 'FREQ=DAILY;', 'freq=daily'],
    'FREQ=DAILY;UNTIL=20270101T000000Z',
  ])('%j is rejected', (text) => {
    expect(parseRecurrence(text)).toBeNull();
  });
});
