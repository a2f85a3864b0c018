import { expect, it } from '@jest/globals';
import { Clock } from '../clock.js';
import { readEnv } from '../config/read-env.js';
import { AppError } from '../errors/app-error.js';
import { FailureLimits } from './failure-limits.js';
import { RateLimits } from './rate-limits.js';

function limits() {
  const env = readEnv({ DATABASE_URL: 'postgres://a@b/c' });
  const clock = new Clock(env);
  return { clock, failures: new FailureLimits(new RateLimits(env, clock), clock) };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
const refusal = new AppError(401, 'unauthorized', 'wrong');

/** How many of the outcomes were good, refused by 401 and refused by 429. */
function counted(outcomes: PromiseSettledResult<unknown>[]): [good: number, wrong: number, limited: number] {
  const withStatus = (status: number) =>
    outcomes.filter(
      ({ status: kind, ...rest }) => kind === 'rejected' && (rest as { reason: AppError }).reason.status === status,
    ).length;
  return [outcomes.filter(({ status }) => status === 'fulfilled').length, withStatus(401), withStatus(429)];
}

it('refuses nobody who knows the secret, however many come together', async () => {
  const { failures } = limits();
  const logins = Array.from({ length: 50 }, () => failures.count('login-failures', ['a', 'address'], pause));
  expect(counted(await Promise.allSettled(logins))).toEqual([50, 0, 0]);
});

it('lets ten guesses of a hundred that come together be wrong, and refuses the others unheard', async () => {
  const { failures, clock } = limits();
  let heard = 0;
  const guess = async () => {
    heard += 1;
    await pause();
    throw refusal;
  };
  const guesses = Array.from({ length: 100 }, () => failures.count('login-failures', ['a'], guess));
  expect(counted(await Promise.allSettled(guesses))).toEqual([0, 10, 90]);
  expect(heard).toBe(10);

  clock.travel(60_000);
  await expect(failures.count('login-failures', ['a'], pause)).resolves.toBeUndefined();
});

it('does not count what failed for another reason', async () => {
  const { failures } = limits();
  const away = () => Promise.reject(new AppError(503, 'service_unavailable', 'away'));
  for (let n = 0; n < 20; n += 1) await failures.count('login-failures', ['a'], away).catch(() => undefined);
  await expect(failures.count('login-failures', ['a'], pause)).resolves.toBeUndefined();
});

it('an address that has nothing left uses up no account', async () => {
  const { failures } = limits();
  const guess = () => Promise.reject(refusal);
  for (let n = 0; n < 10; n += 1)
    await failures.count('login-failures', [`other ${n}`, 'address'], guess).catch(() => undefined);
  for (let n = 0; n < 20; n += 1)
    await failures.count('login-failures', ['mine', 'address'], guess).catch(() => undefined);
  await expect(failures.count('login-failures', ['mine', 'elsewhere'], pause)).resolves.toBeUndefined();
});
