import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { makeSeries } from '../number-series/series.js';
import { draft, type Invoice, issue, pay, PATH, read, sell, travelToDayOfMonth, voiding } from './invoicing.js';

let app: TestApp;
let owner: TestClient;
let bookingId: string;
let prefix: string;
let made: Record<'draft' | 'issued' | 'late' | 'part' | 'paid' | 'void', Invoice>;

interface Page {
  data: Invoice[];
  total: number;
  limit: number;
  offset: number;
}

const list = async (query: string) => (await owner.get<Page>(`${PATH}?${query}`)).body;
const mine = async (query = '') => list(`bookingId=${bookingId}${query}`);
const names = ({ data }: Page) => {
  const nameOf = new Map(Object.entries(made).map(([name, { id }]) => [id, name]));
  return data.map(({ id }) => nameOf.get(id));
};

const day = (offset: number) => app.day(offset);

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  travelToDayOfMonth(app, 25);
  const series = await makeSeries(owner);
  const { id: seriesId } = series;
  ({ prefix } = series);
  ({ id: bookingId } = await sell(app, { plan: [100_000] }));
  const make = async (
    unitPriceCents: number,
    payerName: string,
    { issueDate, dueDate }: { issueDate?: string; dueDate?: string } = {},
  ) => {
    const { id } = await draft(owner, { bookingId, payerName, lines: [{ description: 'x', unitPriceCents }] });
    app.travel({ ms: 5 });
    if (issueDate) await issue(owner, id, { seriesId, issueDate, dueDate: dueDate ?? issueDate });
    return id;
  };
  const ids = {
    draft: await make(100, '100% _Payer'),
    late: await make(300, 'Late Payer', { issueDate: day(-20) }),
    part: await make(400, 'Half Payer', { issueDate: day(-19) }),
    paid: await make(500, 'Good Payer', { issueDate: day(-18) }),
    void: await make(600, 'No Payer', { issueDate: day(-17) }),
    issued: await make(200, 'Early Payer', { issueDate: day(0), dueDate: '2090-01-31' }),
  };
  await pay(app, ids.part, 1);
  await pay(app, ids.paid, 500);
  await voiding(owner, ids.void);
  const entries = Object.entries(ids).map(async ([name, id]) => [name, await read(owner, id)] as const);
  made = Object.fromEntries(await Promise.all(entries)) as typeof made;
});

describe('GET /v1/admin/finance/invoices', () => {
  it('invoices are listed newest first, without lines, and otherwise as they are read', async () => {
    const page = await mine();
    expect([page.total, page.limit, page.offset]).toEqual([6, 50, 0]);
    expect(names(page)).toEqual(['issued', 'void', 'paid', 'part', 'late', 'draft']);
    for (const listed of page.data) {
      const {
        lines: _lines,
        taxSummary: _taxSummary,
        stale: _stale,
        staleReasons: _reasons,
        ...summary
      } = await read(owner, listed.id);
      expect(listed).toEqual({ ...summary, bookingNumber: expect.any(String) });
    }
  });

  it('an issued, unpaid invoice past its due date is overdue in reads, lists and filters', async () => {
    expect(
      Object.entries(made)
        .flatMap(([name, { overdue }]) => (overdue ? [name] : []))
        .sort(),
    ).toEqual(['late', 'part']);
    expect(names(await mine('&overdue=true&sort=totalCents'))).toEqual(['late', 'part']);
    expect(names(await mine('&overdue=false&sort=totalCents'))).toEqual(['draft', 'issued', 'paid', 'void']);
  });

  it.each([
    ['&status=draft', ['draft']],
    ['&status=partially_paid', ['part']],
    ['&status=paid,partially_paid&sort=totalCents', ['part', 'paid']],
    ['&status=void,draft&dueTo=2089-12-31', ['void']],
    ['&status=void', ['void']],
    ['&status=issued&dueTo=2089-12-31&overdue=true', ['late']],
    ['&search=hALF', ['part']],
    ['&search=%25%20_', ['draft']],
    ['&sort=totalCents', ['draft', 'issued', 'late', 'part', 'paid', 'void']],
    ['&sort=dueDate', ['late', 'part', 'paid', 'void', 'issued', 'draft']],
    ['&sort=-issueDate', ['issued', 'void', 'paid', 'part', 'late', 'draft']],
    ['&sort=createdAt&limit=2&offset=1', ['late', 'part']],
  ])('the invoice list with %s contains %j', async (query, expected) =>
    expect(names(await mine(query))).toEqual(expected),
  );

  it('the invoice list is filtered by ranges of due days and issue days, whose ends are included', async () => {
    expect(names(await mine(`&dueFrom=${day(-19)}&dueTo=${day(-18)}&sort=dueDate`))).toEqual(['part', 'paid']);
    expect(names(await mine(`&issuedFrom=${day(-19)}&issuedTo=${day(-18)}&sort=issueDate`))).toEqual(['part', 'paid']);
  });

  it('an invoice is found by a part of its number', async () => {
    expect(names(await list(`search=${prefix}0003`))).toEqual(['paid']);
  });

  it('the total of the invoice list counts all matches, also beyond the last page', async () => {
    expect(await mine('&offset=6')).toEqual({ data: [], total: 6, limit: 50, offset: 6 });
    expect(await mine('&status=draft&limit=1')).toMatchObject({ total: 1, limit: 1 });
    const totals = ['draft', 'void', 'draft,void'].map(async (status) => (await list(`status=${status}`)).total);
    const [draft = 0, voided = 0, both] = await Promise.all(totals);
    expect(both).toBe(draft + voided);
    expect(await list('bookingId=book_unknown')).toEqual({ data: [], total: 0, limit: 50, offset: 0 });
  });

  it('an invalid query of the invoice list is rejected with 400 and its issues', async () => {
    const { status, body } = await owner.get(`${PATH}?sort=payerName`);
    expect([status, body]).toEqual([400, invalid('sort', 'unknown_value')]);
  });

  it('reading and listing invoices needs finance:read, and a malformed or unknown id is 404', async () => {
    const other = await staffWith(app, 'finance:write');
    const { status, body } = await other.get(PATH);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:receivables' })]);
    expect((await owner.get(`${PATH}/inv_01k0dem000e000000000009999`)).body).toEqual(problem('not_found'));
    expect((await owner.get(`${PATH}/1`)).body).toEqual(problem('not_found'));
  });
});
