import { languageOf } from './languages.js';

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORDS = /[\p{L}\p{N}]+/gu;
const FOLDS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ð: 'd',
  þ: 'th',
};
const TO_FOLD = /[ßøłđæœıðþ]/gu;
/** Nothing in it to be folded but the case. */
const PLAIN = /^[\x20-\x7e]*$/u;
const MAX_WORD = 40;
const MAX_STEMS = 200_000;

/** A word as it is written (folded), and what it is searched by. */
export interface Word {
  readonly surface: string;
  readonly stem: string;
  readonly says: boolean;
}

/** Turns texts of one language into words; queries and documents go through the same. */
export class Analyzer {
  private readonly stopWords: ReadonlySet<string>;
  private readonly stem: (word: string) => string;
  private readonly segmenter: Intl.Segmenter;
  private known = new Map<string, Word>();

  constructor(locale: string) {
    const { stopWords, stem } = languageOf(locale);
    this.stopWords = new Set(stopWords.flatMap((word) => fold(word).match(WORDS) ?? []));
    this.stem = stem;
    this.segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  }

  /** The text is cut once it is folded, which may have made it longer; documents are bounded where they are stored. */
  words(text: string, maxLength = Infinity): Word[] {
    return this.surfaces(fold(text).slice(0, maxLength)).map((surface) => this.word(surface));
  }

  private surfaces(folded: string): string[] {
    const runs = folded.match(WORDS) ?? [];
    const cut = UNSPACED.test(folded) ? runs.flatMap((run) => this.segments(run)) : runs;
    return cut.map((word) => (word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word));
  }

  private segments(run: string): string[] {
    if (!UNSPACED.test(run)) return [run];
    return [...this.segmenter.segment(run)].filter((part) => part.isWordLike).map((part) => part.segment);
  }

  private word(surface: string): Word {
    const known = this.known.get(surface);
    if (known) return known;
    const word = { surface, stem: this.stem(surface), says: !this.stopWords.has(surface) && surface !== 's' };
    // Stemming takes a microsecond or more, and the words of a catalog are few.
    if (this.known.size >= MAX_STEMS) this.known = new Map();
    this.known.set(surface, word);
    return word;
  }
}

/** One form for what people write in many: case, accents and ligatures are gone. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return bare.replace(TO_FOLD, (letter) => FOLDS[letter] ?? letter).normalize('NFC');
}
