/**
 * The locales in which a name is looked up for a requested BCP 47 tag, nearest first: the tag itself, then its parents
 * as CLDR orders them. Unknown and unreadable tags give what is left of them, in the end an empty list; English is the
 * caller's last resort and not part of the list.
 *
 * `parents` are CLDR's exceptions to cutting off the last subtag (`es-MX` comes under `es-419`; `und` means: no parent).
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
 * One spelling per tag (`iw` is `he`, `PT-br` is `pt-BR`), without extensions, which choose no names. Intl refuses a few
 * tags that BCP 47 allows (`zh-yue`, `i-klingon`): RFC 4647 lookup cuts them from the right until one can be read.
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
 * Cutting off subtags must not change the script under the reader: `zh-TW` is read in Traditional characters and comes
 * under `zh-Hant`, never under `zh`; the other way round `en-Latn-GB` says nothing more than `en-GB`.
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
