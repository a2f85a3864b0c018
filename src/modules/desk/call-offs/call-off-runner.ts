import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { toAppError } from '../../../platform/errors/to-app-error.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { type BookingSummary, DepartureBookingsService } from '../../bookings/index.js';
import { CalledOffMoneyService, type SettledMoney } from '../../finance/index.js';
import { DirectMailsService } from '../../notifications/index.js';
import { DeparturesService } from '../../operations/index.js';
import { OrganizationService } from '../../organization/index.js';
import { ProductsService } from '../../products/index.js';
import { ReservationsService } from '../../trips/index.js';
import { workOnNext } from '../item-work.js';
import { TasksService } from '../tasks/tasks.service.js';
import { callOffMail } from './call-off-mail.js';
import type { CallOff } from './call-off.entity.js';
import type { CallOffItem } from './call-off-item.entity.js';
import { CallOffsRepository } from './call-offs.repository.js';
import { CALL_OFF_JOB, CallOffsService } from './call-offs.service.js';

/** What happened with an item, for its mail and its report. */
interface Outcome {
  money?: SettledMoney;
  isWhole?: boolean;
  recipient: { name: string | null; email: string | null; language: string | null };
  bookingNumber: string | null;
}

/**
 * Works on the items of running call-offs. Each item is one transaction: its effects, its money, its mail and its state are
 * committed together, so a process that is killed leaves it undone, and the next one does it. Any number of processes may work on
 * one call-off: an item is locked by the one that works on it, and the others skip it. Twelve dependencies, because calling off
 * concerns bookings, trips, money, mails and tasks.
 */
@Injectable()
export class CallOffRunner {
  constructor(
    private readonly database: Database,
    private readonly repository: CallOffsRepository,
    private readonly callOffs: CallOffsService,
    private readonly bookings: DepartureBookingsService,
    private readonly money: CalledOffMoneyService,
    private readonly reservations: ReservationsService,
    private readonly products: ProductsService,
    private readonly departures: DeparturesService,
    private readonly mails: DirectMailsService,
    private readonly organization: OrganizationService,
    private readonly tasks: TasksService,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Job(CALL_OFF_JOB)
  async work(payload: unknown): Promise<void> {
    const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'callOffId') : undefined;
    if (typeof id !== 'string') throw new Error('The payload has no callOffId');
    await this.run(id);
  }

  /** Goes on with call-offs whose process ended, and with those whose job has given up. */
  @Cron('desk.call-offs', '* * * * *')
  async resumeAll(): Promise<void> {
    for (const id of await this.repository.running()) {
      await this.run(id).catch((error: unknown) => {
        this.log.error({ err: error, callOffId: id }, 'a call-off could not be continued');
      });
    }
  }

  async run(callOffId: string): Promise<void> {
    while (await this.workOnNext(callOffId));
    await this.callOffs.finish(callOffId);
  }

  /** Returns false if no item is left for this process. */
  private async workOnNext(callOffId: string): Promise<boolean> {
    return workOnNext(this.database, {
      claim: async () => {
        const callOff = await this.repository.shareRunning(callOffId);
        const item = callOff && (await this.repository.claimNext(callOffId));
        return callOff && item && { id: item.id, callOff, item };
      },
      treat: ({ callOff, item }) => this.treat(callOff, item),
      fail: async (itemId, error) => {
        await this.fail(itemId, error);
        return true;
      },
    });
  }

  private async treat(callOff: CallOff, item: CallOffItem): Promise<void> {
    const outcome = await this.outcomeOf(callOff, item);
    if (outcome === null) item.skip('left_departure', this.clock.now());
    else {
      item.finish({ ...outcome.money, messageId: null }, this.clock.now());
      item.messageId = await this.mail(callOff, item, outcome);
    }
    await this.repository.items.update(item);
    await this.callOffs.publishProgress(callOff);
  }

  /** Returns null if there is nothing to do: the departure takes place again, or the booking or trip has left it. */
  private async outcomeOf(callOff: CallOff, item: CallOffItem): Promise<Outcome | null> {
    if (await this.repository.isScheduled(callOff.departureId)) return null;
    return item.envelopeId === null ? this.treatBooking(callOff, item) : this.endTrip(callOff, item);
  }

  /** Returns null if the booking has left the departure in another way. */
  private async treatBooking(callOff: CallOff, item: CallOffItem): Promise<Outcome | null> {
    const { departureId, reason } = callOff;
    const bookingId = item.bookingId ?? '';
    const present = await this.bookings.lock(bookingId, departureId);
    if (!present) return null;
    if (item.action === 'move') {
      const targetDepartureId = item.targetDepartureId ?? '';
      const move = { departureId, targetDepartureId, isRepriced: item.reprice, isAnnounced: true, reason };
      await this.bookings.rebook(bookingId, move);
      return outcomeOf(present);
    }
    if (item.action === 'cancel') return this.cancel(callOff, item, present);
    await this.tasks.raise({
      ...{ source: 'departure_called_off', dedupeKey: `${callOff.id}:${bookingId}`, dueOn: this.clock.today() },
      title: 'Decide about a booking: its departure is called off',
      subject: { subjectType: 'booking', subjectId: bookingId },
    });
    return outcomeOf(present);
  }

  private async cancel(callOff: CallOff, item: CallOffItem, present: BookingSummary): Promise<Outcome | null> {
    const { departureId, reason, reasonCode } = callOff;
    const beforeCents = await this.money.unappliedCents(present.id);
    const initiator = reasonCode === 'force_majeure' ? 'force_majeure' : 'operator';
    const cancelled = await this.bookings.cancel(present.id, { departureId, initiator, reason });
    if (!cancelled) return null;
    const { isWhole } = cancelled;
    const money = isWhole
      ? await this.money.settleBooking(present.id, item.settle, reason)
      : await this.money.settlePart(present.id, item.settle, { beforeCents, reason });
    return { ...outcomeOf(present), money, isWhole };
  }

  private async endTrip({ departureId, reason }: CallOff, { envelopeId }: CallOffItem): Promise<Outcome | null> {
    const ended = await this.reservations.unreserve(envelopeId ?? '', { departureId, reason });
    if (!ended) return null;
    const recipient = { name: ended.customerName, email: ended.customerEmail, language: null };
    return { recipient, bookingNumber: null };
  }

  private async mail(
    { mails, note, departureId }: CallOff,
    item: CallOffItem,
    { recipient, bookingNumber, isWhole = false }: Outcome,
  ): Promise<string | null> {
    if (!mails || recipient.email === null) return null;
    const { targetDepartureId } = item;
    const departure = await this.departures.getSummary(departureId);
    const target = targetDepartureId === null ? null : await this.departures.getSummary(targetDepartureId);
    const language = await this.organization.languageFor(recipient.language);
    const tour = await this.products.findTitle(departure.productId, language);
    const facts = { bookingNumber, tour, departure, target, isWhole, note };
    const to = { recipient: recipient.email, name: recipient.name, language, bookingId: item.bookingId };
    return this.mails.sendAboutDeparture('call_off', { ...to, ...callOffMail(item, facts, language) });
  }

  /** The transaction of the item has rolled back. A database that is away ends the run: the queue repeats it later. */
  private async fail(itemId: string, error: unknown): Promise<void> {
    const known = toAppError(error);
    if (!known) this.log.error({ err: error, callOffItemId: itemId }, 'An item of a call-off failed');
    await this.database.transaction(async () => {
      const item = await this.repository.items.lock(itemId);
      if (item.status !== 'pending') return;
      const isTemporary = !(known instanceof AppError) || known.status >= 500;
      item.fail(known?.code ?? 'internal_error', { isTemporary, now: this.clock.now() });
      await this.repository.items.update(item);
      await this.callOffs.publishProgress(await this.repository.callOffs.get(item.callOffId));
    });
  }
}

function outcomeOf({ customerName: name, customerEmail: email, customerLanguage, number }: BookingSummary): Outcome {
  return { recipient: { name, email, language: customerLanguage }, bookingNumber: number };
}
