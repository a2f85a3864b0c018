import { describe, expect, it } from '@jest/globals';
import { demoDocuments } from './demo-documents.js';
import { demoTours } from './demo-tours.js';
import { demoSynonyms } from './demo-synonyms.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const all = [...demoTours(NOW), ...demoDocuments(400, NOW)];
const namesOf = (vertical: string) =>
  all.filter((one) => one.vertical === vertical).map(({ fields }) => String(fields['name']));

describe('the demo catalog', () => {
  it('the demo catalog is the same at every start', () => {
    expect([...demoTours(NOW), ...demoDocuments(400, NOW)]).toEqual(all);
  });

  it.each(['products', 'accommodations', 'cruises', 'charters'])(
    'the demo catalog has different names for all of its %s',
    (vertical) => {
      const names = namesOf(vertical);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => / \d+$/.test(name))).toEqual([]);
    },
  );

  it('the demo catalog has a different id for each document and each departure', () => {
    const departures = all.flatMap(({ fields }) => fields.departures ?? []);
    const ids = [...all.map(({ id }) => id), ...departures.map(({ departureId }) => departureId)];
    expect(departures.length).toBeGreaterThan(80);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('the demo catalog offers journeys that suit their place: huskies in the north, wildlife in the Serengeti, ships on water', () => {
    const cold = namesOf('products').filter((name) => name.endsWith('northern winter adventure'));
    for (const name of cold) expect(name).toMatch(/^(Arctic Norway|Lapland|South Iceland) /);
    expect(namesOf('products')).toContain('Serengeti wildlife expedition');
    for (const name of namesOf('cruises'))
      expect(name).toMatch(/^(\S+ river|Coastal) cruise from .+ (to .+|and back), (MS|MV|SY) /);
    expect(namesOf('charters').filter((name) => /San José|Cusco|Arusha|Oia Oia/.test(name))).toEqual([]);
  });

  it('the demo catalog has every term in at most one set of synonyms', () => {
    const terms = demoSynonyms.filter(({ input }) => input === null).flatMap((set) => set.terms);
    expect(terms.length).toBeGreaterThan(90);
    expect(new Set(terms).size).toBe(terms.length);
  });
});
