import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../../platform/auth/access.js';
import { created, tagged } from '../../../../platform/http/response-headers.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { NoBody } from '../../../../platform/http/no-body.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import {
  CreateNumberSeries,
  ListNumberSeries,
  NumberSeriesEnvelope,
  NumberSeriesPage,
  ReadSequenceReport,
  ReleaseDate,
  SequenceReportPage,
  toNumberSeries,
  UpdateNumberSeries,
} from './number-series.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { NumberSeriesService } from './number-series.service.js';

const PATH = '/v1/admin/finance/invoice-number-series';

@ApiGroup('Invoices')
@Controller(PATH)
export class NumberSeriesController {
  constructor(private readonly series: NumberSeriesService) {}

  /**
   * Create an invoice number series
   *
   * @remarks Creates a series from which invoices get their numbers when they are issued. The first series of a document type
   * becomes its default; a new active default replaces the current one. The pattern must contain the sequence token exactly
   * once and, if numbers restart, the year and for `monthly` also the month.
   */
  @Post()
  @RequireScope('finance:numbering')
  @Mutates('finance.invoice_number_series.create')
  async create(@Body() body: CreateNumberSeries): Promise<NumberSeriesEnvelope> {
    const view = await this.series.create(body);
    return created(`${PATH}/${view.series.id}`, view, { data: toNumberSeries(view) });
  }

  /**
   * List invoice number series
   *
   * @remarks Returns a page of series, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('finance:numbering')
  async list(@Query() query: ListNumberSeries): Promise<NumberSeriesPage> {
    const { views, total } = await this.series.list(query);
    return { data: views.map(toNumberSeries), total, ...pageBounds(query) };
  }

  /**
   * Get an invoice number series
   *
   * @remarks Returns the series with the number that the next issue in the current period gets.
   */
  @Get(':id')
  @RequireScope('finance:numbering')
  async get(@PathId('iser') id: string): Promise<NumberSeriesEnvelope> {
    const view = await this.series.get(id);
    return tagged(view, { data: toNumberSeries(view) });
  }

  /**
   * Update an invoice number series
   *
   * @remarks Changes only the fields that are sent. `prefix`, `pattern` and `resetPeriod` can be changed only while the series
   * has assigned no number. `nextNumber` can only be increased; if it moves by more than 1, `reason` is required, and the
   * skipped numbers are listed in the sequence report. Making an active series the default removes the flag from the current
   * default of the same document type.
   */
  @Patch(':id')
  @RequireScope('finance:numbering')
  @Mutates('finance.invoice_number_series.update', {
    irreversible: 'Numbers may have been issued since: change the series again',
  })
  @Refuses({ 409: ['series_in_use', 'series_would_duplicate'] })
  async update(
    @PathId('iser', 'id', 2) id: string,
    @Body() body: UpdateNumberSeries,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<NumberSeriesEnvelope> {
    const view = await this.series.update(id, body, expected);
    return tagged(view, { data: toNumberSeries(view) });
  }

  /**
   * Release the issue date of a document
   *
   * @remarks A document issued with a wrong date blocks earlier dates. After it was voided or credited in full, its date can be
   * released. The date then no longer counts for the order of dates, so documents with earlier dates can be issued immediately;
   * the number stays used.
   */
  @Post(':id/date-releases')
  @HttpCode(200)
  @RequireScope('finance:numbering')
  @Mutates('finance.invoice_number_series.release_date', {
    irreversible: 'Documents of the day may have been issued since',
  })
  @Refuses({ 404: ['not_found'], 409: ['document_still_open', 'date_already_released'] })
  async releaseDate(
    @PathId('iser') id: string,
    @Body() body: ReleaseDate,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<NumberSeriesEnvelope> {
    const view = await this.series.releaseDate(id, body, expected);
    return tagged(view, { data: toNumberSeries(view) });
  }

  /**
   * Report the numbers of a series
   *
   * @remarks Returns a page of the numbers of one counter in their order, each with its document and date, and the ranges of
   * numbers that no document has. Entries with an `anomaly` state a reason or need attention.
   */
  @ApiOperation({ operationId: 'numberSeries_getSequenceReport' })
  @Get(':id/sequence-report')
  @RequireScope('finance:numbering')
  async sequenceReport(@PathId('iser') id: string, @Query() query: ReadSequenceReport): Promise<SequenceReportPage> {
    const { rows, total } = await this.series.sequenceReport(id, query);
    return { data: rows, total, ...pageBounds(query) };
  }

  /**
   * Delete an invoice number series
   *
   * @remarks Deletes a series that has assigned no number and returns it as it was; it can no longer be read. A used series
   * cannot be deleted; set `active` to false instead.
   */
  @Delete(':id')
  @RequireScope('finance:numbering')
  @Mutates('finance.invoice_number_series.delete', { irreversible: 'The series had issued no number: create one' })
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
