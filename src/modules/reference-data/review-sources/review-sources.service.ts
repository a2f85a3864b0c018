import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import type { LanguagePage, ListLanguages } from '../languages/language.dto.js';
import { LanguagesService } from '../languages/languages.service.js';
import { ReviewSourceRow } from './review-source.dto.js';
import { ReviewSource } from './review-source.entity.js';

const BY_NAME = `
  select source.key, source.languages
  from review_source_names as named join review_sources as source on source.key = named.source_key
  where named.name = $1`;

/** Manages review sources. A source can be found by its key and by any number of aliases. */
@Injectable()
export class ReviewSourcesService {
  constructor(
    private readonly database: Database,
    private readonly languages: LanguagesService,
  ) {}

  /** Returns the languages of the source with this key or alias. */
  async listLanguages(name: string, query: ListLanguages): Promise<LanguagePage> {
    const [source] = await this.database.prepared<ReviewSource>('review-source-by-name', BY_NAME, [name]);
    if (!source) throw notFound();
    const path = `/data/hotels/v1/${name}/reference/languages`;
    return this.languages.page({ name: `hotels-${source.key}`, path, codes: source.languages }, query);
  }

  /**
   * Creates or updates sources by key; safe to repeat. Deletes omitted aliases first, so that one document can move an alias
   * to another source. Throws an Error if a new source has no languages or a name belongs to another source.
   */
  @Provisions({ name: 'reviewSources', order: 700, row: ReviewSourceRow })
  async provision(rows: ReviewSourceRow[]): Promise<void> {
    const ordered = [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
    await this.database.transaction(async () => {
      for (const row of ordered) await this.deleteOmittedAliases(row);
      for (const row of ordered) await this.save(row);
    });
  }

  private async deleteOmittedAliases({ key, aliases }: ReviewSourceRow): Promise<void> {
    if (aliases === undefined) return;
    await this.database.execute(
      'delete from review_source_names where source_key = $1 and name <> $1 and name <> all ($2::text[])',
      [key, aliases],
    );
  }

  private async save({ key, languages, aliases = [] }: ReviewSourceRow): Promise<void> {
    const sources = this.database.repository(ReviewSource);
    if (languages) await sources.upsert({ key, languages }, ['key']);
    else if (!(await sources.existsBy({ key })))
      throw new Error(`reviewSources: languages of the new source ${key} are missing`);

    const names = [key, ...aliases];
    await this.database.execute(
      'insert into review_source_names (name, source_key) select unnest($2::text[]), $1 on conflict do nothing',
      [key, names],
    );
    const [taken] = await this.database.query<{ name: string; source_key: string }>(
      'select name, source_key from review_source_names where name = any ($2::text[]) and source_key <> $1',
      [key, names],
    );
    if (taken) throw new Error(`reviewSources: the name ${taken.name} of ${key} belongs to ${taken.source_key}`);
  }
}
