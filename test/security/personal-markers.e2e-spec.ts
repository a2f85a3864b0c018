import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { startApp, type TestApp } from '../setup/app.js';
import { tablesWith } from '../setup/tables.js';

/** Every name, address and text that the requests below send contains this marker. */
const MARK = `mk${randomBytes(6).toString('hex')}`;
const EMAIL = `${MARK}@example.com`;
const PHONE = `+49170${String(Number.parseInt(randomBytes(3).toString('hex'), 16)).padStart(8, '7')}`;
const NAME = `Clara ${MARK}`;

let app: TestApp;
beforeAll(async () => {
  // Without jobs, events stay in the outbox.
  app = await startApp({ env: { JOBS: 'false', LOG_LEVEL: 'trace' } });
});

const BOOKINGS = '/v1/admin/bookings';
/** Creations with personal data, by path. */
const FLOWS: [path: string, body: object][] = [
  [BOOKINGS, { currency: 'EUR', customerName: NAME, customerEmail: EMAIL, notes: NAME }],
  ['/v1/admin/distribution/channels', { name: NAME, kind: 'ota', contactName: NAME, contactEmail: EMAIL }],
  [
    '/v1/admin/legal/contracts',
    {
      title: NAME,
      body: `<p>${NAME}</p>`,
      recipientName: NAME,
      recipientEmail: EMAIL,
      scope: 'customer',
      language: 'en',
    },
  ],
  [
    '/v1/admin/trips',
    { title: NAME, currency: 'EUR', travelerParty: { billing: { name: NAME, email: EMAIL, phone: PHONE } } },
  ],
];

describe('names, addresses and phone numbers', () => {
  it('names, addresses and phone numbers of requests are in no log line and no event', async () => {
    const owner = app.as('owner');
    const statuses: [string, number][] = [];
    for (const [path, body] of FLOWS) {
      const created = await owner.post<{ data: { id: string; version: number } }>(path, body);
      statuses.push([path, created.status]);
      // Also sends rejected requests: unknown members, wrong types, and a search.
      await owner.post(path, { ...body, unknownMember: NAME });
      await owner.post(path, { ...body, currency: NAME, kind: NAME, language: NAME });
      await owner.get(`${path}?search=${MARK}`);
      await owner.patch(`${path}/${created.body.data?.id}`, { notes: NAME, title: NAME, name: NAME });
    }
    await app.post('/v1/admin/identity/sessions', { email: EMAIL, password: `a password of ${MARK}` });
    expect(statuses.filter(([, status]) => status !== 201)).toEqual([]);

    expect(app.logs.length).toBeGreaterThan(20);
    for (const value of [MARK, PHONE]) expect(app.logs.filter((line) => line.includes(value))).toEqual([]);
    const tables = await tablesWith(app, [MARK]);
    expect(tables).toEqual(expect.arrayContaining(['public.bookings', 'public.channels', 'public.contracts']));
    const published = ['public.outbox_events', 'public.realtime_messages', 'public.security_events'];
    expect(tables.filter((name) => published.includes(name))).toEqual([]);
    expect(await app.sql('select from outbox_events')).not.toEqual([]);
  });
});
