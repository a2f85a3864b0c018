import { setTimeout as delay } from 'node:timers/promises';

/** Repeats a call until it returns an answer. Fails with the message of `describe` after `seconds`. */
export async function eventually<T>(
  attempt: () => Promise<T | null> | T | null,
  describe: () => string = () => '',
  seconds = 90,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await attempt();
    if (answer !== null) return answer;
    if (Date.now() > deadline) throw new Error(`It did not come within ${seconds} seconds. ${describe()}`);
    await delay(50);
  }
}
