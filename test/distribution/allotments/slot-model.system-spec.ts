import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AllotmentsService } from '../../../src/modules/distribution/index.js';
import { DeparturesService } from '../../../src/modules/operations/index.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { Database } from '../../../src/platform/database/database.js';
import { reverse } from '../../action-ledger/reversals.js';
import { BOOKINGS, type Booking, type Item, itemBody, type One } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import {
  ALLOTMENTS,
  bookingThrough,
  departureIn,
  expectSumsToAgree,
  newAllotment,
  onlySlot,
  poolOf,
  slotsOf,
} from './allotments.js';

/**
 * One departure with two guaranteed allotments and a cap, and a second, simple implementation of the rules of slots. After each
 * random act, the slots and the departure equal the model, and an act succeeds if and only if the model permits it.
 */
const CAPACITY = 24;
const DAY_MS = 86_400_000;
const DEPARTURES = '/v1/admin/operations/departures';
const ACTS = [
  'sell',
  'cancel',
  'hold',
  'releaseHeld',
  'resize',
  'release',
  'reclaim',
  'reverseReclaim',
  'moveOut',
  'moveBack',
  'shorten',
  'extend',
  'delete',
  'undelete',
] as const;

interface ModelSlot {
  type: 'guaranteed' | 'cap';
  allotted: number;
  sold: number;
  held: number;
  released: number;
  suspended: number;
  closed: boolean;
  hadRelease: boolean;
  shortened: boolean;
  deleted: boolean;
}

interface Place {
  id: string;
  validFrom: string;
  slot: ModelSlot;
  booking: Booking;
  sales: { item: Item; units: number }[];
  holds: number[];
  reclaims: number[];
}

const remaining = (slot: ModelSlot) => slot.allotted - slot.sold - slot.held - slot.released - slot.suspended;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

class Model {
  private isOut = false;

  private constructor(
    private readonly departure: { id: string; startsAt: string; endsAt: string; startDate: string },
    readonly places: Place[],
  ) {}

  static async create(): Promise<Model> {
    const departure = await departureIn(app, 40, { capacity: CAPACITY });
    const { productId, startDate: validTo } = departure;
    const places: Place[] = [];
    for (const [type, allotted] of [
      ['guaranteed', 7],
      ['guaranteed', 5],
      ['cap', 9],
    ] as const) {
      const allotment = await newAllotment(app, { productId, type, defaultQuantity: allotted, validTo });
      const slot = { type, allotted, sold: 0, held: 0, released: 0, suspended: 0 };
      const state = { closed: false, hadRelease: false, shortened: false, deleted: false };
      const booking = await bookingThrough(app, allotment.id);
      const validFrom = String(allotment['validFrom']);
      const lists = { sales: [], holds: [], reclaims: [] };
      places.push({ id: allotment.id, validFrom, slot: { ...slot, ...state }, booking, ...lists });
    }
    // Ids ascend with the time of creation, and slots return in the order of their ids.
    return new Model(departure, places);
  }

  get departureId(): string {
    return this.departure.id;
  }

  /** Returns the units that the departure shows. */
  counters() {
    const sum = (count: (slot: ModelSlot) => number) => this.places.reduce((all, { slot }) => all + count(slot), 0);
    const sold = sum((slot) => slot.sold);
    const held = sum((slot) => slot.held);
    const guaranteedOpen = sum((slot) => (slot.type === 'guaranteed' ? remaining(slot) : 0));
    return { capacity: CAPACITY, sold, held, guaranteedOpen, available: CAPACITY - sold - held - guaranteedOpen };
  }

  async act(what: (typeof ACTS)[number], at: number, units: number): Promise<void> {
    const place = this.places[at % this.places.length];
    if (!place) throw new Error('No place');
    const succeeded = await this.perform(what, place, units);
    if (succeeded !== null) expect([what, succeeded.real]).toEqual([what, succeeded.expected]);
  }

  /** Performs the act in the service and in the model. Returns whether it succeeded in both; null if there is nothing to do. */
  private async perform(what: (typeof ACTS)[number], place: Place, units: number) {
    const { slot } = place;
    const owner = app.as('owner');
    const pool = this.counters().available;
    const fits = remaining(slot) >= units && (slot.type === 'guaranteed' || pool >= units);
    if (what === 'sell') {
      const body = itemBody({ departureId: this.departureId, allotmentId: place.id, quantity: units });
      const answer = await owner.post<One<Item>>(`${BOOKINGS}/${place.booking.id}/items`, body);
      const expected = fits && !slot.deleted;
      if (expected) {
        slot.sold += units;
        place.sales.push({ item: answer.body.data, units });
      }
      return { real: answer.status === 201, expected };
    }
    if (what === 'cancel') {
      const sale = place.sales.shift();
      if (!sale) return null;
      const answer = await owner.post(`${BOOKINGS}/${place.booking.id}/items/${sale.item.id}/cancellation`);
      slot.sold -= sale.units;
      this.return(slot, sale.units);
      return { real: answer.status === 200, expected: true };
    }
    if (what === 'hold') {
      const real = await this.withSlots((allotments) => allotments.hold(this.keyOf(place), units));
      const expected = fits && !slot.deleted;
      if (expected) {
        slot.held += units;
        place.holds.push(units);
      }
      return { real, expected };
    }
    if (what === 'releaseHeld') {
      const held = slot.deleted ? undefined : place.holds.shift();
      if (held === undefined) return null;
      const real = await this.withSlots((allotments) => allotments.releaseHeld(this.keyOf(place), held));
      slot.held -= held;
      this.return(slot, held);
      return { real, expected: true };
    }
    if (slot.deleted && what !== 'undelete' && what !== 'moveOut' && what !== 'moveBack') return null;
    if (what === 'resize') {
      const size = units * 2;
      const { id } = await onlySlot(app, place.id);
      const answer = await owner.patch(`${ALLOTMENTS}/${place.id}/slots/${id}`, { allotted: size });
      const isEnough = slot.type === 'cap' || size - slot.allotted <= pool;
      const expected = !slot.closed && size >= slot.sold + slot.held + slot.released && isEnough;
      if (expected) slot.allotted = size;
      return { real: answer.status === 200, expected };
    }
    if (what === 'release') {
      const answer = await owner.post(`${ALLOTMENTS}/${place.id}/releases`);
      if (!slot.closed) {
        slot.released += remaining(slot);
        slot.hadRelease = true;
      }
      return { real: answer.status === 200, expected: true };
    }
    if (what === 'reclaim') {
      const answer = await owner.post(`${ALLOTMENTS}/${place.id}/reclaims`, { departureId: this.departureId, units });
      const isEnough = slot.type === 'cap' || units <= pool;
      const expected = !slot.closed && units <= slot.released && isEnough;
      if (expected) {
        slot.released -= units;
        if (slot.released === 0) slot.hadRelease = false;
        place.reclaims.push(units);
      }
      return { real: answer.status === 200, expected };
    }
    if (what === 'reverseReclaim') {
      const reclaimed = place.reclaims.pop();
      if (reclaimed === undefined) return null;
      const [{ id } = { id: '' }] = await app.sql<{ id: string }>(
        `select e.id from action_ledger_entries e where e.subject_id = $1 and e.action = 'distribution.allotment.reclaim'
           and not exists (select from ledger_reversals r where r.original_id = e.id)
         order by e.sequence desc limit 1`,
        [place.id],
      );
      const answer = await reverse(app, id);
      const expected = !slot.closed && reclaimed <= remaining(slot);
      if (expected) {
        slot.released += reclaimed;
        slot.hadRelease = true;
      } else place.reclaims.push(reclaimed);
      return { real: answer.status === 201, expected };
    }
    if (what === 'moveOut' || what === 'moveBack') return this.move(what === 'moveOut');
    if (what === 'shorten') {
      if (slot.shortened) return null;
      const answer = await owner.patch(`${ALLOTMENTS}/${place.id}`, { validTo: place.validFrom });
      const expected = slot.closed || slot.sold + slot.held === 0;
      if (expected) {
        slot.shortened = true;
        this.close(slot);
      }
      return { real: answer.status === 200, expected };
    }
    if (what === 'extend') {
      if (!slot.shortened) return null;
      const answer = await owner.patch(`${ALLOTMENTS}/${place.id}`, { validTo: this.departure.startDate });
      const returns = !this.isOut;
      const expected = !returns || slot.type === 'cap' || slot.suspended <= pool;
      if (expected) slot.shortened = false;
      if (expected && returns) this.reopen(slot);
      return { real: answer.status === 200, expected };
    }
    if (what === 'delete') {
      const answer = await owner.delete(`${ALLOTMENTS}/${place.id}`);
      const expected = slot.sold + slot.held === 0;
      if (expected) {
        slot.deleted = true;
        this.close(slot);
      }
      return { real: answer.status === 200, expected };
    }
    if (!slot.deleted || this.isOut || slot.shortened) return null;
    const [{ id } = { id: '' }] = await app.sql<{ id: string }>(
      `select id from action_ledger_entries where subject_id = $1 and action = 'distribution.allotment.delete'
       order by sequence desc limit 1`,
      [place.id],
    );
    const answer = await reverse(app, id);
    const expected = slot.type === 'cap' || slot.suspended <= pool;
    if (expected) {
      slot.deleted = false;
      this.reopen(slot);
    }
    return { real: answer.status === 201, expected };
  }

  private async move(out: boolean) {
    if (this.isOut === out) return null;
    const later = (instant: string) => new Date(Date.parse(instant) + (out ? 2 * DAY_MS : 0)).toISOString();
    const body = { startsAt: later(this.departure.startsAt), endsAt: later(this.departure.endsAt) };
    const answer = await app.as('owner').patch(`${DEPARTURES}/${this.departureId}`, body);
    const returning = this.places.map(({ slot }) => slot).filter((slot) => !slot.deleted && !slot.shortened);
    const wanted = returning.reduce((sum, slot) => sum + (slot.type === 'guaranteed' ? slot.suspended : 0), 0);
    const expected = out || wanted <= this.counters().available;
    if (expected) {
      this.isOut = out;
      for (const slot of returning) {
        if (out) this.close(slot);
        else this.reopen(slot);
      }
    }
    return { real: answer.status === 200, expected };
  }

  private close(slot: ModelSlot): void {
    if (slot.closed) return;
    slot.suspended = remaining(slot);
    slot.closed = true;
  }

  private reopen(slot: ModelSlot): void {
    slot.suspended = 0;
    slot.closed = false;
  }

  private return(slot: ModelSlot, units: number): void {
    if (slot.hadRelease) slot.released += units;
    else if (slot.closed) slot.suspended += units;
  }

  private keyOf({ id }: Place) {
    return { allotmentId: id, departureId: this.departureId };
  }

  private async withSlots(action: (allotments: AllotmentsService) => Promise<void>): Promise<boolean> {
    const act = () =>
      app.nest.get(Database).transaction(async () => {
        await app.nest.get(DeparturesService).lock([this.departureId]);
        await action(app.nest.get(AllotmentsService));
      });
    return asSystem(act).then(
      () => true,
      (error: unknown) => {
        expect(['capacity_exceeded', 'not_found']).toContain((error as { code?: string }).code);
        return false;
      },
    );
  }
}

describe('any sequence of acts on the slots of a departure', () => {
  const act = fc.tuple(fc.constantFrom(...ACTS), fc.nat({ max: 2 }), fc.integer({ min: 1, max: 5 }));

  it('slots and departure equal the model after each act', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 40, maxLength: 60 }), async (acts) => {
        const model = await Model.create();
        for (const [what, at, units] of acts) {
          await model.act(what, at, units);
          expect(await poolOf(app, model.departureId)).toEqual(model.counters());
          for (const { id, slot } of model.places.filter((place) => !place.slot.deleted)) {
            const { type: _type, hadRelease: _had, shortened: _short, deleted: _deleted, ...units } = slot;
            expect((await slotsOf(app, id))[0]).toMatchObject({ ...units, remaining: remaining(slot) });
          }
        }
        await expectSumsToAgree(app, [model.departureId]);
      }),
      { numRuns: 8, endOnFailure: true },
    );
  }, 240_000);
});
