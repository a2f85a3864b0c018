import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import type { TestClient } from '../setup/client.js';
import {
  entriesOf,
  type Envelope,
  eventsOf,
  type Invoice,
  invalid,
  make,
  PATH,
  problem,
  staffWith,
} from './invoices.js';

type Step = 'approval' | 'reopening' | 'voiding';
const STEPS: readonly Step[] = ['approval', 'reopening', 'voiding'];

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const bodyOf = (step: Step) => (step === 'approval' ? undefined : { reason: 'The supplier sent a corrected invoice' });

interface Caller {
  client?: TestClient;
  headers?: Record<string, string>;
}

async function take(id: string, step: Step, { client = owner, headers = {} }: Caller = {}): Promise<Answer<Envelope>> {
  return client.post<Envelope>(`${PATH}/${id}/${step}`, bodyOf(step), { headers });
}

async function inStatus(status: string): Promise<Invoice> {
  const invoice = await make(owner, {
    status: status === 'draft' || status === 'void' ? 'draft' : 'approved',
    ...(status === 'paid' ? { totalCents: 0 } : {}),
  });
  return status === 'void' ? (await take(invoice.id, 'voiding')).body.data : invoice;
}

async function pay(supplierInvoiceId: string, amountCents: number): Promise<void> {
  const payment = { direction: 'out', method: 'bank_transfer', currency: 'EUR', paidOn: '2026-01-15' };
  const { status } = await owner.post('/v1/admin/finance/payments', { ...payment, supplierInvoiceId, amountCents });
  expect(status).toBe(201);
}

describe('approval', () => {
  it('approval moves a draft to approved and stores the time and the user', async () => {
    const { body: me } = await owner.get<{ data: { user: { id: string } } }>('/v1/admin/identity/me');
    const draft = await make(owner);
    app.travel({ ms: 5 });
    const { status, body, headers } = await take(draft.id, 'approval');
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...draft,
      status: 'approved',
      postingDate: draft['issueDate'],
      approvedAt: body.data['updatedAt'],
      approvedBy: me.data.user.id,
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(headers['etag']).toBe('"2"');
  });

  it('approval of a total of 0 makes the invoice paid, with both events', async () => {
    const draft = await make(owner, { totalCents: 0 });
    const { body } = await take(draft.id, 'approval');
    expect(body.data).toMatchObject({ status: 'paid', paidCents: 0, balanceCents: 0, settlementStatus: 'paid' });
    expect(body.data['approvedAt']).not.toBeNull();
    const events = ['supplier_invoice.created', 'supplier_invoice.approved', 'supplier_invoice.paid'];
    expect(await eventsOf(app, draft.id, 3)).toEqual(events);
    expect(await make(owner, { totalCents: 0, status: 'approved' })).toMatchObject({ status: 'paid' });
  });

  it('approval accepts no body, an empty one and {}, but no members', async () => {
    const json = { 'Content-Type': 'application/json' };
    for (const raw of ['', '{}']) {
      const { id } = await make(owner);
      expect((await owner.post(`${PATH}/${id}/approval`, undefined, { raw, headers: json })).status).toBe(200);
    }
    const { id } = await make(owner);
    const { status, body } = await owner.post(`${PATH}/${id}/approval`, { approvedBy: 'somebody' });
    expect(status).toBe(400);
    expect(body).toEqual(invalid('approvedBy', 'unknown_member', 'approvedBy is not recognized'));
  });

  it('concurrent approvals of a draft happen once', async () => {
    const { id } = await make(owner);
    const answers = await Promise.all(Array.from({ length: 8 }, () => take(id, 'approval')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const approvals = (await entriesOf(owner, id)).filter(({ action }) => action.endsWith('.approve'));
    expect(approvals).toHaveLength(1);
  });

  it('concurrent approval and voiding leave one consistent status', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await make(owner);
      await Promise.all([take(id, 'approval'), take(id, 'voiding')]);
      const { data } = (await owner.get<Envelope>(`${PATH}/${id}`)).body;
      // Voiding is possible before and after the approval, the approval only before.
      expect(data).toMatchObject({ status: 'void', voidReason: 'The supplier sent a corrected invoice' });
    }
  });
});

describe('reopening', () => {
  it('reopening moves an approved invoice to draft, and the reason is in the ledger', async () => {
    const approved = await make(owner, { status: 'approved' });
    const { status, body } = await take(approved.id, 'reopening');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'draft', approvedAt: null, approvedBy: null, version: 2 });
    const [, , entry] = await entriesOf(owner, approved.id);
    expect(entry).toMatchObject({
      action: 'finance.supplier_invoice.reopen',
      reason: 'The supplier sent a corrected invoice',
      before: { status: 'approved' },
      after: { status: 'draft', approvedAt: null },
    });
    expect((await owner.patch(`${PATH}/${approved.id}`, { totalCents: 5 })).status).toBe(200);
  });
});

describe('voiding', () => {
  it.each(['draft', 'approved'])(
    'voiding moves a %s invoice to void and stores the time and the reason',
    async (from) => {
      const before = await inStatus(from);
      const { status, body } = await take(before.id, 'voiding');
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        status: 'void',
        voidedAt: body.data['updatedAt'],
        voidReason: 'The supplier sent a corrected invoice',
        approvedAt: before['approvedAt'],
      });
    },
  );

  it('voiding is recorded with its reason and published', async () => {
    const { id } = await inStatus('void');
    const [, entry] = await entriesOf(owner, id);
    expect(entry).toMatchObject({
      action: 'finance.supplier_invoice.void',
      reason: 'The supplier sent a corrected invoice',
      before: { status: 'draft', voidedAt: null },
      after: { status: 'void' },
    });
    expect(await eventsOf(app, id, 2)).toEqual(['supplier_invoice.created', 'supplier_invoice.voided']);
  });
});

describe('every other transition', () => {
  const ALLOWED: Record<string, { steps: Step[]; to: string[] }> = {
    draft: { steps: ['approval', 'voiding'], to: ['approved', 'void'] },
    approved: { steps: ['reopening', 'voiding'], to: ['draft', 'void'] },
    paid: { steps: [], to: [] },
    void: { steps: [], to: [] },
  };
  const TARGET = { approval: 'approved', reopening: 'draft', voiding: 'void' };
  const rejected = Object.entries(ALLOWED).flatMap(([from, { steps }]) =>
    STEPS.filter((step) => !steps.includes(step)).map((step) => [from, step] as const),
  );

  it.each(rejected)(
    '%s invoice: %s is rejected with 409 invalid_transition and changes nothing',
    async (from, step) => {
      const invoice = await inStatus(from);
      const { status, body } = await take(invoice.id, step);
      expect(status).toBe(409);
      const allowed = ALLOWED[from]?.to;
      expect(body).toEqual(problem('invalid_transition', { from, to: TARGET[step], allowed }));
      expect((await owner.get<Envelope>(`${PATH}/${invoice.id}`)).body.data).toEqual(invoice);
    },
  );
});

describe('an invoice with payments', () => {
  it.each(['reopening', 'voiding'] as const)(
    '%s of an invoice with payments is 409 invoice_has_payments',
    async (step) => {
      const { id } = await make(owner, { status: 'approved' });
      await pay(id, 900);
      const { status, body } = await take(id, step);
      expect(status).toBe(409);
      expect(body).toEqual(problem('invoice_has_payments', { paidCents: 900 }));
    },
  );

  it('an invoice with payments shows the paid amount and the balance', async () => {
    const { id } = await make(owner, { status: 'approved' });
    const read = async () => (await owner.get<Envelope>(`${PATH}/${id}`)).body.data;
    await pay(id, 900);
    expect(await read()).toMatchObject({ paidCents: 900, balanceCents: 11_000, settlementStatus: 'partially_paid' });
    await pay(id, 11_000);
    expect(await read()).toMatchObject({ paidCents: 11_900, balanceCents: 0, settlementStatus: 'paid' });
  });
});

describe('approval, reopening and voiding', () => {
  it.each([
    ['approval', 'finance:approve', 'draft'],
    ['reopening', 'finance:approve', 'approved'],
    ['voiding', 'finance:void', 'draft'],
  ] as const)('%s needs %s, which finance:* does not include', async (step, scope, from) => {
    const { id } = await inStatus(from);
    const { status, body } = await take(id, step, { client: await staffWith(app, 'finance:*') });
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: scope }));
    expect((await take(id, step, { client: await staffWith(app, scope) })).status).toBe(200);
  });

  it.each(STEPS)('%s of an unknown invoice is 404', async (step) => {
    const { status, body } = await take('sinv_01k0dem000e000000000009999', step);
    expect(status).toBe(404);
    expect(body).toEqual(problem('not_found'));
  });

  it.each(['reopening', 'voiding'])('%s without a reason is rejected with 400', async (step) => {
    const { id } = await make(owner, { status: 'approved' });
    const { status, body } = await owner.post(`${PATH}/${id}/${step}`, {});
    expect(status).toBe(400);
    expect(body).toEqual(
      problem('invalid_request', { issues: expect.any(Array), fields: { reason: expect.any(Array) } }),
    );
    expect((await owner.get<Envelope>(`${PATH}/${id}`)).body.data.status).toBe('approved');
  });

  it.each(STEPS)('%s happens once for two requests with the same Idempotency-Key', async (step) => {
    const { id } = await inStatus(step === 'reopening' ? 'approved' : 'draft');
    const key = { headers: { 'Idempotency-Key': `take-${step}-once` } };
    const [first, again] = [await take(id, step, key), await take(id, step, key)];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(again.headers['etag']).toBe(first.headers['etag']);
  });
});
