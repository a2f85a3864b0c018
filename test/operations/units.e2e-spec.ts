import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../launcher/wait.js';
import { read as history } from '../realtime/channel.js';
import { startApp, type TestApp } from '../setup/app.js';
import { newDeparture, outcome, read, withUnits } from './departures.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const counters = async (id: string) => {
  const { capacity, sold, held, guaranteedOpen, available } = await read(app, id);
  return { capacity, sold, held, guaranteedOpen, available };
};

describe('units of a departure', () => {
  it('units are sold and held from the pool, and released to it', async () => {
    const { id } = await newDeparture(app, { capacity: 10 });

    await withUnits(app, async (departures) => {
      await departures.allocate(id, 4, { from: 'pool', as: 'sold' });
      await departures.allocate(id, 5, { from: 'pool', as: 'held' });
    });
    expect(await counters(id)).toEqual({ capacity: 10, sold: 4, held: 5, guaranteedOpen: 0, available: 1 });

    await withUnits(app, async (departures) => {
      await departures.release(id, 1, { to: 'pool', from: 'sold' });
      await departures.release(id, 2, { to: 'pool', from: 'held' });
      await departures.sellHeld(id, 3);
    });
    expect(await counters(id)).toEqual({ capacity: 10, sold: 6, held: 0, guaranteedOpen: 0, available: 4 });
  });

  it('guaranteed units are taken from the pool; those of a cap stay in it', async () => {
    const { id } = await newDeparture(app, { capacity: 10 });

    await withUnits(app, async (departures) => {
      await departures.raiseGuaranteed({ departureId: id, units: 6 });
      await departures.allocate(id, 2, { from: 'guaranteed_slot', as: 'sold' });
      await departures.allocate(id, 1, { from: 'cap_slot', as: 'sold' });
    });
    expect(await counters(id)).toEqual({ capacity: 10, sold: 3, held: 0, guaranteedOpen: 4, available: 3 });

    await withUnits(app, async (departures) => {
      await departures.release(id, 1, { to: 'guaranteed_slot', from: 'sold' });
      await departures.release(id, 1, { to: 'cap_slot', from: 'sold' });
      await departures.lowerGuaranteed({ departureId: id, units: 2 });
      await departures.withdrawGuaranteed({ departureId: id, units: 1 });
    });
    expect(await counters(id)).toEqual({ capacity: 9, sold: 1, held: 0, guaranteedOpen: 2, available: 6 });
  });

  it('guaranteed units are not sold from the pool: 409 with the available units', async () => {
    const { id } = await newDeparture(app, { capacity: 10 });
    await withUnits(app, (departures) => departures.raiseGuaranteed({ departureId: id, units: 8 }));

    const sale = withUnits(app, (departures) => departures.allocate(id, 3, { from: 'pool', as: 'sold' }));

    expect(await outcome(sale)).toEqual({ code: 'capacity_exceeded', details: { available: 2 } });
    expect(await counters(id)).toEqual({ capacity: 10, sold: 0, held: 0, guaranteedOpen: 8, available: 2 });
  });

  it('units are guaranteed on all departures or on none: 409 with the departures that lack units', async () => {
    const first = await newDeparture(app, { capacity: 10 });
    const second = await newDeparture(app, { capacity: 3 });

    const guarantee = withUnits(app, (departures) =>
      departures.raiseGuaranteed({ departureId: first.id, units: 5 }, { departureId: second.id, units: 5 }),
    );

    const departures = [{ departureId: second.id, available: 3 }];
    expect(await outcome(guarantee)).toEqual({ code: 'capacity_exceeded', details: { available: 3, departures } });
    expect((await counters(first.id)).guaranteedOpen).toBe(0);
  });

  it('units of an unknown departure are 404, of a cancelled one 409', async () => {
    const { id } = await newDeparture(app);
    await app.as('owner').post(`/v1/admin/operations/departures/${id}/cancellation`);
    const take = (of: string) =>
      withUnits(app, (departures) => departures.allocate(of, 1, { from: 'pool', as: 'sold' }));

    const unknown = await outcome(take('dep_01k0dem000e000000000099999'));
    const cancelled = await outcome(take(id));

    expect(unknown).toEqual({ code: 'not_found', details: { field: 'departureId' } });
    expect(cancelled).toEqual({ code: 'departure_cancelled', details: { departureIds: [id] } });
  });

  it('units that were not allocated cannot be released', async () => {
    const { id } = await newDeparture(app);

    const back = withUnits(app, (departures) => departures.release(id, 1, { to: 'pool', from: 'sold' }));

    await expect(back).rejects.toThrow('fewer units');
    expect((await counters(id)).sold).toBe(0);
  });

  it('10 units are allocated to exactly 10 of 50 concurrent requests', async () => {
    const { id } = await newDeparture(app, { capacity: 10 });

    const buyers = Array.from({ length: 50 }, (_, n) => {
      const as = n % 2 === 0 ? ('sold' as const) : ('held' as const);
      return outcome(withUnits(app, (departures) => departures.allocate(id, 1, { from: 'pool', as })));
    });
    const rejected = (await Promise.all(buyers)).filter((error) => error !== null);

    expect(rejected).toEqual(Array(40).fill({ code: 'capacity_exceeded', details: { available: 0 } }));
    const { sold, held, available } = await counters(id);
    expect([sold + held, available]).toEqual([10, 0]);
  });

  it('the database rejects more units than the capacity', async () => {
    const { id } = await newDeparture(app, { capacity: 2 });

    const oversold = app.sql('update departures set sold = 1, held = 1, guaranteed_open = 1 where id = $1', [id]);

    await expect(oversold).rejects.toMatchObject({ constraint: 'departures_pool' });
  });

  it('a sale publishes the available units', async () => {
    const made = await newDeparture(app, { capacity: 5 });
    await withUnits(app, (departures) => departures.allocate(made.id, 2, { from: 'pool', as: 'sold' }));

    const { productId, startsAt, endsAt, id: departureId } = made;
    const members = { productId, departureId, startsAt, endsAt, bookableUntil: startsAt, status: 'scheduled' };
    const published = await eventually(async () => {
      const { messages } = await history(app.as('platform'), 'operations.departures', 'limit=1000');
      const own = messages.filter(({ data }) => (data as { departureId: string }).departureId === departureId);
      return own.length === 2 ? own : null;
    });
    const message = { id: expect.stringMatching(/^evt_/), ...members };
    expect(published.map(({ event, data }) => [event, data])).toEqual([
      ['departure.changed', { ...message, available: 5 }],
      ['departure.changed', { ...message, available: 3 }],
    ]);
  });
});
