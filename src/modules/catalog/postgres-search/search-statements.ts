import type { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import { unavailable } from '../../../platform/errors/app-error.js';

/** Time limit of one statement of a search. */
export const MAX_STATEMENT_MS = 1_000;

/**
 * The statements of one search, in its transaction. No statement begins once the search has taken a second, so that a search
 * with many facets occupies its connection for two seconds at most.
 */
export class SearchStatements {
  private readonly startedAt = performance.now();

  constructor(
    private readonly database: Database,
    private readonly maxMs = MAX_STATEMENT_MS,
  ) {}

  async query<T>(text: string, values?: unknown[]): Promise<T[]> {
    this.assertInTime();
    return this.database.query<T>(text, values);
  }

  async execute(text: string, values?: unknown[]): Promise<{ count: number }> {
    this.assertInTime();
    return this.database.execute(text, values);
  }

  async write(statement: Statement): Promise<void> {
    await this.database.write(statement);
  }

  private assertInTime(): void {
    if (performance.now() - this.startedAt <= this.maxMs) return;
    throw unavailable('The search took too long; use fewer words, filters or facets');
  }
}
