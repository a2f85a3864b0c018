import type { Analyzer, Word } from './analyzer.js';
import type { Postings } from './postings.js';
import type { Plan, Synonym, Wording } from './search-index.js';
import type { Vocabulary } from './vocabulary.js';

/** In folded characters, as folding makes some longer: U+0390 becomes three, `ß` two. */
const MAX_QUERY = 2_048;
const MAX_WORDS = 64;
/** Each correction reads the whole vocabulary twice; who misspells more words than that is found by the others. */
const MAX_CORRECTED = 8;
/** Of all words of a query together. */
const MAX_SYNONYMS = 64;
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
    const all = this.analyzer.words(query, MAX_QUERY);
    const saying = all.filter(({ says }) => says);
    const words = unique(saying.length > 0 ? saying : all).slice(0, MAX_WORDS);
    const last = all.at(-1);
    const places = placesOf(all);
    const applying = this.alternatives.filter(({ input }) => holds(all, places, input)).slice(0, MAX_SYNONYMS);
    const unknown = words.filter((word) => !this.isKnown(word, applying)).slice(0, MAX_CORRECTED);
    return words.map((word) =>
      this.wordings(word, { applying, isLast: word.stem === last?.stem, isCorrected: unknown.includes(word) }),
    );
  }

  private wordings(
    word: Word,
    { applying, isLast, isCorrected }: { applying: readonly Alternative[]; isLast: boolean; isCorrected: boolean },
  ): Wording[] {
    const { surface, stem } = word;
    const synonyms = synonymsOf(stem, applying);
    const known = this.isKnown(word, applying);
    const endings = isLast && surface.length >= 2 ? this.endings(word, known) : [];
    const corrections = isCorrected ? this.corrections(surface) : [];
    const own: Wording[] = [{ stems: [stem], weight: 1 }];
    return heaviest([...own, ...synonyms, ...corrections, ...endings]);
  }

  private isKnown({ surface, stem }: Word, applying: readonly Alternative[]): boolean {
    const synonyms = synonymsOf(stem, applying);
    // A word that says what is here is whole, and no typing error: "roma" does not begin "romantic".
    const isSynonym = synonyms.some(({ stems }) => stems.every((other) => this.postings.has(other)));
    return isSynonym || this.postings.has(stem) || this.vocabulary.has(surface);
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
}

/** What else a word of a query stands for, by those phrases that are in the query. */
function synonymsOf(stem: string, applying: readonly Alternative[]): Wording[] {
  return applying
    .filter(({ input }) => input.includes(stem))
    .map(({ input, stems }) => ({ stems, weight: SYNONYM_WEIGHT / input.length }));
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

/** Whether the stems stand in the query, one after the other; `places` says where each stem of the query stands. */
function holds(words: readonly Word[], places: ReadonlyMap<string, number[]>, stems: readonly string[]): boolean {
  const starts = places.get(stems[0] ?? '') ?? [];
  return starts.some((start) => stems.every((stem, index) => words[start + index]?.stem === stem));
}

function placesOf(words: readonly Word[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { stem }] of words.entries()) {
    const known = places.get(stem);
    if (known) known.push(index);
    else places.set(stem, [index]);
  }
  return places;
}
