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

/** A scenario that finds nothing must be one that would have found it. */
describe('the accounts of what was acknowledged and what is there', () => {
  it('agree where each write has one row and one ledger entry, and each change one version more', () => {
    const rows = [{ ...row('a'), version: 2, updates: 1 }, row('b')];
    expect(compare([a, b, change], rows)).toEqual({ lost: 0, duplicated: 0 });
  });

  it('show a row that is not there', () => {
    expect(compare([a, b], [row('a')])).toEqual({ lost: 1, duplicated: 0 });
  });

  it('show a change that is not there, in its version and in its ledger entry', () => {
    expect(compare([a, change], [row('a')])).toEqual({ lost: 2, duplicated: 0 });
  });

  it('show a ledger entry that is not there', () => {
    expect(compare([a], [{ ...row('a'), creations: 0 }])).toEqual({ lost: 1, duplicated: 0 });
  });

  it('show a row that nobody was told of, and a change that was done twice', () => {
    expect(compare([a], [row('a'), row('x')])).toEqual({ lost: 0, duplicated: 1 });
    expect(compare([a, change], [{ ...row('a'), version: 3, updates: 2 }])).toEqual({ lost: 0, duplicated: 2 });
  });

  it('expect nothing of a write that was never acknowledged', () => {
    expect(compare([{ ...a, answer: null }], [])).toEqual({ lost: 0, duplicated: 0 });
  });
});

describe('what 99 of 100 answers take at most', () => {
  it('is one of the values, and the largest of few', () => {
    expect(quantile([3, 1, 2], 0.99)).toBe(3);
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(quantile([], 0.99)).toBe(0);
  });
});
