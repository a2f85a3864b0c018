import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { SlicesService } from '../slices/slices.service.js';
import { CreateSynonym, type ListSynonyms, UpdateSynonym } from './synonym.dto.js';
import { CatalogSynonym } from './synonym.entity.js';

/** Manages synonyms of the keyword search. */
@Injectable()
export class SynonymsService {
  private readonly rows: Rows<CatalogSynonym>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly slices: SlicesService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(CatalogSynonym);
  }

  async create(body: CreateSynonym, id = newId('csyn')): Promise<CatalogSynonym> {
    return this.database.transaction(async () => {
      const synonym = await this.insert(id, body);
      this.ledger.record('catalog.synonym.create', { ...subjectOf(id), before: null, after: synonym.auditImage() });
      return synonym;
    });
  }

  async list(query: ListSynonyms): Promise<{ rows: CatalogSynonym[]; total: number }> {
    const found = this.rows.query('synonym');
    if (query.language !== undefined) found.andWhere('synonym.language = :language', { language: query.language });
    sortRows(found, query.sort ?? 'language');
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<CatalogSynonym> {
    return this.rows.get(id);
  }

  async update(id: string, changes: UpdateSynonym, expected: ExpectedVersions): Promise<CatalogSynonym> {
    return this.database.transaction(async () => {
      const synonym = await this.rows.lock(id);
      assertVersion(expected, synonym);
      const before = synonym.auditImage();
      Object.assign(synonym, changes, { updatedAt: this.clock.now() });
      synonym.assertEffective();
      await this.rows.update(synonym);
      this.ledger.record('catalog.synonym.update', { ...subjectOf(id), before, after: synonym.auditImage() });
      await this.publish();
      return synonym;
    });
  }

  async remove(id: string, expected: ExpectedVersions): Promise<void> {
    await this.database.transaction(async () => {
      const synonym = await this.rows.lock(id);
      assertVersion(expected, synonym);
      await this.delete(id);
      this.ledger.record('catalog.synonym.delete', { ...subjectOf(id), before: synonym.auditImage(), after: null });
    });
  }

  @Reverses('catalog.synonym.create', { effect: 'catalog.synonym.delete' })
  async reverseCreation(entry: RecordedAction): Promise<ReversalResult> {
    const synonym = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, synonym);
    await this.delete(synonym.id);
    return { before: synonym.auditImage(), after: null };
  }

  @Reverses('catalog.synonym.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdateSynonym, entry.before);
    const synonym = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, synonym);
    const before = synonym.auditImage();
    Object.assign(synonym, restored, { updatedAt: this.clock.now() });
    await this.rows.update(synonym);
    await this.publish();
    return { before, after: synonym.auditImage() };
  }

  /** Adds the synonyms again, under their id and with the next version, so that no entry before the deletion has it. */
  @Reverses('catalog.synonym.delete', { effect: 'catalog.synonym.create' })
  async reverseDeletion({ subjectId, before }: RecordedAction): Promise<ReversalResult> {
    const version = Number(before?.['version']) + 1;
    const synonym = await this.insert(subjectId, await checkedAs(CreateSynonym, before), version);
    return { before: null, after: synonym.auditImage() };
  }

  private async insert(
    id: string,
    { language, input = null, terms }: CreateSynonym,
    version = 1,
  ): Promise<CatalogSynonym> {
    const now = this.clock.now();
    const synonym = make(CatalogSynonym, { id, language, input, terms, version, createdAt: now });
    synonym.assertEffective();
    await this.rows.insert(synonym);
    await this.publish();
    return synonym;
  }

  private async delete(id: string): Promise<void> {
    await this.database.execute('delete from catalog_synonym where id = $1', [id]);
    await this.publish();
  }

  /** Makes every process read the synonyms again. */
  private async publish(): Promise<void> {
    await this.database.execute('update catalog_synonym_revision set revision = revision + 1');
    this.slices.notify();
  }
}

function subjectOf(id: string) {
  return { subjectType: 'catalog_synonym', subjectId: id };
}
