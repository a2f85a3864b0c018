import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  Allow,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import { ArrayMaxSize, ArrayUnique, MaxLength, MinLength } from '../validation/validate-dto.js';
import { documentedValues } from './named-values.js';
import { DocumentedAs, nounOf } from './property-description.js';

/*
 * One decorator per property: it checks a request's member and states its bounds in the API document. On a response it only
 * states them. Kinds of values with the same meaning everywhere also get a description, which a doc comment above the property
 * overrides. `Optional` may be absent, `Clearable` may also be null, `Nullable` may be null but not absent.
 */

/** The member is optional; null is rejected. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** The member may be omitted, and null clears it. */
export function Clearable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined && value !== null);
}

/** The member is required; null is one of its values. */
export function Nullable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== null);
}

export interface TextRule {
  /** Fewest characters after trimming; 1 unless given. */
  min?: number;
  max: number;
  pattern?: RegExp;
  /** Line breaks and tabs are allowed. Other control characters never are. */
  multiline?: boolean;
  /** White space at the ends and control characters belong to the value (a password). */
  verbatim?: boolean;
  /** The text is converted to Unicode's composed form (NFC). */
  composed?: boolean;
  /** `""` means null: forms send it for an emptied field. */
  emptyIsNull?: boolean;
}

const SINGLE_LINE = /^[^\p{Cc}]*$/u;
const MULTI_LINE = /^[^\p{Cc}]*(?:[\t\n\r][^\p{Cc}]*)*$/u;

/** Text, trimmed; lengths in characters. */
export function Text(rule: TextRule): PropertyDecorator {
  const { min = 1, max, pattern, multiline = false, verbatim = false, composed = false, emptyIsNull = false } = rule;
  const tidy = (value: unknown) => {
    if (typeof value !== 'string') return value;
    const whole = composed ? value.normalize('NFC') : value;
    const trimmed = verbatim ? whole : whole.trim();
    return emptyIsNull && trimmed === '' ? null : trimmed;
  };
  return applyDecorators(
    Transform(({ value }) => tidy(value)),
    IsString(),
    MinLength(min),
    MaxLength(max),
    ...(verbatim ? [] : [noControls(multiline)]),
    ...(pattern ? [Matches(pattern)] : []),
    ApiProperty({
      type: 'string',
      ...(emptyIsNull || min === 0 ? {} : { minLength: min }),
      maxLength: max,
      ...(pattern && !emptyIsNull ? { pattern: pattern.source } : {}),
    }),
  );
}

function noControls(multiline: boolean): PropertyDecorator {
  const pattern = multiline ? MULTI_LINE : SINGLE_LINE;
  return ValidateBy(
    { name: 'noControls', validator: { validate: (value) => typeof value === 'string' && pattern.test(value) } },
    { message: '$property must not contain control characters' },
  );
}

/** A whole number within bounds. */
export function Whole({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(IsInt(), Min(min), Max(max), ApiProperty({ type: 'integer', minimum: min, maximum: max }));
}

/** A bounded list of whole numbers within bounds. */
export function Wholes({ min, max, maxItems }: { min: number; max: number; maxItems: number }): PropertyDecorator {
  const items = { type: 'integer', minimum: min, maximum: max };
  // ApiProperty's own type of an array of numbers has no room for the items' bounds.
  const documented = { type: 'array', minItems: 0, maxItems, items } as ApiPropertyOptions;
  return applyDecorators(
    IsArray(),
    ArrayMaxSize(maxItems),
    IsInt({ each: true }),
    Min(min, { each: true }),
    Max(max, { each: true }),
    ApiProperty(documented),
  );
}

/** Money in the currency's minor unit, up to 2^53-1; not negative unless `min` allows it. */
export function Cents({ min = 0 }: { min?: number } = {}): PropertyDecorator {
  const max = Number.MAX_SAFE_INTEGER;
  return applyDecorators(
    IsInt(),
    Min(min),
    Max(max),
    DocumentedAs(
      { type: 'integer', format: 'int64', minimum: min, maximum: max },
      'Amount in minor units of the currency: 5900 is 59.00 EUR.',
    ),
  );
}

export function Flag(): PropertyDecorator {
  return applyDecorators(IsBoolean(), ApiProperty({ type: 'boolean' }));
}

/** A value of a status list; the list is also the type and the database's check. A `named` list is a schema of its own. */
export function OneOf(values: readonly string[]): PropertyDecorator {
  const expected = `$property must be one of ${values.join(', ')}`;
  return applyDecorators(IsIn(values, { message: expected }), ApiProperty(documentedValues(values)));
}

/** A TypeID of this kind. A malformed ID is treated like an unknown one. */
export function Id(prefix: string): PropertyDecorator {
  return applyDecorators(
    IsString(),
    MaxLength(100),
    DocumentedAs({ type: 'string', maxLength: 100 }, (property) => {
      const resource = property === 'id' ? 'this resource' : `the ${nounOf(property)}`;
      return `ID of ${resource}, a TypeID with the prefix \`${prefix}\`.`;
    }),
  );
}

/** The version of a resource in a response. */
export function Version(): PropertyDecorator {
  return applyDecorators(
    IsInt(),
    DocumentedAs(
      { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
      'Starts at 1 and increases with every change. It is also the ETag, and what If-Match is compared with.',
    ),
  );
}

/** A member of a response that a client may send back in a create; its value is ignored. */
export function Ignored(): PropertyDecorator {
  return applyDecorators(
    Transform(() => undefined),
    Allow(),
    ApiProperty({
      type: 'string',
      maxLength: 100,
      required: false,
      readOnly: true,
      description: 'Ignored: set by the server.',
    }),
  );
}

/* `type: () => type()` and not `type`: @nestjs/swagger recognizes a function that returns a class by its name, `type`. */

/*
 * The class of nested objects is stated in a context, which survives PartialType and PickType. `validateDto` reads it.
 */

/** A nested object. */
export function Nested(type: () => new () => object): PropertyDecorator {
  return applyDecorators(IsObject({ context: { nestedType: type } }), ApiProperty({ type: () => type() }));
}

/** A bounded list of objects. */
export function ListOf(type: () => new () => object, bounds: { min?: number; max: number }): PropertyDecorator {
  const { min = 0, max } = bounds;
  return applyDecorators(
    IsArray(),
    ArrayMinSize(min),
    ArrayMaxSize(max),
    IsObject({ each: true, context: { nestedType: type } }),
    ApiProperty({ type: () => type(), isArray: true, minItems: min, maxItems: max }),
  );
}

export interface TextsRule {
  min?: number;
  max: number;
  maxLength: number;
  pattern?: RegExp;
  /** The rest of the message for a text that does not match the pattern: "is no scope of the form ...". */
  otherwise?: string;
  unique?: boolean;
}

/** A bounded list of texts; each one within `maxLength` and, if given, of the pattern. */
export function Texts(rule: TextsRule): PropertyDecorator {
  const { min = 0, max, maxLength, pattern = SINGLE_LINE, otherwise, unique = false } = rule;
  const items = { type: 'string', maxLength, ...(rule.pattern ? { pattern: pattern.source } : {}) };
  // ApiProperty's own type of an array of strings has no room for the items' bounds.
  const documented = { type: 'array', minItems: min, maxItems: max, uniqueItems: unique, items } as ApiPropertyOptions;
  const complaint = otherwise === undefined ? {} : { message: complain(pattern, otherwise) };
  return applyDecorators(
    IsArray(),
    ArrayMinSize(min),
    ArrayMaxSize(max),
    ...(unique ? [ArrayUnique({ message: '$property must not contain duplicates' })] : []),
    IsString({ each: true }),
    MinLength(1, { each: true }),
    MaxLength(maxLength, { each: true }),
    Matches(pattern, { each: true, ...complaint }),
    ApiProperty(documented),
  );
}

/** Names the text in the message by its index; class-validator reports only that one is invalid. */
function complain(pattern: RegExp, otherwise: string): (fault: ValidationArguments) => string {
  return ({ value, property }) => {
    const texts: unknown[] = Array.isArray(value) ? value : [];
    const index = texts.findIndex((text) => typeof text !== 'string' || !pattern.test(text));
    return `${property}.${index} ${otherwise}`;
  };
}
