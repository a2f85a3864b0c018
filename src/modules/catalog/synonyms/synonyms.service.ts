import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { fold } from '../../../search-engine/index.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { SliceBell } from '../freshness/slice-bell.js';
import { toSynonym } from './synonym.dto.js';
import type { CreateSynonym, ListSynonyms, UpdateSynonym } from './synonym.dto.js';
import { CatalogSynonym } from './synonym.entity.js';

@Injectable()
export class Synonyms {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly bell: SliceBell,
    private readonly clock: Clock,
  ) {}

  /** Throws 400 for terms without words, and for a single one without an input: it would mean itself. */
  async create({ language, input = null, terms }: CreateSynonym, id = newId('csyn')): Promise<CatalogSynonym> {
    const now = this.clock.now();
    const synonym = make(CatalogSynonym, { id, language, input, terms, version: 1, createdAt: now, updatedAt: now });
    assertSaysSomething(synonym);
    return this.database.transaction(async () => {
      await this.database.insert(synonym);
      await this.changed('create', { before: null, after: synonym });
      return synonym;
    });
  }

  async list(query: ListSynonyms): Promise<{ synonyms: CatalogSynonym[]; total: number }> {
    const found = this.database.repository(CatalogSynonym).createQueryBuilder('synonym');
    if (query.language !== undefined) found.andWhere('synonym.language = :language', { language: query.language });
    found.orderBy('synonym.language').addOrderBy('synonym.id');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { synonyms: rows.map(({ entity }) => entity), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<CatalogSynonym> {
    return (await this.database.repository(CatalogSynonym).findOneBy({ id })) ?? refuseUnknown();
  }

  /** Throws 400, 404, 412. */
  async update(id: string, changes: UpdateSynonym, expected: ExpectedVersions): Promise<CatalogSynonym> {
    return this.database.transaction(async () => {
      const synonym = await this.lock(id, expected);
      const before = { ...synonym };
      Object.assign(synonym, changes, { updatedAt: this.clock.now() });
      assertSaysSomething(synonym);
      await this.database.update(synonym);
      await this.changed('update', { before, after: synonym });
      return synonym;
    });
  }

  /** Throws 404, 412. */
  async remove(id: string, expected: ExpectedVersions): Promise<void> {
    await this.database.transaction(async () => {
      const before = await this.lock(id, expected);
      await this.database.execute('delete from catalog_synonym where id = $1', [id]);
      await this.changed('delete', { before, after: null });
    });
  }

  private async lock(id: string, expected: ExpectedVersions): Promise<CatalogSynonym> {
    const synonym = (await this.database.lock(CatalogSynonym, id)) ?? refuseUnknown();
    assertVersion(expected, synonym);
    return synonym;
  }

  private async changed(
    verb: 'create' | 'update' | 'delete',
    { before, after }: { before: CatalogSynonym | null; after: CatalogSynonym | null },
  ): Promise<void> {
    const subjectId = after?.id ?? before?.id ?? '';
    const images = { before: before && toSynonym(before), after: after && toSynonym(after) };
    this.ledger.record(`catalog.synonym.${verb}`, { subjectType: 'catalog_synonym', subjectId, ...images });
    await this.database.execute('update catalog_synonym_revision set revision = revision + 1');
    this.bell.ring('synonyms');
  }
}

function assertSaysSomething({ input, terms }: CatalogSynonym): void {
  const wordless = terms.findIndex((term) => !hasWords(term));
  if (input !== null && !hasWords(input))
    throw invalidField('input', 'input must contain a letter or a digit', 'hasWords');
  if (wordless >= 0) {
    throw invalidField(`terms.${wordless}`, `terms.${wordless} must contain a letter or a digit`, 'hasWords');
  }
  const different = new Set([...terms, ...(input === null ? [] : [input])].map((term) => fold(term).trim()));
  if (different.size < 2) {
    const message = 'terms must contain 2 different terms, or with input one term that differs from it';
    throw invalidField('terms', message, 'arrayMinSize');
  }
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function refuseUnknown(): never {
  throw notFound();
}
