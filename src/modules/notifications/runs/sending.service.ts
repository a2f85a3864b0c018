import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ContractMails } from '../messages/contract-mails.service.js';
import { Deliveries, SEND } from '../messages/deliveries.service.js';
import type { NotificationMessage } from '../messages/notification-message.entity.js';
import { RunClaims } from './run-claims.service.js';

const LANES = 4;
const BATCH = 1_000;
/** A long queue leaves the jobs' places to others now and then. */
const AT_MOST_MS = 50_000;

/** Sends what is due, every minute and whenever somebody asks; any number of processes may do so at once. */
@Injectable()
export class Sending implements OnModuleInit {
  constructor(
    private readonly claims: RunClaims,
    private readonly contracts: ContractMails,
    private readonly deliveries: Deliveries,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule(SEND, '* * * * *', () => this.work());
  }

  async work(): Promise<void> {
    await this.deliveries.abandon();
    while ((await this.claims.queue(BATCH)) === BATCH);
    const until = performance.now() + AT_MOST_MS;
    await Promise.all(Array.from({ length: LANES }, () => this.lane(until)));
    // What every lane passed over, because another had its recipient in hand, is for one that has nobody beside it.
    await this.lane(until);
  }

  private async lane(until: number): Promise<void> {
    const passedOver = new Set<string>();
    while (performance.now() < until) {
      const next = await this.next(passedOver);
      if (next === 'none') return;
      if (next !== 'decided') await this.deliveries.deliver(next);
    }
  }

  /** Contracts first: somebody waits for them. */
  private async next(passedOver: Set<string>): Promise<NotificationMessage | 'decided' | 'none'> {
    return (await this.contracts.mark()) ?? this.claims.next(passedOver);
  }
}
