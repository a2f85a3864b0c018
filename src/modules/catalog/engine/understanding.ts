import type { Analyzer, Word } from './analyzer.js';
import type { Postings } from './postings.js';
import type { Plan, Synonym, Wording } from './search-index.js';
import type { Vocabulary } from './vocabulary.js';

const MAX_WORDS = 64;
const MAX_ENDINGS = 48;
const TYPO_WEIGHT = 0.6;
const SYNONYM_WEIGHT = 0.5;
/** How much the words count of which the last word of a query is but the beginning. */
const ENDING_WEIGHT = { known: 0.2, unknown: 0.7 };

/** What a search for one phrase finds too. */
interface Alternative {
  readonly input: readonly string[];
  readonly stems: readonly string[];
}

/** Understands queries in the words of a slice: stems, the word that is still being typed, typing errors, synonyms. */
export class Understanding {
  private alternatives: readonly Alternative[] = [];

  constructor(
    private readonly analyzer: Analyzer,
    private readonly vocabulary: Vocabulary,
    private readonly postings: Postings,
  ) {}

  learn(synonyms: readonly Synonym[]): void {
    const stems = (text: string) => this.analyzer.words(text).map(({ stem }) => stem);
    this.alternatives = synonyms.flatMap(({ input, terms }) => {
      const outputs = terms.map(stems).filter((words) => words.length > 0);
      const inputs = input === null ? outputs : [stems(input)];
      return inputs.flatMap((from) =>
        outputs.filter((to) => to !== from && from.length > 0).map((to) => ({ input: from, stems: to })),
      );
    });
  }

  plan(query: string): Plan {
    const all = this.analyzer.words(query);
    const saying = all.filter(({ says }) => says);
    const words = unique(saying.length > 0 ? saying : all).slice(0, MAX_WORDS);
    const last = all.at(-1);
    return words.map((word) => this.wordings(word, { words: all, isLast: word.stem === last?.stem }));
  }

  private wordings(word: Word, { words, isLast }: { words: readonly Word[]; isLast: boolean }): Wording[] {
    const { surface, stem } = word;
    const synonyms = this.synonyms(stem, words);
    // A word that says what is here is whole, and no typing error: "roma" does not begin "romantic".
    const isSynonym = synonyms.some(({ stems }) => stems.every((other) => this.postings.has(other)));
    const known = isSynonym || this.postings.has(stem) || this.vocabulary.has(surface);
    const endings = isLast && surface.length >= 2 ? this.endings(word, known) : [];
    const corrections = known ? [] : this.corrections(surface);
    const own: Wording[] = [{ stems: [stem], weight: 1 }];
    return heaviest([...own, ...synonyms, ...corrections, ...endings]);
  }

  private endings({ surface, stem }: Word, known: boolean): Wording[] {
    const weight = known ? ENDING_WEIGHT.known : ENDING_WEIGHT.unknown;
    const words = this.vocabulary.beginningWith(surface, MAX_ENDINGS).flatMap((word) => this.analyzer.words(word));
    return words.filter((word) => word.stem !== stem).map((word) => ({ stems: [word.stem], weight }));
  }

  private corrections(surface: string): Wording[] {
    return this.vocabulary.near(surface).flatMap(({ surface: meant, fit }, rank) => {
      const stems = this.analyzer.words(meant).map(({ stem }) => stem);
      // The likeliest must come first although a rarer one would weigh more.
      return stems.length === 0 ? [] : [{ stems, weight: TYPO_WEIGHT * (0.5 + fit / 2) * 0.6 ** rank }];
    });
  }

  private synonyms(stem: string, words: readonly Word[]): Wording[] {
    return this.alternatives
      .filter(({ input }) => input.includes(stem) && holds(words, input))
      .map(({ input, stems }) => ({ stems, weight: SYNONYM_WEIGHT / input.length }));
  }
}

function unique(words: readonly Word[]): Word[] {
  return [...new Map(words.map((word) => [word.stem, word])).values()];
}

/** One wording for the same stems: the one that counts most. */
function heaviest(wordings: readonly Wording[]): Wording[] {
  const best = new Map<string, Wording>();
  for (const wording of wordings) {
    const name = wording.stems.join(' ');
    if (wording.weight > (best.get(name)?.weight ?? 0)) best.set(name, wording);
  }
  return [...best.values()];
}

/** Whether the stems stand in the query, one after the other. */
function holds(words: readonly Word[], stems: readonly string[]): boolean {
  return words.some((_, start) => stems.every((stem, index) => words[start + index]?.stem === stem));
}
