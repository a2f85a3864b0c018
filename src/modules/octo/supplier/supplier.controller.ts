import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { AvailabilityCheck, CalendarQuestion } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';
import { CatalogueService } from './catalogue.service.js';
import { type OctoHeaders, WithOctoHeaders } from './octo-headers.js';
import type { OctoAvailability, OctoDay, OctoProduct } from './octo-objects.js';
import { CAPABILITIES, ResellersService } from './resellers.service.js';

/** What resellers read. The standard documents its operations, so our document omits them. */
@ApiExcludeController()
@Controller('/octo')
export class SupplierController {
  constructor(
    private readonly resellers: ResellersService,
    private readonly catalogue: CatalogueService,
    private readonly availability: AvailabilityService,
  ) {}

  @Get('supplier')
  @RequireScope('connect:octo:browse')
  async getSupplier(@WithOctoHeaders() headers: OctoHeaders): Promise<object> {
    return this.catalogue.getSupplier(await this.resellers.identify(headers));
  }

  @Get('capabilities')
  @RequireScope('connect:octo:browse')
  async listCapabilities(@WithOctoHeaders() headers: OctoHeaders): Promise<object[]> {
    await this.resellers.identify(headers);
    return CAPABILITIES.map((id) => ({ id, revision: 1, required: false, dependencies: [], docs: null }));
  }

  @Get('products')
  @RequireScope('connect:octo:browse')
  async listProducts(@WithOctoHeaders() headers: OctoHeaders): Promise<OctoProduct[]> {
    return this.catalogue.list(await this.resellers.identify(headers));
  }

  @Get('products/:id')
  @RequireScope('connect:octo:browse')
  async getProduct(@Param('id') id: string, @WithOctoHeaders() headers: OctoHeaders): Promise<OctoProduct> {
    return this.catalogue.get(id, await this.resellers.identify(headers));
  }

  @Post('availability/calendar')
  @HttpCode(200)
  @RequireScope('connect:octo:browse')
  async readCalendar(@Body() body: CalendarQuestion, @WithOctoHeaders() headers: OctoHeaders): Promise<OctoDay[]> {
    return this.availability.calendar(body, await this.resellers.identify(headers));
  }

  @Post('availability')
  @HttpCode(200)
  @RequireScope('connect:octo:browse')
  async checkAvailability(
    @Body() body: AvailabilityCheck,
    @WithOctoHeaders() headers: OctoHeaders,
  ): Promise<OctoAvailability[]> {
    return this.availability.check(body, await this.resellers.identify(headers));
  }
}
