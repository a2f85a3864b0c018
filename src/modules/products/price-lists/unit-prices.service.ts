import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import type { Cutoff } from '../products/cutoff.dto.js';
import type { ProductExtra, SoldTogether } from '../products/product-extra.entity.js';
import { ProductListener } from '../products/product-listener.js';
import type { ProductOption } from '../products/product-option.entity.js';
import type { ProductUnit } from '../products/product-unit.entity.js';
import { ProductsRepository } from '../products/products.repository.js';
import { PriceListsRepository } from './price-lists.repository.js';
import {
  type DeparturePrice,
  type DepartureUnitPrice,
  type ExplainedPrice,
  unitPrice,
  type UnitPrice,
} from './unit-price.js';

/** Units of a product to be sold together. */
export interface UnitSale {
  optionId: string | null;
  channelId: string | null;
  currency: string;
  serviceDate: string;
  units: readonly SoldUnit[];
  /** Extras that the sale names. It has the required ones without being asked. */
  extras: readonly SoldExtra[];
  /** The prices of the departure; null without a departure. */
  departure: PricesOfDeparture | null;
  /** Extras that were sold together with it before. */
  sold?: readonly SoldExtra[];
}

/** `priceCents` is the price of one unit, and `unitPrices` are those that precede price lists. */
export interface PricesOfDeparture {
  /** The only option that is sold on it; null for all options. */
  optionId: string | null;
  currency: string;
  priceCents: number;
  unitPrices: readonly DepartureUnitPrice[];
}

/** `ages` are those on the service date, of as many people as are known. */
export interface SoldUnit {
  unitId: string;
  quantity: number;
  ages?: readonly number[] | undefined;
}

export interface SoldExtra {
  extraId: string;
  quantity: number;
}

/** An item of a booking, which sells a unit, an extra or something else. */
export interface SoldItem {
  productId: string | null;
  optionId: string | null;
  unitId: string | null;
  extraId: string | null;
  quantity: number;
  peoplePerUnit: number;
}

/** One with a price that staff typed needs no other. */
export interface ExtraOfSale extends SoldExtra {
  hasTypedPrice: boolean;
}

/** A unit that is sold to known travelers. One with a price that staff typed needs no other. */
export interface UnitOfSale extends SoldUnit {
  hasTypedPrice: boolean;
}

/** A unit with its price. `taxCodeId` is that of the unit, otherwise of the product. */
export interface PricedUnit {
  unitId: string;
  name: string;
  paxCount: number;
  seats: number;
  /** The ages of some people are not known, and the unit has limits for them. */
  isAgeUnknown: boolean;
  taxCodeId: string | null;
  /** Expected cost of one; null if it is not known. */
  cost: { cents: number; currency: string } | null;
  quantity: number;
  price: UnitPrice;
  explain: ExplainedPrice[];
}

/** An extra with its price in the currency of the sale. */
export interface PricedExtra {
  extraId: string;
  /** In the language of the sale. */
  title: string;
  required: boolean;
  /** That of the extra, otherwise of the product. */
  taxCodeId: string | null;
  quantity: number;
  unitSellCents: number;
}

/** `unitSellCents` is null if the extra has only a typed price. */
export type PricedExtraOfSale = Omit<PricedExtra, 'unitSellCents'> & { unitSellCents: number | null };

/** `price` is null if the unit has only a typed price. */
export type PricedUnitOfSale = Omit<PricedUnit, 'price'> & { price: UnitPrice | null };

export interface PricedSale<Line = PricedUnit, Extra = PricedExtra> {
  /** The option that applies; null if the product has none. */
  optionId: string | null;
  lines: Line[];
  /** Those that the sale names, in their order; then the required ones that it does not name. */
  extras: Extra[];
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
    const { optionId, lines, extras } = await this.find(productId, { ...sale, language: null }, false);
    return {
      optionId,
      extras: extras.map((extra, index) => ({
        ...extra,
        unitSellCents: extra.unitSellCents ?? throwExtraMissing(extra, index, sale.extras),
      })),
      lines: lines.map((line, index) => ({ ...line, price: line.price ?? throwMissing(line, index) })),
    };
  }

  /**
   * Prices units in the transaction that sells them; the price lists stay active until it ends. Throws like `price`. The title is
   * that of the product in the language.
   */
  async priceOfSale(
    productId: string,
    sale: Omit<UnitSale, 'units' | 'extras'> & {
      units: readonly UnitOfSale[];
      extras: readonly ExtraOfSale[];
      language: string | null;
      /** Extras that the booking has already. */
      sold: readonly SoldExtra[];
    },
  ): Promise<PricedSale<PricedUnitOfSale, PricedExtraOfSale> & { title: string }> {
    const found = await this.find(productId, { ...sale, agesMember: 'travelerIds' }, true);
    const { product, optionId, lines, extras } = found;
    for (const [index, line] of lines.entries()) {
      if (line.price === null && !sale.units[index]?.hasTypedPrice) throwMissing(line, index);
    }
    for (const [index, extra] of extras.entries()) {
      if (extra.unitSellCents === null && !sale.extras[index]?.hasTypedPrice) {
        throwExtraMissing(extra, index, sale.extras);
      }
    }
    return { optionId, lines, extras, title: product.titleIn(sale.language) };
  }

  /**
   * The option that applies to these units, and the seats that they take; null if the product is not sold by units. Throws like
   * `price` for units that it does not sell like this.
   */
  async seatsOf(
    productId: string,
    { optionId, units }: Pick<UnitSale, 'optionId' | 'units'>,
  ): Promise<{ optionId: string | null; seats: number } | null> {
    const all = await this.products.unitsOf(productId);
    if (all.length === 0) return null;
    const lines = linesOf(all, units);
    assertUnits(lines, 'ages');
    const option = await this.optionOf(productId, optionId);
    assertQuantityOfOption(option, lines);
    return {
      optionId: option?.id ?? null,
      seats: lines.reduce((sum, { unit, quantity }) => sum + unit.seats * quantity, 0),
    };
  }

  /** Throws 422 for a price of a unit or an option that the product does not have. */
  async assertPriceable(productId: string, prices: readonly DepartureUnitPrice[]): Promise<void> {
    const units = new Set((await this.products.unitsOf(productId)).map(({ id }) => id));
    const options = new Set((await this.products.optionsOf(productId)).map(({ id }) => id));
    for (const [index, { unitId, optionId }] of prices.entries()) {
      if (!units.has(unitId)) {
        const field = `unitPrices.${index}.unitId`;
        throw unprocessable('unit_mismatch', 'The product does not have this unit', { field });
      }
      if (optionId !== null && !options.has(optionId)) {
        const field = `unitPrices.${index}.optionId`;
        throw unprocessable('option_mismatch', 'The product does not have this option', { field });
      }
    }
  }

  /** The end of sales of an option; null without one. Throws 422 for an option that the product does not have. */
  async cutoffOfOption(productId: string, optionId: string): Promise<Cutoff | null> {
    const option = (await this.products.optionsOf(productId)).find(({ id }) => id === optionId);
    if (option) return option.cutoff;
    throw unprocessable('option_mismatch', 'The product does not have this option', { field: 'optionId' });
  }

  /** Whether the product has a record with units, by which it is sold. */
  async hasUnits(productId: string): Promise<boolean> {
    return (await this.products.unitsOf(productId)).length > 0;
  }

  /** Throws 422 `unit_quantity` for an item of the unit that is not sold in its new quantity. */
  async assertQuantity(unitId: string, { quantity }: { quantity: number }): Promise<void> {
    assertQuantityOfUnit(await this.products.units.get(unitId), { quantity, field: 'quantity' });
  }

  /**
   * Throws 422 `extra_quantity` for an item of the extra that is not sold in its new quantity: `sold` are the other items of the
   * booking.
   */
  async assertQuantityOfExtra(
    extraId: string,
    { quantity, sold }: { quantity: number; sold: readonly SoldItem[] },
  ): Promise<void> {
    const extra = await this.products.extras.get(extraId);
    const units = sold.filter(
      ({ unitId, productId, optionId }) =>
        unitId !== null && productId === extra.productId && extra.isSoldWith(optionId),
    );
    const together = {
      people: units.reduce((sum, one) => sum + one.quantity * one.peoplePerUnit, 0),
      units: units.reduce((sum, one) => sum + one.quantity, 0),
    };
    const before = sold.reduce((sum, one) => (one.extraId === extraId ? sum + one.quantity : sum), 0);
    assertQuantityOfExtra(extra, { quantity, bounds: extra.bounds(together, before), field: 'quantity' });
  }

  /** The price at which one more of an extra is sold in the currency today; null without one. */
  async priceOfExtra(extraId: string, currency: string): Promise<number | null> {
    return (await this.products.extras.get(extraId)).priceIn(currency);
  }

  /** The price at which one more of a unit is sold today; null without one. */
  async priceOfUnit(unitId: string, sale: Omit<UnitSale, 'units' | 'extras'>): Promise<number | null> {
    return (await this.findPriceOfUnit(unitId, sale))?.amountCents ?? null;
  }

  /** Like `priceOfUnit`, with the price list. */
  async findPriceOfUnit(
    unitId: string,
    { optionId, serviceDate, departure, ...sale }: Omit<UnitSale, 'units' | 'extras'>,
  ): Promise<UnitPrice | null> {
    const unit = await this.products.units.get(unitId);
    const all = await this.products.unitsOf(unit.productId);
    const listed = await this.lists.listedPrices({ unitIds: [unitId], optionId, serviceDate, isSale: true });
    const ofUnit = departure && ofDeparture(departure, { unit, optionId, all });
    const candidates = { listed: listed.get(unitId) ?? [], departure: ofUnit };
    return unitPrice({ ...sale, today: this.clock.today() }, candidates).price;
  }

  private async find(
    productId: string,
    { agesMember = 'ages', sold = [], ...sale }: UnitSale & { language: string | null; agesMember?: string },
    isSale: boolean,
  ) {
    const product = await this.products.products.find(productId);
    if (!product) throw notFound(isSale || sale.departure ? { field: 'departureId' } : undefined);
    product.assertNotArchived();
    if (isSale) {
      await this.products.lockUnits(sale.units.map(({ unitId }) => unitId));
      await this.products.lockExtras(productId);
    }
    const { channelId, currency, serviceDate } = sale;
    if (channelId !== null) await this.listeners.call(ProductListener, (one) => one.channelSelling?.(channelId));
    const all = await this.products.unitsOf(productId);
    const lines = linesOf(all, sale.units);
    assertUnits(lines, agesMember);
    const option = await this.optionOf(productId, optionOnDeparture(sale));
    assertQuantityOfOption(option, lines);
    const listed = await this.lists.listedPrices({
      unitIds: lines.map(({ unit }) => unit.id),
      optionId: option?.id ?? null,
      serviceDate,
      isSale,
    });
    const today = this.clock.today();
    const priced = lines.map(({ unit, quantity, ages }): PricedUnitOfSale => {
      const departure = sale.departure && ofDeparture(sale.departure, { unit, optionId: option?.id ?? null, all });
      const candidates = { listed: listed.get(unit.id) ?? [], departure };
      const { id: unitId, name, paxCount, seats, minAge, maxAge, costCents, costCurrency } = unit;
      return {
        ...{ unitId, name, paxCount, seats, quantity },
        isAgeUnknown: (minAge !== null || maxAge !== null) && ages.length < quantity * paxCount,
        taxCodeId: unit.taxCodeId ?? product.taxCodeId,
        cost: costCents === null || costCurrency === null ? null : { cents: costCents, currency: costCurrency },
        ...unitPrice({ currency, channelId, today }, candidates),
      };
    });
    const extras = extrasOf(await this.products.extrasOf(productId), {
      optionId: option?.id ?? null,
      given: sale.extras,
      together: {
        people: lines.reduce((sum, { unit, quantity }) => sum + quantity * unit.paxCount, 0),
        units: lines.reduce((sum, { quantity }) => sum + quantity, 0),
      },
      sold,
    }).map(({ extra, quantity }): PricedExtraOfSale => ({
      ...{ extraId: extra.id, title: extra.titleIn(sale.language), required: extra.required, quantity },
      taxCodeId: extra.taxCodeId ?? product.taxCodeId,
      unitSellCents: extra.priceIn(currency),
    }));
    return { product, optionId: option?.id ?? null, lines: priced, extras };
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

/** A departure of one option is sold with it, without being asked. */
function optionOnDeparture({ optionId, departure }: Pick<UnitSale, 'optionId' | 'departure'>): string | null {
  const own = departure?.optionId ?? null;
  if (own === null || optionId === null || optionId === own) return optionId ?? own;
  const details = { field: 'optionId', expected: own, actual: optionId };
  throw unprocessable('option_mismatch', 'The departure is of another option', details);
}

/** The general price of the departure counts for adults, and for an only unit. */
export function ofDeparture(
  { currency, priceCents, unitPrices }: PricesOfDeparture,
  { unit, optionId, all }: { unit: Pick<ProductUnit, 'id' | 'type'>; optionId: string | null; all: readonly unknown[] },
): DeparturePrice {
  const own = unitPrices.filter(
    (price) => price.unitId === unit.id && (price.optionId === null || price.optionId === optionId),
  );
  return { currency, amountCents: priceCents, isForUnit: unit.type === 'adult' || all.length === 1, own };
}

interface CheckedUnit {
  unit: ProductUnit;
  quantity: number;
  ages: readonly number[];
}

function linesOf(all: readonly ProductUnit[], units: readonly SoldUnit[]): CheckedUnit[] {
  return units.map(({ unitId, quantity, ages = [] }, index) => {
    const unit = all.find(({ id }) => id === unitId);
    if (!unit) throw notFound({ field: `units.${index}.unitId` });
    return { unit, quantity, ages };
  });
}

/** `agesMember` is the member of a unit that tells the ages. */
function assertUnits(lines: readonly CheckedUnit[], agesMember: string): void {
  const unitIds = lines.map(({ unit }) => unit.id);
  for (const [index, { unit, quantity, ages }] of lines.entries()) {
    const { id: unitId, minAge, maxAge, accompaniedBy, paxCount } = unit;
    const at = (member: string) => ({ field: `units.${index}.${member}`, unitId });
    if (unitIds.indexOf(unitId) !== index) {
      throw invalidField(`units.${index}.unitId`, 'Each unit can be named only once', 'duplicate');
    }
    assertQuantityOfUnit(unit, { quantity, field: `units.${index}.quantity` });
    if (accompaniedBy.length > 0 && !accompaniedBy.some((id) => unitIds.includes(id))) {
      const details = { ...at('unitId'), accompaniedBy };
      throw unprocessable(
        'not_accompanied',
        'The unit is not sold without one of the units that accompany it',
        details,
      );
    }
    if (ages.length > quantity * paxCount) {
      throw invalidField(`units.${index}.${agesMember}`, 'There are more ages than people', 'too_many', {
        max: quantity * paxCount,
      });
    }
    if (ages.some((age) => age < (minAge ?? 0) || age > (maxAge ?? age))) {
      const details = { ...at(agesMember), minAge, maxAge };
      throw unprocessable('age_out_of_range', 'A person is too young or too old for the unit', details);
    }
  }
}

function assertQuantityOfUnit(
  { id: unitId, minQuantity, maxQuantity }: ProductUnit,
  { quantity, field }: { quantity: number; field: string },
): void {
  if (quantity >= (minQuantity ?? 1) && quantity <= (maxQuantity ?? quantity)) return;
  const details = { field, unitId, minQuantity, maxQuantity };
  throw unprocessable('unit_quantity', 'The unit is not sold in this quantity', details);
}

interface ExtraTerms {
  optionId: string | null;
  given: readonly SoldExtra[];
  together: SoldTogether;
  /** Extras that the booking has already. */
  sold: readonly SoldExtra[];
}

/** The extras that the sale names, then the required ones that it does not name. Throws for those that it cannot have. */
function extrasOf(
  all: readonly ProductExtra[],
  { optionId, given, together, sold }: ExtraTerms,
): { extra: ProductExtra; quantity: number }[] {
  // Other extras belong to the units of each sale.
  const soldOf = ({ id, pricing }: ProductExtra) => (pricing === 'per_booking' ? quantityOf(id, sold) : 0);
  const named = given.map(({ extraId, quantity }, index) => {
    const field = `extras.${index}.extraId`;
    const extra = all.find(({ id }) => id === extraId);
    if (!extra) throw notFound({ field });
    if (given.findIndex((one) => one.extraId === extraId) < index) {
      throw invalidField(field, 'Each extra can be named only once', 'duplicate');
    }
    if (!extra.active) throw conflict('extra_inactive', 'The extra is not sold', { field, extraId });
    if (!extra.isSoldWith(optionId)) {
      const details = { field, extraId, optionId, optionIds: extra.optionIds };
      throw unprocessable('option_mismatch', 'The extra is not sold with this option', details);
    }
    const before = soldOf(extra);
    const { min, max } = extra.bounds(together, before);
    const bounds = extra.required && before > 0 ? { min, max: 0 } : { min, max };
    assertQuantityOfExtra(extra, { quantity, bounds, field: `extras.${index}.quantity` });
    return { extra, quantity };
  });
  const isNamed = (id: string) => given.some(({ extraId }) => extraId === id);
  const required = all.filter((extra) => extra.required && extra.active && !isNamed(extra.id));
  return [
    ...named,
    ...required.flatMap((extra) => {
      const quantity = extra.fullQuantity(together);
      if (soldOf(extra) > 0 || quantity === 0 || !extra.isSoldWith(optionId)) return [];
      assertQuantityOfExtra(extra, { quantity, bounds: extra.bounds(together, 0), field: 'units' });
      return [{ extra, quantity }];
    }),
  ];
}

function assertQuantityOfExtra(
  extra: ProductExtra,
  { quantity, bounds, field }: { quantity: number; bounds: { min: number; max: number }; field: string },
): void {
  const { min: minQuantity, max: maxQuantity } = bounds;
  if (quantity >= minQuantity && quantity <= maxQuantity) return;
  const details = { field, extraId: extra.id, minQuantity, maxQuantity };
  throw unprocessable('extra_quantity', 'The extra is not sold in this quantity', details);
}

function quantityOf(id: string, sold: readonly SoldExtra[]): number {
  return sold.reduce((sum, { extraId, quantity }) => (extraId === id ? sum + quantity : sum), 0);
}

/** A required extra that the sale does not name is missing for the units. */
function throwExtraMissing({ extraId }: { extraId: string }, index: number, given: readonly SoldExtra[]): never {
  const field = index < given.length ? `extras.${index}.extraId` : 'units';
  throw unprocessable('price_missing', 'The extra has no price in this currency', { field, extraId });
}

function throwMissing({ unitId }: { unitId: string }, index: number): never {
  throw unprocessable('price_missing', 'The unit has no price', { field: `units.${index}.unitId`, unitId });
}

function assertQuantityOfOption(option: ProductOption | null, lines: readonly CheckedUnit[]): void {
  if (!option) return;
  const { id: optionId, minUnits, maxUnits } = option;
  const quantity = lines.reduce((sum, line) => sum + line.quantity, 0);
  if (quantity >= (minUnits ?? 1) && quantity <= (maxUnits ?? quantity)) return;
  const details = { field: 'units', optionId, quantity, minUnits, maxUnits };
  throw unprocessable('option_quantity', 'The option is not sold with this number of units', details);
}
