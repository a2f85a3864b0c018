import type { DepartureSummary } from '../../operations/index.js';
import { ONLY_OPTION } from './catalogue.service.js';
import type { ReservationChanges, UnitItemBody } from './octo-booking.dto.js';
import type { OctoBooking, OctoUnitItem } from './octo-booking.entity.js';
import { unprocessableOrder } from './octo-errors.js';
import type { Order, OrderBody } from './octo-orders.service.js';

type ChangedOrder = Pick<ReservationChanges, 'productId' | 'optionId' | 'availabilityId' | 'unitItems'>;

/** Whether the changes concern more than references and contacts. */
export function isReordered(booking: OctoBooking, units: readonly OctoUnitItem[], changes: ChangedOrder): boolean {
  const { productId, optionId, availabilityId, unitItems } = changes;
  if (productId && productId !== booking.productId) return true;
  if (optionId && optionId !== (booking.optionId ?? ONLY_OPTION)) return true;
  if (availabilityId && availabilityId !== booking.departureId) return true;
  if (!unitItems) return false;
  const isKept = unitItems.every((item) =>
    units.some(({ uuid, unitId }) => uuid === item.uuid?.toLowerCase() && unitId === item.unitId),
  );
  return !isKept || unitItems.length !== units.length;
}

/** The order that the reservation has after these changes. */
export function orderOf(booking: OctoBooking, units: readonly OctoUnitItem[], changes: ChangedOrder): OrderBody {
  return {
    productId: changes.productId ?? booking.productId,
    optionId: changes.optionId ?? booking.optionId ?? ONLY_OPTION,
    availabilityId: changes.availabilityId ?? booking.departureId,
    unitItems: changes.unitItems ?? units,
  };
}

/**
 * Compares the units of a reservation with those of its new order. On the same departure and option, a unit with the same uuid stays:
 * it keeps its place and its price, and its description unless the request has another one.
 */
export function exchangedUnits(
  booking: OctoBooking,
  former: readonly OctoUnitItem[],
  { order, given }: { order: Order; given: OrderBody['unitItems'] },
): { added: OctoUnitItem[]; removed: OctoUnitItem[] } {
  const isSamePlace = order.departure.id === booking.departureId && order.optionId === booking.optionId;
  const [added, kept]: [OctoUnitItem[], OctoUnitItem[]] = [[], []];
  for (const unit of order.units) {
    const same = former.find(({ uuid, unitId }) => uuid === unit.uuid && unitId === unit.unitId);
    if (!same || !isSamePlace) added.push(unit);
    else {
      kept.push(same);
      const { id, allotmentId, seats, retailCents, netCents, soldUnit, bookingItemId } = same;
      Object.assign(unit, { allotmentId, seats, retailCents, netCents, soldUnit, bookingItemId });
      // Sold units have their seats in the order of their IDs; those on hold get theirs in the order of the request.
      if (bookingItemId !== null) unit.id = id;
    }
    if (same) keepDescription(unit, same, given?.[unit.position]);
  }
  return { added, removed: former.filter((unit) => !kept.includes(unit)) };
}

/** A unit that stays keeps the reference and contact that the request omits. */
function keepDescription(unit: OctoUnitItem, former: OctoUnitItem, item: UnitItemBody | undefined): void {
  if (item?.resellerReference === undefined) unit.resellerReference = former.resellerReference;
  if (!item?.contact) unit.contact = former.contact;
}

/** The prices of a reservation are in the currency in which it was reserved. */
export function assertCurrency({ currency }: OctoBooking, departure: DepartureSummary): void {
  if (departure.currency !== currency) throw unprocessableOrder(`The departure is no longer sold in ${currency}`);
}
