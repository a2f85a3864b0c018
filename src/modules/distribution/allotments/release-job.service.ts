import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { AllotmentRows } from './allotment-rows.service.js';
import { ReleasePlans } from './release-plans.service.js';
import { ReleaseSteps } from './release-steps.service.js';

const BATCH = 100;

/**
 * Takes the steps of automatic releases when they are due. It looks every minute, and what was missed is still due at the
 * next look. Several processes may do so at once: a step is claimed, taken and marked as done in one transaction.
 */
@Injectable()
export class ReleaseJob implements OnModuleInit {
  constructor(
    private readonly allotments: AllotmentRows,
    private readonly plans: ReleasePlans,
    private readonly steps: ReleaseSteps,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('distribution.allotment-releases', '* * * * *', () => this.run());
  }

  async run(): Promise<void> {
    for (const productId of await this.plans.dueProducts(this.clock.now())) {
      while ((await this.takeBatch(productId)) === BATCH);
    }
  }

  private async takeBatch(productId: string): Promise<number> {
    return this.allotments.holding(productId, async (now) => {
      const due = await this.plans.claim(productId, now, BATCH);
      if (due.length > 0) await this.steps.take(due, now);
      return due.length;
    });
  }
}
