import { Controller, Get, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { CachedList } from './cached-list.js';
import { languageCatalog } from './language-catalog.js';
import { LanguagePage, ListLanguages } from './language.dto.js';
import { LanguagePages } from './language-pages.service.js';

const PATH = '/data/geo/v1/reference/languages';

@Controller(PATH)
export class LanguagesController {
  constructor(private readonly pages: LanguagePages) {}

  /** Lists the languages of the world, with their names in the language asked for */
  @Get()
  @RequireScope('data:geo:read')
  @CachedList(LanguagePage)
  async list(@Query() query: ListLanguages): Promise<LanguagePage> {
    return this.pages.page({ name: 'geo', path: PATH, codes: languageCatalog.codes }, query);
  }
}
