import { beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { forgetFailures, hire, SESSIONS } from './staff.js';

const ROUNDS = 31;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

/** CPU time of this process, which runs the service: other processes do not add to it, unlike to the elapsed time. */
async function cpuMicroseconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

it('a login does the same work for an unknown address and for a disabled user as for a wrong password', async () => {
  const [known, disabled] = [await hire(app, ['viewer']), await hire(app, ['viewer'])];
  await app.sql('update users set active = false where id = $1', [disabled.user.id]);
  const attempt = (email: string) => () => app.post(SESSIONS, { email, password: 'not the password' });
  const works = {
    known: attempt(known.user.email),
    unknown: attempt('nobody@example.com'),
    disabled: attempt(disabled.user.email),
    // The same request without the work that is compared: it is rejected before the password is verified.
    control: () => app.post(SESSIONS, { email: known.user.email }),
  };
  const samples = { known: [] as number[], unknown: [] as number[], disabled: [] as number[], control: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ['known', 'unknown', 'disabled', 'control'] as const) {
      await forgetFailures(app);
      samples[name].push(await cpuMicroseconds(works[name]));
    }
  }
  const control = median(samples.control);
  const hashing = median(samples.known) - control;
  expect(hashing).toBeGreaterThan(control);
  // Without the hash for unknown users, the work would be less than a tenth of it.
  for (const compared of [samples.unknown, samples.disabled]) {
    const ratio = (median(compared) - control) / hashing;
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  }
});
