import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { filterRows } from '../../../../platform/database/filter-rows.js';
import { make } from '../../../../platform/database/rows.js';
import { sortRows } from '../../../../platform/database/sort-rows.js';
import {
  type AppError,
  conflict,
  invalidField,
  notFound,
  unprocessable,
} from '../../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { newId } from '../../../../platform/ids/id.js';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../../action-ledger/index.js';
import type { AppliedRate } from './base-amounts.js';
import { PeriodsService } from '../periods/periods.service.js';
import { FinanceSettingsService } from '../settings/finance-settings.service.js';
import type { ListExchangeRates, RecordExchangeRate } from './exchange-rate.dto.js';
import { ExchangeRate } from './exchange-rate.entity.js';

/** Maximum age of a document's rate in days: banks publish no rates on weekends and holidays. */
const BACK_DAYS = 7;

mapConstraint('exchange_rates_once', () =>
  conflict('rate_taken', 'The source already has a rate for this currency pair and day', { field: 'day' }),
);

/** The conversion of amounts of a currency to the base currency. */
export interface Conversion {
  baseCurrency: string;
  /** Null if the currency is the base currency, or if no rate is recent enough. */
  rate: AppliedRate | null;
}

/** What the books require of a document of a day, and the conversion of its amounts. */
export interface PostingTerms extends Conversion {
  /** The day itself, or the first open day if its month is closed. */
  postingDay: string;
  /** Maximum age of an issue date in days. */
  issueDateBackDays: number;
}

/** $1 is the currency, $2 the day. */
const CONVERSION = `settings.base_currency as "baseCurrency", rate.applied as rate`;
const OF_DAY = `finance_settings settings left join lateral (
    select json_build_object('from', from_currency, 'to', to_currency, 'day', day, 'rate', rate::text,
      'source', source) as applied
    from exchange_rates
    where (from_currency, to_currency) in (($1, settings.base_currency), (settings.base_currency, $1))
      and day between $2::date - ${BACK_DAYS} and $2::date
    order by day desc, created_at desc, id desc limit 1
  ) rate on true`;

/** Manages exchange rates between the base currency and others. */
@Injectable()
export class ExchangeRatesService {
  constructor(
    private readonly database: Database,
    private readonly settings: FinanceSettingsService,
    private readonly periods: PeriodsService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async record({ from, to, day, rate, source }: RecordExchangeRate, id = newId('xrat')): Promise<ExchangeRate> {
    if (from === to) throw invalidField('to', 'to must differ from from', 'same_as_source');
    if (day > this.clock.today()) throw invalidField('day', 'day must not be after today', 'day_out_of_range');
    const recorded = make(ExchangeRate, { id, from, to, day, rate, source, createdAt: this.clock.now() });
    return this.database.transaction(async () => {
      const { baseCurrency } = await this.settings.get();
      if (from !== baseCurrency && to !== baseCurrency) {
        throw unprocessable('base_currency_missing', 'One of the currencies must be the base currency', {
          field: 'to',
          baseCurrency,
        });
      }
      await this.periods.assertOpen(day);
      await this.database.insert(recorded);
      const subject = { subjectType: 'exchange_rate', subjectId: id };
      this.ledger.record('finance.exchange_rate.record', { ...subject, before: null, after: recorded.auditImage() });
      const data = { exchangeRateId: id, from, to, day };
      this.outbox.add({ channel: 'finance.exchange-rates', event: 'exchange_rate.recorded', data });
      return recorded;
    });
  }

  async get(id: string): Promise<ExchangeRate> {
    const found = await this.database.findRow(ExchangeRate, { id });
    if (!found) throw notFound();
    return found;
  }

  async list(query: ListExchangeRates): Promise<{ rows: ExchangeRate[]; total: number }> {
    const { currency, source, dayFrom, dayTo, sort = '-day' } = query;
    const found = this.database.repository(ExchangeRate).createQueryBuilder('rate');
    if (currency !== undefined) found.andWhere(':currency in (rate.from, rate.to)', { currency });
    filterRows(found, 'rate.source', source);
    if (dayFrom !== undefined) found.andWhere('rate.day >= :dayFrom', { dayFrom });
    if (dayTo !== undefined) found.andWhere('rate.day <= :dayTo', { dayTo });
    sortRows(found, sort);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { rows: rows.map(({ entity }) => entity), total };
  }

  /**
   * Returns the conversion for amounts of a day: the rate of the latest day, and among several of that day the one recorded
   * last.
   */
  async conversionOf(currency: string, day: string): Promise<Conversion> {
    return this.read<Conversion>('exchange-rate-of-day', CONVERSION, [currency, day]);
  }

  /** Returns the terms for a document of this day, whose month stays open or closed until the transaction ends. */
  async postingTerms(currency: string, day: string): Promise<PostingTerms> {
    const columns = `${CONVERSION}, settings.issue_date_back_days as "issueDateBackDays",
      posting_day($2::date)::text as "postingDay"`;
    return this.read<PostingTerms>('posting-terms', columns, [currency, day]);
  }

  private async read<Terms>(name: string, columns: string, values: [currency: string, day: string]): Promise<Terms> {
    const [found] = await this.database.prepared<Terms>(name, `select ${columns} from ${OF_DAY}`, values);
    if (!found) throw new Error('The accounting settings are missing');
    return found;
  }
}

/** `field` is the member of the request that states the day; omitted if there is none. */
export function rateMissing({
  field,
  from,
  to,
  day,
}: {
  field?: string;
  from: string;
  to: string;
  day: string;
}): AppError {
  const message = `No exchange rate from ${from} to ${to} is recorded for ${day} or the ${BACK_DAYS} days before`;
  return conflict('rate_missing', message, { ...(field === undefined ? {} : { field }), from, to, day });
}
