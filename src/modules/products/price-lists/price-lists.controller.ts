import { Body, Controller, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import { Names } from '../../../platform/http/row-names.js';
import {
  CopyPriceList,
  CreatePriceList,
  ListPriceLists,
  ListPrices,
  PriceListEnvelope,
  PriceListPage,
  PricePage,
  ReplacePrices,
  toPrice,
  toPriceList,
  UpdatePriceList,
} from './price-list.dto.js';
import { PriceListsService } from './price-lists.service.js';

const PATH = '/v1/admin/products/price-lists';

@ApiGroup('Price lists', {
  position: 108,
  description: 'Staff: prices of the units of products, by season, option, channel and day of sale.',
})
@Controller(PATH)
export class PriceListsController {
  constructor(
    private readonly lists: PriceListsService,
    private readonly names: Names,
  ) {}

  /**
   * Create a price list
   *
   * @remarks Creates a draft without prices. It has effect once it is activated.
   */
  @Post()
  @RequireScope('products:write')
  @Mutates('products.price_list.create', { irreversible: 'A draft has no effect: retire it' })
  @Refuses({ 404: ['not_found'], 409: ['channel_archived'] })
  async create(@Body() body: CreatePriceList): Promise<PriceListEnvelope> {
    const list = await this.lists.create(body);
    return created(`${PATH}/${list.id}`, list, { data: toPriceList(list) });
  }

  /**
   * List price lists
   *
   * @remarks Returns a page of price lists, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('products:read')
  async list(@Query() query: ListPriceLists): Promise<PriceListPage> {
    const { rows, total } = await this.lists.list(query);
    return { data: await this.names.beside(rows.map(toPriceList), 'channelId'), total, ...pageBounds(query) };
  }

  /**
   * Get a price list
   *
   * @remarks Returns the price list without its prices.
   */
  @Get(':id')
  @RequireScope('products:read')
  async get(@PathId('plst') id: string): Promise<PriceListEnvelope> {
    const list = await this.lists.get(id);
    return tagged(list, { data: toPriceList(list) });
  }

  /**
   * Update a price list
   *
   * @remarks Changes only the fields that are sent, also of an active list. Sold items keep their prices.
   */
  @Patch(':id')
  @RequireScope('products:write')
  @Mutates('products.price_list.update')
  @BodyExample({ priority: 20 })
  @Refuses({ 404: ['not_found'], 409: ['channel_archived', 'price_list_retired'] })
  async update(
    @PathId('plst', 'id', 2) id: string,
    @Body() body: UpdatePriceList,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PriceListEnvelope> {
    const list = await this.lists.update(id, body, expected);
    return tagged(list, { data: toPriceList(list) });
  }

  /**
   * List the prices of a price list
   *
   * @remarks Returns a page of prices in the order of the list unless `sort` is given.
   */
  @Get(':id/prices')
  @RequireScope('products:read')
  async listPrices(@PathId('plst') id: string, @Query() query: ListPrices): Promise<PricePage> {
    const { rows, total } = await this.lists.listPrices(id, query);
    return { data: await this.names.beside(rows.map(toPrice), 'productId'), total, ...pageBounds(query) };
  }

  /**
   * Replace the prices of a price list
   *
   * @remarks Makes these the prices of the list, in one transaction, and returns the list. Two prices of the same unit, option
   * and weekday must not have a common service date: 409 `price_overlap` names the indexes of two such prices. Sold items keep
   * their prices. `If-Match` takes the version of the list, which rises with each change of its prices.
   */
  @Put(':id/prices')
  @RequireScope('products:write')
  @Mutates('products.price_list.replace_prices')
  @BodyExample({
    prices: [
      { productId: demoId('prod', 1), unitId: demoId('punt', 1), amountCents: 5_900 },
      { productId: demoId('prod', 1), unitId: demoId('punt', 1), weekday: 6, amountCents: 6_500 },
    ],
  })
  @Refuses({ 404: ['not_found'], 409: ['price_overlap', 'price_list_retired'] })
  async replacePrices(
    @PathId('plst', 'id', 2) id: string,
    @Body() { prices }: ReplacePrices,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PriceListEnvelope> {
    const list = await this.lists.replacePrices(id, prices, expected);
    return tagged(list, { data: toPriceList(list) });
  }

  /**
   * Activate a price list
   *
   * @remarks Sales use the prices of the list on the days from `soldFrom` to `soldTo`.
   */
  @Post(':id/activation')
  @HttpCode(200)
  @RequireScope('products:write')
  @Mutates('products.price_list.activate')
  @Refuses({ 409: ['invalid_transition', 'price_list_retired'] })
  async activate(
    @PathId('plst', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<PriceListEnvelope> {
    const list = await this.lists.activate(id, expected);
    return tagged(list, { data: toPriceList(list) });
  }

  /**
   * Retire a price list
   *
   * @remarks Ends the effect of the list for good; it stays readable and can be copied. Sold items keep their prices.
   */
  @Post(':id/retirement')
  @HttpCode(200)
  @RequireScope('products:write')
  @Mutates('products.price_list.retire')
  @Refuses({ 409: ['price_list_retired'] })
  async retire(
    @PathId('plst', 'id', 4) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<PriceListEnvelope> {
    const list = await this.lists.retire(id, expected);
    return tagged(list, { data: toPriceList(list) });
  }

  /**
   * Copy a price list
   *
   * @remarks Creates a draft with the channel, the days of sale, the priority and the prices of the list, which may be retired.
   * Each price changes by `changeBasisPoints` and is then rounded.
   */
  @Post(':id/copies')
  @RequireScope('products:write')
  @Mutates('products.price_list.copy', { irreversible: 'A draft has no effect: retire it' })
  @Refuses({ 409: ['channel_archived'] })
  async copy(@PathId('plst') id: string, @Body() body: CopyPriceList): Promise<PriceListEnvelope> {
    const list = await this.lists.copy(id, body);
    return created(`${PATH}/${list.id}`, list, { data: toPriceList(list) });
  }
}
