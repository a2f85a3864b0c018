import { describe, expect, it } from '@jest/globals';
import { drafts } from './generator.js';
import { sameWords } from './same-words.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const all = [...drafts(400, NOW)];
const namesOf = (vertical: string) =>
  all.filter((one) => one.vertical === vertical).map(({ fields }) => String(fields['name']));

describe('the demo catalog', () => {
  it('is the same each time', () => {
    expect([...drafts(400, NOW)]).toEqual(all);
  });

  it.each(['products', 'accommodations', 'cruises', 'charters'])(
    'gives each of its %s a name of its own',
    (vertical) => {
      const names = namesOf(vertical);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => / \d+$/.test(name))).toEqual([]);
    },
  );

  it('offers what there is at a place: huskies in the north, animals in the Serengeti, ships where there is water', () => {
    const cold = namesOf('products').filter((name) => name.endsWith('northern winter adventure'));
    for (const name of cold) expect(name).toMatch(/^(Arctic Norway|Lapland|South Iceland) /);
    expect(namesOf('products')).toContain('Serengeti wildlife expedition');
    for (const name of namesOf('cruises'))
      expect(name).toMatch(/^(\S+ river|Coastal) cruise from .+ (to .+|and back), (MS|MV|SY) /);
    expect(namesOf('charters').filter((name) => /San José|Cusco|Arusha|Oia Oia/.test(name))).toEqual([]);
  });

  it('knows each other word in one set alone', () => {
    const terms = sameWords.filter(({ input }) => input === null).flatMap((set) => set.terms);
    expect(terms.length).toBeGreaterThan(90);
    expect(new Set(terms).size).toBe(terms.length);
  });
});
