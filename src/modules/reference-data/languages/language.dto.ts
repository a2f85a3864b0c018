import { dataOf } from '../../../platform/http/dto.js';
import { ListOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { CheckedText } from '../../../platform/http/trade-fields.js';

// Accepts language ranges of RFC 4647 except `*`, and so everything that BCP 47 allows, because an unknown tag is not an error.
const LANGUAGE_TAG = /^(?:[a-z]{2,8}|[ix](?=-))(?:-[a-z0-9]{1,8})*$/i;

function LanguageTag(): PropertyDecorator {
  const message = '$property must be a BCP 47 language tag, such as pt-BR';
  return CheckedText('languageTag', (text) => LANGUAGE_TAG.test(text), { max: 64, message });
}

/** Paging and language of a list of languages. */
export class ListLanguages {
  /**
   * Maximum number of entries, 1 to 1000; 500 by default, which is enough for all languages.
   * @example 500
   */
  @Optional()
  @QueryWhole({ min: 1, max: 1000 })
  limit?: number;

  /** `nextCursor` of the previous page of the same list with the same `lang`. */
  @Optional()
  @Text({ max: 500, verbatim: true })
  cursor?: string;

  /**
   * BCP 47 tag of the language of the names, `en` by default. A language without names falls back to its parent, then
   * to English.
   * @example "en"
   */
  @Optional()
  @LanguageTag()
  lang?: string;
}

/** The language of a name. */
export class NameLanguage {
  /**
   * BCP 47 tag of the language of the name, `en` by default. A language without names falls back to its parent, then to
   * English.
   * @example "en"
   */
  @Optional()
  @LanguageTag()
  lang?: string;
}

/** A language with its name. */
export class LanguageEntry {
  /**
   * ISO 639-1 code of two letters.
   * @example "de"
   */
  @Text({ min: 2, max: 2, pattern: /^[a-z]{2}$/ })
  code: string;

  /**
   * Name of the language in the requested language.
   * @example "German"
   */
  @Text({ max: 200 })
  name: string;
}

/** A page of languages. */
export class LanguagePage {
  /** Languages ordered by code. */
  @ListOf(() => LanguageEntry, { max: 1000 })
  data: LanguageEntry[];

  /**
   * The number of languages in the complete list.
   * @example 184
   */
  @Whole({ min: 0, max: 10_000 })
  totalCount: number;

  /** Cursor of the next page; absent on the last page. */
  @Optional()
  @Text({ max: 500 })
  nextCursor?: string;
}

/** A language found by its code or by a deprecated tag. */
export class FoundLanguage extends LanguageEntry {
  /**
   * The requested tag if it was replaced by `code`, for example `iw` for `he`; null if the code was requested.
   * @example null
   */
  @Text({ max: 20 })
  deprecatedTag: string | null;
}

export class LanguageEnvelope extends dataOf(FoundLanguage) {}
