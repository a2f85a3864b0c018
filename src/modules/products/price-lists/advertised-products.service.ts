import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { daysAfter } from '../../../platform/time/calendar.js';
import type { Product } from '../products/product.entity.js';
import { ProductsRepository } from '../products/products.repository.js';
import { lowestPrice } from './lowest-price.js';
import { PriceListsRepository } from './price-lists.repository.js';

/** Prices are compared for this many service dates, from today on. */
const DAYS = 365;

/** What customers may read of a product. */
export interface AdvertisedProduct extends Pick<
  Product,
  'id' | 'version' | 'status' | 'kind' | 'name' | 'timeZone' | 'durationMinutes' | 'texts'
> {
  /** Address of the first picture. */
  imageUrl: string | null;
  /** The lowest price of an adult, by the currencies that have one. */
  lowestCents: ReadonlyMap<string, number>;
}

/** Products as they are advertised to customers of all channels. */
@Injectable()
export class AdvertisedProductsService {
  constructor(
    private readonly products: ProductsRepository,
    private readonly lists: PriceListsRepository,
    private readonly clock: Clock,
  ) {}

  /** Null if the product has no record. */
  async find(id: string, currencies: readonly string[]): Promise<AdvertisedProduct | null> {
    const product = await this.products.products.find(id);
    if (!product) return null;
    const { version, status, kind, name, timeZone, durationMinutes, texts, media } = product;
    const imageUrl = media.find((one) => one.kind === 'image')?.url ?? null;
    const lowestCents = await this.lowestOf(id, currencies);
    return { id, version, status, kind, name, timeZone, durationMinutes, texts, imageUrl, lowestCents };
  }

  /** The given IDs that are those of a product with a record. */
  async listKnown(ids: readonly string[]): Promise<string[]> {
    return this.products.listKnown(ids);
  }

  /** IDs of active products in their order, from the one that follows `after`. */
  async listActive(after: string, limit: number): Promise<string[]> {
    return this.products.listActive(after, limit);
  }

  /** An adult is a unit of that type, or the only unit of the product. */
  private async lowestOf(productId: string, currencies: readonly string[]): Promise<Map<string, number>> {
    const units = await this.products.unitsOf(productId);
    const adults = units.filter(({ type }) => type === 'adult' || units.length === 1);
    const options = await this.products.optionsOf(productId);
    const optionIds = options.length === 0 ? [null] : options.filter(({ active }) => active).map(({ id }) => id);
    const today = this.clock.today();
    const prices = await this.lists.advertisedPrices(
      adults.map(({ id }) => id),
      { today, last: daysAfter(today, DAYS - 1) },
    );
    return new Map(
      currencies.flatMap((currency): [string, number][] => {
        const cents = lowestPrice(prices, { currency, today, days: DAYS, optionIds });
        return cents === null ? [] : [[currency, cents]];
      }),
    );
  }
}
