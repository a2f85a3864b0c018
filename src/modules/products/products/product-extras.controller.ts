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
  CreateProductExtra,
  ListProductExtras,
  ProductExtraEnvelope,
  ProductExtraPage,
  toProductExtra,
  UpdateProductExtra,
} from './product-extra.dto.js';
import { ProductExtrasService } from './product-extras.service.js';
import { ProductPathId } from './product-path.js';

const PRODUCTS = '/v1/admin/products';

@ApiGroup('Products')
@Controller(`${PRODUCTS}/:productId/extras`)
export class ProductExtrasController {
  constructor(private readonly extras: ProductExtrasService) {}

  /**
   * Create an extra of a product
   *
   * @remarks Adds an extra at the end of the list, or at `position`. If it is required, each later sale of units has it.
   */
  @Post()
  @RequireScope('products:write')
  @Mutates('products.extra.create')
  @Refuses({ 404: ['not_found'], 409: ['too_many_extras', 'product_archived', 'tax_code_inactive'] })
  async create(@ProductPathId() productId: string, @Body() body: CreateProductExtra): Promise<ProductExtraEnvelope> {
    const extra = await this.extras.create(productId, body);
    return created(`${PRODUCTS}/${productId}/extras/${extra.id}`, extra, { data: toProductExtra(extra) });
  }

  /**
   * List the extras of a product
   *
   * @remarks Returns a page of extras by position unless `sort` is given.
   */
  @Get()
  @RequireScope('products:read')
  async list(@ProductPathId() productId: string, @Query() query: ListProductExtras): Promise<ProductExtraPage> {
    const { rows, total } = await this.extras.list(productId, query);
    return { data: rows.map(toProductExtra), total, ...pageBounds(query) };
  }

  /**
   * Get an extra of a product
   *
   * @remarks Returns the extra.
   */
  @Get(':extraId')
  @RequireScope('products:read')
  async get(@ProductPathId() productId: string, @PathId('pxtr', 'extraId') id: string): Promise<ProductExtraEnvelope> {
    const extra = await this.extras.get(productId, id);
    return tagged(extra, { data: toProductExtra(extra) });
  }

  /**
   * Update an extra of a product
   *
   * @remarks Changes only the fields that are sent. Sold items keep their values.
   */
  @Patch(':extraId')
  @RequireScope('products:write')
  @Mutates('products.extra.update')
  @BodyExample({ active: false })
  @Refuses({ 404: ['not_found'], 409: ['product_archived', 'tax_code_inactive'] })
  async update(
    @ProductPathId() productId: string,
    @PathId('pxtr', 'extraId', 2) id: string,
    @Body() body: UpdateProductExtra,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ProductExtraEnvelope> {
    const extra = await this.extras.update({ productId, id, expected }, body);
    return tagged(extra, { data: toProductExtra(extra) });
  }

  /**
   * Delete an extra of a product
   *
   * @remarks Returns the deleted extra. Rejected once bookings have items of it: make it inactive.
   */
  @Delete(':extraId')
  @RequireScope('products:delete')
  @Mutates('products.extra.delete')
  @Refuses({ 409: ['extra_in_use', 'product_archived'] })
  async delete(
    @ProductPathId() productId: string,
    @PathId('pxtr', 'extraId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ProductExtraEnvelope> {
    const extra = await this.extras.delete({ productId, id, expected });
    return tagged(extra, { data: toProductExtra(extra) });
  }
}
