import { describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { TOKEN } from '../connect/partners.js';
import { forgetFailures, hire, PASSWORD, SESSIONS, uniqueEmail } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

const ALLOWED = 10;
const TRUSTED = { RATE_LIMIT_FACTOR: '1', TRUSTED_PROXIES: '127.0.0.1,::1' };

let addresses = 0;
const newAddress = () => `198.51.${Math.floor((addresses += 1) / 250)}.${(addresses % 250) + 1}`;
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

function login(app: TestApp, email: string, { password = 'a wrong guess', address = newAddress() } = {}) {
  return app.post<{ details: { retryAfterMs: number } }>(SESSIONS, { email, password }, from(address));
}

/** Repeats the attempt if a busy machine could not open a database connection in time: nothing was checked then. */
async function patiently(attempt: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await attempt();
    if (answer.status !== 503 || tries === 5) return answer;
    await pause(1_000);
  }
}

async function many(times: number, attempt: () => Promise<Answer>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, () => patiently(attempt)));
  return answers.map(({ status }) => status).sort();
}

const refusedAfter = (allowed: number, rejected: number) => [
  ...Array<number>(allowed).fill(401),
  ...Array<number>(rejected).fill(429),
];

describe('guessing a password', () => {
  it('guessing the password of one account is rejected after ten failures, from any number of addresses', async () => {
    const app = await startApp({ env: TRUSTED });
    const { email } = (await hire(app, ['viewer'])).user;
    expect(await many(ALLOWED + 5, () => login(app, email))).toEqual(refusedAfter(ALLOWED, 5));

    // The correct password is also rejected, with the same response; another account is not affected.
    const right = await login(app, email.toUpperCase(), { password: PASSWORD });
    expect(right.status).toBe(429);
    expect((await login(app, uniqueEmail())).status).toBe(401);
    app.travel({ ms: right.body.details.retryAfterMs });
    expect((await login(app, email, { password: PASSWORD })).status).toBe(201);
  });

  it('guessing passwords from one address is rejected after ten failures, for any number of accounts', async () => {
    const app = await startApp({ env: TRUSTED });
    const address = newAddress();
    const spray = () => login(app, uniqueEmail(), { address });
    expect(await many(ALLOWED + 5, spray)).toEqual(refusedAfter(ALLOWED, 5));
    expect((await login(app, uniqueEmail())).status).toBe(401);
  });

  it('guessing a password is limited across two instances and regardless of the rate limit factor', async () => {
    const apps = [await startApp({ env: TRUSTED }), await startApp({ env: { ...TRUSTED, RATE_LIMIT_FACTOR: '100' } })];
    const [first, second] = apps;
    if (!first || !second) throw new Error('Two instances are needed');
    const { email } = (await hire(first, ['viewer'])).user;
    let turn = 0;
    const guess = () => login((turn += 1) % 2 === 0 ? first : second, email);
    expect(await many(4 * ALLOWED, guess)).toEqual(refusedAfter(ALLOWED, 3 * ALLOWED));
  });

  it('guessing a password is limited across all spellings that find the account', async () => {
    const app = await startApp({ env: TRUSTED });
    const { email } = (await hire(app, ['viewer'], { email: `vivid.${uniqueEmail()}` })).user;
    const spellings = [
      email,
      email.toUpperCase(),
      email.replace('vivid', 'V\u0130VID'),
      email.replace('vi', 'v\u0130'),
    ];
    for (const spelling of spellings) {
      const [row] = await app.sql<{ found: boolean }>('select lower($1) = lower($2) as found', [spelling, email]);
      expect([spelling, row?.found]).toEqual([spelling, true]);
    }
    let turn = 0;
    const guess = () => login(app, spellings[(turn += 1) % spellings.length] ?? email);
    expect(await many(4 * ALLOWED, guess)).toEqual(refusedAfter(ALLOWED, 3 * ALLOWED));
  });

  it('guessing the password of an unknown account is limited in the same way', async () => {
    const app = await startApp({ env: TRUSTED });
    const email = `vivid.${uniqueEmail()}`;
    const spellings = [email, email.toUpperCase(), email.replace('vi', 'v\u0130')];
    let turn = 0;
    const guess = () => login(app, spellings[(turn += 1) % spellings.length] ?? email);
    expect(await many(3 * ALLOWED, guess)).toEqual(refusedAfter(ALLOWED, 2 * ALLOWED));
  });

  it('guessing a password is limited for a client that forges its address', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
    await forgetFailures(app);
    expect(await many(ALLOWED + 5, () => login(app, uniqueEmail()))).toEqual(refusedAfter(ALLOWED, 5));
  });
});

describe('guessing a client secret', () => {
  it('guessing a client secret is limited for a client that forges its address', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
    await forgetFailures(app);
    const body = { grant_type: 'client_credentials', client_id: 'occ_guessed', client_secret: 'a wrong guess' };
    const guess = () => app.post(TOKEN, body, from(newAddress()));
    expect(await many(ALLOWED + 5, guess)).toEqual(refusedAfter(ALLOWED, 5));
  });
});
