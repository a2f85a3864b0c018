import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { AdvertisedProductsService } from '../products/index.js';
import { demoDocuments } from './demo/demo-documents.js';
import type { AdvertisedDeparture, Draft } from './demo/demo-fields.js';
import { demoSynonyms } from './demo/demo-synonyms.js';
import { demoTours } from './demo/demo-tours.js';
import { DocumentsService } from './documents/documents.service.js';
import { SynonymsService } from './synonyms/synonyms.service.js';

const DOCUMENTS = 400;

/** A departure that a document of the demo data announces. */
export interface PlannedDeparture extends AdvertisedDeparture {
  productId: string;
  timeZone: string;
  priceCents: number;
  currency: string;
}

/** A catalog in four verticals. Its tours come first: other demo data sells them, and the examples of the API document name them. */
@Injectable()
export class CatalogDemo {
  constructor(
    private readonly documents: DocumentsService,
    private readonly synonyms: SynonymsService,
    private readonly products: AdvertisedProductsService,
    private readonly clock: Clock,
  ) {}

  /** The departures that operations must offer for the documents to be true. */
  plannedDepartures(): PlannedDeparture[] {
    return this.drafts().flatMap(({ id, fields }) =>
      (fields.departures ?? []).map((departure) => ({
        ...departure,
        productId: id,
        timeZone: String(fields['departureTimezone']),
        priceCents: Number(fields['priceFromAmountCents']),
        currency: String(fields['priceFromCurrency']),
      })),
    );
  }

  /** Stores the documents with the departures that are on sale, by their ids. */
  async loadDocuments(onSale: ReadonlyMap<string, AdvertisedDeparture>): Promise<void> {
    const documents = this.drafts().map(({ fields, ...draft }) => {
      if (fields.departures === undefined) return { ...draft, fields };
      const departures = fields.departures.flatMap(({ departureId }) => onSale.get(departureId) ?? []);
      return { ...draft, fields: { ...fields, departures } };
    });
    await this.documents.putAll(documents, demoId('cbat', 1));
    // A job would do it later, and the examples of the API document would differ from run to run.
    const known = await this.products.listKnown(documents.map(({ id }) => id));
    for (const productId of known) await this.documents.followProduct({ productId });
  }

  @DemoData(550, 'synonyms')
  async loadSynonyms(): Promise<void> {
    for (const [index, words] of demoSynonyms.entries()) {
      await this.synonyms.create({ language: 'en', ...words }, demoId('csyn', index + 1));
    }
  }

  private drafts(): Draft[] {
    const now = this.clock.now();
    return [...demoTours(now), ...demoDocuments(DOCUMENTS, now)];
  }
}
