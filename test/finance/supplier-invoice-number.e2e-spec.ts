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
  ])('a number is unique per supplier, ignoring case and blanks: %j %j', async (supplierName, invoiceNumber) => {
    const first = { supplierName: 'Hotel Acme GmbH', invoiceNumber: 'AB 7' };
    const existing = await make(owner, first);
    const { status, body: answer } = await owner.post(PATH, body({ supplierName, invoiceNumber }));
    expect(status).toBe(409);
    expect(answer).toEqual(duplicateOf(existing.id));
    expect((await voiding(existing.id)).status).toBe(200);
  });

  it('two suppliers can use the same number, and one supplier different numbers', async () => {
    const { supplierName, invoiceNumber } = await make(owner);
    expect((await owner.post(PATH, body({ supplierName }))).status).toBe(201);
    expect((await owner.post(PATH, body({ invoiceNumber }))).status).toBe(201);
  });

  it('the number of a void invoice can be used again', async () => {
    const { id, supplierName, invoiceNumber } = await make(owner);
    await voiding(id);
    const again = await make(owner, { supplierName, invoiceNumber });
    expect((await owner.post(PATH, body({ supplierName, invoiceNumber }))).body).toEqual(duplicateOf(again.id));
  });

  it('of two concurrent requests with the same number one is 201 and the other a 409 with the id of the first', async () => {
    for (let round = 0; round < 5; round += 1) {
      const sent = body();
      const answers = await Promise.all([1, 2].map(() => owner.post<Envelope>(PATH, sent)));
      const [won, lost] = [...answers].sort((a, b) => a.status - b.status);
      expect([won?.status, lost?.status]).toEqual([201, 409]);
      expect(lost?.body).toEqual(duplicateOf(won?.body.data.id ?? ''));
    }
  });

  it('of many concurrent requests with the same number and different keys one succeeds', async () => {
    const sent = body();
    const keys = Array.from({ length: 8 }, (_, index) => `parallel-create-${index}`);
    const answers = await Promise.all(
      keys.map((key) => owner.post<Envelope>(PATH, sent, { headers: { 'Idempotency-Key': key } })),
    );
    const winner = answers.find(({ status }) => status === 201);
    const losers = answers.filter((answer) => answer !== winner);
    expect(losers.map((answer) => answer.body)).toEqual(losers.map(() => duplicateOf(winner?.body.data.id ?? '')));
  });

  it('a change of number or name to that of another invoice is rejected, and nothing is changed', async () => {
    const [other, mine] = [await make(owner), await make(owner)];
    const { supplierName, invoiceNumber } = other;
    const half = await owner.patch<Envelope>(`${PATH}/${mine.id}`, { invoiceNumber });
    expect(half.status).toBe(200);
    const { status, body: answer } = await owner.patch(`${PATH}/${mine.id}`, { supplierName });
    expect(status).toBe(409);
    expect(answer).toEqual(duplicateOf(other.id));
    expect((await owner.get(`${PATH}/${mine.id}`)).body).toEqual(half.body);
  });

  it('of concurrent changes to the same number one succeeds and the others get its id', async () => {
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

  it('two invoices of a supplier with the same total, issued at most 7 days apart, both have the warning', async () => {
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
  ])('an invoice %s does not have the warning', async (_, over) => {
    const { supplierName } = await make(owner, { ...total, issueDate: '2027-03-01' });
    expect((await make(owner, { ...total, supplierName, issueDate: '2027-03-01', ...over })).warnings).toEqual([]);
  });

  it('a change can add and remove the warning', async () => {
    const { supplierName } = await make(owner, total);
    const { id } = await make(owner, { supplierName });
    const warningsAfter = async (changes: object) =>
      (await owner.patch<Envelope>(`${PATH}/${id}`, changes)).body.data.warnings;
    expect(await warningsAfter(total)).toEqual(['possible_duplicate']);
    expect(await warningsAfter({ totalCents: 1 })).toEqual([]);
  });
});
