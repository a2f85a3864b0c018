import { DEFAULT_RANKING } from '../../../search-engine/index.js';
import { IMPACT_PER_RANK, LABEL_WEIGHTS } from './impacts.js';
import type { SqlParameters } from './sql-parameters.js';

/** A stem that matches a term; with several, a document must contain all of them. */
interface MatchedWord {
  /** The lexeme of all documents with the stem, and the lexeme of documents in which it is strong. */
  readonly any: string;
  readonly strong: string;
  readonly frequency: number;
  readonly strongFrequency: number;
  /** The inverse document frequency times the weight of the alternative. */
  readonly weight: number;
}

/** One way in which a document matches a term. */
export interface TermMatch {
  readonly words: readonly MatchedWord[];
}

/** A term of a query. If it has no match, no document contains the term. */
export interface MatchedTerm {
  readonly matches: readonly TermMatch[];
}

/** The same value as in the in-memory engine. */
const { coordination, maxKeywords } = DEFAULT_RANKING;
/** All combinations of up to three of these rarest terms are candidates. */
const MAX_COMBINED_TERMS = 10;
const MAX_COMBINATIONS = 40;
/** A word in this many documents gets its own tsquery. */
const FREQUENT = 10_000;

/** A tsquery of the documents that contain one of the terms. */
export function anyTerm(terms: readonly MatchedTerm[]): string {
  return terms.flatMap(({ matches }) => matches.map(matchQuery)).join(' | ');
}

/**
 * The same documents as several tsqueries, one of which matches: one for each frequent word and one for all others. The
 * server evaluates a tsquery for each document with one of its words, but adds the documents of a single word as they are.
 */
export function anyTermInParts(terms: readonly MatchedTerm[]): string[] {
  const matches = terms.flatMap((term) => term.matches);
  const isFrequent = ({ words: [word, ...others] }: TermMatch) =>
    others.length === 0 && word !== undefined && word.frequency >= FREQUENT;
  const [frequent, others] = [matches.filter(isFrequent), matches.filter((match) => !isFrequent(match))];
  return [...frequent.map(matchQuery), ...(others.length === 0 ? [] : [others.map(matchQuery).join(' | ')])];
}

/** A tsquery of the documents that contain at least `count` of the terms. */
export function termsOfAtLeast(terms: readonly MatchedTerm[], count: number): string {
  return combinations(terms, count)
    .map((combination) => `(${combination.map((term) => `(${anyTerm([term])})`).join(' & ')})`)
    .join(' | ');
}

/** The number of documents that contain the term, or more. */
export function frequencyOf({ matches }: MatchedTerm): number {
  return matches.reduce((sum, { words }) => sum + Math.min(...words.map(({ frequency }) => frequency)), 0);
}

/** Estimates the number of documents that contain one of the terms, if terms occur independently. */
export function matchesOf(terms: readonly MatchedTerm[], documents: number): number {
  const share = terms.reduce((none, term) => none * (1 - Math.min(1, frequencyOf(term) / Math.max(1, documents))), 1);
  return documents * (1 - share);
}

/**
 * A tsquery of the documents that probably have the highest scores, at most about `budget` of them. Takes combinations of terms
 * by descending expected score, as long as the expected number of documents is within the budget. Null if all documents with a
 * term are within it.
 */
export function candidatesOf(terms: readonly MatchedTerm[], documents: number, budget: number): string | null {
  const all = terms.reduce((sum, term) => sum + frequencyOf(term), 0);
  if (all <= budget) return null;
  const found = terms.filter(({ matches }) => matches.length > 0).map(withoutWeakMatches);
  const rarest = found.toSorted((a, b) => frequencyOf(a) - frequencyOf(b)).slice(0, MAX_COMBINED_TERMS);
  const choices = rarest.map((term): Choice[] => [strongChoice(term), anyChoice(term)]);
  const combined = [1, 2, 3]
    .flatMap((count) => combinations(choices, count))
    .flatMap((combination) => products(combination))
    .concat(rarest.length > 3 ? [rarest.map(anyChoice)] : [])
    .map((combination) => ({
      choices: combination,
      promise: combination.reduce((sum, { promise }) => sum + promise, 0) * combination.length,
      size: combination.reduce((size, { share }) => size * share(documents), documents),
    }))
    .sort((a, b) => b.promise - a.promise);
  return within(combined, budget)
    .slice(0, MAX_COMBINATIONS)
    .map(({ choices: chosen }) => `(${chosen.map(({ query }) => query).join(' & ')})`)
    .join(' | ');
}

/**
 * Returns the first combinations that are together within the budget, leaving out any whose documents another one also matches.
 * Otherwise only combinations of rare words, which hardly any document contains, would be searched.
 */
function within(combined: readonly Combination[], budget: number): Combination[] {
  let kept: Combination[] = [];
  let sum = 0;
  for (const combination of combined) {
    const rest = kept.filter((other) => !includes(combination, other));
    const others = rest.length === kept.length ? sum : rest.reduce((total, { size }) => total + size, 0);
    if (kept.length > 0 && others + combination.size > budget) continue;
    kept = [...rest, combination];
    sum = others + combination.size;
  }
  return kept;
}

/** Returns whether the first combination matches every document of the second. */
function includes({ choices }: Combination, other: Combination): boolean {
  return choices.every(({ term, isStrong }) =>
    other.choices.some((one) => one.term === term && (one.isStrong || !isStrong)),
  );
}

/** Completions of a known word weigh little; a search for candidates need not consider them. */
function withoutWeakMatches({ matches }: MatchedTerm): MatchedTerm {
  const weightOf = ({ words }: TermMatch) => words.reduce((sum, { weight }) => sum + weight, 0) / words.length;
  const best = Math.max(...matches.map(weightOf));
  return { matches: matches.filter((match) => weightOf(match) >= best / 2) };
}

interface Choice {
  readonly term: MatchedTerm;
  readonly isStrong: boolean;
  readonly query: string;
  readonly promise: number;
  readonly share: (documents: number) => number;
}

interface Combination {
  readonly choices: readonly Choice[];
  readonly promise: number;
  /** Estimates the number of documents that contain the combination, if terms occur independently. */
  readonly size: number;
}

function anyChoice(term: MatchedTerm): Choice {
  const best = Math.max(0, ...term.matches.flatMap(({ words }) => words.map(({ weight }) => weight)));
  return {
    term,
    isStrong: false,
    query: `(${anyTerm([term])})`,
    promise: best,
    share: (documents) => Math.min(1, frequencyOf(term) / documents),
  };
}

function strongChoice(term: MatchedTerm): Choice {
  const words = term.matches.flatMap((match) => match.words);
  const best = Math.max(0, ...words.map(({ weight }) => weight));
  return {
    term,
    isStrong: true,
    query: `(${words.map(({ strong }) => quoted(strong)).join(' | ')})`,
    promise: best * 1.7,
    share: (documents) => Math.min(1, words.reduce((sum, { strongFrequency }) => sum + strongFrequency, 0) / documents),
  };
}

/** The scores of a row per term, from its column `words`, as a list of SQL expressions. */
export function termScores(terms: readonly MatchedTerm[], parameters: SqlParameters): string[] {
  const weights = `${parameters.add(LABEL_WEIGHTS)}::real[]`;
  const impact = ({ any, weight }: MatchedWord, divisor: number) =>
    `${parameters.add((weight * IMPACT_PER_RANK) / divisor)}::float8 * ts_rank(${weights}, words, ${parameters.add(quoted(any))}::tsquery)`;
  return terms.map(({ matches }) => {
    const scores = matches.map(({ words }) => {
      const sum = words.map((word) => impact(word, words.length)).join(' + ');
      if (words.length === 1) return sum;
      const all = `words @@ ${parameters.add(matchQuery({ words }))}::tsquery`;
      return `case when ${all} then ${sum} else 0 end`;
    });
    return scores.length === 1 ? (scores[0] ?? '0') : `greatest(${scores.join(', ')})`;
  });
}

/** The score of a row from its scores by term, in the columns `t0`, `t1` and so on. */
export function scoreOf(count: number, termCount: number): string {
  const columns = Array.from({ length: count }, (_, index) => `t${index}`);
  const sum = columns.join(' + ');
  if (termCount < 2 || termCount > maxKeywords) return `(${sum})`;
  const matched = columns.map((column) => `(${column} > 0)::int`).join(' + ');
  return `(${sum}) * (${1 - coordination} + ${coordination} * (${matched})::float8 / ${termCount})`;
}

function matchQuery({ words }: TermMatch): string {
  return words.length === 1 ? quoted(words[0]?.any ?? '') : `(${words.map(({ any }) => quoted(any)).join(' & ')})`;
}

/** A lexeme consists of letters, digits and underscores. */
function quoted(lexeme: string): string {
  return `'${lexeme}'`;
}

function combinations<T>(items: readonly T[], count: number): T[][] {
  if (count === 0) return [[]];
  if (count > items.length) return [];
  return items.flatMap((item, index) => combinations(items.slice(index + 1), count - 1).map((rest) => [item, ...rest]));
}

/** Returns all ways to choose one element of each list. */
function products(lists: readonly (readonly Choice[])[]): Choice[][] {
  return lists.reduce<Choice[][]>(
    (made, list) => made.flatMap((start) => list.map((choice) => [...start, choice])),
    [[]],
  );
}
