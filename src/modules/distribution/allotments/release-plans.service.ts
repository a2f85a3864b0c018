import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Allotment } from './allotment.entity.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { releaseInstant, type ReleaseStep } from './release-rule.js';

/** A row of `allotment_release_steps`. */
interface StoredStep extends ReleaseStep {
  id: string;
}

/** A step that is due on a slot. */
export interface DueStep {
  stepId: string;
  slotId: string;
  departureId: string;
  allotmentId: string;
  keepQuantity: number;
}

/**
 * Which steps are to be taken when: a row for each step and slot, which is done once at most. Whoever writes them holds
 * the product, so that nobody waits for a row here with a departure in hand.
 */
@Injectable()
export class ReleasePlans {
  constructor(private readonly database: Database) {}

  /** The allotment has these steps from now on; what was done by earlier ones stays done. */
  async replace(allotment: Allotment, steps: readonly ReleaseStep[], slots: readonly AllotmentSlot[]): Promise<void> {
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
    await this.plan(allotment, slots);
  }

  /** Has the steps of an automatic release taken on these slots at their time, unless they were taken already. */
  async plan(allotment: Allotment, slots: readonly AllotmentSlot[]): Promise<void> {
    if (allotment.releaseMode !== 'automatic' || slots.length === 0) return;
    const steps = await this.stepsOf(allotment.id);
    const planned = slots.flatMap((slot) =>
      steps.map((step) => ({ stepId: step.id, slotId: slot.id, dueAt: releaseInstant(slot, step).toISOString() })),
    );
    await this.database.execute(
      `insert into release_executions (step_id, slot_id, due_at, status)
       select step_id, slot_id, due_at, 'pending'
       from unnest($1::bigint[], $2::text[], $3::timestamptz[]) as e (step_id, slot_id, due_at)
       on conflict (step_id, slot_id) do update set due_at = excluded.due_at, status = 'pending'
       where release_executions.status <> 'done'`,
      [planned.map(({ stepId }) => stepId), planned.map(({ slotId }) => slotId), planned.map(({ dueAt }) => dueAt)],
    );
  }

  /** Takes no more steps on these slots. */
  async cancel(slots: readonly AllotmentSlot[]): Promise<void> {
    await this.database.execute(
      `update release_executions set status = 'cancelled' where status = 'pending' and slot_id = any($1)`,
      [slots.map(({ id }) => id)],
    );
  }

  /** Products with steps that are due, the longest due first. */
  async dueProducts(now: Date): Promise<string[]> {
    const rows = await this.database.query<{ productId: string }>(
      `select a.product_id as "productId"
       from release_executions e join allotment_slots s on s.id = e.slot_id join allotments a on a.id = s.allotment_id
       where e.status = 'pending' and e.due_at <= $1
       group by a.product_id order by min(e.due_at), a.product_id`,
      [now],
    );
    return rows.map(({ productId }) => productId);
  }

  /** Claims steps that are due, in their order, until the running transaction ends. */
  async claim(productId: string, now: Date, limit: number): Promise<DueStep[]> {
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

  /** The steps were taken, with so many units each. */
  async finish(taken: readonly { step: DueStep; units: number }[], now: Date): Promise<void> {
    await this.database.execute(
      `update release_executions e set status = 'done', units = w.units, executed_at = $4
       from unnest($1::bigint[], $2::text[], $3::integer[]) as w (step_id, slot_id, units)
       where e.step_id = w.step_id and e.slot_id = w.slot_id`,
      [
        taken.map(({ step }) => step.stepId),
        taken.map(({ step }) => step.slotId),
        taken.map(({ units }) => units),
        now,
      ],
    );
  }

  private async stepsOf(allotmentId: string): Promise<StoredStep[]> {
    return this.database.query<StoredStep>(
      `select id, days_before as "daysBefore", hours_before as "hoursBefore", keep_quantity as "keepQuantity"
       from allotment_release_steps where allotment_id = $1 and retired_at is null order by position`,
      [allotmentId],
    );
  }
}
