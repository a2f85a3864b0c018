import type { InvertedIndex } from './inverted-index.js';
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

/** Counted after folding, which makes some characters longer: U+0390 becomes three, `ß` two. */
const MAX_QUERY_LENGTH = 2_048;
const MAX_TERMS = 64;
/** Each correction reads the whole vocabulary twice. Further misspelled words are not corrected. */
const MAX_CORRECTED_TERMS = 8;
const MAX_COMPLETIONS = 48;
const CORRECTION_WEIGHT = 0.6;
const SYNONYM_WEIGHT = 0.5;
/** The weight of completions of the last word, which may still be typed, by whether the word itself is known. */
const COMPLETION_WEIGHT = { known: 0.2, unknown: 0.7 };

/** What parsing a term needs to know of its query. */
interface TermContext {
  readonly rules: readonly SynonymRule[];
  readonly isLast: boolean;
  readonly isCorrected: boolean;
}

/** Parses queries into terms and expands them with the vocabulary and the synonyms of an index. */
export class QueryParser {
  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly vocabulary: Vocabulary,
    /** The stems of the index. */
    private readonly index: Pick<InvertedIndex, 'has'>,
    private readonly synonyms: SynonymMap,
  ) {}

  parse(query: string): ParsedQuery {
    const tokens = this.tokenizer.tokenize(query, MAX_QUERY_LENGTH);
    const keywords = tokens.filter(({ isStopWord }) => !isStopWord);
    const terms = distinct(keywords.length > 0 ? keywords : tokens).slice(0, MAX_TERMS);
    const last = tokens.at(-1);
    const rules = this.synonyms.rulesFor(tokens);
    const unknown = terms.filter((term) => !this.isKnown(term, rules)).slice(0, MAX_CORRECTED_TERMS);
    return terms.map((term) =>
      this.alternatives(term, { rules, isLast: term.stem === last?.stem, isCorrected: unknown.includes(term) }),
    );
  }

  private alternatives(term: Token, { rules, isLast, isCorrected }: TermContext): TermAlternative[] {
    const { surface, stem } = term;
    const synonyms = synonymsOf(stem, rules);
    const known = this.isKnown(term, rules);
    const completions = isLast && surface.length >= 2 ? this.completions(term, known) : [];
    const corrections = isCorrected ? this.corrections(surface) : [];
    const own: TermAlternative[] = [{ stems: [stem], weight: 1 }];
    return withoutDuplicates([...own, ...synonyms, ...corrections, ...completions]);
  }

  private isKnown({ surface, stem }: Token, rules: readonly SynonymRule[]): boolean {
    // A word with a synonym in the index is complete and spelled correctly: "roma" is not a prefix of "romantic".
    const hasSynonym = synonymsOf(stem, rules).some(({ stems }) => stems.every((other) => this.index.has(other)));
    return hasSynonym || this.index.has(stem) || this.vocabulary.has(surface);
  }

  private completions({ surface, stem }: Token, known: boolean): TermAlternative[] {
    const weight = known ? COMPLETION_WEIGHT.known : COMPLETION_WEIGHT.unknown;
    const words = this.vocabulary.completions(surface, MAX_COMPLETIONS);
    const tokens = words.flatMap((word) => this.tokenizer.tokenize(word));
    return tokens.filter((token) => token.stem !== stem).map((token) => ({ stems: [token.stem], weight }));
  }

  private corrections(surface: string): TermAlternative[] {
    return this.vocabulary.corrections(surface).flatMap(({ surface: corrected, likelihood }, rank) => {
      const stems = this.tokenizer.tokenize(corrected).map(({ stem }) => stem);
      // The weight falls with the rank, so that a rare but unlikely word does not win by its idf.
      return stems.length === 0 ? [] : [{ stems, weight: CORRECTION_WEIGHT * (0.5 + likelihood / 2) * 0.6 ** rank }];
    });
  }
}

function synonymsOf(stem: string, rules: readonly SynonymRule[]): TermAlternative[] {
  return rules
    .filter(({ input }) => input.includes(stem))
    .map(({ input, stems }) => ({ stems, weight: SYNONYM_WEIGHT / input.length }));
}

function distinct(tokens: readonly Token[]): Token[] {
  return [...new Map(tokens.map((token) => [token.stem, token])).values()];
}

/** One alternative for the same stems: the one with the highest weight. */
function withoutDuplicates(alternatives: readonly TermAlternative[]): TermAlternative[] {
  const best = new Map<string, TermAlternative>();
  for (const alternative of alternatives) {
    const key = alternative.stems.join(' ');
    if (alternative.weight > (best.get(key)?.weight ?? 0)) best.set(key, alternative);
  }
  return [...best.values()];
}
