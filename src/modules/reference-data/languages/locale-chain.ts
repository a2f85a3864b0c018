/**
 * Returns the locales in which a name is looked up for a requested BCP 47 tag, nearest first: the tag itself, then its parents
 * as CLDR orders them. An unknown or malformed tag returns the locales of its valid part, possibly none. The list does not
 * contain English, which the caller uses as the final fallback.
 *
 * `parents` are CLDR's exceptions to removing the last subtag (the parent of `es-MX` is `es-419`; `und` means no parent).
 */
export function localeChain(tag: string, parents: ReadonlyMap<string, string>): string[] {
  const chain: string[] = [];
  let locale = readTag(tag);
  while (locale !== null) {
    chain.push(locale.baseName);
    locale = parentOf(locale, parents);
  }
  return chain;
}

/**
 * Returns the canonical form of a tag (`iw` is `he`, `PT-br` is `pt-BR`), without extensions, which have no effect on names.
 * Intl rejects a few tags that BCP 47 allows (`zh-yue`, `i-klingon`): as in RFC 4647 lookup, subtags are removed from the right
 * until the tag is valid.
 */
function readTag(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(new Intl.Locale(tag).baseName);
  } catch {
    const cut = tag.lastIndexOf('-');
    return cut > 0 ? readTag(tag.slice(0, cut)) : null;
  }
}

function parentOf(locale: Intl.Locale, parents: ReadonlyMap<string, string>): Intl.Locale | null {
  const parent = parents.get(locale.baseName) ?? parentByScript(locale) ?? withoutLastSubtag(locale.baseName);
  return parent === null || parent === 'und' ? null : new Intl.Locale(parent);
}

/**
 * Removing subtags must not change the script: `zh-TW` uses Traditional characters, so its parent is `zh-Hant`, never `zh`.
 * The reverse case is a redundant script: `en-Latn-GB` is the same as `en-GB`.
 */
function parentByScript({ baseName, language, script, region }: Intl.Locale): string | undefined {
  const usual = likelyScript(language);
  if (region === undefined) {
    return baseName === `${language}-${script}` && script !== usual ? 'und' : undefined;
  }

  const regional = likelyScript(`${language}-${region}`);
  if (baseName === `${language}-${region}` && regional !== usual) return `${language}-${regional}-${region}`;
  if (baseName === `${language}-${script}-${region}` && script === usual && regional === usual) {
    return `${language}-${region}`;
  }
  return undefined;
}

function likelyScript(tag: string): string | undefined {
  return new Intl.Locale(tag).maximize().script;
}

function withoutLastSubtag(tag: string): string | null {
  const cut = tag.lastIndexOf('-');
  return cut > 0 ? tag.slice(0, cut) : null;
}
