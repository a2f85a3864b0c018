import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AppError, unprocessable } from '../../../platform/errors/app-error.js';
import { rateMissing, TaxCodesService, type TaxOfDay } from '../../taxes/index.js';
import type { CreateBookingItem, UpdateBookingItem } from '../items/booking-item.dto.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import { earlierParts } from '../items/billed-shares.js';
import { type BilledAmounts, BookingListener } from './booking-listener.js';
import type { Booking } from './booking.entity.js';
import { BookingsRepository } from './bookings.repository.js';
import { type EarlierRate, NO_EARLIER_RATE, scaledTax } from '../items/item-price.js';

/** The values that determine the tax groups of a booking. */
type TaxedItem = Pick<BookingItem, 'id' | 'type' | 'taxCodeId' | 'taxCode' | 'totalSellCents' | 'taxIncludedCents'>;

/** The tax of a line of an issued document. */
export type BilledTax = TaxOfDay;

type TaxedAmounts = Pick<BookingItem, 'totalSellCents' | 'taxIncludedCents'>;

const NOTHING: TaxedAmounts = { totalSellCents: 0, taxIncludedCents: 0 };

/** Decides the tax of booking items: the applicable rate of a tax code, and the limits of changes to a booking's tax groups. */
@Injectable()
export class ItemTaxesService {
  constructor(
    private readonly repository: BookingsRepository,
    private readonly taxCodes: TaxCodesService,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
  ) {}

  /**
   * The tax of a new item. `departureTaxCodeId` applies if neither a tax code nor a tax was sent, and `billed` always; the item
   * is marked if its day has another rate.
   */
  async applyTo(
    item: BookingItem,
    input: CreateBookingItem,
    {
      billed = null,
      departureTaxCodeId,
      isCodeOptional = false,
    }: { billed?: BilledTax | null; departureTaxCodeId: string | null; isCodeOptional?: boolean | undefined },
  ): Promise<void> {
    if (billed) {
      item.taxBy(billed, undefined);
      const { taxKind, taxRateBasisPoints } = billed;
      const tax = await this.rateOf(item, billed.taxCodeId).catch(nullIfRejected);
      item.taxRateChanged = tax?.taxKind !== taxKind || tax.taxRateBasisPoints !== taxRateBasisPoints;
      return;
    }
    const { taxIncludedCents, taxCodeId = taxIncludedCents === undefined ? departureTaxCodeId : null } = input;
    if (taxCodeId === null && !isCodeOptional) await this.assertCodeOptional();
    item.taxBy(taxCodeId === null ? null : await this.rateOf(item, taxCodeId), taxIncludedCents);
  }

  /**
   * Returns the tax of a fee for a cancelled item: the item's tax if fees are the price of a supply, none if they are
   * compensation.
   */
  async applyToFee(fee: BookingItem, cancelled: BookingItem): Promise<void> {
    if (!(await this.isFeeTaxed())) return;
    const { taxCodeId, taxCode, taxKind, taxRateBasisPoints } = cancelled;
    const taxIncludedCents = scaledTax(cancelled, fee);
    Object.assign(fee, { taxCodeId, taxCode, taxKind, taxRateBasisPoints, taxIncludedCents });
    fee.computeTax(undefined);
  }

  /** Whether a new item of this day can have the tax code. */
  async hasRate(taxCodeId: string, serviceDate: string | null): Promise<boolean> {
    try {
      await this.taxCodes.getRateOn(taxCodeId, serviceDate ?? this.clock.today(), { field: 'taxCodeId', isNew: true });
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** The earlier state, which is compared with a change of the item. */
  imageOf(item: BookingItem): TaxedItem & { taxDay: string } {
    const { id, type, taxCodeId, taxCode, totalSellCents, taxIncludedCents } = item;
    return { id, type, taxCodeId, taxCode, totalSellCents, taxIncludedCents, taxDay: this.taxDayOf(item) };
  }

  /**
   * The tax after a change of price, day or tax code. Amounts on issued documents keep their rate when the day moves. Repeating
   * the tax code of the item changes nothing.
   */
  async change(
    item: BookingItem,
    changes: UpdateBookingItem,
    { taxDay, keepsMissingRate }: { taxDay: string; keepsMissingRate: boolean },
  ): Promise<void> {
    const { taxIncludedCents: statedCents, taxCodeId = item.taxCodeId } = changes;
    if (taxCodeId === null) {
      if (item.taxCodeId !== null) await this.assertCodeOptional();
      return item.taxBy(null, undefined);
    }
    if (taxCodeId !== item.taxCodeId) return item.taxBy(await this.rateOf(item, taxCodeId), statedCents);
    if (this.taxDayOf(item) === taxDay) return item.computeTax(statedCents);
    await this.followRate(item, { statedCents, keepsMissingRate });
  }

  /**
   * Applies the rate of the item's day, unless documents bill its tax code: then the rate stays and the item is marked. A day
   * without a rate also marks it with `keepsMissingRate`, and is rejected otherwise.
   */
  async followRate(
    item: BookingItem,
    { statedCents, keepsMissingRate = true }: { statedCents?: number | undefined; keepsMissingRate?: boolean } = {},
  ): Promise<void> {
    if (item.taxCodeId === null) return;
    const tax = await this.rateOf(item, item.taxCodeId).catch((error: unknown) => {
      if (!keepsMissingRate) throw error;
      return nullIfRejected(error);
    });
    if (tax?.taxRateBasisPoints === item.taxRateBasisPoints) return item.confirmRate(tax, statedCents);
    if (tax && !(await this.isBilled(item.bookingId, item.taxCodeId))) return item.taxBy(tax, statedCents);
    item.taxRateChanged = true;
    item.computeTax(statedCents);
  }

  /** Returns the given items whose rate differs from that of their day now. A fee keeps the rate of the item that was cancelled. */
  async withOtherRate(items: readonly BookingItem[]): Promise<BookingItem[]> {
    const rateOn = await this.taxCodes.keepRates(taxCodesOf(items));
    return items.filter((item) => {
      const { taxCodeId, taxRateBasisPoints, feeOfItemId } = item;
      if (taxCodeId === null || feeOfItemId !== null) return false;
      return rateOn(taxCodeId, this.taxDayOf(item))?.taxRateBasisPoints !== taxRateBasisPoints;
    });
  }

  /**
   * Applies the rate of the service date to the part of a booking's active items that no document bills. The billed part keeps
   * its tax. Returns the changed items.
   */
  async recalculate(bookingId: string, items: readonly BookingItem[]): Promise<BookingItem[]> {
    const taxCodeIds = taxCodesOf(items);
    const rateOn = await this.taxCodes.keepRates(taxCodeIds);
    const billed = taxCodeIds.length === 0 ? [] : await this.billedTaxes(bookingId);
    const changed: BookingItem[] = [];
    for (const taxCodeId of taxCodeIds) {
      const group = items.filter((item) => item.taxCodeId === taxCodeId);
      const before = sumOf(group);
      const taxes = group.map((item) => {
        // A fee has the rate of the item that was cancelled.
        if (item.feeOfItemId !== null) return taxOf(item);
        const day = this.taxDayOf(item);
        const tax = rateOn(taxCodeId, day);
        if (!tax) throw withoutField(rateMissing({ field: 'taxCodeId', taxCode: item.taxCode ?? '', day }), item.id);
        return tax;
      });
      const own = billed.filter((amounts) => amounts.taxCodeId === taxCodeId);
      const parts = partsOf(group, own, (_, index) => taxes[index]?.taxRateBasisPoints ?? null);
      for (const [index, item] of group.entries()) {
        const [tax, part = NO_EARLIER_RATE] = [taxes[index], parts[index]];
        if (!tax || (isSameRate(tax, item) && !item.taxRateChanged && isSamePart(part, item))) continue;
        item.recalculateTax(tax, part, this.clock.now());
        changed.push(item);
      }
      const after = sumOf(group);
      if (deficitOf(after) > deficitOf(before)) throw withoutField(negativeTotal(group[0]?.taxCode ?? null, after));
    }
    return changed;
  }

  /**
   * Updates the parts of these items that documents bill at other rates. The items are all active items of their booking.
   * Returns the changed ones.
   */
  async followDocuments(bookingId: string, items: readonly BookingItem[]): Promise<BookingItem[]> {
    const taxCodeIds = taxCodesOf(items);
    if (taxCodeIds.length === 0) return [];
    const billed = await this.billedTaxes(bookingId);
    return taxCodeIds.flatMap((taxCodeId) => {
      const group = items.filter((item) => item.taxCodeId === taxCodeId);
      const own = billed.filter((amounts) => amounts.taxCodeId === taxCodeId);
      const parts = partsOf(group, own, (item) => item.taxRateBasisPoints);
      return group.filter((item, index) => item.followBilled(parts[index] ?? NO_EARLIER_RATE, this.clock.now()));
    });
  }

  /** An inactive tax code is accepted only if the item already had it. */
  private async rateOf(item: BookingItem, taxCodeId: string): Promise<TaxOfDay> {
    await this.taxCodes.keepRates([taxCodeId]);
    const isNew = taxCodeId !== item.taxCodeId;
    return this.taxCodes.getRateOn(taxCodeId, this.taxDayOf(item), { field: 'taxCodeId', isNew });
  }

  /** The day whose tax rate applies. */
  private taxDayOf({ serviceDate, createdAt }: BookingItem): string {
    return serviceDate ?? this.clock.dayOf(createdAt);
  }

  /** Whether the accounting settings require a tax code for sales. */
  async areCodesRequired(): Promise<boolean> {
    for (const listener of this.listeners.all(BookingListener)) {
      if (await listener.areTaxCodesRequired?.()) return true;
    }
    return false;
  }

  private async isFeeTaxed(): Promise<boolean> {
    for (const listener of this.listeners.all(BookingListener)) {
      if (await listener.isFeeTaxed?.()) return true;
    }
    return false;
  }

  /** Requires a tax code if the accounting settings do. */
  private async assertCodeOptional(): Promise<void> {
    if (!(await this.areCodesRequired())) return;
    throw new AppError(400, 'tax_code_required', 'The accounting settings require a tax code', {
      details: { field: 'taxCodeId' },
    });
  }

  private async isBilled(bookingId: string, taxCodeId: string): Promise<boolean> {
    return (await this.billedTaxes(bookingId)).some((billed) => billed.taxCodeId === taxCodeId);
  }

  private async billedTaxes(bookingId: string): Promise<BilledAmounts[]> {
    const found: BilledAmounts[] = [];
    for (const listener of this.listeners.all(BookingListener)) {
      found.push(...((await listener.billedTaxes?.(bookingId)) ?? []));
    }
    return found;
  }

  /**
   * Rejects a discount or adjustment without a tax code if other items have one, unless a credit note made it from a line
   * without one. Also rejects a change that would bring the gross, tax or net of a tax group below 0. `after` is null for a
   * cancelled item, `before` for a new one. Returns whether documents billed a part of another item of its tax code before the
   * rate changed: that part may differ after the change.
   */
  async assertGroups(
    booking: Booking,
    { before, after }: { before: TaxedItem | null; after: TaxedItem | null },
    { isCodeOptional = false }: { isCodeOptional?: boolean | undefined } = {},
  ): Promise<boolean> {
    const isReduction = after !== null && ['discount', 'adjustment'].includes(after.type);
    if (before === null && !isReduction) return false;
    const others = await this.repository.taxGroups(booking.id, after?.id ?? before?.id ?? '');
    const isCodeMissing = isReduction && after.taxCodeId === null && !isUntouched(before, after);
    if (isCodeMissing && !isCodeOptional && others.some(({ taxCodeId }) => taxCodeId !== null)) {
      throw new AppError(400, 'tax_code_required', 'A discount or adjustment beside items with a tax code needs one', {
        details: { field: 'taxCodeId' },
      });
    }
    const taxCodeIds = new Set([before, after].flatMap((item) => (item ? [item.taxCodeId] : [])));
    for (const taxCodeId of taxCodeIds) {
      const rest = others.find((group) => group.taxCodeId === taxCodeId) ?? NOTHING;
      const [now, then] = [plus(rest, after, taxCodeId), plus(rest, before, taxCodeId)];
      if (deficitOf(now) <= deficitOf(then)) continue;
      const taxCode = [after, before].find((item) => item?.taxCodeId === taxCodeId)?.taxCode ?? null;
      // The booking total has a separate error.
      if ((booking.totalCents ?? 0) + (after?.totalSellCents ?? 0) - (before?.totalSellCents ?? 0) < 0) return false;
      throw negativeTotal(taxCode, now);
    }
    return others.some(({ taxCodeId, hasEarlierRates }) => hasEarlierRates && taxCodeIds.has(taxCodeId));
  }
}

/** 422: a tax group would be below 0. */
function negativeTotal(taxCode: string | null, { totalSellCents, taxIncludedCents }: TaxedAmounts): AppError {
  return unprocessable('negative_total', 'The amounts of a tax code would be negative', {
    field: 'unitSellCents',
    taxCode: taxCode ?? 'given',
    totalCents: totalSellCents,
    taxCents: taxIncludedCents,
  });
}

/** An error of a request without a body: it names the item concerned, if there is one, instead of a field. */
export function withoutField({ status, code, message, details = {} }: AppError, itemId?: string): AppError {
  const { field: _, ...others } = details;
  return new AppError(status, code, message, { details: { ...(itemId && { itemId }), ...others } });
}

/** The parts of the items of one tax code that documents bill at other rates. */
function partsOf(
  group: readonly BookingItem[],
  billed: readonly BilledAmounts[],
  rateOf: (item: BookingItem, index: number) => number | null,
): EarlierRate[] {
  const rated = group.map((item, index) => {
    const taxRateBasisPoints = rateOf(item, index);
    const hadOtherRate = item.earlierRateCents !== 0 || taxRateBasisPoints !== item.taxRateBasisPoints;
    return { id: item.id, totalSellCents: item.totalSellCents, taxRateBasisPoints, hadOtherRate };
  });
  return earlierParts(rated, billed).map((part, index) => {
    const item = group[index];
    if (item?.taxKind === 'margin_scheme') return NO_EARLIER_RATE;
    // An item that costs nothing keeps its part, in case it gets a price again.
    return item?.totalSellCents === 0 ? partOf(item) : part;
  });
}

function partOf({ earlierRateCents, earlierRateTaxCents }: BookingItem): EarlierRate {
  return { earlierRateCents, earlierRateTaxCents };
}

function isSamePart(part: EarlierRate, item: EarlierRate): boolean {
  return part.earlierRateCents === item.earlierRateCents && part.earlierRateTaxCents === item.earlierRateTaxCents;
}

function isSameRate(tax: TaxOfDay, { taxKind, taxRateBasisPoints }: BookingItem): boolean {
  return tax.taxKind === taxKind && tax.taxRateBasisPoints === taxRateBasisPoints;
}

/** The tax of an item; null without a tax code. */
function taxOf({ taxCodeId, taxCode, taxKind, taxRateBasisPoints }: BookingItem): TaxOfDay | null {
  if (taxCodeId === null || taxCode === null || taxKind === null || taxRateBasisPoints === null) return null;
  return { taxCodeId, taxCode, taxKind, taxRateBasisPoints };
}

function taxCodesOf(items: readonly BookingItem[]): string[] {
  return [...new Set(items.flatMap(({ taxCodeId }) => taxCodeId ?? []))];
}

function sumOf(items: readonly TaxedAmounts[]): TaxedAmounts {
  const sum = { totalSellCents: 0, taxIncludedCents: 0 };
  for (const { totalSellCents, taxIncludedCents } of items) {
    sum.totalSellCents += totalSellCents;
    sum.taxIncludedCents += taxIncludedCents;
  }
  return sum;
}

function nullIfRejected(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

function isUntouched(before: TaxedItem | null, after: TaxedItem): boolean {
  const { type, taxCodeId, totalSellCents } = after;
  return before?.type === type && before.taxCodeId === taxCodeId && before.totalSellCents === totalSellCents;
}

function plus(rest: TaxedAmounts, item: TaxedItem | null, taxCodeId: string | null): TaxedAmounts {
  if (item?.taxCodeId !== taxCodeId) return rest;
  const totalSellCents = rest.totalSellCents + item.totalSellCents;
  return { totalSellCents, taxIncludedCents: rest.taxIncludedCents + item.taxIncludedCents };
}

/** The sum by which the gross, the tax and the net of a tax group are below 0. */
function deficitOf({ totalSellCents, taxIncludedCents }: TaxedAmounts): number {
  const parts = [totalSellCents, taxIncludedCents, totalSellCents - taxIncludedCents];
  return parts.reduce((sum, cents) => sum + Math.max(0, -cents), 0);
}
