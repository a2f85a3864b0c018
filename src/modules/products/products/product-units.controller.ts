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
  CreateProductUnit,
  ListProductUnits,
  ProductUnitEnvelope,
  ProductUnitPage,
  toProductUnit,
  UpdateProductUnit,
} from './product-unit.dto.js';
import { ProductUnitsService } from './product-units.service.js';
import { ProductPathId } from './product-path.js';

const PRODUCTS = '/v1/admin/products';

@ApiGroup('Products')
@Controller(`${PRODUCTS}/:productId/units`)
export class ProductUnitsController {
  constructor(private readonly units: ProductUnitsService) {}

  /**
   * Create a unit of a product
   *
   * @remarks Adds a unit at the end of the list, or at `position`.
   */
  @Post()
  @RequireScope('products:write')
  @Mutates('products.unit.create')
  @Refuses({ 404: ['not_found'], 409: ['too_many_units', 'product_archived', 'tax_code_inactive'] })
  async create(@ProductPathId() productId: string, @Body() body: CreateProductUnit): Promise<ProductUnitEnvelope> {
    const unit = await this.units.create(productId, body);
    return created(`${PRODUCTS}/${productId}/units/${unit.id}`, unit, { data: toProductUnit(unit) });
  }

  /**
   * List the units of a product
   *
   * @remarks Returns a page of units by position unless `sort` is given.
   */
  @Get()
  @RequireScope('products:read')
  async list(@ProductPathId() productId: string, @Query() query: ListProductUnits): Promise<ProductUnitPage> {
    const { rows, total } = await this.units.list(productId, query);
    return { data: rows.map(toProductUnit), total, ...pageBounds(query) };
  }

  /**
   * Get a unit of a product
   *
   * @remarks Returns the unit.
   */
  @Get(':unitId')
  @RequireScope('products:read')
  async get(@ProductPathId() productId: string, @PathId('punt', 'unitId') id: string): Promise<ProductUnitEnvelope> {
    const unit = await this.units.get(productId, id);
    return tagged(unit, { data: toProductUnit(unit) });
  }

  /**
   * Update a unit of a product
   *
   * @remarks Changes only the fields that are sent. Sold items keep their values.
   */
  @Patch(':unitId')
  @RequireScope('products:write')
  @Mutates('products.unit.update')
  @BodyExample({ maxAge: 14 })
  @Refuses({ 404: ['not_found'], 409: ['product_archived', 'tax_code_inactive'] })
  async update(
    @ProductPathId() productId: string,
    @PathId('punt', 'unitId', 2) id: string,
    @Body() body: UpdateProductUnit,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ProductUnitEnvelope> {
    const unit = await this.units.update({ productId, id, expected }, body);
    return tagged(unit, { data: toProductUnit(unit) });
  }

  /**
   * Delete a unit of a product
   *
   * @remarks Returns the deleted unit. Rejected while another unit must be accompanied by it, or a price list has a
   * price of it.
   */
  @Delete(':unitId')
  @RequireScope('products:delete')
  @Mutates('products.unit.delete')
  @Refuses({ 409: ['unit_in_use', 'product_archived'] })
  async delete(
    @ProductPathId() productId: string,
    @PathId('punt', 'unitId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ProductUnitEnvelope> {
    const unit = await this.units.delete({ productId, id, expected });
    return tagged(unit, { data: toProductUnit(unit) });
  }
}
