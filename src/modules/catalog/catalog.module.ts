import { Module, type OnModuleInit } from '@nestjs/common';
import { Env } from '../../platform/config/env.js';
import { Readiness } from '../../platform/observability/readiness.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { DemoCatalog } from './demo/demo.js';
import { DepartureNewsDesk } from './documents/departure-news.service.js';
import { DocumentWriter } from './documents/document-writer.service.js';
import { DocumentsController } from './documents/documents.controller.js';
import { Documents } from './documents/documents.service.js';
import { NewDocuments } from './documents/new-documents.service.js';
import { chosenEmbedder } from './embedding/chosen-embedder.js';
import { DocumentVectors } from './embedding/document-vectors.service.js';
import { Embedder } from './embedding/embedder.js';
import { EmbeddingJobs } from './embedding/embedding-jobs.service.js';
import { QueryMeaning } from './embedding/query-meaning.service.js';
import { Follower } from './freshness/follower.service.js';
import { Freshness } from './freshness/freshness.service.js';
import { SliceBell } from './freshness/slice-bell.js';
import { SliceReader } from './freshness/slice-reader.service.js';
import { Cursors } from './search/cursor.service.js';
import { SearchController } from './search/search.controller.js';
import { Searches } from './search/searches.service.js';
import { SliceChoice } from './search/slice-choice.service.js';
import { Markets } from './slices/markets.js';
import { Slices } from './slices/slices.service.js';
import { SynonymsController } from './synonyms/synonyms.controller.js';
import { Synonyms } from './synonyms/synonyms.service.js';
import { ReindexWork } from './upkeep/reindex-work.service.js';
import { Reindexes } from './upkeep/reindexes.service.js';
import { CatalogState } from './upkeep/status.service.js';
import { UpkeepController } from './upkeep/upkeep.controller.js';

const WRITING = [
  DepartureNewsDesk,
  DemoCatalog,
  Documents,
  DocumentVectors,
  DocumentWriter,
  EmbeddingJobs,
  Markets,
  NewDocuments,
  Slices,
  Synonyms,
];
const SEARCHING = [Cursors, Follower, Freshness, QueryMeaning, Searches, SliceBell, SliceChoice, SliceReader];

const UPKEEP = [CatalogState, Reindexes, ReindexWork];

@Module({
  imports: [ActionLedgerModule],
  controllers: [DocumentsController, SearchController, SynonymsController, UpkeepController],
  providers: [...WRITING, ...SEARCHING, ...UPKEEP, { provide: Embedder, useFactory: chosenEmbedder, inject: [Env] }],
})
export class CatalogModule implements OnModuleInit {
  constructor(
    private readonly readiness: Readiness,
    private readonly follower: Follower,
  ) {}

  onModuleInit(): void {
    this.readiness.add('catalog', () => this.follower.ready);
  }
}
