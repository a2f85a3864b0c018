import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { DepartureListener } from './departure-listener.js';
import type { DepartureView } from './departure.entity.js';
import { DeparturesRepository } from './departures.repository.js';

const BATCH = 200;

/**
 * Checks whether departures reach their minimum. If so, a departure is guaranteed at once and permanently. Otherwise it is
 * reported once after its decision date, and staff decide what to do.
 */
@Injectable()
export class DepartureMinimumsService {
  constructor(
    private readonly database: Database,
    private readonly repository: DeparturesRepository,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Guarantees the given departures that have reached their minimum. The units are counted under the lock: of two concurrent
   * confirmations the later counts both.
   */
  async assess(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const departure of await this.repository.lockTentative(ids)) {
      await this.guaranteeIfReached(departure, await this.countPeople(departure.id));
    }
  }

  /** A decision that was due while no process ran is reported by the next run. */
  @Cron('operations.departure-minimums', '*/5 * * * *')
  async reportMissed(): Promise<void> {
    const ids = await this.repository.listUndecided(this.clock.now(), BATCH);
    for (const id of ids) await this.database.transaction(() => this.decide(id));
    if (ids.length === BATCH) await this.reportMissed();
  }

  /** Counts the people on the departure in confirmed bookings. */
  async countPeople(departureId: string): Promise<number> {
    let people = 0;
    for (const listener of this.listeners.all(DepartureListener)) {
      people += (await listener.confirmedPeople?.(departureId)) ?? 0;
    }
    return people;
  }

  /** Reports to other modules whether staff must decide about the departure. */
  async reportDecision(departure: DepartureView): Promise<void> {
    const { id } = departure;
    if (departure.needsDecision()) await this.listeners.call(DepartureListener, (one) => one.decisionDue?.(id));
    else await this.listeners.call(DepartureListener, (one) => one.decided?.(id));
  }

  publishGuaranteed(departure: DepartureView): void {
    const { id: departureId, productId, minParticipants } = departure;
    const data = { productId, departureId, startsAt: departure.startsAt.toISOString(), minParticipants };
    this.outbox.add({ channel: 'operations.departures', event: 'departure.guaranteed', data });
  }

  private async decide(id: string): Promise<void> {
    const [departure] = await this.repository.lockTentative([id]);
    const now = this.clock.now();
    const isDue = departure?.decideBy && departure.decideBy <= now && departure.minimumNotReachedAt === null;
    if (!departure || !isDue) return;
    const units = await this.countPeople(id);
    if (await this.guaranteeIfReached(departure, units)) return;
    const before = departure.auditImage();
    Object.assign(departure, { minimumNotReachedAt: now, updatedAt: now });
    await this.repository.storeMinimum(departure);
    await this.record('miss_minimum', departure, before);
    const { productId, minParticipants } = departure;
    const [startsAt, decideBy] = [departure.startsAt, departure.decideBy].map((instant) => instant?.toISOString());
    const data = { productId, departureId: id, startsAt, decideBy, minParticipants, units };
    this.outbox.add({ channel: 'operations.departures', event: 'departure.minimum_not_reached', data });
    const about = { departureId: id, minParticipants, units };
    this.database.afterCommit(() => this.log.warn({ operations: about }, 'A departure has not reached its minimum'));
  }

  private async guaranteeIfReached(departure: DepartureView, units: number): Promise<boolean> {
    if (units < (departure.minParticipants ?? 0)) return false;
    const before = departure.auditImage();
    departure.guarantee(this.clock.now());
    await this.repository.storeMinimum(departure);
    await this.record('guarantee', departure, before);
    this.publishGuaranteed(departure);
    return true;
  }

  private async record(verb: 'guarantee' | 'miss_minimum', departure: DepartureView, before: object): Promise<void> {
    const subject = { subjectType: 'departure', subjectId: departure.id };
    this.ledger.record(`operations.departure.${verb}`, { ...subject, before, after: departure.auditImage() });
    await this.reportDecision(departure);
  }
}
