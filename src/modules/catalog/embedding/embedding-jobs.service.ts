import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { type SliceKey, Slices } from '../slices/slices.service.js';
import { DocumentVectors, type Embeddable } from './document-vectors.service.js';
import { Embedder } from './embedder.js';
import { embeddingTexts } from './embedding-text.js';

const JOB = 'catalog.embed';
const GROUP = 16;
/** Then the job is added anew: a process that stops does not wait for long. */
const GROUPS_A_JOB = 20;

/** $1 model, $2 languages. */
const MISSING = `
  select distinct on (content_hash) content_hash as hash, document.id, fields
  from catalog_document as document join catalog_slice as slice on slice.id = document.slice_id
  where deleted_at is null and split_part(lower(slice.locale), '-', 1) = any ($2)
    and not exists (
      select from catalog_embedding as e
      where e.content_hash = document.content_hash and e.model = $1 and not e.stale)
  order by content_hash limit ${GROUP}`;

/** A vector that is null says that there is none to be had, until the text changes or everything is made anew. */
const KEEP = `
  insert into catalog_embedding (content_hash, model, vector)
  select hash, $2, vector from unnest($1::bytea[], $3::bytea[]) as v (hash, vector)
  on conflict (content_hash, model) do update set vector = excluded.vector, stale = false`;

const HOLDERS = `
  select distinct vertical, locale, market from catalog_document as document
  join catalog_slice as slice on slice.id = document.slice_id
  where content_hash = any ($1) and deleted_at is null`;

const STAMP = `
  update catalog_document as document set generation = s.generation
  from unnest($2::bigint[], $3::bigint[]) as s (id, generation)
  where document.slice_id = s.id and content_hash = any ($1) and deleted_at is null`;

/** The model answers from its first vectors on; a new one only when it has all of them, until then the old one does. */
const ADOPT = `
  update catalog_slice as slice set embedding_model = $1
  where embedding_model is distinct from $1 and split_part(lower(locale), '-', 1) = any ($2) and (
    (embedding_model is null and exists (
      select from catalog_document as d join catalog_embedding as e using (content_hash)
      where d.slice_id = slice.id and e.model = $1))
    or not exists (
      select from catalog_document as d where d.slice_id = slice.id and deleted_at is null
        and not exists (select from catalog_embedding as e where e.content_hash = d.content_hash and e.model = $1)))`;

interface Missing {
  hash: Buffer;
  id: string;
  fields: Record<string, unknown>;
}

/** Gives documents their vectors, after they can be found by words, in groups, as a job that is repeated where it fails. */
@Injectable()
export class EmbeddingJobs implements OnModuleInit, BeforeApplicationShutdown {
  /** Whether the last group could not be embedded. */
  failing = false;
  private stopping = false;
  private working = false;
  /** Somebody asked while this process was at it already. */
  private askedAgain = false;

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly slices: Slices,
    private readonly embedder: Embedder,
    private readonly vectors: DocumentVectors,
  ) {}

  onModuleInit(): void {
    if (this.embedder.isOff) return;
    this.jobs.define(JOB, () => this.work());
    // Of what a start with another model, or without any, has left behind.
    this.jobs.schedule('catalog.embed-missing', '* * * * *', () => this.work());
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  /** There may be something to embed, once the running transaction is committed. */
  async wanted(): Promise<void> {
    if (!this.embedder.isOff) await this.jobs.add(JOB, {}, { key: JOB });
  }

  /** One run at a time in a process: several would embed the same documents, and leave no worker to other jobs. */
  private async work(): Promise<void> {
    this.askedAgain = this.working;
    if (this.working) return;
    this.working = true;
    try {
      for (let group = 0; group < GROUPS_A_JOB && !this.stopping; group += 1) {
        const isMore = await this.embedGroup();
        if (!isMore && !this.askedAgain) return;
        if (!isMore) this.askedAgain = false;
      }
    } finally {
      this.working = false;
    }
    await this.wanted();
  }

  /** False where nothing was missing. */
  private async embedGroup(): Promise<boolean> {
    const { model, languages } = this.embedder;
    const missing = await this.database.query<Missing>(MISSING, [model, languages]);
    if (missing.length === 0) {
      await this.database.execute(ADOPT, [model, languages]);
      return false;
    }
    const vectors = await this.vectorsOf(missing.map(({ id, fields }) => ({ id, texts: embeddingTexts(fields) })));
    const hashes = missing.map(({ hash }) => hash);
    await this.database.transaction(async () => {
      const slices = await this.slices.open(await this.database.query<SliceKey>(HOLDERS, [hashes]), 'pass');
      await this.database.execute(KEEP, [hashes, model, vectors.map((vector) => vector && Buffer.from(vector.buffer))]);
      const generations = slices.map(({ generation }) => generation);
      await this.database.execute(STAMP, [hashes, slices.map(({ id }) => id), generations]);
      await this.database.execute(ADOPT, [model, languages]);
      this.slices.ring();
    });
    return true;
  }

  private async vectorsOf(documents: readonly Embeddable[]): Promise<(Float32Array | null)[]> {
    try {
      const vectors = await this.vectors.of(documents);
      this.failing = false;
      return vectors;
    } catch (error) {
      this.failing = true;
      throw error;
    }
  }
}
