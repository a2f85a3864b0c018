import { beforeAll, describe, expect, it } from '@jest/globals';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { newChannel } from '../distribution/channels.js';
import { received } from '../finance/payments/bookings.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newDeparture } from '../operations/departures.js';
import { book, makeTrip, MANUAL, readTrip, reserve, seats } from '../trips/trips.js';
import { addItem, BOOKINGS, entriesAbout, makeBooking, problem, readBooking, staffWith } from './bookings.js';

interface Rejected {
  code: string;
  details: unknown;
}

interface Terms extends Record<string, unknown> {
  version: number;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const POLICY = { steps: [{ label: 'Balance', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 30 }] };
const LIMIT = { creditLimitCents: 15_000, creditCurrency: 'EUR' };

const termsOf = (customerId: string): string => `${CUSTOMERS}/${customerId}/agency-terms`;

async function newAgency(terms: object = LIMIT): Promise<string> {
  const { id } = await newCustomer(app, { kind: 'company', companyName: 'Carpathia Travel' });
  expect((await owner.put(termsOf(id), terms)).status).toBe(200);
  return id;
}

/** A draft of the agency that costs this much. */
async function draftOf(customerId: string, unitSellCents: number, over: object = {}): Promise<string> {
  const { id } = await makeBooking(owner, { customerId, ...over });
  await addItem(owner, id, { quantity: 1, unitSellCents, taxIncludedCents: 0 });
  return id;
}

const confirm = (id: string, body?: object, client = owner) =>
  client.post<Rejected>(`${BOOKINGS}/${id}/confirmation`, body);

describe('the terms of an agency', () => {
  it('they are replaced as a whole by callers who may override them, with the version that the caller has read', async () => {
    const { id } = await newCustomer(app, { kind: 'company', companyName: 'Agency' });
    const none = { customerId: id, channelId: null, paymentPolicy: null, creditLimitCents: null, creditCurrency: null };
    expect((await owner.get<object>(termsOf(id))).body).toEqual({ data: { ...none, version: 1, updatedAt: null } });

    const first = await owner.put<{ data: Terms }>(termsOf(id), LIMIT, { headers: { 'If-Match': '"1"' } });
    expect(first.body.data).toMatchObject({ ...none, ...LIMIT, version: 2 });
    expect((await owner.put(termsOf(id), LIMIT, { headers: { 'If-Match': '"1"' } })).status).toBe(412);
    const second = await owner.put<{ data: Terms }>(termsOf(id), { paymentPolicy: POLICY });
    expect(second.body.data).toMatchObject({ creditLimitCents: null, paymentPolicy: POLICY, version: 3 });

    const clerk = await staffWith(app, 'customers:*');
    expect((await clerk.get(termsOf(id))).status).toBe(200);
    expect((await clerk.put(termsOf(id), LIMIT)).status).toBe(403);
    const half = await owner.put<object>(termsOf(id), { creditLimitCents: 1 });
    expect(half).toMatchObject({ status: 400, body: { details: { issues: [{ path: 'creditCurrency' }] } } });
    const { id: person } = await newCustomer(app);
    const rejected = await owner.put<object>(termsOf(person), LIMIT);
    expect([rejected.status, rejected.body]).toEqual([422, problem('customer_not_company', { field: 'customerId' })]);
  });

  it('new bookings and trips take its channel and payment policy, unless they name their own', async () => {
    const { id: channelId } = await newChannel(app);
    const customerId = await newAgency({ channelId, paymentPolicy: POLICY });
    const taken = await makeBooking(owner, { customerId });
    expect(taken).toMatchObject({ channelId, paymentPolicy: POLICY });
    const own = await makeBooking(owner, { customerId, channelId: null, paymentPolicy: null });
    expect(own).toMatchObject({ channelId: null, paymentPolicy: null });

    const { envelopeId } = await makeTrip(owner, [MANUAL], { customerId });
    await reserve(owner, envelopeId);
    const { bookingId } = (await book(owner, envelopeId)).body.data;
    expect(await readBooking(owner, bookingId ?? '')).toMatchObject({ channelId, customerId, status: 'confirmed' });
  });

  it('a confirmation beyond the credit limit is rejected, unless it is overridden with a reason', async () => {
    const customerId = await newAgency();
    expect((await confirm(await draftOf(customerId, 10_000))).status).toBe(200);
    const second = await draftOf(customerId, 10_000);

    const rejected = await confirm(second);
    const details = { customerId, currency: 'EUR', limitCents: 15_000, openCents: 20_000 };
    expect([rejected.status, rejected.body]).toEqual([409, problem('credit_limit_exceeded', details)]);
    expect((await readBooking(owner, second))['status']).toBe('draft');
    const clerk = await staffWith(app, 'bookings:*');
    expect((await confirm(second, undefined, clerk)).body.details).toEqual({ customerId, currency: 'EUR' });
    const override = { override: ['credit_limit'], overrideReason: 'Payment is announced' };
    expect((await confirm(second, override, clerk)).status).toBe(403);
    expect((await confirm(second, { override: ['credit_limit'] })).status).toBe(400);

    expect((await confirm(second, override)).status).toBe(200);
    const entries = await entriesAbout(owner, second);
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'bookings.booking.confirm', reason: 'Payment is announced' }),
    );
  });

  it('a sold booking gets no customer who would then owe more than its credit limit, but a draft or a paid one does', async () => {
    const customerId = await newAgency();
    const other = await newCustomer(app);
    const large = await draftOf(other.id, 20_000);
    expect((await confirm(large)).status).toBe(200);
    const give = (id: string, to = customerId) => owner.patch<Rejected>(`${BOOKINGS}/${id}`, { customerId: to });

    const rejected = await give(large);
    const details = { customerId, currency: 'EUR', limitCents: 15_000, openCents: 20_000 };
    expect([rejected.status, rejected.body]).toEqual([409, problem('credit_limit_exceeded', details)]);
    expect((await readBooking(owner, large))['customerId']).toBe(other.id);
    expect((await give(await draftOf(other.id, 20_000))).status).toBe(200);
    const [first, second] = [await draftOf(other.id, 10_000), await draftOf(other.id, 10_000)];
    for (const id of [first, second]) expect((await confirm(id)).status).toBe(200);
    const both = await Promise.all([give(first), give(second)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);

    const payment = await owner.post('/v1/admin/finance/payments', received(large, 20_000));
    expect(payment.status).toBe(201);
    expect((await owner.put(termsOf(customerId), { ...LIMIT, creditLimitCents: 0 })).status).toBe(200);
    expect((await give(large)).status).toBe(200);
  });

  it('a cancelled booking is not reinstated if its customer would then owe more than its credit limit', async () => {
    const customerId = await newAgency();
    const [first, second] = [
      await draftOf(customerId, 10_000, { startDate: app.day(90) }),
      await draftOf(customerId, 10_000, { startDate: app.day(90) }),
    ];
    expect((await confirm(first)).status).toBe(200);
    expect((await owner.post(`${BOOKINGS}/${first}/cancellation`, { reason: 'Fell ill' })).status).toBe(200);
    expect((await confirm(second)).status).toBe(200);

    const reinstate = () => owner.post<Rejected>(`${BOOKINGS}/${first}/reinstatement`, { reason: 'By mistake' });
    const details = { customerId, currency: 'EUR', limitCents: 15_000, openCents: 20_000 };
    const rejected = await reinstate();
    expect([rejected.status, rejected.body]).toEqual([409, problem('credit_limit_exceeded', details)]);
    expect((await readBooking(owner, first))['status']).toBe('cancelled');
    expect((await owner.put(termsOf(customerId), { ...LIMIT, creditLimitCents: 20_000 })).status).toBe(200);
    expect((await reinstate()).status).toBe(200);
  });

  it('a trip is booked beyond the credit limit only with an override and its reason', async () => {
    const customerId = await newAgency({ ...LIMIT, creditLimitCents: 5_000 });
    const { envelopeId } = await makeTrip(owner, [MANUAL], { customerId });
    await reserve(owner, envelopeId);
    const details = { customerId, currency: 'EUR', limitCents: 5_000, openCents: 10_000 };
    for (const body of [undefined, {}]) {
      const rejected = await book(owner, envelopeId, body);
      expect([rejected.status, rejected.body]).toEqual([409, problem('credit_limit_exceeded', details)]);
    }
    expect((await readTrip(owner, envelopeId)).status).toBe('reserved');
    expect((await book(owner, envelopeId, { override: ['credit_limit'] })).status).toBe(400);
    const override = { override: ['credit_limit'], overrideReason: 'Payment is announced' };
    const clerk = await staffWith(app, 'trips:*', 'bookings:*');
    expect((await book(clerk, envelopeId, override)).status).toBe(403);

    const booked = await book(owner, envelopeId, override);
    expect(booked.status).toBe(200);
    expect(await entriesAbout(owner, booked.body.data.bookingId ?? '')).toContainEqual(
      expect.objectContaining({ action: 'bookings.booking.confirm', reason: 'Payment is announced' }),
    );
  });

  it('trips and bookings of an agency on the same departures are sold at the same time without a deadlock', async () => {
    const customerId = await newAgency({ ...LIMIT, creditLimitCents: 10_000_000 });
    const deadlocks = async () => {
      const [row] = await app.sql<{ deadlocks: string }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
      return Number(row?.deadlocks);
    };
    const before = await deadlocks();
    for (let round = 0; round < 4; round += 1) {
      const { id: departureId } = await newDeparture(app, { capacity: 20, minParticipants: 15 });
      const [drafts, trips]: [string[], string[]] = [[], []];
      for (let count = 0; count < 3; count += 1) {
        const { id } = await makeBooking(owner, { customerId });
        await addItem(owner, id, { departureId });
        drafts.push(id);
        const { envelopeId } = await makeTrip(owner, [seats(departureId)], { customerId });
        expect((await reserve(owner, envelopeId)).status).toBe(200);
        trips.push(envelopeId);
      }
      const sold = await Promise.all(drafts.flatMap((id, at) => [confirm(id), book(owner, trips[at] ?? '')]));
      expect(sold.map(({ status }) => status)).toEqual(sold.map(() => 200));
    }
    // The server publishes its counters once a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await deadlocks()).toBe(before);
  });

  it('payments free credit, and in another currency there is none', async () => {
    const customerId = await newAgency();
    const first = await draftOf(customerId, 15_000);
    expect((await confirm(first)).status).toBe(200);
    const second = await draftOf(customerId, 10_000);
    expect((await confirm(second)).status).toBe(409);
    const payment = await owner.post('/v1/admin/finance/payments', received(first, 15_000));
    expect(payment.status).toBe(201);
    expect((await confirm(second)).status).toBe(200);

    const dollars = await confirm(await draftOf(customerId, 1, { currency: 'USD' }));
    expect(dollars.body).toMatchObject({ code: 'credit_limit_exceeded', details: { limitCents: 0, openCents: 1 } });
  });

  it('of several confirmations at the same time only those within the limit succeed', async () => {
    const customerId = await newAgency();
    const drafts: string[] = [];
    for (let count = 0; count < 4; count += 1) drafts.push(await draftOf(customerId, 7_000));
    const answers = await Promise.all(drafts.map((id) => confirm(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
  });

  it('a merge moves the terms to a customer without any, and its reversal moves them back', async () => {
    const { id: survivor } = await newCustomer(app, { kind: 'company', companyName: 'Carpathia' });
    const duplicate = await newAgency();
    const merge = await owner.post(`${CUSTOMERS}/${survivor}/merges`, { duplicateIds: [duplicate] });
    expect(merge.status).toBe(200);
    expect((await owner.get<object>(termsOf(survivor))).body).toMatchObject({ data: LIMIT });

    const [entry] = (await entriesAbout(owner, survivor)).filter(({ action }) => action === 'customers.customer.merge');
    const reversal = `/v1/admin/action-ledger/entries/${String(entry?.['id'])}/reversals`;
    expect((await owner.post(reversal, { reason: 'Two companies' })).status).toBe(201);
    expect((await owner.get<object>(termsOf(survivor))).body).toMatchObject({ data: { creditLimitCents: null } });
    expect((await owner.get<object>(termsOf(duplicate))).body).toMatchObject({ data: LIMIT });
  });

  it('a merge gives no terms to a person, and those of a former company can be cleared', async () => {
    const { id: person } = await newCustomer(app);
    const duplicate = await newAgency();
    const merge = await owner.post(`${CUSTOMERS}/${person}/merges`, { duplicateIds: [duplicate] });
    expect(merge.status).toBe(200);
    expect((await owner.get<object>(termsOf(person))).body).toMatchObject({ data: { creditLimitCents: null } });

    const former = await newAgency();
    const change = await owner.patch(`${CUSTOMERS}/${former}`, { kind: 'person', lastName: 'Popa' });
    expect(change.status).toBe(200);
    expect((await owner.put(termsOf(former), LIMIT)).status).toBe(422);
    const cleared = await owner.put<object>(termsOf(former), {});
    expect(cleared).toMatchObject({ status: 200, body: { data: { creditLimitCents: null, creditCurrency: null } } });
  });
});
