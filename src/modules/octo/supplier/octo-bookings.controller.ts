import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { RequireScope } from '../../../platform/auth/access.js';
import {
  CancellationBody,
  ConfirmationBody,
  ExtensionBody,
  ListReservations,
  ReservationBody,
  ReservationChanges,
} from './octo-booking.dto.js';
import { OctoBookingsService } from './octo-bookings.service.js';
import { type OctoHeaders, WithOctoHeaders } from './octo-headers.js';
import { ResellersService } from './resellers.service.js';

/** What resellers reserve and buy. The standard documents its operations, so our document omits them. */
@ApiExcludeController()
@Controller('/octo/bookings')
export class OctoBookingsController {
  constructor(
    private readonly resellers: ResellersService,
    private readonly bookings: OctoBookingsService,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async reserve(@Body() body: ReservationBody, @WithOctoHeaders() headers: OctoHeaders): Promise<object> {
    return this.bookings.reserve(body, await this.resellers.identify(headers));
  }

  @Get()
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async list(@Query() query: ListReservations, @WithOctoHeaders() headers: OctoHeaders): Promise<object[]> {
    return this.bookings.list(query, await this.resellers.identify(headers));
  }

  @Get(':uuid')
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async get(@Param('uuid') uuid: string, @WithOctoHeaders() headers: OctoHeaders): Promise<object> {
    return this.bookings.get(uuid, await this.resellers.identify(headers));
  }

  @Patch(':uuid')
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async update(
    @Param('uuid') uuid: string,
    @Body() body: ReservationChanges,
    @WithOctoHeaders() headers: OctoHeaders,
  ): Promise<object> {
    return this.bookings.update(uuid, body, await this.resellers.identify(headers));
  }

  @Post(':uuid/confirm')
  @HttpCode(200)
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async confirm(
    @Param('uuid') uuid: string,
    @Body() body: ConfirmationBody,
    @WithOctoHeaders() headers: OctoHeaders,
  ): Promise<object> {
    return this.bookings.confirm(uuid, body, await this.resellers.identify(headers));
  }

  @Post(':uuid/extend')
  @HttpCode(200)
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async extend(
    @Param('uuid') uuid: string,
    @Body() body: ExtensionBody,
    @WithOctoHeaders() headers: OctoHeaders,
  ): Promise<object> {
    return this.bookings.extend(uuid, body, await this.resellers.identify(headers));
  }

  @Post(':uuid/cancel')
  @HttpCode(200)
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async cancel(
    @Param('uuid') uuid: string,
    @Body() body: CancellationBody,
    @WithOctoHeaders() headers: OctoHeaders,
  ): Promise<object> {
    return this.bookings.cancel(uuid, body, await this.resellers.identify(headers));
  }

  /** The form of older resellers. */
  @Delete(':uuid')
  @RequireScope('connect:octo:sell')
  @RateLimit('octo-sell')
  async delete(
    @Param('uuid') uuid: string,
    @Body() body: CancellationBody,
    @WithOctoHeaders() headers: OctoHeaders,
  ): Promise<object> {
    return this.bookings.cancel(uuid, body, await this.resellers.identify(headers));
  }
}
