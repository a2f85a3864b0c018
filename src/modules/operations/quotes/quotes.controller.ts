import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { ChangesNothing } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import { ProductPathId } from '../../products/index.js';
import { CreateQuote, QuoteEnvelope } from './quote.dto.js';
import { QuotesService } from './quotes.service.js';

@ApiGroup('Products')
@Controller('/v1/admin/products/:productId/quotes')
export class QuotesController {
  constructor(private readonly quotes: QuotesService) {}

  /**
   * Quote units of a product
   *
   * @remarks Returns the prices of units sold today, with their tax, and what is left of the departure. Stores and reserves
   * nothing. The price of a unit is the first of: the price of the unit in `unitPrices` of the departure, for the option before
   * all options; the price in an active list of the currency that is on sale today (a list of
   * the channel before a general one, then by priority, a price of the option and of the weekday before general ones, then the
   * newest list); the price of the departure, for adults and for an only unit; otherwise 422 `price_missing`. Required
   * extras of the option are part of the quote, for all people or units; others only if they are named.
   */
  @Post()
  @HttpCode(200)
  @RequireScope('products:read')
  @ChangesNothing('a quote is neither stored nor reserved')
  @BodyExample({
    departureId: demoId('dep', 1),
    currency: 'EUR',
    units: [
      { unitId: demoId('punt', 1), quantity: 2 },
      { unitId: demoId('punt', 2), quantity: 1, ages: [8] },
    ],
    extras: [{ extraId: demoId('pxtr', 1), quantity: 2 }],
  })
  @Refuses({
    404: ['not_found'],
    409: [
      ...['channel_archived', 'channel_inactive', 'extra_inactive', 'option_inactive', 'product_archived'],
      'tax_code_inactive',
    ],
    422: [
      ...['age_out_of_range', 'extra_quantity', 'not_accompanied', 'option_mismatch', 'option_quantity'],
      ...['price_missing', 'tax_rate_missing', 'unit_quantity'],
    ],
  })
  async create(@ProductPathId() productId: string, @Body() body: CreateQuote): Promise<QuoteEnvelope> {
    return { data: await this.quotes.quote(productId, body) };
  }
}
