import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { localeChain } from './locale-chain.js';

export interface Language {
  code: string;
  name: string;
}

interface LanguageFile {
  version: string;
  sha256: string;
  codes: string[];
  deprecated: Record<string, string>;
  parents: Record<string, string>;
  locales: Record<string, Record<string, string>>;
}

const FALLBACK_LOCALE = 'en';

/** The two-letter languages of CLDR and their names, read once from the file that scripts/build-languages.js makes. */
export class LanguageCatalog {
  /** Release of the data set and digest of its content. It changes if and only if a response can change. */
  readonly version: string;
  /** Codes in ascending order, which is the order of every list. */
  readonly codes: readonly string[];
  private readonly deprecated: ReadonlyMap<string, string>;
  private readonly known: ReadonlySet<string>;
  private readonly parents: ReadonlyMap<string, string>;
  private readonly locales: ReadonlyMap<string, ReadonlyMap<string, string>>;

  constructor(file: LanguageFile) {
    this.version = `${file.version}+${file.sha256.slice(0, 16)}`;
    this.codes = file.codes;
    this.known = new Set(file.codes);
    this.deprecated = new Map(Object.entries(file.deprecated));
    this.parents = new Map(Object.entries(file.parents));
    this.locales = new Map(Object.entries(file.locales).map(([tag, own]) => [tag, new Map(Object.entries(own))]));
  }

  has(code: string): boolean {
    return this.known.has(code);
  }

  /** Returns the current code of the language, ignoring case: the tag itself, or the replacement of a deprecated tag. */
  findCode(tag: string): string | null {
    const lower = tag.toLowerCase();
    return this.known.has(lower) ? lower : (this.deprecated.get(lower) ?? null);
  }

  /**
   * Returns every language with its name in `tag` (BCP 47). If the locale has no name, its parents are used, then English, so
   * an unknown tag returns English names.
   */
  namedIn(tag: string): Language[] {
    const chain = [...localeChain(tag, this.parents), FALLBACK_LOCALE];
    const sources = chain.flatMap((locale) => this.locales.get(locale) ?? []);
    return this.codes.map((code) => ({ code, name: nameFrom(sources, code) }));
  }
}

/** Throws an Error if the file is missing or truncated, which stops the start. */
export function readLanguageCatalog(file = new URL('../data/languages.json', import.meta.url)): LanguageCatalog {
  // The type needs no validation, because the digest covers everything that the build script wrote.
  const content = JSON.parse(readFileSync(file, 'utf8')) as LanguageFile;
  if (content.sha256 !== digestOf(content)) throw new Error('languages.json does not match its own checksum');
  return new LanguageCatalog(content);
}

/** The catalog of this release; the service does not start without it. */
export const languageCatalog = readLanguageCatalog();

function digestOf({ codes, deprecated, parents, locales }: LanguageFile): string {
  return createHash('sha256').update(JSON.stringify({ codes, deprecated, parents, locales })).digest('hex');
}

function nameFrom(sources: ReadonlyMap<string, string>[], code: string): string {
  const source = sources.find((names) => names.has(code));
  return source?.get(code) ?? code;
}
