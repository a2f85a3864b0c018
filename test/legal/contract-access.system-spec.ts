import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeBooking } from '../bookings/bookings.js';
import { reversed } from '../action-ledger/reversals.js';
import { startApp, type TestApp } from '../setup/app.js';
import { tablesWith } from '../setup/tables.js';
import {
  type Contract,
  contractIn,
  CONTRACTS,
  declareVoid,
  dispatch,
  draft,
  eventsOf,
  issue,
  ledgerOf,
  mailsOf,
  PUBLIC,
  read,
  tokenWith,
  withdraw,
} from './contracts.js';

const RECIPIENT = { recipientName: 'Clara Ionescu', recipientEmail: 'clara@example.com' };
const DAY_MS = 86_400_000;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'trace' } });
});

describe('the id of a contract, which opens it', () => {
  it('the id of a contract, which opens it, is in no table but contracts, in no log line, event, mail or metric after everything that can happen to it', async () => {
    const [contract, voided] = [await draft(app, RECIPIENT), await draft(app, RECIPIENT)];
    const ids = [contract.id, voided.id];
    const owner = app.as('owner');
    const keyed = (name: string) => ({ headers: { 'Idempotency-Key': `${name}-${contract.reference}` } });

    await owner.post(CONTRACTS, { title: 'With a key' }, keyed('create'));
    await owner.patch(`${CONTRACTS}/${contract.id}`, { title: 'Changed' }, keyed('update'));
    await owner.post(`${CONTRACTS}/${contract.id}/issuance`, undefined, keyed('issue'));
    await owner.post(`${CONTRACTS}/${contract.id}/dispatch`, {}, keyed('send'));
    await owner.post(`${CONTRACTS}/${contract.id}/withdrawal`, {}, keyed('withdraw'));
    await reversed(app, contract.reference, 'legal.contract.withdraw');
    await reversed(app, contract.reference, 'legal.contract.send');
    await issue(app, voided.id);
    await declareVoid(app, voided.id);
    for (const path of [
      `${PUBLIC}/${contract.id}`,
      `${PUBLIC}/${contract.id}x`,
      `${PUBLIC}/${contract.id}?utm_source=mail`,
      `${CONTRACTS}/${contract.id}/`,
      `${CONTRACTS}/%63${contract.id.slice(1)}`,
      `${CONTRACTS.toUpperCase()}/${contract.id}`,
    ]) {
      await owner.get(path);
    }
    await owner.get(CONTRACTS);
    await mailsOf(app, contract.reference);

    expect(await tablesWith(app, ids)).toEqual(['public.contracts']);
    const suffixes = ids.map((id) => id.slice(4));
    for (const suffix of suffixes) expect(app.logs.filter((line) => line.includes(suffix))).toEqual([]);
    expect(app.logs.join()).toContain(contract.reference);
    expect((await app.get('/metrics')).text).not.toContain(suffixes[0]);
  });

  it('the id of a contract, which opens it, is shown to callers with legal:read only; others get the reference, which opens nothing', async () => {
    const writer = app.with(await tokenWith(app, ['legal:write']));
    const created = await writer.post<{ data: Contract }>(CONTRACTS, { title: 'Written only' });
    const { reference } = created.body.data;
    expect(created.status).toBe(201);
    expect(created.body.data).not.toHaveProperty('id');
    expect(created.headers.location).toBe(`${CONTRACTS}/${reference}`);

    const issued = await writer.post<{ data: Contract }>(`${CONTRACTS}/${reference}/issuance`);
    expect([issued.status, issued.body.data.id]).toEqual([200, undefined]);
    expect((await app.get(`${PUBLIC}/${reference}`)).status).toBe(404);
    const [id, suffix] = [(await read(app, reference)).id, reference.slice(5)];
    expect(id).toMatch(/^ctr_/);
    expect(id).not.toContain(suffix);
    expect((await app.get(`${PUBLIC}/ctr_${suffix}`)).status).toBe(404);
    expect((await app.get(`${PUBLIC}/${id}`)).status).toBe(200);
  });

  it('the id of a contract, which opens it, is random in all of its 130 bits', async () => {
    const contracts = await Promise.all(Array.from({ length: 40 }, () => draft(app)));
    const columns = Array.from({ length: 26 }, (_, place) => new Set(contracts.map(({ id }) => id.charAt(4 + place))));
    // In UUIDv7s the characters of the time would be the same.
    expect(Math.min(...columns.map((characters) => characters.size))).toBeGreaterThan(10);
  });
});

describe('the ledger entries of a contract', () => {
  it('the ledger entries of a contract are about the reference, by which staff filter', async () => {
    const { id, reference } = await contractIn(app, 'sent', RECIPIENT);
    const entries = '/v1/admin/action-ledger/entries';
    const actions = (await ledgerOf(app, id)).map(({ action, subjectId }) => [action, subjectId]);
    expect(actions).toEqual([
      ['legal.contract.create', reference],
      ['legal.contract.issue', reference],
      ['legal.contract.send', reference],
    ]);
    expect((await app.as('owner').get(`${entries}?subjectId=${id}`)).body).toEqual({ data: [], nextCursor: null });
  });

  it.each(['legal.contract.issue', 'legal.contract.send'])(
    'the reversal of %s declares the contract void',
    async (action) => {
      const { id, reference } = await contractIn(app, 'sent', RECIPIENT);
      await reversed(app, reference, action);
      expect((await read(app, id)).status).toBe('void');
      expect((await app.get(`${PUBLIC}/${id}`)).status).toBe(410);
    },
  );
});

describe('the end of public access', () => {
  it('a withdrawn contract has the response of an unknown one, keeps its status, and is opened again by the reversal', async () => {
    const { id, reference } = await contractIn(app, 'issued', RECIPIENT);
    const answer = await withdraw(app, id, { reason: 'The link was published' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id, status: 'issued', withdrawnAt: expect.any(String), version: 3 });

    const [own, unknown] = [await app.get(`${PUBLIC}/${id}`), await app.get(`${PUBLIC}/ctr_${'0'.repeat(26)}`)];
    expect([own.status, own.text.replace(/"requestId":"[^"]+"/, '')]).toEqual([
      404,
      unknown.text.replace(/"requestId":"[^"]+"/, ''),
    ]);
    expect((await ledgerOf(app, id)).at(-1)).toMatchObject({
      action: 'legal.contract.withdraw',
      reason: 'The link was published',
      before: { withdrawnAt: null },
      after: { withdrawnAt: expect.any(String) },
    });

    await reversed(app, reference, 'legal.contract.withdraw');
    expect((await app.get(`${PUBLIC}/${id}`)).status).toBe(200);
    expect((await eventsOf(app, id, 3)).map(({ event }) => event)).toEqual([
      'contract.issued',
      'contract.withdrawn',
      'contract.restored',
    ]);
  });

  it('a void contract that is withdrawn is 404 and no longer 410', async () => {
    const { id } = await contractIn(app, 'issued');
    await declareVoid(app, id);
    expect((await app.get(`${PUBLIC}/${id}`)).status).toBe(410);
    await withdraw(app, id);
    expect((await app.get(`${PUBLIC}/${id}`)).status).toBe(404);
  });

  it('withdrawing again changes nothing, also concurrently; a draft is 409', async () => {
    const { id } = await contractIn(app, 'issued');
    const answers = await Promise.all([withdraw(app, id), withdraw(app, id), withdraw(app, id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ledgerOf(app, id)).filter(({ action }) => action === 'legal.contract.withdraw')).toHaveLength(1);

    const rejected = await withdraw(app, (await draft(app)).id);
    expect([rejected.status, rejected.body.code]).toEqual([409, 'invalid_transition']);
  });

  it('a withdrawn contract is not sent: the link in the mail would lead nowhere', async () => {
    const { id } = await contractIn(app, 'issued', RECIPIENT);
    await withdraw(app, id);
    const { status, body } = await dispatch(app, id);
    expect([status, body.code]).toEqual([409, 'public_access_ended']);
    expect(await mailsOf(app, id)).toEqual([]);
  });

  it('the end of public access needs legal:write', async () => {
    const { id } = await contractIn(app, 'issued');
    const reader = app.with(await tokenWith(app, ['legal:read']));
    expect((await reader.post(`${CONTRACTS}/${id}/withdrawal`, {})).status).toBe(403);
  });

  it('access ends by itself 12 months after the issue, or at publicUntil', async () => {
    const soon = new Date(app.now().getTime() + 10 * DAY_MS).toISOString();
    const [byDefault, chosen] = [
      await contractIn(app, 'issued'),
      await contractIn(app, 'issued', { publicUntil: soon }),
    ];
    const statuses = async () => [
      (await app.get(`${PUBLIC}/${byDefault.id}`)).status,
      (await app.get(`${PUBLIC}/${chosen.id}`)).status,
    ];
    const months = Date.parse(String(byDefault['publicUntil'])) - Date.parse(String(byDefault['issuedAt']));
    expect(months).toBeGreaterThanOrEqual(365 * DAY_MS);
    expect(months).toBeLessThanOrEqual(366 * DAY_MS);
    expect(chosen['publicUntil']).toBe(soon);

    expect(await statuses()).toEqual([200, 200]);
    app.travel({ days: 11 });
    expect(await statuses()).toEqual([200, 404]);
    app.travel({ days: 356 });
    expect(await statuses()).toEqual([404, 404]);
    app.travel({ days: -367 });
    expect(await statuses()).toEqual([200, 200]);
  });

  it.each([-1, 3_660])('publicUntil in %s days is 400 for a new contract and for a draft', async (days) => {
    const publicUntil = new Date(app.now().getTime() + days * DAY_MS).toISOString();
    const { id } = await draft(app);
    const answers = [
      await app.as('owner').post<{ details: { fields: object } }>(CONTRACTS, { title: 'x', publicUntil }),
      await app.as('owner').patch<{ details: { fields: object } }>(`${CONTRACTS}/${id}`, { publicUntil }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(Object.keys(body.details.fields)).toEqual(['publicUntil']);
    }
  });
});

describe('the booking of a contract', () => {
  it('the booking of a contract is stored, changed in a draft, and a filter of the list', async () => {
    const booking = await makeBooking(app.as('owner'));
    const { id, reference } = await draft(app, { bookingId: booking.id });
    const list = await app.as('owner').get<{ data: Contract[] }>(`${CONTRACTS}?bookingId=${booking.id}`);
    expect(list.body.data).toMatchObject([{ reference, bookingId: booking.id, language: 'en' }]);
    const german = await makeBooking(app.as('owner'), { customerLanguage: 'de' });
    expect(await draft(app, { bookingId: german.id })).toMatchObject({ language: 'de' });
    expect(await draft(app, { bookingId: german.id, language: 'fr' })).toMatchObject({ language: 'fr' });

    await app.as('owner').patch(`${CONTRACTS}/${id}`, { bookingId: null });
    expect(await read(app, id)).toMatchObject({ bookingId: null });
    expect((await app.as('owner').get(`${CONTRACTS}?bookingId=${booking.id}`)).body).toMatchObject({ total: 0 });
  });

  it.each(['book_01k0dem000e000000000009999', 'nothing'])(
    'the booking of a contract that is unknown is 404: %s',
    async (bookingId) => {
      const { id } = await draft(app);
      for (const answer of [
        await app.as('owner').post(CONTRACTS, { title: 'x', bookingId }),
        await app.as('owner').patch(`${CONTRACTS}/${id}`, { bookingId }),
      ]) {
        expect([answer.status, answer.body]).toMatchObject([
          404,
          { code: 'not_found', details: { field: 'bookingId' } },
        ]);
      }
    },
  );
});
