import { describe, expect, it } from '@jest/globals';
import { compare } from '../../chaos/audit.js';
import { quantile } from '../../chaos/figures.js';

type Write = Parameters<typeof compare>[0][number];

function write(id: string, of: Write | null = null): Write {
  const about = { key: id, method: 'POST', path: '/', body: {}, of };
  return { ...about, kind: of ? 'change' : 'channel', isTried: true, answer: { status: 201, body: { data: { id } } } };
}

const row = (id: string) => ({ id, name: id, version: 1, creations: 1, updates: 0 });
const [a, b] = [write('a'), write('b')];
const change = write('a', a);

/** A scenario without findings proves something only if a planted fault is found. */
describe('the comparison of acknowledged writes with the stored ones', () => {
  it('the comparison finds nothing if each write has one row and one ledger entry, and each change one version more', () => {
    const rows = [{ ...row('a'), version: 2, updates: 1 }, row('b')];
    expect(compare([a, b, change], rows)).toEqual({ lost: 0, duplicated: 0 });
  });

  it('the comparison finds a missing row', () => {
    expect(compare([a, b], [row('a')])).toEqual({ lost: 1, duplicated: 0 });
  });

  it('the comparison finds a missing change by its version and its ledger entry', () => {
    expect(compare([a, change], [row('a')])).toEqual({ lost: 2, duplicated: 0 });
  });

  it('the comparison finds a missing ledger entry', () => {
    expect(compare([a], [{ ...row('a'), creations: 0 }])).toEqual({ lost: 1, duplicated: 0 });
  });

  it('the comparison finds a row that was not acknowledged and a change that was applied twice', () => {
    expect(compare([a], [row('a'), row('x')])).toEqual({ lost: 0, duplicated: 1 });
    expect(compare([a, change], [{ ...row('a'), version: 3, updates: 2 }])).toEqual({ lost: 0, duplicated: 2 });
  });

  it('the comparison expects nothing of a write that was never acknowledged', () => {
    expect(compare([{ ...a, answer: null }], [])).toEqual({ lost: 0, duplicated: 0 });
  });
});

describe('the 99th percentile of the response times', () => {
  it('the 99th percentile is one of the values, and the largest of a few values', () => {
    expect(quantile([3, 1, 2], 0.99)).toBe(3);
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(quantile([], 0.99)).toBe(0);
  });
});
