import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { BookingMoneyEnvelope, CustomerCreditPage, ListCustomerCredit } from './booking-money.dto.js';
import { BookingMoneyService } from './booking-money.service.js';

@ApiTags('Payments')
@Controller('/v1/admin/finance')
export class BookingMoneyController {
  constructor(private readonly money: BookingMoneyService) {}

  /**
   * Get the account of a booking
   *
   * @remarks Returns what is owed, billed and received for the booking now, with its issued invoices, installments and
   * payments.
   */
  @Get('bookings/:bookingId/money')
  @RequireScope('finance:read')
  async read(@PathId('book', 'bookingId', 20) bookingId: string): Promise<BookingMoneyEnvelope> {
    return { data: await this.money.read(bookingId) };
  }

  /**
   * List the credit of customers
   *
   * @remarks Returns a page of customers with unapplied money, by currency. Bookings are of the same customer if their
   * e-mail addresses are equal, ignoring upper and lower case. With `matchesDebt` only those who owe something too.
   */
  @Get('customer-credit')
  @RequireScope('finance:read')
  async list(@Query() query: ListCustomerCredit): Promise<CustomerCreditPage> {
    const { rows, total } = await this.money.listCredit(query);
    return { data: rows, total, ...pageBounds(query) };
  }
}
