import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { invalidField, invalidRequest, type Issue } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { daysAfter, isCalendarDay } from '../../../platform/time/calendar.js';
import { localDayOf } from '../../../platform/time/local-time.js';
import { parseRecurrence, recurrenceDays } from '../../../platform/time/recurrence.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { cutoffOf, type ProductDefaults, ProductsService, UnitPricesService } from '../../products/index.js';
import { TaxCodesService } from '../../taxes/index.js';
import { unitPricesOf } from '../departures/departure.dto.js';
import { FacilitiesService } from '../facilities/facilities.service.js';
import type {
  ChangeScheduleQuery,
  CreateDepartureSchedule,
  KeptDeparture,
  ListDepartureSchedules,
  UpdateDepartureSchedule,
} from './departure-schedule.dto.js';
import { DepartureSchedule, type ScheduleChanges } from './departure-schedule.entity.js';
import type { Occurrence } from './occurrences.js';

export const FILL_JOB = 'operations.fill-departure-schedule';

const DEFAULT_HORIZON_DAYS = 365;
const MAX_KEPT = 200;

export interface ChangedSchedule {
  /** The changed schedule, or the new one that follows it. */
  schedule: DepartureSchedule;
  kept: KeptDeparture[];
}

/** Recurring schedules. A job makes their departures ahead, so that no request makes hundreds of them. */
@Injectable()
export class DepartureSchedulesService {
  private readonly rows: Rows<DepartureSchedule>;

  constructor(
    private readonly database: Database,
    private readonly products: ProductsService,
    private readonly unitPrices: UnitPricesService,
    private readonly facilities: FacilitiesService,
    private readonly taxCodes: TaxCodesService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(DepartureSchedule);
  }

  async create(input: CreateDepartureSchedule, id = newId('dsch')): Promise<DepartureSchedule> {
    return this.database.transaction(async () => {
      const schedule = await this.newSchedule(input, id);
      await this.products.assertUsable(schedule.productId);
      await this.assertReferences(schedule, { facilityId: null, taxCodeId: null, optionId: null, unitPrices: [] });
      return this.insert(schedule);
    });
  }

  /** The departures that the schedule would make. Stores nothing. */
  async preview(input: CreateDepartureSchedule): Promise<{ made: Occurrence[]; skipped: Occurrence[] }> {
    const schedule = await this.newSchedule(input, newId('dsch'));
    return schedule.occurrencesAhead(this.today(schedule));
  }

  async list(query: ListDepartureSchedules): Promise<{ rows: DepartureSchedule[]; total: number }> {
    const { productId, active, sort = 'createdAt' } = query;
    const found = this.rows.query('schedule');
    if (productId !== undefined) found.andWhere('schedule.productId = :productId', { productId });
    if (active !== undefined) found.andWhere('schedule.active = :active', { active });
    sortRows(found, sort);
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<DepartureSchedule> {
    return this.rows.get(id);
  }

  /** Departures without sales follow the change in a job; those with sales are kept. */
  async update(
    { id, expected }: { id: string; expected: ExpectedVersions },
    body: UpdateDepartureSchedule,
    { scope = 'all', from }: ChangeScheduleQuery,
  ): Promise<ChangedSchedule> {
    if ((scope === 'following') !== (from !== undefined)) {
      throw invalidField('from', 'scope=following and from require each other', 'exactly_one');
    }
    return this.database.transaction(async () => {
      const schedule = await this.rows.lock(id);
      assertVersion(expected, schedule);
      if (from !== undefined) return this.followUp(schedule, body, from);
      const [before, former] = [schedule.auditImage(), { ...schedule }];
      this.change(schedule, body);
      await this.assertReferences(schedule, former);
      await this.rows.update(schedule);
      this.record('update', schedule, before);
      await this.markTerms(schedule, former);
      await this.jobs.add(FILL_JOB, { scheduleId: id });
      return { schedule, kept: await this.keptOf(id, this.today(schedule)) };
    });
  }

  /** Ends the schedule before the day, and inserts one that takes over its departures from that day on. */
  private async followUp(
    former: DepartureSchedule,
    body: UpdateDepartureSchedule,
    from: string,
  ): Promise<ChangedSchedule> {
    if (from <= former.dtstart || from < this.today(former) || (former.endsOn !== null && from > former.endsOn)) {
      throw invalidField('from', 'from must be a day of the schedule, after dtstart and not past', 'day_out_of_range');
    }
    if (body.dtstart !== undefined) throw invalidField('dtstart', 'The new schedule begins on from', 'not_applicable');
    const [before, now] = [former.auditImage(), this.clock.now()];
    const created = { id: newId('dsch'), version: 1, problem: null, createdAt: now, updatedAt: now } as const;
    const next = make(DepartureSchedule, { ...former, ...created, dtstart: from, rrule: remainingRule(former, from) });
    this.change(next, body);
    await this.assertReferences(next, former);
    Object.assign(former, { endsOn: daysAfter(from, -1), updatedAt: now });
    await this.rows.update(former);
    this.record('update', former, before);
    await this.insert(next);
    // Version 0 precedes that of every schedule, so that the departures follow.
    await this.database.execute(
      `update scheduled_departures set schedule_id = $2, schedule_version = 0
       where schedule_id = $1 and local_date >= $3::date`,
      [former.id, next.id, from],
    );
    await this.markTerms(next, former);
    return { schedule: next, kept: await this.keptOf(next.id, from) };
  }

  /** The option and the prices of units that staff set on a departure stay until those of its schedule change. */
  private async markTerms(
    { id, optionId, unitPrices }: DepartureSchedule,
    former: Pick<DepartureSchedule, 'optionId' | 'unitPrices'>,
  ): Promise<void> {
    const isOtherOption = optionId !== former.optionId;
    const arePricesOther = JSON.stringify(unitPrices) !== JSON.stringify(former.unitPrices);
    if (!isOtherOption && !arePricesOther) return;
    await this.database.execute(
      `update scheduled_departures set takes_option = takes_option or $2, takes_unit_prices = takes_unit_prices or $3
       where schedule_id = $1`,
      [id, isOtherOption, arePricesOther],
    );
  }

  private change(schedule: DepartureSchedule, { cutoff, unitPrices, ...body }: UpdateDepartureSchedule): void {
    assertDays(body);
    const changes: ScheduleChanges = {
      ...body,
      ...(cutoff !== undefined && { cutoff: cutoffOf(cutoff) }),
      ...(unitPrices && { unitPrices: unitPricesOf(unitPrices) }),
    };
    schedule.change(changes, this.clock.now());
    if (body.dtstart !== undefined) schedule.assertRecent(this.today(schedule));
    schedule.assertConsistent(this.today(schedule));
  }

  private async insert(schedule: DepartureSchedule): Promise<DepartureSchedule> {
    await this.rows.insert(schedule);
    this.record('create', schedule, null);
    await this.jobs.add(FILL_JOB, { scheduleId: schedule.id });
    return schedule;
  }

  /** Takes over from the product what the request omits, and checks what needs no other record. */
  private async newSchedule(input: CreateDepartureSchedule, id: string): Promise<DepartureSchedule> {
    assertDays(input);
    const now = this.clock.now();
    const product = await this.products.findDefaults(input.productId);
    const { productId, optionId = null } = input;
    const ofOption = optionId === null ? null : await this.unitPrices.cutoffOfOption(productId, optionId);
    const schedule = make(DepartureSchedule, {
      ...{ id, productId, optionId, dtstart: input.dtstart, endsOn: null },
      ...requiredTerms(input, product),
      ...{ startTimes: input.startTimes, rrule: input.rrule, exdates: input.exdates ?? [], rdates: input.rdates ?? [] },
      ...{ horizonDays: input.horizonDays ?? DEFAULT_HORIZON_DAYS, active: input.active ?? true },
      ...{ priceCents: input.priceCents, taxIncludedCents: input.taxIncludedCents ?? 0, currency: input.currency },
      unitPrices: unitPricesOf(input.unitPrices ?? []),
      taxCodeId: orElse(input.taxCodeId, product?.taxCodeId),
      facilityId: orElse(input.facilityId, product?.facilityId),
      cutoff: input.cutoff === undefined ? (ofOption ?? product?.cutoff ?? null) : cutoffOf(input.cutoff),
      minParticipants: orElse(input.minParticipants, product?.minParticipants),
      ...{ euPackage: input.euPackage ?? false, problem: null, createdAt: now },
    });
    schedule.assertRecent(this.today(schedule));
    schedule.assertConsistent(this.today(schedule));
    return schedule;
  }

  private async assertReferences(
    { productId, optionId, unitPrices, facilityId, taxCodeId }: DepartureSchedule,
    former: Pick<DepartureSchedule, 'optionId' | 'unitPrices' | 'facilityId' | 'taxCodeId'>,
  ): Promise<void> {
    if (optionId !== null && optionId !== former.optionId) await this.unitPrices.cutoffOfOption(productId, optionId);
    if (unitPrices.length > 0 && JSON.stringify(unitPrices) !== JSON.stringify(former.unitPrices)) {
      await this.unitPrices.assertPriceable(productId, unitPrices);
    }
    if (facilityId !== former.facilityId) await this.facilities.lockUsable(facilityId);
    if (taxCodeId !== null && taxCodeId !== former.taxCodeId) await this.taxCodes.assertUsable(taxCodeId);
  }

  private async keptOf(scheduleId: string, from: string): Promise<KeptDeparture[]> {
    return this.database.query<KeptDeparture>(
      `select link.departure_id as "departureId", link.local_date as "localDate"
       from scheduled_departures link join departures departure on departure.id = link.departure_id
       where link.schedule_id = $1 and link.local_date >= $2::date and departure.status = 'scheduled'
         and departure.starts_at > $3 and departure.sold + departure.held > 0
       order by link.local_date, link.local_time limit ${MAX_KEPT}`,
      [scheduleId, from, this.clock.now()],
    );
  }

  /** The local day in the zone of the schedule. */
  private today({ timeZone }: Pick<DepartureSchedule, 'timeZone'>): string {
    return localDayOf(this.clock.now(), timeZone);
  }

  private record(verb: 'create' | 'update', schedule: DepartureSchedule, before: object | null): void {
    const { id: scheduleId, productId, active, version } = schedule;
    const subject = { subjectType: 'departure_schedule', subjectId: scheduleId };
    this.ledger.record(`operations.departure_schedule.${verb}`, { ...subject, before, after: schedule.auditImage() });
    const event = verb === 'create' ? 'departure_schedule.created' : 'departure_schedule.updated';
    this.outbox.add({
      channel: 'operations.departure_schedules',
      event,
      data: { scheduleId, productId, active, version },
    });
  }
}

function orElse<T>(given: T | null | undefined, usual: T | null | undefined): T | null {
  return given === undefined ? (usual ?? null) : given;
}

/** The members that a departure must have. Throws 400 with each that neither the request nor the product states. */
function requiredTerms(
  input: CreateDepartureSchedule,
  product: ProductDefaults | null,
): { timeZone: string; durationMinutes: number; capacity: number } {
  const timeZone = input.timeZone ?? product?.timeZone ?? null;
  const durationMinutes = input.durationMinutes ?? product?.durationMinutes ?? null;
  const capacity = input.capacity ?? product?.defaultCapacity ?? null;
  if (timeZone !== null && durationMinutes !== null && capacity !== null)
    return { timeZone, durationMinutes, capacity };
  const missing = Object.entries({ timeZone, durationMinutes, capacity }).filter(([, value]) => value === null);
  const issues = missing.map(([path]): Issue => ({ path, code: 'required', message: `${path} is required` }));
  throw invalidRequest(issues);
}

function assertDays({ exdates = [], rdates = [] }: { exdates?: string[]; rdates?: string[] }): void {
  for (const [member, days] of Object.entries({ exdates, rdates })) {
    const index = days.findIndex((day) => !isCalendarDay(day));
    if (index < 0) continue;
    throw invalidField(`${member}.${index}`, 'The day does not exist', 'wrong_format', { format: 'date' });
  }
}

/** A rule that ends after a number of days has only the remaining ones from a later day on. */
function remainingRule({ rrule, dtstart }: DepartureSchedule, from: string): string {
  const rule = parseRecurrence(rrule);
  if (!rule || rule.count === null) return rrule;
  const past = recurrenceDays(rule, { first: dtstart, last: daysAfter(from, -1) }).length;
  if (past < rule.count) return rrule.replace(/COUNT=\d+/, `COUNT=${rule.count - past}`);
  throw invalidField('from', 'No day of the rule is left', 'day_out_of_range');
}
