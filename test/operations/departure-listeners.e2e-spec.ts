import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepartureSummary } from '../../src/modules/operations/departures/departure-summary.js';
import { DepartureListener } from '../../src/modules/operations/departures/departure-listener.js';
import { DeparturesService } from '../../src/modules/operations/departures/departures.service.js';
import { Listeners } from '../../src/platform/discovery/listeners.js';
import { conflict } from '../../src/platform/errors/app-error.js';
import { type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DEPARTURES, departure, newDeparture, read } from './departures.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('a departure listener', () => {
  const calls: [string, DepartureSummary, DepartureSummary?][] = [];
  let rejected: keyof DepartureListener | null = null;
  const onCall = (what: keyof DepartureListener, departure: DepartureSummary, before?: DepartureSummary) => {
    calls.push(before ? [what, departure, before] : [what, departure]);
    if (rejected === what) throw conflict('conflict', 'Not so');
  };

  beforeAll(() => {
    const departures = app.nest.get(DeparturesService);
    app.nest.get(Listeners).add(DepartureListener, 900, {
      created: async (one) => {
        if (one.capacity === 17) await departures.raiseGuaranteed({ departureId: one.id, units: 7 });
        onCall('created', one);
      },
      moved: async (one, before) => onCall('moved', one, before),
      cancelled: async (one) => {
        await departures.lowerGuaranteed({ departureId: one.id, units: one.guaranteedOpen });
        onCall('cancelled', one);
      },
    });
  });
  afterEach(() => {
    calls.length = 0;
    rejected = null;
  });

  it('a departure listener takes part in the creation, the move and the cancellation of a departure', async () => {
    const made = await newDeparture(app, { capacity: 17 });
    expect([made.guaranteedOpen, made.available]).toEqual([7, 10]);

    const path = `${DEPARTURES}/${made.id}`;
    await staff.patch(path, { priceCents: 1 });
    await staff.patch(path, { startsAt: '2127-05-11T06:00:00Z' });
    const { body } = await staff.post<{ data: object }>(`${path}/cancellation`);

    expect(calls.map(([what, { id }]) => [what, id])).toEqual(
      ['created', 'moved', 'cancelled'].map((what) => [what, made.id]),
    );
    expect(calls[1]?.map((summary) => (typeof summary === 'object' ? summary.startDate : summary))).toEqual([
      'moved',
      '2127-05-11',
      '2127-05-12',
    ]);
    expect(body.data).toMatchObject({ status: 'cancelled', guaranteedOpen: 0, available: 17 });
  });

  it('a departure listener can reject a change, which then changes nothing', async () => {
    rejected = 'created';
    const body = departure();
    const creation = await staff.post<ErrorBody>(DEPARTURES, body);
    rejected = null;
    const before = await newDeparture(app);
    rejected = 'moved';
    const move = await staff.patch<ErrorBody>(`${DEPARTURES}/${before.id}`, { timeZone: 'UTC' });
    rejected = 'cancelled';
    const cancellation = await staff.post<ErrorBody>(`${DEPARTURES}/${before.id}/cancellation`);

    for (const answer of [creation, move, cancellation]) {
      const expected = errorBody(answer, { code: 'conflict', error: 'Not so' });
      expect([answer.status, answer.body]).toEqual([409, expected]);
    }
    const { body: list } = await staff.get<{ total: number }>(`${DEPARTURES}?productId=${body.productId}`);
    expect(list.total).toBe(0);
    expect(await read(app, before.id)).toEqual(before);
  });
});
