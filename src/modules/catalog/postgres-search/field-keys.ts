import { createHash } from 'node:crypto';
import { type Field, type Scalar, scalarsOf, type Schema } from '../../../search-engine/index.js';

const VALUE_BITS = 56n;
const VALUE_MASK = (1n << VALUE_BITS) - 1n;
const MAX_CACHED_KEYS = 300_000;
const MAX_CACHED_LENGTH = 100;
const SIGN_BIT = -(2n ** 63n);

/**
 * The values of the filterable fields of a document as numbers of 63 bits. Seven bits hold the number of the field, so that
 * keys of one field are adjacent in a sorted list. The other bits are a hash of the value and the index: two of a million
 * values of one field have the same key with a probability of 7 in a million.
 */
export class FieldKeys {
  private readonly numbers: ReadonlyMap<string, bigint>;
  private cache = new Map<string, bigint>();

  constructor(
    private readonly indexId: string,
    private readonly schema: Schema,
  ) {
    const names = [...schema].filter(([, field]) => field.filterable).map(([name]) => name);
    if (names.length > 126) throw new Error('An index has at most 126 filterable fields');
    this.numbers = new Map(names.map((name, index) => [name, BigInt(index + 1)]));
  }

  /** The keys of all values and, for each field with a value, its `presence`; sorted. */
  keysOf(fields: Readonly<Record<string, unknown>>): { keys: bigint[]; facetValues: Map<bigint, Scalar> } {
    const keys = new Set<bigint>();
    const facetValues = new Map<bigint, Scalar>();
    for (const [name] of this.numbers) {
      const field = this.schema.get(name);
      if (!field || fields[name] === undefined) continue;
      const values = scalarsOf(field, fields[name]);
      if (values.length > 0) keys.add(this.presence(name));
      for (const value of values) {
        const normalized = typeof value === 'string' ? value.normalize('NFC') : value;
        const key = this.key(name, normalized);
        keys.add(key);
        if (field.facetable) facetValues.set(key, normalized);
      }
    }
    return { keys: sorted(keys), facetValues };
  }

  /** Order-preserving keys of numbers and dates; sorted. */
  boundsOf(fields: Readonly<Record<string, unknown>>): bigint[] {
    const bounds = new Set<bigint>();
    for (const [name] of this.numbers) {
      const field = this.schema.get(name);
      if (!field || fields[name] === undefined || !isOrdered(field)) continue;
      for (const value of scalarsOf(field, fields[name])) {
        const number = typeof value === 'number' ? value : Date.parse(String(value));
        if (!Number.isNaN(number)) bounds.add(this.bound(name, number));
      }
    }
    return sorted(bounds);
  }

  key(name: string, value: Scalar): bigint {
    const text = `${name}\0${typeof value}\0${String(value)}`;
    const known = this.cache.get(text);
    if (known !== undefined) return known;
    const hash = createHash('sha1').update(`${this.indexId}\0${text}`).digest().readBigUInt64BE() & VALUE_MASK;
    const key = this.presence(name) + (hash === 0n ? 1n : hash);
    if (text.length <= MAX_CACHED_LENGTH) {
      if (this.cache.size >= MAX_CACHED_KEYS) this.cache = new Map();
      this.cache.set(text, key);
    }
    return key;
  }

  /** The key of any document that has a value in the field; it is below all other keys of the field. */
  presence(name: string): bigint {
    return (this.numbers.get(name) ?? 127n) << VALUE_BITS;
  }

  /** The highest key that the field can have. */
  last(name: string): bigint {
    return this.presence(name) | VALUE_MASK;
  }

  /** The keys are ordered like the numbers. Numbers that differ only after their first 45 bits have the same key. */
  bound(name: string, value: number): bigint {
    return this.presence(name) + (orderedBits(value) >> (64n - VALUE_BITS));
  }
}

/** Whether ranges of the field can be searched. */
function isOrdered({ type }: Field): boolean {
  return type !== 'text' && type !== 'texts' && type !== 'boolean';
}

const float = new DataView(new ArrayBuffer(8));

/** The bits of a float, changed so that their order as an unsigned number is the order of the floats. */
function orderedBits(value: number): bigint {
  float.setFloat64(0, value + 0);
  const bits = float.getBigInt64(0);
  return bits < 0n ? BigInt.asUintN(64, ~bits) : BigInt.asUintN(64, bits ^ SIGN_BIT);
}

function sorted(keys: ReadonlySet<bigint>): bigint[] {
  return [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
