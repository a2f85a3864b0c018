import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { created } from '../../../../platform/http/response-headers.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import {
  ExchangeRateEnvelope,
  ExchangeRatePage,
  ListExchangeRates,
  RecordExchangeRate,
  toExchangeRate,
} from './exchange-rate.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { ExchangeRatesService } from './exchange-rates.service.js';

const PATH = '/v1/admin/finance/exchange-rates';

@ApiGroup('Invoices')
@Controller(PATH)
export class ExchangeRatesController {
  constructor(private readonly rates: ExchangeRatesService) {}

  /**
   * Record an exchange rate
   *
   * @remarks Invoices in a foreign currency are converted to the base currency when they are issued, with the rate of the
   * latest day that is at most 7 days before the issue date. Of several rates of that day, the one recorded last applies, in
   * whichever direction it is published. Rates never change, and a currency pair has one rate per day and source: to correct a
   * mistyped rate, record the right one with another source. Issued documents keep their rate. One of the two currencies must
   * be the base currency; the month of `day` must be open.
   */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.exchange_rate.record', {
    irreversible: 'Documents may have copied the rate: record the right one with another source',
  })
  @Refuses({ 409: ['rate_taken', 'period_closed'], 422: ['base_currency_missing'] })
  async record(@Body() body: RecordExchangeRate): Promise<ExchangeRateEnvelope> {
    const rate = await this.rates.record(body);
    return created(`${PATH}/${rate.id}`, {}, { data: toExchangeRate(rate) });
  }

  /**
   * List exchange rates
   *
   * @remarks Returns a page of rates, latest day first unless `sort` is given.
   */
  @Get()
  @RequireScope('finance:read')
  async list(@Query() query: ListExchangeRates): Promise<ExchangeRatePage> {
    const { rows, total } = await this.rates.list(query);
    return { data: rows.map(toExchangeRate), total, ...pageBounds(query) };
  }

  /**
   * Get an exchange rate
   *
   * @remarks Returns one recorded rate.
   */
  @Get(':id')
  @RequireScope('finance:read')
  async get(@PathId('xrat') id: string): Promise<ExchangeRateEnvelope> {
    return { data: toExchangeRate(await this.rates.get(id)) };
  }
}
