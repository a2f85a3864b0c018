import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AllotmentJobs } from '../../../src/modules/distribution/allotments/allotments.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { BOOKINGS, type Item, itemBody, type One } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { Answer } from '../../setup/http.js';
import {
  ALLOTMENTS,
  bookingThrough,
  departureIn,
  expectSumsToAgree,
  newAllotment,
  patiently,
  type Slot,
  slotsOf,
} from './allotments.js';

const EXPECTED_ERRORS = [
  'allotment_has_sales',
  'allotment_inactive',
  'allotment_overlap',
  'booking_closed',
  'booking_item_cancelled',
  'capacity_exceeded',
  'channel_mismatch',
  'departure_cancelled',
  'departure_in_use',
  'invalid_transition',
  'not_found',
  'slot_closed',
];

const which = fc.nat({ max: 99 });
const units = fc.integer({ min: 1, max: 6 });

interface Action {
  do: string;
  at?: number;
  to?: number;
  through?: number | null;
  units?: number;
  active?: boolean;
}

/** An action of staff or of a job; numbers select the resource. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('sell'), at: which, through: fc.option(which), units }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('resell'), at: which, to: which, through: fc.option(which), units }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancelItem'), at: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancelBooking'), at: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resize'), at: which, units: fc.integer({ min: 0, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release'), at: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), at: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('activate'), at: which, active: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('capacity'), at: which, units: fc.integer({ min: 0, max: 25 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancelDeparture'), at: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('job') }) },
);
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Three departures of a product, allotted to two channels; and bookings with items. */
class Office {
  private readonly items: Item[] = [];

  readonly departures: readonly string[];
  private readonly allotments: readonly string[];
  private readonly bookings: readonly string[];
  private readonly slots: readonly Slot[];

  private constructor({
    departures,
    allotments,
    bookings,
    slots,
  }: Record<'departures' | 'allotments' | 'bookings', string[]> & { slots: Slot[] }) {
    this.departures = departures;
    this.allotments = allotments;
    this.bookings = bookings;
    this.slots = slots;
  }

  static async open(): Promise<Office> {
    const first = await departureIn(app, 10, { capacity: 15 });
    const { productId } = first;
    const others = [
      await departureIn(app, 20, { productId, capacity: 15 }),
      await departureIn(app, 40, { productId, capacity: 15 }),
    ];
    const release = { mode: 'automatic', steps: [{ daysBefore: 25, keepQuantity: 2 }, { daysBefore: 15 }] };
    const allotments = [
      await newAllotment(app, { productId, defaultQuantity: 5, release }),
      await newAllotment(app, { productId, defaultQuantity: 4, release: { ...release, unsoldAction: 'expire' } }),
      await newAllotment(app, { productId, defaultQuantity: 6, type: 'cap' }),
    ];
    const bookings = [];
    for (const { id } of allotments) bookings.push(await bookingThrough(app, id));
    const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
    const slots = (await Promise.all(allotments.map(({ id }) => slotsOf(app, id)))).flat();
    return new Office({
      departures: ids([first, ...others]),
      allotments: ids(allotments),
      bookings: ids(bookings),
      slots,
    });
  }

  async act(wanted: Action): Promise<void> {
    const answer = await this.send(wanted);
    if (answer === null || answer.status < 300) return;
    expect(EXPECTED_ERRORS).toContain((answer.body as { code?: string }).code);
  }

  private async send({
    do: what,
    at = 0,
    to = 0,
    through,
    units: n = 1,
    active = true,
  }: Action): Promise<Answer | null> {
    const owner = app.as('owner');
    const item = this.items[at % Math.max(1, this.items.length)];
    const [departure, allotment, booking] = [
      pick(this.departures, at),
      pick(this.allotments, at),
      // Only a booking of its channel can use an allotment.
      pick(this.bookings, through ?? at),
    ];
    const allotmentId = typeof through === 'number' ? pick(this.allotments, through) : null;
    if (what === 'sell') {
      const body = itemBody({ departureId: departure, allotmentId, quantity: n });
      const answer = await patiently(() => owner.post<One<Item>>(`${BOOKINGS}/${booking}/items`, body));
      if (answer.status === 201) this.items.push(answer.body.data);
      return answer;
    } else if (what === 'job') {
      await asSystem(() => app.nest.get(AllotmentJobs).releaseUnsold());
      return null;
    } else if (what === 'resize') {
      const { id, allotmentId: ownAllotment } = this.slots[at % this.slots.length] ?? { id: '', allotmentId: '' };
      return patiently(() => owner.patch(`${ALLOTMENTS}/${ownAllotment}/slots/${id}`, { allotted: n }));
    } else if (what === 'release') {
      return patiently(() => owner.post(`${ALLOTMENTS}/${allotment}/releases`));
    } else if (what === 'delete') {
      return patiently(() => owner.delete(`${ALLOTMENTS}/${allotment}`));
    } else if (what === 'activate') {
      return patiently(() => owner.patch(`${ALLOTMENTS}/${allotment}`, { active }));
    } else if (what === 'capacity') {
      return patiently(() => owner.patch(`/v1/admin/operations/departures/${departure}`, { capacity: n }));
    } else if (what === 'cancelDeparture') {
      return patiently(() => owner.post(`/v1/admin/operations/departures/${departure}/cancellation`));
    } else if (what === 'cancelBooking') {
      return patiently(() => owner.post(`${BOOKINGS}/${booking}/cancellation`, { reason: 'Ill' }));
    } else if (!item) {
      return null;
    } else if (what === 'cancelItem') {
      return patiently(() => owner.post(`${BOOKINGS}/${item.bookingId}/items/${item.id}/cancellation`));
    } else {
      const body = { departureId: pick(this.departures, to), allotmentId, quantity: n };
      return patiently(() => owner.patch(`${BOOKINGS}/${item.bookingId}/items/${item.id}`, body));
    }
  }
}

function pick(ids: readonly string[], n: number): string {
  return ids[n % ids.length] ?? '';
}

describe('any sequence of sales, cancellations, releases, resizes and deletions', () => {
  const check = async (actions: readonly Action[], atOnce: number) => {
    const office = await Office.open();
    for (let start = 0; start < actions.length; start += atOnce) {
      await Promise.all(actions.slice(start, start + atOnce).map((one) => office.act(one)));
      // Every counter is the sum of its movements and items; a failed check constraint would cause an unexpected error.
      await expectSumsToAgree(app, office.departures);
    }
  };
  const actions = fc.array(action, { minLength: 15, maxLength: 30 });

  it('counters equal movements, items and slots after every step', async () => {
    await fc.assert(
      fc.asyncProperty(actions, (some) => check(some, 1)),
      { numRuns: 6, endOnFailure: true },
    );
  }, 120_000);

  it('counters equal movements, items and slots after six concurrent actions', async () => {
    await fc.assert(
      fc.asyncProperty(actions, (some) => check(some, 6)),
      { numRuns: 6, endOnFailure: true },
    );
  }, 120_000);
});
