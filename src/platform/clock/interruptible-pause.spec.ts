import { describe, expect, it } from '@jest/globals';
import { InterruptiblePause } from './interruptible-pause.js';

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('an interruptible pause', () => {
  it('an interruptible pause ends after its time without an interruption', async () => {
    expect(await new InterruptiblePause().wait(5)).toBe(false);
  });

  it('an interruptible pause ends at once when it is interrupted, and leaves no timer', async () => {
    const pause = new InterruptiblePause();
    const before = timers();
    const waiting = pause.wait(60_000);
    expect(timers()).toBe(before + 1);

    pause.interrupt();

    expect(await waiting).toBe(true);
    expect(timers()).toBe(before);
  });

  it('an interruptible pause is ended once by an earlier interruption', async () => {
    const pause = new InterruptiblePause();
    pause.interrupt();
    pause.interrupt();

    expect(await pause.wait(60_000)).toBe(true);
    expect(await pause.wait(5)).toBe(false);
  });
});
