import { describe, expect, it } from '@jest/globals';
import { AdmissionLimit } from './admission.js';

const late = { delayMs: 51, inFlight: 16 };
const inTime = { delayMs: 50, inFlight: 200 };

function after(limit: AdmissionLimit, looks: { delayMs: number; inFlight: number }[]): number[] {
  return looks.map((look) => {
    limit.adapt(look);
    return limit.value;
  });
}

describe('the limit of concurrent requests', () => {
  it('the limit of concurrent requests falls by a third while the event loop is late, and never below sixteen', () => {
    const limit = new AdmissionLimit({ most: 100, lateMs: 50 });
    expect(after(limit, Array<typeof late>(7).fill(late))).toEqual([70, 49, 34, 23, 16, 16, 16]);
  });

  it('the limit of concurrent requests rises by eight when the event loop is in time, up to the maximum', () => {
    const limit = new AdmissionLimit({ most: 40, lateMs: 50 });
    after(limit, Array<typeof late>(9).fill(late));
    expect(after(limit, Array<typeof inTime>(5).fill(inTime))).toEqual([24, 32, 40, 40, 40]);
  });

  it('the limit of concurrent requests does not fall while there are only few, because they are not the reason', () => {
    expect(after(new AdmissionLimit({ most: 40, lateMs: 50 }), [{ delayMs: 5_000, inFlight: 15 }])).toEqual([40]);
  });

  it('the limit of concurrent requests stays at its maximum if that is below sixteen', () => {
    expect(after(new AdmissionLimit({ most: 3, lateMs: 50 }), [late, inTime])).toEqual([3, 3]);
  });
});
