import { expect, it } from '@jest/globals';
import { FairShare, quarterOf, type ShareLimits } from './fair-share.js';

const LIMITS = { running: 3, waiting: 4, runningPerCaller: 2, waitingPerCaller: 2 };

/** Starts tasks that the test ends, and records the order in which they begin. */
function started(limits: ShareLimits = LIMITS) {
  const share = new FairShare(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (caller: string, name: string) =>
    share.run(caller, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = (name: string) => {
    ends.get(name)?.();
    return settled();
  };
  return { begun, start, end, settled };
}

it('a quarter of a pool is at least one connection', () => {
  expect([1, 4, 20, 40].map(quarterOf)).toEqual([1, 1, 5, 10]);
});

it('a fair share runs a bounded number of tasks, and lets others pass a caller with too many', async () => {
  const { begun, start, end, settled } = started();
  const tasks = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('b', 'b1'), start('b', 'b2')];
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1']);

  await end('b1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  for (const name of ['a2', 'b2', 'a3']) await end(name);
  expect(await Promise.all(tasks)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

it('a fair share rejects too many tasks of one caller with 429, and too many of all with 503', async () => {
  const { start } = started();
  for (const name of ['a1', 'a2', 'a3', 'a4']) void start('a', name);
  await expect(start('a', 'a5')).rejects.toMatchObject({ status: 429, code: 'rate_limited', retryAfterMs: 1_000 });
  void start('b', 'b1');
  for (const caller of ['b', 'c']) void start(caller, `${caller}2`);
  await expect(start('d', 'd1')).rejects.toMatchObject({ status: 503, code: 'overloaded', retryAfterMs: 1_000 });
});

it('a fair share is free again after a task that fails', async () => {
  const share = new FairShare({ ...LIMITS, running: 1, waiting: 0 });
  await expect(share.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await share.run('b', () => Promise.resolve('done'))).toBe('done');
});

it('the callers of a fair share take turns, independent of the number of their tasks', async () => {
  const { begun, start, end, settled } = started({ running: 1, waiting: 8, runningPerCaller: 1, waitingPerCaller: 4 });
  const tasks = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('b', 'b1'), start('b', 'b2')];
  await settled();
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  await Promise.all(tasks);
});

it('a fair share without a queue rejects with 429 only a caller that uses its own part', async () => {
  const { start } = started({ running: 2, waiting: 0, runningPerCaller: 1, waitingPerCaller: 0 });
  void start('a', 'a1');
  await expect(start('a', 'a2')).rejects.toMatchObject({ status: 429 });
  void start('b', 'b1');
  await expect(start('c', 'c1')).rejects.toMatchObject({ status: 503 });
});

it('a task of a fair share that waits for too long is rejected, and takes no turn afterwards', async () => {
  const { begun, start, end } = started({ ...LIMITS, running: 2, runningPerCaller: 1, waitMs: 20 });
  const first = start('a', 'a1');
  await expect(start('a', 'a2')).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
  const other = start('b', 'b1');
  await expect(start('c', 'c1')).rejects.toMatchObject({ status: 503, code: 'overloaded' });
  for (const name of ['a1', 'b1']) await end(name);
  const last = start('c', 'c2');
  for (const name of ['none', 'c2']) await end(name);
  await Promise.all([first, other, last]);
  expect(begun).toEqual(['a1', 'b1', 'c2']);
});

it('a task that waits for one share keeps no place of another one idle, and begins once both have room', async () => {
  const limits = { waiting: 8, waitingPerCaller: 8 };
  const address = new FairShare({ ...limits, running: 9, runningPerCaller: 1 });
  const expensive = new FairShare({ ...limits, running: 1, runningPerCaller: 1 });
  const begun: string[] = [];
  const begin = async (name: string, from: string, isExpensive = true) => {
    const claims = [{ share: address, caller: from }, ...(isExpensive ? [{ share: expensive, caller: name }] : [])];
    const release = await FairShare.takeAll(claims);
    begun.push(name);
    return release;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  const endCheap = await begin('cheap', 'here', false);
  const waiting = begin('waits for its address', 'here');
  const endOther = await begin('other', 'there');
  expect([begun, address.waiting, expensive.waiting]).toEqual([['cheap', 'other'], 1, 1]);
  endCheap();
  const alsoHere = await begin('cheap again', 'here', false);
  endOther();
  await settled();
  expect(begun).toEqual(['cheap', 'other', 'cheap again']);
  alsoHere();
  (await waiting)();
  expect([begun.at(-1), address.waiting, expensive.waiting]).toEqual(['waits for its address', 0, 0]);
  expect(await begin('last', 'here')).toEqual(expect.any(Function));
});

it('a task that waits for others in another share is not passed over by tasks that need only the share that reserves', async () => {
  const limits = { waiting: 50, waitingPerCaller: 50 };
  const address = new FairShare({ ...limits, running: Infinity, runningPerCaller: 1, reserves: true });
  const expensive = new FairShare({ ...limits, running: 1, runningPerCaller: 1 });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const cheap = () => FairShare.takeAll([{ share: address, caller: 'office' }]);
  const report = (from: string) =>
    FairShare.takeAll([
      { share: expensive, caller: from },
      { share: address, caller: from },
    ]);

  const other = await report('elsewhere');
  const first = await cheap();
  let served = false;
  const waiting = report('office').then((release) => {
    served = true;
    return release;
  });
  const colleagues = Array.from({ length: 5 }, cheap);
  first();
  await settled();
  expect([served, address.waiting]).toEqual([false, 6]);
  other();
  await settled();
  expect(served).toBe(true);
  (await waiting)();
  for (const colleague of colleagues) (await colleague)();
  expect([address.waiting, expensive.waiting]).toEqual([0, 0]);
  expect(await cheap()).toEqual(expect.any(Function));
});

it('tasks that wait for another share do not count in one whose caller must not wait for itself', async () => {
  const general = new FairShare({ running: 9, waiting: 9, runningPerCaller: 1, waitingPerCaller: 9 });
  const special = new FairShare({ running: 4, waiting: 9, runningPerCaller: 2, waitingPerCaller: 0 });
  const take = () => FairShare.takeAll([special, general].map((share) => ({ share, caller: 'a' })));
  const tasks = Array.from({ length: 4 }, take);
  for (const task of tasks) (await task)();
  const release = await special.take('a');
  await special.take('a');
  await expect(take()).rejects.toMatchObject({ status: 429, details: { limit: 2 } });
  release();
  expect(await take()).toEqual(expect.any(Function));
});
