import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type Envelope, type Invoice, invalid, make, PATH, problem, staffWith } from './invoices.js';

interface Page {
  data: Invoice[];
  total: number;
  limit: number;
  offset: number;
}

let app: TestApp;
let owner: TestClient;
const made: Invoice[] = [];
const SUPPLIER = 'List 100%_Tours \\ Co';

/** Creates five invoices of one supplier; the list is filtered by the supplier. */
const ROWS = [
  { invoiceNumber: 'L-A', totalCents: 300, issueDate: '2027-01-03', dueDate: '2027-02-03', status: 'approved' },
  { invoiceNumber: 'L-B', totalCents: 100, issueDate: '2027-01-01', dueDate: '2027-02-01', currency: 'USD' },
  { invoiceNumber: 'L-C', totalCents: 300, issueDate: '2027-01-02' },
  { invoiceNumber: 'L-D', totalCents: 200, issueDate: '2027-01-05', dueDate: '2027-02-05' },
  { invoiceNumber: 'L-E', totalCents: 0, issueDate: '2027-01-04', dueDate: '2027-01-04', status: 'approved' },
];

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  for (const row of ROWS) {
    app.travel({ ms: 2 });
    made.push(await make(owner, { supplierName: SUPPLIER, ...row }));
  }
  await make(owner, { supplierName: 'List 100 Tours Co', invoiceNumber: 'L-A' });
});

async function list(parameters: Record<string, string> = {}): Promise<Page> {
  const query = new URLSearchParams({ search: SUPPLIER.toLowerCase(), ...parameters });
  const { status, body } = await owner.get<Page>(`${PATH}?${query.toString()}`);
  expect(status).toBe(200);
  return body;
}

async function numbers(parameters: Record<string, string>): Promise<string> {
  const { data } = await list(parameters);
  return data.map(({ invoiceNumber }) => String(invoiceNumber).slice(2)).join('');
}

describe('GET /v1/admin/finance/supplier-invoices', () => {
  it('the list is {data, total, limit, offset}, newest first, of invoices without lines', async () => {
    const page = await list();
    expect({ ...page, data: page.data.length }).toEqual({ data: 5, total: 5, limit: 50, offset: 0 });
    expect(await numbers({})).toBe('EDCBA');
    for (const listed of page.data) {
      const { lines: _lines, ...read } = (await owner.get<Envelope>(`${PATH}/${listed.id}`)).body.data;
      expect(listed).toEqual(read);
    }
  });

  it.each([
    [{ sort: 'createdAt' }, 'ABCDE'],
    [{ sort: 'issueDate' }, 'BCAED'],
    [{ sort: '-issueDate' }, 'DEACB'],
    [{ sort: 'dueDate' }, 'EBADC'],
    [{ sort: '-dueDate' }, 'DABEC'],
    [{ sort: 'totalCents' }, 'EBDAC'],
    [{ sort: '-totalCents' }, 'CADBE'],
  ])('the list is sorted by %j, then by id, with invoices without due date last', async (parameters, expected) => {
    expect(await numbers(parameters)).toBe(expected);
  });

  it.each([
    [{ status: 'approved' }, 'A'],
    [{ status: 'draft' }, 'BCD'],
    [{ status: 'paid' }, 'E'],
    [{ status: 'void' }, ''],
    [{ currency: 'USD' }, 'B'],
    [{ dueFrom: '2027-02-03' }, 'AD'],
    [{ dueTo: '2027-02-03' }, 'ABE'],
    [{ dueFrom: '2027-02-01', dueTo: '2027-02-03', status: 'draft' }, 'B'],
    [{ search: 'l-d' }, 'D'],
    [{ search: '100%_tours' }, 'ABCDE'],
    [{ search: '%' + '_' }, 'ABCDE'],
    [{ search: 'tours \\' }, 'ABCDE'],
    [{ search: 'nobody' }, ''],
  ])('the list is filtered by %j', async (parameters, expected) => {
    expect(await numbers({ sort: 'createdAt', ...parameters })).toBe(expected);
  });

  it('the total counts all matches on every page, also beyond the last one', async () => {
    const page = await list({ sort: 'createdAt', limit: '2', offset: '3' });
    expect({ ...page, data: page.data.map(({ id }) => id) }).toEqual({
      data: made.slice(3).map(({ id }) => id),
      total: 5,
      limit: 2,
      offset: 3,
    });
    expect(await list({ offset: '100' })).toEqual({ data: [], total: 5, limit: 50, offset: 100 });
  });

  it('an invalid query is rejected with 400 and its issues', async () => {
    const { status, body } = await owner.get(`${PATH}?currency=eur`);
    expect([status, body]).toEqual([400, invalid('currency', 'wrong_format')]);
  });

  it('reading supplier invoices needs finance:read', async () => {
    const writer = await staffWith(app, 'finance:write');
    for (const path of [PATH, `${PATH}/${made[0]?.id}`]) {
      const { status, body } = await writer.get(path);
      expect(status).toBe(403);
      expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:read' }));
    }
  });
});

describe('overdue', () => {
  const day = (offset: number) => app.day(offset);

  it('an unpaid invoice or draft due before today is overdue in lists, filters and reads', async () => {
    const supplierName = 'Overdue Ltd';
    const issueDate = '2020-01-01';
    const over = { supplierName, issueDate };
    const late = await make(owner, { ...over, dueDate: day(-2), status: 'approved' });
    const lateDraft = await make(owner, { ...over, dueDate: day(-2) });
    const voided = await make(owner, { ...over, dueDate: day(-2) });
    await owner.post(`${PATH}/${voided.id}/voiding`, { reason: 'Sent twice' });
    await make(owner, { ...over, dueDate: day(-2), totalCents: 0, status: 'approved' });
    await make(owner, { ...over, dueDate: day(2), status: 'approved' });
    await make(owner, { ...over, status: 'approved' });

    const all = await list({ search: supplierName, sort: 'createdAt' });
    const overdue = await list({ search: supplierName, overdue: 'true', sort: 'createdAt' });
    const others = await list({ search: supplierName, overdue: 'false' });

    expect(overdue.data.map(({ id }) => id)).toEqual([late.id, lateDraft.id]);
    expect(all.data.map((invoice) => invoice['overdue'])).toEqual([true, true, false, false, false, false]);
    expect([overdue.total, others.total]).toEqual([2, 4]);
    expect((await owner.get<Envelope>(`${PATH}/${late.id}`)).body.data['overdue']).toBe(true);
  });

  it('an invoice is overdue from the day after the due date in the time zone of the organization', async () => {
    // These zones are 25 hours apart, so they never have the same day.
    const [west, east] = await Promise.all(
      ['Pacific/Pago_Pago', 'Pacific/Kiritimati'].map((zone) => startApp({ env: { ORG_TIME_ZONE: zone } })),
    );
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Pago_Pago', dateStyle: 'short' });
    const { id } = await make(owner, { issueDate: '2020-01-01', dueDate: today.format(app.now()) });
    const overdue = async (at: TestApp | undefined) =>
      (await at?.as('owner').get<Envelope>(`${PATH}/${id}`))?.body.data['overdue'];
    expect([await overdue(west), await overdue(east)]).toEqual([false, true]);
  });
});

describe('GET /v1/admin/finance/supplier-invoices/{id}', () => {
  it('an unknown or malformed id is 404', async () => {
    for (const id of ['sinv_01k0dem000e000000000009999', 'sinv_', 'SINV_01k0dem000e000000000000001', "' or 1=1"]) {
      const { status, body } = await owner.get(`${PATH}/${encodeURIComponent(id)}`);
      expect(status).toBe(404);
      expect(body).toEqual(problem('not_found'));
    }
  });
});
