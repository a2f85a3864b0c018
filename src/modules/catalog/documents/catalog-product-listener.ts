import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { ProductListener } from '../../products/index.js';
import { DocumentsService } from './documents.service.js';

/** Copies the products whose prices change. */
@Injectable()
@Listens(ProductListener, 30)
export class CatalogProductListener implements ProductListener {
  constructor(private readonly documents: DocumentsService) {}

  async pricesChanged(productIds: readonly string[]): Promise<void> {
    await this.documents.requestCopies(productIds);
  }
}
