/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { body, type Envelope, make, PATH, problem } from './invoices.js';

let owner: TestClient;

beforeAll(async () => {
  owner = (await startApp()).as('owner');
});

const duplicateOf = (existingId: string) => problem('duplicate_supplier_invoice', { existingId });
const voiding = (id: string) => owner.post(`${PATH}/${id}/voiding`, { reason: 'Sent twice' });

describe('the number of a supplier invoice', () => {
  it.each([
    ['hotel  ACME gmbh', 'ab 7'],
    ['Hotel Acme GmbH', 'Ab  7'],
    [' HOTEL ACME GMBH ', ' AB 7 '],
  ])('is taken once per supplier, whatever the case and blanks: %j %j', async (supplierName, invoiceNumber) => {
    const first = { supplierName: 'Hotel Acme GmbH', invoiceNumber: 'AB 7' };
    const existing = await make(owner, first);
    const { status, body: answer } = await owner.post(PATH, body({ supplierName, invoiceNumber }));
    expect(status).toBe(409);
    expect(answer).toEqual(duplicateOf(existing.id));
    expect((await voiding(existing.id)).status).toBe(200);
  });

  it('may be the same of two suppliers, and another of the same', async () => {
    const { supplierName, invoiceNumber } = await make(owner);
    expect((await owner.post(PATH, body({ supplierName }))).status).toBe(201);
    expect((await owner.post(PATH, body({ invoiceNumber }))).status).toBe(201);
  });

  it('is free again once the invoice is void', async () => {
    const { id, supplierName, invoiceNumber } = await make(owner);
    await voiding(id);
    const again = await make(owner, { supplierName, invoiceNumber });
    expect((await owner.post(PATH, body({ supplierName, invoiceNumber }))).body).toEqual(duplicateOf(again.id));
  });

  it('of two parallel creates goes to one: 201 and 409, which names the winner', async () => {
    for (let round = 0; round < 5; round += 1) {
      const sent = body();
      const answers = await Promise.all([1, 2].map(() => owner.post<Envelope>(PATH, sent)));
      const [won, lost] = [...answers].sort((a, b) => a.status - b.status);
      expect([won?.status, lost?.status]).toEqual([201, 409]);
      expect(lost?.body).toEqual(duplicateOf(won?.body.data.id ?? ''));
    }
  });

  it('of many parallel creates with own idempotency keys goes to one', async () => {
    const sent = body();
    const keys = Array.from({ length: 8 }, (_, index) => `parallel-create-${index}`);
    const answers = await Promise.all(
      keys.map((key) => owner.post<Envelope>(PATH, sent, { headers: { 'Idempotency-Key': key } })),
    );
    const winner = answers.find(({ status }) => status === 201);
    const losers = answers.filter((answer) => answer !== winner);
    expect(losers.map((answer) => answer.body)).toEqual(losers.map(() => duplicateOf(winner?.body.data.id ?? '')));
  });

  it('that another invoice has is refused on PATCH of number and of name, and nothing changes', async () => {
    const [taken, mine] = [await make(owner), await make(owner)];
    const { supplierName, invoiceNumber } = taken;
    const half = await owner.patch<Envelope>(`${PATH}/${mine.id}`, { invoiceNumber });
    expect(half.status).toBe(200);
    const { status, body: answer } = await owner.patch(`${PATH}/${mine.id}`, { supplierName });
    expect(status).toBe(409);
    expect(answer).toEqual(duplicateOf(taken.id));
    expect((await owner.get(`${PATH}/${mine.id}`)).body).toEqual(half.body);
  });

  it('of parallel PATCHes to one number goes to one; the others hear who has it', async () => {
    const { supplierName } = await make(owner);
    const invoices = await Promise.all(Array.from({ length: 6 }, () => make(owner, { supplierName })));
    const answers = await Promise.all(
      invoices.map(({ id }) => owner.patch<Envelope>(`${PATH}/${id}`, { invoiceNumber: 'WANTED' })),
    );
    const winner = answers.find(({ status }) => status === 200);
    const losers = answers.filter((answer) => answer !== winner);
    expect(losers.map((answer) => answer.body)).toEqual(losers.map(() => duplicateOf(winner?.body.data.id ?? '')));
  });
});

describe('the warning possible_duplicate', () => {
  const total = { totalCents: 77_700 };

  it('stands on both invoices of one supplier and total that were issued at most 7 days apart', async () => {
    const first = await make(owner, { ...total, issueDate: '2027-03-01' });
    const { supplierName } = first;
    expect(first.warnings).toEqual([]);
    const second = await make(owner, { ...total, supplierName, issueDate: '2027-03-08' });
    expect(second.warnings).toEqual(['possible_duplicate']);
    expect((await owner.get<Envelope>(`${PATH}/${first.id}`)).body.data.warnings).toEqual(['possible_duplicate']);
    const listed = await owner.get<{ data: { warnings: string[] }[] }>(
      `${PATH}?search=${encodeURIComponent(String(supplierName))}`,
    );
    expect(listed.body.data.map(({ warnings }) => warnings)).toEqual([['possible_duplicate'], ['possible_duplicate']]);

    await voiding(second.id);
    for (const { id } of [first, second]) {
      expect((await owner.get<Envelope>(`${PATH}/${id}`)).body.data.warnings).toEqual([]);
    }
  });

  it.each([
    ['8 days later', { issueDate: '2027-03-09' }],
    ['over another total', { totalCents: 77_701 }],
    ['over another currency', { currency: 'USD' }],
    ['of another supplier', { supplierName: 'Somebody else entirely' }],
  ])('does not stand on an invoice %s', async (_, over) => {
    const { supplierName } = await make(owner, { ...total, issueDate: '2027-03-01' });
    expect((await make(owner, { ...total, supplierName, issueDate: '2027-03-01', ...over })).warnings).toEqual([]);
  });

  it('comes and goes with a PATCH', async () => {
    const { supplierName } = await make(owner, total);
    const { id } = await make(owner, { supplierName });
    const warningsAfter = async (changes: object) =>
      (await owner.patch<Envelope>(`${PATH}/${id}`, changes)).body.data.warnings;
    expect(await warningsAfter(total)).toEqual(['possible_duplicate']);
    expect(await warningsAfter({ totalCents: 1 })).toEqual([]);
  });
});
