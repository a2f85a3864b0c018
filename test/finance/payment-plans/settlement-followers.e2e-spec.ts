import { beforeAll, describe, expect, it } from '@jest/globals';
import { CommissionsService } from '../../../src/modules/finance/commissions/commissions.service.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { addItem, book, change, confirm, outline, pay, planned, planPath, schedulesOf, THIRDS } from './plans.js';

let app: TestApp;
let owner: TestClient;
let told: string[] = [];
let refuses: string | null = null;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  const commissions = app.nest.get(CommissionsService);
  const settle = commissions.settle.bind(commissions);
  commissions.settle = async (bookingId) => {
    if (bookingId === refuses) throw new Error('The settlement of commissions failed');
    told.push(bookingId);
    await settle(bookingId);
  };
});

/** Whether they are told of this. */
async function tellsOf(bookingId: string, act: () => Promise<unknown>): Promise<boolean> {
  told = [];
  await act();
  return told.includes(bookingId);
}

describe('those who follow what is paid', () => {
  it('are told when a plan is made, edited, paid or follows its booking', async () => {
    const bookingId = await book(owner, { paymentPolicy: THIRDS });
    expect(await tellsOf(bookingId, () => owner.post(planPath(bookingId)))).toBe(true);
    const [first, second] = await schedulesOf(owner, bookingId);
    if (!first || !second) throw new Error('The plan is empty');
    expect(await tellsOf(bookingId, () => change(owner, first, { amountCents: 31_000 }))).toBe(true);
    expect(await tellsOf(bookingId, () => pay(app, first.id, 1_000))).toBe(true);
    expect(await tellsOf(bookingId, () => change(owner, first, { status: 'paid' }))).toBe(true);
    expect(await tellsOf(bookingId, () => addItem(owner, bookingId, 500))).toBe(true);
    expect(await tellsOf(bookingId, () => change(owner, second, { status: 'cancelled' }))).toBe(true);
  });

  it('are not told of what only looks', async () => {
    const [bookingId, first] = await planned(owner);
    const look = () => owner.post(planPath(bookingId), { materialize: false });
    expect(await tellsOf(bookingId, look)).toBe(false);
    expect(await tellsOf(bookingId, () => owner.post(planPath(bookingId)))).toBe(false);
    expect(await tellsOf(bookingId, () => change(owner, first, { status: 'pending' }))).toBe(false);
  });

  it('are told inside the transaction: where one breaks, nothing happened', async () => {
    const [bookingId, first] = await planned(owner);
    refuses = bookingId;
    const { status, body } = await change(owner, first, { amountCents: 31_000 });
    refuses = null;
    expect(status).toBe(500);
    expect(body).toEqual({ error: expect.any(String), requestId: expect.any(String) });
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
  });
});

describe('a booking', () => {
  it('that is confirmed while its plan is asked for gets one plan', async () => {
    for (let round = 0; round < 3; round += 1) {
      const bookingId = await book(owner, { paymentPolicy: THIRDS });
      await Promise.all([confirm(owner, bookingId), ...[1, 2, 3, 4].map(() => owner.post(planPath(bookingId)))]);
      expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
    }
  });
});
