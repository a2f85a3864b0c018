import { Controller, Get, type PipeTransform, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { CachedList } from './cached-list.js';
import { languageCatalog } from './language-catalog.js';
import { LanguageEnvelope, LanguagePage, ListLanguages, NameLanguage } from './language.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { LanguagesService } from './languages.service.js';

const TAG = /^[A-Za-z-]{1,20}$/;

/** A malformed tag is not found, like an unknown one. */
const knownForm: PipeTransform<string, string> = {
  transform(code) {
    if (!TAG.test(code)) throw notFound();
    return code;
  },
};

const PATH = '/data/geo/v1/reference/languages';

@ApiGroup('Reference data', { position: 290, description: 'Data: languages, and the languages of hotel reviews.' })
@Controller(PATH)
export class LanguagesController {
  constructor(private readonly languages: LanguagesService) {}

  /**
   * List languages
   *
   * @remarks Returns the languages of ISO 639-1 ordered by code, with their names in the requested language. All fit on one
   * page by default; a cursor of another list or language is rejected. The response has an ETag and can be cached privately for
   * five minutes.
   */
  @Get()
  @RequireScope('data:geo:read')
  @CachedList(LanguagePage)
  async list(@Query() query: ListLanguages): Promise<LanguagePage> {
    return this.languages.page({ name: 'geo', path: PATH, codes: languageCatalog.codes }, query);
  }

  /**
   * Get a language by code
   *
   * @remarks Returns one language by its two-letter code or by a deprecated tag, ignoring case; a deprecated tag is also
   * returned as `deprecatedTag`. An unknown code is not found. The response has an ETag and can be cached privately for five
   * minutes.
   */
  @Get(':code')
  @RequireScope('data:geo:read')
  @CachedList(LanguageEnvelope)
  async get(
    @PathText(
      'code',
      {
        description: 'ISO 639-1 code of the language, or a deprecated tag, ignoring case.',
        maxLength: 20,
        pattern: TAG,
        example: 'de',
      },
      knownForm,
    )
    code: string,
    @Query() query: NameLanguage,
  ): Promise<LanguageEnvelope> {
    return { data: this.languages.get(code, query) };
  }
}
