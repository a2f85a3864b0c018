import { languageOf } from './languages.js';

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORDS = /[\p{L}\p{N}]+/gu;
const FOLDED_LETTERS: Readonly<Record<string, string>> = {
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
const ASCII = /^[\x20-\x7e]*$/u;
const MAX_TOKEN_LENGTH = 40;
const MAX_CACHED_TOKENS = 200_000;

/** A word of a text. */
export interface Token {
  /** The word as it is written, folded. */
  readonly surface: string;
  /** The indexed term of the word. */
  readonly stem: string;
  readonly isStopWord: boolean;
}

/** Splits texts of one language into tokens. Documents and queries use the same tokenizer. */
export class Tokenizer {
  private readonly stopWords: ReadonlySet<string>;
  private readonly stem: (word: string) => string;
  private readonly segmenter: Intl.Segmenter;
  private cache = new Map<string, Token>();

  constructor(locale: string) {
    const { stopWords, stem } = languageOf(locale);
    this.stopWords = new Set(stopWords.flatMap((word) => fold(word).match(WORDS) ?? []));
    this.stem = stem;
    this.segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  }

  /** The length is limited after folding, which can make a text longer. Documents are limited when they are stored. */
  tokenize(text: string, maxLength = Infinity): Token[] {
    return this.surfaces(fold(text).slice(0, maxLength)).map((surface) => this.token(surface));
  }

  private surfaces(folded: string): string[] {
    const runs = folded.match(WORDS) ?? [];
    const words = UNSPACED.test(folded) ? runs.flatMap((run) => this.segments(run)) : runs;
    return words.map((word) => (word.length > MAX_TOKEN_LENGTH ? word.slice(0, MAX_TOKEN_LENGTH) : word));
  }

  private segments(run: string): string[] {
    if (!UNSPACED.test(run)) return [run];
    return [...this.segmenter.segment(run)].filter((part) => part.isWordLike).map((part) => part.segment);
  }

  private token(surface: string): Token {
    const cached = this.cache.get(surface);
    if (cached) return cached;
    // Splitting "traveller's" leaves an `s`.
    const isStopWord = this.stopWords.has(surface) || surface === 's';
    const token = { surface, stem: this.stem(surface), isStopWord };
    // Stemming takes a microsecond or more, and a catalog has few different words.
    if (this.cache.size >= MAX_CACHED_TOKENS) this.cache = new Map();
    this.cache.set(surface, token);
    return token;
  }
}

/** Converts to lower case without accents and ligatures, so that different spellings of a word have one form. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return bare.replace(TO_FOLD, (letter) => FOLDED_LETTERS[letter] ?? letter).normalize('NFC');
}
