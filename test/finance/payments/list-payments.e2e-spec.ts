import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { bookingWith, received } from './bookings.js';
import { approved, out, type Payment, PAYMENTS, read, recorded, reverse, UNKNOWN } from './payments.js';

interface Page {
  data: Payment[];
  total: number;
  limit: number;
  offset: number;
}

let app: TestApp;
let owner: TestClient;
let bookingId: string;
let supplierInvoiceId: string;
const made: Payment[] = [];

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  bookingId = (await bookingWith(app, { installments: [['2026-03-01', 1000]] })).id;
  supplierInvoiceId = (await approved(owner, 5000)).id;
  const bodies = [
    received(bookingId, 300, { paidOn: '2026-01-03' }),
    received(bookingId, 100, { paidOn: '2026-01-01' }),
    received(bookingId, 200, { paidOn: '2026-01-02', reference: 'Wire 4711' }),
    out(supplierInvoiceId, 50, { paidOn: '2026-01-04' }),
  ];
  for (const body of bodies) {
    app.travel({ ms: 2 });
    made.push(await recorded(owner, body));
  }
  await reverse(owner, made[1]?.id ?? '');
});

async function list(parameters: Record<string, string>): Promise<Page> {
  const { status, body } = await owner.get<Page>(`${PAYMENTS}?${new URLSearchParams(parameters).toString()}`);
  expect(status).toBe(200);
  return body;
}

/** Returns the letters of the created payments that the list contains. */
async function letters(parameters: Record<string, string>): Promise<string> {
  const { data } = await list(parameters);
  return data.map(({ id }) => 'ABCD'[made.findIndex((one) => one.id === id)] ?? '?').join('');
}

describe('GET /v1/admin/finance/payments', () => {
  it('the payment list is {data, total, limit, offset}, newest first, of payments without allocations', async () => {
    const page = await list({ bookingId });
    expect({ ...page, data: page.data.length }).toEqual({ data: 3, total: 3, limit: 50, offset: 0 });
    for (const listed of page.data) {
      const { allocations: _allocations, warnings: _warnings, ...alone } = await read(owner, listed.id);
      expect(listed).toEqual({ ...alone, bookingNumber: expect.any(String) });
    }
  });

  it.each<[Record<string, string>, string]>([
    [{}, 'CBA'],
    [{ sort: 'createdAt' }, 'ABC'],
    [{ sort: 'paidOn' }, 'BCA'],
    [{ sort: '-paidOn' }, 'ACB'],
    [{ sort: 'amountCents' }, 'BCA'],
    [{ sort: '-amountCents' }, 'ACB'],
    [{ status: 'reversed' }, 'B'],
    [{ status: 'completed' }, 'CA'],
    [{ direction: 'out' }, ''],
    [{ reference: 'WIRE 4711' }, 'C'],
    [{ reference: 'Wire' }, ''],
    [{ from: '2026-01-02' }, 'CA'],
    [{ to: '2026-01-02' }, 'CB'],
    [{ from: '2026-01-02', to: '2026-01-02', direction: 'in', status: 'completed' }, 'C'],
    [{ limit: '1', offset: '1' }, 'B'],
    [{ offset: '3' }, ''],
  ])("the payments of one booking, requested by %j, are '%s'", async (parameters, expected) => {
    expect(await letters({ bookingId, ...parameters })).toBe(expected);
  });

  it('the payment list can be filtered by supplier invoice', async () => {
    expect(await letters({ supplierInvoiceId })).toBe('D');
    expect(await letters({ supplierInvoiceId, bookingId })).toBe('');
  });

  it('the total of the payment list counts all matches on every page, also beyond the last one', async () => {
    expect((await list({ bookingId, limit: '1' })).total).toBe(3);
    expect(await list({ bookingId, offset: '50' })).toEqual({ data: [], total: 3, limit: 50, offset: 50 });
  });

  it('an invalid query of the payment list is rejected with 400 and its issues', async () => {
    const { status, body } = await owner.get(`${PAYMENTS}?direction=up`);
    expect([status, body]).toEqual([400, invalid('direction', 'unknown_value')]);
  });

  it('listing payments needs finance:read', async () => {
    const other = await staffWith(app, 'finance:write');
    const { status, body } = await other.get(PAYMENTS);
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:receivables' }));
    expect((await (await staffWith(app, 'finance:read')).get(PAYMENTS)).status).toBe(200);
  });
});

it.each([UNKNOWN.payment, 'nothing', 'sinv_01k0dem000e000000000000001'])(
  'reading the payment %s is 404',
  async (id) => {
    const { status, body } = await owner.get(`${PAYMENTS}/${id}`);
    expect(status).toBe(404);
    expect(body).toEqual(problem('not_found'));
  },
);
