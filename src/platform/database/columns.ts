import type { ValueTransformer } from 'typeorm';

/**
 * bigint column <-> safe integer. The driver returns text; a value that a double cannot represent exactly is rejected,
 * never rounded.
 */
export const safeInteger: ValueTransformer = {
  to: (value: number | null | undefined) => (value === null || value === undefined ? value : checked(value)),
  from: (value: string | number | null) => (value === null ? null : checked(Number(value))),
};

function checked(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError('An amount exceeds the safe integers');
  return value;
}
