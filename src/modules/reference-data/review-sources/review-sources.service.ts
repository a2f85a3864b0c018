import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { ReviewSourceRow } from './review-source.dto.js';
import { ReviewSource } from './review-source.entity.js';

const BY_NAME = `
  select source.key, source.languages
  from review_source_names as named join review_sources as source on source.key = named.source_key
  where named.name = $1`;

/** The registry of review sources. A source has its key as a name, and any number of aliases. */
@Injectable()
export class ReviewSources {
  constructor(private readonly database: Database) {}

  /** The source with this key or alias. Throws 404. */
  async get(name: string): Promise<ReviewSource> {
    const [source] = await this.database.prepared<ReviewSource>('review-source-by-name', BY_NAME, [name]);
    if (!source) throw notFound();
    return source;
  }

  /**
   * Creates or updates sources by key; safe to repeat. Deletes omitted aliases first, so that one document can move an alias
   * to another source. Throws an Error if a new source has no languages or a name belongs to another source.
   */
  @Provisions({ name: 'reviewSources', order: 700, row: ReviewSourceRow })
  async provision(rows: ReviewSourceRow[]): Promise<void> {
    const ordered = [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
    await this.database.transaction(async () => {
      for (const row of ordered) await this.dropAliases(row);
      for (const row of ordered) await this.put(row);
    });
  }

  private async dropAliases({ key, aliases }: ReviewSourceRow): Promise<void> {
    if (aliases === undefined) return;
    await this.database.execute(
      'delete from review_source_names where source_key = $1 and name <> $1 and name <> all ($2::text[])',
      [key, aliases],
    );
  }

  private async put({ key, languages, aliases = [] }: ReviewSourceRow): Promise<void> {
    const sources = this.database.repository(ReviewSource);
    if (languages) await sources.upsert({ key, languages }, ['key']);
    else if (!(await sources.existsBy({ key }))) throw new Error(`reviewSources: ${key} is new and needs languages`);

    const names = [key, ...aliases];
    await this.database.execute(
      'insert into review_source_names (name, source_key) select unnest($2::text[]), $1 on conflict do nothing',
      [key, names],
    );
    const [taken] = await this.database.query<{ name: string; source_key: string }>(
      'select name, source_key from review_source_names where name = any ($2::text[]) and source_key <> $1',
      [key, names],
    );
    if (taken) throw new Error(`reviewSources: ${taken.name} already leads to ${taken.source_key}, not to ${key}`);
  }
}
