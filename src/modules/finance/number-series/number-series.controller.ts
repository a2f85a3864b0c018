import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { CreateNumberSeries, ListNumberSeries, UpdateNumberSeries } from './number-series.dto.js';
import { NumberSeriesReader } from './number-series-reader.service.js';
import { NumberSeriesEnvelope, NumberSeriesPage, toNumberSeries } from './number-series-response.dto.js';
import { NumberSeriesRegister } from './number-series.service.js';

const PATH = '/v1/admin/finance/invoice-number-series';

@ApiTags('Invoices')
@Controller(PATH)
export class NumberSeriesController {
  constructor(
    private readonly series: NumberSeriesRegister,
    private readonly reader: NumberSeriesReader,
  ) {}

  /** Creates an invoice number series */
  @Post()
  @RequireScope('finance:numbering')
  @Mutates('finance.invoice_number_series.create')
  async create(@Body() body: CreateNumberSeries): Promise<NumberSeriesEnvelope> {
    const view = await this.series.create(body);
    return created(`${PATH}/${view.series.id}`, view, { data: toNumberSeries(view) });
  }

  /** Lists invoice number series, newest first */
  @Get()
  @RequireScope('finance:numbering')
  async list(@Query() query: ListNumberSeries): Promise<NumberSeriesPage> {
    const { views, total } = await this.reader.list(query);
    return { data: views.map(toNumberSeries), total, ...pageBounds(query) };
  }

  /** Reads an invoice number series */
  @Get(':id')
  @RequireScope('finance:numbering')
  async get(@PathId('iser') id: string): Promise<NumberSeriesEnvelope> {
    const view = await this.reader.get(id);
    return tagged(view, { data: toNumberSeries(view) });
  }

  /** Changes an invoice number series: the shape of its numbers only while none was given, the next number only forward */
  @Patch(':id')
  @RequireScope('finance:numbering')
  @Mutates('finance.invoice_number_series.update')
  @Refuses({ 409: ['series_in_use', 'series_would_duplicate'] })
  async update(
    @PathId('iser', 'id', 2) id: string,
    @Body() body: UpdateNumberSeries,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<NumberSeriesEnvelope> {
    const view = await this.series.update(id, body, expected);
    return tagged(view, { data: toNumberSeries(view) });
  }

  /** Deletes an invoice number series that gave no number */
  @Delete(':id')
  @RequireScope('finance:numbering')
  @Mutates('finance.invoice_number_series.delete')
  @Refuses({ 409: ['series_in_use'] })
  async delete(
    @PathId('iser', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<NumberSeriesEnvelope> {
    const view = await this.series.delete(id, expected);
    return tagged(view, { data: toNumberSeries(view) });
  }
}
