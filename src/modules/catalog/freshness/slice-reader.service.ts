import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { IndexedDocument, Synonym } from '../../../search-engine/index.js';
import type { SliceKey } from '../slices/slices.service.js';

/** A slice as the database has it. */
export interface SliceState extends SliceKey {
  readonly id: string;
  readonly generation: number;
  /** What was deleted before this generation is not there any more. */
  readonly purgedGeneration: number;
  /** Rises when the index is to be made anew. */
  readonly rebuild: number;
  readonly documents: number;
  readonly model: string | null;
  /** When the generation was written, in milliseconds. */
  readonly changedAt: number;
}

const SLICES = `
  select id, vertical, locale, market, generation::float8 as generation, purged_generation::float8 as "purgedGeneration",
    rebuild, document_count as documents, embedding_model as model,
    (extract(epoch from changed_at) * 1000)::float8 as "changedAt",
    (select revision from catalog_synonym_revision) as revision
  from catalog_slice order by id`;

const DOCUMENTS = `
  select document.seq::float8 as seq, document.id, document.fields::text as fields,
    document.generation::float8 as generation, document.deleted_at is not null as deleted,
    (extract(epoch from document.created_at) * 1000)::float8 as "createdAt",
    (extract(epoch from document.updated_at) * 1000)::float8 as "updatedAt", embedding.vector
  from catalog_document as document
  left join catalog_embedding as embedding on embedding.content_hash = document.content_hash and embedding.model = $2
  where document.slice_id = $1`;

const PAGE = 500;

type Row = IndexedDocument & { generation: number };

/** Reads slices for the index, in pages: a large one would hold up the process. */
@Injectable()
export class SliceReader {
  constructor(private readonly database: Database) {}

  async slices(): Promise<{ slices: SliceState[]; revision: number | null }> {
    const rows = await this.database.prepared<SliceState & { revision: number }>('catalog-slices', SLICES, []);
    return { slices: rows, revision: rows[0]?.revision ?? null };
  }

  /** What changed after a generation, up to the one that the slice has. */
  async *changes({ id, model, generation }: SliceState, after: number): AsyncGenerator<IndexedDocument[]> {
    const text = `${DOCUMENTS} and (document.generation, document.seq) > ($3, $4) and document.generation <= $5
      order by document.generation, document.seq limit ${PAGE}`;
    let [last, seq] = [after, Number.MAX_SAFE_INTEGER];
    for (;;) {
      const rows = await this.database.query<Row>(text, [id, model, last, seq, generation]);
      if (rows.length > 0) yield rows;
      const end = rows.at(-1);
      if (!end || rows.length < PAGE) return;
      [last, seq] = [end.generation, end.seq];
    }
  }

  async *all({ id, model }: SliceState): AsyncGenerator<IndexedDocument[]> {
    const text = `${DOCUMENTS} and deleted_at is null and document.seq > $3 order by document.seq limit ${PAGE}`;
    for (let seq = 0; ;) {
      const rows = await this.database.query<Row>(text, [id, model, seq]);
      if (rows.length > 0) yield rows;
      const end = rows.at(-1);
      if (!end || rows.length < PAGE) return;
      seq = end.seq;
    }
  }

  synonyms(): Promise<Synonym[]> {
    return this.database.query<Synonym>('select language, input, terms from catalog_synonym order by id');
  }
}
