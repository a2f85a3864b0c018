import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, Max, Min } from 'class-validator';
import { DocumentedAs } from './property-description.js';

/** A whole number in a query string. Anything but plain digits stays text, and is rejected by its validator. */
export function QueryWhole({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : (value as unknown),
    ),
    IsInt(),
    Min(min),
    Max(max),
    ApiProperty({ type: 'integer', minimum: min, maximum: max }),
  );
}

/** `true` or `false` in a query string. */
export function QueryFlag(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : (value as unknown))),
    IsBoolean(),
    ApiProperty({ type: 'boolean' }),
  );
}

/** `name` or `-name` (descending) of the fields that this list can be sorted by. */
export function SortBy(fields: readonly string[]): PropertyDecorator {
  const values = fields.flatMap((field) => [field, `-${field}`]);
  return applyDecorators(
    IsIn(values, { message: `$property must be one of ${values.join(', ')}` }),
    DocumentedAs({ type: 'string', enum: values }, 'Sort field; a leading `-` means descending order.'),
  );
}
