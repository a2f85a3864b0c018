import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { AppError } from '../../src/platform/errors/app-error.js';
import { FailureLimits } from '../../src/platform/admission/failure-limits.js';
import { startApp, type TestApp } from '../setup/app.js';

/** Starts two instances on one database, with a factor that must have no effect. */
let apps: TestApp[];
let failures: FailureLimits;
beforeAll(async () => {
  apps = [await startApp(), await startApp({ env: { RATE_LIMIT_FACTOR: '100' } })];
  failures = limitsOf(0);
});
beforeEach(async () => {
  await apps[0]?.sql('delete from failure_limits');
});

function limitsOf(index: number): FailureLimits {
  const app = apps[index % apps.length];
  if (!app) throw new Error('There is no such instance');
  return app.nest.get(FailureLimits);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
const unauthorized = new AppError(401, 'unauthorized', 'wrong');

/** The number of successful outcomes and of those rejected with 401 and with 429. */
function counted(outcomes: PromiseSettledResult<unknown>[]): [good: number, wrong: number, limited: number] {
  const withStatus = (status: number) =>
    outcomes.filter(
      ({ status: kind, ...rest }) => kind === 'rejected' && (rest as { reason: AppError }).reason.status === status,
    ).length;
  return [outcomes.filter(({ status }) => status === 'fulfilled').length, withStatus(401), withStatus(429)];
}

it('the login failure limit accepts every attempt with the correct secret, also parallel ones', async () => {
  const logins = Array.from({ length: 50 }, () => failures.count('login-failures', ['a', 'address'], pause));
  expect(counted(await Promise.allSettled(logins))).toEqual([50, 0, 0]);
});

it('the login failure limit checks ten of a hundred parallel guesses at two instances, and rejects the others unchecked', async () => {
  let checked = 0;
  const guess = async () => {
    checked += 1;
    await pause();
    throw unauthorized;
  };
  const guesses = Array.from({ length: 100 }, (_, n) => limitsOf(n).count('login-failures', ['a'], guess));
  expect(counted(await Promise.allSettled(guesses))).toEqual([0, 10, 90]);
  expect(checked).toBe(10);

  apps[0]?.travel({ ms: 60_000 });
  await expect(failures.count('login-failures', ['a'], pause)).resolves.toBeUndefined();
});

it('the login failure limit does not count attempts that failed for another reason than a wrong secret', async () => {
  const away = () => Promise.reject(new AppError(503, 'service_unavailable', 'away'));
  for (let n = 0; n < 20; n += 1) await failures.count('login-failures', ['a'], away).catch(() => undefined);
  await expect(failures.count('login-failures', ['a'], pause)).resolves.toBeUndefined();
});

it('the login failure limit does not charge an account if the limit of the address is reached', async () => {
  const guess = () => Promise.reject(unauthorized);
  for (let n = 0; n < 10; n += 1)
    await failures.count('login-failures', [`other ${n}`, 'address'], guess).catch(() => undefined);
  for (let n = 0; n < 20; n += 1)
    await failures.count('login-failures', ['mine', 'address'], guess).catch(() => undefined);
  await expect(failures.count('login-failures', ['mine', 'elsewhere'], pause)).resolves.toBeUndefined();
});

it('the login failure limit charges no bucket if the next one cannot be written', async () => {
  const [app] = apps;
  await app?.sql(`create function fail_to_count() returns trigger language plpgsql as $$
    begin raise exception 'not written'; end $$`);
  await app?.sql(`create trigger fail_to_count before insert on failure_limits for each row
    when (new.subject = sha256('login-failures broken')) execute function fail_to_count()`);
  try {
    for (let n = 0; n < 20; n += 1)
      await expect(failures.count('login-failures', ['mine', 'broken'], pause)).rejects.toThrow('not written');
  } finally {
    await app?.sql('drop function fail_to_count cascade');
  }
  await expect(failures.count('login-failures', ['mine'], pause)).resolves.toBeUndefined();
});

it('the login failure limit stores neither e-mail addresses nor addresses of clients', async () => {
  await failures.count('login-failures', ['account somebody@example.com', 'address 192.0.2.1'], pause);
  const rows = await apps[0]?.sql('select f::text as row from failure_limits as f');
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toMatch(/somebody|192\.0\.2/);
});
