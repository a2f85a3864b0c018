import { Controller, Get, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { ExpensiveRead, LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { MayBeStale } from '../../../platform/http/may-be-stale.js';
import { PathId } from '../../../platform/http/path-id.js';
import { LEDGER_ENTRIES_PATH, LedgerEntriesService } from './ledger-entries.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import {
  EntryFilters,
  LedgerEntryEnvelope,
  LedgerEntryPage,
  ListEntries,
  toDetail,
  toEntry,
} from './ledger-entry.dto.js';

const Link = { description: '`rel="next"` while there are more pages', schema: { type: 'string', maxLength: 4000 } };

@ApiGroup('Action ledger', {
  position: 220,
  description: 'Staff: the tamper-evident record of every change, and the reversal of recorded actions.',
})
@Controller(LEDGER_ENTRIES_PATH)
export class LedgerEntriesController {
  constructor(private readonly entries: LedgerEntriesService) {}

  /**
   * List ledger entries
   *
   * @remarks Returns recorded changes, newest first, without the states before and after. The subject of a contract is its
   * reference (`ctrf_`), never its ID. Continue with `nextCursor`,
   * which is valid only with the same filters.
   */
  @Get()
  @RequireScope('action-ledger:read')
  @ApiResponse({ status: 200, type: LedgerEntryPage, description: 'A page of ledger entries', headers: { Link } })
  async list(@Query() query: ListEntries): Promise<LedgerEntryPage> {
    const { entries, nextCursor } = await this.entries.list(query);
    return { data: entries.map(toEntry), nextCursor };
  }

  /**
   * Export ledger entries as CSV
   *
   * @remarks Downloads all entries that match the filters as UTF-8 CSV with a header line, newest first. There is no
   * page limit; if an error occurs during the download, the connection is closed before the end.
   */
  @Get('export')
  @RequireScope('action-ledger:read')
  @ApiProduces('text/csv')
  @ApiOkResponse({
    description: 'CSV in UTF-8 with a header line',
    schema: {
      type: 'string',
      format: 'binary',
      description: 'The whole table; the example shows its first two lines.',
    },
  })
  @ExpensiveRead()
  @MayBeStale()
  @LimitOperation({ name: 'ledger-export', maxConcurrent: 4, maxConcurrentPerCredential: 2 })
  async export(
    @Query() filters: EntryFilters,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const csv = await this.entries.exportCsv(filters);
    const file = new StreamableFile(csv, {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: 'attachment; filename="action-ledger.csv"',
    });
    // After an error, the closed connection shows the client that the table is incomplete.
    return file.setErrorHandler(() => response.destroy());
  }

  /**
   * Get a ledger entry
   *
   * @remarks Returns one entry with the state of the resource before and after the change. The states are null if they
   * were erased, and for callers without the read scope of the module that recorded the change (`missingScope`).
   */
  @Get(':id')
  @RequireScope('action-ledger:read')
  async get(@PathId('aled') id: string): Promise<LedgerEntryEnvelope> {
    const entry = await this.entries.get(id);
    return { data: toDetail(entry) };
  }
}
