import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { behave, external, makeTrip, price, problem, readTrip, reserve, simulate } from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', PROVIDER_CALL_MS: '1000' } });
  owner = app.as('owner');
});

/** Waits until the late quotes have arrived. */
async function whilePending(call: () => ReturnType<typeof price>): ReturnType<typeof price> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status !== 409 || tries === 30) return answer;
    await pause(200);
  }
}

describe('a provider that quotes slowly', () => {
  it('pricing is pending with the component, asks no second time, and uses the quote that arrives late', async () => {
    const [slow, fast] = [await simulate(app, { quoteDelayMs: 2_500 }), await simulate(app)];
    const { envelopeId, components } = await makeTrip(owner, [external(slow), external(fast)]);
    const [late] = components;
    const pending = problem('quote_pending', { componentIds: [late?.componentId], retryAfterMs: expect.any(Number) });
    expect((await price(owner, envelopeId)).body).toEqual(pending);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'draft', totalCents: null });
    // The provider would now return a different price, so this shows that the stored quote is used.
    await behave(app, slow, { priceCents: 99_000 });
    expect((await price(owner, envelopeId)).body).toEqual(pending);
    const { body } = await whilePending(() => price(owner, envelopeId));
    expect(body.data).toMatchObject({ status: 'priced', totalCents: 24_000 });
    expect((await reserve(owner, envelopeId)).body.data).toMatchObject({ status: 'reserved', totalCents: 24_000 });
  });

  it('reserving waits for a late quote too, and the trip stays priced meanwhile', async () => {
    const ref = await simulate(app);
    const { envelopeId } = await makeTrip(owner, [external(ref)]);
    await price(owner, envelopeId);
    await behave(app, ref, { quoteDelayMs: 2_500 });
    expect((await reserve(owner, envelopeId)).body).toMatchObject({ code: 'quote_pending' });
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'priced', totalCents: 12_000 });
    const { body } = await whilePending(() => reserve(owner, envelopeId));
    expect(body.data).toMatchObject({ status: 'reserved' });
  });

  it('a stored quote is used until it expires, and for the same quantity only', async () => {
    const ref = await simulate(app, { quoteDelayMs: 2_500 });
    const { envelopeId, components } = await makeTrip(owner, [external(ref)]);
    expect((await price(owner, envelopeId)).body).toMatchObject({ code: 'quote_pending' });
    expect((await whilePending(() => price(owner, envelopeId))).status).toBe(200);
    await behave(app, ref, { priceCents: 13_000 });
    expect((await price(owner, envelopeId)).body.data.totalCents).toBe(12_000);
    const path = `/v1/admin/trips/${envelopeId}/components/${components[0]?.componentId}`;
    await owner.patch(path, { quantity: 2 });
    expect((await price(owner, envelopeId)).body.data.totalCents).toBe(26_000);
    await owner.patch(path, { quantity: 1 });
    app.travel({ ms: 31 * 60_000 });
    expect((await price(owner, envelopeId)).body.data.totalCents).toBe(13_000);
  });
});
