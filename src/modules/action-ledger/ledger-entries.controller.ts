import { Controller, Get, Query } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { RequireScope } from '../../platform/auth/access.js';
import { PathId } from '../../platform/http/path-id.js';
import { LEDGER_ENTRIES_PATH, LedgerEntries } from './ledger-entries.service.js';
import { LedgerEntryEnvelope, LedgerEntryPage, ListEntries, toDetail, toEntry } from './ledger-entry.dto.js';

const Link = { description: '`rel="next"` while there are more pages', schema: { type: 'string', maxLength: 4000 } };

@Controller(LEDGER_ENTRIES_PATH)
export class LedgerEntriesController {
  constructor(private readonly entries: LedgerEntries) {}

  /** Lists what was done, newest first */
  @Get()
  @RequireScope('action-ledger:read')
  @ApiResponse({ status: 200, type: LedgerEntryPage, description: 'A page of the ledger', headers: { Link } })
  async list(@Query() query: ListEntries): Promise<LedgerEntryPage> {
    const { entries, nextCursor } = await this.entries.list(query);
    return { data: entries.map(toEntry), nextCursor };
  }

  /** Reads one entry with the subject before and after */
  @Get(':id')
  @RequireScope('action-ledger:read')
  async get(@PathId('aled') id: string): Promise<LedgerEntryEnvelope> {
    const entry = await this.entries.get(id);
    return { data: toDetail(entry) };
  }
}
