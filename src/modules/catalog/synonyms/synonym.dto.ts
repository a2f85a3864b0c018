import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import type { CatalogSynonym } from './synonym.entity.js';

const LANGUAGE = { min: 2, max: 3, pattern: /^[a-z]{2,3}$/ };

/** A new set of synonyms for one language. */
export class CreateSynonym {
  /**
   * ISO 639 code of the language in which it is used.
   * @example "en"
   */
  @Text(LANGUAGE)
  language: string;

  /** Search word that also finds the terms. If null, all terms find each other. */
  @Clearable()
  @Text({ max: 200 })
  input?: string | null;

  /**
   * Words or phrases with the same meaning: at least one that differs from `input`, or two different ones without
   * `input`.
   * @example ["hike", "trek", "walking tour"]
   */
  @Texts({ min: 1, max: 20, maxLength: 200, unique: true })
  terms: string[];
}

/** Changes of a set of synonyms; fields that are not sent keep their value. */
export class UpdateSynonym extends patchOf(CreateSynonym) {}

/** Filters and paging of the list of synonyms. */
export class ListSynonyms extends PageQuery {
  /** Only synonyms of this language. */
  @Optional()
  @Text(LANGUAGE)
  language?: string;

  /** Sort field, `language` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['language', 'createdAt'])
  sort?: string;
}

/** A set of synonyms for one language. */
export class SynonymResponse {
  /** ID of the set of synonyms, assigned by the server. */
  @Text({ max: 100 })
  id: string;

  /** ISO 639 code of the language in which it is used. */
  @Text(LANGUAGE)
  language: string;

  /** Search word that also finds the terms; null if all terms find each other. */
  @Text({ max: 200 })
  input: string | null;

  /** Words or phrases with the same meaning. */
  @Texts({ max: 20, maxLength: 200 })
  terms: string[];

  /** Increases with every change. It is also the ETag; If-Match is compared with it. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toSynonym(synonym: CatalogSynonym): SynonymResponse {
  return respond(SynonymResponse, synonym);
}

export class SynonymEnvelope extends dataOf(SynonymResponse) {}
export class SynonymPage extends pageOf(SynonymResponse) {}
