import type { Database } from '../../../platform/database/database.js';
import {
  MAX_DELIVERED,
  NOT_EXACT_FACTOR,
  type PagePosition,
  type SearchRequest,
  type SearchResult,
  type Sort,
  type Tokenizer,
} from '../../../search-engine/index.js';
import { nameWords } from './index-row.js';
import { type Matching, matchSql } from './match-set.js';
import { SqlParameters } from './sql-parameters.js';
import { candidatesOf, matchesOf, type MatchedTerm, scoreOf, termScores } from './term-sql.js';

/** At most about this many documents of a page by relevance are scored. */
const SCORED = 4_000;
const DAY_MS = 86_400_000;

type Hit = SearchResult['hits'][number];

interface Page {
  readonly hits: Hit[];
  /** The start of the next page; null on the last page. */
  readonly end: Pick<PagePosition, 'delivered' | 'last'> | null;
}

interface PageContext {
  readonly request: SearchRequest;
  readonly matching: Matching;
  readonly tokenizer: Tokenizer;
  /** The number of matches. */
  readonly total: number;
  /** The number of documents of the index. */
  readonly documents: number;
}

interface ScoredRow {
  readonly id: string;
  readonly seq: number;
  readonly score: number;
  readonly exact: boolean;
  readonly fields: string;
}

interface SortedRow {
  readonly id: string;
  readonly fields: string;
  readonly key: number[];
}

/** Reads one page of the matches: by score without the delivered documents, or by a sort key after the last document. */
export class ResultPages {
  constructor(
    private readonly database: Database,
    private readonly context: PageContext,
  ) {}

  async read(): Promise<Page> {
    const { terms } = this.context.matching;
    if (terms && this.context.request.sort === 'relevance') return this.byScore(terms);
    return this.bySortKey();
  }

  private async byScore(terms: readonly MatchedTerm[]): Promise<Page> {
    const { request, total } = this.context;
    const { limit, position } = request;
    const delivered = position?.delivered ?? [];
    const rows = await this.best(terms, delivered, Math.min(limit + 1, Math.max(1, total)));
    const found = rows.slice(0, limit);
    const all = [...delivered, ...found.map(({ seq }) => seq)];
    const isLastPage = rows.length <= limit || all.length >= MAX_DELIVERED;
    return { hits: withScores(found), end: isLastPage ? null : { delivered: all, last: null } };
  }

  /** Scores the candidates; more of them if they are too few for the page. */
  private async best(
    terms: readonly MatchedTerm[],
    delivered: readonly number[],
    wanted: number,
  ): Promise<ScoredRow[]> {
    const { total, documents } = this.context;
    // How many times as many documents match without the filters.
    const unfiltered = Math.max(1, matchesOf(terms, documents) / Math.max(1, total));
    for (let budget = SCORED; ; budget *= 8) {
      const isComplete = total - delivered.length <= budget;
      const within = (budget + delivered.length) * unfiltered;
      const candidates = isComplete ? null : candidatesOf(terms, documents, within);
      const rows = await this.scored(terms, { candidates, delivered, wanted, budget });
      if (rows.length >= wanted || candidates === null) return rows;
    }
  }

  private async scored(
    terms: readonly MatchedTerm[],
    given: { candidates: string | null; delivered: readonly number[]; wanted: number; budget: number },
  ): Promise<ScoredRow[]> {
    const { matching, request, tokenizer } = this.context;
    const parameters = new SqlParameters();
    const name = String(matching.keys.key('', nameWords(tokenizer, request.query)));
    const exact = `d.keys @> array[${parameters.add(name)}::bigint]`;
    const match = matchSql(matching, parameters);
    const among = matchSql(matching, parameters, given.candidates);
    const others = given.delivered.length === 0 ? '' : `and d.seq <> all(${parameters.add(given.delivered)}::bigint[])`;
    const found = terms.filter(({ matches }) => matches.length > 0);
    const scores = termScores(found, parameters).map((score, index) => `${score} as t${index}`);
    // ts_delete returns a copy in memory; otherwise each ts_rank would read the words from the disk again.
    const columns = `d.id, d.seq, ts_delete(d.words, '') as words, ${exact} as exact`;
    const text = `
      with candidates as materialized (
        (select ${columns} from catalog_search_document as d where ${among} ${others} and not ${exact} limit ${given.budget})
        union all
        (select ${columns} from catalog_search_document as d where ${match} ${others} and ${exact} limit ${given.wanted})
      ), scored as materialized (
        select id, seq, exact, ${scores.join(', ')} from candidates
      ), best as (
        select id, seq, exact, ${scoreOf(found.length, terms.length)} as score from scored
        order by exact desc, score desc, id limit ${given.wanted}
      )
      select best.id, best.seq::float8 as seq, best.exact, best.score, row.fields
      from best join catalog_search_document as row on row.index_id = ${parameters.add(matching.indexId)} and row.id = best.id
      order by best.exact desc, best.score desc, best.id`;
    return found.length === 0 ? [] : this.database.query<ScoredRow>(text, parameters.values);
  }

  private async bySortKey(): Promise<Page> {
    const { request, matching } = this.context;
    const { limit, sort, position, now } = request;
    const parameters = new SqlParameters();
    const match = matchSql(matching, parameters);
    const key = sortKeySql(sort, position?.startedAt ?? now, parameters);
    const { last } = position ?? { last: null };
    const after = last
      ? `and (${[...key, 'd.id'].join(', ')}) > (${[
          ...last.key.map((part) => `${parameters.add(part)}::float8`),
          parameters.add(last.id),
        ].join(', ')})`
      : '';
    const scored = matching.terms ? scoreColumn(matching.terms, parameters) : '0';
    const text = `
      select d.id, d.fields, array[${key.join(', ')}]::float8[] as key, ${scored} as score
      from catalog_search_document as d
      where ${match} ${after} order by ${[...key, 'd.id'].join(', ')} limit ${limit + 1}`;
    const rows = await this.database.query<SortedRow & { score: number }>(text, parameters.values);
    const found = rows.slice(0, limit);
    const end = found.at(-1);
    const isLastPage = rows.length <= limit || !end;
    const best = Math.max(0, ...found.map(({ score }) => score));
    return {
      hits: found.map(({ id, fields, score }) => hitOf(id, fields, best > 0 ? score / best : 0)),
      end: isLastPage ? null : { delivered: [], last: { key: end.key, id: end.id } },
    };
  }
}

function scoreColumn(terms: readonly MatchedTerm[], parameters: SqlParameters): string {
  const found = terms.filter(({ matches }) => matches.length > 0);
  return found.length === 0 ? '0' : termScores(found, parameters).join(' + ');
}

/** The parts of a sort key of a row `d`. A missing value has the highest number. */
function sortKeySql(sort: Sort, now: number, parameters: SqlParameters): string[] {
  switch (sort) {
    case 'price-asc':
      return ['d.price'];
    case 'price-desc':
      return ['d.price_down'];
    case 'departure-asc': {
      // A start date of today is not past.
      const [time, today] = [parameters.add(now), parameters.add(now - (now % DAY_MS))];
      const missing = parameters.add(Number.MAX_VALUE);
      return [
        `case when d.departure >= ${time}::float8 and d.departure < ${missing}::float8 then d.departure
          when d.start >= ${today}::float8 then d.start else ${missing}::float8 end`,
      ];
    }
    case 'newest':
      return ['d.newest'];
    case 'relevance':
      return ['d.merit', 'd.newest'];
  }
}

/** The best hit of an answer has the score 1, as do those whose name is the query. */
function withScores(rows: readonly ScoredRow[]): Hit[] {
  const hasExact = rows.some(({ exact }) => exact);
  const best = Math.max(0, ...rows.map(({ score }) => score)) || 1;
  return rows.map(({ id, fields, score, exact }) =>
    hitOf(id, fields, exact ? 1 : (score / best) * (hasExact ? NOT_EXACT_FACTOR : 1)),
  );
}

function hitOf(id: string, fields: string, score: number): Hit {
  const parsed: unknown = JSON.parse(fields);
  return { id, score, fields: typeof parsed === 'object' && parsed !== null ? { ...parsed } : {} };
}
