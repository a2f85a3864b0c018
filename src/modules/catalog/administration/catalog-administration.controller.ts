import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { CatalogStatusEnvelope, ReindexEnvelope, StartReindex } from './catalog-administration.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { CatalogAdministrationService } from './catalog-administration.service.js';

@ApiGroup('Catalog', {
  position: 200,
  description: 'Staff: search documents, synonyms and the state of the search index.',
})
@Controller('/v1/admin/catalog')
export class CatalogAdministrationController {
  constructor(private readonly administration: CatalogAdministrationService) {}

  /**
   * Rebuild the search index
   *
   * @remarks Queues a rebuild of the index in every process. The current index answers searches until the new one is complete.
   * With `embeddings: "renew"` the vectors are also computed again. Only one rebuild can run at a time; the catalog status
   * shows its progress.
   */
  @ApiOperation({ operationId: 'catalog_reindex' })
  @Post('reindex')
  @HttpCode(200)
  @RequireScope('catalog:write')
  @Mutates('catalog.reindex.start', { irreversible: 'It changed no content' })
  @Refuses({ 409: ['reindex_in_progress'] })
  async reindex(@Body() body: StartReindex): Promise<ReindexEnvelope> {
    return { data: await this.administration.startReindex(body) };
  }

  /**
   * Get the status of the search index
   *
   * @remarks Returns by how much the index of the responding process lags behind the database, the state of the embedding model
   * and the progress of the last rebuild. Other processes can differ.
   */
  @ApiOperation({ operationId: 'catalog_getStatus' })
  @Get('status')
  @RequireScope('catalog:read')
  async status(): Promise<CatalogStatusEnvelope> {
    return { data: await this.administration.getStatus() };
  }
}
