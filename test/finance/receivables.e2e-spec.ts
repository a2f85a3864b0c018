import { beforeAll, describe, expect, it } from '@jest/globals';
import { demoId } from '../../src/platform/ids/id.js';
import { hire } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenWith } from '../setup/staff-token.js';

const FINANCE = '/v1/admin/finance';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

interface Page {
  data: { id: string; bookingId: string | null; status: string }[];
  total: number;
}

/** Selects the money and documents of a booking of the demo data. */
async function paths(): Promise<string[]> {
  const first = async (list: string, isMeant: (row: Page['data'][number]) => boolean = () => true) => {
    const { body } = await owner.get<Page>(`${FINANCE}/${list}${list.includes('?') ? '&' : '?'}limit=200`);
    const found = body.data.find(isMeant);
    if (!found) throw new Error(`The demo data has nothing in ${list}`);
    return found;
  };
  const receipt = await first('payments?direction=in');
  const invoice = await first('invoices', ({ status }) => status !== 'draft');
  const booking = `bookings/${demoId('book', 20)}`;
  const installment = await first(`${booking}/payment-schedules`);
  return [
    `${booking}/money`,
    `${booking}/payment-schedules`,
    `${booking}/payment-schedules/${installment.id}`,
    'invoices?limit=5',
    `invoices/${invoice.id}`,
    `invoices/${invoice.id}/renditions`,
    'credit-notes',
    `payments?bookingId=${receipt.bookingId}`,
    `payments/${receipt.id}`,
    'customer-credit',
  ];
}

describe('the scope finance:receivables', () => {
  it('the scope finance:receivables shows all members of what a customer owes and has paid, to sales and operations', async () => {
    const clients = [
      (await hire(app, ['sales'])).client,
      (await hire(app, ['operations'])).client,
      app.with(await tokenWith(app, ['finance:receivables'])),
    ];
    for (const path of await paths()) {
      const expected = await owner.get(`${FINANCE}/${path}`);
      expect([path, expected.status]).toEqual([path, 200]);
      for (const client of clients) {
        const { status, body } = await client.get(`${FINANCE}/${path}`);
        expect([path, status, body]).toEqual([path, 200, expected.body]);
      }
    }
  });

  it('the scope finance:receivables shows neither payments to suppliers nor the books', async () => {
    const { client } = await hire(app, ['sales']);
    const supplied = await owner.get<Page>(`${FINANCE}/payments?direction=out&kind=supplier_payment`);
    const [payment] = supplied.body.data;
    expect(payment).toBeDefined();
    expect((await client.get<Page>(`${FINANCE}/payments?direction=out&kind=supplier_payment`)).body.total).toBe(0);
    const all = await client.get<Page>(`${FINANCE}/payments?limit=200`);
    expect(all.body.data.filter(({ bookingId }) => bookingId === null)).toEqual([]);
    expect((await client.get(`${FINANCE}/payments/${payment?.id}`)).status).toBe(404);
    const day = app.day();
    for (const path of ['supplier-invoices', 'integrity', 'settings', `reports/vat?from=${day}&to=${day}`]) {
      const { status } = await client.get(`${FINANCE}/${path}`);
      expect([path, status]).toEqual([path, 403]);
    }
    expect((await client.post(`${FINANCE}/payments`, {})).status).toBe(403);
  });
});
