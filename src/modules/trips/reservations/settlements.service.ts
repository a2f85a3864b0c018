import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { imageOfTrip, TripJournal } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import type { Refusal } from '../providers/provider.js';
import { CONFIRM_JOB, RELEASE_JOB } from './holds.service.js';
import { idIn } from './job-payload.js';
import { OutsideHolds } from './outside-holds.service.js';
import type { Step, StepStatus } from './plan.js';

interface Settled {
  status: StepStatus;
  failure?: Refusal;
}

/** Jobs that tell providers outside what became of their holds, again and again until they have understood. */
@Injectable()
export class Settlements implements OnModuleInit {
  constructor(
    private readonly trips: TripRows,
    private readonly outside: OutsideHolds,
    private readonly journal: TripJournal,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.define(RELEASE_JOB, (payload) => this.release(idIn(payload, 'stepId')));
    this.jobs.define(CONFIRM_JOB, (payload) => this.confirm(idIn(payload, 'stepId')));
  }

  /** Throws where the provider did not take it back: the queue tries again, with growing pauses. */
  async release(stepId: string): Promise<void> {
    await this.settle(stepId, ['releasing', 'release_failed'], async (step) => {
      return { status: (await this.outside.release(step)) ? 'released' : 'release_failed' };
    });
  }

  /** Throws where the provider did not confirm: the queue tries again, with growing pauses. */
  async confirm(stepId: string): Promise<void> {
    await this.settle(stepId, ['confirming', 'confirm_failed'], async (step) => {
      const failure = await this.outside.confirm(step);
      return failure ? { status: 'confirm_failed', failure } : { status: 'confirmed' };
    });
  }

  private async settle(
    stepId: string,
    due: readonly StepStatus[],
    ask: (step: Step) => Promise<Settled>,
  ): Promise<void> {
    const asked = stepOf(await this.trips.plans.ofStep(stepId), stepId);
    if (!asked || !due.includes(asked.status)) return;
    const settled = await ask(asked);
    await this.store(stepId, due, settled);
    if (settled.status.endsWith('_failed')) throw new Error(`${stepId}: ${settled.status}`);
  }

  private async store(stepId: string, due: readonly StepStatus[], { status, failure }: Settled): Promise<void> {
    await this.trips.within(async () => {
      const found = await this.trips.plans.ofStep(stepId);
      const trip = found && (await this.trips.lock(found.envelopeId));
      const plan = await this.trips.plans.ofStep(stepId);
      const step = stepOf(plan, stepId);
      if (!trip || !plan || !step || !due.includes(step.status)) return;
      Object.assign(step, { status, attempts: step.attempts + 1, failure: failure ?? null });
      await this.trips.plans.save(plan);
      const attention = await this.trips.plans.isUnsettled(trip.id);
      if (attention === trip.attention) return;
      const before = imageOfTrip(trip);
      trip.attention = attention;
      await this.trips.update(trip);
      this.journal.trip('update', trip, { before });
    });
  }
}

function stepOf(plan: { steps: Step[] } | null, id: string): Step | null {
  return plan?.steps.find((step) => step.id === id) ?? null;
}
