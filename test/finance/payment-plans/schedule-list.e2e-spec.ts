import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem } from '../invoices.js';
import { book, change, pay, planned, type Schedule, schedulesPath } from './plans.js';

let app: TestApp;
let owner: TestClient;
let bookingId: string;

interface Page {
  data: Schedule[];
  total: number;
  limit: number;
  offset: number;
}

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  const [id, first, second, third] = await planned(owner);
  bookingId = id;
  await pay(app, first.id, 30_000);
  await change(owner, second, { dueDate: app.day(-1) });
  await change(owner, third, { label: 'Last' });
});

async function list(query = ''): Promise<Page> {
  const { status, body } = await owner.get<Page>(`${schedulesPath(bookingId)}${query}`);
  expect(status).toBe(200);
  return body;
}

const labels = ({ data }: Page) => data.map(({ label }) => label);

describe('the installments of a booking', () => {
  it('installments are listed by due date, with their outstanding amounts', async () => {
    const page = await list();
    expect({ ...page, data: labels(page) }).toEqual({
      data: ['Second', 'First', 'Last'],
      total: 3,
      limit: 50,
      offset: 0,
    });
    expect(page.data).toMatchObject([
      { status: 'overdue', outstandingCents: 30_000 },
      { status: 'paid', paidCents: 30_000, outstandingCents: 0 },
      { status: 'pending', outstandingCents: 40_000 },
    ]);
  });

  it.each([
    ['?status=overdue', ['Second']],
    ['?status=pending', ['Last']],
    ['?status=paid', ['First']],
    ['?status=cancelled', []],
    ['?limit=1&offset=1', ['First']],
    ['?offset=3', []],
  ])('the installment list accepts the query %s', async (query, expected) => {
    const page = await list(query);
    expect(labels(page)).toEqual(expected);
    expect(page.total).toBe(query.includes('status') ? expected.length : 3);
  });

  it('installments can be filtered by due date', async () => {
    const today = app.day();
    expect(labels(await list(`?dueFrom=${today}`))).toEqual(['First', 'Last']);
    expect(labels(await list(`?dueTo=${today}`))).toEqual(['Second', 'First']);
    expect(labels(await list(`?dueFrom=${today}&dueTo=${today}`))).toEqual(['First']);
  });

  it('an overdue installment is overdue in the list, the filter and the read, and pending again before its due date', async () => {
    const [overdue] = (await list('?status=overdue')).data;
    const read = await owner.get<{ data: Schedule }>(`${schedulesPath(bookingId)}/${overdue?.id}`);
    expect(read.body.data).toEqual(overdue);
    app.travel({ days: -2 });
    expect((await list('?status=overdue')).total).toBe(0);
    expect(labels(await list('?status=pending'))).toEqual(['Second', 'Last']);
    app.travel({ days: 2 });
  });

  it('the installment list is empty for a booking without a plan, and 404 for an unknown booking', async () => {
    const bare = await owner.get<Page>(schedulesPath(await book(owner)));
    expect(bare.body).toEqual({ data: [], total: 0, limit: 50, offset: 0 });
    const { status, body } = await owner.get(schedulesPath('book_01k0dem000e000000000009999'));
    expect(status).toBe(404);
    expect(body).toEqual(problem('not_found'));
  });

  it('an invalid query of the installment list is rejected with 400 and its issues', async () => {
    const { status, body } = await owner.get(`${schedulesPath(bookingId)}?dueFrom=2026-02-30`);
    expect([status, body]).toEqual([400, invalid('dueFrom', 'wrong_format')]);
  });
});
