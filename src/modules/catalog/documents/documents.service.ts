import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { Vertical } from '../fields/registry.js';
import { type SliceKey, sliceName } from '../slices/slices.service.js';
import { DocumentWriter } from './document-writer.service.js';
import type { ListDocuments, Variant } from './document.dto.js';
import type { BatchResult } from './document-response.dto.js';
import { NewDocuments } from './new-documents.service.js';
import { type NewDocument, SELECT_DOCUMENTS, type StoredDocument } from './stored-document.js';

@Injectable()
export class Documents {
  constructor(
    private readonly database: Database,
    private readonly news: NewDocuments,
    private readonly writer: DocumentWriter,
    private readonly ledger: ActionLedger,
  ) {}

  /** Replaces all fields, or adds the document. Throws 412. */
  async put(given: NewDocument, expected: ExpectedVersions): Promise<{ document: StoredDocument; isNew: boolean }> {
    return this.database.transaction(async () => {
      const [before] = await this.writer.write([given], (earlier) => {
        assertVersion(expected, { version: earlier[0]?.version ?? 0 });
      });
      const document = (await this.find(given, given.id)) ?? refuseUnknown();
      const images = { before: before ? { fields: before.fields } : null, after: { fields: document.fields } };
      const subjectId = `${sliceName(document)}/${document.id}`;
      this.ledger.record('catalog.document.put', { subjectType: 'catalog_document', subjectId, ...images });
      return { document, isNew: before === undefined };
    });
  }

  /** All of them or none, in one generation. */
  async putAll(documents: readonly NewDocument[], subjectId = newId('cbat')): Promise<BatchResult> {
    return this.database.transaction(async () => {
      const earlier = await this.writer.write(documents);
      const result = { created: documents.length - earlier.length, replaced: earlier.length };
      const after = { ...result, documents: documents.map((document) => `${sliceName(document)}/${document.id}`) };
      this.ledger.record('catalog.documents.put', { subjectType: 'catalog_batch', subjectId, after });
      return result;
    });
  }

  /** Throws 404. */
  async get(vertical: Vertical, id: string, variant: Variant): Promise<StoredDocument> {
    return (await this.find({ vertical, ...this.news.variant(variant) }, id)) ?? refuseUnknown();
  }

  /** This variant, or every one where none is named. Throws 404, 412. */
  async remove(
    { vertical, id, variant }: { vertical: Vertical; id: string; variant: Variant },
    expected: ExpectedVersions,
  ): Promise<void> {
    const isNamed = variant.locale !== undefined || variant.market !== undefined;
    const named = isNamed ? [{ vertical, ...this.news.variant(variant) }] : null;
    await this.database.transaction(async () => {
      const keys = named ?? (await this.slicesWith(vertical, id));
      const before = await this.writer.remove(id, keys, (earlier) => {
        if (earlier.length === 0) refuseUnknown();
        for (const document of earlier) assertVersion(expected, document);
      });
      const subjectId = `${[vertical, ...(named ?? []).flatMap(({ locale, market }) => [locale, market])].join('/')}/${id}`;
      const image = { variants: before.map(({ fields }) => ({ fields })) };
      this.ledger.record('catalog.document.delete', { subjectType: 'catalog_document', subjectId, before: image });
    });
  }

  async list(query: ListDocuments): Promise<{ documents: StoredDocument[]; total: number }> {
    const { vertical = null, locale = null, market = null, status = null, search } = query;
    const { limit, offset } = pageBounds(query);
    const values = [vertical, locale, market, status, search === undefined ? null : containing(search)];
    const found = `${SELECT_DOCUMENTS}
      and ($1::text is null or slice.vertical = $1) and ($2::text is null or lower(slice.locale) = lower($2))
      and ($3::text is null or lower(slice.market) = lower($3))
      and ($4::text is null or coalesce(document.fields ->> 'status', 'active') = $4)
      and ($5::text is null or document.id ilike $5 or document.fields ->> 'name' ilike $5)`;
    const page = `${found} order by slice.vertical, document.id, slice.locale, slice.market limit $6 offset $7`;
    const documents = await this.database.query<StoredDocument>(page, [...values, limit, offset]);
    const [counted] = await this.database.query<{ total: number }>(
      `select count(*)::int as total from (${found}) as found`,
      values,
    );
    return { documents, total: counted?.total ?? 0 };
  }

  private async find({ vertical, locale, market }: SliceKey, id: string): Promise<StoredDocument | null> {
    const text = `${SELECT_DOCUMENTS} and slice.vertical = $1 and slice.locale = $2 and slice.market = $3 and document.id = $4`;
    const [document] = await this.database.query<StoredDocument>(text, [vertical, locale, market, id]);
    return document ?? null;
  }

  private async slicesWith(vertical: Vertical, id: string): Promise<SliceKey[]> {
    const text = `${SELECT_DOCUMENTS} and slice.vertical = $1 and document.id = $2`;
    return this.database.query<StoredDocument>(text, [vertical, id]);
  }
}

function refuseUnknown(): never {
  throw notFound();
}
