import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { demoDocuments } from './demo/demo-documents.js';
import { demoSynonyms } from './demo/demo-synonyms.js';
import { DocumentsService } from './documents/documents.service.js';
import { SynonymsService } from './synonyms/synonyms.service.js';

const DOCUMENTS = 400;

/** A catalog in four verticals. The examples of the API document name its first products. */
@Injectable()
export class CatalogDemo {
  constructor(
    private readonly documents: DocumentsService,
    private readonly synonyms: SynonymsService,
    private readonly clock: Clock,
  ) {}

  @DemoData(550, 'catalog')
  async load(): Promise<void> {
    await this.documents.putAll([...demoDocuments(DOCUMENTS, this.clock.now())], demoId('cbat', 1));
    for (const [index, words] of demoSynonyms.entries()) {
      await this.synonyms.create({ language: 'en', ...words }, demoId('csyn', index + 1));
    }
  }
}
