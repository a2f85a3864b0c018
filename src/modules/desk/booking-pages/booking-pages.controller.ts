import { Controller, Get } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { BookingPageEnvelope } from './booking-page.dto.js';
import { BookingPagesService } from './booking-pages.service.js';

@ApiGroup('Desk')
@Controller('/v1/admin/desk/bookings/:bookingId')
export class BookingPagesController {
  constructor(private readonly pages: BookingPagesService) {}

  /**
   * Get a booking with its account, contracts, mails, tasks and notes
   *
   * @remarks Returns what a page about a booking shows, read in one snapshot: the booking, its items with the names of their products,
   * its travelers, its account as a ledger with a running balance, its contracts, its last mails, its open tasks and its pinned notes. Sections that the caller may
   * not read are null and named in `withheld`.
   */
  @Get()
  @RequireScope('bookings:read')
  @Refuses({ 404: ['not_found'] })
  async get(@PathId('book', 'bookingId', 20) id: string): Promise<BookingPageEnvelope> {
    return { data: await this.pages.get(id) };
  }
}
