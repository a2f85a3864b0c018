import type { InvertedIndex } from './inverted-index.js';
import { DEFAULT_RANKING, type RankingParameters } from './ranking-parameters.js';
import type { Vocabulary } from './spelling.js';
import type { SynonymMap, SynonymRule } from './synonyms.js';
import type { Token, Tokenizer } from './tokenizer.js';

/** One way to match a term of a query: a document must contain all of the stems. */
export interface TermAlternative {
  readonly stems: readonly string[];
  readonly weight: number;
}

/** The terms of a query, each with its alternatives: stem, synonyms, corrections and completions. */
export type ParsedQuery = readonly (readonly TermAlternative[])[];

/** The length counts after folding, which makes some characters longer: U+0390 becomes three, `ß` two. */
const MAX_QUERY_LENGTH = 2_048;
const MAX_TERMS = 64;
/** Each correction reads the whole vocabulary twice. Further misspelled words are not corrected. */
const MAX_CORRECTED_TERMS = 8;
const MAX_COMPLETIONS = 48;

/** The properties of a query that parsing a term needs. */
interface TermContext {
  readonly rules: readonly SynonymRule[];
  readonly isLast: boolean;
  readonly isCorrected: boolean;
  /** Number of occurrences of the term in the query. A long query repeats its subject. */
  readonly occurrences: number;
}

/** Parses queries into terms and expands them with the vocabulary and the synonyms of an index. */
export class QueryParser {
  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly vocabulary: Vocabulary,
    /** The stems of the index. */
    private readonly index: Pick<InvertedIndex, 'has'>,
    private readonly synonyms: SynonymMap,
    private readonly weights: RankingParameters['alternatives'] = DEFAULT_RANKING.alternatives,
  ) {}

  parse(query: string): ParsedQuery {
    const tokens = this.tokenizer.tokenize(query, MAX_QUERY_LENGTH);
    const keywords = tokens.filter(({ isStopWord }) => !isStopWord);
    const counted = keywords.length > 0 ? keywords : tokens;
    const terms = distinct(counted).slice(0, MAX_TERMS);
    const last = tokens.at(-1);
    const rules = this.synonyms.rulesFor(tokens);
    const unknown = terms.filter((term) => !this.isKnown(term, rules)).slice(0, MAX_CORRECTED_TERMS);
    return terms.map((term) => {
      const occurrences = counted.filter(({ stem }) => stem === term.stem).length;
      const isLast = term.stem === last?.stem;
      return this.alternatives(term, { rules, isLast, isCorrected: unknown.includes(term), occurrences });
    });
  }

  private alternatives(term: Token, context: TermContext): TermAlternative[] {
    const { surface, stem } = term;
    const { rules, isLast, isCorrected, occurrences } = context;
    const synonyms = rulesOf(stem, rules).map(({ input, stems }) => ({
      stems,
      weight: this.weights.synonym / input.length,
    }));
    const known = this.isKnown(term, rules);
    const completions = isLast && surface.length >= 2 ? this.completions(term, known) : [];
    const corrections = isCorrected ? this.corrections(surface) : [];
    const own: TermAlternative[] = [{ stems: [stem], weight: 1 }];
    return withoutDuplicates([...own, ...synonyms, ...corrections, ...completions]).map(({ stems, weight }) => ({
      stems,
      weight: weight * occurrences,
    }));
  }

  private isKnown({ surface, stem }: Token, rules: readonly SynonymRule[]): boolean {
    // A word with a synonym in the index is complete and spelled correctly: "roma" is not a prefix of "romantic".
    const hasSynonym = rulesOf(stem, rules).some(({ stems }) => stems.every((other) => this.index.has(other)));
    return hasSynonym || this.index.has(stem) || this.vocabulary.has(surface);
  }

  private completions({ surface, stem }: Token, known: boolean): TermAlternative[] {
    const weight = known ? this.weights.completion : this.weights.completionOfUnknown;
    const words = this.vocabulary.completions(surface, MAX_COMPLETIONS);
    const tokens = words.flatMap((word) => this.tokenizer.tokenize(word));
    return tokens.filter((token) => token.stem !== stem).map((token) => ({ stems: [token.stem], weight }));
  }

  private corrections(surface: string): TermAlternative[] {
    return this.vocabulary.corrections(surface).flatMap(({ surface: corrected }, rank) => {
      const stems = this.tokenizer.tokenize(corrected).map(({ stem }) => stem);
      // The weight decreases with the rank, so that a rare but unlikely word does not win by its idf.
      return stems.length === 0 ? [] : [{ stems, weight: this.weights.correction ** (rank + 1) }];
    });
  }
}

function rulesOf(stem: string, rules: readonly SynonymRule[]): SynonymRule[] {
  return rules.filter(({ input }) => input.includes(stem));
}

function distinct(tokens: readonly Token[]): Token[] {
  return [...new Map(tokens.map((token) => [token.stem, token])).values()];
}

/** Keeps one alternative for the same stems, the one with the highest weight. */
function withoutDuplicates(alternatives: readonly TermAlternative[]): TermAlternative[] {
  const best = new Map<string, TermAlternative>();
  for (const alternative of alternatives) {
    const key = alternative.stems.join(' ');
    if (alternative.weight > (best.get(key)?.weight ?? 0)) best.set(key, alternative);
  }
  return [...best.values()];
}
