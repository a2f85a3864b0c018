import { describe, expect, it } from '@jest/globals';
import { Bell } from './bell.js';

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('a pause that can be cut short', () => {
  it('ends by itself after its time, without a ring', async () => {
    expect(await new Bell().wait(5)).toBe(false);
  });

  it('ends at once when somebody rings, and leaves no timer', async () => {
    const bell = new Bell();
    const before = timers();
    const waiting = bell.wait(60_000);
    expect(timers()).toBe(before + 1);

    bell.ring();

    expect(await waiting).toBe(true);
    expect(timers()).toBe(before);
  });

  it('is cut by a ring that came before it, once', async () => {
    const bell = new Bell();
    bell.ring();
    bell.ring();

    expect(await bell.wait(60_000)).toBe(true);
    expect(await bell.wait(5)).toBe(false);
  });
});
