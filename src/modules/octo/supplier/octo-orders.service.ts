import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { newId } from '../../../platform/ids/id.js';
import { make } from '../../../platform/database/rows.js';
import { UnitPricesService } from '../../products/index.js';
import { AvailabilityService, type OfferedDeparture } from './availability.service.js';
import { CatalogueService } from './catalogue.service.js';
import { contactOf, type UnitItemBody } from './octo-booking.dto.js';
import { OctoUnitItem } from './octo-booking.entity.js';
import { badRequest, invalidId, unprocessableOrder } from './octo-errors.js';
import { figuresOf } from './octo-pricing.js';
import type { Reseller } from './resellers.service.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface OrderBody {
  productId: string;
  optionId: string;
  availabilityId?: string | null | undefined;
  unitItems?: readonly UnitItemBody[] | null | undefined;
  currency?: string | null | undefined;
}

/** A checked order with its prices. Its units are not held yet. */
export interface Order extends OfferedDeparture {
  optionId: string | null;
  hasVoucher: boolean;
  units: OctoUnitItem[];
}

/** Checks what a reseller orders, and prices it. */
@Injectable()
export class OctoOrdersService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly availability: AvailabilityService,
    private readonly unitPrices: UnitPricesService,
  ) {}

  async check(octoBookingId: string, body: OrderBody, reseller: Reseller): Promise<Order> {
    const { productId, optionId, availabilityId, unitItems } = body;
    const { product, option } = await this.catalogue.getSold(productId, optionId, reseller);
    if (!availabilityId) throw invalidId('INVALID_AVAILABILITY_ID', 'availabilityId', '');
    const offered = await this.availability.offerOne(availabilityId, { product, option }, reseller);
    const { departure, isOnSale, prices } = offered;
    if (!unitItems || unitItems.length === 0) throw unprocessableOrder('unitItems must contain a unit');
    if (body.currency && body.currency !== departure.currency) {
      throw badRequest('The availability is not sold in this currency');
    }
    if (!isOnSale) throw unprocessableOrder('The availability is not on sale');
    const units = unitItems.map((item, position): OctoUnitItem => {
      const unit = product.units.find(({ id }) => id === item.unitId);
      if (!unit) throw invalidId('INVALID_UNIT_ID', 'unitId', item.unitId);
      const price = prices.get(unit.id);
      if (!price) throw unprocessableOrder('A unit has no price on this availability');
      const { retailCents, netCents } = figuresOf(price, reseller.connection);
      return make(OctoUnitItem, {
        ...{ id: newId('outi'), octoBookingId, position, uuid: uuidOf(item), unitId: unit.id },
        ...{ resellerReference: item.resellerReference ?? null, contact: contactOf(item.contact) },
        ...{ allotmentId: null, seats: unit.seats, retailCents, netCents, bookingItemId: null, cancelledAt: null },
        soldUnit: {
          ...{ name: unit.name, productId, optionId: option?.id ?? null, unitId: unit.id, extraId: null },
          ...{ seatsPerUnit: unit.seats, peoplePerUnit: unit.paxCount, listUnitSellCents: price.channelCents },
          ...{ priceListId: price.priceListId, priceListVersion: price.priceListVersion },
          taxCodeId: unit.taxCodeId ?? product.taxCodeId ?? departure.taxCodeId,
          ...{ costCents: unit.costCents, costCurrency: unit.costCurrency },
        },
      });
    });
    if (new Set(units.map(({ uuid }) => uuid)).size < units.length)
      throw badRequest('The uuids of unitItems must differ');
    await this.unitPrices.seatsOf(productId, { optionId: option?.id ?? null, units: quantitiesOf(units) });
    return { ...offered, optionId: option?.id ?? null, hasVoucher: product.issueVouchers !== 'never', units };
  }
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

function uuidOf({ uuid }: UnitItemBody): string {
  if (!uuid) return randomUUID();
  if (!isUuid(uuid)) throw badRequest('The uuid of a unit item is malformed');
  return uuid.toLowerCase();
}

function quantitiesOf(units: readonly OctoUnitItem[]): { unitId: string; quantity: number }[] {
  const quantities = new Map<string, number>();
  for (const { unitId } of units) quantities.set(unitId, (quantities.get(unitId) ?? 0) + 1);
  return [...quantities].map(([unitId, quantity]) => ({ unitId, quantity }));
}
