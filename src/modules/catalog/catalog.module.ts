import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { OperationsModule } from '../operations/index.js';
import { ProductsModule } from '../products/index.js';
import { CatalogDemo } from './catalog.demo.js';
import { CatalogProductListener } from './documents/catalog-product-listener.js';
import { DocumentsController } from './documents/documents.controller.js';
import { DocumentsRepository } from './documents/documents.repository.js';
import { DocumentsService } from './documents/documents.service.js';
import { EmbeddingsService } from './embeddings/embeddings.service.js';
import { CatalogIndexService } from './indexing/catalog-index.service.js';
import { SearchController } from './search/search.controller.js';
import { SearchService } from './search/search.service.js';
import { SlicesService } from './slices/slices.service.js';
import { SynonymsController } from './synonyms/synonyms.controller.js';
import { SynonymsService } from './synonyms/synonyms.service.js';
import { CatalogAdministrationController } from './administration/catalog-administration.controller.js';
import { CatalogAdministrationService } from './administration/catalog-administration.service.js';
import './catalog-tables.js';

@Module({
  imports: [ActionLedgerModule, OperationsModule, ProductsModule],
  controllers: [DocumentsController, SearchController, SynonymsController, CatalogAdministrationController],
  providers: [
    CatalogDemo,
    CatalogIndexService,
    CatalogProductListener,
    DocumentsRepository,
    DocumentsService,
    EmbeddingsService,
    SearchService,
    SlicesService,
    SynonymsService,
    CatalogAdministrationService,
  ],
  exports: [CatalogDemo],
})
export class CatalogModule {}
