import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  ALLOTMENTS,
  allotted,
  departureIn,
  expectSumsToAgree,
  movementsOf,
  newAllotment,
  newChannel,
  poolOf,
  slotsOf,
  unitsOf,
} from '../distribution/allotments/allotments.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { blocked, itself, reversed } from './reversals.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Jobs are disabled: a release would change the units that a test reads.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

const readAllotment = async (id: string) =>
  (await staff.get<{ data: { version: number } }>(`${ALLOTMENTS}/${id}`)).body.data;
const release = (id: string) => staff.post(`${ALLOTMENTS}/${id}/releases`);
const cancelDeparture = (id: string) => staff.post(`/v1/admin/operations/departures/${id}/cancellation`);
const RULE = { mode: 'automatic', steps: [{ daysBefore: 21, keepQuantity: 2 }] };

describe('distribution.allotment.delete', () => {
  const ACTION = 'distribution.allotment.delete';

  it('the reversal of a deletion restores the allotment with the units of each slot and its release', async () => {
    const { departure, allotment } = await allotted(app, { release: RULE });
    const slot = (await slotsOf(app, allotment.id))[0];
    await staff.patch(`${ALLOTMENTS}/${allotment.id}/slots/${slot?.id}`, { allotted: 7 });
    const before = await readAllotment(allotment.id);
    const [units, pool] = [await unitsOf(app, allotment.id), await poolOf(app, departure.id)];
    const planned = `select due_at, status from release_executions where slot_id = $1`;
    const steps = await app.sql(planned, [slot?.id]);
    await staff.delete(`${ALLOTMENTS}/${allotment.id}`);
    expect((await poolOf(app, departure.id)).guaranteedOpen).toBe(0);

    const { outcome } = await reversed(app, allotment.id, ACTION);

    expect(outcome).toBe('full');
    expect(itself(await readAllotment(allotment.id))).toEqual(itself(before));
    expect([await unitsOf(app, allotment.id), await poolOf(app, departure.id)]).toEqual([units, pool]);
    expect(await app.sql(planned, [slot?.id])).toEqual(steps);
    expect((await movementsOf(app, allotment.id)).at(-1)).toEqual({ kind: 'resume', cause: 'opened', quantity: 7 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('the reversal is partial if one of the departures was cancelled meanwhile, and it includes newer departures', async () => {
    const { departure, allotment } = await allotted(app);
    const other = await departureIn(app, 90, { productId: departure.productId });
    await staff.delete(`${ALLOTMENTS}/${allotment.id}`);
    await cancelDeparture(other.id);
    const since = await departureIn(app, 120, { productId: departure.productId });

    const { outcome } = await reversed(app, allotment.id, ACTION);

    expect(outcome).toBe('partial');
    const remaining = new Map((await slotsOf(app, allotment.id)).map((slot) => [slot.departureId, slot.remaining]));
    expect([departure, other, since].map(({ id }) => remaining.get(id))).toEqual([10, 0, 10]);
  });

  it('the reversal is blocked if another allotment of the channel has replaced the deleted one', async () => {
    const { allotment } = await allotted(app);
    await staff.delete(`${ALLOTMENTS}/${allotment.id}`);
    const { channelId, productId } = allotment;
    await newAllotment(app, { channelId, productId });

    expect(await blocked(app, allotment.id, ACTION)).toMatchObject({
      ...{ reason: 'allotment_overlap', freeFrom: null },
      takenFrom: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });

  it('the reversal is blocked if the pool does not have the units any more, or the departure was deleted', async () => {
    const { departure, allotment } = await allotted(app, { capacity: 10 });
    await staff.delete(`${ALLOTMENTS}/${allotment.id}`);
    const { id: channelId } = await newChannel(app);
    await newAllotment(app, { channelId, productId: departure.productId, defaultQuantity: 5 });

    expect(await blocked(app, allotment.id, ACTION)).toMatchObject({ reason: 'capacity_exceeded', available: 5 });
    await cancelDeparture(departure.id);
    expect(await blocked(app, allotment.id, ACTION)).toMatchObject({ reason: 'departures_gone' });
  });
});

it.each(['delete', 'release'])('the reversal of an allotment.%s that recorded no slots is blocked', async (verb) => {
  const { allotment } = await allotted(app);
  await (verb === 'delete' ? staff.delete(`${ALLOTMENTS}/${allotment.id}`) : release(allotment.id));
  const [{ id = '' } = {}] = await app.sql<{ id?: string }>(
    `select id from action_ledger_entries where subject_id = $1 and action = 'distribution.allotment.' || $2`,
    [allotment.id, verb],
  );
  await app.sql('alter table ledger_payloads disable trigger user');
  await app.sql(`update ledger_payloads set after = (after::jsonb - 'slots')::json where entry_id = $1`, [id]);
  await app.sql('alter table ledger_payloads enable trigger user');

  const details = { reason: 'units_not_recorded', allotmentId: allotment.id };
  expect(await blocked(app, allotment.id, `distribution.allotment.${verb}`)).toEqual(details);
});

describe('distribution.allotment.release', () => {
  const ACTION = 'distribution.allotment.release';

  it.each(['release_to_general_pool', 'expire'])(
    'the reversal of a release by %s restores the units',
    async (unsoldAction) => {
      const { departure, allotment } = await allotted(app, {
        release: { mode: 'manual', steps: [{ daysBefore: 21 }], unsoldAction },
      });
      const [units, pool] = [await unitsOf(app, allotment.id), await poolOf(app, departure.id)];
      await release(allotment.id);
      expect((await unitsOf(app, allotment.id)).remaining).toBe(0);

      await reversed(app, allotment.id, ACTION);

      expect([await unitsOf(app, allotment.id), await poolOf(app, departure.id)]).toEqual([units, pool]);
      await expectSumsToAgree(app, [departure.id]);
    },
  );

  it('the reversal of the release of a ceiling raises the ceiling again', async () => {
    const { allotment } = await allotted(app, { type: 'cap' });
    await release(allotment.id);

    await reversed(app, allotment.id, ACTION);

    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 10, sold: 0, released: 0, remaining: 10 });
  });

  it('the reversal is blocked if nothing was released, the units are sold, or the departure was deleted', async () => {
    const kept = await allotted(app, { release: { ...RULE, mode: 'manual', unsoldAction: 'retain' } });
    await release(kept.allotment.id);
    expect(await blocked(app, kept.allotment.id, ACTION)).toEqual({
      reason: 'nothing_released',
      unsoldAction: 'retain',
    });

    const { departure, allotment } = await allotted(app, { capacity: 10 });
    await release(allotment.id);
    await newAllotment(app, { productId: departure.productId, defaultQuantity: 6 });
    expect(await blocked(app, allotment.id, ACTION)).toMatchObject({ reason: 'capacity_exceeded', available: 4 });

    await cancelDeparture(departure.id);
    expect(await blocked(app, allotment.id, ACTION)).toMatchObject({ reason: 'departures_gone' });
  });

  it('the reversal is blocked if the allotment was deleted', async () => {
    const { allotment } = await allotted(app);
    await release(allotment.id);
    await staff.delete(`${ALLOTMENTS}/${allotment.id}`);

    expect(await blocked(app, allotment.id, ACTION)).toEqual({ reason: 'not_found' });
  });
});
