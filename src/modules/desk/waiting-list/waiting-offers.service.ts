import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { CustomersService } from '../../customers/index.js';
import { DirectMailsService } from '../../notifications/index.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { OrganizationService } from '../../organization/index.js';
import { ProductsService } from '../../products/index.js';
import type { Subject } from '../subjects/subjects.js';
import { TasksService } from '../tasks/tasks.service.js';
import { WaitingEntriesRepository } from './waiting-entries.repository.js';
import type { WaitingEndReason, WaitingEntry } from './waiting-entry.entity.js';
import { waitingOfferMail } from './waiting-offer-mail.js';

const MAIL_JOB = 'desk.waiting-offer';
const EXPIRY_JOB = 'desk.waiting-offer-expiry';
const OFFER_HOURS = 24;
const BATCH = 100;

type Verb =
  | 'create'
  | 'update'
  | 'erase'
  | 'offer'
  | 'inform'
  | 'shorten'
  | 'requeue'
  | 'accept'
  | 'expire'
  | 'withdraw'
  | 'reinstate';

const EVENTS: Readonly<Record<Verb, string>> = {
  create: 'created',
  update: 'updated',
  erase: 'updated',
  offer: 'offered',
  inform: 'updated',
  shorten: 'updated',
  requeue: 'requeued',
  accept: 'accepted',
  expire: 'expired',
  withdraw: 'withdrawn',
  reinstate: 'reinstated',
};

/**
 * Offers the free units of departures to the first waiting entries that they satisfy, and ends the offers. A departure is locked
 * before its entries. Each change that makes an entry wait for a departure locks that departure, too. So the entry is there before
 * units are freed, or its change finds them free. Thirteen dependencies: an offer holds units, is mailed to a customer or becomes a task of staff, and
 * expires by a job.
 */
@Injectable()
export class WaitingOffersService {
  constructor(
    private readonly database: Database,
    private readonly repository: WaitingEntriesRepository,
    private readonly departures: DeparturesService,
    private readonly products: ProductsService,
    private readonly customers: CustomersService,
    private readonly mails: DirectMailsService,
    private readonly organization: OrganizationService,
    private readonly tasks: TasksService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Holds the free units of a departure, which the caller has locked, for the entries that they satisfy. */
  async offerUnits(departureId: string): Promise<void> {
    let ids = await this.repository.listFitting(departureId, BATCH);
    while (ids.length > 0) {
      let offered = 0;
      for (const id of ids) {
        const outcome = await this.offerTo(id, departureId);
        if (outcome === 'sales_ended') return;
        if (outcome === 'offered') offered += 1;
      }
      if (offered === 0 || ids.length < BATCH) return;
      ids = await this.repository.listFitting(departureId, BATCH);
    }
  }

  /** The options of units on the departure that are offered. */
  async listOfferedOptions(departureId: string): Promise<string[]> {
    return this.repository.optionsOfferedOn(departureId);
  }

  /** Locks the departures with units of these entries, then the entries. */
  async lock(id: string): Promise<WaitingEntry> {
    const { departureId, offeredDepartureId } = await this.repository.rows.get(id);
    const departureIds = [departureId, offeredDepartureId].flatMap((one) => one ?? []);
    await this.departures.lock(departureIds);
    return this.repository.rows.lock(id);
  }

  /** Ends a locked entry; units that are held for it return to the pool. */
  async end(
    entry: WaitingEntry,
    status: 'expired' | 'withdrawn',
    { reason, note = null }: { reason: WaitingEndReason; note?: string | null },
  ): Promise<void> {
    const [before, release] = [entry.auditImage(), this.releaseOf(entry)];
    entry.end(status, reason, this.clock.now());
    await release();
    await this.save(status === 'expired' ? 'expire' : 'withdraw', entry, { before, reason: note });
  }

  /** Before a departure is called off or cancelled. Entries for any departure of its product wait for another one. */
  async endDeparture(departureId: string): Promise<void> {
    for (const entry of await this.repository.lockOpenOf(departureId)) {
      if (entry.departureId === null) await this.requeue(entry);
      else await this.end(entry, 'expired', { reason: 'departure_cancelled' });
    }
  }

  /** The departure takes place after all. */
  async reinstateEntries(departureId: string): Promise<void> {
    for (const entry of await this.repository.lockEnded(departureId, 'departure_cancelled')) {
      const before = entry.auditImage();
      entry.waitAgain(this.clock.now());
      await this.save('reinstate', entry, { before });
    }
  }

  /**
   * Offers follow their departure: they end with its sales, and outside the days of their entry. An offer that a change has ended
   * at once has not expired: its entry keeps its place.
   */
  async followMove({ id, startDate, startsAt, bookableUntil }: DepartureSummary): Promise<void> {
    const [latest, now] = [bookableUntil ?? startsAt, this.clock.now()];
    for (const entry of await this.repository.lockOpenOf(id)) {
      if (entry.status !== 'offered') continue;
      const { from, to, offerExpiresAt } = entry;
      const isOffDays = from !== null && to !== null && (startDate < from || startDate > to);
      const isCutShort = latest <= now && offerExpiresAt !== null && offerExpiresAt > now;
      if (isOffDays || isCutShort) {
        await this.requeue(entry);
        continue;
      }
      const before = entry.auditImage();
      if (!entry.shortenOffer(latest, now)) continue;
      await this.save('shorten', entry, { before });
      await this.scheduleExpiry(entry);
    }
  }

  async save(
    verb: Verb,
    entry: WaitingEntry,
    { before, reason = null }: { before: object | null; reason?: string | null },
  ): Promise<void> {
    if (before === null) await this.repository.rows.insert(entry);
    else await this.repository.rows.update(entry);
    const subject = { subjectType: 'waiting_entry', subjectId: entry.id };
    this.ledger.record(`operations.waiting_entry.${verb}`, { ...subject, before, after: entry.auditImage(), reason });
    const { id: waitingEntryId, productId, status, seats, version } = entry;
    const departureId = entry.offeredDepartureId ?? entry.departureId;
    const data = { waitingEntryId, departureId, productId, status, seats, version };
    this.outbox.add({ channel: 'operations.waiting_entries', event: `waiting_entry.${EVENTS[verb]}`, data });
  }

  /** Stores the mail about an offer, unless it was stored before or the offer has ended. */
  @Job(MAIL_JOB)
  async mail(payload: unknown): Promise<void> {
    const id = idIn(payload);
    let outcome: 'done' | 'moved';
    do {
      const { customerId } = await this.repository.rows.get(id);
      if (customerId === null) return;
      outcome = await this.database.transaction(() => this.inform(id, customerId));
    } while (outcome === 'moved');
  }

  /** Locks the customer before the entry, as sales do. A merge that commits in between moves the entry to another customer. */
  private async inform(id: string, customerId: string): Promise<'done' | 'moved'> {
    const { copy } = await this.customers.lockShared(customerId);
    const entry = await this.repository.rows.lock(id);
    if (entry.customerId !== customerId) return 'moved';
    const { offeredDepartureId, offerExpiresAt, seats, productId } = entry;
    if (entry.status !== 'offered' || entry.messageId !== null) return 'done';
    if (offeredDepartureId === null || offerExpiresAt === null || offerExpiresAt <= this.clock.now()) return 'done';
    if (!(await this.repository.isServed(customerId))) {
      const subject = { subjectType: 'departure', subjectId: offeredDepartureId } as const;
      await this.raise(entry, 'Check an offer of the waiting list: its customer is not active', subject);
      return 'done';
    }
    if (copy.email === null) {
      const subject = { subjectType: 'customer', subjectId: customerId } as const;
      await this.raise(entry, 'Phone a customer on the waiting list about an offer: no e-mail address', subject);
      return 'done';
    }
    const departure = await this.departures.getSummary(offeredDepartureId);
    const product = await this.products.findTitle(productId, copy.language);
    const language = await this.organization.languageFor(copy.language);
    const mail = waitingOfferMail({ product, departure, seats, expiresAt: offerExpiresAt }, language);
    const before = entry.auditImage();
    entry.messageId = await this.mails.sendAboutDeparture('waiting_offer', {
      ...{ recipient: copy.email, name: copy.name, language, customerId },
      ...mail,
    });
    await this.save('inform', entry, { before });
    return 'done';
  }

  /** Staff get one task for an offer that no mail announces. */
  private async raise({ id, offers }: WaitingEntry, title: string, subject: Subject): Promise<void> {
    const cause = { source: 'recipient_suppressed', dedupeKey: `${id}:${offers}` } as const;
    await this.tasks.raise({ ...cause, title, dueOn: this.clock.today(), subject });
  }

  /** An expired offer passes its units on to the next entries, in its own transaction. */
  @Job(EXPIRY_JOB)
  async expireOffer(payload: unknown): Promise<void> {
    await this.expire(idIn(payload));
  }

  /** Also expires what a lost job left, and offers units that a process of an older release freed. */
  @Cron('desk.waiting-list', '*/5 * * * *')
  async sweep(): Promise<void> {
    await this.expireOverdue();
    for (const departureId of await this.repository.listUnserved(this.clock.now(), BATCH)) {
      await this.database.transaction(async () => {
        await this.departures.lock([departureId]);
        await this.offerUnits(departureId);
      });
    }
  }

  /** An entry that cannot be expired does not stop the others; the next sweep tries it again. */
  private async expireOverdue(): Promise<void> {
    let after = '';
    for (;;) {
      const overdue = await this.repository.listOverdue(this.clock.now(), { after, limit: BATCH });
      for (const id of overdue) {
        try {
          await this.expire(id);
        } catch (error) {
          this.log.error({ err: error, waitingEntryId: id }, 'an entry of the waiting list could not be expired');
        }
        after = id;
      }
      if (overdue.length < BATCH) return;
    }
  }

  private async expire(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const entry = await this.lock(id);
      const now = this.clock.now();
      if (entry.status === 'offered') {
        if (entry.offerExpiresAt === null || entry.offerExpiresAt > now) return;
        await this.end(entry, 'expired', { reason: 'offer_expired' });
      } else if (entry.status === 'waiting' && (await this.repository.isOverdue(id, now))) {
        await this.end(entry, 'expired', { reason: 'departure_departed' });
      }
    });
  }

  private async offerTo(id: string, departureId: string): Promise<'offered' | 'passed_over' | 'sales_ended'> {
    const entry = await this.repository.rows.lock(id);
    if (entry.status !== 'waiting') return 'passed_over';
    const departure = await this.departures.getSummary(departureId);
    const { bookableUntil, available } = departure;
    const now = this.clock.now();
    if (bookableUntil === null || bookableUntil <= now) return 'sales_ended';
    if (entry.seats > available) return 'passed_over';
    if (!(await this.departures.tryHold(departureId, entry.seats))) return 'sales_ended';
    const before = entry.auditImage();
    const latest = this.clock.inSeconds(OFFER_HOURS * 3_600);
    entry.offer({ departureId, expiresAt: latest < bookableUntil ? latest : bookableUntil }, now);
    await this.save('offer', entry, { before });
    await this.jobs.add(MAIL_JOB, { waitingEntryId: id }, { key: `${MAIL_JOB}:${id}:${entry.offers}` });
    await this.scheduleExpiry(entry);
    return 'offered';
  }

  /** An entry whose offer ends through no fault of the customer keeps its place. */
  private async requeue(entry: WaitingEntry): Promise<void> {
    const [before, release] = [entry.auditImage(), this.releaseOf(entry)];
    entry.waitAgain(this.clock.now());
    await release();
    await this.save('requeue', entry, { before });
  }

  /** Returns how to release the units that are held for the entry now. */
  releaseOf({ status, offeredDepartureId, seats }: WaitingEntry): () => Promise<void> {
    if (status !== 'offered' || offeredDepartureId === null) return async () => undefined;
    return () => this.departures.release(offeredDepartureId, seats, { to: 'pool', from: 'held' });
  }

  private async scheduleExpiry({ id, offers, offerExpiresAt }: WaitingEntry): Promise<void> {
    if (offerExpiresAt === null) return;
    const key = `${EXPIRY_JOB}:${id}:${offers}`;
    await this.jobs.add(EXPIRY_JOB, { waitingEntryId: id }, { key, runAt: offerExpiresAt });
  }
}

function idIn(payload: unknown): string {
  const id: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'waitingEntryId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no waitingEntryId');
  return id;
}
