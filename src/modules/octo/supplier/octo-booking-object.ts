import { daysAfter } from '../../../platform/time/calendar.js';
import { localTimeText } from '../../../platform/time/local-time.js';
import type { DepartureSummary } from '../../operations/index.js';
import type { Connection } from '../connections/connection.entity.js';
import { utcText } from './availability.service.js';
import { ONLY_OPTION } from './catalogue.service.js';
import type { OctoBooking, OctoUnitItem } from './octo-booking.entity.js';
import { sumOfFigures, toPricing } from './octo-pricing.js';

/** A voucher of the booking that became of a reservation. */
export interface OctoVoucher {
  code: string;
  redeemedAt: Date | null;
}

/** What a booking of the standard shows besides its own rows. */
export interface BookingSurroundings {
  units: readonly OctoUnitItem[];
  departure: DepartureSummary;
  /** The number of our booking. */
  supplierReference: string | null;
  /** The valid vouchers. */
  vouchers: readonly OctoVoucher[];
  connection: Connection;
  withPricing: boolean;
  now: Date;
  /** By the clock of the organization. */
  today: string;
}

export function toOctoBooking(booking: OctoBooking, surroundings: BookingSurroundings): object {
  const { units, departure, supplierReference, vouchers, connection, withPricing } = surroundings;
  const redeemedAt = redemptionOf(vouchers);
  const status = booking.status === 'CONFIRMED' && redeemedAt ? 'REDEEMED' : booking.status;
  const { timeZone } = departure;
  const pricing = (of: readonly OctoUnitItem[]) =>
    withPricing && {
      pricing: toPricing(sumOfFigures(of), { currency: booking.currency, showNet: connection.showNet }),
    };
  const text = (instant: Date | null) => (instant ? utcText(instant) : null);
  return {
    ...{ id: booking.id, uuid: booking.uuid, testMode: booking.testMode },
    ...{ resellerReference: booking.resellerReference, supplierReference, status },
    ...{ productId: booking.productId, optionId: booking.optionId ?? ONLY_OPTION },
    availabilityId: departure.id,
    availability: {
      id: departure.id,
      localDateTimeStart: localTimeText(departure.startsAt, timeZone),
      localDateTimeEnd: localTimeText(departure.endsAt, timeZone),
      allDay: false,
      openingHours: [],
    },
    cancellable: isCancellable(booking, surroundings),
    freesale: false,
    utcCreatedAt: utcText(booking.createdAt),
    utcUpdatedAt: utcText(booking.updatedAt),
    utcExpiresAt: text(booking.expiresAt),
    utcConfirmedAt: text(booking.confirmedAt),
    utcRedeemedAt: text(redeemedAt),
    contact: booking.contact,
    notes: booking.notes,
    deliveryMethods: booking.hasVoucher ? ['VOUCHER'] : [],
    voucher: booking.hasVoucher ? toVoucher(booking, vouchers, text(redeemedAt)) : null,
    cancellation:
      booking.cancelledAt === null
        ? null
        : { refund: booking.refund, reason: booking.cancelReason, utcCancelledAt: utcText(booking.cancelledAt) },
    unitItems: units.map((unit) => ({
      ...{ uuid: unit.uuid, unitId: unit.unitId, resellerReference: unit.resellerReference },
      supplierReference: booking.status === 'ON_HOLD' ? null : supplierReference,
      status: unit.cancelledAt === null ? status : 'CANCELLED',
      utcRedeemedAt: text(redeemedAt),
      contact: unit.contact,
      ticket: null,
      ...pricing([unit]),
    })),
    ...pricing(units),
  };
}

/** A hold, or a sale whose cancellation today would still refund something. */
export function isCancellable(
  { status, lastRefundDays }: OctoBooking,
  { departure, vouchers, now, today }: Pick<BookingSurroundings, 'departure' | 'vouchers' | 'now' | 'today'>,
): boolean {
  if (status !== 'CONFIRMED') return status === 'ON_HOLD';
  const isAhead = departure.startsAt > now && vouchers.every(({ redeemedAt }) => redeemedAt === null);
  return isAhead && daysAfter(today, lastRefundDays ?? 0) <= departure.startDate;
}

/** When the last voucher was redeemed; null while one of them is not. */
function redemptionOf(vouchers: readonly OctoVoucher[]): Date | null {
  const times = vouchers.flatMap(({ redeemedAt }) => redeemedAt ?? []);
  if (times.length === 0 || times.length < vouchers.length) return null;
  return new Date(Math.max(...times.map((time) => time.getTime())));
}

function toVoucher(
  { status, testMode, id }: OctoBooking,
  vouchers: readonly OctoVoucher[],
  utcRedeemedAt: string | null,
) {
  const codes = testMode ? [`TEST-${id}`] : vouchers.map(({ code }) => code);
  const isDelivered = status === 'CONFIRMED';
  const deliveryOptions = isDelivered ? codes.map((code) => ({ deliveryFormat: 'QRCODE', deliveryValue: code })) : [];
  return { redemptionMethod: 'DIGITAL', utcRedeemedAt, deliveryOptions };
}
