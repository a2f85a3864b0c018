import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Plan, Step } from './plan.js';

const STEP = `jsonb_build_object(
  'id', s.id, 'componentId', s.component_id, 'position', s.position, 'provider', s.provider,
  'providerKey', s.provider_key, 'status', s.status, 'offer', s.offer, 'holdExpiresAt', s.hold_expires_at,
  'failure', s.failure, 'attempts', s.attempts)`;

/** A plan with its steps, as new or as changed. Its attempt is counted when it is made. */
const SAVE = `with p as (
    insert into reservation_plans as p (id, envelope_id, attempt, status, created_at, updated_at)
    select $1, $2, coalesce((select max(attempt) from reservation_plans where envelope_id = $2), 0) + 1, $3, $4, $4
    on conflict (id) do update set status = excluded.status, updated_at = excluded.updated_at
    returning p.attempt, p.created_at
  ), s as (
    insert into reservation_steps as s (id, plan_id, envelope_id, component_id, position, provider, provider_key,
      status, offer, hold_expires_at, failure, attempts, created_at, updated_at)
    select w.id, $1, $2, w."componentId", w.position, w.provider, w."providerKey", w.status, w.offer,
      w."holdExpiresAt", w.failure, w.attempts, $4, $4
    from jsonb_to_recordset($5::jsonb) as w (id text, "componentId" text, position int, provider text,
      "providerKey" text, status text, offer jsonb, "holdExpiresAt" timestamptz, failure jsonb, attempts int)
    on conflict (id) do update set status = excluded.status, hold_expires_at = excluded.hold_expires_at,
      failure = excluded.failure, attempts = excluded.attempts, updated_at = excluded.updated_at
    where (s.status, s.attempts) is distinct from (excluded.status, excluded.attempts)
  )
  select attempt, created_at as "createdAt" from p`;

/** A step as it stands in JSON. */
type StepRow = Omit<Step, 'holdExpiresAt'> & { holdExpiresAt: string | null };
type PlanRow = Omit<Plan, 'steps'> & { steps: StepRow[] | null };

/** The rows of plans and their steps. Whoever writes them holds their trip. */
@Injectable()
export class PlanRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The last plan of each of these trips, by the trip's id. */
  async lastOf(envelopeIds: readonly string[]): Promise<Map<string, Plan>> {
    const rows = await this.database.prepared<PlanRow>(
      'reservation-plans-last',
      `select distinct on (p.envelope_id) p.id, p.envelope_id as "envelopeId", p.attempt, p.status,
         p.created_at as "createdAt", p.updated_at as "updatedAt",
         (select jsonb_agg(${STEP} order by s.position) from reservation_steps s where s.plan_id = p.id) as steps
       from reservation_plans p where p.envelope_id = any($1) order by p.envelope_id, p.attempt desc`,
      [envelopeIds],
    );
    return new Map(rows.map((row) => [row.envelopeId, toPlan(row)]));
  }

  async last(envelopeId: string): Promise<Plan | null> {
    return (await this.lastOf([envelopeId])).get(envelopeId) ?? null;
  }

  /** The plan that a step belongs to, whatever came after it. */
  async ofStep(stepId: string): Promise<Plan | null> {
    const [row] = await this.database.query<PlanRow>(
      `select p.id, p.envelope_id as "envelopeId", p.attempt, p.status, p.created_at as "createdAt",
         p.updated_at as "updatedAt",
         (select jsonb_agg(${STEP} order by s.position) from reservation_steps s where s.plan_id = p.id) as steps
       from reservation_plans p where p.id = (select plan_id from reservation_steps where id = $1)`,
      [stepId],
    );
    return row ? toPlan(row) : null;
  }

  /** Stores the plan and all its steps in one statement. */
  async save(plan: Plan): Promise<void> {
    const now = this.clock.now();
    const { id, envelopeId, status, steps } = plan;
    const values = [id, envelopeId, status, now, JSON.stringify(steps)];
    const [saved] = await this.database.prepared<Pick<Plan, 'attempt' | 'createdAt'>>(
      'reservation-plan-save',
      SAVE,
      values,
    );
    Object.assign(plan, { ...saved, updatedAt: now });
  }

  /** Whether a hold of this trip, of any attempt, waits for a provider to take it back or to confirm it. */
  async isUnsettled(envelopeId: string): Promise<boolean> {
    const [row] = await this.database.query<{ open: boolean }>(
      `select exists (select from reservation_steps s where s.envelope_id = $1
         and s.status in ('release_failed', 'confirm_failed')) as open`,
      [envelopeId],
    );
    return row?.open ?? false;
  }
}

function toPlan({ id, envelopeId, attempt, status, createdAt, updatedAt, steps }: PlanRow): Plan {
  return { id, envelopeId, attempt, status, createdAt, updatedAt, steps: (steps ?? []).map(toStep) };
}

function toStep(row: StepRow): Step {
  return { ...row, holdExpiresAt: row.holdExpiresAt === null ? null : new Date(row.holdExpiresAt) };
}
