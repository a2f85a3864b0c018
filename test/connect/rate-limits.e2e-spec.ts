import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { requestToken, clientsOf, newClient, newOperator, type OAuthClient, errorBody, withKey } from './partners.js';

let generous: TestApp;
let app: TestApp;
beforeAll(async () => {
  // A second application with high limits creates the test data in the same database.
  generous = await startApp();
  app = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
});

const NEW = { scopes: ['connect:bookings:read'] };
const last = <T>(list: T[]) => list[list.length - 1];

describe('writes on the connect surface', () => {
  it('writes on the connect surface are limited to 60 a minute and a burst of 60 per operator; then 429 has the delay', async () => {
    const operatorId = await newOperator(generous);
    const callers = [app.as('platform'), app.with(await ownKey(operatorId))];

    const answers: Awaited<ReturnType<typeof write>>[] = [];
    const write = (n: number) =>
      (callers[n % 2] ?? app).post<OAuthClient & { details: { retryAfterMs: number } }>(clientsOf(operatorId), NEW);
    for (let n = 0; n < 120 && last(answers)?.status !== 429; n += 1) answers.push(await write(n));

    const rejection = last(answers);
    expect(answers.length).toBeGreaterThan(60);
    // An operator has a limited number of clients (409); rejected writes count as well.
    expect(new Set(answers.slice(0, -1).map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(rejection?.status).toBe(429);
    expect(rejection?.body).toEqual(errorBody('rate_limited', { retryAfterMs: expect.any(Number), limit: 60 }));
    const waitMs = rejection?.body.details.retryAfterMs ?? 0;
    expect(rejection?.headers['retry-after']).toBe(String(Math.ceil(waitMs / 1000)));

    const other = await newOperator(generous);
    expect((await app.as('platform').post(clientsOf(other), NEW)).status).toBe(201);
    app.travel({ ms: waitMs });
    expect((await write(0)).status).toBe(409);
  });

  const ownKey = async (operatorId: string) => {
    const key = await withKey(generous, ['connect:*'], operatorId);
    const { body } = await key.post<OAuthClient>(clientsOf(operatorId), { scopes: ['connect:*'] });
    return (await requestToken(generous, body)).body.access_token;
  };
});

describe('the token endpoint', () => {
  it('the token endpoint issues up to 60 tokens a minute and a burst of 15 per client; then it is temporarily_unavailable', async () => {
    const client = await newClient(generous, await newOperator(generous));

    const answers = await Promise.all(Array.from({ length: 40 }, () => requestToken(app, client)));

    const rejection = answers.find(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(15);
    expect(rejection?.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.any(String),
      code: 'temporarily_unavailable',
      requestId: expect.any(String),
      retryAfterMs: expect.any(Number),
    });
    expect(Number(rejection?.headers['retry-after'])).toBeGreaterThanOrEqual(1);

    const other = await newClient(generous, await newOperator(generous));
    expect((await requestToken(app, other)).status).toBe(200);
  });
});
