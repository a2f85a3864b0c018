import { beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/platform/clock/clock.js';
import { entriesAbout } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import {
  cancelItem,
  change,
  type Commission,
  commissionsOf,
  departedItem,
  earn,
  fixed,
  linesOf,
  type One,
  readLine,
  soldItem,
  terms,
  eventNamesOf,
  insisting,
} from './commissions.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const patch = (line: Commission, body: object) => owner.patch<One>(change(line), body);
const payOut = (line: Commission, body: object = { paidOn: '2026-01-31' }) =>
  owner.post<One>(`${change(line)}/payout`, body);
const declareVoid = (line: Commission) => owner.post<One>(`${change(line)}/voiding`, { reason: 'Wrong partner' });
const pending = async (body: object = terms()) => earn(owner, (await soldItem(owner)).id, body);
const payable = async (over: object = {}) =>
  earn(owner, (await departedItem(owner)).id, terms({ payableTrigger: 'departed', ...over }));

async function errorOf(line: Commission, act: () => Promise<{ status: number; body: unknown }>) {
  const before = await readLine(owner, line);
  const { status, body } = await act();
  expect(await readLine(owner, line)).toEqual(before);
  return { status, body };
}

describe('PATCH .../commissions/{id}', () => {
  it.each([
    [{ recipientName: 'Other' }, {}],
    [{ recipientType: 'agent' }, {}],
    [{ recipientId: 'X' }, {}],
    [{ notes: 'x' }, {}],
    [{ payableTrigger: 'both' }, {}],
    [{ rateBasisPoints: 2000 }, { amountCents: 20_000 }],
    [{ basis: 'gross_sell' }, { amountCents: 12_000, baseCents: 120_000 }],
  ])(
    'the body %j changes only its fields, the amounts computed from them, updatedAt and version',
    async (sent, consequences) => {
      const before = await pending();
      app.travel({ ms: 5 });
      const { status, body, headers } = await patch(before, sent);
      expect(status).toBe(200);
      const stamps = { version: 2, updatedAt: expect.any(String), computedAt: expect.any(String) };
      expect(body.data).toEqual({ ...before, ...sent, ...consequences, ...stamps });
      expect(body.data['computedAt'] === before['computedAt']).toBe(Object.keys(consequences).length === 0);
      expect(body.data['updatedAt']).not.toBe(before['updatedAt']);
      expect(headers['etag']).toBe('"2"');
    },
  );

  it('a change of the model needs the inputs of the new model and clears those of the former one', async () => {
    const line = await pending();
    const answer = await patch(line, { commissionModel: 'fixed' });
    expect([answer.status, answer.body]).toEqual([400, invalid('amountCents', 'required_by_model')]);
    const { body } = await patch(line, { commissionModel: 'fixed', amountCents: 700 });
    const changed = { commissionModel: 'fixed', basis: null, rateBasisPoints: null, fixedCents: 700, amountCents: 700 };
    expect(body.data).toMatchObject(changed);
    const wrong = await patch(line, { rateBasisPoints: 5 });
    expect(wrong.body).toEqual(invalid('rateBasisPoints', 'not_of_model'));
  });

  it('a commission above the price of the item is rejected with 422 commission_exceeds_base', async () => {
    const line = await pending(fixed(1));
    await earn(owner, line.bookingItemId, fixed(100_000));
    const answer = await errorOf(line, () => patch(line, { amountCents: 20_001 }));
    const details = { field: 'amountCents', totalSellCents: 120_000, commissionCents: 120_001 };
    expect(answer).toEqual({ status: 422, body: problem('commission_exceeds_base', details) });
    expect((await patch(line, { amountCents: 20_000 })).status).toBe(200);
  });

  it('an invalid body is rejected with 400 and its issues, and nothing is changed', async () => {
    const line = await pending();
    const body = invalid('status', 'unknown_member', 'status is not recognized');
    expect(await errorOf(line, () => patch(line, { status: 'void' }))).toEqual({ status: 400, body });
  });

  it('a commission of another item is 404 below the path of this item, with any method', async () => {
    const [line, other] = [await pending(), await soldItem(owner)];
    const path = `${commissionsOf(other.id)}/${line.id}`;
    const answers = [
      await owner.get(path),
      await owner.patch(path, { notes: 'x' }),
      await owner.post(`${path}/voiding`, { reason: 'x' }),
      await owner.post(`${path}/payout`, { paidOn: '2026-01-31' }),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([404, problem('not_found')]);
    expect(await readLine(owner, line)).toEqual(line);
  });
});

describe('payout', () => {
  it('a payout moves a payable commission to paid and stores the day, the time and the reference', async () => {
    const line = await payable();
    expect(line).toMatchObject({ status: 'payable', payableAt: expect.stringMatching(/Z$/) });
    const { status, body } = await payOut(line, { paidOn: '2026-01-31', reference: 'SEPA 17' });
    expect(status).toBe(200);
    const stamps = { paidAt: expect.stringMatching(/Z$/), updatedAt: expect.any(String), version: line.version + 1 };
    expect(body.data).toEqual({ ...line, ...stamps, status: 'paid', paidOn: '2026-01-31', payoutReference: 'SEPA 17' });
    const entry = (await entriesAbout(owner, line.id)).at(-1);
    const after = { status: 'paid', paidOn: '2026-01-31' };
    expect(entry).toMatchObject({ action: 'finance.commission.pay', before: { status: 'payable' }, after });
    expect(await eventNamesOf(app, line.id, 3)).toEqual([
      'commission.created',
      'commission.payable',
      'commission.paid',
    ]);
  });

  it('concurrent payouts of a commission are recorded once', async () => {
    const line = await payable();
    const answers = await Promise.all(Array.from({ length: 6 }, () => insisting(() => payOut(line))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(5).fill(409)]);
    const details = { from: 'paid', to: 'paid', allowed: [] };
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(problem('invalid_transition', details));
  });

  it('the payout of a pending or accrued commission is rejected with 409 invalid_transition', async () => {
    const line = await pending();
    const details = { from: 'pending', to: 'paid', allowed: ['void'] };
    expect(await errorOf(line, () => payOut(line))).toEqual({
      status: 409,
      body: problem('invalid_transition', details),
    });
    const accrued = await earn(owner, (await departedItem(owner)).id);
    expect(accrued.status).toBe('accrued');
    expect((await payOut(accrued)).body).toEqual(problem('invalid_transition', { ...details, from: 'accrued' }));
  });

  it('the day of a payout must not be after today', async () => {
    const line = await payable();
    const clock = app.nest.get(Clock);
    const tomorrow = clock.dayOf(clock.inSeconds(86_400));
    expect((await payOut(line, {})).status).toBe(400);
    expect((await payOut(line, { paidOn: tomorrow })).body).toEqual(invalid('paidOn', 'in_the_future'));
    expect((await payOut(line, { paidOn: clock.today() })).status).toBe(200);
  });
});

describe('a paid commission', () => {
  it('a paid commission cannot be changed, voided or deleted', async () => {
    const line = (await payOut(await payable())).body.data;
    const locked = problem('commission_locked', { status: 'paid', adjustsId: null });
    expect(await errorOf(line, () => patch(line, { notes: 'x' }))).toEqual({ status: 409, body: locked });
    const transition = problem('invalid_transition', { from: 'paid', to: 'void', allowed: [] });
    expect(await errorOf(line, () => declareVoid(line))).toEqual({ status: 409, body: transition });
    expect((await errorOf(line, () => owner.delete(change(line)))).status).toBe(405);
  });
});

describe('voiding', () => {
  it.each(['pending', 'accrued', 'payable'])('a %s commission can be voided with a reason', async (from) => {
    const made = { pending, payable, accrued: async () => earn(owner, (await departedItem(owner)).id) };
    const line = await made[from as 'pending']();
    expect(line.status).toBe(from);
    const { status, body } = await declareVoid(line);
    expect(status).toBe(200);
    const stamps = { voidedAt: expect.stringMatching(/Z$/), voidReason: 'Wrong partner', payableAt: null };
    expect(body.data).toMatchObject({ ...stamps, status: 'void', version: line.version + 1 });
    const entry = (await entriesAbout(owner, line.id)).at(-1);
    expect(entry).toMatchObject({ action: 'finance.commission.void', reason: 'Wrong partner' });
    const again = problem('invalid_transition', { from: 'void', to: 'void', allowed: [] });
    expect(await errorOf(line, () => declareVoid(line))).toEqual({ status: 409, body: again });
    expect((await patch(line, { notes: 'x' })).body).toEqual(
      problem('commission_locked', { status: 'void', adjustsId: null }),
    );
  });

  it('voiding needs a reason and finance:void', async () => {
    const line = await pending();
    expect((await owner.post(`${change(line)}/voiding`, {})).status).toBe(400);
    const writer = await staffWith(app, 'finance:*');
    const { status, body } = await writer.post(`${change(line)}/voiding`, { reason: 'x' });
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:void' })]);
  });

  it('a line that reverses a paid commission cannot be voided', async () => {
    const item = await departedItem(owner);
    await payOut(await earn(owner, item.id, terms({ payableTrigger: 'departed' })));
    await cancelItem(owner, item);
    const [reversal] = await linesOf(owner, item.id);
    if (!reversal) throw new Error('Nothing was taken back');
    const details = { from: 'payable', to: 'void', allowed: ['paid'] };
    const answer = await errorOf(reversal, () => declareVoid(reversal));
    expect(answer).toEqual({ status: 409, body: problem('invalid_transition', details) });
    expect((await patch(reversal, { notes: 'x' })).status).toBe(409);
    expect((await payOut(reversal)).body.data.status).toBe('paid');
  });
});
