import { describe, expect, it } from '@jest/globals';
import { localeChain } from './locale-chain.js';

const parents = new Map([
  ['en-GB', 'en-001'],
  ['es-MX', 'es-419'],
  ['nb', 'no'],
  ['pt-AO', 'pt-PT'],
  ['sr-Latn', 'und'],
  ['zh-Hant', 'und'],
  ['zh-Hant-MO', 'zh-Hant-HK'],
]);

describe('the parents of a language tag', () => {
  it.each([
    ['de', ['de']],
    ['de-CH', ['de-CH', 'de']],
    ['de-CH-1996', ['de-CH-1996', 'de-CH', 'de']],
    ['ca-ES-valencia', ['ca-ES-valencia', 'ca-ES', 'ca']],
  ])('%s: subtags are removed from the right', (tag, chain) => {
    expect(localeChain(tag, parents)).toEqual(chain);
  });

  it.each([
    ['en-GB', ['en-GB', 'en-001', 'en']],
    ['es-MX', ['es-MX', 'es-419', 'es']],
    ['pt-AO', ['pt-AO', 'pt-PT', 'pt']],
    ['nb', ['nb', 'no']],
  ])('%s: the parents listed by CLDR have priority over removing subtags', (tag, chain) => {
    expect(localeChain(tag, parents)).toEqual(chain);
  });

  it.each([
    ['zh-TW', ['zh-TW', 'zh-Hant-TW', 'zh-Hant']],
    ['zh-MO', ['zh-MO', 'zh-Hant-MO', 'zh-Hant-HK', 'zh-Hant']],
    ['zh-SG', ['zh-SG', 'zh']],
    ['sr-ME', ['sr-ME', 'sr-Latn-ME', 'sr-Latn']],
    ['sr-Cyrl-ME', ['sr-Cyrl-ME', 'sr-Cyrl', 'sr']],
    ['pa-PK', ['pa-PK', 'pa-Arab-PK', 'pa-Arab']],
    ['de-Cyrl', ['de-Cyrl']],
    ['en-Latn-GB', ['en-Latn-GB', 'en-GB', 'en-001', 'en']],
  ])('%s: the script never changes', (tag, chain) => {
    expect(localeChain(tag, parents)).toEqual(chain);
  });

  it.each([
    ['PT-br', ['pt-BR', 'pt']],
    ['iw', ['he']],
    ['sh', ['sr-Latn']],
    ['de-u-co-phonebk', ['de']],
    ['en-x-private', ['en']],
  ])('%s: case, deprecated codes and extensions have no effect', (tag, chain) => {
    expect(localeChain(tag, parents)).toEqual(chain);
  });

  it.each([
    ['zh-yue', ['zh']],
    ['zh-min-nan', ['zh']],
    ['i-klingon', []],
    ['x-anything', []],
  ])('%s: subtags are removed until Intl accepts the tag', (tag, chain) => {
    expect(localeChain(tag, parents)).toEqual(chain);
  });
});
