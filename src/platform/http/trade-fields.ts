import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  Allow,
  ArrayMinSize,
  IsArray,
  IsBIC,
  IsEmail,
  IsIBAN,
  IsNumber,
  IsString,
  Max,
  Min,
  ValidateBy,
  type ValidationOptions,
} from 'class-validator';
import { isCountry } from './countries.js';
import { isCurrency } from '../money/money.js';
import { isCalendarDay, isInstant, isTimeZone } from '../time/calendar.js';
import { ArrayMaxSize, MaxLength } from '../validation/validate-dto.js';
import { KeptAsData } from './dto.js';
import { DocumentedAs } from './property-description.js';

/** A language tag of BCP 47: a language with at most a region, such as `de` or `pt-BR`. */
export const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[A-Z]{2})?$/;

/** A currency of ISO 4217, three upper-case letters. */
export function CurrencyCode(): PropertyDecorator {
  return applyDecorators(
    check('isCurrency', isCurrency, '$property must be an ISO 4217 currency code, such as EUR'),
    DocumentedAs({ type: 'string', minLength: 3, maxLength: 3, pattern: '^[A-Z]{3}$' }, 'ISO 4217 currency code.'),
  );
}

/** An IBAN, checked by length and structure of its country, and by its check digits (mod 97). */
export function Iban(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => compact(value)),
    IsIBAN({}, { message: '$property must be an IBAN with valid check digits' }),
    MaxLength(34),
    ApiProperty({ type: 'string', minLength: 15, maxLength: 34, pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]+$' }),
  );
}

/** A BIC (SWIFT code), of 8 or 11 characters. */
export function Bic(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => compact(value)),
    IsBIC({ message: '$property must be a BIC of 8 or 11 characters' }),
    MaxLength(11),
    ApiProperty({ type: 'string', minLength: 8, maxLength: 11 }),
  );
}

/** A calendar day `YYYY-MM-DD` that exists, from 1900-01-01 to 2199-12-31. */
export function IsoDate(): PropertyDecorator {
  return applyDecorators(
    check('isDate', isCalendarDay, '$property must be an existing day as YYYY-MM-DD, from 1900 to 2199'),
    DocumentedAs({ type: 'string', format: 'date', minLength: 10, maxLength: 10 }, 'Calendar day, `YYYY-MM-DD`.'),
  );
}

const INSTANTS: Record<string, string> = {
  createdAt: 'When the resource was created (RFC 3339, UTC). Set by the server; never changes.',
  updatedAt: 'When the resource was last changed (RFC 3339, UTC). Set by the server.',
};

/** An instant of RFC 3339 with an offset; responses have it in UTC with milliseconds. */
export function Instant(): PropertyDecorator {
  return applyDecorators(
    check('isInstant', isInstant, '$property must be an instant with an offset, such as 2027-01-31T12:00:00Z'),
    DocumentedAs(
      { type: 'string', format: 'date-time', minLength: 20, maxLength: 40 },
      (property) => INSTANTS[property] ?? 'RFC 3339 instant; responses are in UTC with milliseconds.',
    ),
  );
}

/** A country or territory of ISO 3166-1 alpha-2, two upper-case letters. */
export function CountryCode(): PropertyDecorator {
  return applyDecorators(
    check('isCountry', isCountry, '$property must be an ISO 3166-1 alpha-2 country code, such as RO'),
    DocumentedAs(
      { type: 'string', minLength: 2, maxLength: 2, pattern: '^[A-Z]{2}$' },
      'ISO 3166-1 alpha-2 country code.',
    ),
  );
}

/** Degrees from `-max` to `max`: 90 for a latitude, 180 for a longitude. */
export function Degrees({ max }: { max: number }): PropertyDecorator {
  return applyDecorators(
    IsNumber({ allowNaN: false, allowInfinity: false }),
    Min(-max),
    Max(max),
    DocumentedAs(
      { type: 'number', format: 'double', minimum: -max, maximum: max },
      max === 90 ? 'Decimal degrees; north is positive.' : 'Decimal degrees; east is positive.',
    ),
  );
}

/** An IANA name of a time zone, such as `Europe/Bucharest`; an offset has no daylight saving time. */
export function TimeZone(): PropertyDecorator {
  return applyDecorators(
    check('isTimeZone', isTimeZone, '$property must be the IANA name of a time zone, such as Europe/Bucharest'),
    DocumentedAs({ type: 'string', minLength: 2, maxLength: 64 }, 'IANA time zone name such as `Europe/Bucharest`.'),
  );
}

/** An e-mail address of at most 255 characters; `""` means null. */
export function EmailAddress(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => emptied(value)),
    IsEmail({}, { message: '$property must be an e-mail address' }),
    MaxLength(255),
    DocumentedAs(
      { type: 'string', format: 'email', maxLength: 255 },
      'E-mail address. In a request an empty string means null.',
    ),
  );
}

/** A web address of at most 2048 characters; with a scheme it must be http or https. `""` means null. */
export function WebAddress(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => emptied(value)),
    check('isWebAddress', isWebAddress, '$property must be a web address; with a scheme, http or https'),
    MaxLength(2048),
    DocumentedAs(
      { type: 'string', maxLength: 2048 },
      'Web address; with a scheme, http or https. In a request an empty string means null.',
    ),
  );
}

/** A decimal number above 0 as text, because a double would round it; N digits before the point and M after it. */
export function DecimalText({ whole, decimals }: { whole: number; decimals: number }): PropertyDecorator {
  const pattern = `^(?:0|[1-9]\\d{0,${whole - 1}})(?:\\.\\d{1,${decimals}})?$`;
  const fits = (value: unknown) => {
    const [, integer, fraction = ''] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(typeof value === 'string' ? value : '') ?? [];
    if (integer === undefined || integer.length > whole || fraction.length > decimals) return false;
    return /[1-9]/.test(integer) || /[1-9]/.test(fraction);
  };
  return applyDecorators(
    check('isDecimal', fits, `$property must be a decimal number above 0 as text, with at most ${decimals} decimals`),
    DocumentedAs(
      { type: 'string', minLength: 1, maxLength: whole + 1 + decimals, pattern },
      `Decimal number above 0 as text, with at most ${decimals} decimals.`,
    ),
  );
}

/** A free-form object of bounded size, kept as it is (`jsonb`); bytes of its JSON, levels of nesting. */
export function FreeObject({ maxBytes, maxDepth }: { maxBytes: number; maxDepth: number }): PropertyDecorator {
  const fits = (value: unknown) => isFreeObject(value, { maxBytes, maxDepth });
  const documented = { type: 'object', additionalProperties: true } as ApiPropertyOptions;
  return applyDecorators(
    check('isFreeObject', fits, `$property must be an object of at most ${maxBytes} bytes and ${maxDepth} levels`, [
      maxBytes,
      maxDepth,
    ]),
    ApiProperty(documented),
  );
}

/** A bounded list of free-form objects, each of bounded size, kept as they are. */
export function FreeObjects(rule: {
  min?: number;
  max: number;
  maxBytes: number;
  maxDepth: number;
}): PropertyDecorator {
  const { min = 0, max, maxBytes, maxDepth } = rule;
  const fits = (value: unknown) => isFreeObject(value, { maxBytes, maxDepth });
  const faultIn = (list: unknown) => (Array.isArray(list) ? list.findIndex((entry) => !fits(entry)) : -1);
  const documented = {
    type: 'array',
    minItems: min,
    maxItems: max,
    items: { type: 'object', additionalProperties: true },
  } as ApiPropertyOptions;
  return applyDecorators(
    IsArray(),
    ArrayMinSize(min),
    ArrayMaxSize(max),
    ValidateBy(
      {
        name: 'isFreeObject',
        constraints: [maxBytes, maxDepth],
        validator: { validate: (value) => !Array.isArray(value) || value.every(fits) },
      },
      {
        message: ({ value, property }) =>
          `${property}.${faultIn(value)} must be an object of at most ${maxBytes} bytes and ${maxDepth} levels`,
        context: { faultIn },
      },
    ),
    ApiProperty(documented),
  );
}

/** A bounded list of objects, stored unchanged; the service that receives them validates their content. */
export function Objects({ max, maxBytes }: { max: number; maxBytes?: number }): PropertyDecorator {
  const items = { type: 'object', additionalProperties: true };
  const documented = { type: 'array', maxItems: max, items } as ApiPropertyOptions;
  return applyDecorators(
    ...(maxBytes === undefined ? [] : [KeptAsData({ maxBytes }), IsArray()]),
    ApiProperty(documented),
  );
}

/**
 * Any JSON value of at most N serialized bytes, stored unchanged (`json`, not `jsonb`), with key order and `\u0000`.
 */
export function AnyJson({ maxBytes }: { maxBytes: number }): PropertyDecorator {
  const documented: ApiPropertyOptions = { anyOf: [{}], nullable: true };
  return applyDecorators(KeptAsData({ maxBytes }), Allow(), ApiProperty(documented));
}

/** A text with a grammar of its own, named in the message. */
export function CheckedText(
  name: string,
  fits: (text: string) => boolean,
  rule: { max: number; message: string },
): PropertyDecorator {
  return applyDecorators(
    IsString(),
    MaxLength(rule.max),
    check(name, (value) => typeof value === 'string' && fits(value), rule.message),
    ApiProperty({ type: 'string', maxLength: rule.max }),
  );
}

function isFreeObject(value: unknown, { maxBytes, maxDepth }: { maxBytes: number; maxDepth: number }): boolean {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || leastBytesOf(value, { maxBytes, maxDepth }) > maxBytes) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
}

/**
 * The minimum number of bytes of the value as JSON; Infinity if it is nested too deep. Stops above the limit, because
 * serializing a large body only to measure it takes the time of parsing it.
 */
function leastBytesOf(value: unknown, { maxBytes, maxDepth }: { maxBytes: number; maxDepth: number }): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  if (maxDepth === 0) return Infinity;
  let bytes = 1;
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of entries) {
    bytes += typeof key === 'string' ? key.length + 4 : 1;
    bytes += leastBytesOf(member, { maxBytes: maxBytes - bytes, maxDepth: maxDepth - 1 });
    if (bytes > maxBytes) break;
  }
  return bytes;
}

function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || /[\s\p{Cc}]/u.test(value)) return false;
  return hasScheme(value) ? /^https?:\/\/[^/]/i.test(value) && URL.canParse(value) : true;
}

/** `localhost:3000` and `example.com:8080/x` have a port; `javascript:1` would run if it is shown as a link. */
function hasScheme(address: string): boolean {
  const [start = '', rest] = address.split(':', 2);
  const isHost = start.includes('.') || start.toLowerCase() === 'localhost';
  return /^[a-z][a-z0-9+.-]*$/i.test(start) && rest !== undefined && !(isHost && /^\d{1,5}([/?#]|$)/.test(rest));
}

/** Spaces are removed, because IBANs are printed in groups of four. */
function compact(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/[ \u00a0]/g, '').toUpperCase() : value;
}

function emptied(value: unknown): unknown {
  const trimmed = typeof value === 'string' ? value.trim() : value;
  return trimmed === '' ? null : trimmed;
}

function check(
  name: string,
  validate: (value: unknown) => boolean,
  message: string,
  constraints: number[] = [],
): PropertyDecorator {
  const options: ValidationOptions = { message };
  return ValidateBy({ name, constraints, validator: { validate } }, options);
}
