// Builds src/modules/reference-data/data/languages.json from CLDR (dev dependency cldr-localenames-full).
// `node scripts/build-languages.js` writes the file; with `--check` it writes nothing and fails if the file differs.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
const namesFolder = path.dirname(require.resolve('cldr-localenames-full/package.json'));
const coreFolder = path.dirname(require.resolve('cldr-core/package.json'));
const target = new URL('../src/modules/reference-data/data/', import.meta.url);

// The codes of ISO 639-1, plus `sh`: withdrawn from ISO 639-1 but not from BCP 47 and CLDR, so that hotels and reviews still
// use it. `tl` and `tw` are assigned codes for which CLDR prefers other ones.
const CODE_COUNT = 184;
const KEPT_LEGACY = new Set(['sh', 'tl', 'tw']);

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const parentLocales = readJson(`${coreFolder}/supplemental/parentLocales.json`).supplemental.parentLocales.parentLocale;
const languageAliases = readJson(`${coreFolder}/supplemental/aliases.json`).supplemental.metadata.alias.languageAlias;

// Keeps only keys of two letters, without `-alt-` variants, regional compounds (`pt-BR`) and ISO 639-2 codes.
function readNames() {
  const names = new Map();
  for (const locale of readdirSync(`${namesFolder}/main`).sort()) {
    const file = `${namesFolder}/main/${locale}/languages.json`;
    if (!existsSync(file)) continue;
    const { languages } = readJson(file).main[locale].localeDisplayNames;
    names.set(locale, new Map(Object.entries(languages).filter(([code]) => /^[a-z]{2}$/.test(code))));
  }
  return names;
}

function checkCodes(codes) {
  const deprecated = codes.filter((code) => code in languageAliases && !KEPT_LEGACY.has(code));
  if (codes.length !== CODE_COUNT || deprecated.length > 0) {
    throw new Error(
      `expected ${CODE_COUNT} codes, found ${codes.length}; deprecated: ${deprecated.join(' ') || 'none'}`,
    );
  }
}

// Selects tags that BCP 47 has replaced by a code of the catalog, such as `iw` by `he`. Other aliases of CLDR (`ger`, `arb`) do
// not belong to a catalog of two-letter codes.
function deprecatedTags(codes) {
  const entries = Object.entries(languageAliases).filter(
    ([tag, { _reason: reason, _replacement: code }]) =>
      reason === 'deprecated' && codes.includes(code) && !codes.includes(tag) && !/^[a-z]{3}$/.test(tag),
  );
  return Object.fromEntries(entries.map(([tag, { _replacement: code }]) => [tag, code]));
}

function parentOf(locale) {
  const truncated = locale.includes('-') ? locale.slice(0, locale.lastIndexOf('-')) : 'und';
  return parentLocales[locale] ?? truncated;
}

// Stores only names that differ from the parent locales, which takes a third of the space. A name that a locale does not
// contain is looked up in the same order as in CLDR.
function ownNames(names, codes) {
  const inherited = (locale, code) => {
    if (locale === 'und') return undefined;
    return names.get(locale)?.get(code) ?? inherited(parentOf(locale), code);
  };
  const locales = {};
  for (const [locale, all] of names) {
    const own = codes.filter((code) => all.has(code) && all.get(code) !== inherited(parentOf(locale), code));
    if (own.length > 0) locales[locale] = Object.fromEntries(own.map((code) => [code, all.get(code)]));
  }
  return locales;
}

function build() {
  const names = readNames();
  const codes = [...names.get('en').keys()].sort();
  checkCodes(codes);
  const content = { codes, deprecated: deprecatedTags(codes), parents: parentLocales, locales: ownNames(names, codes) };
  const head = {
    source: 'Unicode CLDR, cldr-localenames-full; built by scripts/build-languages.js, not edited by hand',
    licence: 'Unicode-3.0, see LICENSE.txt beside this file',
    version: `cldr-${readJson(`${namesFolder}/package.json`).version}`,
    sha256: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
  };
  // Writes one line per locale, so that the diff of two CLDR releases is readable.
  const rows = Object.entries(content.locales).map(
    ([locale, own]) => `${JSON.stringify(locale)}:${JSON.stringify(own)}`,
  );
  const opening = JSON.stringify({
    ...head,
    codes: content.codes,
    deprecated: content.deprecated,
    parents: content.parents,
  }).slice(0, -1);
  return `${opening},"locales":{\n${rows.join(',\n')}\n}}\n`;
}

const outputs = [
  ['languages.json', build()],
  ['LICENSE.txt', readFileSync(`${namesFolder}/LICENSE`, 'utf8').replace(/\r\n/g, '\n')],
];
for (const [name, text] of outputs) {
  const file = new URL(name, target);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${name} differs from CLDR: run node scripts/build-languages.js\n`);
    process.exitCode = 1;
  }
}
