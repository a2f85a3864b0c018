import { named } from '../../../platform/http/named-values.js';
import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, Nested, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { LocaleTag } from '../slices/locale.js';
import { type Vertical, VERTICALS } from '../slices/verticals.js';

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };
const EMBEDDINGS = ['reuse', 'renew'] as const;
const STATUSES = named('ReindexState', ['queued', 'running', 'done']);
const STATES = ['ready', 'failing', 'off'] as const;

/** The part of the catalog to rebuild; everything by default. */
export class StartReindex {
  /**
   * Only this vertical; all by default.
   * @example "charters"
   */
  @Optional()
  @OneOf(VERTICALS)
  vertical?: Vertical;

  /** Only this language, as a BCP 47 tag; all by default. */
  @Optional()
  @LocaleTag()
  locale?: string;

  /** Only the market with this code; all by default. */
  @Optional()
  @Text({ max: 64 })
  market?: string;

  /** Whether existing vectors are kept (`reuse`, the default) or computed again (`renew`). */
  @Optional()
  @OneOf(EMBEDDINGS)
  embeddings?: (typeof EMBEDDINGS)[number];
}

/** A rebuild of the index that was queued. */
export class ReindexResponse {
  /** ID of the rebuild, also shown in the catalog status. */
  @Text({ max: 100 })
  id: string;

  /** State of the rebuild; `queued` in this response. */
  @OneOf(STATUSES)
  status: (typeof STATUSES)[number];

  /** The number of combinations of vertical, language and market that are rebuilt. */
  @Whole(COUNT)
  slices: number;
}

/** State of the model that computes vectors for semantic search. */
export class EmbedderStatus {
  /** Which implementation computes the vectors. */
  @Text({ max: 20 })
  name: string;

  /** Identifier of the model. Vectors of different models are never compared. */
  @Text({ max: 200 })
  model: string;

  /** Length of a vector; null if it is not known. */
  @Whole({ min: 1, max: 16_384 })
  dimensions: number | null;

  /** Whether the model works, fails or is switched off. */
  @OneOf(STATES)
  state: (typeof STATES)[number];

  /** The number of documents without a current vector. */
  @Whole(COUNT)
  pending: number;
}

/** State of the index for one combination of vertical, language and market. */
export class SliceStatus {
  /** Type of product in the slice. */
  @OneOf(VERTICALS)
  vertical: Vertical;

  /** BCP 47 language tag of the slice. */
  @Text({ max: 35 })
  locale: string;

  /** Code of the market of the slice. */
  @Text({ max: 64 })
  market: string;

  /** The number of documents stored in the database. */
  @Whole(COUNT)
  documents: number;

  /** Counter of changes in the database. */
  @Whole(COUNT)
  generation: number;

  /** Last change that the responding process has indexed. */
  @Whole(COUNT)
  indexedGeneration: number;

  /** The number of its documents without a current vector. */
  @Whole(COUNT)
  pendingEmbeddings: number;

  /** Estimated memory of the index in bytes. */
  @Whole(COUNT)
  memoryBytes: number;
}

/** Progress of a rebuild of the index. */
export class ReindexStatus {
  /** ID of the rebuild, as returned when it was started. */
  @Text({ max: 100 })
  id: string;

  /** State of the rebuild. */
  @OneOf(STATUSES)
  status: (typeof STATUSES)[number];

  /** The number of documents rebuilt so far. */
  @Whole(COUNT)
  done: number;

  /** The number of documents to rebuild. */
  @Whole(COUNT)
  total: number;
}

/** State of the search index in the responding process. */
export class CatalogStatus {
  /** Whether the responding process has indexed every change and no document lacks a vector. */
  @Flag()
  fresh: boolean;

  /** Age in milliseconds of the oldest change that is not indexed yet; 0 if there is none. */
  @Whole(COUNT)
  lagMs: number;

  /** The number of documents in all slices. */
  @Whole(COUNT)
  documents: number;

  /** Sum of the generations of all slices. */
  @Whole(COUNT)
  generation: number;

  /** Location of the index: the memory of each process (`memory`) or the database (`postgres`). */
  @OneOf(['memory', 'postgres'])
  adapter: 'memory' | 'postgres';

  /** State of the model that computes vectors. */
  @Nested(() => EmbedderStatus)
  embedder: EmbedderStatus;

  /** State of each combination of vertical, language and market. */
  @ListOf(() => SliceStatus, { max: 10_000 })
  slices: SliceStatus[];

  /** The last rebuild that was started; null if there was none. */
  @Nested(() => ReindexStatus)
  reindex: ReindexStatus | null;
}

export class ReindexEnvelope extends dataOf(ReindexResponse) {}
export class CatalogStatusEnvelope extends dataOf(CatalogStatus) {}
