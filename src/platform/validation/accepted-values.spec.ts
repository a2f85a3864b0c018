import { describe, expect, it } from '@jest/globals';
import { Allow, IsDefined, IsInt, IsOptional, IsString, Min, validateSync, ValidateIf } from 'class-validator';
import { isAccepted } from './accepted-values.js';

class Parent {
  @IsInt()
  count: unknown;
}

class Child extends Parent {
  @IsOptional()
  @Min(3)
  size?: unknown;

  @IsOptional()
  @IsString({ each: true })
  names?: unknown;

  @ValidateIf(({ count }: Child) => count === 7)
  @IsDefined()
  @IsString()
  reason?: unknown;

  @IsOptional()
  @IsString({ validateIf: (_object, value) => value !== 0 })
  label?: unknown;

  @Allow()
  free?: unknown;
}

const VALUES: Record<string, unknown>[] = [
  { count: 1 },
  { count: 1.5 },
  {},
  { count: 1, size: 3 },
  { count: 1, size: 2 },
  { count: 1, size: null },
  { count: 1, names: ['a', 'b'] },
  { count: 1, names: ['a', 1] },
  { count: 1, names: [] },
  { count: 1, names: 'a' },
  { count: 1, names: new Set([1]) },
  { count: 7 },
  { count: 7, reason: 'because' },
  { count: 7, reason: 7 },
  { count: 1, reason: 7 },
  { count: 1, label: 0 },
  { count: 1, label: 1 },
  { count: 1, free: { any: 1 } },
  { count: 1, unknown: 1 },
];

describe('the quick check of an object', () => {
  it.each(VALUES.map((values) => ({ values })))(
    '$values is accepted if and only if class-validator finds no fault',
    ({ values }) => {
      const object = Object.assign(new Child(), values);
      const faults = validateSync(object, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
      expect(isAccepted(Child, object)).toBe(faults.length === 0);
    },
  );

  it('an object of a class without rules is accepted only without members', () => {
    class Empty {}
    expect([isAccepted(Empty, {}), isAccepted(Empty, { a: 1 })]).toEqual([true, false]);
  });
});
