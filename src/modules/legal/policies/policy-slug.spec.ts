import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_SLUG, SLUG, slugOf } from './policy-slug.js';

describe('the slug of a name', () => {
  it.each([
    ['Standard cancellation', 'standard-cancellation'],
    ['  30 % – Früh­bucher & Co. ', '30-fruh-bucher-co'],
    ['Anulări și rambursări', 'anulari-si-rambursari'],
    ['取消条款', ''],
  ])('the slug of the name "%s" is "%s"', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it('the slug of any name is a slug or empty', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 255, unit: 'binary' }), (name) => {
        const slug = slugOf(name);
        expect(slug === '' || SLUG.test(slug)).toBe(true);
        expect(slug.length).toBeLessThanOrEqual(MAX_SLUG);
      }),
    );
  });
});
