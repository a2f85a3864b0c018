import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { SliceReader } from '../freshness/slice-reader.service.js';
import { CatalogStatusEnvelope, ReindexEnvelope, StartReindex } from './reindex.dto.js';
import { Reindexes } from './reindexes.service.js';
import { CatalogState } from './status.service.js';

@ApiTags('Catalog')
@Controller('/v1/admin/catalog')
export class UpkeepController {
  constructor(
    private readonly reindexes: Reindexes,
    private readonly state: CatalogState,
    private readonly reader: SliceReader,
  ) {}

  /** Has the index made anew in every process, beside the one that is searched meanwhile */
  @Post('reindex')
  @HttpCode(200)
  @RequireScope('catalog:write')
  @Mutates('catalog.reindex.start')
  @Refuses({ 409: ['reindex_in_progress'] })
  async reindex(@Body() body: StartReindex): Promise<ReindexEnvelope> {
    return { data: await this.reindexes.start(body) };
  }

  /** Tells how far the process that answers is behind, and what waits for its vector */
  @Get('status')
  @RequireScope('catalog:read')
  async status(): Promise<CatalogStatusEnvelope> {
    const { slices } = await this.reader.slices();
    return { data: await this.state.read(slices) };
  }
}
