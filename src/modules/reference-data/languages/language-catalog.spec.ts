import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readLanguageCatalog } from './language-catalog.js';

const catalog = readLanguageCatalog();
const dataFile = new URL('../data/languages.json', import.meta.url);
const cldrFolder = path.dirname(createRequire(import.meta.url).resolve('cldr-localenames-full/package.json'));

function nameIn(tag: string, code: string): string | undefined {
  return catalog.namedIn(tag).find((language) => language.code === code)?.name;
}

interface CldrFile {
  main: Record<string, { localeDisplayNames: { languages: Record<string, string> } }>;
}

function cldrNames(locale: string): Record<string, string> {
  const file = JSON.parse(readFileSync(`${cldrFolder}/main/${locale}/languages.json`, 'utf8')) as CldrFile;
  return file.main[locale]?.localeDisplayNames.languages ?? {};
}

describe('the languages file', () => {
  it('the languages file is exactly the output of the build script for CLDR', async () => {
    const script = new URL('../../../../scripts/build-languages.js', import.meta.url);
    const run = promisify(execFile)(process.execPath, [script.pathname, '--check']);
    await expect(run).resolves.toMatchObject({ stderr: '' });
  });

  it('the languages file is rejected if its content does not match its checksum', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'languages-'));
    const changed = path.join(folder, 'languages.json');
    writeFileSync(changed, readFileSync(dataFile, 'utf8').replace('"Deutsch"', '"Teutsch"'));

    expect(() => readLanguageCatalog(pathToFileURL(changed))).toThrow('does not match its own checksum');
    rmSync(folder, { recursive: true });
  });

  it('the languages file is stored beside the licence of Unicode', () => {
    const licence = readFileSync(new URL('../data/LICENSE.txt', import.meta.url), 'utf8');
    expect(licence).toContain('UNICODE LICENSE V3');
    expect(licence).toContain('Copyright ©');
  });
});

describe('the language catalog', () => {
  it('the language catalog contains 184 two-letter codes in order, without duplicates and deprecated codes', () => {
    expect(catalog.codes).toHaveLength(184);
    expect(catalog.codes.every((code) => /^[a-z]{2}$/.test(code))).toBe(true);
    expect(catalog.codes).toEqual([...new Set(catalog.codes)].sort());
    expect(['bh', 'in', 'iw', 'ji', 'jw', 'mo'].filter((code) => catalog.has(code))).toEqual([]);
    expect(['de', 'nb', 'sh', 'tl', 'tw', 'zu'].filter((code) => !catalog.has(code))).toEqual([]);
  });

  it.each([
    ['en', 'de', 'German'],
    ['de', 'de', 'Deutsch'],
    ['de-CH', 'de', 'Deutsch'],
    ['pt-BR', 'cs', 'tcheco'],
    ['pt-PT', 'cs', 'checo'],
    ['pt-AO', 'cs', 'checo'],
    ['zh', 'fr', '法语'],
    ['zh-TW', 'fr', '法文'],
    ['nb', 'fr', 'fransk'],
    ['sr', 'fr', 'француски'],
    ['sr-Latn', 'fr', 'francuski'],
    ['sh', 'fr', 'francuski'],
  ])('in %s, the name of %s is %s', (tag, code, name) => {
    expect(nameIn(tag, code)).toBe(name);
  });

  it.each(['qqq', 'tlh-Latn', 'i-klingon', 'de-Cyrl'])('an unknown language (%s) falls back to English', (tag) => {
    expect(catalog.namedIn(tag)).toEqual(catalog.namedIn('en'));
  });

  it('the language catalog has no alternative names: Azerbaijani is not called Azeri', () => {
    expect(nameIn('en', 'az')).toBe('Azerbaijani');
  });

  it('the language catalog returns for every locale exactly the names of CLDR, and English for the rest', () => {
    const english = cldrNames('en');
    for (const locale of readdirSync(`${cldrFolder}/main`)) {
      if (!existsSync(`${cldrFolder}/main/${locale}/languages.json`)) continue;
      const names = cldrNames(locale);
      const expected = catalog.codes.map((code) => ({ code, name: names[code] ?? english[code] }));
      expect([locale, catalog.namedIn(locale)]).toEqual([locale, expected]);
    }
  });
});
