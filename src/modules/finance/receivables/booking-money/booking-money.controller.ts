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
   * @remarks Returns the amounts owed, billed and received for the booking now, or at the end of the day `asOf`, with its
   * issued documents, installments and payments. A past day is computed only from dated rows: documents by their dates,
   * payments by their posting dates, installments and items as of the day. Members without history, such as labels, have their
   * current values.
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
   * @remarks Returns a page of bookings whose issued documents exceed the amount owed, in total, for a tax code or at one of its
   * rates, for example after a price reduction. Credit notes remove them from the list. Until then, the month of the documents
   * cannot be closed.
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
   * @remarks Returns a page of customers with unapplied money, by currency. Bookings are of the same customer if their e-mail
   * addresses are equal, ignoring upper and lower case. With `matchesDebt`, it returns only customers who also owe something.
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
