import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { AllotmentSlot } from './allotment-slot.entity.js';
import type { ListSlots } from './slot.dto.js';

/** An allotment's part of a departure. */
export interface SlotPlace {
  allotmentId: string;
  departureId: string;
}

/** The rows of slots. Whoever moves units holds the departure, then the slot. */
@Injectable()
export class SlotRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A page of an allotment's slots, by start. */
  async list(allotmentId: string, query: ListSlots): Promise<{ slots: AllotmentSlot[]; total: number }> {
    const found = this.database.repository(AllotmentSlot).createQueryBuilder('slot');
    found.where('slot.allotmentId = :allotmentId', { allotmentId });
    if (query.from !== undefined) found.andWhere('slot.startDate >= :from', { from: query.from });
    if (query.to !== undefined) found.andWhere('slot.startDate <= :to', { to: query.to });
    found.orderBy('slot.startsAt', 'ASC').addOrderBy('slot.id', 'ASC');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { slots: rows.map(({ entity }) => entity), total };
  }

  /** Throws 404, also for a slot of another allotment. */
  async get(allotmentId: string, id: string): Promise<AllotmentSlot> {
    const slot = await this.database.repository(AllotmentSlot).findOneBy({ id, allotmentId });
    if (!slot) throw notFound();
    return slot;
  }

  /** Those that still have something to sell or to give back. */
  async open(allotmentId: string): Promise<AllotmentSlot[]> {
    return this.read('slots-open', 's.allotment_id = $1 and s.closed_at is null order by s.id', [allotmentId]);
  }

  /** All of a departure, whatever their allotments. */
  async lockOfDeparture(departureId: string): Promise<AllotmentSlot[]> {
    return this.read('slots-lock-departure', 's.departure_id = $1 order by s.id for no key update', [departureId]);
  }

  async lockOfAllotment(allotmentId: string, departureIds: readonly string[]): Promise<AllotmentSlot[]> {
    const condition = 's.allotment_id = $1 and s.departure_id = any($2) order by s.id for no key update';
    return this.read('slots-lock-allotment', condition, [allotmentId, departureIds]);
  }

  async lock(ids: readonly string[]): Promise<AllotmentSlot[]> {
    return this.read('slots-lock', 's.id = any($1) order by s.id for no key update', [ids]);
  }

  async soldOf(allotmentId: string): Promise<number> {
    const [row] = await this.database.query<{ sold: number }>(
      'select coalesce(sum(sold), 0)::int as sold from allotment_slots where allotment_id = $1',
      [allotmentId],
    );
    return row?.sold ?? 0;
  }

  async insert(slots: readonly AllotmentSlot[]): Promise<void> {
    if (slots.length === 0) return;
    await this.database.prepared(
      'slots-insert',
      `insert into allotment_slots (id, allotment_id, departure_id, starts_at, start_date, time_zone, allotted, sold,
         released, version, created_at, updated_at)
       select id, allotment_id, departure_id, starts_at, start_date, time_zone, allotted, 0, 0, 1, $8, $8
       from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::date[], $6::text[], $7::integer[])
         as s (id, allotment_id, departure_id, starts_at, start_date, time_zone, allotted)`,
      [
        slots.map(({ id }) => id),
        slots.map(({ allotmentId }) => allotmentId),
        slots.map(({ departureId }) => departureId),
        ...startsOf(slots),
        slots.map(({ allotted }) => allotted),
        this.clock.now(),
      ],
    );
  }

  /** Writes everything but what is sold of slots that are held, in one statement. */
  async store(slots: readonly AllotmentSlot[]): Promise<void> {
    if (slots.length === 0) return;
    await this.database.prepared(
      'slots-store',
      `update allotment_slots s
       set starts_at = w.starts_at, start_date = w.start_date, time_zone = w.time_zone, allotted = w.allotted,
           released = w.released, released_at = w.released_at, closed_at = w.closed_at, updated_at = $9
       from unnest($1::text[], $2::timestamptz[], $3::date[], $4::text[], $5::integer[], $6::integer[],
         $7::timestamptz[], $8::timestamptz[])
         as w (id, starts_at, start_date, time_zone, allotted, released, released_at, closed_at)
       where s.id = w.id`,
      [
        slots.map(({ id }) => id),
        ...startsOf(slots),
        slots.map(({ allotted }) => allotted),
        slots.map(({ released }) => released),
        slots.map(({ releasedAt }) => releasedAt?.toISOString() ?? null),
        slots.map(({ closedAt }) => closedAt?.toISOString() ?? null),
        this.clock.now(),
      ],
    );
  }

  /** Sells units; null where fewer are left. */
  async pick({ allotmentId, departureId }: SlotPlace, units: number): Promise<{ id: string } | null> {
    const [slot] = await this.database.prepared<{ id: string }>(
      'slots-pick',
      `update allotment_slots set sold = sold + $3, updated_at = $4
       where allotment_id = $1 and departure_id = $2 and allotted - sold - released >= $3 returning id`,
      [allotmentId, departureId, units, this.clock.now()],
    );
    return slot ?? null;
  }

  /** Takes back what was sold; once a release has run it is released as well. Null where fewer units are sold. */
  async unpick(
    { allotmentId, departureId }: SlotPlace,
    units: number,
  ): Promise<{ id: string; straightOn: boolean } | null> {
    const [slot] = await this.database.prepared<{ id: string; straightOn: boolean }>(
      'slots-unpick',
      `update allotment_slots
       set sold = sold - $3, updated_at = $4,
           released = released + case when released_at is null and closed_at is null then 0 else $3 end
       where allotment_id = $1 and departure_id = $2 and sold >= $3
       returning id, (released_at is not null or closed_at is not null) as "straightOn"`,
      [allotmentId, departureId, units, this.clock.now()],
    );
    return slot ?? null;
  }

  async remaining({ allotmentId, departureId }: SlotPlace): Promise<number> {
    const [slot] = await this.database.query<{ remaining: number }>(
      `select allotted - sold - released as remaining from allotment_slots
       where allotment_id = $1 and departure_id = $2`,
      [allotmentId, departureId],
    );
    return slot?.remaining ?? 0;
  }

  /** Writes a slot that staff changed, and raises its version. */
  async update(slot: AllotmentSlot): Promise<void> {
    await this.database.update(slot);
  }

  private async read(name: string, condition: string, values: unknown[]): Promise<AllotmentSlot[]> {
    const columns = this.database.columnsOf(AllotmentSlot, 's');
    const text = `select ${columns} from allotment_slots s where ${condition}`;
    const found = await this.database.read(AllotmentSlot, { name, text, values });
    return found.map(({ entity }) => entity);
  }
}

function startsOf(slots: readonly AllotmentSlot[]): string[][] {
  return [
    slots.map(({ startsAt }) => startsAt.toISOString()),
    slots.map(({ startDate }) => startDate),
    slots.map(({ timeZone }) => timeZone),
  ];
}
