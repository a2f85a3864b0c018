import { beforeAll, describe, expect, it } from '@jest/globals';
import { hire, INVITATIONS, makeToken, uniqueEmail } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import { contractIn, CONTRACTS, mailsOf } from './contracts.js';

const REPORT = '/v1/admin/finance/reports/vat?format=csv';

/** Creates the data in the same database, without limits. */
let generous: TestApp;
let app: TestApp;
beforeAll(async () => {
  generous = await startApp({ env: { JOBS: 'false' } });
  app = await startApp({ env: { JOBS: 'false', RATE_LIMIT_FACTOR: '1' } });
});

async function times(count: number, send: (n: number) => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push((await send(n)).status);
  return statuses;
}

const limitedIn = (statuses: number[]) => statuses.indexOf(429);

describe('mails that are sent by requests', () => {
  it('a contract is sent again only a few times, also to different addresses', async () => {
    const { id } = await contractIn(generous, 'issued');
    const send = () =>
      app.as('owner').post(`${CONTRACTS}/${id}/dispatch`, { recipientEmail: uniqueEmail(), resend: true });
    const statuses = await times(6, send);
    expect(limitedIn(statuses)).toBeGreaterThanOrEqual(3);
    expect(await mailsOf(generous, id)).toHaveLength(statuses.filter((status) => status === 200).length);
  });

  it('one address receives only a few mails of contracts and invitations, in any spelling of its case', async () => {
    const recipientEmail = uniqueEmail();
    const statuses = await times(8, async (n) => {
      const { id } = await contractIn(generous, 'issued');
      return app.as('owner').post(`${CONTRACTS}/${id}/dispatch`, {
        recipientEmail: n % 2 === 0 ? recipientEmail : recipientEmail.toUpperCase(),
      });
    });
    expect(limitedIn(statuses)).toBeGreaterThanOrEqual(5);
    const invited = await app
      .as('owner')
      .post<{ code: string }>(INVITATIONS, { email: recipientEmail, name: 'Flooded', roles: ['viewer'] });
    expect([invited.status, invited.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(invited.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('a user sends a limited number of invitations, also with another token', async () => {
    const { client } = await hire(generous, ['owner']);
    const { token } = await makeToken(client, ['*']);
    const invite = () => app.post(INVITATIONS, { email: uniqueEmail(), name: 'Invited', roles: ['viewer'] }, { token });
    const statuses = await times(45, invite);
    expect(limitedIn(statuses)).toBeGreaterThanOrEqual(30);
    const other = await makeToken(client, ['*']);
    const again = () =>
      app.post(INVITATIONS, { email: uniqueEmail(), name: 'Invited', roles: ['viewer'] }, { token: other.token });
    expect(await times(5, again)).toContain(429);
    const { client: colleague } = await hire(generous, ['owner']);
    const { token: own } = await makeToken(colleague, ['*']);
    const body = { email: uniqueEmail(), name: 'Invited', roles: ['viewer'] };
    expect((await app.post(INVITATIONS, body, { token: own })).status).toBe(201);
  });
});

it('reports are exported as CSV a limited number of times per credential, and read as JSON meanwhile', async () => {
  const statuses = await times(20, () => app.as('owner').get(REPORT));
  expect(limitedIn(statuses)).toBeGreaterThanOrEqual(10);
  expect((await app.as('owner').get(REPORT.replace('format=csv', 'limit=1'))).status).toBe(200);
});
