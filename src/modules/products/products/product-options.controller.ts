import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateProductOption,
  ListProductOptions,
  ProductOptionEnvelope,
  ProductOptionPage,
  toProductOption,
  UpdateProductOption,
} from './product-option.dto.js';
import { ProductOptionsService } from './product-options.service.js';
import { ProductPathId } from './product-path.js';

const PRODUCTS = '/v1/admin/products';

@ApiGroup('Products')
@Controller(`${PRODUCTS}/:productId/options`)
export class ProductOptionsController {
  constructor(private readonly options: ProductOptionsService) {}

  /**
   * Create an option of a product
   *
   * @remarks Adds a variant at the end of the list, or at `position`. The first option of a product is its default.
   */
  @Post()
  @RequireScope('products:write')
  @Mutates('products.option.create')
  @Refuses({ 409: ['too_many_options', 'product_archived'] })
  async create(@ProductPathId() productId: string, @Body() body: CreateProductOption): Promise<ProductOptionEnvelope> {
    const option = await this.options.create(productId, body);
    return created(`${PRODUCTS}/${productId}/options/${option.id}`, option, { data: toProductOption(option) });
  }

  /**
   * List the options of a product
   *
   * @remarks Returns a page of options by position unless `sort` is given.
   */
  @Get()
  @RequireScope('products:read')
  async list(@ProductPathId() productId: string, @Query() query: ListProductOptions): Promise<ProductOptionPage> {
    const { rows, total } = await this.options.list(productId, query);
    return { data: rows.map(toProductOption), total, ...pageBounds(query) };
  }

  /**
   * Get an option of a product
   *
   * @remarks Returns the option.
   */
  @Get(':optionId')
  @RequireScope('products:read')
  async get(
    @ProductPathId() productId: string,
    @PathId('popt', 'optionId') id: string,
  ): Promise<ProductOptionEnvelope> {
    const option = await this.options.get(productId, id);
    return tagged(option, { data: toProductOption(option) });
  }

  /**
   * Update an option of a product
   *
   * @remarks Changes only the fields that are sent. Sold items keep their values.
   */
  @Patch(':optionId')
  @RequireScope('products:write')
  @Mutates('products.option.update')
  @BodyExample({ name: 'Afternoon', minUnits: 2 })
  @Refuses({ 409: ['product_archived'] })
  async update(
    @ProductPathId() productId: string,
    @PathId('popt', 'optionId', 2) id: string,
    @Body() body: UpdateProductOption,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ProductOptionEnvelope> {
    const option = await this.options.update({ productId, id, expected }, body);
    return tagged(option, { data: toProductOption(option) });
  }

  /**
   * Delete an option of a product
   *
   * @remarks Returns the deleted option. Another option must become the default before the default option is deleted, unless it is the last one.
   * Rejected while a price list has a price of the option.
   */
  @Delete(':optionId')
  @RequireScope('products:delete')
  @Mutates('products.option.delete')
  @Refuses({ 409: ['option_in_use', 'option_is_default', 'product_archived'] })
  async delete(
    @ProductPathId() productId: string,
    @PathId('popt', 'optionId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ProductOptionEnvelope> {
    const option = await this.options.delete({ productId, id, expected });
    return tagged(option, { data: toProductOption(option) });
  }
}
