import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { PATH as SUPPLIER_INVOICES, problem, staffWith } from '../invoices.js';
import {
  approved,
  entriesOf,
  type Envelope,
  eventsOf,
  out,
  PAYMENTS,
  read,
  recorded,
  reverse,
  settledOf,
  stored,
  UNKNOWN,
} from './payments.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('the reversal of a payment', () => {
  it('a reversal moves the supplier invoice back to approved and stores its reason in the payment and in the ledger', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    const payment = await recorded(owner, out(supplierInvoiceId, 900));
    app.travel({ ms: 5 });
    const { status, body, headers } = await reverse(owner, payment.id);

    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...payment,
      status: 'reversed',
      reversedAt: body.data['updatedAt'],
      reversalReason: 'The bank returned it',
      reversalKind: 'mistake',
      reversedOn: expect.any(String),
      reversalPostingDate: expect.any(String),
      unappliedCents: 900,
      allocations: [],
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(headers['etag']).toBe('"2"');
    expect(await read(owner, payment.id)).toEqual(body.data);
    expect(await settledOf(owner, supplierInvoiceId)).toMatchObject({ status: 'approved', paidCents: 0 });
    expect((await entriesOf(app, payment.id))[1]).toEqual({
      action: 'finance.payment.reverse',
      reason: 'The bank returned it',
      before: stored(payment),
      after: stored(body.data),
    });
    const [, event] = await eventsOf(app, 'finance.payments', { of: ['paymentId', payment.id], count: 2 });
    expect(event).toMatchObject({ event: 'payment.reversed', data: { status: 'reversed', unappliedCents: 900 } });
  });

  it('a second reversal of a payment is rejected with 409 invalid_transition', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    const { id } = await recorded(owner, out(supplierInvoiceId, 900));
    await reverse(owner, id);
    const again = await reverse(owner, id);
    expect(again.status).toBe(409);
    expect(again.body).toEqual(problem('invalid_transition', { from: 'reversed', to: 'reversed', allowed: [] }));
    const more = await owner.post(`${PAYMENTS}/${id}/allocations`);
    expect(more.status).toBe(409);
    expect(more.body).toEqual(problem('invalid_transition', { from: 'reversed', to: 'completed', allowed: [] }));
  });

  it('a supplier invoice can be reopened after the reversal of its payment', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    const { id } = await recorded(owner, out(supplierInvoiceId, 100));
    const reopen = () => owner.post(`${SUPPLIER_INVOICES}/${supplierInvoiceId}/reopening`, { reason: 'Wrong' });
    expect((await reopen()).body).toEqual(problem('invoice_has_payments', { paidCents: 100 }));
    await reverse(owner, id);
    expect((await reopen()).status).toBe(200);
  });

  it('a reversal of a payment needs a reason', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    const { id } = await recorded(owner, out(supplierInvoiceId, 900));
    const answer = await owner.post(`${PAYMENTS}/${id}/reversal`, {});
    expect([answer.status, (await read(owner, id)).status]).toEqual([400, 'completed']);
  });
});

describe('the deallocation of a payment', () => {
  it('a deallocation leaves the money unapplied and the supplier invoice approved, and the money can be allocated again', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    const payment = await recorded(owner, out(supplierInvoiceId, 900));
    const path = `${PAYMENTS}/${payment.id}/allocations`;
    const deallocated = await owner.delete<Envelope>(`${path}/${payment.allocations[0]?.id}`);

    expect(deallocated.status).toBe(200);
    expect(deallocated.body.data).toMatchObject({
      status: 'completed',
      unappliedCents: 900,
      allocations: [],
      version: 2,
    });
    expect(await settledOf(owner, supplierInvoiceId)).toMatchObject({ status: 'approved', paidCents: 0 });

    const put = await owner.post<Envelope>(path);
    expect(put.status).toBe(200);
    expect(put.body.data).toMatchObject({ unappliedCents: 0, version: 3 });
    expect(put.body.data.allocations).toMatchObject([{ supplierInvoiceId, amountCents: 900 }]);
    expect(await settledOf(owner, supplierInvoiceId)).toMatchObject({ status: 'paid', paidCents: 900 });
    const actions = (await entriesOf(app, payment.id)).map(({ action }) => action);
    expect(actions).toEqual(['finance.payment.record', 'finance.payment.deallocate', 'finance.payment.allocate']);
  });

  it('a second deallocation is rejected with 409 invalid_transition, and one of another payment is 404', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    const [one, other] = [
      await recorded(owner, out(supplierInvoiceId, 400)),
      await recorded(owner, out(supplierInvoiceId, 500)),
    ];
    const path = (id: string) => `${PAYMENTS}/${one.id}/allocations/${id}`;
    const mine = one.allocations[0]?.id ?? '';
    expect((await owner.delete(path(mine))).status).toBe(200);
    const again = await owner.delete(path(mine));
    expect(again.status).toBe(409);
    expect(again.body).toEqual(problem('invalid_transition', { from: 'reversed', to: 'reversed', allowed: [] }));
    for (const id of [other.allocations[0]?.id ?? '', UNKNOWN.allocation, 'nothing']) {
      const answer = await owner.delete(path(id));
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found'));
    }
    expect(await settledOf(owner, supplierInvoiceId)).toMatchObject({ paidCents: 500 });
  });
});

describe('every command on a payment', () => {
  const commands = [
    ['allocations', 'finance:write'],
    ['reversal', 'finance:write'],
    ['deallocation', 'finance:delete'],
  ] as const;
  type Command = (typeof commands)[number][0];

  async function subject() {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    return recorded(owner, out(supplierInvoiceId, 900));
  }

  function call(command: Command, ids: [string, string?], { client = owner, headers = {} } = {}) {
    const [id, allocationId = UNKNOWN.allocation] = ids;
    const path = `${PAYMENTS}/${id}`;
    if (command === 'deallocation') {
      return client.delete<Envelope>(`${path}/allocations/${allocationId}`, { headers });
    }
    const body = command === 'reversal' ? { reason: 'The bank returned it' } : {};
    return client.post<Envelope>(`${path}/${command}`, body, { headers });
  }

  it.each(commands)('the command %s of an unknown payment is 404', async (command, _scope) => {
    for (const id of [UNKNOWN.payment, 'nothing']) {
      const answer = await call(command, [id]);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found'));
    }
  });

  it.each(commands)('the command %s needs %s', async (command, scope) => {
    const { id, allocations } = await subject();
    const ids: [string, string?] = [id, allocations[0]?.id];
    const rejected = await call(command, ids, { client: await staffWith(app, 'finance:read') });
    expect(rejected.status).toBe(403);
    expect(rejected.body).toEqual(problem('forbidden', { requiredScope: scope }));
    expect((await call(command, ids, { client: await staffWith(app, scope) })).status).toBe(200);
  });

  it.each(commands)(
    'the command %s is executed once for two requests with the same Idempotency-Key',
    async (command, _scope) => {
      const { id, allocations } = await subject();
      const ids: [string, string?] = [id, allocations[0]?.id];
      const key = { headers: { 'Idempotency-Key': `${command}-once-${id}` } };
      const [first, again] = [await call(command, ids, key), await call(command, ids, key)];
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.body).toEqual(first.body);
    },
  );
});

it('a payment without unapplied money is unchanged by an allocation request', async () => {
  const { id: supplierInvoiceId } = await approved(owner, 900);
  const payment = await recorded(owner, out(supplierInvoiceId, 900));
  const { status, body } = await owner.post<Envelope>(`${PAYMENTS}/${payment.id}/allocations`);
  expect([status, body.data]).toEqual([200, payment]);
});

it.each(['PUT', 'PATCH', 'DELETE'])(
  '%s of a payment is rejected with 405, because a payment is reversed and never edited',
  async (method) => {
    const { id: supplierInvoiceId } = await approved(owner, 900);
    const payment = await recorded(owner, out(supplierInvoiceId, 900));
    const { status, body, headers } = await owner.request(method, `${PAYMENTS}/${payment.id}`, {
      body: { amountCents: 1 },
    });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(body).toEqual(problem('method_not_allowed'));
    expect(await read(owner, payment.id)).toEqual(payment);
  },
);
