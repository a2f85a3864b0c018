import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ExpensiveRead } from '../../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../../platform/auth/access.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { PathId } from '../../../../platform/http/path-id.js';
import {
  BookingMoneyEnvelope,
  BookingMoneyQuery,
  CustomerCreditPage,
  ListCustomerCredit,
} from './booking-money.dto.js';
import { BookingMoneyService } from './booking-money.service.js';
import { CreditDuePage, ListCreditDue } from './credit-due.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { CreditDueService } from './credit-due.service.js';

@ApiGroup('Payments', {
  position: 70,
  description:
    'Staff: money received from customers or sent to suppliers, and its allocation to installments and invoices.',
})
@Controller('/v1/admin/finance')
export class BookingMoneyController {
  constructor(
    private readonly money: BookingMoneyService,
    private readonly creditDue: CreditDueService,
  ) {}

  /**
   * Get the account of a booking
   *
   * @remarks Returns what is owed, billed and received for the booking now, or at the end of the day `asOf`, with its issued
   * documents, installments and payments. A past day is computed from dated rows alone: documents by their dates, payments
   * by their posting dates, installments and items as they were then. What has no history, such as labels, is as it is now.
   */
  @ApiOperation({ operationId: 'bookingMoney_get' })
  @Get('bookings/:bookingId/money')
  @RequireScope('finance:receivables')
  async read(
    @PathId('book', 'bookingId', 20) bookingId: string,
    @Query() { asOf }: BookingMoneyQuery,
  ): Promise<BookingMoneyEnvelope> {
    return { data: await this.money.read(bookingId, asOf ?? null) };
  }

  /**
   * List bookings with a credit due
   *
   * @remarks Returns a page of bookings whose issued documents exceed what is owed, in sum or of a tax code, for example
   * after the price fell. Credit notes remove them from the list. The month of the documents cannot be closed before.
   */
  @ApiOperation({ operationId: 'creditDue_list' })
  @Get('credit-due')
  @RequireScope('finance:read')
  async listCreditDue(@Query() query: ListCreditDue): Promise<CreditDuePage> {
    const { rows, total } = await this.creditDue.list(query);
    return { data: rows, total, ...pageBounds(query) };
  }

  /**
   * List the credit of customers
   *
   * @remarks Returns a page of customers with unapplied money, by currency. Bookings are of the same customer if their
   * e-mail addresses are equal, ignoring upper and lower case. With `matchesDebt` only those who owe something too.
   */
  @ApiOperation({ operationId: 'customerCredit_list' })
  @Get('customer-credit')
  @ExpensiveRead()
  @RequireScope('finance:receivables')
  async list(@Query() query: ListCustomerCredit): Promise<CustomerCreditPage> {
    const { rows, total } = await this.money.listCredit(query);
    return { data: rows, total, ...pageBounds(query) };
  }
}
