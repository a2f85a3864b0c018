import { beforeAll, describe, expect, it } from '@jest/globals';
import { hire, makeToken, type Member } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { body, type Envelope, type Invoice, make, PATH, problem } from './invoices.js';
import { out, type Payment, PAYMENTS, reverse } from './payments/payments.js';

const SETTINGS = '/v1/admin/organization/settings';
const ENTRIES = '/v1/admin/action-ledger/entries';

let app: TestApp;
let [clerk, other]: Member[] = [];
beforeAll(async () => {
  app = await startApp();
  [clerk, other] = [await hire(app, ['finance']), await hire(app, ['finance'])];
});

const set = async (supplierInvoicesNeedTwoPersons: boolean) => {
  const { status } = await app.as('owner').patch(SETTINGS, { supplierInvoicesNeedTwoPersons });
  expect(status).toBe(200);
};
const of = (member: Member | undefined): Member => {
  if (!member) throw new Error('The members are hired before the tests');
  return member;
};
const approve = (client: TestClient, { id }: Invoice) => client.post<Envelope>(`${PATH}/${id}/approval`);
const pay = (client: TestClient, { id }: Invoice) => client.post<{ data: Payment }>(PAYMENTS, out(id, 11_900));
const expectSecondPerson = ({ status, body: answer }: Answer, ...enteredBy: Member[]) =>
  expect([status, answer]).toEqual([
    409,
    problem('second_person_required', { enteredBy: enteredBy.map(({ user }) => user.id) }),
  ]);

describe('supplier invoices that need two persons', () => {
  it('without the setting one person enters, approves and pays a supplier invoice', async () => {
    await set(false);
    const { client } = of(clerk);
    const invoice = await make(client);
    expect((await approve(client, invoice)).status).toBe(200);
    expect((await pay(client, invoice)).status).toBe(201);
  });

  it('with the setting a person neither approves nor pays what the same person has entered, with a session or a token', async () => {
    await set(true);
    const [own, second] = [of(clerk), of(other)];
    const owner = await hire(app, ['owner']);
    const byToken = app.with((await makeToken(owner.client, ['finance:*', 'finance:approve'])).token);
    const entered = await make(byToken);
    expectSecondPerson(await approve(owner.client, entered), owner);

    const invoice = await make(own.client);
    expectSecondPerson(await approve(own.client, invoice), own);
    expectSecondPerson(await own.client.post(PATH, body({ status: 'approved' })), own);
    expect((await approve(second.client, invoice)).status).toBe(200);
    expectSecondPerson(await pay(own.client, invoice), own);
    expect((await pay(second.client, invoice)).status).toBe(201);
  });

  it('with the setting a person who has changed a draft counts as one who has entered it', async () => {
    await set(true);
    const [own, second] = [of(clerk), of(other)];
    const invoice = await make(own.client);
    const raised = { totalCents: 99_900, subtotalCents: 99_900 };
    expect((await second.client.patch(`${PATH}/${invoice.id}`, raised)).status).toBe(200);
    for (const { client } of [own, second]) expectSecondPerson(await approve(client, invoice), own, second);
  });

  it('with the setting no way through a reversal leads to a payment by the person who has entered the invoice', async () => {
    await set(true);
    const [own, second] = [of(clerk), of(other)];
    const invoice = await make(own.client);
    await approve(second.client, invoice);
    const paid = (await pay(second.client, invoice)).body.data;
    // The money is released and allocated again.
    const { id: allocationId } = paid.allocations[0] ?? { id: '' };
    const released = await own.client.delete(`${PAYMENTS}/${paid.id}/allocations/${allocationId}`);
    expect(released.status).toBe(200);
    expectSecondPerson(await own.client.post(`${PAYMENTS}/${paid.id}/allocations`, {}), own);
    // The payment is reversed and recorded again.
    expect((await reverse(own.client, paid.id)).status).toBe(200);
    const again = out(invoice.id, 11_900, { replacesPaymentId: paid.id });
    expectSecondPerson(await own.client.post(PAYMENTS, again), own);
    // The approval is reversed, and the draft still belongs to the same person.
    const [entry] = await app.sql<{ id: string }>(
      `select id from action_ledger_entries where subject_id = $1 and action = 'finance.supplier_invoice.approve'`,
      [invoice.id],
    );
    const reversal = await app.as('owner').post(`${ENTRIES}/${entry?.id}/reversals`, { reason: 'A mistake' });
    expect(reversal.status).toBe(201);
    expectSecondPerson(await approve(own.client, invoice), own);
  });

  it('with the setting a person who changes and approves a draft at the same time succeeds with one of both', async () => {
    await set(true);
    const [own, second] = [of(clerk), of(other)];
    for (let round = 0; round < 5; round += 1) {
      const invoice = await make(own.client);
      const raised = { totalCents: 99_900, subtotalCents: 99_900 };
      const [changed, approved, byOwn] = await Promise.all([
        second.client.patch(`${PATH}/${invoice.id}`, raised),
        approve(second.client, invoice),
        approve(own.client, invoice),
      ]);
      expect([
        [200, 409, 409],
        [409, 200, 409],
      ]).toContainEqual([changed.status, approved.status, byOwn.status]);
    }
  });
});
