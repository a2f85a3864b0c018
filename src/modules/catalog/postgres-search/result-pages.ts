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
import { keywordMatchSql, type Matching, matchSql, nearSql } from './match-set.js';
import { SqlParameters } from './sql-parameters.js';
import { candidatesOf, matchesOf, type MatchedTerm, scoreOf, termScores } from './term-sql.js';
import type { VectorSearch } from './vector-search.js';
import type { SearchStatements } from './search-statements.js';

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

/** Reads one page of the matches: by score, leaving out delivered documents, or by a sort key after the last document. */
export class ResultPages {
  constructor(
    private readonly database: SearchStatements,
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
    const hits = withScores(found, this.context.matching.vectors === null);
    return { hits, end: isLastPage ? null : { delivered: all, last: null } };
  }

  /** Scores the candidates, and fetches more if they do not fill the page. */
  private async best(
    terms: readonly MatchedTerm[],
    delivered: readonly number[],
    wanted: number,
  ): Promise<ScoredRow[]> {
    const { total, documents } = this.context;
    // The factor by which more documents match without the filters.
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
    const { vectors } = matching;
    const found = terms.filter(({ matches }) => matches.length > 0);
    if (found.length === 0 && !vectors) return [];
    const parameters = new SqlParameters();
    const name = String(matching.keys.key('', nameWords(tokenizer, request.query)));
    const exact = `d.keys @> array[${parameters.add(name)}::bigint]`;
    const match = matchSql(matching, parameters);
    const among = keywordMatchSql(matching, parameters, given.candidates);
    const isOther = (row: string) =>
      given.delivered.length === 0 ? '' : `and ${row}.seq <> all(${parameters.add(given.delivered)}::bigint[])`;
    // With vectors, the best keyword score is taken over all matches, including delivered ones.
    const others = vectors ? '' : isOther('d');
    const more = vectors ? given.delivered.length : 0;
    const near = vectors ? nearSql(matching, parameters) : 'false';
    const scores = found.length === 0 ? [] : termScores(found, parameters);
    const scoreColumns = scores.map((score, index) => `, ${score} as t${index}`).join('');
    const keywordScore = found.length === 0 ? '0' : scoreOf(found.length, terms.length);
    // ts_delete returns a copy in memory; otherwise each ts_rank would read the words from the disk again.
    const columns = `d.id, d.seq, ts_delete(d.words, '') as words, ${exact} as exact`;
    const text = `
      with candidates as materialized (
        (select ${columns} from catalog_search_document as d
          where ${among} ${others} and not ${exact}${vectors ? ` and not (${near})` : ''} limit ${given.budget + more})
        union all
        (select ${columns} from catalog_search_document as d where ${match} ${others} and ${exact} limit ${given.wanted + more})
        ${vectors ? `union all (select ${columns} from catalog_search_document as d where ${near} and not ${exact})` : ''}
      ), scored as materialized (
        select id, seq, exact${scoreColumns} from candidates
      ), best as (
        ${vectors ? fused(vectors, keywordScore, parameters) : `select id, seq, exact, ${keywordScore} as score from scored`}
        ${vectors ? `where true ${isOther('fused')}` : ''}
        order by exact desc, score desc, id limit ${given.wanted}
      )
      select best.id, best.seq::float8 as seq, best.exact, best.score, row.fields
      from best join catalog_search_document as row on row.index_id = ${parameters.add(matching.indexId)} and row.id = best.id
      order by best.exact desc, best.score desc, best.id`;
    return this.database.query<ScoredRow>(text, parameters.values);
  }

  private async bySortKey(): Promise<Page> {
    const { request, matching } = this.context;
    const { vectors } = matching;
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
    const columns = `d.id, d.fields, array[${key.join(', ')}]::float8[] as key`;
    const found = (score: string, join = '') => `
      select ${columns}, ${score} from catalog_search_document as d ${join}
      where ${match} ${after} order by ${[...key, 'd.id'].join(', ')} limit ${limit + 1}`;
    const text = vectors
      ? `select id, fields, key, ${vectors.score} as score from (${found(
          `${scored} as keyword, ${vectors.similarity(parameters)} as similarity`,
          vectors.join('d', parameters),
        )}) as page order by key, id`
      : found(`${scored} as score`);
    const rows = await this.database.query<SortedRow & { score: number }>(text, parameters.values);
    const shown = rows.slice(0, limit);
    const end = shown.at(-1);
    const isLastPage = rows.length <= limit || !end;
    const best = vectors ? 1 : Math.max(0, ...shown.map(({ score }) => score));
    return {
      hits: shown.map(({ id, fields, score }) => hitOf(id, fields, best > 0 ? score / best : 0)),
      end: isLastPage ? null : { delivered: [], last: { key: end.key, id: end.id } },
    };
  }
}

/** The scored rows with the scores that keywords and vectors give them together. */
function fused(vectors: VectorSearch, keywordScore: string, parameters: SqlParameters): string {
  return `
    select id, seq, exact, score from (
      select id, seq, exact, ${vectors.score} as score from (
        select scored.id, seq, exact, ${keywordScore} as keyword, ${vectors.similarity(parameters)} as similarity
        from scored ${vectors.join('scored', parameters)}
      ) as compared
    ) as fused`;
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

/** A hit whose name equals the query scores 1, as does the best hit of a keyword search; other scores are relative to it. */
function withScores(rows: readonly ScoredRow[], isByKeywords: boolean): Hit[] {
  const hasExact = rows.some(({ exact }) => exact);
  const best = isByKeywords ? Math.max(0, ...rows.map(({ score }) => score)) || 1 : 1;
  return rows.map(({ id, fields, score, exact }) =>
    hitOf(id, fields, exact ? 1 : (score / best) * (hasExact ? NOT_EXACT_FACTOR : 1)),
  );
}

function hitOf(id: string, fields: string, score: number): Hit {
  const parsed: unknown = JSON.parse(fields);
  return { id, score, fields: typeof parsed === 'object' && parsed !== null ? { ...parsed } : {} };
}
