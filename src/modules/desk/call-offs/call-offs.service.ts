import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { type AppError, conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { DeparturesService } from '../../operations/index.js';
import {
  amountsOf,
  type CallOffForecast,
  type CallOffItemView,
  type CallOffPreviewResponse,
  type CallOffTreatment,
  type CallOffView,
  type CallOffWarningCode,
  type CreateCallOff,
  type ListCallOffItems,
  type ListCallOffs,
  type RetryCallOff,
  sum,
  type UpdateCallOffItem,
} from './call-off.dto.js';
import { CallOff, type Treatment } from './call-off.entity.js';
import { CallOffItem, ITEM_ACTIONS } from './call-off-item.entity.js';
import { type Expected, expectedOutcomes, type LiveBooking } from './call-off-plan.js';
import { CallOffsRepository } from './call-offs.repository.js';

export const CALL_OFF_JOB = 'desk.call-off';
const MAX_FAILURES = 200;

mapConstraint('call_offs_open', inProgress);

type Verb = 'create' | 'update_item' | 'pause' | 'resume' | 'retry' | 'abandon' | 'complete';

/** A call-off of a departure, and the versions that a change of it expects. */
interface CallOffTarget {
  departureId: string;
  callOffId: string;
  expected: ExpectedVersions;
}

/** The treatment of each booking: its own, otherwise the default. */
interface Treatments {
  default: Treatment;
  byBooking: ReadonlyMap<string, Treatment>;
}

interface NewIds {
  callOff: string;
  item: (position: number) => string;
}

const NEW_IDS = { item: () => newId('coit') };

/**
 * Calls off departures. The request ends the sales and lists the bookings; `CallOffRunner` then works on one after the other. A
 * change of a call-off locks its row before the departure and the items.
 */
@Injectable()
export class CallOffsService {
  constructor(
    private readonly database: Database,
    private readonly repository: CallOffsRepository,
    private readonly departures: DeparturesService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * The departure is changed before its bookings are read: a concurrent sale either commits before and becomes an item, or is
   * rejected.
   */
  async create(
    departureId: string,
    body: CreateCallOff,
    ids: NewIds = { callOff: newId('coff'), ...NEW_IDS },
  ): Promise<CallOffView> {
    assertScope('bookings:write');
    const treatments = await this.treatmentsOf(departureId, body);
    return this.database.transaction(async () => {
      if (await this.repository.isOpen(departureId)) throw inProgress();
      const { reasonCode, reason, message = {} } = body;
      await this.departures.callOff(departureId, { reasonCode, reason });
      const callOff = make(CallOff, {
        ...{ id: ids.callOff, departureId, status: 'running', reasonCode, reason, ...treatments.default },
        ...{ mails: message !== null, note: message?.note, createdAt: this.clock.now() },
      });
      await this.repository.callOffs.insert(callOff);
      const items = await this.newItems(callOff, treatments, ids);
      await this.repository.items.insertAll(items);
      await this.record('create', callOff, null, reason);
      await this.start(callOff);
      return this.viewOf(callOff);
    });
  }

  /** Reads what `create` would do. */
  async preview(departureId: string, body: CreateCallOff): Promise<CallOffPreviewResponse> {
    assertScope('bookings:write');
    return this.database.snapshot(async () => {
      const treatments = await this.treatmentsOf(departureId, body);
      const departure = await this.departures.get(departureId);
      // Rejects what `create` would reject; the changed entity is not saved.
      departure.callOff(body, this.clock.now());
      if (await this.repository.isOpen(departureId)) throw inProgress();
      const bookings = await this.repository.liveBookings(departureId);
      assertOnDeparture(bookings, treatments);
      const trips = await this.repository.holdingTrips(departureId);
      const used = [treatments.default, ...treatments.byBooking.values()];
      const targetIds = [...new Set(used.flatMap(({ targetDepartureId }) => targetDepartureId ?? []))];
      const places = await this.repository.targets(targetIds);
      const treatmentOf = (id: string) => treatments.byBooking.get(id) ?? treatments.default;
      const expected = expectedOutcomes({ bookings, trips }, places, treatmentOf);
      const movedTo = (id: string) =>
        expected.filter((one) => one.bookingId !== null && treatmentOf(one.bookingId).targetDepartureId === id);
      const isLeftOpen = bookings.some(({ bookingId }) => treatmentOf(bookingId).settle === 'later');
      return {
        ...{ bookings: bookings.length, trips: trips.length },
        people: sum(expected.map(({ people }) => people)),
        units: sum(expected.map(({ units }) => units)),
        actions: forecast(expected),
        amounts: amountsOf(expected.filter(({ code }) => code === null)),
        targets: places.targets.map(({ departureId: id, available }) => {
          const moved = movedTo(id);
          const fitting = sum(moved.filter(({ code }) => code === null).map(({ units }) => units));
          return { departureId: id, available, wanted: sum(moved.map(({ units }) => units)), fitting };
        }),
        failures: expected.flatMap(toFailure).slice(0, MAX_FAILURES),
        warnings: warningsOf({ isPackage: departure.euPackage, isLeftOpen, mails: body.message !== null }).map(
          (code) => ({
            code,
          }),
        ),
      };
    });
  }

  async list(departureId: string, query: ListCallOffs): Promise<{ views: CallOffView[]; total: number }> {
    await this.departures.get(departureId);
    const { rows, total } = await this.repository.list(departureId, query);
    const views: CallOffView[] = [];
    for (const callOff of rows) views.push(await this.viewOf(callOff));
    return { views, total };
  }

  async get(departureId: string, callOffId: string): Promise<CallOffView> {
    return this.viewOf(await this.repository.get(departureId, callOffId));
  }

  async listItems(
    departureId: string,
    callOffId: string,
    query: ListCallOffItems,
  ): Promise<{ views: CallOffItemView[]; total: number }> {
    await this.repository.get(departureId, callOffId);
    return this.repository.listItems(callOffId, query);
  }

  async updateItem(
    { departureId, callOffId, itemId, expected }: CallOffTarget & { itemId: string },
    body: UpdateCallOffItem,
  ): Promise<CallOffItemView> {
    return this.database.transaction(async () => {
      const callOff = await this.repository.get(departureId, callOffId);
      assertScope('bookings:write');
      const item = await this.repository.items.lock(itemId);
      if (item.callOffId !== callOffId) throw notFound();
      assertVersion(expected, item);
      item.assertPending();
      item.assertBooking();
      const before = item.auditImage();
      item.treat(await this.changedTreatment(departureId, body, item), this.clock.now());
      await this.repository.items.update(item);
      const subject = { subjectType: 'call_off', subjectId: callOff.id };
      this.ledger.record('operations.call_off.update_item', { ...subject, before, after: item.auditImage() });
      return this.repository.viewOf(item);
    });
  }

  async pause(departureId: string, callOffId: string, expected: ExpectedVersions): Promise<CallOffView> {
    return this.change('pause', { departureId, callOffId, expected });
  }

  async resume(departureId: string, callOffId: string): Promise<CallOffView> {
    const target = { departureId, callOffId, expected: null };
    return this.change('resume', target, (callOff) => this.start(callOff));
  }

  /** Repeats failed items, with another treatment if one is given. */
  async retry(departureId: string, callOffId: string, { itemIds, ...treatment }: RetryCallOff): Promise<CallOffView> {
    return this.change('retry', { departureId, callOffId, expected: null }, async (callOff) => {
      const items = await this.repository.lockItems(callOffId, { statuses: ['failed'], ids: itemIds ?? null });
      const missing = itemIds?.findIndex((id) => !items.some((item) => item.id === id)) ?? -1;
      if (missing >= 0) {
        const field = `itemIds.${missing}`;
        throw unprocessable('item_not_failed', 'The call-off has no failed item with this ID', { field });
      }
      for (const item of items) {
        if (Object.keys(treatment).length > 0) {
          item.assertBooking();
          item.treat(await this.changedTreatment(departureId, treatment, item), this.clock.now());
        }
        item.retry(this.clock.now());
      }
      await this.repository.items.updateAll(items);
      await this.start(callOff);
    });
  }

  /** Nothing has happened with a booking yet, in no call-off of the departure: it is sold again. */
  async abandon(target: CallOffTarget, reason: string): Promise<CallOffView> {
    return this.change(
      'abandon',
      target,
      async (callOff) => {
        const { departureId } = target;
        if (await this.repository.hasDoneItems(departureId))
          throw conflict('call_off_started', 'Items of the call-off are done: reinstate bookings one by one');
        await this.departures.withdrawCallOff(departureId, reason);
        const items = await this.repository.lockItems(callOff.id, { statuses: ['pending', 'failed'], ids: null });
        for (const item of items) item.skip('abandoned', this.clock.now());
        await this.repository.items.updateAll(items);
      },
      reason,
    );
  }

  /** Ends a call-off that has no pending items. Its departure is cancelled unless sales are left. */
  async finish(callOffId: string): Promise<void> {
    await this.database.transaction(async () => {
      const callOff = await this.repository.callOffs.lock(callOffId);
      const report = await this.repository.report(callOffId);
      if (callOff.status !== 'running' || report.some(({ status }) => status === 'pending')) return;
      const before = callOff.auditImage();
      const hasFailed = report.some(({ status }) => status === 'failed');
      callOff.change('finish', this.clock.now(), hasFailed ? 'completed_with_failures' : 'completed');
      await this.repository.callOffs.update(callOff);
      await this.record('complete', callOff, before);
      await this.departures.endCallOff(callOff.departureId);
    });
  }

  /** Publishes how far the call-off is. */
  async publishProgress({ id: callOffId, departureId, status }: CallOff): Promise<void> {
    const report = await this.repository.report(callOffId);
    const itemsIn = (wanted: string) => sum(report.filter((row) => row.status === wanted).map(({ items }) => items));
    const counts = { done: itemsIn('done'), failed: itemsIn('failed'), skipped: itemsIn('skipped') };
    const data = { callOffId, departureId, status, total: sum(report.map(({ items }) => items)), ...counts };
    this.outbox.add({ channel: 'operations.departures', event: 'call_off.progressed', data });
  }

  private async start(callOff: CallOff): Promise<void> {
    await this.jobs.add(CALL_OFF_JOB, { callOffId: callOff.id }, { key: `${CALL_OFF_JOB}:${callOff.id}` });
  }

  private async change(
    verb: 'pause' | 'resume' | 'retry' | 'abandon',
    { departureId, callOffId, expected }: CallOffTarget,
    work: (callOff: CallOff) => Promise<void> = async () => undefined,
    reason: string | null = null,
  ): Promise<CallOffView> {
    return this.database.transaction(async () => {
      const callOff = await this.repository.lock(departureId, callOffId);
      assertScope('bookings:write');
      assertVersion(expected, callOff);
      const before = callOff.auditImage();
      callOff.change(verb, this.clock.now());
      await work(callOff);
      await this.repository.callOffs.update(callOff);
      await this.record(verb, callOff, before, reason);
      return this.viewOf(callOff);
    });
  }

  private async newItems(callOff: CallOff, treatments: Treatments, { item: idOf }: Pick<NewIds, 'item'>) {
    const { id: callOffId, departureId } = callOff;
    const bookings = await this.repository.liveBookings(departureId);
    assertOnDeparture(bookings, treatments);
    const fixed = {
      ...({ callOffId, status: 'pending', attempts: 0, refundedCents: 0, creditedCents: 0, openCents: 0 } as const),
      createdAt: this.clock.now(),
    };
    const items = bookings.map(({ bookingId, people, units, currency, totalCents }, index) => {
      const treatment = treatments.byBooking.get(bookingId) ?? treatments.default;
      const subject = { id: idOf(index + 1), position: index + 1, bookingId };
      return make(CallOffItem, { ...fixed, ...subject, ...treatment, people, units, currency, totalCents });
    });
    for (const { envelopeId, units, currency, totalCents } of await this.repository.holdingTrips(departureId)) {
      const position = items.length + 1;
      const subject = { id: idOf(position), position, envelopeId, action: 'release', reprice: false } as const;
      items.push(make(CallOffItem, { ...fixed, ...subject, people: 0, units, currency, totalCents }));
    }
    return items;
  }

  private async treatmentsOf(departureId: string, body: CreateCallOff): Promise<Treatments> {
    const standard = await this.treatmentOf(departureId, body.default, 'default.');
    const byBooking = new Map<string, Treatment>();
    for (const [index, { bookingId, ...treatment }] of (body.overrides ?? []).entries()) {
      const path = `overrides.${index}.`;
      if (byBooking.has(bookingId)) throw invalidField(`${path}bookingId`, 'The booking is named twice', 'duplicate');
      byBooking.set(bookingId, await this.treatmentOf(departureId, treatment, path));
    }
    return { default: standard, byBooking };
  }

  /** Another action drops the terms of the former one. */
  private async changedTreatment(
    departureId: string,
    change: Partial<CallOffTreatment>,
    { action, targetDepartureId, settle, reprice }: CallOffItem,
  ): Promise<Treatment> {
    const former = {
      ...(targetDepartureId === null ? {} : { targetDepartureId }),
      ...(settle === null ? {} : { settle }),
      ...(action === 'move' ? { reprice } : {}),
    };
    const kept = change.action === undefined || change.action === action ? former : {};
    const present = action === 'release' ? 'keep' : action;
    return this.treatmentOf(departureId, { action: present, ...kept, ...change }, '');
  }

  private async treatmentOf(
    departureId: string,
    { action, targetDepartureId, settle, reprice }: CallOffTreatment,
    path: string,
  ): Promise<Treatment> {
    const members = [
      { name: 'targetDepartureId', value: targetDepartureId, of: 'move' },
      { name: 'reprice', value: reprice, of: 'move' },
      { name: 'settle', value: settle, of: 'cancel' },
    ];
    for (const { name, value, of } of members) {
      if (value === undefined || action === of) continue;
      throw invalidField(`${path}${name}`, `${name} requires the action ${of}`, 'not_applicable');
    }
    const field = `${path}targetDepartureId`;
    if (action !== 'move') {
      return {
        action,
        targetDepartureId: null,
        settle: action === 'cancel' ? (settle ?? 'refund') : null,
        reprice: false,
      };
    }
    if (targetDepartureId === undefined) throw invalidField(field, 'The action move requires it', 'required');
    if (targetDepartureId === departureId) {
      throw unprocessable('same_departure', 'Bookings cannot move to the departure that is called off', { field });
    }
    await this.departures.get(targetDepartureId, { field });
    return { action, targetDepartureId, settle: null, reprice: reprice ?? false };
  }

  private async viewOf(callOff: CallOff): Promise<CallOffView> {
    const report = await this.repository.report(callOff.id);
    const { euPackage: isPackage } = await this.departures.get(callOff.departureId);
    const isLeftOpen = callOff.settle === 'later' || report.some(({ openCents }) => openCents > 0);
    return { callOff, report, warnings: warningsOf({ isPackage, isLeftOpen, mails: callOff.mails }) };
  }

  private async record(verb: Verb, callOff: CallOff, before: object | null, reason: string | null = null) {
    const subject = { subjectType: 'call_off', subjectId: callOff.id };
    this.ledger.record(`operations.call_off.${verb}`, { ...subject, before, after: callOff.auditImage(), reason });
    await this.publishProgress(callOff);
  }
}

function inProgress(): AppError {
  return conflict('call_off_in_progress', 'Another call-off of the departure is open');
}

/** An override must name a booking that is treated. */
function assertOnDeparture(bookings: readonly LiveBooking[], { byBooking }: Treatments): void {
  const present = new Set(bookings.map(({ bookingId }) => bookingId));
  const index = [...byBooking.keys()].findIndex((id) => !present.has(id));
  if (index < 0) return;
  const field = `overrides.${index}.bookingId`;
  throw unprocessable('booking_not_on_departure', 'The booking has no live item on the departure', { field });
}

function warningsOf(facts: { isPackage: boolean; isLeftOpen: boolean; mails: boolean }): CallOffWarningCode[] {
  return [
    ...(facts.isPackage && facts.isLeftOpen ? (['refund_due'] as const) : []),
    ...(facts.mails ? [] : (['not_notified'] as const)),
  ];
}

function forecast(expected: readonly Expected[]): CallOffForecast[] {
  return ITEM_ACTIONS.flatMap((action) => {
    const own = expected.filter((one) => one.action === action);
    if (own.length === 0) return [];
    const failing = own.filter(({ code }) => code !== null).length;
    const [people, units] = [sum(own.map((one) => one.people)), sum(own.map((one) => one.units))];
    return [{ action: own[0]?.action ?? 'keep', items: own.length, failing, people, units }];
  });
}

function toFailure({ bookingId, bookingNumber, code }: Expected) {
  return bookingId === null || bookingNumber === null || code === null ? [] : [{ bookingId, bookingNumber, code }];
}
