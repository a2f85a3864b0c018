import { dataOf } from '../../../platform/http/dto.js';
import { ListOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { Worded } from '../../../platform/http/trade-fields.js';

// RFC 4647's language range without `*`: whatever BCP 47 allows, since a tag that we do not know is no mistake.
const LANGUAGE_TAG = /^(?:[a-z]{2,8}|[ix](?=-))(?:-[a-z0-9]{1,8})*$/i;

function LanguageTag(): PropertyDecorator {
  const message = '$property must be a BCP 47 language tag, such as pt-BR';
  return Worded('languageTag', (text) => LANGUAGE_TAG.test(text), { max: 64, message });
}

export class ListLanguages {
  /** How many entries, 1 to 1000; 500 unless given, which holds the whole catalog.
   * @example 500 */
  @Optional()
  @QueryWhole({ min: 1, max: 1000 })
  limit?: number;

  /** The `nextCursor` of the page before, of the same list in the same `lang`; the page continues after it. */
  @Optional()
  @Text({ max: 500, verbatim: true })
  cursor?: string;

  /** BCP 47 tag of the language of the names, `en` unless given. A language that we do not have falls back to its parent, then to English.
   * @example "en" */
  @Optional()
  @LanguageTag()
  lang?: string;
}

export class NameLanguage {
  /** BCP 47 tag of the language of the name, as for the list.
   * @example "en" */
  @Optional()
  @LanguageTag()
  lang?: string;
}

export class LanguageEntry {
  /** Two letters of ISO 639-1.
   * @example "de" */
  @Text({ min: 2, max: 2, pattern: /^[a-z]{2}$/ })
  code: string;

  /** The language's name in the language that was asked for.
   * @example "German" */
  @Text({ max: 200 })
  name: string;
}

export class LanguagePage {
  /** Ascending by code. */
  @ListOf(() => LanguageEntry, { max: 1000 })
  data: LanguageEntry[];

  /** Size of the whole list, whatever the page.
   * @example 184 */
  @Whole({ min: 0, max: 10_000 })
  totalCount: number;

  /** Where the next page starts; absent on the last page. */
  @Optional()
  @Text({ max: 500 })
  nextCursor?: string;
}

export class FoundLanguage extends LanguageEntry {
  /** The tag that was asked for, where it was given up for `code`, such as `iw` for `he`; null where it is the code.
   * @example null */
  @Text({ max: 20 })
  deprecatedTag: string | null;
}

export class LanguageEnvelope extends dataOf(FoundLanguage) {}
