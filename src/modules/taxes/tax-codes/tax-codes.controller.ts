import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  AddedTaxRateEnvelope,
  AddTaxRate,
  CreateTaxCode,
  ListTaxCodes,
  TaxCodeEnvelope,
  TaxCodePage,
  toTaxCode,
  UpdateTaxCode,
} from './tax-code.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { TaxCodesService } from './tax-codes.service.js';

const PATH = '/v1/admin/finance/tax-codes';

@ApiGroup('Tax codes', { position: 90, description: 'Staff: tax codes of countries, with their rates over time.' })
@Controller(PATH)
export class TaxCodesController {
  constructor(private readonly taxCodes: TaxCodesService) {}

  /**
   * Create a tax code
   *
   * @remarks Adds a tax code of a country with its rates. The code is unique per country. The kinds `exempt`, `reverse_charge`
   * and `margin_scheme` require a `mention`; rates above 0 are allowed for `standard`, `reduced` and `margin_scheme`. The
   * action can be reversed while the tax code is unused.
   */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.tax_code.create')
  @Refuses({ 409: ['tax_code_taken'] })
  async create(@Body() body: CreateTaxCode): Promise<TaxCodeEnvelope> {
    const view = await this.taxCodes.create(body);
    return created(`${PATH}/${view.taxCode.id}`, view.taxCode, { data: toTaxCode(view) });
  }

  /**
   * List tax codes
   *
   * @remarks Returns a page of tax codes with all their rates, sorted by country and code. Inactive ones are included;
   * filter with `active`.
   */
  @Get()
  @RequireScope('finance:read')
  async list(@Query() query: ListTaxCodes): Promise<TaxCodePage> {
    const { views, total } = await this.taxCodes.list(query);
    return { data: views.map(toTaxCode), total, ...pageBounds(query) };
  }

  /**
   * Get a tax code
   *
   * @remarks Returns the tax code with all its rates, even if it is inactive.
   */
  @Get(':id')
  @RequireScope('finance:read')
  async get(@PathId('taxc', 'id') id: string): Promise<TaxCodeEnvelope> {
    const view = await this.taxCodes.get(id);
    return tagged(view.taxCode, { data: toTaxCode(view) });
  }

  /**
   * Update a tax code
   *
   * @remarks Changes only the fields that are sent. Items and documents keep the values they copied. An inactive tax code
   * cannot be used for new items.
   */
  @Patch(':id')
  @RequireScope('finance:write')
  @Mutates('finance.tax_code.update')
  @BodyExample({ name: 'Germany, standard rate since 2021' })
  async update(
    @PathId('taxc', 'id', 2) id: string,
    @Body() body: UpdateTaxCode,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<TaxCodeEnvelope> {
    const view = await this.taxCodes.update(id, body, expected);
    return tagged(view.taxCode, { data: toTaxCode(view) });
  }

  /**
   * Add a rate to a tax code
   *
   * @remarks Adds a rate from a day on and ends the previous rate on the day before. It must start after the last rate.
   * `warnings` has the number of booking items that were sold at another rate for a service day (without one, the day of
   * creation) from then on. In the background they are marked (`taxRateChanged`), and their bookings get the warning
   * `tax_rate_changed`; list these with `GET /v1/admin/bookings?taxRateChanged=true`. They keep their rate until their taxes
   * are recalculated by `POST /v1/admin/bookings/{bookingId}/tax-recalculation`.
   */
  @Post(':id/rates')
  @RequireScope('finance:write')
  @Mutates('finance.tax_code.add_rate', { irreversible: 'Documents may have the rate: add another one' })
  @Refuses({ 409: ['tax_rate_overlap'] })
  async addRate(
    @PathId('taxc', 'id', 2) id: string,
    @Body() body: AddTaxRate,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<AddedTaxRateEnvelope> {
    const { view, sold } = await this.taxCodes.addRate(id, body, expected);
    const warnings = sold.items === 0 ? [] : [{ code: 'sold_at_another_rate' as const, ...sold }];
    return created(`${PATH}/${id}`, view.taxCode, { data: toTaxCode(view), warnings });
  }
}
