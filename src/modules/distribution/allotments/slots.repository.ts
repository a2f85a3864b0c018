import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { DeparturesService } from '../../operations/index.js';
import type { AllotmentType } from './allotment.entity.js';
import { AllotmentSlot } from './allotment-slot.entity.js';
import type { ListSlots } from './slot.dto.js';

/** Identifies a slot. */
export interface SlotKey {
  allotmentId: string;
  departureId: string;
}

/** The reason why units of a slot moved. */
export type MovementCause =
  | 'opened'
  | 'changed'
  | 'item'
  | 'trip'
  | 'step'
  | 'hand'
  | 'moved'
  | 'shortage'
  | 'out_of_range'
  | 'departure_cancelled'
  | 'deleted'
  | 'reversal';

/**
 * A change of a slot's units; `allot`, `reclaim` and `resume` add units for the channel, `release` and `suspend` remove some.
 * `pick` and `unpick` are sales and their end; `hold` and `let_go` are holds of trips and their end.
 */
export interface Movement {
  slotId: string;
  kind: 'allot' | 'pick' | 'unpick' | 'hold' | 'let_go' | 'release' | 'reclaim' | 'suspend' | 'resume';
  cause: MovementCause;
  units: number;
  bookingItemId?: string;
}

/** Whether units are sold to a booking item or held by a trip. */
export type SlotCounter = 'sold' | 'held';

const REMAINING = 'allotted - sold - held - released - suspended';

const remainingOf = (alias: string) =>
  `${alias}.allotted - ${alias}.sold - ${alias}.held - ${alias}.released - ${alias}.suspended`;

/** The slot of a channel on a departure, for a sale. */
export interface ChannelSlot {
  allotmentId: string;
  departureId: string;
  type: AllotmentType;
  /** Whether the allotment sells. */
  active: boolean;
  /** Units of the channel, less those that were released. */
  units: number;
  remaining: number;
}

/** Reads and writes slots and the movements of their units. A change of units locks the departure before the slot. */
@Injectable()
export class SlotsRepository {
  private readonly rows: Rows<AllotmentSlot>;

  constructor(
    private readonly database: Database,
    private readonly departures: DeparturesService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(AllotmentSlot);
  }

  /** A slot of another allotment is not found. */
  async get(allotmentId: string, id: string): Promise<AllotmentSlot> {
    const slot = await this.rows.findBy({ id, allotmentId });
    if (!slot) throw notFound();
    return slot;
  }

  /** A page of an allotment's slots, by start. */
  async list(allotmentId: string, query: ListSlots): Promise<{ rows: AllotmentSlot[]; total: number }> {
    const found = this.rows.query('slot').where('slot.allotmentId = :allotmentId', { allotmentId });
    if (query.startFrom !== undefined) found.andWhere('slot.startDate >= :from', { from: query.startFrom });
    if (query.startTo !== undefined) found.andWhere('slot.startDate <= :to', { to: query.startTo });
    if (query.departureId !== undefined) {
      found.andWhere('slot.departureId = :departureId', { departureId: query.departureId });
    }
    sortRows(found, query.sort ?? 'startsAt');
    return this.rows.page(found, pageBounds(query));
  }

  /** Locks the departures of these slots, then the slots, and reads them. */
  async lock(slots: readonly Pick<AllotmentSlot, 'id' | 'departureId'>[]): Promise<AllotmentSlot[]> {
    await this.departures.lock(slots.map(({ departureId }) => departureId));
    return this.lockAll(slots.map(({ id }) => id));
  }

  /** Locks the open slots that the filter selects. */
  async lockOpen(allotmentId: string, filter: (slot: AllotmentSlot) => boolean = () => true): Promise<AllotmentSlot[]> {
    return this.lock((await this.listOpen(allotmentId)).filter(filter));
  }

  /** The allotment's slot on a departure, or its slots with these ids. */
  async listNamed(
    allotmentId: string,
    { departureId, slotIds }: { departureId?: string | undefined; slotIds?: readonly string[] | undefined },
  ): Promise<AllotmentSlot[]> {
    const condition = 's.allotment_id = $1 and (s.departure_id = $2 or s.id = any($3)) order by s.id';
    return this.read('slots-named', condition, [allotmentId, departureId ?? null, slotIds ?? []]);
  }

  async listOpen(allotmentId: string): Promise<AllotmentSlot[]> {
    return this.read('slots-open', 's.allotment_id = $1 and s.closed_at is null order by s.id', [allotmentId]);
  }

  /** Locks the slots of all allotments on this departure. */
  async lockOfDeparture(departureId: string): Promise<AllotmentSlot[]> {
    return this.read('slots-lock-departure', 's.departure_id = $1 order by s.id for no key update', [departureId]);
  }

  async lockOfAllotment(allotmentId: string, departureIds: readonly string[]): Promise<AllotmentSlot[]> {
    const condition = 's.allotment_id = $1 and s.departure_id = any($2) order by s.id for no key update';
    return this.read('slots-lock-allotment', condition, [allotmentId, departureIds]);
  }

  async lockAll(ids: readonly string[]): Promise<AllotmentSlot[]> {
    return this.read('slots-lock', 's.id = any($1) order by s.id for no key update', [ids]);
  }

  async countSold(allotmentId: string): Promise<{ sold: number; held: number }> {
    const [row] = await this.database.query<{ sold: number; held: number }>(
      `select coalesce(sum(sold), 0)::int as sold, coalesce(sum(held), 0)::int as held
       from allotment_slots where allotment_id = $1`,
      [allotmentId],
    );
    return row ?? { sold: 0, held: 0 };
  }

  async insert(slots: readonly AllotmentSlot[]): Promise<void> {
    if (slots.length === 0) return;
    await this.database.prepared(
      'slots-insert',
      `insert into allotment_slots (id, allotment_id, departure_id, starts_at, start_date, time_zone, allotted, sold,
         held, released, suspended, expired, version, created_at, updated_at)
       select id, allotment_id, departure_id, starts_at, start_date, time_zone, allotted, 0, 0, released, 0, 0, 1, $9, $9
       from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::date[], $6::text[], $7::integer[], $8::integer[])
         as s (id, allotment_id, departure_id, starts_at, start_date, time_zone, allotted, released)`,
      [
        slots.map(({ id }) => id),
        slots.map(({ allotmentId }) => allotmentId),
        slots.map(({ departureId }) => departureId),
        ...startsOf(slots),
        slots.map(({ allotted }) => allotted),
        slots.map(({ released }) => released),
        this.clock.now(),
      ],
    );
  }

  /** Writes everything but the sold and held units of locked slots, in one statement. Does not change the versions. */
  async save(slots: readonly AllotmentSlot[]): Promise<void> {
    if (slots.length === 0) return;
    await this.database.prepared(
      'slots-store',
      `update allotment_slots s
       set starts_at = w.starts_at, start_date = w.start_date, time_zone = w.time_zone, allotted = w.allotted,
           released = w.released, suspended = w.suspended, expired = w.expired, released_at = w.released_at,
           closed_at = w.closed_at, updated_at = $11
       from unnest($1::text[], $2::timestamptz[], $3::date[], $4::text[], $5::integer[], $6::integer[], $7::integer[],
         $8::integer[], $9::timestamptz[], $10::timestamptz[])
         as w (id, starts_at, start_date, time_zone, allotted, released, suspended, expired, released_at, closed_at)
       where s.id = w.id`,
      [
        slots.map(({ id }) => id),
        ...startsOf(slots),
        slots.map(({ allotted }) => allotted),
        slots.map(({ released }) => released),
        slots.map(({ suspended }) => suspended),
        slots.map(({ expired }) => expired),
        slots.map(({ releasedAt }) => releasedAt?.toISOString() ?? null),
        slots.map(({ closedAt }) => closedAt?.toISOString() ?? null),
        this.clock.now(),
      ],
    );
  }

  /** Allocates remaining units of a slot. Returns the slot's id, or null if fewer units remain. */
  async allocate(counter: SlotCounter, { allotmentId, departureId }: SlotKey, units: number): Promise<string | null> {
    const [slot] = await this.database.prepared<{ id: string }>(
      `slots-allocate-${counter}`,
      `update allotment_slots set ${counter} = ${counter} + $3, updated_at = $4
       where allotment_id = $1 and departure_id = $2 and ${REMAINING} >= $3 returning id`,
      [allotmentId, departureId, units, this.clock.now()],
    );
    return slot?.id ?? null;
  }

  /**
   * Reverses `allocate`. If the slot was released, the units are also released; if it is closed, they are suspended. Returns
   * null if fewer units are sold or held.
   */
  async deallocate(
    counter: SlotCounter,
    { allotmentId, departureId }: SlotKey,
    units: number,
  ): Promise<{ id: string; isReleased: boolean; isClosed: boolean } | null> {
    const [slot] = await this.database.prepared<{ id: string; isReleased: boolean; isClosed: boolean }>(
      `slots-deallocate-${counter}`,
      `update allotment_slots
       set ${counter} = ${counter} - $3, updated_at = $4,
           released = released + case when released_at is null then 0 else $3 end,
           suspended = suspended + case when released_at is null and closed_at is not null then $3 else 0 end
       where allotment_id = $1 and departure_id = $2 and ${counter} >= $3
       returning id, released_at is not null as "isReleased", closed_at is not null as "isClosed"`,
      [allotmentId, departureId, units, this.clock.now()],
    );
    return slot ?? null;
  }

  /** Returns the slot's id, or null if fewer units are held. */
  async sellHeld({ allotmentId, departureId }: SlotKey, units: number): Promise<string | null> {
    const [slot] = await this.database.prepared<{ id: string }>(
      'slots-sell-held',
      `update allotment_slots set held = held - $3, sold = sold + $3, updated_at = $4
       where allotment_id = $1 and departure_id = $2 and held >= $3 returning id`,
      [allotmentId, departureId, units, this.clock.now()],
    );
    return slot?.id ?? null;
  }

  /** An open slot of the channel on each of these departures: that of an active allotment first, then the oldest. */
  async listOfChannel(channelId: string, departureIds: readonly string[]): Promise<ChannelSlot[]> {
    return this.database.prepared<ChannelSlot>(
      'slots-of-channel',
      `select distinct on (slot.departure_id) slot.allotment_id as "allotmentId", slot.departure_id as "departureId",
         allotment.type, allotment.active, slot.allotted - slot.released as units, ${remainingOf('slot')} as remaining
       from allotment_slots slot join allotments allotment on allotment.id = slot.allotment_id
       where allotment.channel_id = $1 and slot.departure_id = any($2) and slot.closed_at is null
         and allotment.deleted_at is null
       order by slot.departure_id, allotment.active desc, slot.id`,
      [channelId, departureIds],
    );
  }

  async countRemaining({ allotmentId, departureId }: SlotKey): Promise<number> {
    const [slot] = await this.database.query<{ remaining: number }>(
      `select ${REMAINING} as remaining from allotment_slots where allotment_id = $1 and departure_id = $2`,
      [allotmentId, departureId],
    );
    return slot?.remaining ?? 0;
  }

  /** Every change of a slot's units adds movements, which are never changed. Movements without units are skipped. */
  async addMovements(movements: readonly Movement[]): Promise<void> {
    const moved = movements.filter(({ units }) => units > 0);
    if (moved.length === 0) return;
    await this.database.prepared(
      'movements-append',
      `insert into allotment_movements (id, slot_id, kind, cause, quantity, booking_item_id, created_at)
       select id, slot_id, kind, cause, quantity, item, $7
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[])
         as m (id, slot_id, kind, cause, quantity, item)`,
      [
        moved.map(() => newId('almv')),
        moved.map(({ slotId }) => slotId),
        moved.map(({ kind }) => kind),
        moved.map(({ cause }) => cause),
        moved.map(({ units }) => units),
        moved.map(({ bookingItemId }) => bookingItemId ?? null),
        this.clock.now(),
      ],
    );
  }

  /** Writes a slot that staff changed, and raises its version. */
  async update(slot: AllotmentSlot): Promise<void> {
    await this.rows.update(slot);
  }

  private async read(name: string, condition: string, values: unknown[]): Promise<AllotmentSlot[]> {
    const text = `select ${this.rows.columns('s')} from allotment_slots s where ${condition}`;
    return this.rows.read({ name, text, values });
  }
}

function startsOf(slots: readonly AllotmentSlot[]): string[][] {
  return [
    slots.map(({ startsAt }) => startsAt.toISOString()),
    slots.map(({ startDate }) => startDate),
    slots.map(({ timeZone }) => timeZone),
  ];
}
