import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, Nested, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { Worded } from '../../../platform/http/trade-fields.js';
import { type Vertical, VERTICALS } from '../fields/registry.js';
import { canonicalLocale } from '../slices/markets.js';

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };
const EMBEDDINGS = ['reuse', 'renew'] as const;
const STATUSES = ['queued', 'running', 'done'] as const;
const STATES = ['ready', 'failing', 'off'] as const;

export class StartReindex {
  /** All of them unless given.
   * @example "charters" */
  @Optional()
  @OneOf(VERTICALS)
  vertical?: Vertical;

  @Optional()
  @Worded('isLocale', (tag) => canonicalLocale(tag) !== null, {
    max: 35,
    message: '$property must be a language tag of BCP 47, such as en-GB',
  })
  locale?: string;

  @Optional()
  @Text({ max: 64 })
  market?: string;

  /** Whether the vectors are made anew too; `reuse` unless given. */
  @Optional()
  @OneOf(EMBEDDINGS)
  embeddings?: (typeof EMBEDDINGS)[number];
}

export class ReindexResponse {
  @Text({ max: 100 })
  id: string;

  @OneOf(STATUSES)
  status: (typeof STATUSES)[number];

  @Whole(COUNT)
  slices: number;
}

export class EmbedderStatus {
  @Text({ max: 20 })
  name: string;

  @Text({ max: 200 })
  model: string;

  @Whole({ min: 1, max: 16_384 })
  dimensions: number | null;

  @OneOf(STATES)
  state: (typeof STATES)[number];

  /** Documents that have no vector yet. */
  @Whole(COUNT)
  pending: number;
}

export class SliceStatus {
  @OneOf(VERTICALS)
  vertical: Vertical;

  @Text({ max: 35 })
  locale: string;

  @Text({ max: 64 })
  market: string;

  @Whole(COUNT)
  documents: number;

  @Whole(COUNT)
  generation: number;

  @Whole(COUNT)
  indexedGeneration: number;

  @Whole(COUNT)
  pendingEmbeddings: number;

  @Whole(COUNT)
  memoryBytes: number;
}

export class ReindexStatus {
  @Text({ max: 100 })
  id: string;

  @OneOf(STATUSES)
  status: (typeof STATUSES)[number];

  @Whole(COUNT)
  done: number;

  @Whole(COUNT)
  total: number;
}

export class CatalogStatus {
  /** Whether every slice is at its generation here, and nothing waits for its vector. */
  @Flag()
  fresh: boolean;

  /** Age of the oldest change that cannot be searched here yet. */
  @Whole(COUNT)
  lagMs: number;

  @Whole(COUNT)
  documents: number;

  /** The sum over the slices. */
  @Whole(COUNT)
  generation: number;

  @OneOf(['memory'])
  adapter: 'memory';

  @Nested(() => EmbedderStatus)
  embedder: EmbedderStatus;

  @ListOf(() => SliceStatus, { max: 10_000 })
  slices: SliceStatus[];

  /** The last one that was asked for. */
  @Nested(() => ReindexStatus)
  reindex: ReindexStatus | null;
}

export class ReindexEnvelope extends dataOf(ReindexResponse) {}
export class CatalogStatusEnvelope extends dataOf(CatalogStatus) {}
