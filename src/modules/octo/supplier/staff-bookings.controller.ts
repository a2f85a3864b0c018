import { Controller, Get, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, tagged } from '../../../platform/http/response-headers.js';
import { Names } from '../../../platform/http/row-names.js';
import { OctoBookingsRepository } from './octo-bookings.repository.js';
import {
  ListStaffOctoBookings,
  OctoBookingEnvelope,
  OctoBookingPage,
  toStaffOctoBooking,
  toStaffOctoDetail,
} from './staff-booking.dto.js';

@ApiGroup('OCTO connections')
@Controller('/v1/admin/octo/bookings')
export class StaffBookingsController {
  constructor(
    private readonly bookings: OctoBookingsRepository,
    private readonly names: Names,
  ) {}

  /**
   * List the bookings of resellers
   *
   * @remarks Returns a page of reservations by the OCTO standard, newest first unless `sort` is given, including tests, cancelled and
   * expired ones. A confirmed one has the ID of its booking.
   */
  @Get()
  @RequireScope('octo:read')
  async list(@Query() query: ListStaffOctoBookings): Promise<OctoBookingPage> {
    const { rows, total } = await this.bookings.listForStaff(query);
    const data = await this.names.beside(rows.map(toStaffOctoBooking), 'bookingId', 'productId');
    return { data, total, ...pageBounds(query) };
  }

  /**
   * Get a booking of a reseller
   *
   * @remarks Returns the reservation with its units, their prices, and the allotments from which their seats come.
   */
  @Get(':id')
  @RequireScope('octo:read')
  @ComputedNow()
  async get(@PathId('obok', 'id', 1, 'the list of bookings') id: string): Promise<OctoBookingEnvelope> {
    const booking = await this.bookings.bookings.get(id);
    const units = await this.bookings.unitsOf([id]);
    return tagged(booking, { data: toStaffOctoDetail(booking, units) });
  }
}
