import { afterAll, describe, expect, it } from '@jest/globals';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock, lockHolder, lockHolders, withLock } from '../../scripts/lock.js';
import { newFolder, PROJECT, runScript } from './folders.js';
import { eventually } from './wait.js';

/** Acquires a lock, prints the result and keeps running. */
const HOLDER = `
import { acquireLock } from './scripts/lock.js';
const { holder, isStale } = await acquireLock(process.argv[1]);
console.log(JSON.stringify({ holder, isStale }));
setInterval(() => undefined, 60_000);
`;

describe('the lock of the launcher', () => {
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function startHolder(file: string) {
    const script = runScript(PROJECT, ['--input-type=module', '--eval', HOLDER, file]);
    await eventually(() => script.standardOutput() || null, script.output);
    return script;
  }

  it('the lock of the launcher is acquired by one of several processes that start at the same time', async () => {
    const file = join(folder, 'contended.lock');
    const scripts = await Promise.all(Array.from({ length: 4 }, () => startHolder(file)));
    const holders = scripts.map((script) => (JSON.parse(script.standardOutput()) as { holder: number | null }).holder);
    const [winner] = scripts.filter((_, index) => holders[index] === null);
    expect(holders.toSorted()).toEqual([winner?.child.pid, winner?.child.pid, winner?.child.pid, null]);
    expect([await lockHolder(file), await lockHolders(folder)]).toEqual([winner?.child.pid, [winner?.child.pid]]);
    for (const { child } of scripts) child.kill('SIGKILL');
    await Promise.all(scripts.map((script) => script.end()));
  });

  it('the lock of the launcher is stale after kill -9 of its process', async () => {
    const file = join(folder, 'killed.lock');
    const script = await startHolder(file);
    script.child.kill('SIGKILL');
    await script.end();
    expect(await lockHolder(file)).toBeNull();
    const lock = await acquireLock(file);
    expect(lock).toMatchObject({ holder: null, isStale: true });
    if (lock.holder === null) lock.release();
    expect(existsSync(file)).toBe(false);
  });

  it('the lock of the launcher is stale if its process id now belongs to another program', async () => {
    const file = join(folder, 'reused.lock');
    writeFileSync(file, `${process.ppid}\n`);
    const lock = await acquireLock(file);
    expect(lock).toMatchObject({ holder: null, isStale: true });
    if (lock.holder === null) lock.release();
  });

  it('the lock of the launcher makes the work of one process wait for that of another', async () => {
    const file = join(folder, 'waiting.lock');
    const script = await startHolder(file);
    let isDone = false;
    const work = withLock(file, async () => {
      isDone = true;
    });
    await lockHolder(file);
    expect(isDone).toBe(false);
    script.child.kill('SIGKILL');
    await work;
    expect([isDone, existsSync(file)]).toEqual([true, false]);
  });
});
