import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { type BookingItemSummary, BookingsService, VouchersService } from '../../bookings/index.js';
import { TermsService } from '../../legal/index.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { HeldUnitsService } from './held-units.service.js';
import {
  type CancellationBody,
  type ConfirmationBody,
  contactOf,
  type ExtensionBody,
  type ListReservations,
  type ReservationBody,
  type ReservationChanges,
} from './octo-booking.dto.js';
import { OctoBooking, type OctoContact, type OctoUnitItem, type Refund } from './octo-booking.entity.js';
import { isCancellable, toOctoBooking } from './octo-booking-object.js';
import { OctoBookingsRepository } from './octo-bookings.repository.js';
import { badRequest, invalidId, unprocessableOrder } from './octo-errors.js';
import { isUuid, type Order, type OrderBody, OctoOrdersService } from './octo-orders.service.js';
import { OctoSalesService } from './octo-sales.service.js';
import { assertCurrency, exchangedUnits, isReordered, orderOf } from './changed-order.js';
import { SoldChangesService } from './sold-changes.service.js';
import { CatalogueService } from './catalogue.service.js';
import type { Reseller } from './resellers.service.js';

const MAX_HOLDS = 2_000;
const MAX_LISTED = 500;
/** A hold ends at most this long after its reservation, however often it is extended. */
const LONGEST_HOLD_MS = 4 * 3_600_000;
const MINUTE_MS = 60_000;

const CANCELLED_BY_RESELLER = 'Cancelled by the reseller';
const NO_DEPARTURE = 'The departure does not take place';

export const EXPIRE_JOB = 'octo.expire-hold';

const EVENTS = {
  reserve: 'held',
  update: 'changed',
  extend: 'changed',
  confirm: 'confirmed',
  cancel: 'cancelled',
  expire: 'expired',
} as const;
export type OctoVerb = keyof typeof EVENTS;

/** Reserves, changes, confirms and ends the bookings of resellers. Each step locks the reservation first, then its departure. */
@Injectable()
export class OctoBookingsService {
  constructor(
    private readonly database: Database,
    private readonly repository: OctoBookingsRepository,
    private readonly orders: OctoOrdersService,
    private readonly units: HeldUnitsService,
    private readonly departures: DeparturesService,
    private readonly bookings: BookingsService,
    private readonly vouchers: VouchersService,
    private readonly sales: OctoSalesService,
    private readonly soldChanges: SoldChangesService,
    private readonly catalogue: CatalogueService,
    private readonly connections: ConnectionsService,
    private readonly terms: TermsService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** The same order with the same uuid returns the booking as it is now, and holds nothing again. */
  async reserve(body: ReservationBody, reseller: Reseller): Promise<object> {
    const { connection, isTest } = reseller;
    if (body.uuid && !isUuid(body.uuid)) throw invalidId('INVALID_BOOKING_UUID', 'uuid', body.uuid);
    const uuid = body.uuid?.toLowerCase() ?? randomUUID();
    const digest = digestOf(body, isTest);
    const known = await this.repository.findByUuid(connection.id, uuid);
    if (known) return this.repeat(known, digest, reseller);
    assertSelling(reseller);
    const id = newId('obok');
    const order = await this.orders.check(id, body, reseller);
    if ((await this.repository.countHolds(connection.id)) >= MAX_HOLDS) {
      throw unprocessableOrder(`The reseller has ${MAX_HOLDS} reservations on hold`);
    }
    const reserved = await this.database.transaction(async () => {
      const booking = this.newBooking({ id, uuid, digest }, body, { reseller, order });
      if (!(await this.connections.lockSale(connection)))
        throw unprocessableOrder('The terms of the connection changed');
      // The insert shares a lock on the departure, which reservations that then want it alone would wait for in a circle.
      await this.departures.lock([booking.departureId]);
      if (!(await this.repository.bookings.insertUnlessTaken(booking))) return null;
      await this.units.hold(booking.departureId, order.units, reseller);
      await this.repository.insertUnits(order.units);
      await this.scheduleExpiry(booking);
      this.record('reserve', booking, null);
      return booking;
    });
    if (reserved) return this.present(reserved, reseller);
    const other = await this.repository.findByUuid(connection.id, uuid);
    if (!other) throw new Error(`The reservation ${uuid} was deleted`);
    return this.repeat(other, digest, reseller);
  }

  async extend(uuid: string, { expirationMinutes }: ExtensionBody, reseller: Reseller): Promise<object> {
    assertSelling(reseller);
    return this.change('extend', { uuid, reseller }, async (booking) => {
      if (booking.status !== 'ON_HOLD') throw unprocessableOrder('Only a reservation on hold can be extended');
      await this.prolong(booking, expirationMinutes, reseller);
    });
  }

  /** A change of the departure or the units takes the new seats before it releases the former ones. */
  async update(uuid: string, changes: ReservationChanges, reseller: Reseller): Promise<object> {
    assertSelling(reseller);
    return this.change('update', { uuid, reseller }, async (booking, all) => {
      const units = all.filter(({ cancelledAt }) => cancelledAt === null);
      const body = withoutCancelled(changes, all);
      if (booking.status !== 'ON_HOLD' && booking.status !== 'CONFIRMED') {
        throw unprocessableOrder('The booking has ended');
      }
      const isOther = isReordered(booking, units, body);
      if (isOther) {
        const order = orderOf(booking, units, body);
        if (booking.bookingId === null) await this.reorder(booking, units, order, reseller);
        else await this.soldChanges.exchange(booking, units, { body: order, reseller });
      } else if (body.unitItems) {
        await this.repository.describeUnits(units, body.unitItems);
      }
      const now = this.clock.now();
      if (body.resellerReference !== undefined) booking.resellerReference = body.resellerReference;
      if (body.notes !== undefined) booking.notes = body.notes;
      if (body.contact) booking.contact = contactOf(body.contact);
      if (booking.bookingId !== null && (isOther || body.contact)) {
        const sold = await this.repository.unitsOf([booking.id]);
        await this.assertContact(
          booking,
          sold.filter(({ cancelledAt }) => cancelledAt === null),
        );
      }
      await this.soldChanges.describe(booking, body);
      if (body.expirationMinutes && booking.status === 'ON_HOLD') {
        await this.prolong(booking, body.expirationMinutes, reseller);
      }
      booking.updatedAt = now;
    });
  }

  /** Repeating it returns the booking as it is now. */
  async confirm(uuid: string, body: ConfirmationBody, reseller: Reseller): Promise<object> {
    assertSelling(reseller);
    const { connection } = reseller;
    return this.change('confirm', { uuid, reseller }, async (booking, held) => {
      if (booking.status === 'CONFIRMED') return false;
      const now = this.clock.now();
      if (booking.status === 'EXPIRED' || booking.isLapsed(now)) {
        throw invalidId('INVALID_BOOKING_UUID', 'uuid', uuid);
      }
      if (booking.status === 'CANCELLED') throw unprocessableOrder('The booking was cancelled');
      let units = held;
      if (body.unitItems && isReordered(booking, held, body)) {
        units = await this.reorder(booking, held, orderOf(booking, held, body), reseller);
      } else if (body.unitItems) {
        await this.repository.describeUnits(held, body.unitItems);
      }
      booking.contact = contactOf(body.contact);
      if (body.resellerReference) booking.resellerReference = body.resellerReference;
      await this.assertContact(booking, units);
      const departure = await this.departures.getSummary(booking.departureId);
      if (departure.startsAt <= now) throw unprocessableOrder('The departure has started');
      assertCurrency(booking, departure);
      const { productId, testMode } = booking;
      const days = await this.terms.lastRefundDays([productId], { channelId: connection.channelId });
      const bookingId = testMode ? null : await this.sales.sell(booking, units, { connection, departure });
      booking.confirm({ bookingId, lastRefundDays: days.get(productId) ?? 0 }, now);
      return true;
    });
  }

  /** Repeating it, or cancelling an expired reservation, changes nothing. */
  async cancel(uuid: string, { reason = null }: CancellationBody, reseller: Reseller): Promise<object> {
    const ended = await this.changeLocked('cancel', { uuid, reseller }, async (booking, units) => {
      if (booking.bookingId !== null) return false;
      if (booking.status !== 'ON_HOLD' && booking.status !== 'CONFIRMED') return false;
      if (booking.status === 'ON_HOLD') await this.releaseUnits(booking, units);
      booking.cancel({ refund: 'FULL', reason }, this.clock.now());
      return true;
    });
    // A booking is cancelled as staff cancel it; the reservation follows by its listener.
    if (ended.bookingId !== null) return this.cancelSale(uuid, ended.bookingId, { reason, reseller });
    return this.present(ended, reseller);
  }

  async lockOfBooking(bookingId: string): Promise<void> {
    await this.repository.lockOfBooking(bookingId);
  }

  async followCancellation(bookingId: string, ending: { refund: Refund; reason: string }): Promise<void> {
    await this.follow('cancel', bookingId, (booking) => {
      if (booking.status !== 'CONFIRMED') return false;
      // The reservation has the words of the reseller, which the booking and its audit entry never contain.
      booking.cancel({ ...ending, reason: booking.cancelReason ?? ending.reason }, this.clock.now());
      return true;
    });
  }

  async followReinstatement(bookingId: string): Promise<void> {
    await this.follow('update', bookingId, (booking) => {
      booking.reinstate(this.clock.now());
      return true;
    });
  }

  async followItem(bookingId: string, itemId: string, { isCancelled }: { isCancelled: boolean }): Promise<void> {
    // Items that staff added do not belong to the reservation.
    if (!(await this.repository.setCancelled(itemId, isCancelled ? this.clock.now() : null))) return;
    await this.follow('update', bookingId, (booking) => {
      booking.updatedAt = this.clock.now();
      return true;
    });
  }

  /** Staff moved items of the booking to another departure. Items that staff added do not belong to the reservation. */
  async followMove(bookingId: string, items: readonly BookingItemSummary[]): Promise<void> {
    const own = await this.repository.soldAmong(items.map(({ id }) => id));
    const [departureId] = items.flatMap((item) => (own.includes(item.id) ? (item.departureId ?? []) : []));
    if (departureId === undefined) return;
    await this.follow('update', bookingId, (booking) => {
      if (booking.departureId === departureId) return false;
      Object.assign(booking, { departureId, updatedAt: this.clock.now() });
      return true;
    });
  }

  async get(uuid: string, reseller: Reseller): Promise<object> {
    return this.present(await this.find(uuid, reseller), reseller);
  }

  async list(query: ListReservations, reseller: Reseller): Promise<object[]> {
    const { resellerReference = null, supplierReference = null } = query;
    const { localDate = null, localDateStart = localDate, localDateEnd = localDate } = query;
    if ((localDateStart === null) !== (localDateEnd === null)) {
      throw badRequest('Send localDateStart and localDateEnd together');
    }
    if (resellerReference === null && supplierReference === null && localDateStart === null) {
      throw badRequest('Send resellerReference, supplierReference, localDate, or localDateStart and localDateEnd');
    }
    const { connection } = reseller;
    const bookingId = supplierReference === null ? null : await this.bookings.findIdByNumber(supplierReference);
    if (supplierReference !== null && bookingId === null) return [];
    const departureIds =
      localDateStart === null || localDateEnd === null
        ? null
        : await this.departuresOn(connection.id, localDateStart, localDateEnd);
    const filter = { resellerReference, bookingId, departureIds };
    const found = await this.repository.list(connection.id, filter, MAX_LISTED + 1);
    if (found.length > MAX_LISTED) throw badRequest(`More than ${MAX_LISTED} bookings match; narrow the filter`);
    const current: OctoBooking[] = [];
    for (const booking of found) current.push(await this.withoutLapse(booking));
    return this.presentAll(current, reseller);
  }

  /** Ends a hold whose time has passed; does nothing if it was confirmed, extended or ended meanwhile. */
  async expire(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const booking = await this.repository.bookings.findAndLock(id);
      if (!booking?.isLapsed(this.clock.now())) return;
      const before = booking.auditImage();
      await this.releaseUnits(booking, await this.repository.unitsOf([id]));
      booking.expire(this.clock.now());
      await this.repository.bookings.update(booking);
      this.record('expire', booking, before);
    });
  }

  /** Catches up on holds whose own job was lost or came too early. A hold that cannot be expired does not stop the others. */
  async expireLapsed(): Promise<void> {
    for (const id of await this.repository.listLapsed()) {
      try {
        await this.expire(id);
      } catch (error) {
        this.log.error({ err: error, octoBookingId: id }, 'a reservation of a reseller could not be expired');
      }
    }
  }

  /** Cancels the holds on a locked departure that is about to end. */
  async endHoldsOn(departureId: string): Promise<void> {
    for (const booking of await this.repository.lockHoldsOn(departureId)) {
      const before = booking.auditImage();
      await this.releaseUnits(booking, await this.repository.unitsOf([booking.id]));
      booking.cancel({ refund: 'FULL', reason: NO_DEPARTURE }, this.clock.now());
      await this.repository.bookings.update(booking);
      this.record('cancel', booking, before, NO_DEPARTURE);
    }
  }

  async optionsHeldOn(departureId: string): Promise<string[]> {
    return this.repository.optionsHeldOn(departureId);
  }

  private async prolong(booking: OctoBooking, minutes: number | null | undefined, reseller: Reseller): Promise<void> {
    const now = this.clock.now();
    const departure = await this.departures.getSummary(booking.departureId);
    const latest = Math.min(booking.createdAt.getTime() + LONGEST_HOLD_MS, lastHoldEnd(departure).getTime());
    booking.extend(holdEnd(now, minutes, reseller), new Date(latest), now);
    await this.scheduleExpiry(booking);
  }

  /** Gives a locked hold another order. Units that stay keep their seats and, on the same departure, their prices. */
  private async reorder(
    booking: OctoBooking,
    former: readonly OctoUnitItem[],
    body: OrderBody,
    reseller: Reseller,
  ): Promise<OctoUnitItem[]> {
    const order = await this.orders.check(booking.id, body, { ...reseller, isTest: booking.testMode });
    const { departure, optionId, hasVoucher, units } = order;
    assertCurrency(booking, departure);
    const { added, removed } = exchangedUnits(booking, former, { order, given: body.unitItems });
    await this.departures.lock([booking.departureId, departure.id]);
    const terms = { connection: reseller.connection, isTest: booking.testMode };
    if (added.length > 0) await this.units.hold(departure.id, added, terms);
    if (removed.length > 0) await this.releaseUnits(booking, removed);
    await this.repository.replaceUnits(former, units);
    Object.assign(booking, { productId: departure.productId, optionId, departureId: departure.id, hasVoucher });
    if (booking.expiresAt !== null && lastHoldEnd(departure) < booking.expiresAt) {
      booking.expiresAt = lastHoldEnd(departure);
      await this.scheduleExpiry(booking);
    }
    return units;
  }

  private async assertContact({ contact, productId }: OctoBooking, units: readonly OctoUnitItem[]): Promise<void> {
    const { option, unitFields } = await this.catalogue.requiredFields(productId);
    const missing = new Set(missingIn(contact, option));
    for (const unit of units) {
      for (const field of missingIn(unit.contact, unitFields)) missing.add(`unitItems.contact.${field}`);
    }
    if (missing.size > 0) throw unprocessableOrder(`The contact lacks ${[...missing].join(', ')}`);
  }

  private async cancelSale(
    uuid: string,
    bookingId: string,
    { reason, reseller }: { reason: string | null; reseller: Reseller },
  ): Promise<object> {
    await this.database.transaction(async () => {
      const booking = await this.repository.lockOfBooking(bookingId);
      if (booking?.status !== 'CONFIRMED') return;
      assertEnvironment(booking, reseller);
      const departure = await this.departures.getSummary(booking.departureId);
      const vouchers = await this.vouchers.listValid([bookingId]);
      const [now, today] = [this.clock.now(), this.clock.today()];
      if (!isCancellable(booking, { departure, vouchers, now, today })) {
        throw unprocessableOrder('The booking can no longer be cancelled');
      }
      await this.repository.setCancelReason(booking.id, reason);
      await this.bookings.cancel(bookingId, { reason: CANCELLED_BY_RESELLER }, null);
    });
    return this.get(uuid, reseller);
  }

  /** Changes the reservation of a booking, if it has one, in the transaction that changes the booking. */
  private async follow(verb: OctoVerb, bookingId: string, change: (booking: OctoBooking) => boolean): Promise<void> {
    const booking = await this.repository.lockOfBooking(bookingId);
    if (!booking) return;
    const before = booking.auditImage();
    if (!change(booking)) return;
    await this.repository.bookings.update(booking);
    this.record(verb, booking, before);
  }

  /** Changes a locked booking of the reseller; `false` says that nothing changed. */
  private async change(
    verb: OctoVerb,
    { uuid, reseller }: { uuid: string; reseller: Reseller },
    change: (booking: OctoBooking, units: OctoUnitItem[]) => Promise<boolean | void>,
  ): Promise<object> {
    return this.present(await this.changeLocked(verb, { uuid, reseller }, change), reseller);
  }

  private async changeLocked(
    verb: OctoVerb,
    { uuid, reseller }: { uuid: string; reseller: Reseller },
    change: (booking: OctoBooking, units: OctoUnitItem[]) => Promise<boolean | void>,
  ): Promise<OctoBooking> {
    const { id } = await this.find(uuid, reseller);
    return this.database.transaction(async () => {
      const booking = await this.repository.bookings.lock(id);
      assertEnvironment(booking, reseller);
      const before = booking.auditImage();
      if ((await change(booking, await this.repository.unitsOf([id]))) === false) return booking;
      await this.repository.bookings.update(booking);
      this.record(verb, booking, before);
      return booking;
    });
  }

  private async find(uuid: string, { connection }: Reseller): Promise<OctoBooking> {
    const booking = isUuid(uuid) ? await this.repository.findByUuid(connection.id, uuid.toLowerCase()) : null;
    if (!booking) throw invalidId('INVALID_BOOKING_UUID', 'uuid', uuid);
    return this.withoutLapse(booking);
  }

  /** Expires a lapsed hold before it is read, so that no caller sees it as live. */
  private async withoutLapse(booking: OctoBooking): Promise<OctoBooking> {
    if (!booking.isLapsed(this.clock.now())) return booking;
    await this.expire(booking.id);
    return this.repository.bookings.get(booking.id);
  }

  private async repeat(known: OctoBooking, digest: string, reseller: Reseller): Promise<object> {
    if (known.digest !== digest) throw invalidId('INVALID_BOOKING_UUID', 'uuid', known.uuid);
    return this.present(await this.withoutLapse(known), reseller);
  }

  private newBooking(
    ids: { id: string; uuid: string; digest: string },
    { productId, resellerReference, notes, contact, expirationMinutes }: ReservationBody,
    { reseller, order }: { reseller: Reseller; order: Order },
  ): OctoBooking {
    const { connection, isTest: testMode } = reseller;
    const { departure, optionId, hasVoucher } = order;
    const now = this.clock.now();
    const latest = lastHoldEnd(departure).getTime();
    const expiresAt = new Date(Math.min(holdEnd(now, expirationMinutes, reseller).getTime(), latest));
    return make(OctoBooking, {
      ...{ ...ids, connectionId: connection.id, status: 'ON_HOLD', testMode, productId, optionId, hasVoucher },
      ...{ departureId: departure.id, currency: departure.currency, settlement: connection.settlement, expiresAt },
      ...{ resellerReference: resellerReference ?? null, notes: notes ?? null, contact: contactOf(contact) },
      createdAt: now,
    });
  }

  private async releaseUnits({ departureId, testMode }: OctoBooking, units: readonly OctoUnitItem[]): Promise<void> {
    if (!testMode) await this.units.release(departureId, units);
  }

  private async scheduleExpiry({ id, expiresAt }: OctoBooking): Promise<void> {
    if (expiresAt === null) return;
    await this.jobs.add(EXPIRE_JOB, { octoBookingId: id }, { key: `${EXPIRE_JOB}:${id}`, runAt: expiresAt });
  }

  private record(verb: OctoVerb, booking: OctoBooking, before: object | null, reason: string | null = null): void {
    const { id: octoBookingId, connectionId, productId, departureId, bookingId, testMode, status } = booking;
    const subject = { subjectType: 'octo_booking', subjectId: octoBookingId };
    this.ledger.record(`octo.booking.${verb}`, { ...subject, before, after: booking.auditImage(), reason });
    const data = { octoBookingId, connectionId, productId, departureId, bookingId, testMode, status };
    this.outbox.add({ channel: 'octo.bookings', event: `octo_booking.${EVENTS[verb]}`, data });
  }

  private async departuresOn(connectionId: string, from: string, to: string): Promise<string[]> {
    const departures = await this.departures.listSummaries(await this.repository.listDepartures(connectionId));
    return departures.filter(({ startDate }) => from <= startDate && startDate <= to).map(({ id }) => id);
  }

  private async present(booking: OctoBooking, reseller: Reseller): Promise<object> {
    setResponseHeader('Octo-Env', booking.testMode ? 'test' : 'live');
    const [presented] = await this.presentAll([booking], reseller);
    if (!presented) throw new Error(`The departure ${booking.departureId} was deleted`);
    return presented;
  }

  private async presentAll(bookings: readonly OctoBooking[], reseller: Reseller): Promise<object[]> {
    const { connection, withPricing } = reseller;
    const departures = await this.departures.listSummaries(bookings.map(({ departureId }) => departureId));
    const units = await this.repository.unitsOf(bookings.map(({ id }) => id));
    const bookingIds = bookings.flatMap(({ bookingId }) => bookingId ?? []);
    const vouchers = bookingIds.length === 0 ? [] : await this.vouchers.listValid(bookingIds);
    const numbers = new Map((await this.bookings.listNumbers(bookingIds)).map(({ id, name }) => [id, name]));
    const [now, today] = [this.clock.now(), this.clock.today()];
    return bookings.flatMap((booking) => {
      const departure = departures.find(({ id }) => id === booking.departureId);
      if (!departure) return [];
      const supplierReference = referenceOf(booking, numbers);
      const own = units.filter(({ octoBookingId }) => octoBookingId === booking.id);
      return toOctoBooking(booking, {
        ...{ units: own, departure, supplierReference, connection, withPricing, now, today },
        vouchers: vouchers.filter(({ bookingId }) => bookingId === booking.bookingId),
      });
    });
  }
}

function assertSelling({ isSelling }: Reseller): void {
  if (!isSelling) throw unprocessableOrder('The channel of the reseller does not sell');
}

/** A caller that only tries the interface never changes what is sold. A live caller may end its tests. */
function assertEnvironment({ testMode }: OctoBooking, { isTest }: Reseller): void {
  if (isTest && !testMode)
    throw unprocessableOrder('The booking is live: a request with Octo-Env test cannot change it');
}

/** The cut-off of the departure, otherwise its start. */
function lastHoldEnd({ bookableUntil, startsAt }: DepartureSummary): Date {
  return bookableUntil ?? startsAt;
}

/** Units that staff have cancelled stay as they are. */
function withoutCancelled(changes: ReservationChanges, units: readonly OctoUnitItem[]): ReservationChanges {
  const cancelled = units.filter(({ cancelledAt }) => cancelledAt !== null).map(({ uuid }) => uuid);
  if (!changes.unitItems || cancelled.length === 0) return changes;
  return {
    ...changes,
    unitItems: changes.unitItems.filter(({ uuid }) => !cancelled.includes(uuid?.toLowerCase() ?? '')),
  };
}

/** The hold lasts as long as the reseller asks for, at most as long as its connection allows. */
function holdEnd(now: Date, minutes: number | null | undefined, { connection }: Reseller): Date {
  const lasts = Math.min(minutes ?? connection.holdMinutes, connection.maxHoldMinutes);
  return new Date(now.getTime() + lasts * MINUTE_MS);
}

/** Recognizes a repeated order. References and contacts may differ. */
function digestOf({ productId, optionId, availabilityId, unitItems }: ReservationBody, isTest: boolean): string {
  const units = (unitItems ?? []).map(({ unitId, uuid }) => ({ unitId, uuid: uuid?.toLowerCase() ?? null }));
  const order = { productId, optionId, availabilityId: availabilityId ?? null, units, isTest };
  return createHash('sha256')
    .update(canonicalize(order) ?? '')
    .digest('hex');
}

/** The number of our booking; a confirmed test has one of its own kind. */
function referenceOf({ bookingId, testMode, confirmedAt, id }: OctoBooking, numbers: ReadonlyMap<string, string>) {
  if (testMode) return confirmedAt === null ? null : `TEST-${id.slice(-12)}`;
  return bookingId === null ? null : (numbers.get(bookingId) ?? null);
}

/** A full name also stands for first and last name. */
function missingIn(contact: OctoContact, fields: readonly string[]): string[] {
  const present = { ...contact, locales: contact.locales.length > 0 ? contact.locales : null };
  return fields.filter((field) => {
    if (field === 'firstName' || field === 'lastName') return !contact[field] && !contact.fullName;
    return !Object.entries(present).some(([name, value]) => name === field && value);
  });
}
