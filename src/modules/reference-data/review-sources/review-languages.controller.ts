import { Controller, Get, type PipeTransform, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { CachedList } from '../languages/cached-list.js';
import { LanguagePage, ListLanguages } from '../languages/language.dto.js';
import { ReviewSourcesService } from './review-sources.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { REVIEW_SOURCE_NAME } from './review-source.dto.js';

/** A malformed name is not found, like an unknown one. */
const sourceName: PipeTransform<string, string> = {
  transform(value) {
    if (!REVIEW_SOURCE_NAME.pattern.test(value)) throw notFound();
    return value;
  },
};

@ApiGroup('Reference data')
@Controller('/data/hotels/v1/:source/reference/languages')
export class ReviewLanguagesController {
  constructor(private readonly sources: ReviewSourcesService) {}

  /**
   * List the languages of a review source
   *
   * @remarks Returns the languages of the hotel reviews of a source ordered by code, with their names in the requested
   * language. The source is named by its key or an alias; an unknown one is not found. The response has an ETag and can be
   * cached privately for five minutes.
   */
  @Get()
  @RequireScope('data:hotels:read')
  @CachedList(LanguagePage)
  async list(
    @PathText(
      'source',
      { ...REVIEW_SOURCE_NAME, description: 'Key or alias of the review source.', example: 'reviewsite' },
      sourceName,
    )
    source: string,
    @Query() query: ListLanguages,
  ): Promise<LanguagePage> {
    return this.sources.listLanguages(source, query);
  }
}
