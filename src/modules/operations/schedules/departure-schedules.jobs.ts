import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { localDayOf } from '../../../platform/time/local-time.js';
import { toCutoff } from '../../products/index.js';
import type { CreateDeparture } from '../departures/departure.dto.js';
import { DeparturesService } from '../departures/departures.service.js';
import { DepartureSchedule } from './departure-schedule.entity.js';
import { FILL_JOB } from './departure-schedules.service.js';
import type { Occurrence } from './occurrences.js';

/** Departures of one transaction, which has the schedule locked. */
const BATCH = 25;

interface OutdatedDeparture {
  departureId: string;
  key: string;
  isSold: boolean;
  isOpen: boolean;
  /** Whether the schedule has changed these since the departure followed it. */
  takesOption: boolean;
  takesUnitPrices: boolean;
}

/** Makes the departures of schedules up to their horizon, and lets those without sales follow a changed schedule. */
@Injectable()
export class DepartureSchedulesJobs {
  private readonly rows: Rows<DepartureSchedule>;

  constructor(
    private readonly database: Database,
    private readonly departures: DeparturesService,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(DepartureSchedule);
  }

  @Cron('operations.extend-departure-schedules', '23 1 * * *')
  async extend(): Promise<void> {
    const active = await this.database.query<{ id: string }>(
      'select id from departure_schedules where active order by id',
    );
    for (const { id: scheduleId } of active) await this.jobs.add(FILL_JOB, { scheduleId });
  }

  /** Stores the code of an error that staff can correct, such as an archived meeting point, and stops at it. */
  @Job(FILL_JOB)
  async fill(payload: unknown): Promise<void> {
    const scheduleId = scheduleIdOf(payload);
    try {
      while (await this.database.transaction(() => this.fillBatch(scheduleId)));
      await this.storeProblem(scheduleId, null);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === undefined) throw error;
      await this.storeProblem(scheduleId, error.code);
    }
  }

  /** Returns whether there may be more to do. An occurrence keeps its key, so that it is made once, on all nodes. */
  private async fillBatch(scheduleId: string): Promise<boolean> {
    const schedule = await this.rows.lock(scheduleId);
    const ahead = new Map(this.occurrences(schedule).map((one) => [keyOf(one), one]));
    const outdated = await this.outdated(schedule);
    for (const departure of outdated) await this.follow(schedule, departure, ahead.get(departure.key) ?? null);
    if (outdated.length > 0 || !schedule.active)
      return outdated.length === BATCH || (outdated.length > 0 && schedule.active);

    const made = await this.database.query<{ key: string }>(
      `select local_date || ' ' || local_time as key from scheduled_departures where schedule_id = $1 and local_date >= $2::date`,
      [scheduleId, this.today(schedule)],
    );
    const known = new Set(made.map(({ key }) => key));
    const missing = [...ahead].filter(([key]) => !known.has(key)).map(([, occurrence]) => occurrence);
    for (const occurrence of missing.slice(0, BATCH)) await this.make(schedule, occurrence);
    return missing.length > BATCH;
  }

  private async make(schedule: DepartureSchedule, { localDate, localTime, ...times }: Occurrence): Promise<void> {
    const { id, productId, timeZone, euPackage } = schedule;
    const input = { productId, timeZone, euPackage, ...termsOf(schedule, times) };
    const departure = await this.departures.create(input);
    await this.database.execute(
      `insert into scheduled_departures (schedule_id, local_date, local_time, departure_id, schedule_version)
       values ($1, $2, $3, $4, $5)`,
      [id, localDate, localTime, departure.id, schedule.version],
    );
  }

  /** Departures ahead that have not followed the present version of the schedule. */
  private async outdated({ id, version }: DepartureSchedule): Promise<OutdatedDeparture[]> {
    return this.database.query<OutdatedDeparture>(
      `select link.departure_id as "departureId", link.local_date || ' ' || link.local_time as key,
         departure.sold + departure.held > 0 as "isSold",
         departure.status = 'scheduled' and departure.starts_at > $3 as "isOpen",
         link.takes_option as "takesOption", link.takes_unit_prices as "takesUnitPrices"
       from scheduled_departures link join departures departure on departure.id = link.departure_id
       where link.schedule_id = $1 and link.schedule_version < $2
       order by link.local_date, link.local_time limit ${BATCH}`,
      [id, version, this.clock.now()],
    );
  }

  /** A departure of a day that the schedule no longer has is cancelled. */
  private async follow(
    schedule: DepartureSchedule,
    { departureId, isSold, isOpen, takesOption, takesUnitPrices }: OutdatedDeparture,
    occurrence: Occurrence | null,
  ): Promise<void> {
    if (isOpen && !isSold) {
      if (occurrence) {
        const { optionId, unitPrices, ...terms } = termsOf(schedule, occurrence);
        const changes = { ...terms, ...(takesOption && { optionId }), ...(takesUnitPrices && { unitPrices }) };
        await this.departures.update(departureId, changes, { expected: null });
      } else await this.departures.cancel(departureId, 'The schedule no longer has this departure', null);
    }
    await this.database.execute(
      `update scheduled_departures set schedule_version = $2, takes_option = false, takes_unit_prices = false
       where departure_id = $1`,
      [departureId, schedule.version],
    );
  }

  private async storeProblem(scheduleId: string, problem: string | null): Promise<void> {
    await this.database.execute(
      'update departure_schedules set problem = $2 where id = $1 and problem is distinct from $2',
      [scheduleId, problem],
    );
  }

  private occurrences(schedule: DepartureSchedule): Occurrence[] {
    const now = this.clock.now();
    return schedule.occurrencesAhead(this.today(schedule)).made.filter(({ startsAt }) => startsAt > now);
  }

  private today({ timeZone }: DepartureSchedule): string {
    return localDayOf(this.clock.now(), timeZone);
  }
}

function keyOf({ localDate, localTime }: Occurrence): string {
  return `${localDate} ${localTime}`;
}

/** What a departure has from its schedule. */
function termsOf(
  schedule: DepartureSchedule,
  { startsAt, endsAt }: Pick<Occurrence, 'startsAt' | 'endsAt'>,
): Omit<CreateDeparture, 'id' | 'productId' | 'timeZone' | 'decideBy'> {
  const { capacity, priceCents, taxIncludedCents, taxCodeId, currency, facilityId, cutoff, minParticipants } = schedule;
  const { optionId, unitPrices } = schedule;
  return {
    ...{ startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() },
    ...{ optionId, unitPrices },
    ...{ capacity, priceCents, taxIncludedCents, taxCodeId, currency, facilityId, minParticipants },
    cutoff: cutoff && toCutoff(cutoff),
  };
}

function scheduleIdOf(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'scheduleId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no scheduleId');
  return id;
}
