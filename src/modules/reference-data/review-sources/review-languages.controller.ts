import { Controller, Get, type PipeTransform, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { CachedList } from '../languages/cached-list.js';
import { LanguagePage, ListLanguages } from '../languages/language.dto.js';
import { ReviewLanguages } from './review-languages.service.js';
import { REVIEW_SOURCE_NAME } from './review-source.dto.js';

/** What cannot be the name of a source is as unknown as a name that nobody has. */
const sourceName: PipeTransform<string, string> = {
  transform(value) {
    if (!REVIEW_SOURCE_NAME.pattern.test(value)) throw notFound();
    return value;
  },
};

@ApiTags('Reference data')
@Controller('/data/hotels/v1/:source/reference/languages')
export class ReviewLanguagesController {
  constructor(private readonly languages: ReviewLanguages) {}

  /** Lists the languages of a review source's hotel reviews */
  @Get()
  @RequireScope('data:hotels:read')
  @CachedList(LanguagePage)
  async list(
    @PathText('source', { ...REVIEW_SOURCE_NAME, example: 'reviewsite' }, sourceName) source: string,
    @Query() query: ListLanguages,
  ): Promise<LanguagePage> {
    return this.languages.page(source, query);
  }
}
