import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { daysAfter } from '../../../platform/time/calendar.js';
import type { Product } from '../products/product.entity.js';
import type { ProductOption } from '../products/product-option.entity.js';
import type { ProductUnit } from '../products/product-unit.entity.js';
import { ProductsRepository } from '../products/products.repository.js';
import { type DatedPrice, lowestPrice } from './lowest-price.js';
import { PriceListsRepository } from './price-lists.repository.js';
import { unitPrice, type UnitPrice } from './unit-price.js';
import { ofDeparture, type PricesOfDeparture } from './unit-prices.service.js';

/** Prices "from" are compared for this many service dates, from today on. */
const DAYS = 365;

export type ChannelOption = Pick<
  ProductOption,
  'id' | 'name' | 'isDefault' | 'startTimes' | 'minUnits' | 'maxUnits' | 'active'
>;
export type ChannelUnit = Pick<
  ProductUnit,
  | 'id'
  | 'type'
  | 'name'
  | 'minAge'
  | 'maxAge'
  | 'paxCount'
  | 'seats'
  | 'minQuantity'
  | 'maxQuantity'
  | 'accompaniedBy'
  | 'idRequired'
  | 'taxCodeId'
  | 'costCents'
  | 'costCurrency'
>;

/** An active product with its active options and its units. */
export interface ChannelProduct extends Pick<
  Product,
  | 'id'
  | 'name'
  | 'kind'
  | 'timeZone'
  | 'durationMinutes'
  | 'facilityId'
  | 'taxCodeId'
  | 'requiredContactFields'
  | 'requiredTravelerFields'
  | 'issueVouchers'
  | 'texts'
  | 'media'
> {
  options: readonly ChannelOption[];
  units: readonly ChannelUnit[];
}

/** A departure to price, with its local day. */
interface PricedDeparture extends PricesOfDeparture {
  id: string;
  startDate: string;
}

/** Products as partners sell them through a channel: many of them, and on many departures, with few statements. */
@Injectable()
export class ChannelProductsService {
  constructor(
    private readonly products: ProductsRepository,
    private readonly lists: PriceListsRepository,
    private readonly clock: Clock,
  ) {}

  /** Active products that are sold by units: all of them, or those with the IDs; in the order of their names. */
  async list(ids: readonly string[] | null, limit: number): Promise<ChannelProduct[]> {
    const products = await this.products.listSold(ids, limit);
    const found = products.map(({ id }) => id);
    const [options, units] = [await this.products.optionsOfAll(found), await this.products.unitsOfAll(found)];
    return products
      .map((product) => ({
        ...product,
        options: options.filter((one) => one.productId === product.id && one.active),
        units: units.filter((one) => one.productId === product.id),
      }))
      .filter((product) => product.units.length > 0);
  }

  /**
   * The prices of the units on each of these departures of the product, by the IDs of departure and unit, as a sale of today has
   * them; without the units that have no price.
   */
  async pricesOn(
    { units }: Pick<ChannelProduct, 'units'>,
    { optionId, channelId, departures }: Sale & { departures: readonly PricedDeparture[] },
  ): Promise<Map<string, { channel: Map<string, UnitPrice>; general: Map<string, UnitPrice> }>> {
    const days = departures.map(({ startDate }) => startDate).sort();
    const [from, to] = [days.at(0), days.at(-1)];
    if (from === undefined || to === undefined) return new Map();
    const unitIds = units.map(({ id }) => id);
    const prices = await this.lists.pricesOfChannel(unitIds, { channelId, from, to });
    const today = this.clock.today();
    const ofUnit = new Map(unitIds.map((id) => [id, prices.filter((price) => price.unitId === id)]));
    return new Map(
      departures.map((departure) => {
        const pricesFor = (channel: string | null) =>
          new Map(
            units.flatMap((unit): [string, UnitPrice][] => {
              const listed = (ofUnit.get(unit.id) ?? []).filter((one) => isFor(one, departure.startDate, optionId));
              const own = ofDeparture(departure, { unit, optionId, all: units });
              const sale = { currency: departure.currency, channelId: channel, today };
              const { price } = unitPrice(sale, { listed, departure: own });
              return price ? [[unit.id, price]] : [];
            }),
          );
        return [departure.id, { channel: pricesFor(channelId), general: pricesFor(null) }];
      }),
    );
  }

  /** The lowest listed prices of each unit in the currency, for the channel and in general, for service dates of the next year. */
  async lowestPrices(
    { units, options }: Pick<ChannelProduct, 'units' | 'options'>,
    { channelId, currency }: { channelId: string; currency: string },
  ): Promise<Map<string, { channelCents: number; generalCents: number | null }>> {
    const today = this.clock.today();
    const unitIds = units.map(({ id }) => id);
    const period = { channelId, from: today, to: daysAfter(today, DAYS - 1) };
    const prices = await this.lists.pricesOfChannel(unitIds, period);
    const optionIds = options.length === 0 ? [null] : options.map(({ id }) => id);
    return new Map(
      unitIds.flatMap((unitId) => {
        const own = prices.filter((price) => price.unitId === unitId);
        const sale = { currency, today, days: DAYS, optionIds };
        const channelCents = lowestPrice(own, { ...sale, channelId });
        const generalCents = lowestPrice(own, sale);
        return channelCents === null ? [] : [[unitId, { channelCents, generalCents }] as const];
      }),
    );
  }
}

interface Sale {
  optionId: string | null;
  channelId: string;
}

function isFor({ from, to, weekday, ...price }: DatedPrice, day: string, optionId: string | null): boolean {
  // Weekdays of prices are 1 to 7, from Monday to Sunday.
  const isOnDay = weekday === null || weekday % 7 === new Date(day).getUTCDay();
  const isOfOption = price.optionId === null || price.optionId === optionId;
  return isOnDay && isOfOption && (from ?? day) <= day && (to ?? day) >= day;
}
