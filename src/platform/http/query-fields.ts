import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMinSize, IsArray, IsBoolean, IsIn, IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { ArrayMaxSize, ArrayUnique, MaxLength } from '../validation/validate-dto.js';
import { documentedValues } from './named-values.js';
import { DocumentedAs } from './property-description.js';

const MAX_ID = 100;
const TYPE_ID = /^[a-z]+_[0-9a-z]{26}$/;

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

/**
 * A filter by one or more of these values, separated by commas: `status=draft,confirmed`. A list longer than the list of
 * allowed values is rejected. So is a duplicate parameter, as in every query.
 */
export function AnyOf(values: readonly string[]): PropertyDecorator {
  const message = `$property must be one or more of ${values.join(', ')}, separated by commas`;
  const items = documentedValues(values);
  const documented = { type: 'array', items, minItems: 1, maxItems: values.length, style: 'form', explode: false };
  return applyDecorators(
    // One more than allowed shows that there are too many.
    Transform(({ value }) => (typeof value === 'string' ? value.split(',', values.length + 1) : null)),
    IsArray({ message }),
    ArrayMinSize(1),
    ArrayMaxSize(values.length),
    IsIn(values, { each: true, message }),
    // The declared options of a property do not include the style of a parameter.
    ApiProperty(documented as ApiPropertyOptions),
  );
}

/** One or more TypeIDs with this prefix, separated by commas. A longer list is rejected, and so is a repeated id. */
export function AnyIds(prefix: string, max: number): PropertyDecorator {
  const message = `$property must be 1 to ${max} different ids with the prefix ${prefix}, separated by commas`;
  const items = { type: 'string', maxLength: MAX_ID };
  const documented = {
    type: 'array',
    items,
    minItems: 1,
    maxItems: max,
    uniqueItems: true,
    style: 'form',
    explode: false,
  };
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.split(',', max + 1) : null)),
    IsArray({ message }),
    ArrayMinSize(1, { message }),
    ArrayMaxSize(max),
    ArrayUnique({ message }),
    IsString({ each: true, message }),
    Matches(TYPE_ID, { each: true, message }),
    MaxLength(MAX_ID, { each: true, message }),
    ApiProperty(documented as ApiPropertyOptions),
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

/** Where @nestjs/swagger keeps the options of `ApiProperty`. */
const DOCUMENTED = 'swagger/apiModelProperties';
/** Passed on to the document, but not one of the declared options of a property. */
const DEPRECATED: object = { deprecated: true };

/** The document marks the parameter as deprecated; its description names the parameter that replaces it. */
export function Deprecated(): PropertyDecorator {
  return ApiProperty(DEPRECATED);
}

/** Present names by former name, for each prototype. */
const formerNames = new WeakMap<object, Map<string, string>>();

/** The former name of a parameter, which is accepted in its place. Write it above the decorators that document the parameter. */
export function FormerName(former: string): PropertyDecorator {
  return (target, key) => {
    const names = formerNames.get(target) ?? new Map<string, string>();
    formerNames.set(target, names.set(former, String(key)));
    const documented = Reflect.getMetadata(DOCUMENTED, target, key) as object | undefined;
    const description = `Former name of \`${String(key)}\`.`;
    ApiProperty({ ...documented, required: false, description, ...DEPRECATED })(target, former);
  };
}

/** Returns the present names of parameters that were sent by their former names. */
export function renamedParameters(type: Type<object>, given: object): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  for (let prototype: unknown = type.prototype; isObject(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const [former, name] of formerNames.get(prototype) ?? []) {
      if (former in given && !(name in given)) renamed.set(former, name);
    }
  }
  return renamed;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
