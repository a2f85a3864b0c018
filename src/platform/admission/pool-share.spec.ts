import { expect, it } from '@jest/globals';
import { PoolShare, quarterOfPool } from './pool-share.js';

const LIMITS = { running: 3, waiting: 4, runningPerCaller: 2, waitingPerCaller: 2 };

/** Starts tasks that end when they are told, and records the order in which they begin. */
function started(limits = LIMITS) {
  const share = new PoolShare(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (caller: string, name: string) =>
    share.run(caller, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, start, end };
}

it('a share of a pool is a quarter of its connections, and at least one', () => {
  expect([1, 4, 20, 40].map((size) => quarterOfPool(size).running)).toEqual([1, 1, 5, 10]);
  expect(quarterOfPool(20).runningPerCaller).toBe(3);
});

it('a share of a pool runs a bounded number of tasks, and lets others pass a caller with too many', async () => {
  const { begun, start, end } = started();
  const tasks = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('b', 'b1'), start('b', 'b2')];
  expect(begun).toEqual(['a1', 'a2', 'b1']);

  await end('b1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  for (const name of ['a2', 'b2', 'a3']) await end(name);
  expect(await Promise.all(tasks)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

it('a share of a pool rejects too many tasks of one caller with 429, and too many of all with 503', async () => {
  const { start } = started();
  for (const name of ['a1', 'a2', 'a3', 'a4']) void start('a', name);
  await expect(start('a', 'a5')).rejects.toMatchObject({ status: 429, code: 'rate_limited', retryAfterMs: 1_000 });
  void start('b', 'b1');
  for (const caller of ['b', 'c']) void start(caller, `${caller}2`);
  await expect(start('d', 'd1')).rejects.toMatchObject({ status: 503, code: 'overloaded', retryAfterMs: 1_000 });
});

it('a share of a pool is free again after a task that fails', async () => {
  const share = new PoolShare({ ...LIMITS, running: 1, waiting: 0 });
  await expect(share.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await share.run('b', () => Promise.resolve('done'))).toBe('done');
});
