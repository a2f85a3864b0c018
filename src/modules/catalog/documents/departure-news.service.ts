import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { sliceName } from '../slices/slices.service.js';
import { DocumentWriter } from './document-writer.service.js';
import { DOCUMENT_ID } from './document-path.js';
import { type NewDocument, SELECT_DOCUMENTS, type StoredDocument } from './stored-document.js';
import { changedDepartures, type DepartureNews, readDepartureNews } from './changed-departures.js';

const JOB = 'catalog.departure-changed';

/** Documents follow the departures of their product: what is told of one is what customers see of it a moment later. */
@Injectable()
export class DepartureNewsDesk implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly writer: DocumentWriter,
    private readonly ledger: ActionLedger,
    private readonly jobs: Jobs,
    private readonly outbox: Outbox,
  ) {}

  onModuleInit(): void {
    this.jobs.define(JOB, async (payload) => {
      const news = readDepartureNews(payload);
      if (news && DOCUMENT_ID.test(news.productId)) await this.take(news);
    });
    this.outbox.consume('departure.changed', JOB, { subjectOf: ({ departureId }) => String(departureId) });
  }

  private async take(news: DepartureNews): Promise<void> {
    await this.database.transaction(async () => {
      const documents = await this.documentsOf(news.productId);
      if (documents.length === 0) return;
      await this.writer.hold(documents);
      // As they are now that nobody else writes them.
      const changed = (await this.documentsOf(news.productId)).flatMap((document): NewDocument[] => {
        const departures = changedDepartures(document.fields['departures'], news);
        return departures ? [{ ...document, fields: { ...document.fields, departures } }] : [];
      });
      if (changed.length === 0) return;
      await this.writer.write(changed);
      const subject = { subjectType: 'catalog_document', subjectId: `products/${news.productId}` };
      const after = { departure: news, documents: changed.map((one) => `${sliceName(one)}/${one.id}`) };
      this.ledger.record('catalog.document.follow_departure', { ...subject, after });
    });
  }

  private documentsOf(id: string): Promise<StoredDocument[]> {
    return this.database.query<StoredDocument>(`${SELECT_DOCUMENTS} and document.id = $1`, [id]);
  }
}
