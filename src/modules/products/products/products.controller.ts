import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CopyProduct,
  CreateProduct,
  ListProducts,
  ProductEnvelope,
  ProductPage,
  toProduct,
  UpdateProduct,
} from './product.dto.js';
import { ProductPathId } from './product-path.js';
import { ProductsService } from './products.service.js';

const PATH = '/v1/admin/products';
/** Errors of a meeting point and of a tax code. */
const UNUSABLE = ['facility_archived', 'tax_code_inactive'];

@ApiGroup('Products', {
  position: 107,
  description: 'Staff: what is sold on departures, with its options and units.',
})
@Controller(PATH)
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  /**
   * Create a product
   *
   * @remarks Creates a draft. Departures and allotments of the same ID that already exist belong to it. A departure does not take
   * over the cut-off, capacity, minimum, meeting point and tax code of its product: state them in the departure.
   */
  @Post()
  @RequireScope('products:write')
  @Mutates('products.product.create', { irreversible: 'Archive the product instead: other records may refer to it' })
  @Refuses({ 404: ['not_found'], 409: ['product_id_taken', ...UNUSABLE] })
  async create(@Body() body: CreateProduct): Promise<ProductEnvelope> {
    const product = await this.products.create(body);
    return created(`${PATH}/${product.id}`, product, { data: toProduct(product) });
  }

  /**
   * List products
   *
   * @remarks Returns a page of drafts and active products by name unless `status` or `sort` is given.
   */
  @Get()
  @RequireScope('products:read')
  async list(@Query() query: ListProducts): Promise<ProductPage> {
    const { rows, total } = await this.products.list(query);
    return { data: rows.map(toProduct), total, ...pageBounds(query) };
  }

  /**
   * Get a product
   *
   * @remarks Returns the product, also if it is archived.
   */
  @Get(':productId')
  @RequireScope('products:read')
  async get(@ProductPathId() id: string): Promise<ProductEnvelope> {
    const product = await this.products.get(id);
    return tagged(product, { data: toProduct(product) });
  }

  /**
   * Update a product
   *
   * @remarks Changes only the fields that are sent; a list replaces the whole list. Existing departures keep their values.
   */
  @Patch(':productId')
  @RequireScope('products:write')
  @Mutates('products.product.update')
  @BodyExample({ durationMinutes: 600, issueVouchers: 'when_paid' })
  @Refuses({ 404: ['not_found'], 409: ['product_archived', ...UNUSABLE] })
  async update(
    @ProductPathId(2) id: string,
    @Body() body: UpdateProduct,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ProductEnvelope> {
    const product = await this.products.update(id, body, expected);
    return tagged(product, { data: toProduct(product) });
  }

  /**
   * Activate a product
   *
   * @remarks A draft becomes active.
   */
  @Post(':productId/activation')
  @HttpCode(200)
  @RequireScope('products:write')
  @Mutates('products.product.activate', { irreversible: 'Departures may refer to it: archive the product' })
  @Refuses({ 409: ['invalid_transition', 'product_archived'] })
  async activate(
    @ProductPathId(42) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ProductEnvelope> {
    const product = await this.products.activate(id, expected);
    return tagged(product, { data: toProduct(product) });
  }

  /**
   * Archive a product
   *
   * @remarks An archived product stays readable, but can neither be changed nor get new departures or allotments. Rejected while
   * it has scheduled departures that have yet to start, or active allotments that have not ended.
   */
  @Post(':productId/archival')
  @HttpCode(200)
  @RequireScope('products:delete')
  @Mutates('products.product.archive')
  @Refuses({ 409: ['product_in_use', 'product_archived'] })
  async archive(
    @ProductPathId(41) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ProductEnvelope> {
    const product = await this.products.archive(id, expected);
    return tagged(product, { data: toProduct(product) });
  }

  /**
   * Copy a product
   *
   * @remarks Creates a draft with all fields, options and units of the product, which may be archived. Prices, departures and
   * allotments are not copied.
   */
  @Post(':productId/copies')
  @RequireScope('products:write')
  @Mutates('products.product.copy', { irreversible: 'Archive the copy instead' })
  @Refuses({ 409: ['product_id_taken'] })
  async copy(@ProductPathId() id: string, @Body() body: CopyProduct): Promise<ProductEnvelope> {
    const product = await this.products.copy(id, body);
    return created(`${PATH}/${product.id}`, product, { data: toProduct(product) });
  }
}
