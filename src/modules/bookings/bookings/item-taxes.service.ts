import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AppError, unprocessable } from '../../../platform/errors/app-error.js';
import { TaxCodesService, type TaxOfDay } from '../../taxes/index.js';
import type { CreateBookingItem, UpdateBookingItem } from './booking-item.dto.js';
import type { BookingItem } from './booking-item.entity.js';
import { BookingListener } from './booking-listener.js';
import type { Booking } from './booking.entity.js';
import { BookingsRepository } from './bookings.repository.js';
import { scaledTax } from './item-price.js';

/** What the tax groups of a booking depend on. */
type TaxedItem = Pick<BookingItem, 'id' | 'type' | 'taxCodeId' | 'taxCode' | 'totalSellCents' | 'taxIncludedCents'>;

/** The tax of a line of an issued document. */
export type BilledTax = TaxOfDay;

type TaxedAmounts = Pick<BookingItem, 'totalSellCents' | 'taxIncludedCents'>;

/** The tax of booking items: which rate of a tax code applies, and what a change may do to the tax groups of a booking. */
@Injectable()
export class ItemTaxesService {
  constructor(
    private readonly repository: BookingsRepository,
    private readonly taxCodes: TaxCodesService,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
  ) {}

  /**
   * The tax of a new item. `departureTaxCodeId` applies if neither a tax code nor a tax was sent, and `billed` in any case;
   * the item is flagged if its day has another rate.
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
   * The tax of a fee for a cancelled item: that of the item if fees are the price of a supply, none if they are a
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

  /** What a change of the item is compared with. */
  imageOf(item: BookingItem): TaxedItem & { taxDay: string } {
    const { id, type, taxCodeId, taxCode, totalSellCents, taxIncludedCents } = item;
    return { id, type, taxCodeId, taxCode, totalSellCents, taxIncludedCents, taxDay: this.taxDayOf(item) };
  }

  /** The tax after a change of price, day or tax code. What is on issued documents keeps its rate when the day moves. */
  async change(
    item: BookingItem,
    changes: UpdateBookingItem,
    { taxDay, keepsMissingRate }: { taxDay: string; keepsMissingRate: boolean },
  ): Promise<void> {
    const isChosen = changes.taxCodeId !== undefined;
    const { taxCodeId = item.taxCodeId } = changes;
    if (taxCodeId === null) {
      if (item.taxCodeId !== null) await this.assertCodeOptional();
      return item.taxBy(null, undefined);
    }
    if (!isChosen && this.taxDayOf(item) === taxDay) return item.computeTax(changes.taxIncludedCents);
    const tax = await this.rateOf(item, taxCodeId).catch((error: unknown) => {
      if (isChosen || !keepsMissingRate || !(error instanceof AppError)) throw error;
      return null;
    });
    const isSame = tax?.taxRateBasisPoints === item.taxRateBasisPoints;
    if (tax && (isChosen || isSame || !(await this.isBilled(item.bookingId, taxCodeId)))) {
      return item.taxBy(tax, changes.taxIncludedCents);
    }
    item.taxRateChanged = true;
    item.computeTax(changes.taxIncludedCents);
  }

  /** Throws 404, 409 `tax_code_inactive` if the item did not have the tax code before, 422 `tax_rate_missing`. */
  private async rateOf(item: BookingItem, taxCodeId: string): Promise<TaxOfDay> {
    const isNew = taxCodeId !== item.taxCodeId;
    return this.taxCodes.getRateOn(taxCodeId, this.taxDayOf(item), { field: 'taxCodeId', isNew });
  }

  /** The day whose tax rate applies. */
  private taxDayOf({ serviceDate, createdAt }: BookingItem): string {
    return serviceDate ?? this.clock.dayOf(createdAt);
  }

  private async isFeeTaxed(): Promise<boolean> {
    for (const listener of this.listeners.all(BookingListener)) {
      if (await listener.isFeeTaxed?.()) return true;
    }
    return false;
  }

  /** Throws 400 `tax_code_required` if the accounting settings demand a tax code. */
  private async assertCodeOptional(): Promise<void> {
    for (const listener of this.listeners.all(BookingListener)) {
      if (!(await listener.areTaxCodesRequired?.())) continue;
      throw new AppError(400, 'tax_code_required', 'The accounting settings require a tax code', {
        details: { field: 'taxCodeId' },
      });
    }
  }

  private async isBilled(bookingId: string, taxCodeId: string): Promise<boolean> {
    for (const listener of this.listeners.all(BookingListener)) {
      if ((await listener.billedTaxCodes?.(bookingId))?.includes(taxCodeId)) return true;
    }
    return false;
  }

  /**
   * Throws 400 `tax_code_required` for a discount or adjustment without tax code beside items with one, unless a credit note
   * has made it from a line without one, 422 `negative_total` if the change would bring the gross, the tax or the net of a tax group below 0. `after` is null for a
   * cancelled item, `before` for a new one.
   */
  async assertGroups(
    booking: Booking,
    { before, after }: { before: TaxedItem | null; after: TaxedItem | null },
    { isCodeOptional = false }: { isCodeOptional?: boolean | undefined } = {},
  ): Promise<void> {
    const isReduction = after !== null && ['discount', 'adjustment'].includes(after.type);
    if (before === null && !isReduction) return;
    const others = await this.repository.taxGroups(booking.id, after?.id ?? before?.id ?? '');
    const isCodeMissing = isReduction && after.taxCodeId === null && !isUntouched(before, after);
    if (isCodeMissing && !isCodeOptional && others.some(({ taxCodeId }) => taxCodeId !== null)) {
      throw new AppError(400, 'tax_code_required', 'A discount or adjustment beside items with a tax code needs one', {
        details: { field: 'taxCodeId' },
      });
    }
    const taxCodeIds = new Set([before, after].flatMap((item) => (item ? [item.taxCodeId] : [])));
    for (const taxCodeId of taxCodeIds) {
      const rest = others.find((group) => group.taxCodeId === taxCodeId) ?? { totalSellCents: 0, taxIncludedCents: 0 };
      const [now, then] = [plus(rest, after, taxCodeId), plus(rest, before, taxCodeId)];
      if (deficitOf(now) <= deficitOf(then)) continue;
      const taxCode = [after, before].find((item) => item?.taxCodeId === taxCodeId)?.taxCode ?? 'given';
      const { totalSellCents: totalCents, taxIncludedCents: taxCents } = now;
      // The total of the booking has its own error.
      if ((booking.totalCents ?? 0) + (after?.totalSellCents ?? 0) - (before?.totalSellCents ?? 0) < 0) return;
      throw unprocessable('negative_total', 'The amounts of a tax code would be negative', {
        field: 'unitSellCents',
        taxCode,
        totalCents,
        taxCents,
      });
    }
  }
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

/** How far the gross, the tax and the net of a tax group are below 0, in sum. */
function deficitOf({ totalSellCents, taxIncludedCents }: TaxedAmounts): number {
  const parts = [totalSellCents, taxIncludedCents, totalSellCents - taxIncludedCents];
  return parts.reduce((sum, cents) => sum + Math.max(0, -cents), 0);
}
