import { Body, Controller, Header, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Public } from '../../../platform/auth/access.js';
import { MayBeStale } from '../../../platform/http/may-be-stale.js';
import { ClientDisconnected, setResponseHeader } from '../../../platform/http/response-headers.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { CatalogSearchRequest, CatalogSearchResponse } from './search.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SearchService } from './search.service.js';

@ApiGroup('Storefront', {
  position: 10,
  description: 'Operations for website visitors, without a credential: catalog search, contracts and signed links.',
})
@Controller('/v1/public/catalog')
export class SearchController {
  constructor(private readonly catalog: SearchService) {}

  /**
   * Search the catalog
   *
   * @remarks Searches one vertical by keyword, by meaning or by both, with filters, facets and cursors. If semantic search is
   * not available, the response uses `keyword` and reports it in `mode`. Unknown verticals, kinds of filters and facets are
   * rejected; filters on unknown fields match no document and are named in `warnings`. 503 is returned while the index is
   * loading after a start. No credentials are needed; requests are rate limited.
   */
  @ApiOperation({ operationId: 'catalog_search' })
  @Post('search')
  @HttpCode(200)
  @Public()
  @MayBeStale()
  @RateLimit('public-search')
  @Header('Cache-Control', 'no-store')
  async search(
    @Body() body: CatalogSearchRequest,
    @Ip() address: string | undefined,
    @ClientDisconnected() disconnected: AbortSignal,
  ): Promise<CatalogSearchResponse> {
    const response = await this.catalog.search(body, { address, disconnected });
    setResponseHeader('Content-Language', response.locale);
    return response;
  }
}
