import { describe, expect, it } from '@jest/globals';
import { viewOf } from './document-view.js';
import { parseSchema } from './schema.js';

const NOW = Date.parse('2030-05-01T12:00:00Z');
const SCHEMA = parseSchema('upcomingDepartureCount: integer F; availableUnitsTotal: integer F');

function summaryAt(now: number, ...departures: Record<string, unknown>[]) {
  const fields = JSON.stringify({ name: 'Trip', departures });
  const stored = { seq: 1, id: 'p', fields, createdAt: NOW, updatedAt: NOW, deleted: false, vector: null };
  const view = viewOf(stored, SCHEMA, now);
  return [view?.fields['upcomingDepartureCount'], view?.fields['availableUnitsTotal'], view?.expiresAt];
}

describe('the departures of a document', () => {
  const [cutoff, start] = [NOW + 1_000, NOW + 9_000];
  const departure = { startsAt: new Date(start).toISOString(), availableUnits: 4 };

  it('the units of a departure count until it starts', () => {
    expect(summaryAt(NOW, departure)).toEqual([1, 4, start]);
    expect(summaryAt(start, departure)).toEqual([0, undefined, Infinity]);
  });

  it('a departure that can no longer be booked has no available units, but stays listed', () => {
    const untilCutoff = { ...departure, bookableUntil: new Date(cutoff).toISOString() };
    expect(summaryAt(NOW, untilCutoff)).toEqual([1, 4, cutoff]);
    expect(summaryAt(cutoff, untilCutoff)).toEqual([1, 0, start]);
    expect(summaryAt(NOW, { ...departure, bookableUntil: null })).toEqual([1, 0, start]);
  });
});
