import { Module, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../platform/clock.js';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { loadDemoCatalog } from './demo/demo.js';
import { DocumentWriter } from './documents/document-writer.service.js';
import { DocumentsController } from './documents/documents.controller.js';
import { Documents } from './documents/documents.service.js';
import { NewDocuments } from './documents/new-documents.service.js';
import { Markets } from './slices/markets.js';
import { Slices } from './slices/slices.service.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [DocumentsController],
  providers: [Documents, DocumentWriter, Markets, NewDocuments, Slices],
})
export class CatalogModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly documents: Documents,
    private readonly markets: Markets,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const { standard } = this.markets;
    const load = () => loadDemoCatalog(this.documents, standard, this.clock.now());
    this.provisioning.demo(550, 'catalog', load);
  }
}
