import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing } from '../../../platform/database/like.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListPriceLists, ListPrices } from './price-list.dto.js';
import { PriceList } from './price-list.entity.js';
import { Price, type PriceTerms } from './price.entity.js';

/** The product of each unit and option, by ID. */
export interface Parts {
  productIds: ReadonlySet<string>;
  units: ReadonlyMap<string, string>;
  options: ReadonlyMap<string, string>;
}

/** Reads and writes price lists with their prices. */
@Injectable()
export class PriceListsRepository {
  readonly lists: Rows<PriceList>;

  constructor(private readonly database: Database) {
    this.lists = database.rows(PriceList);
  }

  async list(query: ListPriceLists): Promise<{ rows: PriceList[]; total: number }> {
    const { search, status, currency, channelId, sort = '-createdAt' } = query;
    const found = this.lists.query('list');
    filterRows(found, 'list.status', status);
    if (search !== undefined) found.andWhere('list.name ilike :name', { name: containing(search) });
    if (currency !== undefined) found.andWhere('list.currency = :currency', { currency });
    if (channelId !== undefined) found.andWhere('list.channelId = :channelId', { channelId });
    sortRows(found, sort);
    return this.lists.page(found, pageBounds(query));
  }

  async listPrices(priceListId: string, query: ListPrices): Promise<{ rows: Price[]; total: number }> {
    const { productId, unitId, sort = 'position' } = query;
    const found = this.database
      .repository(Price)
      .createQueryBuilder('price')
      .where('price.priceListId = :priceListId', { priceListId });
    if (productId !== undefined) found.andWhere('price.productId = :productId', { productId });
    if (unitId !== undefined) found.andWhere('price.unitId = :unitId', { unitId });
    sortRows(found, sort);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { rows: rows.map(({ entity }) => entity), total };
  }

  /** All prices of a list in their order; at most 2,000. */
  async pricesOf(priceListId: string): Promise<Price[]> {
    return this.database.findRows(Price, { priceListId }, ['position']);
  }

  /** Inserts the prices in one round trip. */
  async insertPrices(prices: readonly Price[]): Promise<void> {
    await this.database.together(() => Promise.all(prices.map((price) => this.database.insert(price))));
  }

  async deletePrices(priceListId: string): Promise<void> {
    await this.database.prepared('prices-delete', 'delete from prices where price_list_id = $1', [priceListId]);
  }

  /**
   * Finds the products, units and options of prices. None of them is deleted until the transaction ends. The products come
   * first, because a deletion of a unit or an option locks its product first.
   */
  async keepParts(prices: readonly PriceTerms[]): Promise<Parts> {
    const productIds = [...new Set(prices.map(({ productId }) => productId))];
    const unitIds = [...new Set(prices.map(({ unitId }) => unitId))];
    const optionIds = [...new Set(prices.flatMap(({ optionId }) => optionId ?? []))];
    const products = await this.database.prepared<{ id: string }>(
      'prices-keep-products',
      'select id from products where id = any($1) order by id for key share',
      [productIds],
    );
    const units = await this.database.prepared<{ id: string; product_id: string }>(
      'prices-keep-units',
      'select id, product_id from product_units where id = any($1) order by id for key share',
      [unitIds],
    );
    const options = await this.database.prepared<{ id: string; product_id: string }>(
      'prices-keep-options',
      'select id, product_id from product_options where id = any($1) order by id for key share',
      [optionIds],
    );
    return {
      productIds: new Set(products.map(({ id }) => id)),
      units: new Map(units.map(({ id, product_id: productId }) => [id, productId])),
      options: new Map(options.map(({ id, product_id: productId }) => [id, productId])),
    };
  }
}
