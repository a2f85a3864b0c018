import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { localDayOf } from '../../../platform/time/local-time.js';
import { RemindersService } from '../../notifications/index.js';
import {
  type DepartureFollowers,
  DepartureListener,
  type DepartureMove,
  type DepartureSummary,
} from '../../operations/index.js';
import { BookingItemsService } from './booking-items.service.js';
import { BookingsRepository } from './bookings.repository.js';
import { BookingsService } from './bookings.service.js';
import { DepartureMovesService, type DepartureStart } from './departure-moves.service.js';

const ITEMS_JOB = 'bookings.departure-moved';
const REMINDERS_JOB = 'bookings.departure-reminders';
const CHANGED_JOB = 'bookings.departure-changed';

/**
 * Background work of bookings. Jobs apply the move of a departure to one booking at a time: a change of an item locks its
 * booking before the departure, and the transaction that moves the departure has already locked the departure.
 */
@Injectable()
@Listens(DepartureListener, 200)
export class BookingJobs implements DepartureListener {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly reminders: RemindersService,
    private readonly departureMoves: DepartureMovesService,
    private readonly jobs: Jobs,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Runs hourly, because a day begins at a different UTC hour in each time zone; the next run makes up for a missed one. */
  @Cron('bookings.calendar', '3 * * * *')
  async progressByDate(): Promise<void> {
    await this.bookings.progressByDate();
  }

  /** People without seats are not among the sold units. */
  async cancelled({ id }: DepartureSummary): Promise<void> {
    if (!(await this.repository.isDepartureBooked(id))) return;
    throw conflict('departure_in_use', 'Bookings have items of the departure', { sold: 0, held: 0 });
  }

  /** This transaction ends the reminders of the old day. */
  async moved(departure: DepartureSummary, before: DepartureSummary, move: DepartureMove): Promise<void> {
    const { id, startDate } = departure;
    await this.assertNotMovedIntoPast(departure, before);
    if (departure.startsAt.getTime() !== before.startsAt.getTime()) await this.reportChanged(departure, before);
    const startsAnotherDay = startDate !== before.startDate;
    if (!startsAnotherDay && endDayOf(departure) === endDayOf(before)) return;
    const bookingIds = await this.repository.bookingsOnDeparture(id);
    move.followers += bookingIds.length;
    await this.jobs.add(ITEMS_JOB, { departureId: id });
    if (!startsAnotherDay) return;
    await this.reminders.endOutdated(bookingIds, 'departure_upcoming');
    await this.jobs.add(REMINDERS_JOB, { departureId: id });
  }

  async meetingPointChanged(departure: DepartureSummary, before: DepartureSummary): Promise<void> {
    // A move has recorded both.
    if (departure.startsAt.getTime() === before.startsAt.getTime()) await this.reportChanged(departure, before);
  }

  private async reportChanged({ id, startsAt }: DepartureSummary, before: DepartureSummary): Promise<void> {
    const now = this.clock.now();
    if (startsAt <= now) return;
    const former = { startsAt: before.startsAt.toISOString(), facilityId: before.facilityId };
    await this.jobs.add(CHANGED_JOB, { departureId: id, ...former, movedAt: now.toISOString() });
  }

  private async assertNotMovedIntoPast(departure: DepartureSummary, before: DepartureSummary): Promise<void> {
    const { id, startsAt, sold, held } = departure;
    const now = this.clock.now();
    if (startsAt > now || before.startsAt <= now || !(await this.repository.isDepartureBooked(id))) return;
    throw conflict('departure_in_past', 'A departure with sales cannot be moved into the past', { sold, held });
  }

  async confirmedPeople(departureId: string): Promise<number> {
    return this.repository.confirmedPeople(departureId);
  }

  async optionsInUse(departureId: string): Promise<string[]> {
    return this.repository.optionsOnDeparture(departureId);
  }

  async followers(departureId: string): Promise<DepartureFollowers> {
    const total = (await this.repository.bookingsOnDeparture(departureId)).length;
    const pending = await this.repository.itemsNotOnDeparture(departureId);
    const notReturning = await this.repository.bookingsNotReturning(departureId);
    const pendingIds = [...new Set([...pending.map(({ bookingId }) => bookingId), ...notReturning])].sort();
    return { kind: 'booking', total, pendingIds };
  }

  /**
   * Moves items to the departure's current day, and bookings to the day on which it ends, even if it moved several times.
   * Throws at the end if some could not be moved; the queue retries those.
   */
  @Job(ITEMS_JOB)
  async moveItems(payload: unknown): Promise<void> {
    const departureId = departureIdOf(payload);
    const errors: unknown[] = [];
    for (const { serviceDate, ...path } of await this.repository.itemsNotOnDeparture(departureId)) {
      const target = { ...path, expected: null };
      const options = { reason: 'The departure was moved', keepsMissingRate: true };
      await this.items.update(target, { serviceDate }, options).catch(async (error: unknown) => {
        errors.push(error);
        await this.reportNotMoved(path.bookingId, departureId, error);
      });
    }
    await this.bookings.followDeparture(departureId);
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} items could not move to ${departureId}`);
  }

  private async reportNotMoved(bookingId: string, departureId: string, error: unknown): Promise<void> {
    const data = { bookingId, departureId, code: error instanceof AppError ? error.code : null };
    this.log.warn(data, 'a booking did not follow its departure');
    await this.database.transaction(async () => {
      for (const channel of [`bookings.${bookingId}`, 'bookings']) {
        this.outbox.add({ channel, event: 'booking.departure_not_followed', data });
      }
    });
  }

  /** Plans the mails about another start or meeting point. */
  @Job(CHANGED_JOB)
  async planChanged(payload: unknown): Promise<void> {
    const change = changeIn(payload);
    for (const bookingId of await this.repository.bookingsOnDeparture(change.departureId)) {
      await this.database.transaction(async () => {
        await this.repository.bookings.lock(bookingId);
        await this.departureMoves.moved(bookingId, change);
      });
    }
  }

  /** Includes bookings that are back on their old day: their ended reminders are planned again. */
  @Job(REMINDERS_JOB)
  async planReminders(payload: unknown): Promise<void> {
    for (const bookingId of await this.repository.bookingsOnDeparture(departureIdOf(payload))) {
      await this.database.transaction(async () => {
        await this.repository.bookings.lock(bookingId);
        await this.reminders.reschedule(bookingId, ['departure_upcoming']);
      });
    }
  }
}

function endDayOf({ endsAt, timeZone }: DepartureSummary): string {
  return localDayOf(endsAt, timeZone);
}

function departureIdOf(payload: unknown): string {
  const id = memberOf(payload, 'departureId');
  if (typeof id !== 'string') throw new Error('The payload has no departureId');
  return id;
}

function changeIn(payload: unknown): { departureId: string; from: DepartureStart; movedAt: Date } {
  const [startsAt, facilityId, movedAt] = ['startsAt', 'facilityId', 'movedAt'].map((name) => memberOf(payload, name));
  if (typeof movedAt !== 'string' || typeof startsAt !== 'string') throw new Error('The payload has no former start');
  return {
    departureId: departureIdOf(payload),
    from: { startsAt: new Date(startsAt), facilityId: typeof facilityId === 'string' ? facilityId : null },
    movedAt: new Date(movedAt),
  };
}

function memberOf(payload: unknown, name: string): unknown {
  return typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
}
