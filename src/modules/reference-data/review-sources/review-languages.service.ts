import { Injectable } from '@nestjs/common';
import type { LanguagePage, ListLanguages } from '../languages/language.dto.js';
import { LanguagePages } from '../languages/language-pages.service.js';
import { ReviewSources } from './review-sources.service.js';

@Injectable()
export class ReviewLanguages {
  constructor(
    private readonly sources: ReviewSources,
    private readonly pages: LanguagePages,
  ) {}

  /** The languages of the source that this key or alias leads to. Throws 404, and 400 for a foreign cursor. */
  async page(sourceName: string, query: ListLanguages): Promise<LanguagePage> {
    const { key, languages } = await this.sources.get(sourceName);
    const path = `/data/hotels/v1/${sourceName}/reference/languages`;
    return this.pages.page({ name: `hotels-${key}`, path, codes: languages }, query);
  }
}
