import type { Columns } from '../../../platform/database/rows.js';
import type { TaxKind } from '../../taxes/index.js';
import type { PaymentPolicy } from '../payment-policies/payment-policy.js';
import type {
  BookingItem,
  ItemStatus,
  ItemType,
  PricingTreatment,
  SupplierStatus,
} from '../items/booking-item.entity.js';
import type { Booking, BookingStatus } from './booking.entity.js';

export { BOOKING_STATUSES, type BookingStatus } from './booking.entity.js';

/** A booking as other modules see it. */
export interface BookingSummary {
  readonly id: string;
  readonly number: string;
  readonly status: BookingStatus;
  readonly currency: string;
  /** Sum of the items that are not cancelled, in minor units; null until there is an item. */
  readonly totalCents: number | null;
  readonly customerName: string;
  readonly customerEmail: string | null;
  /** Language of documents and mails; null means that of the company. */
  readonly customerLanguage: string | null;
  readonly startDate: string | null;
  /** Earliest service date of the items that are not cancelled, otherwise the start date. */
  readonly departureDate: string | null;
  /** Last local day of these items, including the end of their departures; otherwise the end date. */
  readonly returnDate: string | null;
  /** The day of the confirmation; null for a quote. */
  readonly confirmedOn: string | null;
  readonly paymentPolicy: PaymentPolicy | null;
  readonly channelId: string | null;
  readonly version: number;
}

/** An item as other modules see it. Amounts in minor units of the booking's currency, for the whole quantity. */
export interface BookingItemSummary {
  readonly id: string;
  readonly bookingId: string;
  readonly type: ItemType;
  readonly title: string;
  readonly status: ItemStatus;
  readonly currency: string;
  readonly quantity: number;
  /** People that the quantity stands for. */
  readonly people: number;
  readonly unitSellCents: number;
  readonly totalSellCents: number;
  readonly taxIncludedCents: number;
  /** Null if the tax was sent as an amount; the next three are then also null. */
  readonly taxCodeId: string | null;
  /** The text of the tax code. */
  readonly taxCode: string | null;
  readonly taxKind: TaxKind | null;
  /** The rate of the service date, which the item copied. */
  readonly taxRateBasisPoints: number | null;
  /** The service date has another rate: it was added later, or documents with the copied rate were issued. */
  readonly taxRateChanged: boolean;
  /** The part of the total that documents billed before the rate changed, and its tax. */
  readonly earlierRateCents: number;
  readonly earlierRateTaxCents: number;
  /** If false, the organization keeps the full price when the booking is cancelled. */
  readonly refundable: boolean;
  readonly costCents: number | null;
  readonly costCurrency: string | null;
  readonly pricingTreatment: PricingTreatment;
  readonly serviceDate: string | null;
  readonly departureId: string | null;
  readonly allotmentId: string | null;
  readonly supplierStatus: SupplierStatus;
  /** The cancelled item for which this one is the fee. */
  readonly feeOfItemId: string | null;
}

export function toBookingSummary(booking: Columns<Booking>): BookingSummary {
  return {
    id: booking.id,
    number: booking.number,
    status: booking.status,
    currency: booking.currency,
    totalCents: booking.totalCents,
    customerName: booking.customerName,
    customerEmail: booking.customerEmail,
    customerLanguage: booking.customerLanguage,
    startDate: booking.startDate,
    confirmedOn: booking.confirmedOn,
    departureDate: booking.departureDate,
    returnDate: booking.returnDate,
    paymentPolicy: booking.paymentPolicy,
    channelId: booking.channelId,
    version: booking.version,
  };
}

export function toBookingItemSummary(item: BookingItem): BookingItemSummary {
  return {
    id: item.id,
    bookingId: item.bookingId,
    type: item.type,
    title: item.title,
    status: item.status,
    currency: item.currency,
    quantity: item.quantity,
    people: item.people(),
    unitSellCents: item.unitSellCents,
    totalSellCents: item.totalSellCents,
    taxIncludedCents: item.taxIncludedCents,
    taxCodeId: item.taxCodeId,
    taxCode: item.taxCode,
    taxKind: item.taxKind,
    taxRateBasisPoints: item.taxRateBasisPoints,
    taxRateChanged: item.taxRateChanged,
    earlierRateCents: item.earlierRateCents,
    earlierRateTaxCents: item.earlierRateTaxCents,
    refundable: item.refundable,
    costCents: item.costCents,
    costCurrency: item.costCurrency,
    pricingTreatment: item.pricingTreatment,
    serviceDate: item.serviceDate,
    departureId: item.departureId,
    allotmentId: item.allotmentId,
    supplierStatus: item.supplierStatus,
    feeOfItemId: item.feeOfItemId,
  };
}
