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
import type { DatedPrice } from './lowest-price.js';
import type { ListedPrice } from './unit-price.js';

/** A statement of its own: only the next one sees the prices that a change committed while this one waited. */
const LOCK_LISTS = `
  select from price_lists list
  where list.status = 'active' and exists (
    select from prices price where price.price_list_id = list.id and price.unit_id = any($1))
  order by list.id for share`;

/** The prices of active lists, of the service date and the option. */
const LISTED_PRICES = `
  select price.unit_id, list.id, list.version, list.created_at, list.currency, list.channel_id, list.sold_from, list.sold_to,
    list.priority, price.option_id, price.weekday, price.amount_cents
  from prices price join price_lists list on list.id = price.price_list_id
  where price.unit_id = any($1) and list.status = 'active'
    and (price.option_id is null or price.option_id = $2)
    and (price.service_from is null or price.service_from <= $3::date)
    and (price.service_to is null or price.service_to >= $3::date)
    and (price.weekday is null or price.weekday = extract(isodow from $3::date))`;

/** The prices of active lists on sale today for all channels, for service dates of a period. */
const ADVERTISED_PRICES = `
  select price.unit_id, list.id, list.version, list.created_at, list.currency, list.channel_id, list.sold_from, list.sold_to,
    list.priority, price.option_id, price.weekday, price.amount_cents, price.service_from, price.service_to
  from prices price join price_lists list on list.id = price.price_list_id
  where price.unit_id = any($1) and list.status = 'active' and list.channel_id is null
    and (list.sold_from is null or list.sold_from <= $2::date) and (list.sold_to is null or list.sold_to >= $2::date)
    and (price.service_from is null or price.service_from <= $3::date)
    and (price.service_to is null or price.service_to >= $2::date)`;

/** The prices of active lists, general ones and those of a channel, for service dates of a period. */
const CHANNEL_PRICES = `
  select price.unit_id, list.id, list.version, list.created_at, list.currency, list.channel_id, list.sold_from, list.sold_to,
    list.priority, price.option_id, price.weekday, price.amount_cents, price.service_from, price.service_to
  from prices price join price_lists list on list.id = price.price_list_id
  where price.unit_id = any($1) and list.status = 'active' and (list.channel_id is null or list.channel_id = $2)
    and (price.service_from is null or price.service_from <= $4::date)
    and (price.service_to is null or price.service_to >= $3::date)`;

interface ListedRow {
  unit_id: string;
  id: string;
  version: number;
  created_at: Date;
  currency: string;
  channel_id: string | null;
  sold_from: string | null;
  sold_to: string | null;
  priority: number;
  option_id: string | null;
  weekday: number | null;
  amount_cents: string;
}

type DatedRow = ListedRow & { service_from: string | null; service_to: string | null };

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

  /**
   * The candidates for the price of each unit, by unit ID. The lists of a sale do not change until the transaction ends.
   */
  async listedPrices({
    unitIds,
    optionId,
    serviceDate,
    isSale,
  }: {
    unitIds: readonly string[];
    optionId: string | null;
    serviceDate: string;
    isSale: boolean;
  }): Promise<Map<string, ListedPrice[]>> {
    if (isSale) await this.database.prepared('prices-lock-lists', LOCK_LISTS, [unitIds]);
    const values = [unitIds, optionId, serviceDate];
    const rows = await this.database.prepared<ListedRow>('prices-listed', LISTED_PRICES, values);
    const byUnit = new Map<string, ListedPrice[]>(unitIds.map((unitId) => [unitId, []]));
    for (const row of rows) byUnit.get(row.unit_id)?.push(toListedPrice(row));
    return byUnit;
  }

  /** Prices that customers of any channel can pay today for service dates from today to `last`. */
  async advertisedPrices(
    unitIds: readonly string[],
    { today, last }: { today: string; last: string },
  ): Promise<DatedPrice[]> {
    const values = [unitIds, today, last];
    const rows = await this.database.prepared<DatedRow>('prices-advertised', ADVERTISED_PRICES, values);
    return rows.map(toDatedPrice);
  }

  /** Prices that customers of the channel can pay for service dates of a period, in lists on sale now or on other days. */
  async pricesOfChannel(
    unitIds: readonly string[],
    { channelId, from, to }: { channelId: string; from: string; to: string },
  ): Promise<DatedPrice[]> {
    const values = [unitIds, channelId, from, to];
    return (await this.database.prepared<DatedRow>('prices-channel', CHANNEL_PRICES, values)).map(toDatedPrice);
  }

  /** IDs of the products that the list has prices of. */
  async productsOf(priceListId: string): Promise<string[]> {
    const text = 'select distinct product_id as id from prices where price_list_id = $1';
    const rows = await this.database.prepared<{ id: string }>('prices-products', text, [priceListId]);
    return rows.map(({ id }) => id);
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
  async lockParts(prices: readonly PriceTerms[]): Promise<Parts> {
    const productIds = [...new Set(prices.map(({ productId }) => productId))];
    const unitIds = [...new Set(prices.map(({ unitId }) => unitId))];
    const optionIds = [...new Set(prices.flatMap(({ optionId }) => optionId ?? []))];
    const products = await this.database.prepared<{ id: string }>(
      'prices-lock-products',
      'select id from products where id = any($1) order by id for key share',
      [productIds],
    );
    const units = await this.database.prepared<{ id: string; product_id: string }>(
      'prices-lock-units',
      'select id, product_id from product_units where id = any($1) order by id for key share',
      [unitIds],
    );
    const options = await this.database.prepared<{ id: string; product_id: string }>(
      'prices-lock-options',
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

function toDatedPrice(row: DatedRow): DatedPrice {
  return { ...toListedPrice(row), unitId: row.unit_id, from: row.service_from, to: row.service_to };
}

function toListedPrice(row: ListedRow): ListedPrice {
  return {
    priceListId: row.id,
    version: row.version,
    listedAt: row.created_at,
    currency: row.currency,
    channelId: row.channel_id,
    soldFrom: row.sold_from,
    soldTo: row.sold_to,
    priority: row.priority,
    optionId: row.option_id,
    weekday: row.weekday,
    amountCents: Number(row.amount_cents),
  };
}
