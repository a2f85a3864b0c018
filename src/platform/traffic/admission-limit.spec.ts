import { describe, expect, it } from '@jest/globals';
import { AdmissionLimit } from './admission-limit.js';

const late = { delayMs: 51, inFlight: 16 };
const inTime = { delayMs: 50, inFlight: 200 };

function after(limit: AdmissionLimit, looks: { delayMs: number; inFlight: number }[]): number[] {
  return looks.map((look) => {
    limit.adapt(look);
    return limit.value;
  });
}

describe('how many requests are let in at a time', () => {
  it('falls by a third while the event loop is late, and never below sixteen', () => {
    const limit = new AdmissionLimit({ most: 100, lateMs: 50 });
    expect(after(limit, Array<typeof late>(7).fill(late))).toEqual([70, 49, 34, 23, 16, 16, 16]);
  });

  it('rises by eight when it is in time, and never beyond what is allowed', () => {
    const limit = new AdmissionLimit({ most: 40, lateMs: 50 });
    after(limit, Array<typeof late>(9).fill(late));
    expect(after(limit, Array<typeof inTime>(5).fill(inTime))).toEqual([24, 32, 40, 40, 40]);
  });

  it('does not fall while there are but a few: they are not the reason', () => {
    expect(after(new AdmissionLimit({ most: 40, lateMs: 50 }), [{ delayMs: 5_000, inFlight: 15 }])).toEqual([40]);
  });

  it('stays at what is allowed where that is less than sixteen', () => {
    expect(after(new AdmissionLimit({ most: 3, lateMs: 50 }), [late, inTime])).toEqual([3, 3]);
  });
});
