import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem } from '../invoices.js';
import { makeSeries } from '../number-series/series.js';
import { draft, type Envelope, type Invoice, issue, PATH, read, sell, voiding } from './invoicing.js';

let app: TestApp;
let owner: TestClient;
let seriesId: string;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  seriesId = (await makeSeries(owner)).id;
});

const line = (unitPriceCents: number) => ({ description: 'By hand', unitPriceCents });
const patch = (id: string, changes: object) => owner.patch<Envelope>(`${PATH}/${id}`, changes);

async function newDraft(over: Record<string, unknown> = {}): Promise<Invoice> {
  const { id: bookingId } = await sell(app);
  return draft(owner, { bookingId, payerAddress: 'Here', lines: [line(1_000), line(500)], ...over });
}

async function newIssued(): Promise<Invoice> {
  return (await issue(owner, (await newDraft()).id, { seriesId })).body.data;
}

describe('PATCH /v1/admin/finance/invoices/{id}', () => {
  it.each([{ payerName: 'Weber AG' }, { payerAddress: null }, { payerTaxId: 'CHE-1' }, { dueDate: '2027-03-01' }])(
    'the body %j changes only its field, updatedAt and version of an invoice',
    async (changes) => {
      const before = await newDraft();
      app.travel({ ms: 5 });
      const { status, headers, body } = await patch(before.id, changes);
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...before, ...changes, version: 2, updatedAt: expect.any(String) });
      expect([body.data['updatedAt'] === before['updatedAt'], headers['etag']]).toEqual([false, '"2"']);
      expect(await read(owner, before.id)).toEqual(body.data);
    },
  );

  it('a change of the lines replaces all lines and recomputes the totals', async () => {
    const before = await newDraft();
    const lines = [{ description: 'New', quantity: '2', unitPriceCents: 100, taxRateBasisPoints: 1_900 }];
    const { body } = await patch(before.id, { lines });
    expect(body.data).toMatchObject({ subtotalCents: 200, taxCents: 38, totalCents: 238, balanceCents: 238 });
    expect(body.data.lines).toHaveLength(1);
    expect(await read(owner, before.id)).toEqual(body.data);
  });

  it('the lines of an invoice can be sent back in the form in which they were read', async () => {
    const before = await newDraft({
      lines: [{ description: 'x', quantity: '1.2345', unitPriceCents: 999, taxCents: 7 }],
    });
    expect((await patch(before.id, { lines: before.lines })).body.data.lines).toEqual(before.lines);
  });

  it('a change of an invoice cannot exceed its booking or differ from its installment', async () => {
    const { id: bookingId, scheduleIds } = await sell(app, { items: [{ unitSellCents: 1_000 }], plan: [400, 600] });
    const [free, tied] = [
      await draft(owner, { bookingId, lines: [line(100)] }),
      await draft(owner, { bookingId, scheduleId: scheduleIds[0] }),
    ];
    const more = await patch(free.id, { lines: [line(1_001)] });
    const details = { field: 'totalCents', bookingTotalCents: 1_000, invoicedCents: 0, totalCents: 1_001 };
    expect([more.status, more.body]).toEqual([422, problem('invoice_exceeds_booking', details)]);
    const other = await patch(tied.id, { lines: [line(399)] });
    const mismatch = { field: 'lines', expected: 400, actual: 399 };
    expect([other.status, other.body]).toEqual([422, problem('totals_mismatch', mismatch)]);
    const wrong = await patch(free.id, { totalCents: 99 });
    expect(wrong.body).toEqual(problem('totals_mismatch', { field: 'totalCents', expected: 100, actual: 99 }));
    expect([await read(owner, free.id), await read(owner, tied.id)]).toEqual([free, tied]);
    expect((await patch(free.id, { lines: [line(600)] })).status).toBe(200);
  });

  it('an invalid body of an invoice change is rejected with 400 and its issues, and nothing is changed', async () => {
    const before = await newDraft();
    const { status, body } = await patch(before.id, { status: 'paid' });
    expect([status, body]).toEqual([400, invalid('status', 'unknown_member', 'status is not recognized')]);
    expect(await read(owner, before.id)).toEqual(before);
  });

  it('a change of an issued invoice is rejected with 409 invoice_issued, of a void draft with 409 invoice_void', async () => {
    const before = await newIssued();
    for (const changes of [{ payerName: 'x' }, { dueDate: null }, { lines: [line(1)] }]) {
      const { status, body } = await patch(before.id, changes);
      const details = { status: 'issued', number: before.number };
      expect([status, body]).toEqual([409, problem('invoice_issued', details)]);
    }
    expect(await read(owner, before.id)).toEqual(before);
    const { id } = await newDraft();
    await voiding(owner, id);
    expect((await patch(id, { payerName: 'x' })).body).toEqual(
      problem('invoice_void', { status: 'void', number: null }),
    );
  });
});

describe('DELETE /v1/admin/finance/invoices/{id}', () => {
  it('deleting a draft deletes the invoice and releases its installment', async () => {
    const { id: bookingId, scheduleIds } = await sell(app, { plan: [100_000] });
    const made = await draft(owner, { bookingId, scheduleId: scheduleIds[0] });
    const { status, body } = await owner.delete(`${PATH}/${made.id}`);
    expect([status, body]).toEqual([200, { data: made }]);
    expect((await owner.get(`${PATH}/${made.id}`)).body).toEqual(problem('not_found'));
    expect((await owner.delete(`${PATH}/${made.id}`)).status).toBe(404);
    await draft(owner, { bookingId, scheduleId: scheduleIds[0] });
  });

  it('deleting an issued invoice is rejected with 409 invoice_issued', async () => {
    const { id, number } = await newIssued();
    const { status, body } = await owner.delete(`${PATH}/${id}`);
    expect([status, body]).toEqual([409, problem('invoice_issued', { status: 'issued', number })]);
  });
});

describe('the invoices table', () => {
  const constraintOf = async (statement: string, id: string): Promise<unknown> => {
    const attempt = app.sql(statement, [id]).then(
      () => 'done',
      (error: { constraint?: string }) => error.constraint,
    );
    return attempt;
  };

  it.each([
    'number = number || $$x$$',
    'total_cents = total_cents + 1, subtotal_cents = subtotal_cents + 1',
    'payer_name = $$Somebody else$$',
    'issue_date = issue_date - 1',
    'due_date = due_date + 1',
    'seller_name = $$x$$',
    'sequence = sequence + 1',
    'number = null, series_id = null, period_key = null, sequence = null, issue_date = null, issued_at = null',
  ])('the invoices table rejects a change of an issued invoice: %s', async (change) => {
    const { id } = await newIssued();
    expect(await constraintOf(`update invoices set ${change} where id = $1`, id)).toBe('invoices_immutable');
  });

  it('the invoices table rejects the deletion of an issued invoice and any change of its lines', async () => {
    const { id } = await newIssued();
    const statements = [
      `update invoice_lines set description = 'x' where invoice_id = $1`,
      'delete from invoice_lines where invoice_id = $1',
      `insert into invoice_lines select invoice_id, 9, booking_item_id, description, quantity, unit_price_cents,
         tax_rate_basis_points, net_cents, tax_cents, total_cents from invoice_lines where invoice_id = $1 and position = 1`,
    ];
    for (const statement of statements) expect(await constraintOf(statement, id)).toBe('invoice_lines_immutable');
    expect(await constraintOf('delete from invoices where id = $1', id)).toBe('invoices_immutable');
    await voiding(owner, id);
    const revival = `update invoices set status = 'issued', voided_at = null, void_reason = null where id = $1`;
    expect(await constraintOf(revival, id)).toBe('invoices_immutable');
  });

  it.each([
    ['paid_cents = 1', 'invoices_paid'],
    ["status = 'paid'", 'invoices_paid'],
    ["status = 'partially_paid'", 'invoices_paid'],
    ["status = 'draft'", 'invoices_numbered'],
    ["status = 'void'", 'invoices_voiding'],
    ["status = 'partially_paid', paid_cents = total_cents + 1", 'invoices_paid'],
  ])(
    'the invoices table rejects an inconsistent status or amount of an issued invoice: %s',
    async (change, constraint) => {
      const { id } = await newIssued();
      expect(await constraintOf(`update invoices set ${change} where id = $1`, id)).toBe(constraint);
    },
  );

  it('the invoices table rejects a draft whose amounts do not add up or whose status needs a number', async () => {
    const { id } = await newDraft();
    expect(await constraintOf('update invoices set tax_cents = 1 where id = $1', id)).toBe('invoices_total');
    expect(await constraintOf(`update invoices set status = 'issued' where id = $1`, id)).toBe('invoices_numbered');
    const lines = 'update invoice_lines set total_cents = 1 where invoice_id = $1';
    expect(await constraintOf(lines, id)).toBe('invoice_lines_total');
    const net = 'update invoice_lines set quantity = 2 where invoice_id = $1';
    expect(await constraintOf(net, id)).toBe('invoice_lines_net');
  });

  it('the invoices table rejects issuing an invoice whose lines do not add up to its total', async () => {
    const { id } = await newDraft();
    await app.sql('update invoices set subtotal_cents = 7, total_cents = 7 where id = $1', [id]);
    const { status, body } = await issue(owner, id, { seriesId });
    expect([status, body]).toEqual([409, problem('conflict')]);
    expect((await read(owner, id)).status).toBe('draft');
  });

  it('the database rejects decreasing a number counter, and deleting one that has assigned a number', async () => {
    await newIssued();
    const counters = 'invoice_number_counters where series_id = $1';
    const back = `update invoice_number_counters set next_number = next_number - 1 where series_id = $1`;
    expect(await constraintOf(back, seriesId)).toBe('invoice_number_counters_forward');
    expect(await constraintOf(`delete from ${counters}`, seriesId)).toBe('invoice_number_counters_keep');
  });
});
