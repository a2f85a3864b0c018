import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { CatalogSynonym } from './synonym.entity.js';

const LANGUAGE = { min: 2, max: 3, pattern: /^[a-z]{2,3}$/ };

export class CreateSynonym {
  /** @example "en" */
  @Text(LANGUAGE)
  language: string;

  /** What is searched for; null where the terms mean the same. */
  @Clearable()
  @Text({ max: 200 })
  input?: string | null;

  /** One at least, two where there is no input.
   * @example ["hike", "trek", "walking tour"] */
  @Texts({ min: 1, max: 20, maxLength: 200, unique: true })
  terms: string[];
}

export class UpdateSynonym extends patchOf(CreateSynonym) {}

export class ListSynonyms extends PageQuery {
  @Optional()
  @Text(LANGUAGE)
  language?: string;
}

export class SynonymResponse {
  @Text({ max: 100 })
  id: string;

  @Text(LANGUAGE)
  language: string;

  @Text({ max: 200 })
  input: string | null;

  @Texts({ max: 20, maxLength: 200 })
  terms: string[];

  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toSynonym(synonym: CatalogSynonym): SynonymResponse {
  return {
    id: synonym.id,
    language: synonym.language,
    input: synonym.input,
    terms: synonym.terms,
    version: synonym.version,
    createdAt: synonym.createdAt.toISOString(),
    updatedAt: synonym.updatedAt.toISOString(),
  };
}

export class SynonymEnvelope extends dataOf(SynonymResponse) {}
export class SynonymPage extends pageOf(SynonymResponse) {}
