import { describe, expect, it } from '@jest/globals';
import { TOKEN } from '../connect/partners.js';
import { hire, PASSWORD, SESSIONS, uniqueEmail } from '../identity/staff.js';
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

async function many(times: number, attempt: () => Promise<Answer>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, attempt));
  return answers.map(({ status }) => status).sort();
}

const refusedAfter = (allowed: number, refused: number) => [
  ...Array<number>(allowed).fill(401),
  ...Array<number>(refused).fill(429),
];

describe('guessing a password', () => {
  it('of one account is refused after ten failures, from however many addresses', async () => {
    const app = await startApp({ env: TRUSTED });
    const { email } = (await hire(app, ['viewer'])).user;
    expect(await many(ALLOWED + 5, () => login(app, email))).toEqual(refusedAfter(ALLOWED, 5));

    // The right password gets nobody past it, and tells nothing; another account is not concerned.
    const right = await login(app, email.toUpperCase(), { password: PASSWORD });
    expect(right.status).toBe(429);
    expect((await login(app, uniqueEmail())).status).toBe(401);
    app.travel({ ms: right.body.details.retryAfterMs });
    expect((await login(app, email, { password: PASSWORD })).status).toBe(201);
  });

  it('from one address is refused after ten failures, at however many accounts', async () => {
    const app = await startApp({ env: TRUSTED });
    const address = newAddress();
    const spray = () => login(app, uniqueEmail(), { address });
    expect(await many(ALLOWED + 5, spray)).toEqual(refusedAfter(ALLOWED, 5));
    expect((await login(app, uniqueEmail())).status).toBe(401);
  });

  it('gains nothing by an address that the client makes up itself', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
    expect(await many(ALLOWED + 5, () => login(app, uniqueEmail()))).toEqual(refusedAfter(ALLOWED, 5));
  });
});

describe('guessing a client secret', () => {
  it('gains nothing by an address that the client makes up itself', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
    const body = { grant_type: 'client_credentials', client_id: 'occ_guessed', client_secret: 'a wrong guess' };
    const guess = () => app.post(TOKEN, body, from(newAddress()));
    expect(await many(ALLOWED + 5, guess)).toEqual(refusedAfter(ALLOWED, 5));
  });
});
