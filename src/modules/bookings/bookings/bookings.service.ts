import { Injectable } from '@nestjs/common';
import { assertScope, hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AppError, conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { NamesOf } from '../../../platform/http/row-names.js';
import { ActionLedger, byReason, Undoes, versionAfter } from '../../action-ledger/index.js';
import { type CustomerCopy, CustomersService } from '../../customers/index.js';
import { ChannelsService } from '../../distribution/index.js';
import { type Terms, TermsService } from '../../legal/index.js';
import { RemindersService } from '../../notifications/index.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { AgencyTermsService } from '../agencies/agency-terms.service.js';
import { overridesOf } from '../items/sales-override.js';
import { completePolicy } from '../payment-policies/payment-policy.js';
import { BookingItemsService, type DocumentTax } from './booking-items.service.js';
import { BookingListener } from './booking-listener.js';
import {
  type BookingItemSummary,
  type BookingSummary,
  toBookingItemSummary,
  toBookingSummary,
} from './booking-summary.js';
import type {
  BookingOverride,
  CancelBooking,
  ConfirmBooking,
  CreateBooking,
  ListBookings,
  ListedBooking,
  UpdateBooking,
} from './booking.dto.js';
import { Booking, type BookingChanges, type BookingView, type CopiedMember, type Moment } from './booking.entity.js';
import { type BookingContact, BookingsRepository, COMPLETE, START } from './bookings.repository.js';
import { CancellationTermsService } from './cancellation-terms.service.js';
import { type BilledTax, withoutField } from './item-taxes.service.js';

const BATCH = 200;
/** Bookings that one merge of customers moves. */
const MOST_MOVED = 1_000;

const EVENTS = {
  create: 'created',
  update: 'updated',
  confirm: 'confirmed',
  start: 'started',
  complete: 'completed',
  cancel: 'cancelled',
  reinstate: 'reinstated',
  recalculate_taxes: 'updated',
} as const;

/** Whether this is the value that a member had before the customer changed. */
type IsFormerValue = (member: CopiedMember, value: string | null) => boolean;

interface AuditImages {
  before: object | null;
  after: object;
  reason?: string | null;
}

/** A price change without a service, in minor units of the booking's currency. */
export interface PriceAdjustment {
  title: string;
  totalCents: number;
  /** The tax without a tax code; with one it follows from the rate. */
  taxCents: number;
  taxCodeId: string | null;
  /** The rate of the credited line; null means the rate on the service date. */
  billed: BilledTax | null;
  serviceDate: string | null;
}

/**
 * Bookings as a whole. Listeners take part in the transaction of each change and can reject it. A sale meets customers,
 * channels, terms, departures and reminders only here, which is why it has so many dependencies.
 */
@Injectable()
export class BookingsService {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly items: BookingItemsService,
    private readonly channels: ChannelsService,
    private readonly departures: DeparturesService,
    private readonly terms: TermsService,
    private readonly customers: CustomersService,
    private readonly agencies: AgencyTermsService,
    private readonly cancellationTerms: CancellationTermsService,
    private readonly listeners: Listeners,
    private readonly reminders: RemindersService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** `takenOverOn` is the day on which the booking is imported from an earlier system. */
  async create(
    input: CreateBooking,
    id = newId('book'),
    { takenOverOn = null }: { takenOverOn?: string | null } = {},
  ): Promise<BookingView> {
    const { status = 'draft', number } = input;
    if (status !== 'draft')
      throw unprocessable('invalid_initial_status', `A new booking cannot be ${status}`, { field: 'status' });
    const booking = newBooking(input, id, this.clock.now());
    booking.takenOverOn = takenOverOn;

    return this.database.transaction(async () => {
      if (booking.customerId) booking.copyCustomer(await this.customers.lockLive(booking.customerId), input);
      const agency = booking.customerId === null ? null : await this.agencies.find(booking.customerId);
      if (agency) booking.takeTerms(agency, input);
      if (booking.channelId !== null) await this.channels.assertUsable(booking.channelId);
      if (number === undefined) await this.repository.insertNumbered(booking);
      else if (!(await this.repository.bookings.insertUnlessTaken(booking))) throw numberTaken(number);
      this.record('create', booking, { before: null, after: booking.auditImage() });
      return {
        ...booking,
        isCancellingAtSupplier: false,
        isTaxRateChanged: false,
        isDueAfterDeparture: false,
        tripId: null,
      };
    });
  }

  async get(id: string): Promise<BookingView> {
    return this.repository.getView(id);
  }

  @NamesOf('bookingId')
  async listNumbers(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.database.query('select id, number as name from bookings where id = any($1)', [ids]);
  }

  /** A filter by balance needs the scope `finance:receivables`. */
  async list(query: ListBookings): Promise<{ rows: ListedBooking[]; total: number }> {
    if (query.balance !== undefined) assertScope('finance:receivables');
    return this.repository.list(query);
  }

  /** Returns the booking as the list shows it. */
  async getListed(id: string): Promise<ListedBooking> {
    return this.repository.getListed(id);
  }

  async update(id: string, body: UpdateBooking, expected: ExpectedVersions): Promise<BookingView> {
    const changes = changesOf(body);
    return this.database.transaction(async () => {
      // A change of a customer locks it before its bookings.
      const customer = body.customerId ? await this.customers.lockShared(body.customerId) : null;
      const booking = await this.lockExpected(id, expected);
      const before = booking.auditImage();
      const { departureDate, channelId, customerId, customerEmail } = booking;
      const isNewCustomer = customer !== null && customer.copy.id !== customerId;
      if (isNewCustomer) customer.assertLive();
      booking.change(changes, this.clock.now());
      if (isNewCustomer && !booking.isClosed()) booking.copyCustomer(customer.copy, changes);
      await this.repository.refreshDates(booking);
      if (booking.channelId !== null && booking.channelId !== channelId) {
        await this.channels.assertUsable(booking.channelId);
        await this.items.assertSoldBy(booking.channelId, id);
      }
      if (!(await this.repository.bookings.updateUnlessTaken(booking))) throw numberTaken(booking.number);
      // The snapshot omits name and address; the list of changed fields shows that they changed.
      const after = { ...booking.auditImage(), changed: Object.keys(changes).sort() };
      this.record('update', booking, { before, after });
      const view = await this.repository.viewOf(booking);
      const isMoved = await this.departureMoved(view, departureDate);
      if (isNewCustomer && (await this.isBalanceDue(id))) await this.assertCredit(booking);
      if (isMoved) await this.updateReminders(id);
      if (booking.customerEmail !== customerEmail) await this.reminders.addressChanged([id]);
      return view;
    });
  }

  /** A draft becomes a sale, under the terms in force today. An override needs a reason and the scope `bookings:override`. */
  async confirm(
    id: string,
    expected: ExpectedVersions,
    { override, overrideReason }: ConfirmBooking = {},
  ): Promise<BookingView> {
    const overrides = overridesOf({ override, overrideReason });
    return this.database.transaction(async () => {
      const booking = await this.lockExpected(id, expected);
      const before = booking.auditImage();
      booking.confirm((await this.repository.countActiveItems(id)).count, this.moment());
      const departures = await this.departures.listSummaries(await this.repository.activeDepartures(id));
      assertNoneCalledOff(departures);
      booking.agreeTo(await this.termsOf(booking, departures));
      await this.repository.bookings.update(booking);
      const tentative = departures.filter(({ runState }) => runState === 'tentative');
      await this.departures.assessMinimums(tentative.map((departure) => departure.id));
      this.record('confirm', booking, { before, after: booking.auditImage(), reason: overrideReason ?? null });
      const view = await this.repository.viewOf(booking);
      const summary = toBookingSummary(view);
      await this.listeners.call(BookingListener, (listener) => listener.confirmed?.(summary));
      await this.assertCredit(booking, overrides);
      await this.updateReminders(id);
      return view;
    });
  }

  /** Cancels the booking and its items. Listeners get the fee under the terms of the confirmation. */
  @Undoes('bookings.booking.create', {
    effect: 'bookings.booking.cancel',
    values: (entry, reason) => [entry.subjectId, { reason }, versionAfter(entry)] as const,
  })
  async cancel(id: string, body: CancelBooking, expected: ExpectedVersions): Promise<BookingView> {
    const { reason, cancelledOn = this.clock.today(), initiator = 'customer', informCustomer = true } = body;
    return this.database.transaction(async () => {
      await this.listeners.call(BookingListener, (listener) => listener.beforeLock?.(id));
      const booking = await this.lockExpected(id, expected);
      const before = booking.auditImage();
      const sold = await this.repository.viewOf(booking);
      booking.cancel(reason, { declaredOn: cancelledOn, ...this.moment() });
      this.cancellationTerms.assertCancelledOn(cancelledOn, sold);
      const items = await this.repository.activeItems(id);
      const cost = await this.cancellationTerms.costOf(sold, items, { cancelledOn, initiator });
      const cancelledItemIds = await this.items.cancelAll(id, reason);
      await this.repository.refreshDates(booking);
      await this.repository.bookings.update(booking);
      this.record('cancel', booking, { before, after: { ...booking.auditImage(), cancelledItemIds }, reason });
      const view = await this.repository.viewOf(booking);
      const summary = toBookingSummary(view);
      const informsCustomer = informCustomer && sold.status !== 'draft';
      const totalCents = sold.totalCents ?? 0;
      const cancellation = { reason, cancelledOn, initiator, informsCustomer, totalCents, cost };
      await this.listeners.call(BookingListener, (listener) => listener.cancelled?.(summary, cancellation));
      await this.updateReminders(id);
      return view;
    });
  }

  /** Reverses a cancellation before the departure: the items that were cancelled with it take their units again. */
  @Undoes('bookings.booking.cancel', { effect: 'bookings.booking.reinstate', values: byReason })
  async reinstate(id: string, reason: string, expected: ExpectedVersions): Promise<BookingView> {
    return this.database.transaction(async () => {
      const customerId = await this.repository.customerOf(id);
      if (customerId !== null) await this.customers.lockLive(customerId);
      await this.listeners.call(BookingListener, (listener) => listener.beforeLock?.(id));
      const booking = await this.lockExpected(id, expected);
      const before = booking.auditImage();
      booking.reinstate(this.clock.now());
      const items = await this.repository.itemsCancelledWith(id);
      const [dateBefore = booking.departureDate] = items.flatMap(({ serviceDate }) => serviceDate ?? []).sort();
      await this.items.reinstateAll(items);
      if (items.length > 0) booking.addToTotal(sumOf(items), this.clock.now());
      await this.repository.refreshDates(booking);
      await this.repository.bookings.update(booking);
      await this.departures.assessMinimums(items.flatMap(({ departureId }) => departureId ?? []));
      const view = await this.repository.viewOf(booking);
      this.cancellationTerms.assertAhead(view.departureDate);
      const reinstatedItemIds = items.map((item) => item.id).sort();
      this.record('reinstate', booking, { before, after: { ...booking.auditImage(), reinstatedItemIds }, reason });
      const summary = toBookingSummary(view);
      const summaries = items.map(toBookingItemSummary);
      await this.listeners.call(BookingListener, (listener) => listener.reinstated?.(summary, summaries, reason));
      await this.departureMoved(view, dateBefore);
      if (await this.isBalanceDue(id)) await this.assertCredit(booking);
      await this.updateReminders(id);
      return view;
    });
  }

  /**
   * Applies the tax rate of the service date to the part of the items that no document bills; the billed part keeps its tax.
   */
  async recalculateTaxes(id: string, expected: ExpectedVersions): Promise<BookingView> {
    return this.database.transaction(async () => {
      const booking = await this.lockExpected(id, expected);
      booking.assertNotCancelled();
      const before = booking.auditImage();
      const changed = await this.items.recalculateTaxes(id);
      if (changed.length > 0) {
        booking.updatedAt = this.clock.now();
        await this.repository.bookings.update(booking);
      }
      const recalculatedItemIds = changed.map((item) => item.id).sort();
      this.record('recalculate_taxes', booking, { before, after: { ...booking.auditImage(), recalculatedItemIds } });
      const summary = toBookingSummary(booking);
      for (const item of changed.map(toBookingItemSummary)) {
        try {
          await this.listeners.call(BookingListener, (listener) => listener.itemChanged?.(summary, item));
        } catch (error) {
          throw error instanceof AppError ? withoutField(error, item.id) : error;
        }
      }
      return this.repository.viewOf(booking);
    });
  }

  /**
   * Starts bookings on their departure date and completes them, with their items, after their return date. Several processes
   * may do so at once; each batch is a transaction. The next run handles bookings that are locked.
   */
  async progressByDate(): Promise<void> {
    for (const verb of ['start', 'complete'] as const) {
      while ((await this.database.transaction(() => this.progressBatch(verb))) === BATCH);
    }
  }

  /** The booking with this number, in upper or lower case; null if there is none. */
  async findIdByNumber(number: string): Promise<string | null> {
    return (await this.repository.bookings.findBy({ number: number.trim().toUpperCase() }))?.id ?? null;
  }

  /** Updates the end dates of bookings with items on a departure, each in its own transaction. */
  async followDeparture(departureId: string): Promise<void> {
    for (const id of await this.repository.bookingsNotReturning(departureId)) {
      await this.database.transaction(async () => {
        const booking = await this.repository.bookings.lock(id);
        const { departureDate, returnDate } = booking;
        await this.repository.refreshDates(booking);
        if (booking.returnDate === returnDate && booking.departureDate === departureDate) return;
        await this.repository.bookings.update(booking);
        const before = { id, departureDate, returnDate };
        const after = { id, departureDate: booking.departureDate, returnDate: booking.returnDate };
        this.record('update', booking, { before, after: { ...after, version: booking.version } });
      });
    }
  }

  /** Open bookings in which one of these members still has the customer's former value. */
  async staleCopies(before: CustomerCopy, members: readonly CopiedMember[]): Promise<string[]> {
    return this.repository.staleCopies(before, members);
  }

  /**
   * Copies the customer into these open bookings, where a member still has the former value. The customer is locked.
   */
  async followCustomer(customer: CustomerCopy, bookingIds: readonly string[], isFormer: IsFormerValue): Promise<void> {
    const readdressed: string[] = [];
    for (const booking of await this.repository.bookings.lockAll(bookingIds)) {
      if (booking.customerId !== customer.id || booking.isClosed()) continue;
      const members = booking.copiedMembers().filter((member) => isFormer(member, booking[member]));
      if (members.length === 0) continue;
      const before = booking.auditImage();
      booking.followCustomer(customer, members, this.clock.now());
      await this.repository.bookings.update(booking);
      this.record('update', booking, { before, after: { ...booking.auditImage(), changed: members.toSorted() } });
      if (members.includes('customerEmail')) readdressed.push(booking.id);
    }
    await this.reminders.addressChanged(readdressed);
  }

  /**
   * Links bookings without a customer record, but with an e-mail address, to the customer with this address and name, who is
   * created if there is none. Each booking is a transaction of its own, so the work can be stopped and repeated. Returns how many
   * bookings were linked.
   */
  async linkCustomers(report: (linked: number) => void): Promise<number> {
    let linked = 0;
    let found = await this.repository.withoutCustomer(null, BATCH);
    while (found.length > 0) {
      for (const contact of found) if (await this.linkCustomer(contact)) linked += 1;
      report(linked);
      found = await this.repository.withoutCustomer(found.at(-1)?.id ?? null, BATCH);
    }
    return linked;
  }

  /** Throws 409 while the customer has a booking that is neither completed nor cancelled. */
  async assertNoOpenOf(customerId: string): Promise<void> {
    const bookings = await this.repository.countOpenOf(customerId);
    if (bookings > 0) throw conflict('customer_in_use', 'The customer has open bookings', { bookings });
  }

  /**
   * Moves the bookings of these customers to another one, and returns them with their former customers. Throws 422 for more than
   * 1,000 bookings: each of them gets an entry in the ledger.
   */
  async moveToCustomer(
    customerId: string,
    formerIds: readonly string[],
  ): Promise<{ id: string; customerId: string }[]> {
    const bookings = await this.repository.lockOfCustomers(formerIds, MOST_MOVED + 1);
    if (bookings.length > MOST_MOVED) {
      const message = `The duplicates have more than ${MOST_MOVED} bookings: merge in the other direction`;
      throw unprocessable('too_many_bookings', message, { field: 'duplicateIds', max: MOST_MOVED });
    }
    const former = bookings.map((booking) => ({ id: booking.id, customerId: booking.customerId ?? '' }));
    for (const booking of bookings) await this.moveTo(booking, customerId);
    return former;
  }

  /** Restores the former customers of bookings when a merge is reversed. Throws 409 `changed_since` if one of them belongs to another customer by now. */
  async moveBack(customerId: string, former: readonly { id: string; customerId: string }[]): Promise<void> {
    const owners = new Map(former.map((record) => [record.id, record.customerId]));
    for (const booking of await this.repository.bookings.lockAll([...owners.keys()])) {
      if (booking.customerId !== customerId) {
        const message = 'A booking of the customer was changed after this action';
        throw conflict('changed_since', message, { bookingId: booking.id });
      }
      await this.moveTo(booking, owners.get(booking.id) ?? customerId);
    }
  }

  /** Returns the given bookings whose personal data was erased. */
  async erasedAmong(ids: readonly string[]): Promise<string[]> {
    return this.repository.erasedAmong(ids);
  }

  /** Locks the booking, and with it its items and total, until the end of the transaction. `details` name a body's field. */
  async lock(id: string, details?: { field: string }): Promise<BookingSummary> {
    const booking = await this.repository.bookings.lock(id, details);
    return toBookingSummary(booking);
  }

  async getSummary(id: string): Promise<BookingSummary> {
    return toBookingSummary(await this.repository.getView(id));
  }

  async departedBefore(day: string, bookingIds: readonly string[]): Promise<string[]> {
    return this.repository.departedBefore(day, bookingIds);
  }

  /** The items that are not cancelled, oldest first; at most 500. */
  async activeItems(bookingId: string): Promise<BookingItemSummary[]> {
    return (await this.repository.activeItems(bookingId)).map(toBookingItemSummary);
  }

  /**
   * Called after a document with these lines began or ceased to count. The parts that documents bill at earlier rates keep
   * their tax; the rest gets the rate of the item.
   */
  async followDocument(
    booking: BookingSummary,
    lines: readonly DocumentTax[],
    options?: { isReplacement?: boolean },
  ): Promise<void> {
    await this.items.followDocument(booking, lines, options);
  }

  /** Whether documents billed a part of an item that is not cancelled before its rate changed. */
  async hasEarlierRates(bookingId: string): Promise<boolean> {
    return (await this.repository.activeItems(bookingId)).some(({ earlierRateCents }) => earlierRateCents !== 0);
  }

  /** The items that were cancelled together with the booking, oldest first. */
  async itemsCancelledWith(bookingId: string): Promise<BookingItemSummary[]> {
    return (await this.repository.itemsCancelledWith(bookingId)).map(toBookingItemSummary);
  }

  /** An item, cancelled or not. */
  async getItem(itemId: string): Promise<BookingItemSummary> {
    return toBookingItemSummary(await this.repository.items.get(itemId));
  }

  /**
   * Adds an item of type `adjustment` to a booking that is not cancelled, even after its completion: a credit that lowers the
   * price. `totalCents` is negative for it.
   */
  async adjustPrice(id: string, adjustment: PriceAdjustment): Promise<BookingItemSummary> {
    const { title, totalCents: unitSellCents, taxCents, taxCodeId, billed, serviceDate } = adjustment;
    const tax = taxCodeId === null ? { taxIncludedCents: taxCents } : { taxCodeId };
    const item = { type: 'adjustment' as const, title, unitSellCents, serviceDate, ...tax };
    return toBookingItemSummary(
      await this.items.add(id, item, { billed, isAllowedWhenCompleted: true, isCodeOptional: true }),
    );
  }

  /**
   * Throws 409 if the customer of a sold booking owes more than its credit. Call this after all changes of the booking and its
   * departures: concurrent sales to the customer wait for the lock of the terms until this one commits, and then count it.
   * Callers who may not see what customers owe get no figures.
   */
  private async assertCredit(
    { status, customerId, currency }: Booking,
    overrides: readonly BookingOverride[] = [],
  ): Promise<void> {
    if (status === 'draft' || customerId === null) return;
    const agency = await this.agencies.lock(customerId);
    const limitCents = agency?.limitIn(currency) ?? null;
    if (limitCents === null || overrides.includes('credit_limit')) return;
    let openCents = 0;
    await this.listeners.call(BookingListener, async (listener) => {
      openCents += (await listener.openBalance?.(customerId, currency)) ?? 0;
    });
    if (openCents <= limitCents) return;
    const figures = hasScope('finance:receivables') ? { limitCents, openCents } : {};
    const message = 'The open balance of the customer would exceed its credit limit';
    throw conflict('credit_limit_exceeded', message, { customerId, currency, ...figures });
  }

  private async isBalanceDue(id: string): Promise<boolean> {
    const due: boolean[] = [];
    await this.listeners.call(BookingListener, async (listener) => {
      due.push((await listener.isBalanceDue?.(id)) ?? false);
    });
    return due.includes(true);
  }

  /** If the departure date changed, calls the listeners and stores the move. Returns whether it changed. */
  private async departureMoved(view: BookingView, before: string | null): Promise<boolean> {
    if (view.departureDate === before) return false;
    const summary = toBookingSummary(view);
    await this.listeners.call(BookingListener, (listener) => listener.dateMoved?.(summary, before));
    const waitingSince = await this.reminders.waitingSince(view.id, 'departure_changed');
    await this.repository.recordMove(view.id, { before, after: view.departureDate, waitingSince });
    return true;
  }

  private async linkCustomer({ id, name, email }: BookingContact): Promise<boolean> {
    return this.database.transaction(async () => {
      const customerId = await this.customers.findOrCreate({ name, email });
      const booking = await this.repository.bookings.lock(id);
      if (booking.customerId !== null || booking.erasedAt !== null) return false;
      await this.moveTo(booking, customerId);
      return true;
    });
  }

  private async moveTo(booking: Booking, customerId: string): Promise<void> {
    const before = booking.auditImage();
    Object.assign(booking, { customerId, updatedAt: this.clock.now() });
    await this.repository.bookings.update(booking);
    this.record('update', booking, { before, after: { ...booking.auditImage(), changed: ['customerId'] } });
  }

  private moment(): Moment {
    return { now: this.clock.now(), today: this.clock.today() };
  }

  /** Plans and cancels reminders of the booking. Runs last, when no listener can still reject the change. */
  private async updateReminders(id: string): Promise<void> {
    await this.reminders.reschedule(id, ['departure_upcoming', 'departure_changed', 'booking_confirmed']);
  }

  private async lockExpected(id: string, expected: ExpectedVersions): Promise<Booking> {
    const booking = await this.repository.bookings.lock(id);
    assertVersion(expected, booking);
    return booking;
  }

  private async termsOf({ channelId }: Booking, departures: readonly DepartureSummary[]): Promise<Terms> {
    const productIds = [...new Set(departures.map(({ productId }) => productId))].sort();
    return this.terms.inForce({ on: this.clock.today(), channelId, productIds });
  }

  private async progressBatch(verb: 'start' | 'complete'): Promise<number> {
    const progress = verb === 'start' ? START : COMPLETE;
    const { from, to: status } = progress;
    const due = await this.repository.lockDue(progress, BATCH);
    const moved = due.length === 0 ? [] : await this.repository.progress(progress, due);
    const movedIds = moved.map(({ id }) => id);
    const fulfilled = verb === 'complete' ? await this.repository.fulfillItems(movedIds) : null;
    for (const booking of moved) {
      const { id, version } = booking;
      const before = { id, status: from, version: version - 1 };
      const after = { id, status, version };
      const itemIds = fulfilled ? { fulfilledItemIds: fulfilled.get(id) ?? [] } : {};
      this.record(verb, { ...booking, status }, { before, after: { ...after, ...itemIds } });
    }
    return due.length;
  }

  /** Events contain no personal data; each goes to the booking's own channel and to the one of all bookings. */
  private record(
    verb: keyof typeof EVENTS,
    booking: Pick<Booking, 'id' | 'number' | 'status' | 'currency' | 'totalCents' | 'version'>,
    images: AuditImages,
  ): void {
    this.ledger.record(`bookings.booking.${verb}`, { subjectType: 'booking', subjectId: booking.id, ...images });
    const { id: bookingId, number, status, currency, totalCents, version } = booking;
    const data = { bookingId, number, status, currency, totalCents, version };
    for (const channel of [`bookings.${bookingId}`, 'bookings']) {
      this.outbox.add({ channel, event: `booking.${EVENTS[verb]}`, data });
    }
  }
}

function newBooking(input: CreateBooking, id: string, now: Date): Booking {
  if (input.customerName === undefined && !input.customerId) {
    throw invalidField('customerName', 'customerName is required', 'required');
  }
  const booking = make(Booking, {
    id,
    number: input.number ?? '',
    status: 'draft',
    currency: input.currency,
    customerId: input.customerId,
    customerName: input.customerName ?? '',
    customerEmail: input.customerEmail,
    customerPhone: input.customerPhone,
    customerLanguage: input.customerLanguage,
    customerAddress: input.customerAddress,
    startDate: input.startDate,
    endDate: input.endDate,
    departureDate: input.startDate,
    returnDate: input.endDate,
    notes: input.notes,
    paymentPolicy: input.paymentPolicy ? completePolicy(input.paymentPolicy, 'paymentPolicy') : null,
    channelId: input.channelId,
    createdAt: now,
  });
  booking.assertDates();
  return booking;
}

function changesOf({ paymentPolicy, ...fields }: UpdateBooking): BookingChanges {
  if (paymentPolicy === undefined) return fields;
  return { ...fields, paymentPolicy: paymentPolicy && completePolicy(paymentPolicy, 'paymentPolicy') };
}

/** A draft with seats of a departure that was called off is cancelled or moved instead. */
function assertNoneCalledOff(departures: readonly DepartureSummary[]): void {
  const departureIds = departures.filter(({ status }) => status === 'called_off').map(({ id }) => id);
  if (departureIds.length === 0) return;
  throw conflict('departure_called_off', 'The departure is called off', { departureIds });
}

function sumOf(items: readonly { totalSellCents: number }[]): number {
  return items.reduce((sum, { totalSellCents }) => sum + totalSellCents, 0);
}

function numberTaken(number: string): Error {
  return conflict('booking_number_taken', 'Another booking already has this number', { number });
}
