import { expect, it } from '@jest/globals';
import { ConcurrencyCounter } from './concurrency-counter.js';

it('a concurrency limit of two runs two works, lets three wait and rejects the sixth at once with 503', async () => {
  const limit = new ConcurrencyCounter({ running: 2, waiting: 3 });
  const ends: (() => void)[] = [];
  const work = () => limit.run(() => new Promise<void>((resolve) => ends.push(resolve)));
  const works = Array.from({ length: 5 }, work);
  await expect(work()).rejects.toMatchObject({ status: 503, code: 'service_unavailable' });
  for (let n = 0; n < 5; n += 1) {
    expect(ends.length).toBe(Math.min(5, n + 2));
    ends[n]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(works);
});
