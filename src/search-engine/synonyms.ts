import type { Token, Tokenizer } from './tokenizer.js';

/** Words that a search for other words also finds. */
export interface Synonym {
  /** ISO 639 code. */
  readonly language: string;
  /** If null, all terms find each other. */
  readonly input: string | null;
  readonly terms: readonly string[];
}

/** A phrase of a query, and stems that are also searched. */
export interface SynonymRule {
  readonly input: readonly string[];
  readonly stems: readonly string[];
}

/** The limit for one query, as each rule adds work. */
const MAX_APPLIED_RULES = 64;

/** The synonyms of one language, as rules between stems. */
export class SynonymMap {
  private rules: readonly SynonymRule[] = [];

  constructor(private readonly tokenizer: Tokenizer) {}

  replace(synonyms: readonly Synonym[]): void {
    const stems = (text: string) => this.tokenizer.tokenize(text).map(({ stem }) => stem);
    this.rules = synonyms.flatMap(({ input, terms }) => {
      const outputs = terms.map(stems).filter((phrase) => phrase.length > 0);
      const inputs = input === null ? outputs : [stems(input)];
      return inputs.flatMap((from) =>
        outputs.filter((to) => to !== from && from.length > 0).map((to) => ({ input: from, stems: to })),
      );
    });
  }

  /** Returns the rules whose input is a phrase of the query. */
  rulesFor(tokens: readonly Token[]): SynonymRule[] {
    const positions = new Map<string, number[]>();
    for (const [index, { stem }] of tokens.entries()) {
      const known = positions.get(stem);
      if (known) known.push(index);
      else positions.set(stem, [index]);
    }
    const contains = (phrase: readonly string[]) =>
      (positions.get(phrase[0] ?? '') ?? []).some((start) =>
        phrase.every((stem, index) => tokens[start + index]?.stem === stem),
      );
    return this.rules.filter(({ input }) => contains(input)).slice(0, MAX_APPLIED_RULES);
  }
}
