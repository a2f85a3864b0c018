import { describe, expect, it } from '@jest/globals';
import { validate as validateInstance, ValidateBy } from 'class-validator';
import { ListOf, Nested, Optional, Text, Texts } from './fields.js';
import { ArrayUnique, validateDto } from '../validation/validate-dto.js';
import { FreeObjects } from './trade-fields.js';
import { patchOf } from './dto.js';

let evaluations = 0;

/** A rule that counts how often it is evaluated. */
function Counted(): PropertyDecorator {
  const validate = () => {
    evaluations += 1;
    return true;
  };
  return ValidateBy({ name: 'counted', validator: { validate } });
}

class Leaf {
  @Text({ max: 10 })
  @Counted()
  name: string;
}

class Branch {
  @ListOf(() => Leaf, { max: 50 })
  leaves: Leaf[];

  @Optional()
  @Nested(() => Leaf)
  first?: Leaf;
}

class Tree {
  @ListOf(() => Branch, { max: 500 })
  branches: Branch[];

  @Optional()
  @Texts({ max: 5, maxLength: 10, unique: true })
  tags?: string[];

  @Optional()
  @FreeObjects({ max: 2, maxBytes: 100, maxDepth: 2 })
  free?: object[];
}

class Names {
  @ArrayUnique()
  names: string[];
}

class PatchTree extends patchOf(Tree) {}

const validate = async (value: object, type: new () => object = Tree) => {
  evaluations = 0;
  const { instance, issues } = await validateDto(type, value);
  return { instance, issues: issues.map(({ path, code }) => `${path} ${code}`), evaluations };
};

const leaf = { name: ' oak ' };

describe('a DTO', () => {
  it('a DTO consists of instances of its classes, with its texts trimmed', async () => {
    const free = [{ toString: 1, nested: { a: 1 } }];
    const { instance, issues } = await validate({ branches: [{ leaves: [leaf], first: leaf }], tags: ['a'], free });
    expect(issues).toEqual([]);
    expect(instance).toEqual({ branches: [{ leaves: [{ name: 'oak' }], first: { name: 'oak' } }], tags: ['a'], free });
    expect(instance).toMatchObject({ branches: [expect.any(Branch)] });
    expect(Reflect.get(instance, 'branches')).toMatchObject([{ leaves: [expect.any(Leaf)], first: expect.any(Leaf) }]);
  });

  it('the issues of a DTO contain their paths', async () => {
    const branch = { leaves: [leaf, {}, null, { ...leaf, size: 1 }], first: [] };
    const { issues } = await validate({ branches: [{ leaves: [leaf] }, branch], tags: 'a', toString: 1 });
    expect(issues).toEqual(
      expect.arrayContaining(['branches.1.leaves wrong_type', 'branches.1.first wrong_type', 'tags wrong_type']),
    );
    expect(issues).toContain('toString unknown_member');
    const nested = await validate({ branches: [{ leaves: [leaf, {}, { ...leaf, size: 1, toString: 1 }] }] });
    expect(nested.issues).toEqual(
      expect.arrayContaining([
        'branches.0.leaves.1.name required',
        'branches.0.leaves.2.size unknown_member',
        'branches.0.leaves.2.toString unknown_member',
      ]),
    );
  });

  it('a DTO of an update is validated as well', async () => {
    const { issues } = await validate({ branches: [{ leaves: Array(51).fill({}) }] }, PatchTree);
    expect(issues).toEqual(['branches.0.leaves too_many']);
  });
});

describe('the work of a validation', () => {
  it('the elements of a list that is too long are not validated', async () => {
    expect(await validate({ branches: Array(9_000).fill({ leaves: [leaf] }) })).toMatchObject({
      issues: ['branches too_many'],
      evaluations: 0,
    });
    expect(await validate({ branches: [{ leaves: Array(9_000).fill({}) }] })).toMatchObject({
      issues: ['branches.0.leaves too_many'],
      evaluations: 0,
    });
  });

  it('a text that is too long is not validated; white space at its ends does not count', async () => {
    const leaves = [{ name: 'x'.repeat(100_000) }, { name: `${' '.repeat(1_000)}oak` }, { name: '🧳'.repeat(10) }];
    expect((await validate({ branches: [{ leaves }] })).issues).toEqual(['branches.0.leaves.0.name too_long']);
  });

  it('the validation ends at 100 issues', async () => {
    const { issues, evaluations: count } = await validate({
      branches: Array(500).fill({ leaves: Array(50).fill({}) }),
    });
    expect(issues).toHaveLength(100);
    // Two rules for each leaf.
    expect(count).toBeLessThanOrEqual(200);
  });

  it('the validation is interrupted for other requests', async () => {
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await validate({ branches: Array(500).fill({ leaves: Array(10).fill(leaf) }) });
    done = true;
    expect(turns).toBeGreaterThan(3);
  });

  it('the validation does not read members without a rule', async () => {
    let reads = 0;
    const watched = new Proxy({ a: 1 }, { ownKeys: (target) => ((reads += 1), Reflect.ownKeys(target)) });
    const { issues } = await validate({ branches: [], unknown: [watched], tags: watched });
    expect(issues).toEqual(expect.arrayContaining(['unknown unknown_member', 'tags wrong_type']));
    expect(reads).toBe(0);
  });
});

describe('uniqueness', () => {
  it('uniqueness is checked in one pass', async () => {
    const scopes = Array.from({ length: 48_000 }, (_, n) => `scope-${n}`);
    let comparisons = 0;
    const watched = new Proxy(scopes, {
      get: (target, key) => ((comparisons += 1), Reflect.get(target, key) as unknown),
    });
    expect(await validateInstance(Object.assign(new Names(), { names: watched }))).toEqual([]);
    expect(comparisons).toBeLessThan(10 * scopes.length);
    expect((await validate({ branches: [], tags: ['a', 'b', 'a'] })).issues).toEqual(['tags duplicate']);
  });
});
