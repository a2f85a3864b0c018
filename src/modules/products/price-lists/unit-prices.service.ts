import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { ProductListener } from '../products/product-listener.js';
import type { ProductOption } from '../products/product-option.entity.js';
import type { ProductUnit } from '../products/product-unit.entity.js';
import { ProductsRepository } from '../products/products.repository.js';
import { PriceListsRepository } from './price-lists.repository.js';
import { type ExplainedPrice, unitPrice, type UnitPrice } from './unit-price.js';

/** Units of a product to be sold together. */
export interface UnitSale {
  optionId: string | null;
  channelId: string | null;
  currency: string;
  serviceDate: string;
  units: readonly SoldUnit[];
  /** The price of one unit of the departure; null without a departure. */
  departure: { currency: string; priceCents: number } | null;
}

/** `ages` are those on the service date, of as many people as are known. */
export interface SoldUnit {
  unitId: string;
  quantity: number;
  ages?: readonly number[] | undefined;
}

/** A unit with its price. `taxCodeId` is that of the unit, otherwise of the product. */
export interface PricedUnit {
  unitId: string;
  paxCount: number;
  seats: number;
  taxCodeId: string | null;
  quantity: number;
  price: UnitPrice;
  explain: ExplainedPrice[];
}

export interface PricedSale {
  /** The option that applies; null if the product has none. */
  optionId: string | null;
  lines: PricedUnit[];
}

/** Checks and prices units of a product. A quote and a sale of the same day get the same prices from it. */
@Injectable()
export class UnitPricesService {
  constructor(
    private readonly products: ProductsRepository,
    private readonly lists: PriceListsRepository,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
  ) {}

  /** Throws 422 for units that the product does not sell like this, and for a unit without a price. */
  async price(productId: string, sale: UnitSale): Promise<PricedSale> {
    const product = await this.products.products.get(productId);
    product.assertNotArchived();
    const { channelId, currency, serviceDate } = sale;
    if (channelId !== null) await this.listeners.call(ProductListener, (one) => one.channelSelling?.(channelId));
    const all = await this.products.unitsOf(productId);
    const lines = sale.units.map(({ unitId, quantity, ages = [] }, index) => {
      const unit = all.find(({ id }) => id === unitId);
      if (!unit) throw notFound({ field: `units.${index}.unitId` });
      return { unit, quantity, ages };
    });
    assertUnits(lines);
    const option = await this.optionOf(productId, sale.optionId);
    assertQuantityOfOption(option, lines);
    const listed = await this.lists.listedPrices({
      unitIds: lines.map(({ unit }) => unit.id),
      optionId: option?.id ?? null,
      serviceDate,
    });
    const today = this.clock.today();
    const priced = lines.map(({ unit, quantity }, index) => {
      const isForUnit = unit.type === 'adult' || all.length === 1;
      const departure = sale.departure && { ...sale.departure, amountCents: sale.departure.priceCents, isForUnit };
      const candidates = { listed: listed.get(unit.id) ?? [], departure };
      const { price, explain } = unitPrice({ currency, channelId, today }, candidates);
      if (price) {
        const { id: unitId, paxCount, seats, taxCodeId } = unit;
        return { unitId, paxCount, seats, taxCodeId: taxCodeId ?? product.taxCodeId, quantity, price, explain };
      }
      const details = { field: `units.${index}.unitId`, unitId: unit.id };
      throw unprocessable('price_missing', 'The unit has no price', details);
    });
    return { optionId: option?.id ?? null, lines: priced };
  }

  /** The given option, otherwise the default one; null for a product without options. */
  private async optionOf(productId: string, optionId: string | null): Promise<ProductOption | null> {
    const options = await this.products.optionsOf(productId);
    const option = options.find(({ id, isDefault }) => (optionId === null ? isDefault : id === optionId));
    if (!option && optionId !== null) throw notFound({ field: 'optionId' });
    if (option?.active === false) {
      throw conflict('option_inactive', 'The option is not sold', { field: 'optionId', optionId: option.id });
    }
    return option ?? null;
  }
}

interface CheckedUnit {
  unit: ProductUnit;
  quantity: number;
  ages: readonly number[];
}

function assertUnits(lines: readonly CheckedUnit[]): void {
  const unitIds = lines.map(({ unit }) => unit.id);
  for (const [index, { unit, quantity, ages }] of lines.entries()) {
    const { id: unitId, minQuantity, maxQuantity, minAge, maxAge, accompaniedBy, paxCount } = unit;
    const at = (member: string) => ({ field: `units.${index}.${member}`, unitId });
    if (unitIds.indexOf(unitId) !== index) {
      throw invalidField(`units.${index}.unitId`, 'Each unit can be named only once', 'duplicate');
    }
    if (quantity < (minQuantity ?? 1) || (maxQuantity !== null && quantity > maxQuantity)) {
      const details = { ...at('quantity'), minQuantity, maxQuantity };
      throw unprocessable('unit_quantity', 'The unit is not sold in this quantity', details);
    }
    if (accompaniedBy.length > 0 && !accompaniedBy.some((id) => unitIds.includes(id))) {
      const details = { ...at('unitId'), accompaniedBy };
      throw unprocessable(
        'not_accompanied',
        'The unit is not sold without one of the units that accompany it',
        details,
      );
    }
    if (ages.length > quantity * paxCount) {
      throw invalidField(`units.${index}.ages`, 'There are more ages than people', 'too_many', {
        max: quantity * paxCount,
      });
    }
    if (ages.some((age) => age < (minAge ?? 0) || age > (maxAge ?? age))) {
      const details = { ...at('ages'), minAge, maxAge };
      throw unprocessable('age_out_of_range', 'A person is too young or too old for the unit', details);
    }
  }
}

function assertQuantityOfOption(option: ProductOption | null, lines: readonly CheckedUnit[]): void {
  if (!option) return;
  const { id: optionId, minUnits, maxUnits } = option;
  const quantity = lines.reduce((sum, line) => sum + line.quantity, 0);
  if (quantity >= (minUnits ?? 1) && quantity <= (maxUnits ?? quantity)) return;
  const details = { field: 'units', optionId, quantity, minUnits, maxUnits };
  throw unprocessable('option_quantity', 'The option is not sold with this number of units', details);
}
