import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { type AppError, conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  changedIn,
  parentIn,
  type RecordedAction,
  Undoes,
  versionAfter,
} from '../../action-ledger/index.js';
import { AllotmentsService, ChannelsService } from '../../distribution/index.js';
import { RemindersService } from '../../notifications/index.js';
import {
  DeparturesService,
  type DepartureSummary,
  FacilitiesService,
  type SalesTerms,
} from '../../operations/index.js';
import { UnitPricesService } from '../../products/index.js';
import { type CreateBookingItem, type ListBookingItems, UpdateBookingItem } from '../items/booking-item.dto.js';
import { type BookingItem, NO_UNIT, type SupplierStatus, type UnitOfItem } from '../items/booking-item.entity.js';
import { BookingListener, type TotalChange } from './booking-listener.js';
import { type BookingSummary, toBookingItemSummary, toBookingSummary } from './booking-summary.js';
import type { Booking } from './booking.entity.js';
import { BookingsRepository, type ItemPath, type ItemUnits, type SoldItems } from './bookings.repository.js';
import { type BilledTax, ItemTaxesService } from './item-taxes.service.js';
import { newItem } from './new-booking-item.js';
import { type ItemOverride, overridesOf, termsOf } from '../items/sales-override.js';
import { CancellationTermsService } from './cancellation-terms.service.js';
import { DepartureMovesService } from './departure-moves.service.js';

/** An invoice has at most 500 lines, one for each active item. */
const MAX_ACTIVE_ITEMS = 500;
const MAX_TITLE = 255;

const EVENTS = { create: 'created', update: 'updated', cancel: 'cancelled', reinstate: 'reinstated' } as const;

/** An item, and the versions that a change of it expects. */
export type ItemTarget = ItemPath & { expected: ExpectedVersions };

interface NewItem {
  id?: string;
  hasUnits?: boolean;
  /** What is sold, with its price; without it, the departure at the price of one seat. */
  unit?: UnitOfItem;
  /** The terms on which its units are taken; those of the overrides unless given. */
  terms?: SalesTerms | undefined;
  supplierStatus?: SupplierStatus;
  /** Applies this rate instead of the rate of the service date. */
  billed?: BilledTax | null;
  /** Set for a credit that lowers the price afterwards. */
  isAllowedWhenCompleted?: boolean;
  /** Accepts a missing tax code even if the accounting settings require one. */
  isCodeOptional?: boolean;
}

/** The tax of a line of a document. */
export type DocumentTax = Pick<BookingItem, 'taxCodeId'>;

/** The active items of a booking, which follow its documents, including changes that the caller is about to save. */
interface Following {
  items?: readonly BookingItem[];
  added?: BookingItem;
  changed?: BookingItem;
  without?: BookingItem | null;
}

/**
 * The amount that an item adds to the booking total, and the item if it was cancelled or reinstated. If the customer gets another
 * mail about the change, `isAnnounced` prevents the mail about another day of departure.
 */
type Difference = { cents: number; isAnnounced?: boolean } & Partial<
  Pick<TotalChange, 'cancelledItemId' | 'reinstatedItemId'>
>;

interface ItemUpdate {
  reason?: string | null;
  keepsMissingRate?: boolean;
  isReversal?: boolean;
  /** Moves the item with its booking: at its price, or at the price of today on the other departure. */
  rebooking?: { isRepriced: boolean; isAnnounced: boolean } | null;
}

type SoldUnits = Record<'bookingItemId', string> & Record<'units', number>;

/**
 * The items of bookings. Each change locks the booking, then the departures in the order of their ids, and updates the
 * booking's total. It has many dependencies: an item takes units of departures or allotments, has a price and a tax, its
 * cancellation may cost a fee, and listeners follow its price.
 */
@Injectable()
export class BookingItemsService {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly departures: DeparturesService,
    private readonly facilities: FacilitiesService,
    private readonly allotments: AllotmentsService,
    private readonly channels: ChannelsService,
    private readonly unitPrices: UnitPricesService,
    private readonly taxes: ItemTaxesService,
    private readonly cancellationTerms: CancellationTermsService,
    private readonly listeners: Listeners,
    private readonly reminders: RemindersService,
    private readonly departureMoves: DepartureMovesService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async get(path: ItemPath): Promise<BookingItem> {
    return this.repository.getItem(path);
  }

  async list(bookingId: string, query: ListBookingItems): Promise<{ rows: BookingItem[]; total: number }> {
    const page = await this.repository.listItems(bookingId, query);
    if (page.total === 0) await this.repository.bookings.get(bookingId);
    return page;
  }

  /**
   * `hasUnits` says that the caller has already sold the departure's units to this item; `supplierStatus` comes from the trip's
   * component.
   */
  async add(
    bookingId: string,
    input: CreateBookingItem,
    {
      id = newId('bkit'),
      hasUnits,
      supplierStatus = 'none',
      billed,
      isAllowedWhenCompleted,
      isCodeOptional,
      unit,
      terms,
    }: NewItem = {},
  ): Promise<BookingItem> {
    const { status = 'confirmed' } = input;
    if (status !== 'confirmed')
      throw unprocessable('invalid_initial_status', `A new item cannot be ${status}`, { field: 'status' });
    const overrides = overridesOf(input);

    return this.database.transaction(async () => {
      const booking = await this.repository.bookings.lock(bookingId);
      if (!isAllowedWhenCompleted || booking.status !== 'completed') assertOpenFor(booking, input.type);
      const sold = await this.assertBelowLimit(bookingId);
      const item = newItem(input, { id, booking, supplierStatus, now: this.clock.now() });
      await this.assertSelling(booking.channelId, item);
      await this.facilities.lockUsable(item.pickupFacilityId, 'pickupFacilityId');
      const departure = (await this.lockDepartures([item])).get(item.departureId ?? '');
      if (departure) {
        if (!overrides.includes('currency')) assertCurrency(booking, departure);
        item.serviceDate = departure.startDate;
      }
      item.listAt(unit ?? (departure ? priceOfDeparture(booking, departure) : NO_UNIT));
      if (!hasUnits) await this.assertListed(item, { productId: item.productId, overrides, field: 'units' });
      const departureTaxCodeId = departure?.taxCodeId ?? null;
      await this.taxes.applyTo(item, input, { billed, departureTaxCodeId, isCodeOptional });
      await this.taxes.assertGroups(booking, { before: null, after: item }, { isCodeOptional });
      const followed: BookingItem[] = [];
      const summary = await this.saveWithTotal(booking, { cents: item.totalSellCents }, async () => {
        // Adds an item for a credit note that lowers the price; the item follows the documents when the note is issued.
        if (sold.hasEarlierRates && item.taxCodeId !== null && !billed)
          followed.push(...(await this.followDocuments(bookingId, { added: item })));
        await this.repository.items.insert(item);
        if (!hasUnits) await this.takeUnits(unitsOf(item), terms ?? termsOf(overrides));
        this.record('create', item, { before: null, reason: input.overrideReason });
      });
      await this.reportChanged(summary, followed);
      return item;
    });
  }

  /** With `keepsMissingRate`, a move to a day without a tax rate keeps the rate and sets `taxRateChanged`. */
  @Undoes('bookings.booking_item.update', {
    effect: 'bookings.booking_item.update',
    values: async (entry, reason) =>
      [targetOf(entry), await checkedAs(UpdateBookingItem, changedIn(entry)), { reason, isReversal: true }] as const,
  })
  async update(
    target: ItemTarget,
    { override, overrideReason, ...changes }: UpdateBookingItem,
    {
      reason = overrideReason ?? null,
      keepsMissingRate = false,
      isReversal = false,
      rebooking = null,
    }: ItemUpdate = {},
  ): Promise<BookingItem> {
    const overrides = overridesOf({ override, overrideReason });
    return this.database.transaction(async () => {
      const { booking, item } = await this.lock(target);
      const [before, beforeCents, oldUnits] = [item.auditImage(), item.totalSellCents, unitsOf(item)];
      const { quantity, unitSellCents, productId, pickupFacilityId } = item;
      const [previous, hadEarlierRate] = [this.taxes.imageOf(item), item.earlierRateCents !== 0];
      item.change(changes, this.clock.now());
      const newUnits = unitsOf(item);
      if (needsMore(oldUnits, newUnits)) await this.assertSelling(booking.channelId, newUnits);
      if (item.pickupFacilityId !== pickupFacilityId && !isReversal) {
        await this.facilities.lockUsable(item.pickupFacilityId, 'pickupFacilityId');
      }
      const departures = await this.lockDepartures([newUnits, oldUnits]);
      const departure = departures.get(item.departureId ?? '');
      const isElsewhere = item.departureId !== oldUnits.departureId;
      const acceptsCurrency = isReversal || overrides.includes('currency');
      if (departure && isElsewhere && !acceptsCurrency) assertCurrency(booking, departure);
      if (departure && (isElsewhere || changes.serviceDate !== undefined)) item.serviceDate = departure.startDate;
      if (isElsewhere) followDeparture(item, booking, { departure: departure ?? null, isReversal });
      if (rebooking?.isRepriced && departure) await this.reprice(item, booking, departure);
      if (!isReversal && rebooking === null) {
        const { unitId } = item;
        if (unitId !== null && item.quantity !== quantity) await this.unitPrices.assertQuantity(unitId, item);
        if (item.quantity !== quantity) await this.assertQuantityOfExtra(item);
        // Items of older builds have no product of their own.
        const former = productId ?? departures.get(oldUnits.departureId ?? '')?.productId ?? null;
        const product = departure?.productId ?? item.productId;
        const isMore = item.quantity > quantity;
        const isListed = unitId !== null || item.extraId !== null;
        if (item.unitSellCents !== unitSellCents || product !== former || (isMore && !isListed)) {
          await this.assertListed(item, { productId: product, overrides, field: 'override' });
        } else if (isMore) {
          await this.assertPriceOfToday(item, { booking, departure, overrides });
        }
      }
      await this.taxes.change(item, changes, { taxDay: previous.taxDay, keepsMissingRate });
      const hasOthers = await this.taxes.assertGroups(booking, { before: previous, after: item });
      const followed: BookingItem[] = [];
      const isRecoded = item.taxCodeId !== previous.taxCodeId;
      const difference = { cents: item.totalSellCents - beforeCents, isAnnounced: rebooking?.isAnnounced ?? false };
      const summary = await this.saveWithTotal(booking, difference, async () => {
        if (isRecoded || ((hadEarlierRate || hasOthers) && item.totalSellCents !== beforeCents)) {
          followed.push(...(await this.followDocuments(booking.id, { changed: item })));
        }
        await this.repository.items.update(item);
        await this.exchangeUnits(oldUnits, newUnits, termsOf(overrides));
        this.record('update', item, { before, reason });
      });
      const former = departures.get(oldUnits.departureId ?? '');
      if (isElsewhere && departure && former?.productId === departure.productId) {
        const isAnnounced = rebooking?.isAnnounced ?? false;
        await this.departureMoves.rebooked(booking.id, { from: former, to: departure, isAnnounced });
      }
      await this.reportChanged(summary, [item, ...followed]);
      return item;
    });
  }

  /** With `applyTerms`, an item of type `fee` replaces it, for the amount that the booking's terms charge. */
  @Undoes('bookings.booking_item.create', {
    effect: 'bookings.booking_item.cancel',
    values: (entry, reason) => [targetOf(entry), { reason }] as const,
  })
  async cancel(
    target: ItemTarget,
    {
      reason = null,
      applyTerms = false,
      isAnnounced = false,
    }: { reason?: string | null; applyTerms?: boolean; isAnnounced?: boolean },
  ): Promise<BookingItem> {
    return this.database.transaction(async () => {
      await this.listeners.call(BookingListener, (listener) => listener.beforeLock?.(target.bookingId));
      const { booking, item } = await this.lock(target);
      const before = item.auditImage();
      const hasOthers = await this.taxes.assertGroups(booking, { before: item, after: null });
      const feeCents = applyTerms ? await this.cancellationTerms.feeOf(await this.repository.viewOf(booking), item) : 0;
      item.cancel(reason, this.clock.now());
      await this.lockDepartures([item]);
      const difference = { cents: feeCents - item.totalSellCents, cancelledItemId: item.id, isAnnounced };
      const followed: BookingItem[] = [];
      const summary = await this.saveWithTotal(booking, difference, async () => {
        await this.repository.items.update(item);
        await this.releaseUnits([unitsOf(item)]);
        this.record('cancel', item, { before, reason });
        if (feeCents > 0) await this.insertFee(booking, item, feeCents);
        if (item.earlierRateCents !== 0 || hasOthers) followed.push(...(await this.followDocuments(booking.id)));
      });
      await this.listeners.call(BookingListener, (listener) =>
        listener.itemCancelled?.(summary, toBookingItemSummary(item)),
      );
      await this.reportChanged(summary, followed);
      return item;
    });
  }

  /** Reverses the cancellation of an item: takes its units again and cancels the fee that was charged for it. */
  @Undoes('bookings.booking_item.cancel', {
    effect: 'bookings.booking_item.reinstate',
    values: (entry, reason) => [targetOf(entry), reason] as const,
  })
  async reinstate(target: ItemTarget, reason: string): Promise<BookingItem> {
    return this.database.transaction(async () => {
      await this.listeners.call(BookingListener, (listener) => listener.beforeLock?.(target.bookingId));
      const { booking, item } = await this.lock(target);
      const before = item.auditImage();
      item.reinstate(this.clock.now());
      const sold = await this.assertBelowLimit(booking.id);
      await this.followDepartures([item]);
      this.cancellationTerms.assertAhead(item.serviceDate);
      const fee = await this.repository.items.findBy({
        bookingId: booking.id,
        feeOfItemId: item.id,
        status: 'confirmed',
      });
      const difference = { cents: item.totalSellCents - (fee?.totalSellCents ?? 0), reinstatedItemId: item.id };
      const followed: BookingItem[] = [];
      const summary = await this.saveWithTotal(booking, difference, async () => {
        if (sold.hasEarlierRates && item.taxCodeId !== null) {
          followed.push(...(await this.followDocuments(booking.id, { added: item, without: fee })));
        }
        await this.repository.items.update(item);
        await this.takeUnits(unitsOf(item), 'reinstatement');
        this.record('reinstate', item, { before, reason });
        if (fee) await this.cancelFee(fee, reason);
      });
      await this.listeners.call(BookingListener, (listener) =>
        listener.itemReinstated?.(summary, toBookingItemSummary(item), reason),
      );
      if (fee) {
        const cancelled = toBookingItemSummary(fee);
        await this.listeners.call(BookingListener, (listener) => listener.itemCancelled?.(summary, cancelled));
      }
      await this.reportChanged(summary, followed);
      return item;
    });
  }

  /** Which of these items of the booking are not cancelled. */
  async listActive(bookingId: string, ids: readonly string[]): Promise<string[]> {
    const active = await this.repository.activeItems(bookingId);
    return active.map(({ id }) => id).filter((id) => ids.includes(id));
  }

  /** Whether a new item of this day can have the tax code. */
  async hasTaxRate(taxCodeId: string, serviceDate: string | null): Promise<boolean> {
    return this.taxes.hasRate(taxCodeId, serviceDate);
  }

  /** Cancels all items of a locked booking and releases their units. Returns the ids of the active ones. */
  async cancelAll(bookingId: string, reason: string): Promise<string[]> {
    const units = await this.repository.cancelItems(bookingId, reason, this.clock.now());
    await this.lockDepartures(units);
    await this.releaseUnits(units);
    return units.map(({ id }) => id).sort();
  }

  /** Stores the responses of the providers of these items. The amounts and the booking itself do not change. */
  async setSupplierStatus(bookingId: string, itemIds: readonly string[], status: SupplierStatus): Promise<void> {
    await this.repository.bookings.lock(bookingId);
    for (const itemId of itemIds) {
      const item = await this.repository.getItem({ bookingId, itemId });
      if (item.supplierStatus === status) continue;
      const before = item.auditImage();
      Object.assign(item, { supplierStatus: status, updatedAt: this.clock.now() });
      await this.repository.items.update(item);
      this.record('update', item, { before });
    }
  }

  /**
   * Reinstates the items that were cancelled together with a locked booking and takes their units again, even if their channel
   * or departure no longer sells.
   */
  async reinstateAll(items: readonly BookingItem[]): Promise<void> {
    for (const item of items) item.reinstate(this.clock.now());
    await this.followDepartures(items);
    const [booking] = items;
    if (booking && items.some((item) => item.earlierRateCents !== 0)) {
      await this.taxes.followDocuments(booking.bookingId, items);
    }
    await this.repository.items.updateAll(items);
    for (const item of items) await this.takeUnits(unitsOf(item), 'reinstatement');
  }

  /**
   * Updates the parts of a locked booking's items that documents bill at other rates, after a document with these lines began
   * or ceased to count. Without an item that has such a part, nothing changes, unless the document replaces one that billed at
   * an earlier rate.
   */
  async followDocument(
    booking: BookingSummary,
    lines: readonly DocumentTax[],
    { isReplacement = false }: { isReplacement?: boolean } = {},
  ): Promise<void> {
    if (!lines.some(({ taxCodeId }) => taxCodeId !== null)) return;
    const items = await this.repository.activeItems(booking.id);
    if (!isReplacement && !items.some(({ earlierRateCents }) => earlierRateCents !== 0)) return;
    await this.reportChanged(booking, await this.followDocuments(booking.id, { items }));
  }

  /**
   * Applies the tax rate of the service date to the part of a locked booking's items that no document bills. Returns the
   * changed items.
   */
  async recalculateTaxes(bookingId: string): Promise<BookingItem[]> {
    const items = await this.repository.activeItems(bookingId);
    const images = new Map(items.map((item) => [item.id, item.auditImage()]));
    const changed = await this.taxes.recalculate(bookingId, items);
    await this.repository.items.updateAll(changed);
    for (const item of changed) this.record('update', item, { before: images.get(item.id) ?? null });
    return changed;
  }

  /** The tax codes of all items, including cancelled ones. */
  async soldTaxCodes(): Promise<string[]> {
    return this.repository.soldTaxCodes();
  }

  /** Counts items with a service date from this day on whose rate differs from the tax code's; counts at most 100,000. */
  async countOtherRates(taxCodeId: string, from: string): Promise<{ items: number; bookings: number }> {
    return this.repository.countOtherRates(taxCodeId, from);
  }

  /**
   * Marks up to `limit` items with a service date from this day on whose rate differs from the tax code's. Locks their
   * bookings, which get a warning and so a new version. Returns the number of items that were found.
   */
  async markOtherRates(taxCodeId: string, from: string, limit: number): Promise<number> {
    const found = await this.repository.itemsAtOtherRates(taxCodeId, { from, limit });
    const bookings = await this.repository.bookings.lockAll([...new Set(found.map((path) => path.bookingId))].sort());
    const items = await this.repository.stillAtOtherRates(found.map(({ itemId }) => itemId));
    const images = items.map((item) => item.auditImage());
    const updatedAt = this.clock.now();
    for (const item of items) Object.assign(item, { taxRateChanged: true, updatedAt });
    await this.repository.items.updateAll(items);
    const warned = bookings.filter(({ id }) => items.some(({ bookingId }) => bookingId === id));
    for (const booking of warned) booking.updatedAt = updatedAt;
    await this.repository.bookings.updateAll(warned);
    for (const [index, item] of items.entries()) {
      this.record('update', item, { before: images[index] ?? null, reason: 'The tax code has another rate' });
    }
    return found.length;
  }

  async assertSoldBy(channelId: string, bookingId: string): Promise<void> {
    const allotmentIds = await this.repository.activeAllotments(bookingId);
    if (allotmentIds.length > 0) await this.allotments.assertSoldBy(channelId, allotmentIds, 'channelId');
  }

  private async lock({ bookingId, itemId, expected }: ItemTarget): Promise<{ booking: Booking; item: BookingItem }> {
    const booking = await this.repository.bookings.lock(bookingId);
    const item = await this.repository.getItem({ bookingId, itemId });
    assertVersion(expected, item);
    // Items sold before the completion are fulfilled.
    if (item.status === 'confirmed') assertOpenFor(booking, item.type);
    else booking.assertItemsOpen();
    return { booking, item };
  }

  /**
   * Locks the departures of reinstated items, which may have been moved since the items were cancelled. Their tax codes may
   * have other rates by now.
   */
  private async followDepartures(items: readonly BookingItem[]): Promise<void> {
    const departures = await this.lockDepartures(items);
    for (const item of items) {
      item.serviceDate = departures.get(item.departureId ?? '')?.startDate ?? item.serviceDate;
    }
    for (const item of await this.taxes.withOtherRate(items)) {
      await this.taxes.followRate(item);
    }
  }

  /**
   * Updates the parts of a booking's active items that documents bill at other rates, and saves the changed items except the
   * one that the caller is about to save.
   */
  private async followDocuments(
    bookingId: string,
    { items, added, changed, without = null }: Following = {},
  ): Promise<BookingItem[]> {
    const active = items ?? (await this.repository.activeItems(bookingId));
    const stored = active.filter(({ id }) => id !== without?.id);
    const all = stored.map((item) => (item.id === changed?.id ? changed : item));
    const images = new Map(all.map((item) => [item.id, item.auditImage()]));
    const followed = await this.taxes.followDocuments(bookingId, added ? [...all, added] : all);
    const others = followed.filter((item) => item !== added && item !== changed);
    await this.repository.items.updateAll(others);
    for (const item of others) this.record('update', item, { before: images.get(item.id) ?? null });
    return others;
  }

  private async reportChanged(booking: BookingSummary, items: readonly BookingItem[]): Promise<void> {
    for (const item of items.map(toBookingItemSummary)) {
      await this.listeners.call(BookingListener, (listener) => listener.itemChanged?.(booking, item));
    }
  }

  private async assertBelowLimit(bookingId: string): Promise<SoldItems> {
    const sold = await this.repository.countActiveItems(bookingId);
    if (sold.count < MAX_ACTIVE_ITEMS) return sold;
    throw conflict('item_limit_reached', `A booking has at most ${MAX_ACTIVE_ITEMS} items`, {
      limit: MAX_ACTIVE_ITEMS,
    });
  }

  private async insertFee(booking: Booking, cancelled: BookingItem, feeCents: number): Promise<void> {
    const title = `Cancellation fee: ${cancelled.title}`.slice(0, MAX_TITLE);
    const input = { type: 'fee', title, unitSellCents: feeCents } as const;
    const fee = newItem(input, { id: newId('bkit'), booking, supplierStatus: 'none', now: this.clock.now() });
    Object.assign(fee, { feeOfItemId: cancelled.id, refundable: false });
    await this.taxes.applyToFee(fee, cancelled);
    await this.repository.items.insert(fee);
    this.record('create', fee, { before: null });
  }

  private async cancelFee(fee: BookingItem, reason: string): Promise<void> {
    const before = fee.auditImage();
    fee.cancel(reason, this.clock.now());
    await this.repository.items.update(fee);
    this.record('cancel', fee, { before, reason });
  }

  /** Saves an item with its effect on the booking: the total, the departure date, and always the version. */
  private async saveWithTotal(
    booking: Booking,
    { cents, isAnnounced = false, cancelledItemId = null, reinstatedItemId = null }: Difference,
    saveItem: () => Promise<void>,
  ) {
    const before = toBookingSummary(booking);
    booking.addToTotal(cents, this.clock.now());
    await saveItem();
    await this.repository.refreshDates(booking);
    await this.repository.bookings.update(booking);
    const summary = toBookingSummary(booking);
    const { totalCents, departureDate } = summary;
    if (totalCents !== null && before.totalCents !== totalCents) {
      const change = { beforeCents: before.totalCents, afterCents: totalCents, cancelledItemId, reinstatedItemId };
      await this.listeners.call(BookingListener, (listener) => listener.totalChanged?.(summary, change));
    }
    if (before.departureDate !== departureDate) {
      await this.listeners.call(BookingListener, (listener) => listener.dateMoved?.(summary, before.departureDate));
      if (!isAnnounced) {
        const waitingSince = await this.reminders.waitingSince(booking.id, 'departure_changed');
        await this.repository.recordMove(booking.id, {
          before: before.departureDate,
          after: departureDate,
          waitingSince,
        });
      }
      await this.reminders.reschedule(booking.id, ['departure_upcoming', 'departure_changed', 'booking_confirmed']);
    }
    return summary;
  }

  /**
   * An inactive channel sells no more units, and a channel sells only its own allotments. A booking without a channel may use
   * any allotment that staff choose.
   */
  private async assertSelling(channelId: string | null, { allotmentId }: Pick<ItemUnits, 'allotmentId'>) {
    if (channelId === null) return;
    await this.channels.assertSelling(channelId);
    if (allotmentId !== null) await this.allotments.assertSoldBy(channelId, [allotmentId], 'allotmentId');
  }

  /**
   * A typed price in place of one that the product has needs the override `price`; so does every seat without a unit if the
   * product is sold by units, even at the price of the departure. `field` is the member with which such a seat can be sold.
   */
  private async assertListed(
    item: BookingItem,
    {
      productId,
      overrides,
      field,
    }: { productId: string | null; overrides: readonly ItemOverride[]; field: 'units' | 'override' },
  ): Promise<void> {
    if (productId === null || overrides.includes('price')) return;
    const isListed = item.unitId !== null || item.extraId !== null;
    if (isListed ? item.priceSource !== 'manual' : !(await this.unitPrices.hasUnits(productId))) return;
    if (isListed) throw priceDiffers(item, item.listUnitSellCents);
    const message = 'The product is sold by units: send units, or override the price';
    throw unprocessable('price_differs', message, { field, actual: item.unitSellCents });
  }

  private async assertQuantityOfExtra({ id, bookingId, extraId, quantity }: BookingItem): Promise<void> {
    if (extraId === null) return;
    const sold = (await this.repository.activeItems(bookingId)).filter((one) => one.id !== id);
    await this.unitPrices.assertQuantityOfExtra(extraId, { quantity, sold });
  }

  /** More of a unit or an extra are sold at the item's price only if that is the price of today, or with the override `price`. */
  private async assertPriceOfToday(
    { unitId, extraId, optionId, serviceDate, ...item }: BookingItem,
    terms: { booking: Booking; departure: DepartureSummary | undefined; overrides: readonly ItemOverride[] },
  ): Promise<void> {
    const { booking, departure = null, overrides } = terms;
    if (extraId !== null && !overrides.includes('price')) {
      const expected = await this.unitPrices.priceOfExtra(extraId, booking.currency);
      if (expected !== item.unitSellCents) throw priceDiffers(item, expected);
    }
    if (unitId === null || serviceDate === null || overrides.includes('price')) return;
    const { channelId, currency } = booking;
    const sale = { optionId, channelId, currency, serviceDate, departure };
    const expected = await this.unitPrices.priceOfUnit(unitId, sale);
    if (expected !== item.unitSellCents) throw priceDiffers(item, expected);
  }

  /** Gives an item the price of today on its new departure. */
  private async reprice(item: BookingItem, booking: Booking, departure: DepartureSummary): Promise<void> {
    const { unitId, extraId, optionId } = item;
    if (extraId !== null) item.listUnitSellCents = await this.unitPrices.priceOfExtra(extraId, booking.currency);
    else if (unitId === null) item.listAt(priceOfDeparture(booking, departure));
    else {
      const { channelId, currency } = booking;
      const sale = { optionId, channelId, currency, serviceDate: departure.startDate, departure };
      const price = await this.unitPrices.findPriceOfUnit(unitId, sale);
      if (!price) throw priceDiffers(item, null);
      const { amountCents: listUnitSellCents, priceListId, priceListVersion } = price;
      Object.assign(item, { listUnitSellCents, priceListId, priceListVersion });
    }
    if (item.listUnitSellCents === null) throw priceDiffers(item, null);
    item.change({ unitSellCents: item.listUnitSellCents }, this.clock.now());
  }

  private async lockDepartures(
    items: readonly Pick<ItemUnits, 'departureId'>[],
  ): Promise<ReadonlyMap<string, DepartureSummary>> {
    const ids = items.filter(hasDeparture).map(({ departureId }) => departureId);
    const departures = ids.length === 0 ? [] : await this.departures.lock(ids);
    return new Map(departures.map((departure) => [departure.id, departure]));
  }

  private async takeUnits(item: ItemUnits, terms: SalesTerms): Promise<void> {
    if (!hasDeparture(item)) return;
    const { id: bookingItemId, departureId, allotmentId, units } = item;
    if (allotmentId === null) await this.departures.allocate(departureId, units, { from: 'pool', as: 'sold', terms });
    else await this.allotments.sell({ allotmentId, departureId }, { bookingItemId, units, terms });
  }

  private async exchangeUnits(before: ItemUnits, after: ItemUnits, terms: SalesTerms): Promise<void> {
    if (isSamePlace(before, after)) {
      const more = after.units - before.units;
      // More people without seats need open sales, too.
      if (after.quantity > before.quantity) await this.takeUnits({ ...after, units: more }, terms);
      if (more < 0) await this.releaseUnits([{ ...before, units: -more }]);
    } else {
      await this.releaseUnits([before]);
      await this.takeUnits(after, terms);
    }
  }

  /** Runs one statement per departure and allotment, not one per item. */
  private async releaseUnits(items: readonly ItemUnits[]): Promise<void> {
    const groups = new Map<string, { departureId: string; allotmentId: string | null; released: SoldUnits[] }>();
    for (const { id, departureId, allotmentId, units } of items.filter(hasDeparture)) {
      if (units === 0) continue;
      const place = `${departureId} ${allotmentId ?? ''}`;
      const group = groups.get(place) ?? { departureId, allotmentId, released: [] };
      group.released.push({ bookingItemId: id, units });
      groups.set(place, group);
    }
    for (const { departureId, allotmentId, released } of groups.values()) {
      const units = released.reduce((sum, item) => sum + item.units, 0);
      if (allotmentId === null) await this.departures.release(departureId, units, { to: 'pool', from: 'sold' });
      else await this.allotments.unsell({ allotmentId, departureId }, released);
    }
  }

  private record(
    verb: keyof typeof EVENTS,
    item: BookingItem,
    { before, reason = null }: { before: object | null; reason?: string | null },
  ): void {
    this.ledger.record(`bookings.booking_item.${verb}`, {
      subjectType: 'booking_item',
      subjectId: item.id,
      before,
      after: item.auditImage(),
      reason,
    });
    const event = `booking_item.${EVENTS[verb]}`;
    const { id: bookingItemId, bookingId, type, status, quantity, totalSellCents, version } = item;
    const data = { bookingId, bookingItemId, type, status, quantity, totalSellCents, version };
    for (const channel of [`bookings.${bookingId}`, 'bookings']) this.outbox.add({ channel, event, data });
  }
}

/** A closed booking takes only charges for the time after the trip, with the scope `bookings:override`. */
function assertOpenFor(booking: Booking, type: BookingItem['type']): void {
  if (booking.isCharged(type)) assertScope('bookings:override');
  else booking.assertItemsOpen();
}

/** Rejects a currency other than the booking's: a seat is sold in the currency of its price, like a trip component. */
function assertCurrency({ currency }: Booking, departure: DepartureSummary): void {
  if (departure.currency === currency) return;
  throw unprocessable('currency_mismatch', 'The departure is sold in another currency than the booking', {
    field: 'departureId',
    expected: currency,
    actual: departure.currency,
  });
}

function priceDiffers({ unitSellCents: actual }: { unitSellCents: number }, expected: number | null): AppError {
  const details = { field: 'unitSellCents', expected, actual };
  return unprocessable('price_differs', 'The price differs from the current price of the product', details);
}

/** A seat of a departure without the unit of a product. Its price counts in its own currency only. */
function priceOfDeparture({ currency }: Booking, departure: DepartureSummary): UnitOfItem {
  const listUnitSellCents = departure.currency === currency ? departure.priceCents : null;
  return { ...NO_UNIT, productId: departure.productId, listUnitSellCents };
}

/**
 * An item keeps its price on another departure of the same product; units and extras are sold on those of their product and option
 * only. One without an option fits all departures.
 */
function followDeparture(
  item: BookingItem,
  booking: Booking,
  { departure, isReversal }: { departure: DepartureSummary | null; isReversal: boolean },
): void {
  if (item.unitId !== null || item.extraId !== null) {
    if (departure === null) return;
    if (departure.productId !== item.productId) {
      const details = { field: 'departureId', expected: item.productId, actual: departure.productId };
      throw unprocessable('product_mismatch', 'The item belongs to another product than the departure', details);
    }
    const { optionId } = departure;
    if (isReversal || optionId === null || item.optionId === null || optionId === item.optionId) return;
    const details = { field: 'departureId', expected: item.optionId, actual: optionId };
    throw unprocessable('option_mismatch', 'The departure is of another option', details);
  }
  if (departure?.productId !== item.productId) item.listAt(departure ? priceOfDeparture(booking, departure) : NO_UNIT);
}

function unitsOf(item: BookingItem): ItemUnits {
  const { id, departureId, allotmentId, quantity } = item;
  return { id, departureId, allotmentId, units: item.units(), quantity };
}

function hasDeparture<T extends Pick<ItemUnits, 'departureId'>>(item: T): item is T & { departureId: string } {
  return item.departureId !== null;
}

function isSamePlace(one: ItemUnits, other: ItemUnits): boolean {
  return one.departureId === other.departureId && one.allotmentId === other.allotmentId;
}

function needsMore(before: ItemUnits, after: ItemUnits): boolean {
  return hasDeparture(after) && (!isSamePlace(before, after) || after.quantity > before.quantity);
}

function targetOf(entry: RecordedAction): ItemTarget {
  return { bookingId: parentIn(entry, 'bookingId'), itemId: entry.subjectId, expected: versionAfter(entry) };
}
