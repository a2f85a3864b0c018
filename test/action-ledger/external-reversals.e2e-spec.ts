import { beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerReversalsService } from '../../src/modules/action-ledger/reversals/ledger-reversals.service.js';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  behave,
  book,
  ordersOf,
  makeDeparture,
  external,
  price,
  readDeparture,
  readTrip,
  reserve,
  reservedTrip,
  seats,
  simulate,
} from '../trips/trips.js';
import { ENTRIES, page } from './ledger.js';
import { blocked, type Detail, entryOf, preview, reverse, reversed } from './reversals.js';

const ACTION = 'trips.trip.reserve';
const ATTEMPTS = 9;

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // The tests run the jobs.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

const goOn = (reversalId: string) => asSystem(() => app.nest.get(LedgerReversalsService).complete({ reversalId }));
const entry = async (id: string) => (await staff.get<{ data: Detail }>(`${ENTRIES}/${id}`)).body.data;
const jobsFor = (reversalId: string) =>
  app.sql(`select from graphile_worker._private_jobs where payload->>'reversalId' = $1`, [reversalId]);

describe('trips.trip.reserve', () => {
  it('the reversal of a reservation without external providers completes at once: units are released, the trip is a draft', async () => {
    const departure = await makeDeparture(staff);
    const free = await readDeparture(staff, departure.id);
    const { envelopeId } = await reservedTrip(staff, [seats(departure.id, { quantity: 3 })]);

    const { state, outcome } = await reversed(app, envelopeId, ACTION);

    expect([state, outcome]).toEqual(['completed', 'full']);
    const { available, held } = await readDeparture(staff, departure.id);
    expect([available, held]).toEqual([free.available, 0]);
    const trip = await readTrip(staff, envelopeId);
    expect(trip).toMatchObject({ status: 'draft', totalCents: null, holdExpiresAt: null });
    expect(trip.components).toMatchObject([{ status: 'priced' }]);
    expect((await reserve(staff, envelopeId)).body.data).toMatchObject({ status: 'reserved', totalCents: 17_700 });
  });

  it('the reversal of a reservation at an external provider is running until the provider has cancelled it', async () => {
    const [ref, departure] = [await simulate(app), await makeDeparture(staff)];
    const { envelopeId } = await reservedTrip(staff, [external(ref), seats(departure.id)]);
    const original = await entryOf(app, envelopeId, ACTION);
    expect((await preview(app, original.id)).outcome).toBeNull();

    const { id, state, outcome } = await reversed(app, envelopeId, ACTION);

    expect([state, outcome]).toEqual(['running', null]);
    expect(await jobsFor(id)).toHaveLength(1);
    expect((await readTrip(staff, envelopeId)).status).toBe('draft');
    expect((await readDeparture(staff, departure.id)).held).toBe(0);
    expect((await reverse(app, original.id)).body).toMatchObject({
      code: 'already_reversed',
      details: { reversedByEntryId: id },
    });

    await goOn(id);
    await goOn(id);

    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 1 }]);
    expect(await entry(id)).toMatchObject({ state: 'completed', outcome: 'full', failure: null });
    const actions = (await page(app, { subjectId: id })).data.map(({ action }) => action);
    expect(actions).toEqual(['action-ledger.reversal.complete', 'action-ledger.reversal.start']);
    expect(await app.nest.get(LedgerVerificationService).verify()).toMatchObject({ breaks: [], findings: [] });
  });

  it('a reversal that a provider does not accept fails after the last attempt with its reason and can be repeated', async () => {
    const ref = await simulate(app);
    const { envelopeId } = await reservedTrip(staff, [external(ref)]);
    const original = await entryOf(app, envelopeId, ACTION);
    const { id: first } = await reversed(app, envelopeId, ACTION);
    await behave(app, ref, { failsRelease: true });

    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) await expect(goOn(first)).rejects.toThrow('release_failed');
    expect(await entry(first)).toMatchObject({ state: 'running', failure: expect.stringContaining('release_failed') });
    await goOn(first);

    expect(await entry(first)).toMatchObject({ state: 'failed', outcome: null, failure: expect.any(String) });
    expect((await readTrip(staff, envelopeId)).attention).toBe(true);
    expect(await entry(original.id)).toMatchObject({ reversedByEntryId: null, reversible: true });

    await behave(app, ref);
    const { id: second } = await reversed(app, envelopeId, ACTION);
    await goOn(second);

    expect(await entry(second)).toMatchObject({ state: 'completed', reversesEntryId: original.id });
    expect(await entry(original.id)).toMatchObject({ reversedByEntryId: second });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 1 }]);
    expect((await readTrip(staff, envelopeId)).attention).toBe(false);
  });

  it('the reversal of a reservation is blocked if the trip is booked, and that of an earlier reservation by a later one', async () => {
    const departure = await makeDeparture(staff);
    const booked = await reservedTrip(staff, [seats(departure.id)]);
    await book(staff, booked.envelopeId);
    expect(await blocked(app, booked.envelopeId, ACTION)).toEqual({ reason: 'trip_not_reserved', status: 'booked' });

    const { envelopeId } = await reservedTrip(staff, [seats(departure.id)]);
    const first = await entryOf(app, envelopeId, ACTION);
    await reversed(app, envelopeId, ACTION);
    await price(staff, envelopeId);
    await reserve(staff, envelopeId);
    expect((await reverse(app, first.id)).body.code).toBe('already_reversed');
    await reversed(app, envelopeId, ACTION);
  });
});
