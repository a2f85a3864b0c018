import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { answerHeader } from '../../../platform/http/answer.js';
import { ClientGone } from '../../../platform/http/client-gone.js';
import { RateLimit } from '../../../platform/limits/rate-limit.guard.js';
import { Searches } from './searches.service.js';
import { CatalogSearchRequest, CatalogSearchResponse } from './search.dto.js';

@ApiTags('Storefront')
@Controller('/v1/public/catalog')
export class SearchController {
  constructor(
    private readonly searches: Searches,
    private readonly clock: Clock,
  ) {}

  /**
   * Search the catalog
   *
   * @remarks Searches one vertical by keyword, by meaning or by both, with filters, facets and cursors. If semantic
   * search is not available, the response uses `keyword` and says so in `mode`. Unknown verticals, filters and facets
   * are rejected with 400; 503 is returned while the index is loading after a start. No credentials are needed;
   * requests are rate limited.
   */
  @Post('search')
  @HttpCode(200)
  @Public()
  @RateLimit('public-search')
  @Header('Cache-Control', 'no-store')
  async search(@Body() body: CatalogSearchRequest, @ClientGone() gone: AbortSignal): Promise<CatalogSearchResponse> {
    const answer = await this.searches.search(body, this.clock.now(), gone);
    answerHeader('Content-Language', answer.locale);
    return answer;
  }
}
