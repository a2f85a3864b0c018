import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { DeparturesService } from '../../operations/index.js';
import type { ListAllotments } from './allotment.dto.js';
import { Allotment, type AllotmentView } from './allotment.entity.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { releaseInstant, type ReleaseStep } from './release-rule.js';

mapConstraint('allotments_no_overlap', ({ detail }) =>
  conflict(
    'allotment_overlap',
    'Another active allotment of this channel and product overlaps this period',
    periodIn(detail),
  ),
);

/** A release step that is due on a slot. */
export interface DueStep {
  stepId: string;
  slotId: string;
  departureId: string;
  allotmentId: string;
  keepQuantity: number;
}

/** A planned or executed release step of a slot. */
export interface PlannedStep {
  slotId: string;
  dueAt: Date;
  keepQuantity: number;
  takenAt: Date | null;
  units: number | null;
}

interface StoredStep extends ReleaseStep {
  id: string;
}

interface WithSteps {
  steps: ReleaseStep[] | null;
}

const STEPS = `(select json_agg(json_build_object(
    'daysBefore', step.days_before, 'hoursBefore', step.hours_before, 'keepQuantity', step.keep_quantity)
    order by step.position)
  from allotment_release_steps step where step.allotment_id = allotment.id and step.retired_at is null)`;

const EXISTING = { live: 'deleted_at is null', deleted: 'deleted_at is not null' };

/**
 * Reads and writes allotments and their release steps. The lock of its product protects an allotment; its own row is not
 * locked, because a sale that has locked a departure would wait for it.
 */
@Injectable()
export class AllotmentsRepository {
  readonly allotments: Rows<Allotment>;

  constructor(
    private readonly database: Database,
    private readonly departures: DeparturesService,
  ) {
    this.allotments = database.rows(Allotment);
  }

  /** A deleted allotment is not found. */
  async getView(id: string, details?: { field: string }): Promise<AllotmentView> {
    return this.readView(id, 'live', details);
  }

  /** Locks the allotment's product and reads the allotment. */
  async lockView(id: string, existing: keyof typeof EXISTING = 'live'): Promise<AllotmentView> {
    // The product never changes, so it can be read before the lock.
    const { productId } = (await this.readView(id, existing)).allotment;
    await this.departures.lockProduct(productId);
    return this.readView(id, existing);
  }

  /** Counts the active allotments of the product that have not ended before this day. */
  async countLive(productId: string, today: string): Promise<number> {
    const [row] = await this.database.prepared<{ count: number }>(
      'allotments-live',
      `select count(*)::int as count from allotments
       where product_id = $1 and active and deleted_at is null and (valid_to is null or valid_to >= $2::date)`,
      [productId, today],
    );
    return row?.count ?? 0;
  }

  async listViews(query: ListAllotments): Promise<{ views: AllotmentView[]; total: number }> {
    const { channelId, productId, validFrom, validTo, active, sort = '-createdAt' } = query;
    const found = this.allotments.query('allotment').addSelect(STEPS, 'steps').where('allotment.deletedAt is null');
    if (channelId !== undefined) found.andWhere('allotment.channelId = :channelId', { channelId });
    if (productId !== undefined) found.andWhere('allotment.productId = :productId', { productId });
    if (validFrom !== undefined) {
      found.andWhere('(allotment.validTo is null or allotment.validTo >= :validFrom)', { validFrom });
    }
    if (validTo !== undefined) found.andWhere('allotment.validFrom <= :validTo', { validTo });
    if (active !== undefined) found.andWhere('allotment.active = :active', { active });
    sortRows(found, sort);
    const { rows, total } = await this.database.page<Allotment, WithSteps>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw.steps)), total };
  }

  async listByIds(ids: readonly string[]): Promise<Allotment[]> {
    return this.allotments.read({
      name: 'allotments-by-ids',
      text: `select ${this.allotments.columns('a')} from allotments a where a.id = any($1) order by a.id`,
      values: [ids],
    });
  }

  /** The active allotments that cover departures of the product on this day. */
  async listCovering(productId: string, day: string): Promise<Allotment[]> {
    return this.allotments.read({
      name: 'allotments-covering',
      text: `select ${this.allotments.columns('a')} from allotments a
        where a.product_id = $1 and a.active and a.deleted_at is null
          and a.valid_from <= $2::date and (a.valid_to is null or a.valid_to >= $2::date)
        order by a.id`,
      values: [productId, day],
    });
  }

  /** Replaces the release steps and plans the new ones on these slots. Executed steps stay. */
  async replaceSteps(
    allotment: Allotment,
    steps: readonly ReleaseStep[],
    slots: readonly AllotmentSlot[],
  ): Promise<void> {
    await this.database.execute(
      `with retired as (
         update allotment_release_steps set retired_at = $2 where allotment_id = $1 and retired_at is null returning id)
       update release_executions set status = 'cancelled'
       where status = 'pending' and step_id in (select id from retired)`,
      [allotment.id, allotment.updatedAt],
    );
    if (steps.length === 0) return;
    await this.database.execute(
      `insert into allotment_release_steps (allotment_id, position, days_before, hours_before, keep_quantity)
       select $1, n - 1, days_before, hours_before, keep_quantity
       from unnest($2::integer[], $3::integer[], $4::integer[])
         with ordinality as s (days_before, hours_before, keep_quantity, n)`,
      [
        allotment.id,
        steps.map(({ daysBefore }) => daysBefore),
        steps.map(({ hoursBefore }) => hoursBefore),
        steps.map(({ keepQuantity }) => keepQuantity),
      ],
    );
    await this.planSteps(allotment, slots);
  }

  /**
   * Plans the steps of an automatic release on these slots. A step is executed at most once per slot, unless it is due after
   * `repeatAfter`.
   */
  async planSteps(
    allotment: Allotment,
    slots: readonly AllotmentSlot[],
    { repeatAfter = null }: { repeatAfter?: Date | null } = {},
  ): Promise<void> {
    if (allotment.releaseMode !== 'automatic' || slots.length === 0) return;
    const steps = await this.database.query<StoredStep>(
      `select id, days_before as "daysBefore", hours_before as "hoursBefore", keep_quantity as "keepQuantity"
       from allotment_release_steps where allotment_id = $1 and retired_at is null order by position`,
      [allotment.id],
    );
    const planned = slots.flatMap((slot) =>
      steps.map((step) => ({ stepId: step.id, slotId: slot.id, dueAt: releaseInstant(slot, step).toISOString() })),
    );
    await this.database.execute(
      `insert into release_executions (step_id, slot_id, due_at, status)
       select step_id, slot_id, due_at, 'pending'
       from unnest($1::bigint[], $2::text[], $3::timestamptz[]) as e (step_id, slot_id, due_at)
       on conflict (step_id, slot_id) do update
         set due_at = excluded.due_at, status = 'pending', units = null, executed_at = null
       where release_executions.status <> 'done' or excluded.due_at > $4`,
      [
        planned.map(({ stepId }) => stepId),
        planned.map(({ slotId }) => slotId),
        planned.map(({ dueAt }) => dueAt),
        repeatAfter,
      ],
    );
  }

  /** The units of each slot that pending steps released before they were planned again. */
  async countRepeated(slots: readonly AllotmentSlot[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ slotId: string; units: number }>(
      `select slot_id as "slotId", sum(outstanding)::int as units from release_executions
       where slot_id = any($1) and status = 'pending' and outstanding > 0 group by slot_id`,
      [slots.map(({ id }) => id)],
    );
    return new Map(rows.map(({ slotId, units }) => [slotId, units]));
  }

  /**
   * Reclaimed units are taken from the steps that have released them, the last step first; the remaining units were released
   * manually.
   */
  async takeOutstanding(reclaimed: readonly { slotId: string; units: number }[]): Promise<void> {
    await this.database.execute(
      `update release_executions e set outstanding = e.outstanding - least(e.outstanding, greatest(0, w.n - l.later))
       from (select step_id, slot_id, sum(outstanding) over (
               partition by slot_id order by due_at desc, step_id desc) - outstanding as later
             from release_executions where slot_id = any($1) and outstanding > 0) l
       join unnest($1::text[], $2::integer[]) as w (id, n) on w.id = l.slot_id
       where e.step_id = l.step_id and e.slot_id = l.slot_id`,
      [reclaimed.map(({ slotId }) => slotId), reclaimed.map(({ units }) => units)],
    );
  }

  async cancelSteps(slots: readonly AllotmentSlot[]): Promise<void> {
    await this.database.execute(
      `update release_executions set status = 'cancelled' where status = 'pending' and slot_id = any($1)`,
      [slots.map(({ id }) => id)],
    );
  }

  async listSteps(slots: readonly AllotmentSlot[]): Promise<PlannedStep[]> {
    return this.database.query<PlannedStep>(
      `select e.slot_id as "slotId", e.due_at as "dueAt", step.keep_quantity as "keepQuantity",
              e.executed_at as "takenAt", e.units
       from release_executions e join allotment_release_steps step on step.id = e.step_id
       where e.slot_id = any($1) and e.status <> 'cancelled' and step.retired_at is null
       order by e.due_at, step.position`,
      [slots.map(({ id }) => id)],
    );
  }

  /** The products with due steps, the longest due first. */
  async listDueProducts(now: Date): Promise<string[]> {
    const rows = await this.database.query<{ productId: string }>(
      `select a.product_id as "productId"
       from release_executions e join allotment_slots s on s.id = e.slot_id join allotments a on a.id = s.allotment_id
       where e.status = 'pending' and e.due_at <= $1
       group by a.product_id order by min(e.due_at), a.product_id`,
      [now],
    );
    return rows.map(({ productId }) => productId);
  }

  /** Claims due steps, in their order, until the running transaction ends. */
  async claimSteps(productId: string, now: Date, limit: number): Promise<DueStep[]> {
    return this.database.query<DueStep>(
      `select e.step_id as "stepId", e.slot_id as "slotId", s.departure_id as "departureId",
              s.allotment_id as "allotmentId", step.keep_quantity as "keepQuantity"
       from release_executions e
       join allotment_release_steps step on step.id = e.step_id
       join allotment_slots s on s.id = e.slot_id
       join allotments a on a.id = s.allotment_id
       where e.status = 'pending' and e.due_at <= $1 and a.product_id = $2
       order by e.due_at, step.position, e.slot_id limit $3 for update of e skip locked`,
      [now, productId, limit],
    );
  }

  /** Marks claimed steps as executed, with the units that each released, and the units that can be reclaimed from the pool. */
  async finishSteps(
    executed: readonly { step: DueStep; units: number; reclaimable: number }[],
    now: Date,
  ): Promise<void> {
    await this.database.execute(
      `update release_executions e set status = 'done', units = w.units, executed_at = $5,
         outstanding = e.outstanding + w.reclaimable
       from unnest($1::bigint[], $2::text[], $3::integer[], $4::integer[]) as w (step_id, slot_id, units, reclaimable)
       where e.step_id = w.step_id and e.slot_id = w.slot_id`,
      [
        executed.map(({ step }) => step.stepId),
        executed.map(({ step }) => step.slotId),
        executed.map(({ units }) => units),
        executed.map(({ reclaimable }) => reclaimable),
        now,
      ],
    );
  }

  private async readView(
    id: string,
    existing: keyof typeof EXISTING,
    details?: { field: string },
  ): Promise<AllotmentView> {
    const columns = this.allotments.columns('allotment');
    const [found] = await this.database.read<Allotment, WithSteps>(Allotment, {
      name: `allotment-get-${existing}`,
      text: `select ${columns}, ${STEPS} as steps from allotments allotment
        where allotment.id = $1 and ${EXISTING[existing]}`,
      values: [id],
    });
    if (!found) throw notFound(details);
    return viewOf(found.entity, found.raw.steps);
  }
}

function viewOf(allotment: Allotment, steps: ReleaseStep[] | null): AllotmentView {
  const { releaseMode: mode, unsoldAction, reclaimOnMove } = allotment;
  if (!mode || !unsoldAction) return { allotment, release: null };
  return { allotment, release: { mode, steps: steps ?? [], unsoldAction, reclaimOnMove: reclaimOnMove ?? true } };
}

/** Reads the days of the other allotment from the last range in the detail, whose language depends on the server. */
function periodIn(detail = ''): { takenFrom: string | null; freeFrom: string | null } {
  const [, takenFrom = null, freeFrom] = /\[(\d{4}-\d\d-\d\d),(\d{4}-\d\d-\d\d)?\)\)\D*$/.exec(detail) ?? [];
  return { takenFrom, freeFrom: freeFrom ?? null };
}
